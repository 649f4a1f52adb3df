/* SPDX-License-Identifier: Apache-2.0
 * See disk_forecast.h. */
#include "disk_forecast.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "number_text.h"

enum { PIECE = 4 << 20, PIECES = 16, PAGE = 4096 };

static const double MOST_SECONDS = 0.25; /* of probing */

/* Readings: from R-MAT to uniform graphs; processor time per arc that is read, of one thread. */
typedef struct cost {
    hop_problem problem;
    bool directed; /* of directed graphs, in the place of a row before */
    double least, most, nanoseconds;
    bool weights;
} cost;

static const cost costs[] = {{HOP_PROBLEM_COMPONENTS, false, 1, 1, 4.5, false},
                             {HOP_PROBLEM_BFS, false, 1, 1.4, 8, false},
                             {HOP_PROBLEM_BFS, true, 2.5, 3.5, 4, false},
                             {HOP_PROBLEM_SSSP, false, 4, 12, 9, true}};

/* Reads pieces that are spread over the file; past the page cache where that can be done. */
static double probe(const char *path, uint64_t size, uint64_t *probed) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (file < 0)
        file = open(path, O_RDONLY | O_CLOEXEC);
    void *buffer = aligned_alloc(PAGE, PIECE);
    double began = clock_seconds(), seconds = 0;
    if (file >= 0 && buffer != NULL)
        for (uint64_t i = 0; i < PIECES && seconds < MOST_SECONDS; i++) {
            uint64_t place = size / PIECES * i / PAGE * PAGE;
            ssize_t count = pread(file, buffer, PIECE, (off_t)place);
            if (count <= 0)
                break;
            *probed += (uint64_t)count;
            seconds = clock_seconds() - began;
        }
    free(buffer);
    if (file >= 0)
        close(file);
    return seconds > 0 ? (double)*probed / seconds : 0;
}

disk_forecast forecast_disk(const problem_job *job) {
    disk_forecast out = {0};
    struct stat about;
    const cost *row = NULL;
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
        if (costs[i].problem == job->problem && (!costs[i].directed || job->info.directed))
            row = &costs[i];
    if (row == NULL || job->opened.graph == NULL || !hop_graph_external(job->opened.graph) ||
        stat(job->input, &about) != 0)
        return out;
    size_t weight = row->weights ? hop_type_size(job->info.weight_type) : 0;
    out.file_bytes = job->info.arcs * (sizeof(hop_vertex) + weight);
    out.rate = probe(job->input, (uint64_t)about.st_size, &out.probed);
    double threads = (double)hop_context_threads(job->work.context);
    double work = (double)job->info.arcs * row->nanoseconds * 1e-9 / threads;
    double disk = out.rate > 0 ? (double)out.file_bytes / out.rate : 0;
    const double readings[2] = {row->least, row->most};
    for (int i = 0; i < 2; i++) {
        out.readings[i] = readings[i];
        out.seconds[i] = readings[i] * (work > disk ? work : disk);
    }
    return out;
}
