/* SPDX-License-Identifier: Apache-2.0
 *
 * Spread graphs are those of one machine, arc by arc, wherever the arcs come from. */
#include <math.h>

#include "cluster/cluster_blocks.h"
#include "cluster_same.h"

static void check_generated(job *work) {
    for (size_t i = 0; i < RECIPES; i++) {
        hop_graph *whole = whole_graph(work->context, &recipes[i]);
        hop_cluster_graph *graph = spread_graph(work, &recipes[i]);
        check_same(work, graph, whole);
        hop_cluster_graph_free(graph);
        hop_graph_release(whole);
    }
}

/* Weights are those of one machine, bit by bit: of each type, where edges are there twice too. */
static void check_generated_weights(job *work) {
    for (size_t i = 0; i < RECIPES; i++)
        for (hop_weight_type type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++) {
            hop_generate_options options = weighted_options(&recipes[i], type);
            hop_graph *whole = NULL;
            hop_cluster_graph *graph = NULL;
            CHECK_OK(work->context,
                     hop_graph_generate(work->context, recipes[i].family, &options, &whole));
            CHECK_OK(work->context, hop_cluster_graph_generate(work->cluster, recipes[i].family,
                                                               &options, &graph));
            check_same(work, graph, whole);
            CHECK(graph->negative == false);
            hop_cluster_graph_free(graph);
            hop_graph_release(whole);
        }
}

/* The same file, read whole by one and in parts by all. */
static void check_read(job *work) {
    shared_path place = path_begin(work, "graph.npz");
    for (size_t i = 0; i < RECIPES; i++) {
        hop_graph *whole = whole_graph(work->context, &recipes[i]);
        hop_cluster_graph *graph = NULL;
        if (work->rank == 0)
            CHECK_OK(work->context, hop_graph_write(work->context, whole, place.path, NULL));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(work->context, hop_cluster_graph_read(work->cluster, place.path, &graph));
        check_same(work, graph, whole);
        hop_cluster_graph_free(graph);
        hop_graph_release(whole);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    path_end(work, &place);
}

/* Draws edges; this rank has those whose number says so. With weights, whose order counts: then
 * each rank has a stretch of them. Sums of tenths depend on the order. */
static void check_edges(job *work, hop_duplicates duplicates, hop_loops loops, bool directed,
                        bool weighted) {
    enum { COUNT = 4000, VERTICES = 90 };
    uint64_t from[COUNT], to[COUNT], mine = 0, my_from[COUNT], my_to[COUNT];
    double weights[COUNT], my_weights[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        from[i] = hop__random_at(3, 9, 2 * i) % (i % 3 == 0 ? 3 : VERTICES);
        to[i] = hop__random_at(3, 9, 2 * i + 1) % VERTICES;
        weights[i] = 0.1 * (double)(hop__random_at(5, 9, i) % 1000);
        uint64_t owner = weighted ? i * work->ranks / COUNT : hop__random_at(4, 9, i) % work->ranks;
        if (owner == work->rank) {
            my_weights[mine] = weights[i];
            my_from[mine] = from[i];
            my_to[mine++] = to[i];
        }
    }
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    options.duplicates = duplicates;
    options.loops = loops;
    options.directed = directed;
    options.vertices = directed ? 0 : 100;
    hop_edges all = HOP_EDGES_INIT, part = HOP_EDGES_INIT;
    all.id_bytes = part.id_bytes = 8;
    all.count = COUNT;
    all.from = from;
    all.to = to;
    part.count = mine;
    part.from = my_from;
    part.to = my_to;
    all.weight_type = part.weight_type = weighted ? HOP_TYPE_FLOAT64 : HOP_TYPE_NONE;
    all.weights = weighted ? weights : NULL;
    part.weights = weighted ? my_weights : NULL;
    hop_graph *whole = NULL;
    hop_cluster_graph *graph = NULL;
    CHECK_OK(work->context, hop_graph_from_edges(work->context, &all, &options, &whole));
    CHECK_OK(work->context, hop_cluster_graph_from_edges(work->cluster, &part, &options, &graph));
    check_same(work, graph, whole);
    hop_cluster_graph_free(graph);
    hop_graph_release(whole);
}

/* A vertex that has half of all arcs: no rank has a tenth more arcs than another, nor was there, on
 * the way, one that held half of them. */
static void check_hub(job *work) {
    enum { LEAVES = 60000 };
    uint64_t share = LEAVES / work->ranks,
             mine = work->rank + 1 == work->ranks ? LEAVES - share * (work->ranks - 1) : share;
    uint32_t *from = calloc(2 * LEAVES, 4), *to = calloc(2 * LEAVES, 4);
    for (uint64_t i = 0; i < mine; i++) {
        uint64_t leaf = 1 + share * work->rank + i;
        from[2 * i] = 0; /* directed: the hub's arcs are half of all */
        to[2 * i] = (uint32_t)leaf;
        from[2 * i + 1] = (uint32_t)leaf;
        to[2 * i + 1] = (uint32_t)(hop__random_at(1, 2, leaf) % LEAVES);
    }
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    options.directed = true;
    edges.count = 2 * mine;
    edges.from = from;
    edges.to = to;
    hop_cluster_graph *graph = NULL;
    hop_context_reset_peak(work->context);
    CHECK_OK(work->context, hop_cluster_graph_from_edges(work->cluster, &edges, &options, &graph));
    uint64_t most, sum, peak;
    CHECK_OK(work->context, hop_cluster_total(work->cluster, hop_cluster_arcs(graph), &sum, &most));
    CHECK(most * work->ranks * 10 <= sum * 11);
    CHECK_OK(work->context,
             hop_cluster_total(work->cluster, hop_context_memory_peak(work->context), NULL, &peak));
    CHECK(peak < 64 * sum / work->ranks + (2 << 20));
    hop_cluster_graph_free(graph);
    free(from);
    free(to);
}

/* Few arcs among many vertices: ends are sorted, not counted by bits. */
static void check_wide(job *work) {
    enum { COUNT = 40 };
    uint64_t from[COUNT], to[COUNT], vertices = 100000;
    for (uint64_t i = 0; i < COUNT; i++) {
        from[i] = hop__random_at(11, 1, i) % vertices;
        to[i] = hop__random_at(11, 2, i) % vertices;
    }
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    hop_graph *whole = NULL;
    hop_cluster_graph *graph = NULL;
    options.vertices = vertices;
    edges.id_bytes = 8;
    edges.count = COUNT;
    edges.from = from;
    edges.to = to;
    CHECK_OK(work->context, hop_graph_from_edges(work->context, &edges, &options, &whole));
    edges.count = work->rank == 0 ? COUNT : 0;
    CHECK_OK(work->context, hop_cluster_graph_from_edges(work->cluster, &edges, &options, &graph));
    check_same(work, graph, whole);
    hop_cluster_graph_free(graph);
    hop_graph_release(whole);
    options.vertices = UINT64_C(1) << 40;
    CHECK(hop_cluster_graph_from_edges(work->cluster, &edges, &options, &graph) ==
          HOP_ERR_UNSUPPORTED);
    CHECK(strstr(hop_context_message(work->context), "use more ranks") != NULL);
}

/* Each is the same failure on all ranks, and nothing is left. */
static void check_refused(job *work) {
    hop_context *context = work->context;
    hop_cluster_graph *graph = NULL;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    uint32_t ends[2] = {3, work->rank + 1 == work->ranks ? 50 : 4};
    options.vertices = 50;
    edges.count = 1;
    edges.from = &ends[0];
    edges.to = &ends[1];
    CHECK(hop_cluster_graph_from_edges(work->cluster, &edges, &options, &graph) == HOP_ERR_INPUT);
    CHECK(strstr(hop_context_message(context), "id 50, but there are 50 vertices") != NULL);
    const float nan_at_end[1] = {work->rank + 1 == work->ranks ? NAN : 1};
    options.vertices = 51;
    edges.weights = nan_at_end;
    edges.weight_type = HOP_TYPE_FLOAT32;
    CHECK(hop_cluster_graph_from_edges(work->cluster, &edges, &options, &graph) == HOP_ERR_INPUT);
    CHECK(strstr(hop_context_message(context), "not a number (NaN)") != NULL);
    hop_generate_options chosen = HOP_GENERATE_OPTIONS_INIT;
    CHECK(hop_cluster_graph_generate(work->cluster, "rmat", &chosen, &graph) == HOP_ERR_ARGUMENT);
    CHECK(hop_cluster_graph_generate(work->cluster, "none", &chosen, &graph) == HOP_ERR_ARGUMENT);
    hop_setting n = {"n", 100};
    chosen.settings = &n;
    chosen.setting_count = 1;
    CHECK(hop_cluster_graph_generate(work->cluster, "degree", &chosen, &graph) ==
          HOP_ERR_UNSUPPORTED);
    CHECK(hop_cluster_graph_read(work->cluster, "/nowhere/none.npz", &graph) == HOP_ERR_IO);
    CHECK(hop_cluster_graph_read(work->cluster, work->rank == 0 ? NULL : "/nowhere", &graph) ==
          HOP_ERR_ARGUMENT);
    CHECK(graph == NULL);
}

/* A rank whose memory does not suffice: all are told, by its name. */
static void check_budget(job *work) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_cluster *cluster = NULL;
    hop_cluster_graph *graph = NULL;
    uint32_t poor = work->ranks - 1;
    options.threads = 1;
    options.memory_budget = work->rank == poor ? 400 << 10 : 0;
    CHECK(hop_context_create(&options, &context) == HOP_OK);
    CHECK_OK(context, hop_cluster_create(context, NULL, &cluster));
    hop_setting settings[2] = {{"scale", 12}, {"edge-factor", 16}};
    hop_generate_options chosen = HOP_GENERATE_OPTIONS_INIT;
    chosen.settings = settings;
    chosen.setting_count = 2;
    CHECK(hop_cluster_graph_generate(cluster, "rmat", &chosen, &graph) == HOP_ERR_BUDGET);
    char name[32];
    (void)snprintf(name, sizeof name, "rank %u: ", (unsigned)poor);
    CHECK(work->ranks == 1 || strncmp(hop_context_message(context), name, strlen(name)) == 0);
    CHECK(graph == NULL);
    hop_cluster_free(cluster);
    CHECK(hop_context_memory_used(context) == 0);
    hop_context_free(context);
}

/* Changes a bit at this place of a file; the same again changes it back. */
static void flip(const char *path, long at) {
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, at, SEEK_SET) == 0);
    int byte = fgetc(file);
    CHECK(fseek(file, at, SEEK_SET) == 0 && fputc(byte ^ 0x40, file) != EOF);
    CHECK(fclose(file) == 0);
}

/* Writes bytes to a place of a file. */
static void patch(const char *path, uint64_t at, const void *bytes, size_t count) {
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, (long)at, SEEK_SET) == 0);
    CHECK(fwrite(bytes, count, 1, file) == 1 && fclose(file) == 0);
}

static hop__npz_layout layout_of(job *work, const char *path) {
    hop__block_file file;
    CHECK_OK(work->context, hop__block_file_open(work->context, path, &file));
    hop__npz_layout layout = file.layout;
    hop__block_file_close(&file);
    return layout;
}

/* The checksum of the only block of an array, as its bytes are now. */
static void sum_again(const char *path, const hop__npz_layout *layout, hop__blocked array) {
    static unsigned char block[HOP__BLOCK_BYTES];
    size_t bytes = (size_t)layout->blocked[array].bytes;
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && bytes <= sizeof block);
    CHECK(fseek(file, (long)layout->blocked[array].data, SEEK_SET) == 0);
    CHECK(fread(block, bytes, 1, file) == 1 && fclose(file) == 0);
    uint64_t sum = hop__block_sum(block, bytes);
    patch(path, layout->blocked[array].sums, &sum, sizeof sum);
}

/* Offsets that fall, wherever they are, with the right checksum: refused by all. Directed: no
 * reverse arc shows it. */
static void check_offsets(job *work) {
    const recipe sparse = {"erdos-renyi", {{"n", 400}, {"m", 90}, {"directed", 1}}, 3};
    shared_path place = path_begin(work, "offsets.npz");
    hop_graph *whole = whole_graph(work->context, &sparse);
    if (work->rank == 0)
        CHECK_OK(work->context, hop_graph_write(work->context, whole, place.path, NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    hop__npz_layout layout = layout_of(work, place.path);
    MPI_Barrier(MPI_COMM_WORLD);
    for (uint64_t row = 3; row < 400; row += 9) {
        hop_cluster_graph *graph = NULL;
        uint64_t before = whole_offset(whole, row - 1), offset = whole_offset(whole, row);
        if (before == 0)
            continue;
        for (int turn = 0; turn < 2; turn++) { /* wrong, and right again */
            uint32_t value = (uint32_t)(turn == 0 ? before - 1 : offset);
            if (work->rank == 0) {
                patch(place.path, layout.offsets + row * layout.offset_bytes, &value, sizeof value);
                sum_again(place.path, &layout, HOP__BLOCKED_OFFSETS);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            hop_status status = hop_cluster_graph_read(work->cluster, place.path, &graph);
            CHECK(status == (turn == 0 ? HOP_ERR_INPUT : HOP_OK));
            CHECK(turn == 1 || strstr(hop_context_message(work->context), "checksum") == NULL);
            hop_cluster_graph_free(graph);
            graph = NULL;
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    hop_graph_release(whole);
    path_end(work, &place);
}

/* A native file of blocks, with weights. */
static hop__npz_layout blocks_write(job *work, const char *path) {
    const recipe large = {"erdos-renyi", {{"n", 9000}, {"m", 20000}}, 2};
    hop_generate_options options = recipe_options(&large);
    hop_graph *whole = NULL;
    options.weight_type = HOP_TYPE_FLOAT64;
    CHECK_OK(work->context, hop_graph_generate(work->context, large.family, &options, &whole));
    if (work->rank == 0)
        CHECK_OK(work->context, hop_graph_write(work->context, whole, path, NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    hop_graph_release(whole);
    return layout_of(work, path);
}

/* One bit of a byte is not what it was: the block is named. */
static void check_flipped(job *work, const char *path, uint64_t at, const char *expected) {
    hop_cluster_graph *graph = NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    if (work->rank == 0)
        flip(path, (long)at);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(hop_cluster_graph_read(work->cluster, path, &graph) == HOP_ERR_INPUT);
    CHECK(strstr(hop_context_message(work->context), expected) != NULL);
    CHECK(strstr(hop_context_message(work->context), "checksum differs") != NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (work->rank == 0)
        flip(path, (long)at);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A bit of each block of offsets, targets and weights. */
static void check_blocks(job *work) {
    static const char *const names[] = {"indptr.npy", "indices.npy", "data.npy"};
    shared_path place = path_begin(work, "blocks.npz");
    hop__npz_layout layout = blocks_write(work, place.path);
    hop_cluster_graph *graph = NULL;
    for (unsigned array = 0; array < 3; array++) {
        uint64_t blocks = hop__blocks_of(layout.blocked[array].bytes);
        CHECK(blocks >= 3 && layout.blocked[array].sums != 0);
        for (uint64_t block = 0; block < blocks; block++) {
            uint64_t begin = block * HOP__BLOCK_BYTES, drawn = hop__random_at(3, array, block);
            uint64_t left = layout.blocked[array].bytes - begin;
            uint64_t at = begin + drawn % (left < HOP__BLOCK_BYTES ? left : HOP__BLOCK_BYTES);
            char expected[64];
            (void)snprintf(expected, sizeof expected, "%s: block %llu,", names[array],
                           (unsigned long long)block);
            check_flipped(work, place.path, layout.blocked[array].data + at, expected);
        }
    }
    CHECK_OK(work->context, hop_cluster_graph_read(work->cluster, place.path, &graph));
    hop_cluster_graph_free(graph);
    path_end(work, &place);
}

/* Calls blocks.npy something else, in the member and in the directory: a file without checksums. */
static void sums_hide(const char *path) {
    static char bytes[1 << 17];
    int times = 0;
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    CHECK(fclose(file) == 0 && count < sizeof bytes);
    for (size_t at = 0; at + 10 <= count; at++)
        if (memcmp(bytes + at, "blocks.npy", 10) == 0) {
            patch(path, at, "blockz.npy", 10);
            times++;
        }
    CHECK(times == 2);
}

/* A damaged file, of before there were checksums, is refused by all, or was damaged where nothing
 * of the graph is. */
static void check_damaged(job *work) {
    shared_path place = path_begin(work, "damaged.npz");
    hop_graph *whole = whole_graph(work->context, &recipes[9]);
    uint64_t refused = 0, tries = 0;
    if (work->rank == 0) {
        CHECK_OK(work->context, hop_graph_write(work->context, whole, place.path, NULL));
        sums_hide(place.path);
    }
    for (long at = 64; at < 24000; at += 197, tries++) {
        hop_cluster_graph *graph = NULL;
        if (work->rank == 0)
            flip(place.path, at);
        MPI_Barrier(MPI_COMM_WORLD);
        hop_status status = hop_cluster_graph_read(work->cluster, place.path, &graph);
        uint64_t same = (uint64_t) - (int64_t)status, most = same;
        CHECK_OK(work->context, hop__max_all(work->cluster, &most, 1));
        CHECK(same == most && (status == HOP_OK) == (graph != NULL));
        refused += status != HOP_OK;
        if (status == HOP_OK)
            check_same(work, graph, whole);
        hop_cluster_graph_free(graph);
        MPI_Barrier(MPI_COMM_WORLD);
        if (work->rank == 0)
            flip(place.path, at);
    }
    CHECK(refused * 2 > tries);
    hop_graph_release(whole);
    path_end(work, &place);
}

int main(void) {
    job work = job_begin();
    check_generated(&work);
    check_generated_weights(&work);
    check_read(&work);
    for (int duplicates = 0; duplicates <= HOP_DUPLICATES_KEEP; duplicates++)
        for (int kind = 0; kind < 8; kind++)
            check_edges(&work, (hop_duplicates)duplicates, kind % 2 ? HOP_LOOPS_DROP : 0,
                        kind / 2 % 2 == 1, kind >= 4);
    check_hub(&work);
    check_wide(&work);
    check_refused(&work);
    check_budget(&work);
    check_damaged(&work);
    check_offsets(&work);
    check_blocks(&work);
    job_end(&work);
    return 0;
}
