/* SPDX-License-Identifier: Apache-2.0
 *
 * sorted: graft and shortcut in which every access of an edge to a label comes in the order of the
 * labels' places: the simulation of a PRAM by sorting (Chiang et al.) that D1 looks at. A round:
 *
 *   1. the edges are sorted by one end, and that end's labels are fetched, in ascending order;
 *   2. they are sorted by the other end, with what was fetched, and the other labels are fetched;
 *   3. edges of two labels become grafts, which are sorted by the label that is grafted and then
 *      written (`writes` = sorted), or are written as they come (direct: D1 speaks of two sorts);
 *   4. shortcut, as in graft.
 *
 * Neighbouring items then touch neighbouring words, which a GPU reads together. D1's analysis says
 * that this pays only where more than 2^(8/41 log n) words are read together, and it is here so
 * that this can be seen: docs/components.md.
 *
 * A pass of the sort is one launch, so that blocks have at most BLOCK edges.
 *
 * Cost: O((n + m log n) log n) work; on the device 32 bytes per edge of a block. */
#include "components/components_device_edges.h"

enum { BLOCK = 1 << 23, DIGIT = 8 };

enum { PARAMETER_WRITES, PARAMETER_OWN };

static const hop_parameter parameters[] = {
    [PARAMETER_WRITES] = {.name = "writes",
                          .summary = "whether grafts are sorted before they are written",
                          .type = HOP_PARAMETER_CHOICE,
                          .maximum = 1,
                          .choices = "sorted direct"},
    [PARAMETER_OWN + HOP__FORM_GROUP] = HOP__FORM_GROUP_ROW,
    [PARAMETER_OWN + HOP__FORM_CUT] = HOP__FORM_CUT_ROW,
};

/* By the low bits, one digit after the other, so that a cancel is seen between them. */
static hop_status sort(hop__device_edges *edges, hop__sortable *sortable) {
    hop__device_forest *forest = &edges->forest;
    unsigned bits = 1;
    hop_status status;
    while (bits < 32 && forest->n > (uint64_t)1 << bits)
        bits++;
    for (unsigned shift = 0; shift < bits; shift += DIGIT) {
        unsigned width = bits - shift < DIGIT ? bits - shift : DIGIT;
        HOP_TRY(status,
                hop__radix_sort(forest->device, &forest->sweeper.form, sortable, shift, width));
        if (sortable->count > BLOCK / 8)
            HOP_TRY(status, hop__device_finish(forest->device));
        if (!hop__progress_add(forest->context, 0))
            return hop__progress_end(forest->context);
    }
done:
    return status;
}

/* Steps 1 to 3. The edges end up in sortable->keys, in another order and turned round. */
static hop_status graft_sorted(hop__device_edges *edges) {
    hop__device_forest *forest = &edges->forest;
    hop__sortable *all = &edges->sortable;
    hop__sortable keys_only = *all;
    hop__argument labels = hop__arg_buffer(forest->labels);
    hop_status status;
    keys_only.values = keys_only.spare_values = NULL;
    HOP_TRY(status, sort(edges, &keys_only));
    all->keys = keys_only.keys;
    all->spare_keys = keys_only.spare_keys;
    hop__argument fetch[] = {hop__arg_buffer(all->keys), hop__arg_buffer(all->values), labels};
    HOP_TRY(status, hop__device_forest_sweep(forest, "fetch_labels", all->count, 24, fetch, 3));
    HOP_TRY(status, sort(edges, all));
    hop__argument make[] = {hop__arg_buffer(all->keys), hop__arg_buffer(all->values), labels,
                            hop__arg_buffer(edges->grafts), hop__arg_buffer(forest->sweeper.flags)};
    HOP_TRY(status, hop__device_forest_sweep(forest, "make_grafts", all->count, 24, make, 5));
    hop__sortable grafts = {
        .count = all->count, .keys = edges->grafts, .spare_keys = all->spare_keys};
    if (edges->sort_grafts) {
        HOP_TRY(status, sort(edges, &grafts));
        edges->grafts = grafts.keys;
        all->spare_keys = grafts.spare_keys;
    }
    hop__argument write[] = {hop__arg_buffer(edges->grafts), labels};
    HOP_TRY(status, hop__device_forest_sweep(forest, "write_grafts", all->count, 12, write, 2));
done:
    return status;
}

hop_status hop__device_sorted(hop__device_edges *edges) {
    hop__device_forest *forest = &edges->forest;
    uint32_t again = 1;
    hop_status status = HOP_OK;
    for (int i = 0; i < 4; i++)
        HOP_TRY(status, hop__workspace_take(forest->space, &edges->room[i], edges->count));
    edges->sortable = (hop__sortable){.count = edges->count,
                                      .keys = edges->block,
                                      .spare_keys = edges->room[0],
                                      .values = edges->room[1],
                                      .spare_values = edges->room[2]};
    edges->grafts = edges->room[3];
    while (again) {
        HOP_TRY(status, hop__sweep_clear(&forest->sweeper, HOP__FLAG_CHANGED));
        HOP_TRY(status, graft_sorted(edges));
        HOP_TRY(status, hop__device_forest_shortcut(forest));
        HOP_TRY(status, hop__sweep_read(&forest->sweeper, HOP__FLAG_CHANGED, &again, NULL));
        forest->report->rounds++;
        forest->report->relaxations += edges->count;
    }
done:
    for (int i = 0; i < 4; i++)
        hop__workspace_drop(forest->space, &edges->room[i]);
    return status;
}

static void sorted_blocks(const void *user, hop__workspace *space) {
    static const size_t sizes[] = {8, 4, 4, 8};
    const hop__components_task *task = user;
    const double *values = task->values + PARAMETER_OWN;
    hop__form form = hop__form_of(space->device, values);
    uint64_t least = hop__packed_edges_most(task->graph);
    least = least < HOP__BLOCK_GRAIN ? least : HOP__BLOCK_GRAIN;
    hop__device_edges_blocks(space, task, values, false);
    for (size_t i = 0; i < HOP_LENGTH(sizes); i++) {
        hop__block *block =
            hop__buffer_add(space, "components: room to sort in", least, sizes[i],
                            offsetof(hop__device_edges, room) + i * sizeof(hop__buffer *));
        block->later = block->elastic = true;
    }
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "components: counts of the sort",
                       hop__sort_scratch(space->device, &form))
        ->elastic = true;
}

static hop_status sorted_run(hop_context *context, const hop__components_task *task) {
    hop__device_edges_plan plan = {.join = hop__device_sorted,
                                   .blocks = sorted_blocks,
                                   .phase = "components: sorted",
                                   .form = task->values + PARAMETER_OWN,
                                   .sort_grafts = task->values[PARAMETER_WRITES] == 0,
                                   .block_most = BLOCK,
                                   .block_bytes = 24,
                                   .sorts = true};
    return hop__device_edges_run(context, task, &plan);
}

const hop__components_variant hop__components_device_sorted = {
    .row = {.about = {.name = "sorted",
                      .summary = "graft with every access in the order of a sort",
                      .source = "Cong 2014 (Chiang et al. 1995)",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .blocks = sorted_blocks,
            .sends = hop__device_edges_sends},
    .run = sorted_run,
};
