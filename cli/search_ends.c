/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources and targets of a search: see search_ends.h. */
#include "search_ends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "number_text.h"
#include "vertex_text.h"

static bool is_standard(const arguments *given, option_id option) {
    return is_given(given, option) && strcmp(given->values[option].text, "-") == 0;
}

int ends_check(const problem_job *job) {
    const arguments *given = job->work.given;
    if (is_standard(given, OPT_SOURCES) + is_standard(given, OPT_TARGETS) +
            (strcmp(job->input, "-") == 0) >
        1)
        return complain(CODE_USAGE, "only one of graph, --sources and --targets can be -");
    return CODE_OK;
}

/* All sources are in the largest component, if they are to be. */
static int check_within(const problem_job *job, const search_ends *ends) {
    const source_draw *draw = &ends->draw;
    for (size_t i = 0; i < ends->sources.count; i++) {
        hop_vertex v = ends->sources.vertices[i];
        if (draw_allows(draw, v))
            continue;
        complain(CODE_USAGE, "--within-largest: vertex %s is not in the largest component",
                 vertex_text(job->opened.graph, v).s);
        advise("it has %s vertices, such as %s; --source random draws one",
               count_text(draw->size).s, vertex_text(job->opened.graph, draw->busiest).s);
        return CODE_USAGE;
    }
    return CODE_OK;
}

int ends_take(problem_job *job, search_ends *ends) {
    const arguments *given = job->work.given;
    vertex_space space = space_of_graph(job->opened.graph);
    bool draws = (given->verb->groups & GROUP_WITHIN) != 0;
    vertex_space from = space;
    int code = draws ? draw_open(job, &ends->draw) : CODE_OK;
    if (draws && space.count > 0) {
        from.draw = draw_next;
        from.draw_user = &ends->draw;
    }
    if (code == CODE_OK)
        code = vertices_take(&job->work, &from, OPT_SOURCE, OPT_SOURCES, &ends->sources);
    if (code == CODE_OK && draws)
        code = check_within(job, ends);
    if (code == CODE_OK)
        code = vertices_take(&job->work, &space, OPT_TARGET, OPT_TARGETS, &ends->targets);
    ends->chosen = !is_given(given, OPT_SOURCE) && !is_given(given, OPT_SOURCES);
    if (code == CODE_OK && ends->chosen && space.count > 0) {
        ends->sources.vertices = need_memory(NULL, 1, sizeof(hop_vertex));
        ends->sources.vertices[0] = draws ? ends->draw.busiest : job->info.max_degree_vertex;
        ends->sources.count = 1;
    }
    return code;
}

void ends_free(search_ends *ends) {
    free(ends->sources.vertices);
    free(ends->targets.vertices);
    free(ends->nearest.vertices);
    draw_free(&ends->draw);
}

void ends_line(FILE *file, const problem_job *job, const search_ends *ends) {
    const vertex_set *sources = &ends->sources;
    char shown[4 * sizeof(vertex_words) + 8] = "";
    size_t length = 0, i;
    for (i = 0; i < sources->count && i < 4; i++)
        length += (size_t)snprintf(shown + length, sizeof shown - length, "%s%s", i > 0 ? " " : "",
                                   vertex_text(job->opened.graph, sources->vertices[i]).s);
    if (i < sources->count)
        report_line(file, "sources", "%s ... (%s of them)", shown, count_text(sources->count).s);
    else if (ends->chosen && sources->count > 0)
        report_line(file, "source", "%s, the vertex with the most arcs; --source V takes another",
                    shown);
    else
        report_line(file, sources->count == 1 ? "source" : "sources", "%s%s%s",
                    sources->count > 0 ? shown : "none",
                    ends->draw.drawn == 0 ? ""
                    : sources->count == 1 ? ", drawn by seed "
                                          : ", some drawn by seed ",
                    ends->draw.drawn == 0 ? "" : count_text(ends->draw.seed).s);
    if (ends->draw.labels != NULL)
        report_line(file, "within", "the largest component, of %s",
                    counted_text(ends->draw.size, "vertex", "vertices").s);
}

void ends_json(json *out, const problem_job *job, const search_ends *ends) {
    enum { MOST = 1000 };
    json_array(out, "sources");
    for (size_t i = 0; i < ends->sources.count && i < MOST; i++)
        vertex_json(out, NULL, job->opened.graph, ends->sources.vertices[i]);
    json_end(out);
    json_count(out, "source_count", ends->sources.count);
    json_bool(out, "source_chosen", ends->chosen);
    json_count(out, "sources_drawn", ends->draw.drawn);
    if (ends->draw.drawn > 0)
        json_count(out, "seed", ends->draw.seed);
    if (ends->draw.labels != NULL)
        json_count(out, "largest_component", ends->draw.size);
}

static bool is_reached(const search_values *found, hop_vertex v) {
    return found->levels != NULL ? found->levels[v] != HOP_NO_LEVEL
                                 : distance_reached(found->type, found->distances, v);
}

void reached_line(FILE *file, const problem_job *job, const search_ends *ends,
                  const search_values *found, hop_vertex reached) {
    bool all = ends->targets.count > 0;
    for (size_t i = 0; i < ends->targets.count && all; i++)
        all = is_reached(found, ends->targets.vertices[i]);
    report_line(file, "reached", "%s of %s vertices (%s)%s", count_text(reached).s,
                count_text(job->info.vertices).s, percent_text(reached, job->info.vertices).s,
                all ? ", no farther than the targets"
                : is_given(job->work.given, OPT_NEAREST) &&
                        reached >= ends->sources.count + job->work.given->values[OPT_NEAREST].number
                    ? ", no farther than the nearest"
                    : "");
}

/* "not reached", also where a limit is why; there, how far the search went. */
static void unreached_line(FILE *file, const problem_job *job, const char *vertex) {
    const option_value *depth = &job->work.given->values[OPT_DEPTH];
    const option_value *cutoff = &job->work.given->values[OPT_CUTOFF];
    const char *limit = depth->times > 0 ? depth->text : cutoff->times > 0 ? cutoff->text : NULL;
    report_line(file, "target", "%s: not reached%s%s", vertex,
                limit == NULL      ? ""
                : depth->times > 0 ? ", within --depth "
                                   : ", within --cutoff ",
                limit != NULL ? limit : "");
}

enum { MOST_LINES = 16 };

/* Lines for the first of these vertices. */
static void vertex_lines(FILE *file, const problem_job *job, const char *title,
                         const vertex_set *set, const search_values *found) {
    for (size_t i = 0; i < set->count && i < MOST_LINES; i++) {
        hop_vertex v = set->vertices[i];
        char vertex[sizeof(vertex_words) + 8];
        snprintf(vertex, sizeof vertex, "vertex %s", vertex_text(job->opened.graph, v).s);
        if (!is_reached(found, v))
            unreached_line(file, job, vertex);
        else if (found->levels != NULL)
            report_line(file, title, "%s: level %s", vertex, count_text(found->levels[v]).s);
        else
            report_line(file, title, "%s: distance %s", vertex,
                        distance_text(found->type, found->distances, v).s);
    }
    if (set->count > MOST_LINES)
        report_line(file, title, "... and %s more; --json and -o have all of them",
                    count_text(set->count - MOST_LINES).s);
}

static void vertex_objects(json *out, const problem_job *job, const char *name,
                           const vertex_set *set, const search_values *found) {
    json_array(out, name);
    for (size_t i = 0; i < set->count; i++) {
        hop_vertex v = set->vertices[i];
        json_object(out, NULL);
        vertex_json(out, "vertex", job->opened.graph, v);
        if (found->levels == NULL)
            distance_json(out, "distance", found->type, found->distances, v);
        else if (found->levels[v] == HOP_NO_LEVEL)
            json_null(out, "level");
        else
            json_count(out, "level", found->levels[v]);
        json_end(out);
    }
    json_end(out);
}

void targets_lines(FILE *file, const problem_job *job, const search_ends *ends,
                   const search_values *found) {
    vertex_lines(file, job, "target", &ends->targets, found);
}

void targets_json(json *out, const problem_job *job, const search_ends *ends,
                  const search_values *found) {
    if (ends->targets.count > 0)
        vertex_objects(out, job, "targets", &ends->targets, found);
}

/* ---- the nearest ----------------------------------------------------------------------------- */

int nearest_take(problem_job *job, search_ends *ends, const search_values *found) {
    const hop_vertex n = job->info.vertices;
    const uint64_t most = job->work.given->values[OPT_NEAREST].number;
    hop_vertex room = most < n ? (hop_vertex)most : n, count = 0;
    hop_view values = {found->levels, n, HOP_TYPE_UINT32};
    if (!is_given(job->work.given, OPT_NEAREST))
        return CODE_OK;
    if (found->levels == NULL)
        values = (hop_view){found->distances, n, found->type};
    ends->nearest.vertices = need_memory(NULL, (size_t)room + 1, sizeof(hop_vertex));
    hop_status status = hop_nearest(job->work.context, &values, ends->sources.vertices,
                                    ends->sources.count, ends->nearest.vertices, room, &count);
    ends->nearest.count = count;
    return status == HOP_OK ? CODE_OK : session_fail(&job->work, status);
}

void nearest_lines(FILE *file, const problem_job *job, const search_ends *ends,
                   const search_values *found) {
    if (is_given(job->work.given, OPT_NEAREST))
        vertex_lines(file, job, "nearest", &ends->nearest, found);
}

void nearest_json(json *out, const problem_job *job, const search_ends *ends,
                  const search_values *found) {
    if (is_given(job->work.given, OPT_NEAREST))
        vertex_objects(out, job, "nearest", &ends->nearest, found);
}
