// Counts what the calling thread asks the allocator for, so that a test can show that a path asks for nothing.
#ifndef PHASEFOLD_CALLOCATIONCOUNT_H
#define PHASEFOLD_CALLOCATIONCOUNT_H

#include <stdint.h>

/// Allocations of this thread since it began.
uint64_t allocation_count(void);

#endif
