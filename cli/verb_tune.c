/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite tune: measures the constants of the choice on this machine and writes them to a file. */
#include <stdio.h>

#include "complaint.h"
#include "cpu_probe.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "session.h"
#include "tune_measure.h"
#include "tuning_file.h"

#define TUNE_SECONDS 4.0
#define SHARE_LEAST  0.9 /* of the cores; below, times say more about the other work */

static void print_text(const hop_context *context, const double *before, double share,
                       const char *path) {
    for (size_t i = 0; i < hop_tuning_count(); i++) {
        const hop_tuning_constant *row = hop_tuning_at(i);
        report_line(stdout, row->name, "%.6g %s (was %.6g): %s", hop_tuning_get(context, row->name),
                    row->unit, before[i], row->summary);
    }
    report_line(stdout, "machine", "%.0f %% of the cores were ours", 100 * share);
    report_line(stdout, "written", "%s", path != NULL ? path : "nothing");
}

static void print_json(const hop_context *context, const double *before, double share,
                       const char *path) {
    json out;
    json_begin(&out, stdout, "tune");
    json_array(&out, "constants");
    for (size_t i = 0; i < hop_tuning_count(); i++) {
        const hop_tuning_constant *row = hop_tuning_at(i);
        json_object(&out, NULL);
        json_string(&out, "name", row->name);
        json_string(&out, "unit", row->unit);
        json_real(&out, "value", hop_tuning_get(context, row->name));
        json_real(&out, "before", before[i]);
        json_real(&out, "default", row->standard);
        json_end(&out);
    }
    json_end(&out);
    json_real(&out, "share_of_cores", share);
    if (path != NULL)
        json_string(&out, "written", path);
    else
        json_null(&out, "written");
    json_finish(&out);
}

static int measure_and_write(session *work) {
    const arguments *given = work->given;
    hop_context *context = work->context;
    double before[64];
    char note[400];
    cpu_facts facts;
    const char *path = is_given(given, OPT_NO_WRITE) ? NULL : tuning_path();
    if (path == NULL && !is_given(given, OPT_NO_WRITE))
        return complain(CODE_USAGE, "there is no place for the file: HOPLITE_TUNING is none, or "
                                    "neither XDG_CONFIG_HOME nor HOME is set; or use --no-write");
    for (size_t i = 0; i < hop_tuning_count() && i < 64; i++)
        before[i] = hop_tuning_get(context, hop_tuning_at(i)->name);
    double first = measure_share(hop_context_threads(context));
    session_say(work, "measuring for about %.0f seconds ...", TUNE_SECONDS + 1);
    hop_status status = measure_constants(context, TUNE_SECONDS);
    if (status != HOP_OK)
        return session_fail(work, status);
    double last = measure_share(hop_context_threads(context)), share = first < last ? first : last;
    bool busy = share < SHARE_LEAST && !is_given(given, OPT_FORCE);
    int code = CODE_OK;
    if (busy)
        path = NULL;
    if (path != NULL) {
        cpu_probe(&facts);
        snprintf(note, sizeof note, "%s, %u threads; %.0f %% of the cores were ours", facts.model,
                 hop_context_threads(context), 100 * share);
        code = write_tuning(context, path, note);
    }
    if (code != CODE_OK)
        return code;
    if (work->json)
        print_json(context, before, share, path);
    else if (!work->quiet)
        print_text(context, before, share, path);
    if (!busy)
        return CODE_OK;
    fflush(stdout);
    complain(CODE_FAILURE,
             "only %.0f %% of the cores were ours, so these constants mean little and "
             "nothing was written",
             100 * share);
    advise("run it again when nothing else runs, or with --force");
    return CODE_FAILURE;
}

int run_tune(const arguments *given) {
    session work;
    int code = session_open(&work, given);
    if (code != CODE_OK)
        return code;
    code = measure_and_write(&work);
    session_close(&work);
    return code;
}
