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

enum { SPARSE_DEGREE = 8, SKEW = 16 /* times the mean degree */ };

typedef enum shape { ANY, DIRECTED, SPARSE, SKEWED } shape;

/* Readings, from a large cache to a small one; processor time per arc that is read, of one thread.
 */
typedef struct cost {
    hop_problem problem;
    shape shape; /* in the place of a row before */
    double least, most, nanoseconds;
    bool weights;
} cost;

static const cost costs[] = {
    {HOP_PROBLEM_COMPONENTS, ANY, 1, 1, 4.5, false}, {HOP_PROBLEM_BFS, ANY, 1, 1.4, 8, false},
    {HOP_PROBLEM_BFS, DIRECTED, 1, 2.5, 12, false},  {HOP_PROBLEM_SSSP, ANY, 3.4, 8, 22, true},
    {HOP_PROBLEM_SSSP, SKEWED, 2.6, 3.6, 15, true},  {HOP_PROBLEM_SSSP, SPARSE, 1, 1.5, 400, true}};

static bool has_shape(const hop_graph_info *info, shape of) {
    double degree = (double)info->arcs / (info->vertices > 0 ? info->vertices : 1);
    switch (of) {
    case DIRECTED:
        return info->directed;
    case SPARSE:
        return degree < SPARSE_DEGREE;
    case SKEWED:
        return (double)info->max_degree > SKEW * degree;
    default:
        return true;
    }
}

double disk_rate(const char *path, uint64_t size, uint64_t *probed) {
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
        if (costs[i].problem == job->problem && has_shape(&job->info, costs[i].shape))
            row = &costs[i];
    if (row == NULL || job->opened.graph == NULL || !hop_graph_external(job->opened.graph) ||
        stat(job->input, &about) != 0)
        return out;
    size_t weight = row->weights ? hop_type_size(job->info.weight_type) : 0;
    out.file_bytes = job->info.arcs * (sizeof(hop_vertex) + weight);
    out.rate = disk_rate(job->input, (uint64_t)about.st_size, &out.probed);
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
