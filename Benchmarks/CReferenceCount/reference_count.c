#define _GNU_SOURCE
#include "CReferenceCount.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef void *(*retain_call)(void *);
typedef void (*release_call)(void *);

static _Atomic uint64_t count;
static retain_call true_retain;
static release_call true_release;

static void *counting_retain(void *object) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return true_retain(object);
}

static void counting_release(void *object) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    true_release(object);
}

// The hooks that the runtime keeps for instruments; it looks at them only where the switch is on.
static retain_call *retain_hook(void) { return (retain_call *)dlsym(RTLD_DEFAULT, "_swift_retain"); }
static release_call *release_hook(void) { return (release_call *)dlsym(RTLD_DEFAULT, "_swift_release"); }

static atomic_bool *hook_switch(void) {
    return (atomic_bool *)dlsym(
        RTLD_DEFAULT, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly");
}

int reference_count_begin(void) {
    if (!retain_hook() || !release_hook() || !hook_switch()) return 0;
    atomic_store(&count, 0);
    true_retain = *retain_hook();
    true_release = *release_hook();
    *retain_hook() = counting_retain;
    *release_hook() = counting_release;
    atomic_store(hook_switch(), true);
    return 1;
}

uint64_t reference_count_end(void) {
    if (!true_retain) return 0;
    atomic_store(hook_switch(), false);
    *retain_hook() = true_retain;
    *release_hook() = true_release;
    return atomic_load(&count);
}
