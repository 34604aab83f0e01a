// Counts what Swift's runtime is asked for by way of reference counts, while it is told to.
#ifndef PHASEFOLD_CREFERENCECOUNT_H
#define PHASEFOLD_CREFERENCECOUNT_H

#include <stdint.h>

/// Begins to count, on all threads; what it costs is paid until ``reference_count_end()``.
/// Returns 0 where this runtime offers no way.
int reference_count_begin(void);

/// Ends counting. Returns the retains and releases since the beginning.
uint64_t reference_count_end(void);

#endif
