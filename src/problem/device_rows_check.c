/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches of rows_check_program.cl. One pass over the vertices, one over the arcs, and one wait;
 * 56 bytes for each group. */
#include "problem/device_rows_check.h"

#include "core/real_bits.h"
#include "core/try.h"
#include "graph/graph_facts.h"
#include "graph/numbers.h"
#include "kernels/launching.h"
#include "kernels/sweep.h"
#include "problem/workspace.h"

extern const hop__program_source hop__program_rows_check;

/* As in rows_check_program.cl. */
enum { LOOPS, ISOLATED, BALANCE, MOST, LEAST, LOW, HIGH, FINDINGS };

typedef struct rows_check {
    const hop__device_rows *rows;
    hop__sweeper sweeper;
    uint32_t groups;
    hop__buffer *records, *faults, *all;
} rows_check;

static void rows_check_blocks(const void *given, hop__workspace *space) {
    const rows_check *check = given;
    hop__buffer_add(space, "graph: findings of groups", check->groups * (uint64_t)FINDINGS, 8,
                    offsetof(rows_check, records));
    hop__buffer_add(space, "graph: faults", 1, 4, offsetof(rows_check, faults));
    hop__buffer_add(space, "graph: findings", FINDINGS + 1, 8, offsetof(rows_check, all));
}

/* The number that WEIGHTS of the program stands for the type with. */
static unsigned weights_number(hop_weight_type type) {
    return type == HOP_TYPE_NONE      ? 0
           : type == HOP_TYPE_INT32   ? 1
           : type == HOP_TYPE_INT64   ? 2
           : type == HOP_TYPE_FLOAT32 ? 3
                                      : 4;
}

static hop_status begin(hop__device *device, const hop__form *form, rows_check *check) {
    hop_status status;
    const hop__device_rows *rows = check->rows;
    const hop__define defines[] = {{"WIDE_OFFSETS", rows->offset_bytes == 8},
                                   {"WEIGHTS", weights_number(rows->weight_type)},
                                   {"UNDIRECTED", !rows->directed}};
    HOP_TRY(status, hop__sweeper_begin(device, form, NULL, &check->sweeper));
    HOP_TRY(status, hop__form_program(device, form, &hop__program_rows_check, defines,
                                      HOP_LENGTH(defines), &check->sweeper.program));
    /* No launch has more. */
    check->groups = (uint32_t)hop__form_shape(device, form, UINT32_MAX).groups[0];
done:
    return status;
}

static hop_status launch(rows_check *check) {
    hop_status status;
    const hop__device_rows *rows = check->rows;
    hop__argument of_rows[] = {hop__arg_buffer(rows->offsets), hop__arg_u64(rows->arcs),
                               hop__arg_buffer(check->faults), hop__arg_buffer(check->records)};
    hop__argument of_arcs[] = {hop__arg_buffer(rows->offsets),
                               hop__arg_buffer(rows->targets),
                               hop__arg_buffer(rows->weights ? rows->weights : rows->targets),
                               hop__arg_u64(rows->vertices),
                               hop__arg_buffer(check->faults),
                               hop__arg_buffer(check->records)};
    hop__argument of_all[] = {hop__arg_buffer(check->records), hop__arg_u32(check->groups),
                              hop__arg_buffer(check->faults), hop__arg_buffer(check->all)};
    HOP_TRY(status, hop__buffer_fill(check->faults, 0, 4, 0));
    HOP_TRY(status, hop__buffer_fill(check->records, 0, check->groups * (uint64_t)FINDINGS * 8, 0));
    HOP_TRY(status, hop__sweep_over(&check->sweeper, "rows_check", rows->vertices,
                                    rows->offset_bytes, of_rows, HOP_LENGTH(of_rows)));
    HOP_TRY(status,
            hop__sweep_over(&check->sweeper, "arcs_check", rows->arcs,
                            4 + hop_type_size(rows->weight_type), of_arcs, HOP_LENGTH(of_arcs)));
    status = hop__launch_named(
        check->sweeper.program, "rows_found",
        hop__shape_of(1, hop__form_group(check->sweeper.device, &check->sweeper.form)), of_all,
        HOP_LENGTH(of_all));
done:
    return status;
}

/* The weight whose place in the order of its type this is: weight_order of the program. */
static void take_weights(hop_weight_type type, uint64_t low, uint64_t high, hop__facts *facts) {
    const uint64_t orders[] = {low, high};
    double values[2];
    int64_t integers[2] = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < 2; i++) {
        bool narrow = hop_type_size(type) == 4;
        uint64_t sign = UINT64_C(1) << (narrow ? 31 : 63), order = orders[i];
        if (hop__is_integer_type(type)) {
            integers[i] = narrow ? (int64_t)order - (int64_t)sign : (int64_t)(order ^ sign);
            values[i] = (double)integers[i];
            continue;
        }
        uint64_t bits = order & sign ? order ^ sign : ~order;
        values[i] = narrow ? (double)hop__float_from((uint32_t)bits) : hop__double_from(bits);
    }
    facts->min_weight = values[0];
    facts->max_weight = values[1];
    facts->min_weight_int = integers[0];
    facts->max_weight_int = integers[1];
}

static void take_facts(const hop__device_rows *rows, const uint64_t *found, hop__facts *facts) {
    hop__facts_begin(rows->vertices, facts);
    facts->loops = found[LOOPS];
    facts->isolated = (hop_vertex)found[ISOLATED];
    facts->min_degree = ~found[LEAST];
    facts->max_degree = found[MOST] >> 32;
    facts->max_degree_vertex = ~(hop_vertex)found[MOST];
    if (rows->weight_type != HOP_TYPE_NONE)
        take_weights(rows->weight_type, ~found[LOW], found[HIGH], facts);
    else
        facts->min_weight = facts->max_weight =
            (double)(facts->min_weight_int = facts->max_weight_int = 0);
}

hop_status hop__device_rows_check(hop__device *device, const hop__form *form,
                                  const hop__device_rows *rows, hop__facts *facts, bool *sound) {
    hop_status status;
    hop__workspace space = {0};
    rows_check check = {.rows = rows};
    uint64_t found[FINDINGS + 1];
    *sound = false;
    HOP_TRY(status, begin(device, form, &check));
    HOP_TRY(status, hop__workspace_open(hop__device_context(device), device, rows_check_blocks,
                                        &check, &check, &space));
    HOP_TRY(status, launch(&check));
    HOP_TRY(status, hop__buffer_read_now(check.all, 0, sizeof found, found));
    *sound = found[FINDINGS] == 0 && found[BALANCE] == 0;
    if (*sound)
        take_facts(rows, found, facts);
done:
    hop__workspace_close(&space, status);
    hop__sweeper_end(&check.sweeper);
    return status;
}
