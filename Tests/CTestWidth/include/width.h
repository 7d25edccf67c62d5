// width: how many tests run at a time.
//
// Swift Testing begins all of them at once: of a thousand each takes as long as all, which is longer
// than what a single one may take, and those that start processes are in each other's way. It has no
// setting for that but a variable of the environment (6.3.1), which is set here when the tests are
// loaded, before it is read: so that `swift test` behaves as `make test` does. Whoever sets the
// variable is obeyed.

#ifndef TEST_WIDTH
// Chosen: of 2, 4 and 6 on two cores the one with which all tests end soonest.
#define TEST_WIDTH 6
#endif
