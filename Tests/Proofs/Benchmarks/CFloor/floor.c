#define _GNU_SOURCE
#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 65536, EVENTS_MAX = 1024 };

static char buffer[BUFFER_BYTES];

int napkin_floor_open(struct napkin_floor *floor, int socket) {
    struct epoll_event event = {.events = EPOLLIN};
    floor->socket = socket;
    floor->poll = epoll_create1(EPOLL_CLOEXEC);
    if (floor->poll < 0) return errno;
    if (fcntl(socket, F_SETFL, O_NONBLOCK) != 0) return errno;
    return epoll_ctl(floor->poll, EPOLL_CTL_ADD, socket, &event) == 0 ? 0 : errno;
}

/* As an event loop does it: wait, read once, and wait again for what is missing. */
static int receive_all(struct napkin_floor *floor, size_t wanted) {
    struct epoll_event event;
    size_t got = 0;
    while (got < wanted) {
        if (epoll_wait(floor->poll, &event, 1, -1) != 1) return 0;
        ssize_t count = read(floor->socket, buffer, BUFFER_BYTES);
        if (count <= 0) return 0;
        got += (size_t)count;
    }
    return 1;
}

int napkin_floor_round_trip(struct napkin_floor *floor, size_t request, size_t reply) {
    if (write(floor->socket, buffer, request) != (ssize_t)request) return 0;
    return receive_all(floor, reply);
}

void napkin_floor_serve(struct napkin_floor *floor, size_t request, size_t reply) {
    while (receive_all(floor, request)) {
        if (write(floor->socket, buffer, reply) != (ssize_t)reply) return;
    }
}

void napkin_floor_close(struct napkin_floor *floor) {
    close(floor->socket);
    close(floor->poll);
}

/* The receivers' part: reads all of each round, and says so with one byte. */
static int receive_rounds(int control, const int *sockets, int count, size_t bytes) {
    static struct epoll_event events[EVENTS_MAX];
    size_t wanted = bytes * (size_t)count, got = 0;
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int index = 0; index <= count; index++) {
        int socket = index < count ? sockets[index] : control;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) != 0) return errno;
    }
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
        for (int index = 0; index < ready; index++) {
            ssize_t size = read(events[index].data.fd, buffer, BUFFER_BYTES);
            if (size <= 0) return 0;
            got += (size_t)size;
        }
        if (got < wanted) continue;
        got = 0;
        if (write(control, buffer, 1) != 1) return errno;
    }
}

static double nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The sender's part. */
static int send_rounds(int control, const int *sockets, int count, size_t bytes, int rounds,
                       struct napkin_fanout *fanout) {
    double used = 0, start = nanoseconds(CLOCK_MONOTONIC);
    for (int round = 0; round < rounds; round++) {
        double before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        for (int index = 0; index < count; index++)
            if (write(sockets[index], buffer, bytes) != (ssize_t)bytes) return errno ? errno : EIO;
        used += nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before;
        if (read(control, buffer, 1) != 1) return EPIPE;
    }
    double deliveries = (double)count * rounds;
    fanout->write_ns = used / deliveries;
    fanout->delivery_ns = (nanoseconds(CLOCK_MONOTONIC) - start) / deliveries;
    return 0;
}

int napkin_floor_fan_out(int count, size_t bytes, int rounds, struct napkin_fanout *fanout) {
    if (count < 1 || count > NAPKIN_FANOUT_MAX || bytes < 1 || bytes > BUFFER_BYTES || rounds < 1)
        return EINVAL;
    /* The last pair is for control. */
    int ends[2][NAPKIN_FANOUT_MAX + 1], made = 0, error = 0;
    for (; made <= count && error == 0; made++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
            error = errno;
            break;
        }
        ends[0][made] = pair[0];
        ends[1][made] = pair[1];
    }
    pid_t child = error == 0 ? fork() : -1;
    /* It has all descriptors of this process, which waits for it. */
    if (child == 0) {
        for (int index = 0; index < made; index++) close(ends[0][index]);
        _exit(receive_rounds(ends[1][count], ends[1], count, bytes));
    }
    if (child < 0 && error == 0) error = errno;
    for (int index = 0; index < made; index++) close(ends[1][index]);
    if (error == 0) error = send_rounds(ends[0][count], ends[0], count, bytes, rounds, fanout);
    for (int index = 0; index < made; index++) close(ends[0][index]);
    if (child > 0) waitpid(child, NULL, 0);
    return error;
}

int napkin_end_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 ? 0 : errno;
}

int napkin_pin(int processor) {
    cpu_set_t set;
    if (processor < 0 || processor >= CPU_SETSIZE) return EINVAL;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}
