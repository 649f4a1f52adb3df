/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite tune: measures the constants of the choice on this machine, or those of a device, and
 * writes them to a file. */
#include <math.h>
#include <stdio.h>

#include "complaint.h"
#include "cpu_probe.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "session.h"
#include "tune_device.h"
#include "tune_measure.h"
#include "tuning_file.h"

#define TUNE_SECONDS 4.0
#define SHARE_LEAST  0.9 /* of the cores; below, times say more about the other work */

/* What is measured: the constants of this machine, or those of the device that was named. */
typedef struct subject {
    hop_context *context;
    bool device;
    char name[24];
    double before[64];
} subject;

static size_t constant_count(const subject *what) {
    return what->device ? hop_tuning_device_count() : hop_tuning_count();
}

static const hop_tuning_constant *constant_at(const subject *what, size_t i) {
    return what->device ? hop_tuning_device_at(i) : hop_tuning_at(i);
}

static double value_of(const subject *what, size_t i) {
    double value = NAN;
    const char *name = constant_at(what, i)->name;
    if (!what->device)
        return hop_tuning_get(what->context, name);
    return hop_tuning_device_get(what->context, name, &value, NULL) == HOP_OK ? value : NAN;
}

static void print_text(const subject *what, double share, const char *path) {
    for (size_t i = 0; i < constant_count(what); i++) {
        const hop_tuning_constant *row = constant_at(what, i);
        report_line(stdout, row->name, "%.6g %s (was %.6g): %s", value_of(what, i), row->unit,
                    what->before[i], row->summary);
    }
    report_line(stdout, "machine", "%.0f %% of the cores were ours", 100 * share);
    report_line(stdout, "written", "%s", path != NULL ? path : "nothing");
}

static void print_json(const subject *what, double share, const char *path) {
    json out;
    json_begin(&out, stdout, "tune");
    json_string(&out, "device", what->device ? what->name : "cpu");
    json_array(&out, "constants");
    for (size_t i = 0; i < constant_count(what); i++) {
        const hop_tuning_constant *row = constant_at(what, i);
        json_object(&out, NULL);
        json_string(&out, "name", row->name);
        json_string(&out, "unit", row->unit);
        json_real(&out, "value", value_of(what, i));
        json_real(&out, "before", what->before[i]);
        if (!what->device)
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

/* Of what the file says the last is about: a line of comment. */
static void make_note(const subject *what, double share, char note[400]) {
    cpu_facts facts;
    cpu_probe(&facts);
    int length = snprintf(note, 400, "%s, %u threads; %.0f %% of the cores were ours", facts.model,
                          hop_context_threads(what->context), 100 * share);
    if (what->device && length > 0 && length < 300)
        snprintf(note + length, 400 - (size_t)length, "; last measured: device %s", what->name);
}

static hop_status measure(const subject *what) {
    return what->device ? measure_device(what->context)
                        : measure_constants(what->context, TUNE_SECONDS);
}

static void begin_subject(const session *work, subject *what) {
    hop_device_info info = {.size = sizeof info};
    *what = (subject){.context = work->context,
                      .device = hop_device_open(work->context, &info) == HOP_OK};
    snprintf(what->name, sizeof what->name, "%s", info.name);
    for (size_t i = 0; i < constant_count(what) && i < 64; i++)
        what->before[i] = value_of(what, i);
}

static int measure_and_write(session *work) {
    const arguments *given = work->given;
    hop_context *context = work->context;
    subject what;
    char note[400];
    const char *path = is_given(given, OPT_NO_WRITE) ? NULL : tuning_path();
    if (path == NULL && !is_given(given, OPT_NO_WRITE))
        return complain(CODE_USAGE, "there is no place for the file: HOPLITE_TUNING is none, or "
                                    "neither XDG_CONFIG_HOME nor HOME is set; or use --no-write");
    begin_subject(work, &what);
    double first = measure_share(hop_context_threads(context));
    if (what.device)
        session_say(work, "measuring %s ...", what.name);
    else
        session_say(work, "measuring for about %.0f seconds ...", TUNE_SECONDS + 1);
    hop_status status = measure(&what);
    if (status != HOP_OK)
        return session_fail(work, status);
    double last = measure_share(hop_context_threads(context)), share = first < last ? first : last;
    bool busy = share < SHARE_LEAST && !is_given(given, OPT_FORCE);
    int code = CODE_OK;
    if (busy)
        path = NULL;
    if (path != NULL) {
        make_note(&what, share, note);
        code = write_tuning(context, path, note);
    }
    if (code != CODE_OK)
        return code;
    if (work->json)
        print_json(&what, share, path);
    else if (!work->quiet)
        print_text(&what, share, path);
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
