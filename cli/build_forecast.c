/* SPDX-License-Identifier: Apache-2.0
 * See build_forecast.h. */
#include "build_forecast.h"

#include "disk_forecast.h"
#include "graph_report.h"
#include "json_writer.h"
#include "number_text.h"

/* Processor time per edge, of one thread, in nanoseconds: measured on R-MAT 21, 16 edges per vertex
 * (docs/larger-than-memory.md). */
static const double costs[2][2] = {{78, 105}, {53, 130}}; /* recipe, text; in memory, on disk */

typedef struct forecast {
    double seconds, rate; /* rate 0: not known, and the disk's part is left out */
    uint64_t through;     /* bytes through the disk */
} forecast;

/* A byte that is written takes twice the time of one that is read. */
static forecast make_forecast(const session *work, const char *input,
                              const hop_convert_report *plan) {
    forecast out = {.through = plan->read_bytes + 2 * plan->scratch_bytes + plan->output_bytes};
    uint64_t probed = 0, written = plan->scratch_bytes + plan->output_bytes;
    if (input != NULL)
        out.rate = disk_rate(input, plan->read_bytes, &probed);
    out.seconds = (double)plan->edges_given * costs[input != NULL][plan->on_disk] * 1e-9 /
                  (double)hop_context_threads(work->context);
    if (out.rate > 0)
        out.seconds += (double)(out.through + written) / out.rate;
    return out;
}

static void print_json(const session *work, const hop_convert_report *plan, const forecast *all) {
    json out;
    json_begin(&out, stdout, work->given->verb->name);
    json_bool(&out, "dry_run", true);
    json_bool(&out, "on_disk", plan->on_disk);
    json_count(&out, "vertices", plan->vertices);
    json_count(&out, "edges", plan->edges_given);
    json_count(&out, "memory_bytes", plan->memory_bytes);
    json_count(&out, "output_bytes", plan->output_bytes);
    json_count(&out, "scratch_bytes", plan->scratch_bytes);
    json_count(&out, "read_bytes", plan->read_bytes);
    json_real(&out, "expected_seconds", all->seconds);
    json_count(&out, "budget_bytes", hop_context_memory_budget(work->context));
    json_finish(&out);
}

void build_forecast(session *work, const char *input, const hop_convert_report *plan) {
    forecast all = make_forecast(work, input, plan);
    if (work->json) {
        print_json(work, plan, &all);
        return;
    }
    report_line(stdout, "graph", "%s%s, %s%s", input != NULL ? "about " : "",
                counted_text(plan->vertices, "vertex", "vertices").s,
                counted_text(plan->edges_given, "edge", "edges").s,
                input != NULL ? ", by its header or a sample of it" : " drawn");
    report_line(stdout, "memory", "%s to build it in memory, %s allowed: built %s",
                bytes_text(plan->memory_bytes).s,
                bytes_text(hop_context_memory_budget(work->context)).s,
                plan->on_disk ? "on disk" : "in memory");
    if (plan->on_disk)
        report_line(stdout, "disk", "%s at most for the file, and %s of scratch on the way",
                    bytes_text(plan->output_bytes).s, bytes_text(plan->scratch_bytes).s);
    else
        report_line(stdout, "disk", "%s at most for the file", bytes_text(plan->output_bytes).s);
    if (all.rate > 0)
        report_line(stdout, "time", "about %s; this disk gave %s/s just now",
                    seconds_text(all.seconds).s, bytes_text((uint64_t)all.rate).s);
    else
        report_line(stdout, "time", "about %s of processors, and %s through the disk",
                    seconds_text(all.seconds).s, bytes_text(all.through).s);
}
