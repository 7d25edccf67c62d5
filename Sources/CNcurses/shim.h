/* CNcurses: what NapkinTerminal sees of ncurses (ncursesw 6).
 *
 * Functions come over into Swift as they are. What does not, and has a function here instead:
 *
 *   - constants that are expressions (A_BOLD);
 *   - global variables (stdscr, LINES, COLS), which Swift 6 takes for shared mutable state;
 *   - stdio's `stdin` and `stdout`, for the same reason.
 *
 * The rules of ncurses that this project leans on, each quoted where it binds:
 *
 *   - newterm(3X) returns NULL where initscr(3X) would end the process;
 *   - signal handlers are installed only for signals whose action is the default one, so that
 *     ours, installed before, stay (ncurses(3X), "Signal Handlers");
 *   - nothing of it may be called by two threads.
 *
 * Sources: curs_initscr(3X), curs_inopts(3X), resizeterm(3X), curs_get_wch(3X), curs_attr(3X).
 */
#ifndef NAPKIN_CNCURSES_SHIM_H
#define NAPKIN_CNCURSES_SHIM_H

#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1 /* the wide-character interface */
#endif
#define NCURSES_NOMACROS 1 /* functions, which Swift can import */

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Starts ncurses on stdin and stdout; 0 when the type of terminal is unknown. Input is not waited
 * for, function keys come as one code, and an Escape is told from a sequence within `escape`
 * milliseconds. Ctrl-C and Ctrl-Z remain signals. */
static inline int napkin_curses_start(int escape) {
    if (newterm(NULL, stdout, stdin) == NULL) return 0;
    set_escdelay(escape);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    intrflush(stdscr, FALSE);
    return 1;
}

/* Takes the whole screen for unknown: the next refresh draws all of it. */
static inline void napkin_curses_redraw(void) { clearok(curscr, TRUE); }

static inline int napkin_curses_lines(void) { return LINES; }
static inline int napkin_curses_columns(void) { return COLS; }

static inline attr_t napkin_attribute_bold(void) { return A_BOLD; }
static inline attr_t napkin_attribute_dim(void) { return A_DIM; }
static inline attr_t napkin_attribute_reverse(void) { return A_REVERSE; }
static inline attr_t napkin_attribute_underline(void) { return A_UNDERLINE; }

/* Sets attributes and the number of a colour pair for what is written next. */
static inline void napkin_attributes_set(attr_t attributes, short pair) {
    attr_set(attributes, pair, NULL);
}

/* Reads one key: 0 none, 1 a character, 2 a function key. */
static inline int napkin_key_read(wint_t *key) {
    switch (get_wch(key)) {
    case OK: return 1;
    case KEY_CODE_YES: return 2;
    default: return 0;
    }
}

/* Leaves the screen mode if ncurses is in it. Registered with atexit(3). */
static inline void napkin_curses_leave(void) {
    if (stdscr != NULL && !isendwin()) endwin();
}

/* With 0: from now on a crash gives the terminal back before it takes its course. Otherwise it is
 * the handler itself: puts back what was there before it (Swift's backtracer, perhaps) and sends the
 * signal again. endwin(3X) is not safe in a signal handler; here the worst that can happen is what
 * happens without it. One function, because Swift emits no C variable outside of functions. */
static inline void napkin_crash(int signal) {
    static struct sigaction before[6];
    const int crashes[6] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = napkin_crash;
    ours.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < 6; i++) {
        if (signal == 0)
            sigaction(crashes[i], &ours, &before[i]);
        else
            sigaction(crashes[i], &before[i], NULL);
    }
    if (signal != 0) {
        napkin_curses_leave();
        raise(signal);
    }
}

/* Makes LC_CTYPE one that can tell the width of a character: the user's if it is UTF-8, else
 * C.UTF-8. Whether there is one. */
static inline int napkin_locale_prepare(void) {
    if (setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return 1;
    return setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

/* wcwidth(3): cells of a character, -1 when it cannot be printed. */
static inline int napkin_cells(unsigned int scalar) { return wcwidth((wchar_t)scalar); }

#endif
