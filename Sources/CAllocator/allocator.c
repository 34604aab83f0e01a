// The program's malloc. A message of Kafka is allocated by a thread of librdkafka and freed by the task that folded it:
// glibc's malloc takes the lock of the allocating thread's arena for each of these, and the two threads wait for each
// other. tcmalloc hands over what was freed in batches.
//
// A product that holds this target has tcmalloc in place of glibc's malloc, since the linker finds it first. Nothing
// imports it: what tests and benchmarks count, and the thread sanitizer, need glibc's own.

#include "CAllocator.h"

#include <gperftools/tcmalloc.h>
#include <stddef.h>

// Names the library, so that a linker that leaves out what nobody asks for keeps it.
const char *allocator_version(void) { return tc_version(NULL, NULL, NULL); }
