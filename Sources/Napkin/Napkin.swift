// Napkin: the home of the documentation.
//
// Isolation  none of its own: there is no code here.
//
// The articles and the tutorial are in Napkin.docc; `make docs` builds the site.
