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
 * Sources: curs_initscr(3X), curs_terminfo(3X), curs_inopts(3X), resizeterm(3X), curs_get_wch(3X), curs_attr(3X).
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
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* Whether the type of terminal, with NULL that of TERM, is known here; the terminal is left alone. */
static inline int napkin_terminal_is_known(const char *type) {
    int error = 0;
    if (setupterm((char *)type, STDOUT_FILENO, &error) != OK) return 0;
    del_curterm(cur_term);
    return 1;
}

/* Starts ncurses on stdin and stdout, with NULL for TERM's type of terminal; 0 when the type of terminal is unknown. Input is not waited
 * for, function keys come as one code, and an Escape is told from a sequence within `escape`
 * milliseconds. Ctrl-C and Ctrl-Z remain signals. */
static inline int napkin_curses_start(const char *type, int escape) {
    if (newterm((char *)type, stdout, stdin) == NULL) return 0;
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
static inline int napkin_curses_colours(void) { return COLORS; }
static inline int napkin_curses_pairs(void) { return COLOR_PAIRS; }

static inline attr_t napkin_attribute_bold(void) { return A_BOLD; }
static inline attr_t napkin_attribute_dim(void) { return A_DIM; }
static inline attr_t napkin_attribute_reverse(void) { return A_REVERSE; }
static inline attr_t napkin_attribute_underline(void) { return A_UNDERLINE; }
static inline attr_t napkin_attribute_italic(void) { return A_ITALIC; }
static inline attr_t napkin_attribute_blink(void) { return A_BLINK; }

/* Spaces in the colours of a pair, for the places where nothing is written. */
static inline chtype napkin_background(short pair) { return ' ' | COLOR_PAIR(pair); }

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

/* Codes for the brackets around a paste, above those of ncurses (KEY_MAX). */
static inline int napkin_paste_begins(void) { return KEY_MAX + 1; }
static inline int napkin_paste_ends(void) { return KEY_MAX + 2; }

/* Whether the terminal is of a family that keeps sequences which it does not know to itself: those
 * with a mouse. Terminals of other families might show them. */
static inline int napkin_terminal_is_modern(void) {
    char *mouse = tigetstr("kmous");
    return mouse != NULL && mouse != (char *)-1;
}

/* Asks the terminal for its background (OSC 11) and then for its attributes (DA1), which every
 * terminal answers. Whether it was asked. */
static inline int napkin_background_ask(void) {
    const char question[] = "\033]11;?\033\\\033[c";
    const ssize_t count = sizeof question - 1;
    return napkin_terminal_is_modern() && write(STDOUT_FILENO, question, count) == count;
}

/* With 1 asks the terminal to put brackets around what is pasted, with 0 not to (XTerm Control
 * Sequences, "Bracketed Paste Mode"). Written directly, also by the handler of a crash. */
static inline void napkin_paste_brackets(int on) {
    static int is_known = -1;
    if (is_known < 0) {
        is_known = napkin_terminal_is_modern();
        define_key("\033[200~", napkin_paste_begins());
        define_key("\033[201~", napkin_paste_ends());
    }
    if (is_known && write(STDOUT_FILENO, on ? "\033[?2004h" : "\033[?2004l", 8) < 0) return;
}

/* With 1, Ctrl-C, Ctrl-Z and the like are keys; with 0, signals again, but for Ctrl-\, which a person
 * presses to go back and forth. */
static inline void napkin_signals_are_keys(int on) {
    struct termios modes;
    if (on) {
        raw();
        return;
    }
    noraw();
    cbreak();
    if (tcgetattr(STDIN_FILENO, &modes) != 0) return;
    modes.c_cc[VQUIT] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

/* The left button and the wheel, each when it is pressed. */
static inline void napkin_mouse_start(void) {
    mouseinterval(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

/* What the mouse did, and at which cell: 1 a click, 2 the wheel up, 3 down, 0 something else. */
static inline int napkin_mouse_read(int *x, int *y) {
    MEVENT event;
    if (getmouse(&event) != OK) return 0;
    *x = event.x;
    *y = event.y;
    if (event.bstate & BUTTON1_PRESSED) return 1;
    if (event.bstate & BUTTON4_PRESSED) return 2;
    if (event.bstate & BUTTON5_PRESSED) return 3;
    return 0;
}

/* Leaves the screen mode if ncurses is in it. Registered with atexit(3). */
static inline void napkin_curses_leave(void) {
    if (stdscr != NULL && !isendwin()) {
        napkin_paste_brackets(0);
        endwin();
    }
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
