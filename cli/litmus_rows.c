/* SPDX-License-Identifier: Apache-2.0
 *
 * The litmus tests of a device: what two work-groups see of each other, pattern by pattern. */
#include "litmus_rows.h"

#include <string.h>

#include "failure_text.h"
#include "graph_report.h"

hop_status litmus_take(hop_context *context, litmus_rows *all) {
    hop_status first = HOP_OK;
    *all = (litmus_rows){0};
    for (size_t i = 0; i < hop_device_litmus_count() && i < LITMUS_MOST; i++) {
        hop_device_litmus *row = &all->rows[all->count];
        row->size = sizeof *row;
        hop_status status = hop_device_litmus_try(context, i, row);
        if (status != HOP_OK && first == HOP_OK) {
            first = status;
            snprintf(all->message, sizeof all->message, "%.511s", failure_text(context).s);
        }
        if (status != HOP_OK && row->forbidden == 0)
            break; /* a call of the driver failed */
        all->count++;
    }
    return first;
}

void litmus_text(FILE *file, const litmus_rows *all) {
    for (size_t i = 0; i < all->count; i++) {
        const hop_device_litmus *row = &all->rows[i];
        if (row->reason[0] != '\0') {
            report_line(file, "litmus", "%s: not tried: %s", row->name, row->reason);
            continue;
        }
        char weak[64] = "";
        if (row->fenced)
            snprintf(weak, sizeof weak, "; %llu without fences", (unsigned long long)row->weak);
        report_line(file, "litmus", "%s: %llu of %llu forbidden, %llu at the same time%s",
                    row->name, (unsigned long long)row->forbidden, (unsigned long long)row->trials,
                    (unsigned long long)row->met, weak);
    }
}

void litmus_json(json *out, const litmus_rows *all) {
    json_array(out, "litmus");
    for (size_t i = 0; i < all->count; i++) {
        const hop_device_litmus *row = &all->rows[i];
        json_object(out, NULL);
        json_string(out, "pattern", row->name);
        json_count(out, "trials", row->trials);
        json_count(out, "met", row->met);
        json_count(out, "forbidden", row->forbidden);
        if (row->fenced && row->reason[0] == '\0')
            json_count(out, "weak", row->weak);
        else
            json_string(out, "weak", NULL);
        json_string(out, "skipped", row->reason[0] != '\0' ? row->reason : NULL);
        json_end(out);
    }
    json_end(out);
}
