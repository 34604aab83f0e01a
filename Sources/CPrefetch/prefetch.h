#ifndef CPREFETCH_PREFETCH_H
#define CPREFETCH_PREFETCH_H

/* Asks for the cache line of an address that will be read soon. Any address will do: none is ever followed. */
static inline void prefetch_line(const void *address) { __builtin_prefetch(address); }

#endif
