/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing sources: see source_draw.h. The same graph, seed and options draw the same vertices. */
#include "source_draw.h"

#include "exit_codes.h"

bool draw_allows(const source_draw *draw, hop_vertex v) {
    return draw->labels == NULL || draw->labels[v] == draw->largest;
}

static int find_largest(problem_job *job, source_draw *draw) {
    hop_context *context = job->work.context;
    hop_vertex n = job->info.vertices;
    void *labels = NULL, *sizes = NULL;
    hop_status status = hop_block_create(context, "components", n, sizeof(hop_vertex), &labels);
    draw->labels = labels;
    if (status == HOP_OK)
        status = hop_components(context, draw->graph, NULL, draw->labels, NULL);
    if (status == HOP_OK)
        status = hop_block_create(context, "sizes of components", n, sizeof(hop_vertex), &sizes);
    if (status == HOP_OK)
        status = hop_components_sizes(context, draw->labels, n, sizes);
    for (hop_vertex v = 0; v < n && status == HOP_OK; v++)
        if (((const hop_vertex *)sizes)[v] > draw->size) {
            draw->largest = v;
            draw->size = ((const hop_vertex *)sizes)[v];
        }
    hop_block_free(sizes);
    return status == HOP_OK ? CODE_OK : session_fail(&job->work, status);
}

int draw_open(problem_job *job, source_draw *draw) {
    const option_value *seed = &job->work.given->values[OPT_SEED];
    *draw = (source_draw){.graph = job->opened.graph,
                          .seed = seed->times > 0 ? seed->number : 1,
                          .busiest = job->info.max_degree_vertex};
    if (!is_given(job->work.given, OPT_WITHIN_LARGEST) || job->info.vertices == 0)
        return CODE_OK;
    int code = find_largest(job, draw);
    draw->busiest = draw->largest;
    for (hop_vertex v = 0; code == CODE_OK && v < job->info.vertices; v++)
        if (draw_allows(draw, v) &&
            hop_graph_degree(draw->graph, v) > hop_graph_degree(draw->graph, draw->busiest))
            draw->busiest = v;
    return code;
}

void draw_free(source_draw *draw) {
    hop_block_free(draw->labels);
    draw->labels = NULL;
}

/* The generator "splitmix64" of Steele, Lea and Flood (2014): a number of 64 bits for each index.
 */
static uint64_t random_at(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

hop_vertex draw_next(void *user) {
    source_draw *draw = user;
    hop_vertex n = hop_graph_vertices(draw->graph), all = 0, linked = 0;
    for (hop_vertex v = 0; v < n; v++)
        if (draw_allows(draw, v)) {
            all++;
            linked += hop_graph_degree(draw->graph, v) > 0;
        }
    if (all == 0)
        return HOP_NO_VERTEX;
    uint64_t left = random_at(draw->seed, draw->drawn++) % (linked > 0 ? linked : all);
    for (hop_vertex v = 0; v < n; v++)
        if (draw_allows(draw, v) && (linked == 0 || hop_graph_degree(draw->graph, v) > 0) &&
            left-- == 0)
            return v;
    return HOP_NO_VERTEX;
}
