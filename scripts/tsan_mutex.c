// tsan_mutex.c: tells ThreadSanitizer what happens in the slow path of Swift's Mutex.
//
// The fast path is an atomic exchange in code that ThreadSanitizer has instrumented. The kernel locks
// and unlocks a contended Mutex (FUTEX_LOCK_PI), called from libswiftSynchronization, which is not
// instrumented: one holder's writes then look like a race with the next. scripts/tsan.sh preloads this
// library, whose functions replace the two that do so.
//
// Ownership  none: calls through to the functions that it replaces

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Swift's calling convention: the handle is passed as the context.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// From ThreadSanitizer's runtime; absent in a process that was built without it.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t, SELF void *);
typedef SWIFT void (*unlock_function)(SELF void *);

static void *original(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    ((lock_function)original(LOCK_SLOW))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((unlock_function)original(UNLOCK_SLOW))(handle);
}
