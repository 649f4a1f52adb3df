/* SPDX-License-Identifier: Apache-2.0
 * Failures as data: every kind, provoked as a user would, with the fields that belong to it. */
#include "core/core_testing.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>

#include "core/memory.h"
#include "device/backend.h"
#include "hoplite/hoplite.h"
#include "problem/device_variant_testing.h"
#include "span_testing.h"

/* Fields of a detail. */
enum {
    FILE_NAMED = 1 << 0,
    LINE = 1 << 1,
    OFFSET = 1 << 2,
    VERTEX = 1 << 3,
    ARC = 1 << 4,
    NEEDED = 1 << 5,
    AVAILABLE = 1 << 6,
    ENOUGH = 1 << 7,
    NAME = 1 << 8,
    FOUND = 1 << 9,
    REASON = 1 << 10,
    SYSTEM = 1 << 11
};

static hop_error_detail detail_of(const hop_context *context) {
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    assert_true(hop_context_detail(context, &detail));
    return detail;
}

static unsigned fields_of(const hop_error_detail *detail) {
    const uint64_t numbers[] = {detail->line,   detail->offset,    detail->vertex, detail->arc,
                                detail->needed, detail->available, detail->enough};
    const char *texts[] = {detail->name, detail->found, detail->reason};
    int fields = (detail->file ? FILE_NAMED : 0) | (detail->system_error ? SYSTEM : 0);
    for (unsigned i = 0; i < 7; i++)
        fields |= numbers[i] != HOP_UNKNOWN ? LINE << i : 0;
    for (unsigned i = 0; i < 3; i++)
        fields |= texts[i] != NULL ? NAME << i : 0;
    return (unsigned)fields;
}

/* ---- what goes wrong --------------------------------------------------------------------------
 * 0 -> 1 -> 2 -> 3 -> 1, directed. */

static hop_status build(hop_context *context, hop_edges edges, hop_vertex vertices,
                        hop_graph **graph) {
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    edges.size = sizeof edges;
    edges.id_bytes = 4;
    options.directed = true;
    options.vertices = vertices;
    return hop_graph_from_edges(context, &edges, &options, graph);
}

static hop_graph *make_ring(hop_context *context, hop_weight_type type, const void *weights) {
    static const uint32_t from[] = {0, 1, 2, 3}, to[] = {1, 2, 3, 1};
    hop_edges edges = {.count = 4, .from = from, .to = to, .weights = weights, .weight_type = type};
    hop_graph *graph = NULL;
    assert_int_equal(build(context, edges, 0, &graph), HOP_OK);
    return graph;
}

static hop_status search(hop_context *context, const char *variant, hop_vertex source) {
    hop_graph *graph = make_ring(context, HOP_TYPE_NONE, NULL);
    hop_vertex levels[4];
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = variant;
    options.run = &run;
    hop_status status = hop_bfs(context, graph, &source, 1, &options, levels, NULL);
    hop_graph_release(graph);
    return status;
}

static hop_status paths(hop_context *context, hop_weight_type type, const void *weights,
                        const char *variant) {
    hop_graph *graph = make_ring(context, type, weights);
    hop_vertex source = 0;
    int64_t distances[4];
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    run.variant = variant;
    options.run = &run;
    hop_status status =
        hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), NULL);
    hop_graph_release(graph);
    return status;
}

static hop_status read_text(hop_context *context, const char *text, const char *format,
                            uint64_t max_edges) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.format = format;
    options.max_edges = max_edges;
    hop_status status =
        hop_graph_read_memory(context, "town", text, strlen(text), &options, &graph);
    hop_graph_release(graph);
    return status;
}

static hop_status out_of_budget(hop_context *context) {
    void *block;
    return hop_block_create(context, "rows", UINT64_C(1) << 40, 1, &block);
}

static hop_status out_of_plan(hop_context *context) {
    return hop__reserve_check(context, "rows", UINT64_C(1) << 40);
}

static hop_status out_of_disk(hop_context *context) {
    const char *path = "/tmp/none";
    uint64_t bytes = UINT64_MAX / 2;
    return hop_disk_check(context, &path, &bytes, 1, NULL);
}

static hop_status null_graph(hop_context *context) {
    hop_vertex source = 0, levels[1];
    return hop_bfs(context, NULL, &source, 1, NULL, levels, NULL);
}

static hop_status wrong_variant(hop_context *context) {
    return search(context, "sequentiall", 0);
}

static hop_status generate(hop_context *context, const char *family, const char *parameter,
                           double value) {
    hop_setting setting = {parameter, value, NULL};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = &setting;
    options.setting_count = 1;
    return hop_graph_generate(context, family, &options, &graph);
}

static hop_status wrong_setting(hop_context *context) {
    return generate(context, "rmat", "scale", 99);
}

static hop_status wrong_source(hop_context *context) {
    return search(context, NULL, 9);
}

static hop_status wrong_edge(hop_context *context) {
    static const uint32_t from[] = {0, 7}, to[] = {1, 1};
    hop_graph *graph = NULL;
    return build(context, (hop_edges){.count = 2, .from = from, .to = to}, 2, &graph);
}

static hop_status wrong_line(hop_context *context) {
    return read_text(context, "0 1\n0 99999999999999999999\n", "edge-list", 0);
}

static hop_status wrong_byte(hop_context *context) {
    return read_text(context, "PK no archive at all", "npz", 0);
}

static hop_status wrong_id(hop_context *context) {
    return read_text(context, "0 1\n2 target\n", "edge-list", 0);
}

static hop_status wrong_id_of_table(hop_context *context) {
    return read_text(context, "0;1\n2;target\n", "edge-list", 0);
}

static hop_status wrong_word(hop_context *context) {
    return read_text(context, "0 1 5\n2 0 heavy\n", "edge-list", 0);
}

static hop_status wrong_word_of_table(hop_context *context) {
    return read_text(context, "0;1;5\n2;0;heavy\n", "edge-list", 0);
}

static hop_status wrong_columns(hop_context *context) {
    return read_text(context, "0 1\n7\n", "edge-list", 0);
}

static hop_status over_limit(hop_context *context) {
    return read_text(context, "p sp 2 3\na 1 2 1\na 1 2 2\na 2 1 3\n", "dimacs", 2);
}

static hop_status foreign_format(hop_context *context) {
    return read_text(context, "<?xml version=\"1.0\"?>\n<graphml>\n", NULL, 0);
}

static hop_status wrong_format(hop_context *context) {
    return read_text(context, "\1\2\3", NULL, 0);
}

static hop_status no_file(hop_context *context) {
    hop_graph *graph = NULL;
    return hop_graph_read(context, "/nowhere/town.npz", NULL, &graph);
}

static hop_status no_place_for_weights(hop_context *context) {
    static const float weights[] = {1, 2, 3, 4};
    hop_graph *graph = make_ring(context, HOP_TYPE_FLOAT32, weights);
    hop_status status = hop_graph_write(context, graph, "/tmp/never-written.gr", NULL);
    hop_graph_release(graph);
    return status;
}

static hop_status refusing_variant(hop_context *context) {
    static const int32_t weights[] = {1, -2, 3, 4};
    return paths(context, HOP_TYPE_INT32, weights, "dijkstra");
}

static hop_status large_distance(hop_context *context) {
    static const float weights[] = {-1, FLT_MAX, FLT_MAX, FLT_MAX};
    return paths(context, HOP_TYPE_FLOAT32, weights, NULL);
}

static hop_status negative_cycle(hop_context *context) {
    static const int32_t weights[] = {1, 1, 1, -3};
    return paths(context, HOP_TYPE_INT32, weights, NULL);
}

static hop_status wrong_level(hop_context *context) {
    hop_graph *graph = make_ring(context, HOP_TYPE_NONE, NULL);
    hop_vertex source = 0, levels[] = {0, 1, 3, 3};
    hop_status status = hop_bfs_certify(context, graph, &source, 1, NULL, levels, NULL);
    hop_graph_release(graph);
    return status;
}

static hop_status wrong_distance(hop_context *context) {
    static const float weights[] = {1, 1, 1, 1}, distances[] = {0, 1, 2, 3.25f};
    hop_graph *graph = make_ring(context, HOP_TYPE_FLOAT32, weights);
    hop_vertex source = 0;
    hop_status status =
        hop_sssp_certify(context, graph, &source, 1, NULL, GIVEN(graph, distances), NULL);
    hop_graph_release(graph);
    return status;
}

static hop_status no_device(hop_context *context) {
    return search(context, "frontier", 0);
}

static hop_status stopped(hop_context *context) {
    return generate(context, "rmat", "scale", 20);
}

static hop_status unknown_device(hop_context *context) {
    return hop_device_open(context, NULL);
}

static hop_status out_of_device(hop_context *context) {
    return hop__device_check_need(device_in(context), "rows", UINT64_C(1) << 60, 1);
}

static hop_status lost_device(hop_context *context) {
    hop__device *device = device_in(context);
    device->info.lost = true;
    return search(context, "frontier", 0);
}

static const struct {
    hop_status (*provoke)(hop_context *context);
    hop_status status;
    hop_error_kind kind;
    hop_remedy remedy;
    unsigned fields;
} rows[] = {
    {out_of_budget, HOP_ERR_BUDGET, HOP_KIND_BUDGET, HOP_REMEDY_RAISE_MEMORY, NEEDED | AVAILABLE},
    {out_of_plan, HOP_ERR_BUDGET, HOP_KIND_BUDGET, HOP_REMEDY_RAISE_MEMORY,
     NEEDED | AVAILABLE | ENOUGH},
    {out_of_disk, HOP_ERR_IO, HOP_KIND_DISK, HOP_REMEDY_OTHER_FILE,
     FILE_NAMED | NEEDED | AVAILABLE},
    {null_graph, HOP_ERR_ARGUMENT, HOP_KIND_ARGUMENT, HOP_REMEDY_NONE, 0},
    {wrong_setting, HOP_ERR_ARGUMENT, HOP_KIND_ARGUMENT, HOP_REMEDY_NONE, NAME},
    {wrong_variant, HOP_ERR_ARGUMENT, HOP_KIND_NAME, HOP_REMEDY_OTHER_NAME, NAME | FOUND},
    {wrong_source, HOP_ERR_ARGUMENT, HOP_KIND_VERTEX, HOP_REMEDY_NONE, VERTEX | AVAILABLE},
    {wrong_edge, HOP_ERR_INPUT, HOP_KIND_DATA, HOP_REMEDY_NONE, ARC},
    {wrong_line, HOP_ERR_INPUT, HOP_KIND_SYNTAX, HOP_REMEDY_NONE, FILE_NAMED | LINE},
    {wrong_byte, HOP_ERR_INPUT, HOP_KIND_SYNTAX, HOP_REMEDY_NONE, FILE_NAMED | OFFSET},
    {wrong_id, HOP_ERR_INPUT, HOP_KIND_ID, HOP_REMEDY_NONE, FILE_NAMED | LINE | FOUND},
    {wrong_id_of_table, HOP_ERR_INPUT, HOP_KIND_ID, HOP_REMEDY_NONE, FILE_NAMED | LINE | FOUND},
    {wrong_word, HOP_ERR_INPUT, HOP_KIND_WORD, HOP_REMEDY_NONE, FILE_NAMED | LINE | FOUND},
    {wrong_word_of_table, HOP_ERR_INPUT, HOP_KIND_WORD, HOP_REMEDY_NONE, FILE_NAMED | LINE | FOUND},
    {wrong_columns, HOP_ERR_INPUT, HOP_KIND_FIELDS, HOP_REMEDY_NONE, FILE_NAMED | LINE | AVAILABLE},
    {over_limit, HOP_ERR_INPUT, HOP_KIND_LIMIT, HOP_REMEDY_RAISE_LIMIT,
     FILE_NAMED | NEEDED | AVAILABLE | ENOUGH | NAME},
    {wrong_format, HOP_ERR_INPUT, HOP_KIND_FORMAT, HOP_REMEDY_NAME_FORMAT, FILE_NAMED | FOUND},
    {foreign_format, HOP_ERR_INPUT, HOP_KIND_FORMAT, HOP_REMEDY_CONVERT, FILE_NAMED | NAME},
    {no_file, HOP_ERR_IO, HOP_KIND_SYSTEM, HOP_REMEDY_NONE, FILE_NAMED | SYSTEM},
    {no_place_for_weights, HOP_ERR_UNSUPPORTED, HOP_KIND_UNSUPPORTED, HOP_REMEDY_DROP_WEIGHTS,
     FILE_NAMED},
    {refusing_variant, HOP_ERR_UNSUPPORTED, HOP_KIND_VARIANT, HOP_REMEDY_OTHER_VARIANT,
     NAME | REASON},
    {large_distance, HOP_ERR_UNSUPPORTED, HOP_KIND_OVERFLOW, HOP_REMEDY_SCALE_WEIGHTS, VERTEX},
    {negative_cycle, HOP_ERR_NEGATIVE_CYCLE, HOP_KIND_NEGATIVE_CYCLE, HOP_REMEDY_NONE, VERTEX},
    {wrong_level, HOP_ERR_CERTIFICATE, HOP_KIND_CERTIFICATE, HOP_REMEDY_NONE, VERTEX | ARC},
    {wrong_distance, HOP_ERR_CERTIFICATE, HOP_KIND_DISTANCE, HOP_REMEDY_ALLOW_TOLERANCE,
     VERTEX | ARC},
    {no_device, HOP_ERR_DEVICE, HOP_KIND_NO_DEVICE, HOP_REMEDY_CHOOSE_DEVICE, NAME},
    /* With a context of its own: see context_for. */
    {stopped, HOP_ERR_CANCELLED, HOP_KIND_CANCELLED, HOP_REMEDY_NONE, 0},
    {out_of_budget, HOP_ERR_MEMORY, HOP_KIND_MEMORY, HOP_REMEDY_FREE_MEMORY, NEEDED},
    {unknown_device, HOP_ERR_DEVICE, HOP_KIND_UNKNOWN_DEVICE, HOP_REMEDY_OTHER_DEVICE, FOUND},
    {out_of_device, HOP_ERR_BUDGET, HOP_KIND_DEVICE_MEMORY, HOP_REMEDY_RAISE_DEVICE_MEMORY,
     NEEDED | AVAILABLE | NAME},
    {lost_device, HOP_ERR_DEVICE, HOP_KIND_DEVICE, HOP_REMEDY_USE_HOST, NAME},
};

/* ---- the table --------------------------------------------------------------------------------
 */

static bool stop(void *user, const hop_progress *progress) {
    (void)user;
    (void)progress;
    return false;
}

/* NULL: no device here, or one whose driver is not instrumented. */
static hop_context *context_for(hop_error_kind kind, test_heap *heap) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    bool device = kind == HOP_KIND_DEVICE_MEMORY || kind == HOP_KIND_DEVICE;
    if (SANITIZED_THREAD && (device || kind == HOP_KIND_UNKNOWN_DEVICE))
        return NULL;
    options.threads = 2;
    options.memory_budget = kind == HOP_KIND_MEMORY ? UINT64_MAX : UINT64_C(1) << 30;
    options.progress = kind == HOP_KIND_CANCELLED ? stop : NULL;
    if (kind == HOP_KIND_MEMORY)
        options.allocator = (hop_allocator){heap_allocate, NULL, heap_release, heap};
    if (kind == HOP_KIND_UNKNOWN_DEVICE)
        options.device = "abacus:0";
    if (kind == HOP_KIND_DEVICE_MEMORY)
        options.device_memory = 1 << 20; /* less than it has, so that it can be raised */
    if (device)
        return device_context_at(0, options);
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    heap->fail_from = 1; /* from here on */
    heap->fail_to = UINT32_MAX;
    return context;
}

static void assert_row(size_t i, const hop_context *context, hop_status status) {
    hop_error_detail detail = detail_of(context);
    const char *message = hop_context_message(context);
    const char *kind = hop_error_kind_name(rows[i].kind);
    if (status != rows[i].status || detail.status != status || detail.kind != rows[i].kind ||
        detail.remedy != rows[i].remedy)
        fail_msg("%s: %s, %s, %s: %s", kind, hop_status_name(status),
                 hop_error_kind_name(detail.kind), hop_remedy_name(detail.remedy), message);
    if (fields_of(&detail) != rows[i].fields)
        fail_msg("%s: fields %#x instead of %#x: %s", kind, fields_of(&detail), rows[i].fields,
                 message);
    /* What happened comes first, what would help after it. */
    assert_in_range(detail.fault_bytes, 1, strlen(message));
    if (detail.remedy == HOP_REMEDY_NONE)
        assert_int_equal(detail.fault_bytes, strlen(message));
    else
        assert_memory_equal(message + detail.fault_bytes, "; ", 2);
    assert_null(strstr(message, "--")); /* no flags of a command */
}

static void every_kind_has_its_fields(void **state) {
    (void)state;
    bool seen[HOP_KIND_ID + 1] = {true};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_heap heap = {0};
        hop_context *context = context_for(rows[i].kind, &heap);
        seen[rows[i].kind] = true;
        if (context == NULL)
            continue;
        assert_row(i, context, rows[i].provoke(context));
        free_context(context);
    }
    for (size_t kind = 0; kind <= HOP_KIND_ID; kind++)
        if (!seen[kind])
            fail_msg("no row provokes %s", hop_error_kind_name((hop_error_kind)kind));
}

/* The values, of one of each sort. */
static void fields_have_the_right_values(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    wrong_id(context);
    hop_error_detail detail = detail_of(context);
    assert_string_equal(detail.file, "town");
    assert_string_equal(detail.found, "target");
    assert_int_equal(detail.line, 2);
    wrong_columns(context);
    detail = detail_of(context);
    assert_int_equal(detail.line, 2);
    assert_int_equal(detail.available, 1);
    assert_null(detail.found); /* the failure before is forgotten */
    wrong_edge(context);
    assert_int_equal(detail_of(context).arc, 1);
    over_limit(context);
    detail = detail_of(context);
    assert_string_equal(detail.name, "max_edges");
    assert_int_equal(detail.needed, 3);
    assert_int_equal(detail.available, 2);
    no_file(context);
    detail = detail_of(context);
    assert_string_equal(detail.file, "/nowhere/town.npz");
    assert_int_equal(detail.system_error, ENOENT);
    wrong_source(context);
    detail = detail_of(context);
    assert_int_equal(detail.vertex, 9);
    assert_int_equal(detail.available, 4);
    wrong_variant(context);
    detail = detail_of(context);
    assert_string_equal(detail.found, "sequentiall");
    assert_string_equal(detail.name, "sequential");
    refusing_variant(context);
    detail = detail_of(context);
    assert_string_equal(detail.name, "dijkstra");
    assert_non_null(strstr(hop_context_message(context), detail.reason));
    negative_cycle(context);
    assert_int_equal(detail_of(context).vertex, 1);
    wrong_distance(context);
    detail = detail_of(context);
    assert_int_equal(detail.vertex, 3);
    assert_int_equal(detail.arc, 2);
    free_context(context);
}

/* ---- the frame --------------------------------------------------------------------------------
 */

static void nothing_has_failed_yet(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_error_detail detail = detail_of(context);
    assert_int_equal(detail.status, HOP_OK);
    assert_int_equal(detail.kind, HOP_KIND_NONE);
    assert_int_equal(fields_of(&detail), 0);
    assert_int_equal(detail.fault_bytes, 0);
    free_context(context);
}

typedef struct newer_detail {
    hop_error_detail known;
    uint64_t unknown;
} newer_detail;

static void sizes_old_and_new(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    wrong_source(context);
    newer_detail newer = {.known = HOP_ERROR_DETAIL_INIT, .unknown = 7};
    newer.known.size = sizeof newer;
    assert_true(hop_context_detail(context, &newer.known));
    assert_int_equal(newer.known.size, sizeof newer);
    assert_int_equal(newer.known.vertex, 9);
    assert_int_equal(newer.unknown, 7);
    hop_error_detail older = HOP_ERROR_DETAIL_INIT;
    older.size = offsetof(hop_error_detail, vertex);
    assert_true(hop_context_detail(context, &older));
    assert_int_equal(older.kind, HOP_KIND_VERTEX);
    assert_true(older.vertex == HOP_UNKNOWN);
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
        detail.size = sizes[i];
        assert_false(hop_context_detail(context, &detail));
        assert_int_equal(detail.kind, HOP_KIND_NONE);
    }
    assert_false(hop_context_detail(context, NULL));
    assert_false(hop_context_detail(NULL, &older));
    assert_int_equal(detail_of(context).vertex, 9); /* asking is no failure */
    free_context(context);
}

static void a_prefix_keeps_the_notes(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__fail(context, HOP_ERR_BUDGET, "rows: too many");
    hop__note_need(context, HOP_KIND_BUDGET, 7, 3);
    assert_int_equal(hop__remedy(context, HOP_REMEDY_RAISE_MEMORY, "raise it to %d", 7),
                     HOP_ERR_BUDGET);
    hop__fail_prefix(context, "town");
    assert_message(context, "town: rows: too many; raise it to 7");
    hop_error_detail detail = detail_of(context);
    assert_int_equal(detail.fault_bytes, strlen("town: rows: too many"));
    assert_int_equal(detail.needed, 7);
    hop_context *other = make_context(1);
    assert_int_equal(hop__fail_as(other, HOP_ERR_MEMORY, context), HOP_ERR_MEMORY);
    assert_message(other, "town: rows: too many; raise it to 7");
    assert_int_equal(detail_of(other).available, 3);
    assert_int_equal(detail_of(other).status, HOP_ERR_MEMORY);
    free_context(other);
    free_context(context);
}

/* What is too long for the message, or for a text, is cut off. */
static void long_texts_are_cut(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    char large[8192];
    memset(large, 'x', sizeof large);
    large[sizeof large - 1] = '\0';
    hop__fail(context, HOP_ERR_INPUT, "%s", large);
    hop__remedy(context, HOP_REMEDY_UPDATE, "%s", large);
    hop__note_file(context, large);
    hop__note_found(context, HOP_KIND_WORD, large, strlen(large));
    hop__note_name(context, HOP_KIND_WORD, large);
    hop__note_reason(context, large);
    hop__fail_prefix(context, large);
    hop_error_detail detail = detail_of(context);
    assert_int_equal(strlen(hop_context_message(context)), 1023);
    assert_in_range(detail.fault_bytes, 1, 1023);
    assert_int_equal(strlen(detail.file), 4095);
    assert_in_range(strlen(detail.found), 1, 255);
    assert_in_range(strlen(detail.reason), 1, 255);
    free_context(context);
}

/* ---- what is logged ---------------------------------------------------------------------------
 */

typedef struct listener {
    hop_context *context;
    unsigned messages;
    hop_remedy remedy; /* of the last one */
} listener;

static void listen(void *user, hop_log_level level, const char *message) {
    listener *own = user;
    (void)level;
    (void)message;
    own->messages++;
    own->remedy = hop_context_log_remedy(own->context);
}

static void a_guess_is_logged_with_its_remedy(void **state) {
    (void)state;
    listener own = {0};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.log = listen;
    options.log_user = &own;
    assert_int_equal(hop_context_create(&options, &own.context), HOP_OK);
    assert_int_equal(read_text(own.context, "# Nodes: 2 Edges: 9\n0 1\n", "edge-list", 0), HOP_OK);
    assert_int_equal(own.messages, 1); /* a wrong number of edges: nothing helps */
    assert_int_equal(own.remedy, HOP_REMEDY_NONE);
    assert_int_equal(read_text(own.context, "alpha,omega\n0,1\n", "edge-list", 0), HOP_OK);
    assert_int_equal(own.messages, 2);
    assert_int_equal(own.remedy, HOP_REMEDY_SAY_HEADER);
    assert_int_equal(hop_context_log_remedy(own.context), HOP_REMEDY_NONE); /* it has been told */
    assert_int_equal(hop_context_log_remedy(NULL), HOP_REMEDY_NONE);
    free_context(own.context);
}

static void names_are_those_of_the_constants(void **state) {
    (void)state;
    assert_string_equal(hop_error_kind_name(HOP_KIND_DEVICE_MEMORY), "device_memory");
    assert_string_equal(hop_remedy_name(HOP_REMEDY_RAISE_MEMORY), "raise_memory");
    assert_string_equal(hop_error_kind_name((hop_error_kind)(HOP_KIND_ID + 1)), "unknown kind");
    assert_string_equal(hop_remedy_name((hop_remedy)(HOP_REMEDY_CONVERT + 1)), "unknown remedy");
    assert_string_equal(hop_error_kind_name((hop_error_kind)-1), "unknown kind");
    for (size_t kind = 0; kind <= HOP_KIND_ID; kind++)
        assert_non_null(hop_error_kind_name((hop_error_kind)kind));
    for (size_t remedy = 0; remedy <= HOP_REMEDY_CONVERT; remedy++)
        assert_non_null(hop_remedy_name((hop_remedy)remedy));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_fields),
        cmocka_unit_test(fields_have_the_right_values),
        cmocka_unit_test(nothing_has_failed_yet),
        cmocka_unit_test(sizes_old_and_new),
        cmocka_unit_test(a_prefix_keeps_the_notes),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(a_guess_is_logged_with_its_remedy),
        cmocka_unit_test(names_are_those_of_the_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
