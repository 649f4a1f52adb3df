/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that ranks read in parts: the graph of one machine, bit by bit, or its failure, with the
 * same words and the same line. */
#include <sys/stat.h>

#include "cluster_same.h"

static void file_write(const job *work, const char *path, const char *bytes, size_t count) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (work->rank == 0) {
        FILE *file = fopen(path, "wb");
        CHECK(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What the file calls vertices. */
static void check_labels(job *work, const hop_cluster_graph *graph, const hop_graph *whole) {
    for (uint64_t i = 0; i < graph->vertex_count; i++) {
        uint64_t v = graph->first_vertex + i;
        uint64_t label = graph->labels != NULL ? graph->labels[i] : graph->first_id + v;
        CHECK(label == hop_graph_label(whole, (hop_vertex)v));
    }
    uint64_t vertices = hop_graph_vertices(whole), found = 0;
    for (uint64_t v = 0; v < vertices; v += vertices / 5 + 1) {
        char word[32];
        (void)snprintf(word, sizeof word, "%llu",
                       (unsigned long long)hop_graph_label(whole, (hop_vertex)v));
        CHECK_OK(work->context, hop_cluster_graph_find(work->cluster, graph, word, &found));
        CHECK(found == v);
    }
    CHECK(hop_cluster_graph_find(work->cluster, graph, "none", &found) == HOP_ERR_ARGUMENT);
}

/* Both ways; returns whether there was a graph. */
static bool check_file(job *work, const char *path) {
    hop_graph *whole = NULL;
    hop_cluster_graph *graph = NULL;
    char said[512];
    hop_status alone = hop_graph_read(work->context, path, NULL, &whole);
    (void)snprintf(said, sizeof said, "%s",
                   alone == HOP_OK ? "" : hop_context_message(work->context));
    hop_status status = hop_cluster_graph_read(work->cluster, path, &graph);
    if (status != alone ||
        (alone != HOP_OK && strstr(hop_context_message(work->context), said) == NULL))
        fprintf(stderr, "one machine: %d %s\nranks: %d %s\n", (int)alone, said, (int)status,
                status == HOP_OK ? "" : hop_context_message(work->context));
    CHECK(status == alone);
    CHECK(alone == HOP_OK || strstr(hop_context_message(work->context), said) != NULL);
    CHECK((graph != NULL) == (status == HOP_OK));
    if (status == HOP_OK) {
        check_same(work, graph, whole);
        check_labels(work, graph, whole);
    }
    hop_cluster_graph_free(graph);
    hop_graph_release(whole);
    return status == HOP_OK;
}

/* ---- texts that are written here ------------------------------------------------------------- */

typedef struct sample_text {
    const char *name, *text;
    bool right;
} sample_text;

static const sample_text texts[] = {
    {"a.txt", "0 1\n1 2\n2 3\n3 4\n4 0\n", true},
    {"a.txt", "0 1\n1 2\n2 3\n3 4\n4 0", true}, /* no newline at the end */
    {"a.txt", "0 1\r\n1 2\r\n2 3\r\n3 4\r\n4 0\r\n", true},
    {"a.txt", "\xef\xbb\xbf# Directed graph\n7 9\n9 7\n9 12\n\n\n# in between\n12 7\n%\n7 7\n",
     true},
    {"a.txt", "# Nodes: 30 Edges: 3\n4 5\n6 29\n# Isolated: 5\n5 6\n", true},
    {"a.txt", "# Isolated: 3 99 1000\n4 5\n6 7\n", true},
    {"a.txt", "# Hoplite edge list\n# Nodes: 9 Edges: 3\n4 5\n6 7\n", false}, /* one is missing */
    {"a.txt", "# Hoplite edge list\n# Nodes: 9 Edges: 1\n4 5\n6 7\n", false},
    {"a.txt", "5000000000 1\n2 7\n1 2\n", true},
    {"a.txt", "1 2\n2 7\n1 2\n3 4\n9 5000000000\n", true},
    {"a.txt", "1 2 3\n2 7 4\n1 2 1\n3 4 -5\n9 5 2147483648\n", true}, /* int64 from the end */
    {"a.txt", "1 2 9000000000\n2 7 4\n1 2 1\n3 4 -5\n9 5 21\n", true},
    {"a.txt", "1 2 3\n2 7 4\n1 2 1\n3 4 9007199254740993\n9 5 0.5\n", true}, /* float64 from it */
    {"a.txt", "1 2 0.25\n2 7 4\n1 2 1\n3 4 -0\n9 5 1e400\n", false},
    {"a.txt", "1 2 99999999999999999999\n2 7 4\n1 2 1\n3 4 5\n9 5 0.5\n", true},
    {"a.txt", "1 2 1\n2 7 4\n1 2 99999999999999999999\n3 4 5\n9 5 6\n", false}, /* no reals */
    {"a.txt", "# Weights: float32\n1 2 0.1\n2 7 4\n1 2 0.3\n3 4 5\n", true},
    {"a.txt", "# Weights: int32\n1 2 1\n2 7 4\n1 2 9\n3 4 5000000000\n5 6 x\n", false},
    {"a.csv", "1,2,3\n2,7,4\n1,2,1\n3,4,5\n", true},
    {"a.csv", "source,target,weight\n1,2,3\n2,7,4\n1,2,1\n3,4,5\n", true},
    {"a.csv", "source;target\n1;2\n2;7\n1;2\n3;4\n", true},
    {"a.csv", "source,target,weight\n\"1\",2,3\n2,\"7\",4\n1,2,1\n3,4,\"5\"\n", true},
    {"a.csv", "source,target,note,weight\n1,2,x,3\n2,7,y,4\n1,2,\"a,b\",1\n3,4,z,5\n", false},
    {"a.csv", "source,target,weight\n1,2,3\n2,7,4\n1,2\n3,4,5\n", false},
    {"a.csv", "source,target,weight\n1,2,\"a\"\n1,5,7\n2,7,8\n", false},
    {"a.txt", "0 1\n1 2\n2 x\n3 4\n4 0\n", false},
    {"a.txt", "0 1\n1 2\n2 3\n3 4 5\n4 0 y\n", false},
    {"a.txt", "0 1\n", true},
    {"a.txt", "# nothing\n\n", true},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% a\n5 5 3\n2 1\n5 4\n3 3\n",
     true},
    {"a.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 3\n2 1 .5\n5 4 1\n3 3 -1\n",
     true},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 3\n2 1\n5 4\n3 3\n1 1\n",
     false},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 3\n2 1\n5 4\n", false},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 2\n2 1\n5 4\n3 3\n1 x\n",
     false},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 4\n2 1\n5 4\n3 6\n1 1\n",
     false},
    {"a.gr", "c x\np sp 4 3\na 1 2 5\nc y\na 2 3 6\na 3 1 7\n", true},
    {"a.gr", "p sp 4 3\na 1 2 5\na 2 3 6\n", false},
    {"a.col", "p edge 4 9\ne 1 2\ne 2 3\ne 4 1\n", true},
    {"a.col", "p col 5 4\ncfoo\ncbar\ne 1 2\ne 2 3\ne 4 5\ne 4 9\n", false},
};

static void check_texts(job *work) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        shared_path place = path_begin(work, texts[i].name);
        file_write(work, place.path, texts[i].text, strlen(texts[i].text));
        if (check_file(work, place.path) != texts[i].right)
            check_failed(__FILE__, __LINE__, texts[i].text, "");
        path_end(work, &place);
    }
}

/* ---- texts that are drawn -------------------------------------------------------------------- */

static uint64_t draw(uint64_t trial, uint64_t at, uint64_t below) {
    return hop__random_at(17, trial, at) % below;
}

/* Lines with comments, blanks and ends of all kinds among them; one line in some files is wrong, or
 * longer than the others together. */
static size_t text_draw(uint64_t trial, char *text, size_t room) {
    uint64_t lines = draw(trial, 0, 60), wrong = draw(trial, 1, 120), at = 10;
    bool weighted = draw(trial, 2, 2) == 0, carriage = draw(trial, 3, 3) == 0;
    uint64_t ids = draw(trial, 4, 2) == 0 ? 12 : UINT64_C(6000000000), lengthy = draw(trial, 5, 90);
    const char *gap = draw(trial, 6, 2) == 0 ? " " : draw(trial, 7, 2) == 0 ? "\t" : ",";
    size_t size = 0;
    for (uint64_t i = 0; i < lines; i++) {
        const char *end = carriage && draw(trial, at++, 2) == 0 ? "\r\n" : "\n";
        char *line = text + size;
        size_t left = room - size;
        int made;
        if (draw(trial, at++, 7) == 0)
            made = snprintf(line, left, "%s%s", draw(trial, at++, 2) == 0 ? "# 1 2 3" : "", end);
        else if (weighted)
            made =
                snprintf(line, left, "%llu%s%llu%s%s%s", (unsigned long long)draw(trial, at, ids),
                         gap, (unsigned long long)draw(trial, at + 1, ids), gap,
                         draw(trial, at + 2, 9) == 0   ? "0.5"
                         : draw(trial, at + 2, 9) == 1 ? "77777777777"
                                                       : "3",
                         end);
        else
            made = snprintf(line, left, "%llu%s%llu%s", (unsigned long long)draw(trial, at, ids),
                            gap, (unsigned long long)draw(trial, at + 1, ids), end);
        at += 3;
        size += (size_t)made;
        if (i == wrong)
            size += (size_t)snprintf(text + size, room - size, "1 2 3 4 5 6\n");
        if (i == lengthy) { /* blanks behind an edge, or a comment */
            text[size++] = draw(trial, at++, 2) == 0 ? '#' : '1';
            memset(text + size, ' ', 9000);
            size += 9000;
            size += (size_t)snprintf(text + size, room - size, weighted ? "1 3\n" : "1\n");
        }
    }
    return size > 0 && draw(trial, 8, 2) == 0 ? size - 1 : size; /* perhaps no newline at the end */
}

static void check_drawn(job *work) {
    enum { ROOM = 1 << 15, TRIALS = 150 };
    char *text = malloc(ROOM);
    uint64_t right = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        shared_path place = path_begin(work, "drawn.el");
        file_write(work, place.path, text, text_draw(trial, text, ROOM));
        right += check_file(work, place.path);
        path_end(work, &place);
    }
    CHECK(right > TRIALS / 4 && right < TRIALS - TRIALS / 10);
    free(text);
}

/* Many chunks in a part, and a line in the middle that is wrong; a hub has half of the arcs. */
static void check_long(job *work, bool wrong) {
    enum { LINES = 120000 };
    char *text = malloc(LINES * 24);
    size_t size = 0;
    for (uint64_t i = 0; i < LINES; i++)
        size += (size_t)snprintf(text + size, 24, "%llu %llu%s\n",
                                 (unsigned long long)(i % 2 == 0 ? 5 : draw(1, i, 30000)),
                                 (unsigned long long)draw(2, i, 30000),
                                 wrong && i == LINES / 5 * 3 ? " ?" : "");
    shared_path place = path_begin(work, "long.txt");
    file_write(work, place.path, text, size);
    CHECK(check_file(work, place.path) == !wrong);
    if (wrong) {
        char line[32];
        (void)snprintf(line, sizeof line, "long.txt:%d: ", LINES / 5 * 3 + 1);
        CHECK(strstr(hop_context_message(work->context), line) != NULL);
    }
    path_end(work, &place);
    free(text);
}

/* ---- what the library writes ----------------------------------------------------------------- */

static void check_written(job *work) {
    static const char *const names[] = {"g.txt", "g.mtx", "g.gr", "g.g500", "g.g500-64"};
    for (size_t i = 0; i < RECIPES; i++)
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            shared_path place = path_begin(work, names[k]);
            hop_generate_options options =
                weighted_options(&recipes[i], k == 2  ? HOP_TYPE_INT32
                                              : k > 2 ? HOP_TYPE_FLOAT32
                                                      : HOP_TYPE_FLOAT64);
            hop_graph *whole = NULL;
            char beside[160];
            CHECK_OK(work->context,
                     hop_graph_generate(work->context, recipes[i].family, &options, &whole));
            /* Of Graph500 all are undirected; of those DIMACS has each edge twice. */
            bool directed = hop_graph_directed(whole), none = hop_graph_arcs(whole) == 0;
            bool possible = k < 2 || (k == 2 ? directed : !directed && !none);
            MPI_Barrier(MPI_COMM_WORLD);
            if (work->rank == 0 && possible)
                CHECK_OK(work->context, hop_graph_write(work->context, whole, place.path, NULL));
            MPI_Barrier(MPI_COMM_WORLD);
            if (possible)
                CHECK(check_file(work, place.path));
            MPI_Barrier(MPI_COMM_WORLD);
            (void)snprintf(beside, sizeof beside, "%s.weights", place.path);
            if (work->rank == 0)
                (void)remove(beside);
            hop_graph_release(whole);
            path_end(work, &place);
        }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void check_refused(job *work, const char *name, const char *bytes, size_t count,
                          hop_status expected, const char *said) {
    shared_path place = path_begin(work, name);
    hop_cluster_graph *graph = NULL;
    file_write(work, place.path, bytes, count);
    hop_status status = hop_cluster_graph_read(work->cluster, place.path, &graph);
    const char *message = hop_context_message(work->context);
    if (status != expected || strstr(message, said) == NULL)
        check_failed(__FILE__, __LINE__, said, message);
    CHECK(graph == NULL);
    path_end(work, &place);
}

static void check_all_refused(job *work) {
    static const char names[] = "ann bob\nbob eve\neve joe\nzoe ann\n";
    static const char metis[] = "3 2\n2\n1 3\n2\n";
    static const char twice[] = "c hoplite undirected\np sp 2 2\na 1 2 5\na 2 1 5\n";
    static const char packed[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33\x50\x30\xe4\x02\x00";
    static const char negative[36] = {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3};
    check_refused(work, "a.txt", names, sizeof names - 1, HOP_ERR_UNSUPPORTED,
                  "native file (.npz)");
    check_refused(work, "a.graph", metis, sizeof metis - 1, HOP_ERR_UNSUPPORTED,
                  "its format is metis");
    check_refused(work, "a.gr", twice, sizeof twice - 1, HOP_ERR_UNSUPPORTED, "stands there twice");
    check_refused(work, "a.txt.gz", packed, sizeof packed - 1, HOP_ERR_UNSUPPORTED, "compressed");
    check_refused(work, "a.g500", negative, 35, HOP_ERR_INPUT, "11 bytes are left over");
}

/* ---- ranks that do not see the same ---------------------------------------------------------- */

/* Rank 0 finds one text at its path and the others another, with `beside` added to the name where
 * it is not "": all fail, and nobody waits. NULL: there is no file. */
typedef struct two_files {
    const char *name, *first, *other, *beside;
    hop_status expected;
    const char *said;
} two_files;

static const two_files differing[] = {
    {"a.txt", "0 1\n1 2\n", "0 1\n1 2\n2 3\n", "", HOP_ERR_INPUT, "not the same for all ranks"},
    {"a.txt", "0 1 1\n1 2 4\n", "0 1  \n1 2  \n", "", HOP_ERR_INPUT, "not the same"},
    {"a.txt", "# Nodes: 9\n0 1\n", "# Nodes: 5\n0 1\n", "", HOP_ERR_INPUT, "not the same"},
    {"a.gr", "p sp 9 1\na 1 2 3\n", "p sp 4 1\na 1 2 3\n", "", HOP_ERR_INPUT, "not the same"},
    {"a.g500-64", "weights!", NULL, ".weights", HOP_ERR_INPUT, "not the same"},
    {"a.txt", "0 1\n", NULL, "", HOP_ERR_IO, "cannot open"},
};

static void own_write(const char *path, const char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static void check_differing(job *work, const two_files *each) {
    static const char edges[32] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2};
    const char *text = work->rank == 0 ? each->first : each->other;
    char folder[] = "/tmp/hoplite-cluster-XXXXXX", path[80], place[96];
    hop_cluster_graph *graph = NULL;
    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/%s", folder, each->name);
    (void)snprintf(place, sizeof place, "%s%s", path, each->beside);
    if (each->beside[0] != '\0')
        own_write(path, edges, sizeof edges);
    if (text != NULL)
        own_write(place, text, strlen(text));
    hop_status status = hop_cluster_graph_read(work->cluster, path, &graph);
    const char *message = hop_context_message(work->context);
    if (status != each->expected || strstr(message, each->said) == NULL)
        check_failed(__FILE__, __LINE__, each->said, message);
    CHECK(graph == NULL);
    (void)remove(place);
    (void)remove(path);
    CHECK(remove(folder) == 0);
}

/* The same for the headers of long files, of which only what they state is compared. */
static void check_long_headers(job *work) {
    enum { FILLING = 20000 };
    const char *stated = work->rank == 0 ? "# Nodes: 9\n0 1\n" : "# Nodes: 5\n0 1\n";
    char *text = malloc(FILLING + 32);
    memset(text, '#', FILLING);
    text[FILLING - 1] = '\n';
    (void)strcpy(text + FILLING, stated);
    const two_files each = {"a.txt", text, text, "", HOP_ERR_INPUT, "not the same"};
    check_differing(work, &each);
    free(text);
}

/* One that nobody writes to: it is refused before it is opened for reading. */
static void check_fifo(job *work) {
    shared_path place = path_begin(work, "a.txt");
    hop_cluster_graph *graph = NULL;
    CHECK(work->rank != 0 || mkfifo(place.path, 0600) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(hop_cluster_graph_read(work->cluster, place.path, &graph) == HOP_ERR_UNSUPPORTED);
    CHECK(graph == NULL);
    path_end(work, &place);
}

static void check_all_differing(job *work) {
    for (size_t i = 0; work->ranks > 1 && i < sizeof differing / sizeof differing[0]; i++)
        check_differing(work, &differing[i]);
    if (work->ranks > 1)
        check_long_headers(work);
    check_fifo(work);
}

/* A rank whose memory does not suffice: the same failure on all, by its name. */
static void check_budget(job *work) {
    enum { LINES = 90000 };
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_cluster *cluster = NULL;
    hop_cluster_graph *graph = NULL;
    char *text = malloc(LINES * 16), name[32];
    size_t size = 0;
    for (uint64_t i = 0; i < LINES; i++)
        size += (size_t)snprintf(text + size, 16, "%llu %llu\n", (unsigned long long)i,
                                 (unsigned long long)draw(3, i, LINES));
    shared_path place = path_begin(work, "a.txt");
    file_write(work, place.path, text, size);
    options.threads = 1;
    options.memory_budget = work->rank + 1 == work->ranks ? 700 << 10 : 0;
    CHECK(hop_context_create(&options, &context) == HOP_OK);
    CHECK_OK(context, hop_cluster_create(context, NULL, &cluster));
    CHECK(hop_cluster_graph_read(cluster, place.path, &graph) == HOP_ERR_BUDGET);
    (void)snprintf(name, sizeof name, "rank %u: ", (unsigned)work->ranks - 1);
    CHECK(work->ranks == 1 || strncmp(hop_context_message(context), name, strlen(name)) == 0);
    CHECK(graph == NULL);
    hop_cluster_free(cluster);
    CHECK(hop_context_memory_used(context) == 0);
    hop_context_free(context);
    path_end(work, &place);
    free(text);
}

int main(void) {
    job work = job_begin();
    check_texts(&work);
    check_drawn(&work);
    check_long(&work, false);
    check_long(&work, true);
    check_written(&work);
    check_all_refused(&work);
    check_all_differing(&work);
    check_budget(&work);
    job_end(&work);
    return 0;
}
