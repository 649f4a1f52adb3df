/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite devices: what this machine can compute with. The processor is the only device so far;
 * others will be rows after it. */
#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "cpu_probe.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "number_text.h"

typedef struct limits {
    unsigned threads; /* that the library uses by default */
    uint64_t budget;
} limits;

static void print_text(const cpu_facts *facts, const limits *library, bool chosen) {
    report_line(stdout, "device", "cpu%s", chosen ? " *" : "");
    report_line(stdout, "model", "%s", facts->model[0] != '\0' ? facts->model : "unknown");
    report_line(stdout, "cores", "%u in %u socket%s, %u hardware threads, %u usable", facts->cores,
                facts->sockets, facts->sockets == 1 ? "" : "s", facts->processors, facts->usable);
    for (unsigned i = 0; i < facts->cache_count; i++) {
        const cpu_cache *cache = &facts->caches[i];
        char name[32];
        snprintf(name, sizeof name, "L%u %s", cache->level,
                 strcmp(cache->type, "Data") == 0          ? "data"
                 : strcmp(cache->type, "Instruction") == 0 ? "code"
                                                           : "");
        report_line(stdout, name, "%u x %s", cache->instances, bytes_text(cache->bytes).s);
    }
    report_line(stdout, "simd", "%s", facts->simd[0] != '\0' ? facts->simd : "unknown");
    report_line(stdout, "memory", "%s, %s free, in %u node%s", bytes_text(facts->memory).s,
                bytes_text(facts->memory_free).s, facts->nodes, facts->nodes == 1 ? "" : "s");
    report_line(stdout, "pages", "%s; huge pages: %s", bytes_text(facts->page_bytes).s,
                facts->huge_pages[0] != '\0' ? facts->huge_pages : "unknown");
    report_line(stdout, "default", "%u threads, %s of memory", library->threads,
                bytes_text(library->budget).s);
}

static void print_json(const cpu_facts *facts, const limits *library, bool chosen) {
    json out;
    json_begin(&out, stdout, "devices");
    json_array(&out, "devices");
    json_object(&out, NULL);
    json_string(&out, "name", "cpu");
    json_string(&out, "kind", "host");
    json_bool(&out, "chosen", chosen);
    json_string(&out, "model", facts->model);
    json_count(&out, "sockets", facts->sockets);
    json_count(&out, "cores", facts->cores);
    json_count(&out, "hardware_threads", facts->processors);
    json_count(&out, "usable_threads", facts->usable);
    json_array(&out, "caches");
    for (unsigned i = 0; i < facts->cache_count; i++) {
        json_object(&out, NULL);
        json_count(&out, "level", facts->caches[i].level);
        json_string(&out, "type", facts->caches[i].type);
        json_count(&out, "bytes", facts->caches[i].bytes);
        json_count(&out, "instances", facts->caches[i].instances);
        json_end(&out);
    }
    json_end(&out);
    json_string(&out, "simd", facts->simd);
    json_count(&out, "memory_bytes", facts->memory);
    json_count(&out, "memory_free_bytes", facts->memory_free);
    json_count(&out, "memory_nodes", facts->nodes);
    json_count(&out, "page_bytes", facts->page_bytes);
    json_string(&out, "huge_pages", facts->huge_pages);
    json_count(&out, "default_threads", library->threads);
    json_count(&out, "default_budget_bytes", library->budget);
    json_end(&out);
    json_end(&out);
    json_finish(&out);
}

int run_devices(const arguments *given) {
    cpu_facts facts;
    hop_context *context = NULL;
    const char *name = is_given(given, OPT_DEVICE) ? given->values[OPT_DEVICE].text : NULL;
    bool exists = name == NULL || strcmp(name, "cpu") == 0;
    hop_status status = hop_context_create(NULL, &context);
    if (status != HOP_OK)
        return complain(CODE_FAILURE, "the library could not be started: %s",
                        hop_status_name(status));
    limits library = {hop_context_threads(context), hop_context_memory(context).budget};
    hop_context_free(context);
    cpu_probe(&facts);
    if (is_given(given, OPT_JSON))
        print_json(&facts, &library, exists);
    else
        print_text(&facts, &library, exists);
    if (exists)
        return CODE_OK;
    fflush(stdout);
    return complain(CODE_NO_DEVICE, "%s: no such device; this machine has: cpu", name);
}
