#define _GNU_SOURCE
#include "scale.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Seconds for which a process may not answer: it may be stopped. */
enum { PATIENCE = 10 };

/* A file in memory that the process and who weighs it both map. A mapping outlives the descriptors
 * that a daemon closes when it starts; a socket does not. */
struct scale {
    _Atomic uint32_t asked;
    _Atomic uint32_t answered;
    int64_t bytes;
};

static void await(_Atomic uint32_t *word, uint32_t old, const struct timespec *patience) {
    syscall(SYS_futex, word, FUTEX_WAIT, old, patience, NULL, 0);
}

static void wake(_Atomic uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void *serve(void *shared) {
    struct scale *scale = shared;
    for (;;) {
        uint32_t asked = atomic_load(&scale->asked);
        if (asked == atomic_load(&scale->answered)) {
            await(&scale->asked, asked, NULL);
            continue;
        }
        struct mallinfo2 heap = mallinfo2();
        scale->bytes = (int64_t)(heap.uordblks + heap.hblkhd);
        atomic_store(&scale->answered, asked);
        wake(&scale->answered);
    }
    return NULL;
}

static struct scale *map(const char *prefix, int pid, int flags) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s.%d", prefix, pid);
    if (length < 0 || (size_t)length >= sizeof path) return NULL;
    /* That of a process which had this number before. */
    if (flags & O_CREAT) unlink(path);
    int file = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
    if (file < 0) return NULL;
    void *shared = MAP_FAILED;
    if (!(flags & O_CREAT) || ftruncate(file, sizeof(struct scale)) == 0)
        shared = mmap(NULL, sizeof(struct scale), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return shared == MAP_FAILED ? NULL : shared;
}

int napkin_scale_serve(const char *prefix) {
    struct scale *scale = map(prefix, getpid(), O_CREAT | O_EXCL);
    if (scale == NULL) return errno;
    pthread_t thread;
    return pthread_create(&thread, NULL, serve, scale);
}

int napkin_scale_end_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 ? 0 : errno;
}

int64_t napkin_scale_read(const char *prefix, int pid) {
    struct scale *scale = map(prefix, pid, 0);
    if (scale == NULL) return -1;
    uint32_t asked = atomic_fetch_add(&scale->asked, 1) + 1;
    wake(&scale->asked);
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PATIENCE;
    int64_t bytes = -1;
    for (;;) {
        uint32_t answered = atomic_load(&scale->answered);
        if (answered == asked) {
            bytes = scale->bytes;
            break;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec >= end.tv_sec) break;
        struct timespec patience = {.tv_sec = 1};
        await(&scale->answered, answered, &patience);
    }
    munmap(scale, sizeof *scale);
    return bytes;
}

int napkin_process_end(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
