/* SPDX-License-Identifier: Apache-2.0
 * Files that are built on disk from files: every format of text, ids of every kind, types that
 * become wider on the way, names, labels; the same bytes, and for bad input the same message, as in
 * memory. What fails leaves nothing behind. */
#include "store/convert_testing.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "hoplite/convert.h"

static char input[128], memory_path[128], disk_path[128];

/* One vertex has many of them. */
static void any_ends(uint64_t i, uint64_t *u, uint64_t *v) {
    *u = i % 16 == 0 ? 77 : *u % 30000;
    *v %= 30000;
}

static void write_text(const text *which, const char *path) {
    write_lines(which, any_ends, path);
}

static void compress_file(const char *path) {
    char packed[160];
    file_bytes whole = load_file(path);
    snprintf(packed, sizeof packed, "%s.gz", path);
    gzFile file = gzopen(packed, "wb1");
    assert_int_equal(gzwrite(file, whole.bytes, (unsigned)whole.count), whole.count);
    assert_int_equal(gzclose(file), Z_OK);
    free(whole.bytes);
}

/* ---- the same bytes -------------------------------------------------------------------------- */

static void assert_same_files(const char *a, const char *b) {
    file_bytes first = load_file(a), second = load_file(b);
    assert_int_equal(first.count, second.count);
    assert_memory_equal(first.bytes, second.bytes, first.count);
    free(first.bytes);
    free(second.bytes);
}

static unsigned count_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static void convert(const char *from, const hop_read_options *read, const char *to, uint64_t budget,
                    unsigned threads, bool on_disk) {
    hop_context *context = budget_context(budget, threads);
    hop_convert_report report = HOP_CONVERT_REPORT_INIT;
    unsigned descriptors = count_descriptors();
    struct stat about;
    if (hop_graph_convert(context, from, read, to, NULL, &report) != HOP_OK)
        fail_msg("%s: %s", from, hop_context_message(context));
    assert_int_equal(report.on_disk, on_disk);
    assert_true(hop_context_memory_peak(context) <= budget);
    assert_int_equal(count_descriptors(), descriptors);
    assert_int_equal(stat(to, &about), 0);
    /* With the output itself, as scratch shrinks while that grows. */
    if (on_disk)
        assert_true((double)report.scratch_bytes <= 2.2 * (double)about.st_size);
    free_context(context);
}

static void every_text(void **state) {
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        const text *which = &texts[i];
        hop_read_options options = HOP_READ_OPTIONS_INIT;
        char packed[160];
        options.duplicates = (hop_duplicates)(i % (HOP_DUPLICATES_KEEP + 1));
        options.loops = i % 2 ? HOP_LOOPS_DROP : HOP_LOOPS_KEEP;
        write_text(which, path_of(input, which->name));
        convert(input, &options, memory_path, UINT64_C(1) << 30, 2, false);
        convert(input, &options, disk_path, (uint64_t)which->mib * MIB, 1 + (unsigned)i % 2, true);
        assert_same_files(memory_path, disk_path);
        if (i % 3 == 0) {
            compress_file(input);
            snprintf(packed, sizeof packed, "%s.gz", input);
            convert(packed, &options, disk_path, (uint64_t)which->mib * MIB, 2, true);
            assert_same_files(memory_path, disk_path);
            remove(packed);
        }
        remove(input);
    }
}

/* A pair of files, the first of which lists the vertices. */
static void pair_of_files(void **state) {
    (void)state;
    char vertices[128];
    text edges = {"g.e", "", labelled, 0};
    FILE *file = fopen(path_of(vertices, "g.v"), "w");
    for (uint64_t v = 30001; v-- > 0;)
        fprintf(file, "%" PRIu64 "\n", 5 + 3 * v);
    fclose(file);
    write_text(&edges, path_of(input, "g.e"));
    convert(vertices, NULL, memory_path, UINT64_C(1) << 30, 2, false);
    convert(vertices, NULL, disk_path, 10 * MIB, 2, true);
    assert_same_files(memory_path, disk_path);
    file = fopen(input, "a");
    fprintf(file, "4 5\n");
    fclose(file);
    for (int small = 0; small < 2; small++) {
        hop_context *context = budget_context(small ? 10 * MIB : UINT64_C(1) << 30, 2);
        assert_int_equal(hop_graph_convert(context, vertices, NULL, disk_path, NULL, NULL),
                         HOP_ERR_INPUT);
        assert_message(context, "line 600001 of the edges: vertex 4, which is not in the list");
        free_context(context);
    }
    remove(input);
    remove(vertices);
}

static void every_family(void **state) {
    (void)state;
    static const char *const names[] = {"rmat", "erdos-renyi", "grid"};
    static const hop_setting settings[][2] = {{{"scale", 16, NULL}, {"edge-factor", 16, NULL}},
                                              {{"n", 50000, NULL}, {"m", 800000, NULL}},
                                              {{"rows", 600, NULL}, {"cols", 2000, NULL}}};
    for (int i = 0; i < 3; i++) {
        hop_generate_options recipe = HOP_GENERATE_OPTIONS_INIT;
        hop_convert_options options = HOP_CONVERT_OPTIONS_INIT;
        recipe.settings = settings[i];
        recipe.setting_count = 2;
        options.scratch = temporary(NULL);
        for (int small = 0; small < 2; small++) {
            hop_context *context =
                budget_context(small ? (i < 2 ? 10 : 20) * MIB : UINT64_C(1) << 30, 2);
            hop_convert_report report = HOP_CONVERT_REPORT_INIT;
            hop_status status = hop_graph_generate_file(
                context, names[i], &recipe, small ? disk_path : memory_path, &options, &report);
            if (status != HOP_OK)
                fail_msg("%s: %s", names[i], hop_context_message(context));
            assert_int_equal(report.on_disk, small);
            free_context(context);
        }
        assert_same_files(memory_path, disk_path);
    }
}

/* ---- plans ----------------------------------------------------------------------------------- */

static bool is_near(uint64_t a, uint64_t b, double share) {
    double difference = (double)a - (double)b;
    return difference <= share * (double)b && -difference <= share * (double)b;
}

/* What a plan says is what is done then, and it does nothing. Edges of a file are counted by a
 * sample, or stated. */
static void plan_and_build(void **state) {
    (void)state;
    static const hop_setting settings[] = {{"scale", 16, NULL}, {"edge-factor", 16, NULL}};
    hop_generate_options recipe = HOP_GENERATE_OPTIONS_INIT;
    hop_write_options bare = HOP_WRITE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    hop_context *large = budget_context(UINT64_C(1) << 30, 2);
    char stated[160], lines[160], command[400];
    recipe.settings = settings;
    recipe.setting_count = 2;
    snprintf(stated, sizeof stated, "%s", temporary("stated.el"));
    snprintf(lines, sizeof lines, "%s", temporary("lines.el"));
    assert_int_equal(hop_graph_generate(large, "rmat", &recipe, &graph), HOP_OK);
    assert_int_equal(hop_graph_write(large, graph, stated, &bare), HOP_OK);
    snprintf(command, sizeof command, "grep -v '^#' '%s' > '%s'", stated, lines);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 6; i++) {
        hop_context *context = budget_context(i % 2 == 0 ? 12 * MIB : UINT64_C(1) << 30, 2);
        hop_convert_options options = HOP_CONVERT_OPTIONS_INIT;
        hop_convert_report plan = HOP_CONVERT_REPORT_INIT, report = HOP_CONVERT_REPORT_INIT;
        struct stat about;
        options.plan = true;
        remove(disk_path);
        for (int real = 0; real < 2; real++) {
            hop_status status =
                i < 2 ? hop_graph_generate_file(context, "rmat", &recipe, disk_path, &options,
                                                real ? &report : &plan)
                      : hop_graph_convert(context, i < 4 ? stated : lines, NULL, disk_path,
                                          &options, real ? &report : &plan);
            if (status != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            assert_int_equal(stat(disk_path, &about), real ? 0 : -1);
            options.plan = false;
        }
        assert_int_equal(plan.on_disk, i % 2 == 0);
        assert_int_equal(report.on_disk, i % 2 == 0);
        assert_true(is_near(plan.edges_given, report.edges_given, i < 4 ? 0 : 0.05));
        /* Ids without an edge are no vertices there: about a third. */
        assert_true(is_near(plan.vertices, i < 4 ? report.vertices : 65536, i < 4 ? 0 : 0.01));
        assert_true(is_near(plan.output_bytes, (uint64_t)about.st_size, 0.2));
        assert_true(plan.on_disk ? plan.scratch_bytes > plan.output_bytes / 2
                                 : plan.scratch_bytes == 0);
        assert_true(plan.memory_bytes > 8 * MIB && plan.memory_bytes < 64 * MIB);
        free_context(context);
    }
    hop_graph_release(graph);
    free_context(large);
}

/* Pipes, other files and other outputs cannot be told of before. */
static void plan_refused(void **state) {
    (void)state;
    hop_context *context = budget_context(64 * MIB, 2);
    hop_convert_options options = HOP_CONVERT_OPTIONS_INIT;
    hop_convert_report plan = HOP_CONVERT_REPORT_INIT;
    options.plan = true;
    assert_int_equal(hop_graph_convert(context, memory_path, NULL, disk_path, &options, &plan),
                     HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_graph_convert(context, temporary("lines.el"), NULL, temporary("x.mtx"),
                                       &options, &plan),
                     HOP_ERR_UNSUPPORTED);
    free_context(context);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static bool is_there(const char *path) {
    struct stat about;
    return stat(path, &about) == 0;
}

/* Files in the temporary folder. */
static unsigned count_files(void) {
    DIR *folder = opendir(temporary(NULL));
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(folder);
    return count;
}

static void bad_line_at_the_end(void **state) {
    (void)state;
    char expected[512] = "";
    write_text(&texts[0], path_of(input, texts[0].name));
    FILE *file = fopen(input, "a");
    fprintf(file, "12 x\n");
    fclose(file);
    for (int small = 0; small < 2; small++) {
        hop_context *context = budget_context(small ? 9 * MIB : UINT64_C(1) << 30, 2);
        remove(disk_path);
        assert_int_equal(hop_graph_convert(context, input, NULL, disk_path, NULL, NULL),
                         HOP_ERR_INPUT);
        if (small)
            assert_string_equal(hop_context_message(context), expected);
        snprintf(expected, sizeof expected, "%s", hop_context_message(context));
        assert_false(is_there(disk_path));
        free_context(context);
    }
    remove(input);
}

static void too_small_a_budget(void **state) {
    (void)state;
    write_text(&texts[0], path_of(input, texts[0].name));
    hop_context *context = budget_context(3 * MIB, 1);
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    assert_int_equal(hop_graph_convert(context, input, NULL, disk_path, NULL, NULL),
                     HOP_ERR_BUDGET);
    assert_true(hop_context_detail(context, &detail));
    assert_int_equal(detail.available, 3 * MIB);
    free_context(context);
    /* What it names will do. */
    context = budget_context(detail.needed, 1);
    if (hop_graph_convert(context, input, NULL, disk_path, NULL, NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    free_context(context);
    remove(disk_path);
    remove(input);
}

/* The number that a refusal names is not far from the least that will do. */
static void no_more_than_needed(void **state) {
    (void)state;
    static const hop_setting settings[] = {{"scale", 16, NULL}, {"edge-factor", 16, NULL}};
    hop_generate_options recipe = HOP_GENERATE_OPTIONS_INIT;
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    recipe.settings = settings;
    recipe.setting_count = 2;
    hop_context *context = budget_context(6 * MIB, 2);
    assert_int_equal(hop_graph_generate_file(context, "rmat", &recipe, disk_path, NULL, NULL),
                     HOP_ERR_BUDGET);
    assert_true(hop_context_detail(context, &detail));
    assert_true(detail.needed < 9 * MIB);
    free_context(context);
    for (int enough = 0; enough < 2; enough++) { /* an eighth less, and as much */
        context = budget_context(enough ? detail.needed : detail.needed / 8 * 7, 2);
        assert_int_equal(hop_graph_generate_file(context, "rmat", &recipe, disk_path, NULL, NULL),
                         enough ? HOP_OK : HOP_ERR_BUDGET);
        free_context(context);
    }
    remove(disk_path);
}

typedef struct patience {
    unsigned left;
} patience;

static bool lose_patience(void *user, const hop_progress *progress) {
    patience *own = user;
    (void)progress;
    return own->left > 0 && own->left-- > 0;
}

static void cancelled_at_every_report(void **state) {
    (void)state;
    write_text(&texts[4], path_of(input, texts[4].name));
    remove(disk_path);
    unsigned files = count_files(), descriptors = count_descriptors(), stops = 0;
    for (unsigned reports = 0;; reports++) {
        patience own = {reports};
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        options.memory_budget = 14 * MIB;
        options.progress = lose_patience;
        options.progress_user = &own;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        hop_status status = hop_graph_convert(context, input, NULL, disk_path, NULL, NULL);
        free_context(context);
        assert_int_equal(count_descriptors(), descriptors);
        if (status == HOP_OK)
            break;
        assert_int_equal(status, HOP_ERR_CANCELLED);
        assert_int_equal(count_files(), files);
        stops++;
    }
    assert_true(stops > 0); /* at least before the file gets its name */
    remove(disk_path);
    remove(input);
}

static void every_allocation_fails(void **state) {
    (void)state;
    write_text(&texts[5], path_of(input, texts[5].name));
    remove(disk_path);
    unsigned files = count_files(), descriptors = count_descriptors();
    hop_status status = HOP_ERR_MEMORY;
    for (long calls = 1; status != HOP_OK; calls += 1 + calls / 16) {
        long left = calls;
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        options.allocator = (hop_allocator){failing_allocate, NULL, failing_release, &left};
        options.memory_budget = 18 * MIB;
        options.threads = 1;
        status = hop_context_create(&options, &context);
        if (status == HOP_OK) {
            status = hop_graph_convert(context, input, NULL, disk_path, NULL, NULL);
            free_context(context);
        }
        assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
        assert_int_equal(count_files(), files + (status == HOP_OK));
        assert_int_equal(count_descriptors(), descriptors);
    }
    remove(disk_path);
    remove(input);
}

/* No file may grow beyond so many bytes: scratch fails first, then the output. */
static void no_room_on_the_disk(void **state) {
    (void)state;
    struct rlimit old, limit;
    write_text(&texts[4], path_of(input, texts[4].name));
    remove(disk_path);
    unsigned files = count_files(), descriptors = count_descriptors();
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (unsigned kib = 64; kib <= 6144; kib *= 3) {
        hop_context *context = budget_context(14 * MIB, 2);
        limit = (struct rlimit){(rlim_t)kib << 10, old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        hop_status status = hop_graph_convert(context, input, NULL, disk_path, NULL, NULL);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, HOP_ERR_IO);
        assert_message(context, "File too large");
        assert_int_equal(count_files(), files);
        assert_int_equal(count_descriptors(), descriptors);
        free_context(context);
    }
    remove(input);
}

static void wrong_arguments(void **state) {
    (void)state;
    hop_context *context = budget_context(64 * MIB, 1);
    hop_convert_report report = {0};
    hop_convert_options options = HOP_CONVERT_OPTIONS_INIT;
    assert_int_equal(hop_graph_convert(NULL, "a", NULL, "b", NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_convert(context, NULL, NULL, "b.npz", NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_convert(context, "a", NULL, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_convert(context, "a", NULL, "b.npz", NULL, &report),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_generate_file(context, "none", NULL, "b.npz", NULL, NULL),
                     HOP_ERR_ARGUMENT);
    options.scratch = "/nowhere/at/all";
    write_text(&texts[0], path_of(input, texts[0].name));
    hop_context *small = budget_context(9 * MIB, 1);
    assert_int_equal(hop_graph_convert(small, input, NULL, disk_path, &options, NULL), HOP_ERR_IO);
    assert_message(small, "/nowhere/at/all");
    free_context(small);
    free_context(context);
    remove(input);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text),
        cmocka_unit_test(pair_of_files),
        cmocka_unit_test(every_family),
        cmocka_unit_test(plan_and_build),
        cmocka_unit_test(plan_refused),
        cmocka_unit_test(bad_line_at_the_end),
        cmocka_unit_test(too_small_a_budget),
        cmocka_unit_test(no_more_than_needed),
        cmocka_unit_test(cancelled_at_every_report),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(no_room_on_the_disk),
        cmocka_unit_test(wrong_arguments),
    };
    path_of(memory_path, "memory.npz");
    path_of(disk_path, "disk.npz");
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
