/* SPDX-License-Identifier: Apache-2.0
 *
 * What sssp_semi_external.c does per DOMAIN (graph/numbers.h): the label of a distance is its bits,
 * which are ordered as distances are, since none is below 0. */
#include "graph/domain_begin.h"

#define SEMI(name) HOP__JOIN(DOMAIN, name)

static inline uint64_t SEMI(label)(SUM distance) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (sizeof distance == sizeof wide) {
        memcpy(&wide, &distance, sizeof distance);
        return wide;
    }
    memcpy(&narrow, &distance, sizeof distance < sizeof narrow ? sizeof distance : sizeof narrow);
    return narrow;
}

static inline SUM SEMI(distance)(uint64_t label) {
    SUM distance;
    uint32_t narrow = (uint32_t)label;
    if (sizeof distance == sizeof label)
        memcpy(&distance, &label, sizeof distance);
    else
        memcpy(&distance, &narrow, sizeof narrow);
    return distance;
}

static void SEMI(relax)(hop__settle *settle, hop__settle_lane *lane, hop_vertex u, uint64_t label,
                        const hop__arc_block *block, uint64_t begin, uint64_t end) {
    const semi_external *search = settle->user;
    const WEIGHT *weights = block->weights;
    const hop_vertex *targets = block->targets;
    const SUM own = SEMI(distance)(label), most = (SUM)HOP__FIELD(search, most, DOMAIN);
    uint64_t last = block->end - block->begin - 1;
    for (uint64_t i = begin - block->begin; i < end - block->begin; i++) {
        SUM sum = NUMBER(add)(own, weights, i);
        hop__semi_prefetch(settle, sizeof sum, targets[i + AHEAD < last ? i + AHEAD : last]);
        if (sum <= most)
            hop__settle_offer(settle, lane, sizeof sum == 8, u, label, targets[i],
                              SEMI(label)(sum));
    }
}

static uint64_t SEMI(farther)(uint64_t label, double width) {
    double far = (double)SEMI(distance)(label) + width;
    if (!(far < (NUMBER(is_real) ? (sizeof(SUM) == 4 ? (double)FLT_MAX : DBL_MAX) : 0x1p62)))
        return UINT64_MAX;
    uint64_t limit = SEMI(label)((SUM)far);
    return limit > label ? limit : label + 1;
}

/* For integers only: what a vertex offers along an arc tells nothing while it is above the target's
 * distance, which falls only. */
static uint64_t SEMI(guard)(const hop__settle *settle, hop_vertex u, const hop__arc_block *block,
                            uint64_t begin, uint64_t end) {
    const hop__light *light = settle->light;
    const WEIGHT *weights = block->weights;
    unsigned kept = 0;
    uint64_t guard = 0;
    for (uint64_t i = begin - block->begin; i < end - block->begin; i++) {
        if ((double)weights[i] <= light->most) {
            kept++;
            continue;
        }
        uint64_t label = hop__settle_label(settle, settle->wide, block->targets[i]);
        uint64_t weight = (uint64_t)weights[i];
        if (label > weight && label - weight > guard)
            guard = label - weight;
    }
    return kept == hop__light_count(light, u) ? guard : UINT64_MAX;
}

#undef SEMI
#include "graph/domain_end.h"
