/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers along parents, for the certifier: a vertex whose parents lead to one of layer 0 has the
 * number of steps there; one whose parents never do has none, and is reported.
 *
 * Threads take ranges of vertices. From each, parents are followed until a layer is known; then the
 * same way is walked again and the layers are written down. Others may write the same layers at the
 * same time: the values do not depend on who does. A walk of n steps has gone round a cycle; only
 * what could be an earlier one is then looked for.
 *
 * Cost: O(n) for one thread; two that walk the same long way both pay for it, so O(n) time in the
 * worst case and n / threads in all others. 4 bytes per vertex. */
#include "core/atomic.h"
#include "core/try.h"
#include "sssp/certify/sssp_certificate.h"

typedef struct layers_job {
    certificate *state;
    const certify_passes *passes;
} layers_job;

static inline uint32_t layer_get(const certificate *state, uint64_t v) {
    return __atomic_load_n(&state->layers[v], __ATOMIC_RELAXED);
}

enum { STEPS_BETWEEN_LOOKS = 1 << 16 };

/* Gives v and what it depends on their layers; false when there is a cycle, or it was cancelled. */
static bool find_layer(const layers_job *job, hop_vertex v) {
    const certificate *state = job->state;
    uint64_t steps = 0, n = state->graph->vertices;
    hop_vertex x = v;
    while (layer_get(state, x) == HOP_NO_VERTEX && !job->passes->is_base(state, x)) {
        x = state->parents[x];
        if (++steps > n ||
            (steps % STEPS_BETWEEN_LOOKS == 0 && !hop__progress_add(state->context, 0)))
            return false;
    }
    uint32_t layer = layer_get(state, x);
    layer = (uint32_t)steps + (layer == HOP_NO_VERTEX ? 0 : layer);
    for (x = v; layer_get(state, x) == HOP_NO_VERTEX; x = state->parents[x], layer--) {
        __atomic_store_n(&state->layers[x], layer, __ATOMIC_RELAXED);
        if (layer == 0)
            break;
    }
    return true;
}

static void layers_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    layers_job *job = arg;
    (void)thread;
    if (!hop__progress_add(job->state->context, 0) || begin > hop__load_u64(&job->state->wrong))
        return;
    for (uint64_t v = begin; v < end; v++) {
        bool reached = hop__sssp_distance(job->state->query, job->state->distances, v) < HUGE_VAL;
        if (reached && !find_layer(job, (hop_vertex)v)) {
            if (hop__progress_add(job->state->context, 0)) /* else it was cancelled on its way */
                note_wrong(job->state, v);
            return;
        }
    }
}

static void clear_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    (void)thread;
    memset(state->layers + begin, 0xff, (end - begin) * sizeof *state->layers);
}

uint64_t hop__certify_layers_memory(const hop__sssp_query *query) {
    return hop__block_bytes(query->graph->vertices, sizeof(uint32_t));
}

hop_status hop__certify_layers(certificate *state, const certify_passes *passes) {
    hop_status status;
    uint64_t n = state->graph->vertices;
    layers_job job = {state, passes};
    HOP_TRY(status, hop__alloc(state->context, "sssp: certificate: layers", n,
                               sizeof *state->layers, &state->layers));
    hop__for(state->context, n, CERTIFY_GRAIN, clear_range, state);
    state->wrong = UINT64_MAX;
    hop__for(state->context, n, CERTIFY_GRAIN, layers_range, &job);
    uint64_t wrong = hop__load_u64(&state->wrong);
    if (wrong != UINT64_MAX) {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "sssp: certificate: the parents of vertex %s lead round in a cycle, not to a "
                  "source",
                  hop__name(state->graph, wrong).s);
        status = hop__note_vertex(state->context, HOP_KIND_CERTIFICATE, wrong);
    }
done:
    return status;
}
