// Napkin: the home of the documentation.
//
// Layer      documentation: above every library, so that an article can name a type of each.
// Isolation  none of its own: there is no code here.
//
// The articles and the tutorial are in Napkin.docc; `make docs` builds the site.
