/* reach.c: loaded into napkind and the workers of a machine of reach.py, which writes the file
 * NAPKIN_REACH: their clock is off, and one of them stops at a certain call to the database.
 *
 * Only libpq uses send() and recv(): libuv writes and reads.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct order {
    _Atomic int64_t seconds;  /* added to the wall clock */
    _Atomic int32_t calls;    /* until a process stops, counted down */
    _Atomic int32_t stopped;  /* the process */
} none, *order = &none;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("NAPKIN_REACH");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(0, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) order = page;
    close(file);
}

static void count(void) {
    if (order->calls <= 0 || atomic_fetch_sub(&order->calls, 1) != 1) return;
    order->stopped = getpid();
    kill(getpid(), SIGSTOP);
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
    count();
    ssize_t sent = sendto(socket, bytes, size, flags, 0, 0);
    count();
    return sent;
}

ssize_t recv(int socket, void *bytes, size_t size, int flags) {
    ssize_t received = recvfrom(socket, bytes, size, flags, 0, 0);
    if (received >= 0) count();
    return received;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (!result && clock == CLOCK_REALTIME) now->tv_sec += order->seconds;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, now, zone);
    if (!result) now->tv_sec += order->seconds;
    return result;
}

time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}
