#define _GNU_SOURCE
#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { BUFFER_BYTES = 65536 };

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
