/* CVterm: what NapkinSystem sees of libvterm.
 *
 * Swift sees numbers: libvterm's cells are bit fields and unions, whose layout differs between 0.1
 * and 0.3 under one name, libvterm.so.0. The rules that bind us:
 *
 *   - a VTerm has no lock: one thread at a time;
 *   - a string property comes whole in 0.1, in fragments since 0.2 (VTermStringFragment);
 *   - cells of sb_pushline and strings are valid during the callback: they are copied there;
 *   - vterm_check_version(3) ends the process: the library's age is told by a symbol instead.
 *
 * Source: vterm.h.
 */
#ifndef NAPKIN_CVTERM_SHIM_H
#define NAPKIN_CVTERM_SHIM_H

#include <dlfcn.h>
#include <string.h>
#include <vterm.h>

/* A cell: up to six characters, 0 after the last; none if it is empty. */
struct napkin_cell {
    uint32_t chars[6];
    /* 0 the terminal's own; 1 << 24 | index; 2 << 24 | red << 16 | green << 8 | blue. */
    uint32_t foreground, background;
    /* Bits of ConsoleAttributes. */
    uint8_t attributes;
    /* 2 for a wide character, whose second cell follows. */
    uint8_t width;
};

/* What a terminal tells, as soon as its owner has set `self`. */
struct napkin_vterm_calls {
    void *self;
    void (*damage)(void *self, int start, int end);
    void (*left)(void *self, const VTermScreenCell *cells, int count);
    void (*property)(void *self, VTermProp property, int value);
    void (*title)(void *self, const char *bytes, size_t count, int begins);
    void (*bell)(void *self);
    void (*output)(void *self, const char *bytes, size_t count);
};

/* Whether the library has the layout of the header. 0.3 has a function that 0.1 lacks. */
static inline int napkin_vterm_matches(void) {
    int is_new = dlsym(RTLD_DEFAULT, "vterm_screen_enable_reflow") != NULL;
    return is_new == (VTERM_VERSION_MINOR >= 3);
}

/* Whether all characters around this number are wide: one of a single cell has lost the other. */
static inline int napkin_vterm_is_wide(uint32_t code) {
    return (code >= 0x2E80 && code < 0xA4D0 && code != 0x303F) || (code >= 0xAC00 && code < 0xD7A4)
        || (code >= 0xFF01 && code < 0xFF61) || (code >= 0x20000 && code < 0x3FFFE);
}

static inline uint32_t napkin_vterm_colour(const VTermColor *colour, int is_default) {
    if (is_default) return 0;
    if (VTERM_COLOR_IS_INDEXED(colour)) return 1u << 24 | colour->indexed.idx;
    return 2u << 24 | (uint32_t)colour->rgb.red << 16 | (uint32_t)colour->rgb.green << 8
        | colour->rgb.blue;
}

/* Whether no character of this number is wide: a wide one that was overwritten in half leaves its
 * second cell, and libvterm calls the new character wide. */
static inline int napkin_vterm_is_narrow(uint32_t code) {
    return code < 0x1100 || (code >= 0x2000 && code < 0x231A) || (code >= 0x2400 && code < 0x25FD)
        || (code >= 0x2800 && code < 0x2900) || (code >= 0xE000 && code < 0xF900);
}

/* Flattens a cell. Font 9 stands for faint, which libvterm has not: see SequenceFilter. */
static inline void napkin_vterm_flatten(const VTermScreenCell *from, struct napkin_cell *to) {
    memcpy(to->chars, from->chars, sizeof to->chars);
    to->width = napkin_vterm_is_narrow(from->chars[0]) ? 1 : (uint8_t)from->width;
    to->foreground = napkin_vterm_colour(&from->fg, VTERM_COLOR_IS_DEFAULT_FG(&from->fg));
    to->background = napkin_vterm_colour(&from->bg, VTERM_COLOR_IS_DEFAULT_BG(&from->bg));
    to->attributes = (uint8_t)(
        (from->attrs.bold ? 1 : 0) | (from->attrs.font == 9 ? 2 : 0)
        | (from->attrs.italic ? 4 : 0) | (from->attrs.underline ? 8 : 0)
        | (from->attrs.blink ? 16 : 0) | (from->attrs.reverse ? 32 : 0)
        | (from->attrs.strike ? 64 : 0));
    /* What is left of a wide character that was overwritten in half is empty. */
    if (from->chars[0] == (uint32_t)-1
        || (from->width == 1 && napkin_vterm_is_wide(from->chars[0]))) {
        memset(to->chars, 0, sizeof to->chars);
        to->attributes = to->foreground = to->background = 0;
    }
    /* What is erased has a background and nothing else (xterm's bce); libvterm keeps the rest. */
    if (from->chars[0] == 0) to->attributes = to->foreground = 0;
}

static inline void napkin_vterm_row(
    const VTermScreen *screen, int row, int columns, struct napkin_cell *to) {
    for (int column = 0; column < columns; column++) {
        VTermScreenCell cell;
        memset(&cell, 0, sizeof cell);
        vterm_screen_get_cell(screen, (VTermPos){.row = row, .col = column}, &cell);
        napkin_vterm_flatten(&cell, &to[column]);
    }
}

static inline void napkin_vterm_flatten_row(
    const VTermScreenCell *from, int count, struct napkin_cell *to) {
    for (int column = 0; column < count; column++) napkin_vterm_flatten(&from[column], &to[column]);
}

static inline int napkin_vterm_damage(VTermRect rect, void *user) {
    struct napkin_vterm_calls *calls = (struct napkin_vterm_calls *)user;
    if (calls->self) calls->damage(calls->self, rect.start_row, rect.end_row);
    return 1;
}

static inline int napkin_vterm_bell(void *user) {
    struct napkin_vterm_calls *calls = (struct napkin_vterm_calls *)user;
    if (calls->self) calls->bell(calls->self);
    return 1;
}

static inline int napkin_vterm_pushline(int cols, const VTermScreenCell *cells, void *user) {
    struct napkin_vterm_calls *calls = (struct napkin_vterm_calls *)user;
    if (calls->self) calls->left(calls->self, cells, cols);
    return 1;
}

static inline int napkin_vterm_property(VTermProp property, VTermValue *value, void *user) {
    struct napkin_vterm_calls *calls = (struct napkin_vterm_calls *)user;
    if (!calls->self) return 1;
    switch (vterm_get_prop_type(property)) {
    case VTERM_VALUETYPE_BOOL: calls->property(calls->self, property, value->boolean); break;
    case VTERM_VALUETYPE_INT: calls->property(calls->self, property, value->number); break;
    case VTERM_VALUETYPE_STRING:
        if (property != VTERM_PROP_TITLE) break;
#if VTERM_VERSION_MINOR >= 2
        calls->title(calls->self, value->string.str, value->string.len, value->string.initial);
#else
        calls->title(calls->self, value->string, strlen(value->string), 1);
#endif
        break;
    default: break;
    }
    return 1;
}

static inline void napkin_vterm_output(const char *bytes, size_t count, void *user) {
    struct napkin_vterm_calls *calls = (struct napkin_vterm_calls *)user;
    if (calls->self) calls->output(calls->self, bytes, count);
}

/* Creates a terminal that reports to `calls`, which must stay where it is; NULL without memory. */
static inline VTerm *napkin_vterm_new(int rows, int columns, struct napkin_vterm_calls *calls) {
    static const VTermScreenCallbacks callbacks = {
        .damage = napkin_vterm_damage,
        .settermprop = napkin_vterm_property,
        .bell = napkin_vterm_bell,
        .sb_pushline = napkin_vterm_pushline,
    };
    VTerm *terminal = vterm_new(rows, columns);
    if (!terminal) return NULL;
    vterm_set_utf8(terminal, 1);
    vterm_output_set_callback(terminal, napkin_vterm_output, calls);
    VTermScreen *screen = vterm_obtain_screen(terminal);
    vterm_screen_set_callbacks(screen, &callbacks, calls);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCROLL);
    vterm_screen_reset(screen, 1);
    return terminal;
}

static inline void napkin_vterm_cursor(VTerm *terminal, int *row, int *column) {
    VTermPos position;
    vterm_state_get_cursorpos(vterm_obtain_state(terminal), &position);
    *row = position.row;
    *column = position.col;
}

#endif
