/* SPDX-License-Identifier: Apache-2.0
 * See job_state.h. */
#include "job_state.h"

#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"

int job_array(problem_job *job, const char *what, uint64_t count, size_t size, void **array) {
    hop_status status = hop_block_create(job->work.context, what, count, size, array);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    job->arrays[job->array_count++] = *array;
    job->result_bytes += count * size;
    return CODE_OK;
}

const char *job_name(const problem_job *job) {
    const char *name = hop_problem_name(job->problem);
    return name != NULL ? name : job->work.given->verb->name;
}

bool job_is_dry(const problem_job *job) {
    return is_given(job->work.given, OPT_DRY_RUN);
}

void job_wrote(problem_job *job, const char *what, const char *path, written_file written) {
    job->files[job->file_count++] = (job_file){what, path, written};
    if (!job->work.json && written.bytes > 0)
        session_say(&job->work, "wrote %s: %s, %s in %s", path, what, bytes_text(written.bytes).s,
                    seconds_text(written.seconds).s);
}
