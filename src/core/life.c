/* SPDX-License-Identifier: Apache-2.0
 * Tokens of what exists; see life.h. */
#include "core/life.h"

#include <stdatomic.h>

#include "core/memory.h"

struct hop__life {
    atomic_uint holders;
    atomic_bool ended;
};

hop__life *hop__life_begin(void) {
    const hop_allocator *own = &hop__default_allocator;
    hop__life *life = own->allocate(own->user, sizeof *life, 64);
    if (life != NULL) {
        atomic_init(&life->holders, 1);
        atomic_init(&life->ended, false);
    }
    return life;
}

hop__life *hop__life_hold(hop__life *life) {
    atomic_fetch_add_explicit(&life->holders, 1, memory_order_relaxed);
    return life;
}

void hop__life_drop(hop__life *life) {
    const hop_allocator *own = &hop__default_allocator;
    if (life != NULL && atomic_fetch_sub_explicit(&life->holders, 1, memory_order_acq_rel) == 1)
        own->release(own->user, life, sizeof *life);
}

void hop__life_end(hop__life *life) {
    if (life != NULL)
        atomic_store_explicit(&life->ended, true, memory_order_release);
}

bool hop__life_ended(const hop__life *life) {
    return atomic_load_explicit(&life->ended, memory_order_acquire);
}
