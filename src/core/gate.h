/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier for members of a team whose steps are short: a search of thousands of levels meets at
 * one after each of them. The last member to arrive does what must be done alone, then opens the
 * gate for all, so a step costs one meeting and not two:
 *
 *     if (hop__gate_arrive(&gate)) {
 *         ... alone: decide what comes next ...
 *         hop__gate_open(&gate);
 *     }
 *
 * What a member did before it arrived is seen by all after the gate opens.
 *
 * Waiting members look for a short time whether it has opened, then sleep (patience.h). */
#ifndef HOPLITE_CORE_GATE_H
#define HOPLITE_CORE_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct hop__gate {
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint generation; /* how often it has opened */
    atomic_uint sleepers;
    unsigned members;
} hop__gate;

void hop__gate_init(hop__gate *gate, unsigned members);

/* True for the last member, at once; it must call hop__gate_open. False for the others, after
 * that. */
bool hop__gate_arrive(hop__gate *gate);
void hop__gate_open(hop__gate *gate);

#endif
