/* floor: the fastest round trip that two processes can have here, and where processes run.
 *
 * Layer      benchmark. No napkin code on this path.
 * Isolation  any thread; blocks it.
 * Source     epoll(7), sched_setaffinity(2), prctl(2)
 * See        allocations.h, for what is counted, not timed
 */
#ifndef NAPKIN_FLOOR_H
#define NAPKIN_FLOOR_H

#include <stddef.h>

/* A socket and the epoll instance that watches it. */
struct napkin_floor {
    int socket;
    int poll;
};

/* Takes over a connected socket; 0, or an errno. */
int napkin_floor_open(struct napkin_floor *floor, int socket);

/* Writes `request` bytes and waits for `reply` bytes; 0 when the other side has gone. */
int napkin_floor_round_trip(struct napkin_floor *floor, size_t request, size_t reply);

/* Answers each `request` bytes with `reply` bytes until the socket ends. */
void napkin_floor_serve(struct napkin_floor *floor, size_t request, size_t reply);

void napkin_floor_close(struct napkin_floor *floor);

enum { NAPKIN_FANOUT_MAX = 1000 };

/* Nanoseconds for each of many sockets. */
struct napkin_fanout {
    /* The sender's processor time in `write`. */
    double write_ns;
    /* From the first write of a round until all sockets have been read, shared among them. */
    double delivery_ns;
};

/* Writes `bytes` bytes to each of `count` sockets, whose other ends a child process awaits with
 * epoll and reads, and waits until it has read them all; `rounds` times. 0, or an errno. */
int napkin_floor_fan_out(int count, size_t bytes, int rounds, struct napkin_fanout *fanout);

/* Has this process told to end (SIGTERM) when its parent ends, however that happens; 0, or an
 * errno. */
int napkin_end_with_parent(void);

/* Puts this process and its future children on one processor; 0, or an errno. */
int napkin_pin(int processor);

#endif
