/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of `hoplite devices --accept`; docs/json.md describes it. */
#include <math.h>
#include <string.h>

#include "accept/accept.h"
#include "bench/bench_rows.h"
#include "build_facts.h"
#include "complaint.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "interrupt.h"
#include "number_text.h"

static bool is_bad(accept_outcome outcome) {
    return outcome == ACCEPT_WRONG || outcome >= ACCEPT_FAILED;
}

static const accept_row *first_bad(const acceptance *all) {
    for (size_t i = 0; i < all->state->row_count; i++)
        if (is_bad(all->state->rows[i].outcome))
            return &all->state->rows[i];
    return NULL;
}

static bool part_passed(const accept_part *part) {
    return part->done && part->status == HOP_OK;
}

/* Nothing was wrong, and something was right. */
static bool is_accepted(const acceptance *all) {
    bool any = false;
    for (size_t i = 0; i < all->state->row_count; i++)
        any |= all->state->rows[i].outcome == ACCEPT_OK;
    return any && first_bad(all) == NULL && part_passed(&all->state->check) &&
           part_passed(&all->state->order) && part_passed(&all->state->measure) && !interrupted();
}

/* Items per second over the words per second of a gather; steps of a triple loop are none. */
static double part_of_gather(const acceptance *all, const accept_row *row) {
    double gather = all->state->rates.gather;
    return row->problem != HOP_PROBLEM_APSP && gather > 0 ? row->items / row->seconds / gather
                                                          : NAN;
}

/* The input, read once, at the speed of a copy, over the time that it took. */
static double part_of_copy(const acceptance *all, const accept_row *row) {
    double copy = all->state->rates.copy;
    return row->problem != HOP_PROBLEM_APSP && copy > 0
               ? (double)row->input_bytes / row->seconds / copy
               : NAN;
}

static void part_json(json *out, const char *key, const accept_part *part) {
    json_object(out, key);
    json_bool(out, "passed", part_passed(part));
    json_real(out, "seconds", part->seconds);
    json_string(out, "message", part_passed(part) ? NULL : part->message);
    json_end(out);
}

static void rates_json(json *out, const hop_device_rates *rates) {
    json_object(out, "rates");
    json_count(out, "array_bytes", rates->bytes);
    json_real(out, "copy_bytes_per_second", rates->copy);
    json_real(out, "gather_words_per_second", rates->gather);
    json_real(out, "to_device_bytes_per_second", rates->to_device);
    json_real(out, "to_host_bytes_per_second", rates->to_host);
    json_real(out, "launch_seconds", rates->launch);
    json_real(out, "atomics_per_second", rates->atomic);
    json_end(out);
}

static void row_json(json *out, const acceptance *all, const accept_row *row) {
    json_object(out, NULL);
    json_string(out, "problem", hop_problem_name(row->problem));
    json_string(out, "graph", row->graph);
    json_string(out, "variant", row->variant);
    json_string(out, "outcome", accept_outcomes[row->outcome]);
    json_bool(out, "certified", row->certified);
    json_string(out, "message", row->message[0] != '\0' ? row->message : NULL);
    json_count(out, "vertices", row->vertices);
    json_count(out, "arcs", row->arcs);
    json_count(out, "input_bytes", row->input_bytes);
    json_count(out, "device_memory_bytes", row->device_bytes);
    json_real(out, "seconds", row->seconds);
    json_real(out, "host_seconds", row->host_seconds);
    json_real(out, "items_per_second", row->items / row->seconds);
    json_real(out, "of_gather", part_of_gather(all, row));
    json_real(out, "of_copy", part_of_copy(all, row));
    json_end(out);
}

static void courses_json(json *out, const acceptance *all) {
    json_array(out, "graphs");
    for (size_t c = 0; c < all->course_count; c++) {
        const accept_course *course = &all->courses[c];
        json_object(out, NULL);
        json_string(out, "problem", hop_problem_name(course->problem));
        json_string(out, "pattern", course->pattern);
        json_string(out, "largest", course->largest[0] != '\0' ? course->largest : NULL);
        json_string(out, "ended", course->ended);
        json_end(out);
    }
    json_end(out);
}

void accept_json(const acceptance *all, FILE *file) {
    const accept_state *state = all->state;
    json out;
    json_begin(&out, file, "devices");
    json_bool(&out, "accepted", is_accepted(all));
    json_bool(&out, "interrupted", interrupted());
    json_string(&out, "library", hop_version());
    json_string(&out, "commit", build_commit());
    json_string(&out, "compiler", build_compiler);
    json_object(&out, "device");
    device_members(&out, &state->info);
    json_end(&out);
    machine_json(&out);
    json_count(&out, "budget_bytes", state->host_budget);
    json_count(&out, "device_budget_bytes", state->device_budget);
    json_real(&out, "seconds", clock_seconds() - all->began);
    part_json(&out, "check", &state->check);
    part_json(&out, "order", &state->order);
    litmus_json(&out, &state->litmus);
    part_json(&out, "measured", &state->measure);
    rates_json(&out, &state->rates);
    courses_json(&out, all);
    json_array(&out, "runs");
    for (size_t i = 0; i < state->row_count; i++)
        row_json(&out, all, &state->rows[i]);
    json_end(&out);
    json_finish(&out);
}

/* --- for people ------------------------------------------------------------------------------ */

/* One line for a variant: how many graphs, the largest that was right and its rate, what ended it.
 */
static void variant_line(const acceptance *all, FILE *file, hop_problem problem,
                         const char *variant) {
    const accept_row *best = NULL, *bad = NULL, *refused = NULL;
    size_t right = 0;
    for (size_t i = 0; i < all->state->row_count; i++) {
        const accept_row *row = &all->state->rows[i];
        if (row->problem != problem || strcmp(row->variant, variant) != 0)
            continue;
        right += row->outcome == ACCEPT_OK;
        if (row->outcome == ACCEPT_OK && (best == NULL || row->items >= best->items))
            best = row;
        if (is_bad(row->outcome) && bad == NULL)
            bad = row;
        if (row->outcome == ACCEPT_REFUSED && refused == NULL)
            refused = row;
    }
    fprintf(file, "%-10s  %-22s", hop_problem_name(problem), variant);
    if (bad != NULL)
        fprintf(file, "  %s on %s: %s\n", bad->outcome == ACCEPT_WRONG ? "WRONG" : "FAILED",
                bad->graph, bad->message);
    else if (best != NULL) {
        double part = part_of_gather(all, best);
        fprintf(file, "  %zu graphs, the last %s: %s %s/s", right, best->graph,
                rate_text(best->items / best->seconds).s,
                problem == HOP_PROBLEM_APSP ? "steps" : "items");
        if (!isnan(part))
            fprintf(file, ", %.2g of a gather", part);
        fputc('\n', file);
    } else
        fprintf(file, "  %s\n",
                refused != NULL ? refused->message : "too little memory, or time, for any graph");
}

void accept_text(const acceptance *all, FILE *file) {
    const accept_state *state = all->state;
    const hop_variant *variant;
    report_line(file, "device", "%s, %s, %s", state->info.name, state->info.title,
                state->info.driver);
    report_line(file, "check", "%s%s", part_passed(&state->check) ? "passed" : "FAILED: ",
                part_passed(&state->check) ? "" : state->check.message);
    report_line(file, "order", "%s%s", part_passed(&state->order) ? "passed" : "FAILED: ",
                part_passed(&state->order) ? "" : state->order.message);
    litmus_text(file, &state->litmus);
    if (part_passed(&state->measure))
        report_line(file, "rates", "copy %sB/s, gather %s words/s, launch %s",
                    rate_text(state->rates.copy).s, rate_text(state->rates.gather).s,
                    seconds_text(state->rates.launch).s);
    else
        report_line(file, "rates", "FAILED: %s", state->measure.message);
    fputc('\n', file);
    for (int p = 0; p < HOP_PROBLEM_COUNT; p++)
        for (size_t v = 0; (variant = hop_variant_at((hop_problem)p, v)) != NULL; v++)
            if (variant->place == HOP_PLACE_DEVICE)
                variant_line(all, file, (hop_problem)p, variant->name);
    fputc('\n', file);
    report_line(file, "accepted", "%s", is_accepted(all) ? "yes" : "no");
}

int accept_verdict(const acceptance *all) {
    const accept_row *bad = first_bad(all);
    if (bad != NULL && !interrupted())
        return complain(bad->outcome == ACCEPT_WRONG ? CODE_REJECTED : CODE_NO_DEVICE,
                        "%s: %s of %s is %s on %s: %s", all->device, bad->variant,
                        hop_problem_name(bad->problem), accept_outcomes[bad->outcome], bad->graph,
                        bad->message);
    if (interrupted())
        return complain(interrupt_exit_code(), "interrupted");
    const accept_part *parts[] = {&all->state->check, &all->state->order, &all->state->measure};
    static const char *const names[] = {"check", "order", "rates"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!part_passed(parts[i]))
            return complain(CODE_NO_DEVICE, "%s%s%s", parts[i]->done ? "" : names[i],
                            parts[i]->done ? "" : ": ", parts[i]->message);
    if (!is_accepted(all))
        return complain(CODE_FAILURE, "%s: no variant got to the end of a graph", all->device);
    return CODE_OK;
}
