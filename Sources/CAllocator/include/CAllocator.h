#ifndef CALLOCATOR_H
#define CALLOCATOR_H

/// Version of the allocator that the program runs with, as "2.10".
const char *allocator_version(void);

#endif
