/* SPDX-License-Identifier: Apache-2.0
 *
 * A list described. Heads, tails and joins are counted with two bits per element; the list is not
 * followed, so a cycle beside it is not seen here: ranking refuses it. */
#include <stdlib.h>

#include "complaint.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "interrupt.h"
#include "number_text.h"

static bool test_and_set(uint64_t *bits, hop_vertex index) {
    uint64_t bit = UINT64_C(1) << (index % 64);
    bool was = (bits[index / 64] & bit) != 0;
    bits[index / 64] |= bit;
    return was;
}

int list_measure(session *work, const hop_vertex *successors, hop_vertex count,
                 list_report *report) {
    size_t words = (size_t)count / 64 + 1;
    uint64_t *seen = calloc(2 * words, sizeof *seen);
    if (seen == NULL)
        return complain(CODE_FAILURE, "no memory for %zu times 16 bytes", words);
    uint64_t *joined = seen + words;
    hop_vertex reached = 0;
    int code = CODE_OK;
    *report = (list_report){.count = count};
    for (hop_vertex i = 0; i < count && code == CODE_OK; i++) {
        if (i % (1u << 20) == 0 && interrupted())
            code = session_fail(work, HOP_ERR_CANCELLED);
        hop_vertex next = successors[i];
        if (next == i) {
            report->tails++;
            continue;
        }
        if (!test_and_set(seen, next))
            reached++;
        else if (!test_and_set(joined, next))
            report->joins++;
    }
    report->heads = count - reached;
    free(seen);
    return code;
}

void list_lines(FILE *file, const list_report *report) {
    report_line(file, "elements", "%s", count_text(report->count).s);
    report_line(file, "heads", "%s", count_text(report->heads).s);
    report_line(file, "tails", "%s", count_text(report->tails).s);
    report_line(file, "joins", "%s", count_text(report->joins).s);
    report_line(file, "memory", "%s at rest",
                bytes_text((uint64_t)report->count * sizeof(hop_vertex)).s);
}

void list_json(json *out, const list_report *report) {
    json_object(out, "list");
    json_count(out, "elements", report->count);
    json_count(out, "heads", report->heads);
    json_count(out, "tails", report->tails);
    json_count(out, "joins", report->joins);
    json_count(out, "memory_bytes", (uint64_t)report->count * sizeof(hop_vertex));
    json_end(out);
}
