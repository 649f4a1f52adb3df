/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate. Nobody sleeps for ever: a member counts itself as a sleeper before it goes to sleep on
 * the generation that it has seen, and the opener raises the generation before it looks for
 * sleepers; both are sequentially consistent, so one of them sees the other. */
#include "core/gate.h"

#include "core/patience.h"
#include "core/traffic.h"
#include "core/wait.h"

void hop__gate_init(hop__gate *gate, unsigned members) {
    atomic_init(&gate->arrived, 0);
    atomic_init(&gate->generation, 0);
    atomic_init(&gate->sleepers, 0);
    gate->members = members;
}

bool hop__gate_arrive(hop__gate *gate) {
    unsigned seen = atomic_load_explicit(&gate->generation, memory_order_relaxed);
    HOP__POINT();
    if (atomic_fetch_add_explicit(&gate->arrived, 1, memory_order_acq_rel) + 1 == gate->members) {
        atomic_store_explicit(&gate->arrived, 0, memory_order_relaxed);
        hop__traffic_alone_begin();
        return true;
    }
    if (hop__look_for_change(&gate->generation, seen, hop__patience()))
        return false;
    atomic_fetch_add(&gate->sleepers, 1);
    HOP__POINT();
    while (atomic_load(&gate->generation) == seen)
        hop__sleep_learning(&gate->generation, seen);
    atomic_fetch_sub(&gate->sleepers, 1);
    return false;
}

void hop__gate_open(hop__gate *gate) {
    hop__traffic_alone_end();
    atomic_fetch_add(&gate->generation, 1);
    HOP__POINT();
    if (atomic_load(&gate->sleepers) != 0)
        hop__rouse(&gate->generation);
}
