#include "allocations.h"

#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static __thread uint64_t allocations;
static __thread uint64_t allocated_bytes;

uint64_t napkin_allocations(void) { return allocations; }

uint64_t napkin_allocated_bytes(void) { return allocated_bytes; }

static inline void note(size_t bytes) {
    allocations++;
    allocated_bytes += bytes;
}

void *malloc(size_t bytes) {
    note(bytes);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    note(count * bytes);
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
    note(bytes);
    return __libc_realloc(memory, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    note(bytes);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment % sizeof(void *) != 0)
        return EINVAL;
    void *new = __libc_memalign(alignment, bytes);
    if (new == NULL) return ENOMEM;
    *memory = new;
    return 0;
}
