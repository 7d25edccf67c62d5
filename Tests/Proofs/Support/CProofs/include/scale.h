/* scale: how much of its heap a process uses, for probes that look from outside.
 *
 * Layer      test support.
 * Isolation  any thread; it is served by a thread of its own.
 * Source     mallinfo(3), futex(2), prctl(2), pidfd_open(2)
 */
#ifndef NAPKIN_SCALE_H
#define NAPKIN_SCALE_H

#include <stdint.h>

/* Serves by a file `PREFIX.PID`, which both map: whoever asks gets the bytes that malloc has given out and not got
 * back. What the kernel counts as resident has what was
 * freed in it; a leak of some kilobytes is lost in that. 0, or an errno. */
int napkin_scale_serve(const char *prefix);

/* Has this process told to end (SIGTERM) when its parent ends, however that happens: a probe that
 * is stopped leaves no daemon. 0, or an errno. */
int napkin_scale_end_with_parent(void);

/* Asks the process of that number, which serves at `PREFIX.PID`; -1 when it does not answer. */
int64_t napkin_scale_read(const char *prefix, int pid);

/* A descriptor that is readable when the process has ended as a whole; -1 and errno, which is ESRCH
 * if there is none. */
int napkin_process_end(int pid);

#endif
