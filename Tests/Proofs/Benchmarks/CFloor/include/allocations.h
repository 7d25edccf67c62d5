/* allocations: how often this process has asked for memory.
 *
 * Layer      benchmark. Defines malloc, calloc and realloc in front of the C library's.
 * Isolation  any thread; a thread counts for itself.
 * Source     malloc(3); the C library's own names for the same functions begin with __libc_
 */
#ifndef NAPKIN_ALLOCATIONS_H
#define NAPKIN_ALLOCATIONS_H

#include <stdint.h>

/* Calls of malloc, calloc, realloc and posix_memalign by this thread so far. */
uint64_t napkin_allocations(void);

/* Bytes that they asked for, those freed since included. */
uint64_t napkin_allocated_bytes(void);

#endif
