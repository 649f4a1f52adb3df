/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers by an index: see path_index.h. */
#include "path_index.h"

#include <errno.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "number_text.h"

static const char *kind_of(const problem_job *job, const hop_index *index) {
    hop_index_info info = HOP_INDEX_INFO_INIT;
    hop_status status = hop_index_describe(job->work.context, index, &info);
    return word_of_index_kind(status == HOP_OK ? (size_t)info.kind : 0);
}

int index_open(problem_job *job, hop_index **index) {
    static const option_id searching[] = {OPT_VARIANT, OPT_SET, OPT_EXPLAIN, OPT_DRY_RUN,
                                          OPT_REPEAT};
    const arguments *given = job->work.given;
    const char *path = given->values[OPT_INDEX].text;
    for (size_t i = 0; i < sizeof searching / sizeof searching[0]; i++)
        if (is_given(given, searching[i]))
            return complain(CODE_USAGE, "--%s means nothing with --index, which does not search",
                            option_rows[searching[i]].name);
    const option_value *device = &given->values[OPT_DEVICE];
    if (is_given(given, OPT_DEVICE) && !device->inherited && strcmp(device->text, "cpu") != 0)
        return complain(CODE_USAGE,
                        "--device %s means nothing with --index, which is read by the "
                        "processor",
                        device->text);
    hop_status status = hop_index_open(job->work.context, path, job->opened.graph, index);
    if (status == HOP_OK) {
        job->report = need_report(0);
        job->seconds = need_memory(NULL, 1, sizeof *job->seconds);
        return CODE_OK;
    }
    int code = session_fail(&job->work, status);
    if (status == HOP_ERR_INPUT || failure_detail(job->work.context).system_error == ENOENT)
        advise("hoplite index %s -o FILE makes an index of this graph; give it the same options "
               "for reading",
               job->input);
    return code;
}

int index_distances(problem_job *job, const hop_index *index, const hop_edge *pairs, uint64_t count,
                    const hop_span *distances) {
    hop_context *context = job->work.context;
    double start = clock_seconds();
    hop_status status = hop_index_distances(context, index, pairs, count, distances);
    job->seconds[0] = clock_seconds() - start;
    job->runs = 1;
    if (status == HOP_OK && job->run.certify != HOP_CERTIFY_NONE)
        status = hop_index_certify(context, index, pairs, count);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    if (!job->work.json)
        session_say(&job->work, "path: index by %s, %s%s", kind_of(job, index),
                    seconds_text(job->seconds[0]).s, job_proof(job) != NULL ? ", certified" : "");
    return CODE_OK;
}

void index_json(json *out, const problem_job *job, const hop_index *index) {
    json_string(out, "index", job->work.given->values[OPT_INDEX].text);
    json_string(out, "index_kind", kind_of(job, index));
}
