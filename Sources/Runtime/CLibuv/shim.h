/* CLibuv: what NapkinTransport sees of libuv, and of timerfd, which Swift's Glibc module lacks.
 *
 * Nothing but the headers themselves, and calls that Swift cannot make: prctl(2), which takes any
 * number of arguments, and GNU extensions: prlimit(2), memfd_create(2), mallopt(3) and the registers
 * of a signal's context. libuv 1.44's functions and structures all come over into Swift as they are. The rules of libuv that this project leans on, each quoted where it binds:
 *
 *   - a handle's memory must stay until its close callback has run (uv_close);
 *   - a request's memory must stay until its own callback has run (uv_write, uv_shutdown), and
 *     all of them run, with UV_ECANCELED, before the close callback of their handle;
 *   - uv_async_send is the only function here that another thread may call, unless the loop's thread
 *     waits for that one.
 *
 * Sources: docs.libuv.org/en/v1.x: handle, request, async, design.
 */
#ifndef NAPKIN_CLIBUV_SHIM_H
#define NAPKIN_CLIBUV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <uv.h>

/* Takes from the calling thread, and from what it starts, the way to more privileges by execve(2).
 * Returns 0 or an error of libuv. Source: PR_SET_NO_NEW_PRIVS(2const) */
static inline int napkin_no_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

/* Has the kernel kill this process when the thread that started it ends. Returns 0 or an error of libuv.
 * Source: PR_SET_PDEATHSIG(2const) */
static inline int napkin_die_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 ? 0 : -errno;
}

/* Sets the soft and the hard limit of a process, but not above the hard one that it has, which only
 * root may raise. Returns 0 or an error of libuv. Source: prlimit(2) */
static inline int napkin_lower_limit(int pid, int resource, uint64_t value) {
    uint64_t limits[2];
    if (syscall(SYS_prlimit64, pid, resource, 0, limits) != 0) return -errno;
    if (value > limits[1]) value = limits[1];
    limits[0] = limits[1] = value;
    return syscall(SYS_prlimit64, pid, resource, limits, 0) == 0 ? 0 : -errno;
}

/* Messages of megabytes take and free blocks as large, whose pages the kernel would have to make
 * anew for each: from here on, up to so many free bytes are kept at the end of a heap, where all but
 * the largest blocks are. Source: mallopt(3) */
enum { NAPKIN_FREED_BYTES_MAX = 64 << 20, NAPKIN_HEAP_BLOCK_MAX = 32 << 20 };
static inline void napkin_keep_freed_memory(void) {
    mallopt(M_MMAP_THRESHOLD, NAPKIN_HEAP_BLOCK_MAX);
    mallopt(M_TRIM_THRESHOLD, NAPKIN_FREED_BYTES_MAX);
}

/* Gives back what is free at the end of the calling thread's heap. malloc_trim(3) would look through all of the heap
 * (35 ms for a million blocks); free(3) looks at its end, for a block of 64 KiB or more. */
static inline void napkin_return_freed_memory(void) {
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    /* Or the compiler would leave both calls out. */
    void *volatile block = malloc(128 << 10);
    free(block);
    mallopt(M_TRIM_THRESHOLD, NAPKIN_FREED_BYTES_MAX);
}

/* Returns a descriptor for so many bytes of memory, whose size nobody can change; or an error of libuv.
 * Source: memfd_create(2), fcntl(2) */
static inline int napkin_sealed_memory(const char *name, size_t size) {
    const int cloexec = 1, allow_sealing = 2;
    int file = (int)syscall(SYS_memfd_create, name, cloexec | allow_sealing);
    if (file < 0) return -errno;
    const int add_seals = 1033, seal = 1, shrink = 2, grow = 4;
    if (ftruncate(file, (off_t)size) != 0 || fcntl(file, add_seals, seal | shrink | grow) != 0) {
        int error = -errno;
        close(file);
        return error;
    }
    return file;
}

/* The instruction and the frame at which a signal has interrupted its thread. Source: sigaction(2) */
static inline void napkin_interrupted(const void *context, uint64_t *instruction, uint64_t *frame) {
#if defined(__x86_64__)
    const unsigned long *registers = (const unsigned long *)((const ucontext_t *)context)->uc_mcontext.gregs;
    *instruction = registers[16]; /* REG_RIP */
    *frame = registers[10];       /* REG_RBP */
#elif defined(__aarch64__)
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    *instruction = machine->pc;
    *frame = machine->regs[29];
#else
    *instruction = *frame = 0;
#endif
}

/* Reads a frame's caller and return address, wherever it points. Returns whether both could be read;
 * calls nothing but the kernel. Source: process_vm_readv(2) */
static inline int napkin_frame(uint64_t frame, uint64_t *caller, uint64_t *address) {
    uint64_t words[2];
    struct iovec here = {words, sizeof words}, there = {(void *)(uintptr_t)frame, sizeof words};
    if (syscall(SYS_process_vm_readv, getpid(), &here, 1L, &there, 1L, 0L) != sizeof words) return 0;
    *caller = words[0];
    *address = words[1];
    return 1;
}

/* The number behind a word of a text, in KiB, as bytes; 0 if it is not there. */
static inline uint64_t napkin_kibibytes(const char *text, const char *word) {
    const char *place = strstr(text, word);
    uint64_t number = 0;
    if (!place) return 0;
    for (place += strlen(word); *place == ' ' || *place == '\t'; place++) {}
    for (; *place >= '0' && *place <= '9'; place++) number = number * 10 + (uint64_t)(*place - '0');
    return number * 1024;
}

/* The resident memory of this process in bytes, now and at most, each 0 if it is not known; for a
 * signal's handler: allocates nothing. Source: proc_pid_status(5) */
static inline void napkin_resident(uint64_t *now, uint64_t *peak) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    text[count < 0 ? 0 : count] = 0;
    *peak = napkin_kibibytes(text, "\nVmHWM:");
    *now = napkin_kibibytes(text, "\nVmRSS:");
}

/* Whether this is the first call in this process, by any thread; for a signal's handler. */
static inline int napkin_first_death(void) {
    static int taken;
    return !__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST);
}

#endif
