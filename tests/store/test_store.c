/* SPDX-License-Identifier: Apache-2.0
 * Graphs on disk: what is opened is what was written; components of them are the same bits as in
 * memory, for any cache; and files that are damaged, before or during a search, are errors that
 * name the block. */
#include "store/store_testing.h"

#include "core/progress.h"
#include "io/formats/npz_stream.h"
#include "store/arc_visit.h"

/* Writes the sample to a file whose path is returned. */
static const char *write_sample(hop_context *context, const hop_graph *graph) {
    const char *path = temporary("graph.npz");
    if (hop_graph_write(context, graph, path, NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return path;
}

/* ---- what is there --------------------------------------------------------------------------- */

typedef struct gathered {
    const hop_graph *graph;
    hop_vertex *from, *targets;
    unsigned char *weights;
    uint64_t visits;
} gathered;

static void gather(void *user, const hop__arc_block *block, unsigned thread) {
    gathered *all = user;
    size_t width = hop_type_size(all->graph->weight_type);
    (void)thread;
    memcpy(all->targets + block->begin, block->targets, (block->end - block->begin) * 4);
    if (block->weights)
        memcpy(all->weights + block->begin * width, block->weights,
               (block->end - block->begin) * width);
    for (hop__walk row = hop__walk_first(all->graph, block); row.begin < block->end;
         hop__walk_next(all->graph, block, &row))
        for (uint64_t i = row.begin; i < row.end; i++)
            all->from[i] = (hop_vertex)row.vertex;
    __atomic_fetch_add(&all->visits, 1, __ATOMIC_RELAXED);
}

/* Every arc, with its row and weight, through windows of any size; in memory by the same calls. */
static void compare_arcs_of(hop_context *context, const hop_graph *graph, const hop_graph *disk) {
    size_t width = hop_type_size(graph->weight_type);
    gathered all = {.graph = disk,
                    .from = calloc(graph->arcs + 1, 4),
                    .targets = calloc(graph->arcs + 1, 4),
                    .weights = calloc(graph->arcs + 1, 8)};
    hop__arcs *arcs = NULL;
    assert_int_equal(hop__arcs_open(context, disk, true, &arcs), HOP_OK);
    for (unsigned round = 0; round < 2; round++) {
        all.visits = 0;
        hop__progress_begin(context, "test", 1);
        if (hop__arcs_visit(context, arcs, NULL, gather, &all) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_int_equal(hop__progress_end(context), HOP_OK);
        assert_int_equal(all.visits, hop__arc_blocks(graph));
        assert_memory_equal(all.targets, graph->targets, graph->arcs * 4);
        if (width > 0)
            assert_memory_equal(all.weights, graph->weights, graph->arcs * width);
        for (uint64_t v = 0; v < graph->vertices; v++)
            for (uint64_t i = hop__offset(graph, v); i < hop__offset(graph, v + 1); i++)
                if (all.from[i] != v)
                    fail_msg("arc %llu is in row %u", (unsigned long long)i, all.from[i]);
    }
    hop__arcs_close(arcs);
    free(all.from);
    free(all.targets);
    free(all.weights);
}

static void compare_infos(hop_context *context, const hop_graph *a, const hop_graph *b) {
    hop_graph_info x = HOP_GRAPH_INFO_INIT, y = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(context, a, &x), HOP_OK);
    assert_int_equal(hop_graph_describe(context, b, &y), HOP_OK);
    assert_int_equal(x.vertices, y.vertices);
    assert_int_equal(x.arcs, y.arcs);
    assert_int_equal(x.edges, y.edges);
    assert_int_equal(x.loops, y.loops);
    assert_int_equal(x.max_degree, y.max_degree);
    assert_int_equal(x.directed, y.directed);
    assert_int_equal(x.weight_type, y.weight_type);
}

static void test_same_arcs(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        hop_context *context = make_context(threads);
        for (size_t i = 0; i < STORE_SAMPLES; i++) {
            hop_weight_type type = (hop_weight_type)(i % 5);
            hop_graph *graph = make_store_sample(context, &store_samples[i], type, 1 + threads);
            const char *path = write_sample(context, graph);
            for (unsigned way = 0; way < 3; way++) {
                hop_graph *disk = open_external(context, path, way == 0 ? 1 : 0, way == 1);
                if (way == 0)
                    assert_int_equal(disk->store->frame_count, 64);
                compare_infos(context, graph, disk);
                compare_arcs_of(context, graph, disk);
                for (uint64_t v = 0; v <= graph->vertices; v++)
                    assert_int_equal(hop__index_begin(&disk->store->index, v),
                                     hop__offset(graph, v));
                hop_graph_release(disk);
            }
            compare_arcs_of(context, graph, graph);
            hop_graph_release(graph);
        }
        free_context(context);
    }
}

/* Small graphs with labels and first ids, empty ones too. */
static void test_small(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned directed = 0; directed < 2; directed++) {
            hop_graph *graph = make_sample(context, &samples[i], directed != 0,
                                           (hop_weight_type)(i % 5), HOP_DUPLICATES_KEEP);
            hop_graph *disk = open_external(context, write_sample(context, graph), 0, false);
            compare_infos(context, graph, disk);
            compare_arcs_of(context, graph, disk);
            for (hop_vertex v = 0; v < graph->vertices; v++) {
                assert_int_equal(hop_graph_label(graph, v), hop_graph_label(disk, v));
                assert_int_equal(hop_graph_find(disk, hop_graph_label(graph, v)), v);
            }
            hop_graph_release(disk);
            hop_graph_release(graph);
        }
    free_context(context);
}

static void test_names(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    static const char text[] = "from,to\nanna,bert\nbert,carl\nzoe,anna\n";
    hop_graph *graph = NULL;
    if (hop_graph_read_memory(context, "names.csv", text, sizeof text - 1, NULL, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_true(hop_graph_named(graph));
    hop_graph *disk = open_external(context, write_sample(context, graph), 0, false);
    assert_int_equal(hop_graph_find_name(disk, "carl", 4), hop_graph_find_name(graph, "carl", 4));
    assert_int_equal(hop_graph_find_name(disk, "dora", 4), HOP_NO_VERTEX);
    hop_graph_release(disk);
    hop_graph_release(graph);
    free_context(context);
}

/* ---- components ------------------------------------------------------------------------------ */

static void test_components(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        hop_context *context = make_context(threads);
        for (size_t i = 0; i < STORE_SAMPLES; i++) {
            hop_graph *graph =
                make_store_sample(context, &store_samples[i], (hop_weight_type)(i % 5), 3);
            hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
            hop_run run = HOP_RUN_INIT;
            hop_vertex n = graph->vertices, count = 0, found = 0;
            hop_vertex *expected = malloc((size_t)n * 4), *labels = malloc((size_t)n * 4);
            run.variant = "dfs";
            options.run = &run;
            assert_int_equal(hop_components(context, graph, &options, expected, &count), HOP_OK);
            for (unsigned way = 0; way < 2; way++) {
                hop_graph *disk =
                    open_external(context, write_sample(context, graph), way == 0 ? 1 : 0, way);
                hop_report *report = NULL;
                assert_int_equal(hop_report_create(0, &report), HOP_OK);
                run.variant = NULL;
                run.certify = HOP_CERTIFY_CANONICAL;
                run.report = report;
                if (hop_components(context, disk, &options, labels, &found) != HOP_OK)
                    fail_msg("%s", hop_context_message(context));
                assert_string_equal(hop_report_variant(report)->name, "stream");
                assert_int_equal(found, count);
                assert_memory_equal(labels, expected, (size_t)n * 4);
                run.certify = HOP_CERTIFY_VALID;
                assert_int_equal(hop_components_certify(context, disk, &options, labels, count),
                                 HOP_OK);
                labels[n / 2] ^= 1; /* wrong, and no vertex is alone in these graphs' middle */
                run.certify = HOP_CERTIFY_CANONICAL;
                assert_int_equal(hop_components_certify(context, disk, &options, labels, count),
                                 HOP_ERR_CERTIFICATE);
                run.variant = "rem";
                assert_int_equal(hop_components(context, disk, &options, labels, &found),
                                 HOP_ERR_UNSUPPORTED);
                assert_message(context, "in memory");
                hop_report_free(report);
                hop_graph_release(disk);
            }
            free(expected);
            free(labels);
            hop_graph_release(graph);
        }
        free_context(context);
    }
}

/* What cannot be done says so. */
static void test_gate(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = make_store_sample(context, &store_samples[2], HOP_TYPE_NONE, 1);
    hop_graph *disk = open_external(context, write_sample(context, graph), 0, false), *other = NULL;
    uint64_t hash;
    assert_int_equal(hop_graph_hash(context, disk, &hash), HOP_ERR_UNSUPPORTED);
    assert_message(context, "on disk");
    assert_int_equal(hop_graph_reverse(context, disk, &other), HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_graph_symmetrize(context, disk, HOP_DUPLICATES_MIN, &other),
                     HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_graph_subgraph(context, disk, NULL, 0, &other), HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_graph_prepare(context, disk, HOP_PREPARE_DIAMETER), HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_graph_write(context, disk, temporary("other.npz"), NULL),
                     HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_graph_check(context, disk), HOP_ERR_UNSUPPORTED);
    assert_null(hop_graph_targets(disk));
    assert_null(other);
    /* Two searches at a time would share the cache. */
    hop__arcs *one = NULL, *two = NULL;
    assert_int_equal(hop__arcs_open(context, disk, false, &one), HOP_OK);
    assert_int_equal(hop__arcs_open(context, disk, false, &two), HOP_ERR_UNSUPPORTED);
    assert_message(context, "once more");
    hop__arcs_close(one);
    hop_graph_release(disk);
    hop_graph_release(graph);
    free_context(context);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void flip(const char *path, uint64_t offset) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)offset, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, (long)offset, SEEK_SET);
    fputc(byte ^ 4, file);
    assert_int_equal(fclose(file), 0);
}

static void expect_fault(hop_context *context, hop_status status, hop_status expected,
                         const char *part, uint64_t offset) {
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    if (status != expected)
        fail_msg("status %d: %s", status, hop_context_message(context));
    assert_message(context, part);
    assert_true(hop_context_detail(context, &detail));
    assert_int_equal(detail.offset, offset);
    assert_non_null(detail.file);
}

static hop_status label(hop_context *context, const hop_graph *disk, hop_vertex *labels) {
    hop_vertex count;
    return hop_components(context, disk, NULL, labels, &count);
}

/* A bit in any block of targets; a block of zeros; the file cut: while the graph is open, so that
 * the search meets it. After that the file is whole again, and so is the graph. */
static void test_damage(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = make_store_sample(context, &store_samples[0], HOP_TYPE_NONE, 1);
    const char *path = write_sample(context, graph);
    file_bytes whole = load_file(path);
    hop_vertex *labels = malloc((size_t)graph->vertices * 4);
    hop_graph *disk = open_external(context, path, 1, false);
    uint64_t begin = disk->store->arrays[HOP__BLOCKED_TARGETS].offset, blocks = disk->store->blocks;
    assert_true(blocks > 100);
    for (uint64_t block = 0; block < blocks; block += 1 + blocks / 40) {
        uint64_t offset = begin + block * 16384;
        char part[64];
        snprintf(part, sizeof part, "block %llu of indices.npy: its checksum differs",
                 (unsigned long long)block);
        hop_graph_release(disk); /* with what its cache has */
        disk = open_external(context, path, 1, false);
        flip(path, offset + block % 8000);
        expect_fault(context, label(context, disk, labels), HOP_ERR_INPUT, part, offset);
        flip(path, offset + block % 8000);
        assert_int_equal(label(context, disk, labels), HOP_OK);
    }
    unsigned char zeros[16384] = {0}; /* a torn write */
    hop_graph_release(disk);
    disk = open_external(context, path, 1, false);
    FILE *file = fopen(path, "r+b");
    fseek(file, (long)(begin + 50 * 16384), SEEK_SET);
    fwrite(zeros, 1, sizeof zeros, file);
    fclose(file);
    expect_fault(context, label(context, disk, labels), HOP_ERR_INPUT, "block 50",
                 begin + 50 * 16384);
    assert_int_equal(truncate(path, (off_t)(begin + 40 * 16384 + 100)), 0);
    expect_fault(context, label(context, disk, labels), HOP_ERR_INPUT,
                 "block 40 of indices.npy: the file ends before it", begin + 40 * 16384);
    hop_graph_release(disk);
    save_file(path, whole.bytes, whole.count);
    disk = open_external(context, path, 1, false);
    assert_int_equal(label(context, disk, labels), HOP_OK);
    hop_graph_release(disk);
    disk = open_external(context, path, 1, false);
    /* The system refuses. */
    close(disk->store->plain);
    if (disk->store->direct >= 0)
        close(disk->store->direct);
    hop_status status = label(context, disk, labels);
    assert_int_equal(status, HOP_ERR_IO);
    assert_message(context, "cannot read it");
    disk->store->plain = disk->store->direct = -1;
    hop_graph_release(disk);
    free(labels);
    free(whole.bytes);
    hop_graph_release(graph);
    free_context(context);
}

/* The file is cut while a search reads it, from its own progress callback. */
typedef struct cutter {
    hop_context *context;
    const char *path;
    uint64_t size;
    unsigned calls, when;
} cutter;

static bool cut_now(void *user, const hop_progress *progress) {
    cutter *c = user;
    (void)progress;
    c->context->next_report = 0;
    if (++c->calls == c->when)
        assert_int_equal(truncate(c->path, (off_t)c->size), 0);
    return true;
}

static void test_cut_meanwhile(void **state) {
    (void)state;
    hop_context *plain = make_context(1);
    hop_graph *graph = make_store_sample(plain, &store_samples[0], HOP_TYPE_NONE, 1);
    unsigned caught = 0;
    for (unsigned when = 1; when < 200; when += 20) {
        const char *path = write_sample(plain, graph);
        cutter c = {.path = path, .when = UINT32_MAX};
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.progress = cut_now;
        options.progress_user = &c;
        options.threads = 2;
        assert_int_equal(hop_context_create(&options, &c.context), HOP_OK);
        hop_graph *disk = open_external(c.context, path, 1, false);
        hop_vertex *labels = malloc((size_t)graph->vertices * 4);
        c.size = disk->store->arrays[HOP__BLOCKED_TARGETS].offset + 60 * 16384;
        c.when = c.calls + when;
        hop_status status = label(c.context, disk, labels);
        assert_true(status == HOP_OK || status == HOP_ERR_INPUT);
        caught += status == HOP_ERR_INPUT;
        if (status == HOP_ERR_INPUT)
            assert_message(c.context, "the file ends before it");
        free(labels);
        hop_graph_release(disk);
        free_context(c.context);
    }
    assert_true(caught > 0);
    hop_graph_release(graph);
    free_context(plain);
}

/* Damage that opening must notice: of offsets, of the checksums themselves, of the directory. */
static void test_damaged_before(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = make_store_sample(context, &store_samples[1], HOP_TYPE_INT32, 1);
    const char *path = write_sample(context, graph);
    hop_graph *disk = open_external(context, path, 1, false), *other = NULL;
    uint64_t offsets = disk->store->arrays[HOP__BLOCKED_OFFSETS].offset;
    hop_graph_release(disk);
    flip(path, offsets + 3 * 16384 + 5);
    expect_fault(context, hop_graph_open_external(context, path, NULL, &other), HOP_ERR_INPUT,
                 "block 3 of indptr.npy: its checksum differs", offsets + 3 * 16384);
    flip(path, offsets + 3 * 16384 + 5);
    file_bytes whole = load_file(path);
    size_t tail = whole.count < 4096 ? whole.count : 4096, sound = 0;
    for (size_t at = whole.count - tail; at < whole.count; at += 7) {
        flip(path, at);
        hop_status status = hop_graph_open_external(context, path, NULL, &other);
        assert_true(status == HOP_OK || status == HOP_ERR_INPUT || status == HOP_ERR_UNSUPPORTED);
        sound += status == HOP_OK;
        hop_graph_release(other);
        other = NULL;
        flip(path, at);
    }
    assert_true(sound < tail / 7);
    for (size_t count = 0; count < whole.count; count += 1 + whole.count / 50) {
        assert_int_equal(truncate(path, (off_t)count), 0);
        assert_int_not_equal(hop_graph_open_external(context, path, NULL, &other), HOP_OK);
        save_file(path, whole.bytes, whole.count);
    }
    free(whole.bytes);
    hop_graph_release(graph);
    free_context(context);
}

/* Checksums that are right, over contents that are not: a file that somebody made. */
static void test_wrong_contents(void **state) {
    (void)state;
    static const hop_vertex targets[] = {1, 7, 0};
    static const int32_t weights[] = {1, 2, 3};
    static const uint64_t offsets[] = {0, 2, 3};
    hop_context *context = make_context(1);
    hop__output *output = NULL;
    hop__npz_stream *stream = NULL;
    hop__npz_stream_head head = {2, 3, true, HOP_TYPE_INT32, {NULL, 0, NULL}};
    const char *path = temporary("wrong.npz");
    assert_int_equal(hop__output_open(context, path, false, &output), HOP_OK);
    assert_int_equal(hop__npz_stream_open(context, output, &head, &stream), HOP_OK);
    assert_int_equal(hop__npz_stream_targets(context, stream, targets, 3), HOP_OK);
    assert_int_equal(hop__npz_stream_weights(context, stream, weights, 3), HOP_OK);
    assert_int_equal(hop__npz_stream_offsets(context, stream, offsets, 3), HOP_OK);
    assert_int_equal(hop__npz_stream_finish(context, stream, 0), HOP_OK);
    hop__npz_stream_close(stream);
    assert_int_equal(hop__output_close(context, output, HOP_OK), HOP_OK);
    hop_graph *disk = open_external(context, path, 0, false);
    hop_vertex labels[2];
    assert_int_equal(label(context, disk, labels), HOP_ERR_INPUT);
    assert_message(context, "a target is not a vertex");
    hop_graph_release(disk);
    free_context(context);
}

/* Files that cannot be opened so say what to do. */
static void test_refusals(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *other = NULL;
    save_file(temporary("text.txt"), "1 2\n", 4);
    assert_int_equal(hop_graph_open_external(context, temporary("text.txt"), NULL, &other),
                     HOP_ERR_INPUT);
    assert_int_equal(hop_graph_open_external(context, temporary("missing"), NULL, &other),
                     HOP_ERR_IO);
    assert_int_equal(hop_graph_open_external(context, NULL, NULL, &other), HOP_ERR_ARGUMENT);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *small = NULL;
    hop_graph *graph = make_store_sample(context, &store_samples[1], HOP_TYPE_INT32, 1);
    const char *path = write_sample(context, graph);
    options.memory_budget = 600000;
    assert_int_equal(hop_context_create(&options, &small), HOP_OK);
    assert_int_equal(hop_graph_open_external(small, path, NULL, &other), HOP_ERR_BUDGET);
    free_context(small);
    hop_graph_release(graph);
    free_context(context);
}

/* Every allocation fails once: an error, nothing lost. */
static void test_allocations(void **state) {
    (void)state;
    hop_context *plain = make_context(1);
    hop_graph *graph = make_store_sample(plain, &store_samples[2], HOP_TYPE_NONE, 1);
    const char *path = write_sample(plain, graph);
    hop_vertex *labels = malloc((size_t)graph->vertices * 4);
    hop_status status = HOP_ERR_MEMORY;
    for (long count = 0; status != HOP_OK; count++) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_graph *disk = NULL;
        long left = -1;
        options.threads = 1;
        options.allocator.allocate = failing_allocate;
        options.allocator.release = failing_release;
        options.allocator.user = &left;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        left = count;
        status = hop_graph_open_external(context, path, NULL, &disk);
        if (status == HOP_OK)
            status = label(context, disk, labels);
        assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
        hop_graph_release(disk);
        free_context(context);
        assert_true(count < 200);
    }
    free(labels);
    hop_graph_release(graph);
    free_context(plain);
}

/* The budget holds from opening to the end. */
static void test_budget(void **state) {
    (void)state;
    hop_context *plain = make_context(2);
    hop_graph *graph = make_store_sample(plain, &store_samples[0], HOP_TYPE_NONE, 1);
    const char *path = write_sample(plain, graph);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = 2;
    options.memory_budget = 3400000;
    assert_true(graph->arcs * 4 < 3400000);
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    hop_graph *disk = open_external(context, path, 0, false);
    hop_vertex *labels = malloc((size_t)graph->vertices * 4);
    if (label(context, disk, labels) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_true(hop__pool_usage(context->pool).peak <= 3400000);
    free(labels);
    hop_graph_release(disk);
    free_context(context);
    hop_graph_release(graph);
    free_context(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_arcs),      cmocka_unit_test(test_small),
        cmocka_unit_test(test_names),          cmocka_unit_test(test_components),
        cmocka_unit_test(test_gate),           cmocka_unit_test(test_damage),
        cmocka_unit_test(test_cut_meanwhile),  cmocka_unit_test(test_damaged_before),
        cmocka_unit_test(test_wrong_contents), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_allocations),    cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
