/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite devices: what this machine can compute with. The processor comes first, then what the
 * drivers offer, then what is missing. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accept/accept.h"
#include "complaint.h"
#include "cpu_probe.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "graph_report.h"
#include "interrupt.h"
#include "litmus_rows.h"
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

static void cpu_json(json *stream, const cpu_facts *facts, const limits *library, bool chosen) {
    json out = *stream;
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
    *stream = out;
}

/* A device of a driver, and the outcome of --check. */
typedef struct listed {
    hop_device_info info;
    bool chosen, checked;
    hop_status status;
    double seconds;
    char message[512];
    litmus_rows litmus;
} listed;

typedef struct listing {
    listed *devices;
    size_t count;
    char advice[512];
    bool crashed; /* a driver has, and the advice says so */
} listing;

static const char *type_word(hop_device_type type) {
    return type == HOP_DEVICE_CPU ? "cpu" : type == HOP_DEVICE_GPU ? "gpu" : "other";
}

static const struct {
    unsigned bit;
    const char *name, *key;
} capabilities[] = {
    {HOP_DEVICE_ATOMIC64, "64-bit atomics", "atomic64"},
    {HOP_DEVICE_FLOAT64, "float64", "float64"},
    {HOP_DEVICE_SUBNORMAL32, "subnormal float32", "subnormal_float32"},
    {HOP_DEVICE_SUBNORMAL64, "subnormal float64", "subnormal_float64"},
    {HOP_DEVICE_FENCE, "fences among groups", "fence"},
    {HOP_DEVICE_SHARED, "work in the host's memory", "shared"},
    {HOP_DEVICE_CHUNKED, "chunks", "chunked"},
    {HOP_DEVICE_FEW, "few items at a time", "few"},
    {HOP_DEVICE_WARPS, "warps", "warps"},
};
enum { CAPABILITIES = sizeof capabilities / sizeof capabilities[0] };

/* ---- asking -------------------------------------------------------------------------------- */

static void check_device(listed *device) {
    hop_context *context = NULL;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.device = device->info.name;
    double began = clock_seconds();
    device->checked = true;
    device->status = hop_context_create(&options, &context);
    if (device->status == HOP_OK)
        device->status = hop_device_check(context);
    if (device->status != HOP_OK)
        snprintf(device->message, sizeof device->message, "%.511s", failure_text(context).s);
    else if ((device->status = litmus_take(context, &device->litmus)) != HOP_OK)
        snprintf(device->message, sizeof device->message, "%s", device->litmus.message);
    device->seconds = clock_seconds() - began;
    hop_context_free(context);
}

static hop_status list_devices(hop_context *context, listing *all) {
    hop_devices *found = NULL;
    hop_status status = hop_devices_find(context, &found);
    if (status != HOP_OK)
        return status;
    all->count = hop_devices_count(found);
    all->devices = need_memory(NULL, all->count, sizeof *all->devices);
    for (size_t i = 0; i < all->count; i++)
        all->devices[i] = (listed){.info = *hop_devices_at(found, i)};
    snprintf(all->advice, sizeof all->advice, "%s", hop_devices_advice(found));
    hop_devices_free(found);
    return HOP_OK;
}

/* What goes through the pipe, before the devices. */
typedef struct answer {
    hop_status status;
    size_t count;
    char advice[512], message[512];
} answer;

static bool write_all(int pipe_end, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        ssize_t put = write(pipe_end, at, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put, bytes -= (size_t)put;
    }
    return true;
}

/* False when the other end has gone, or ^C was typed. */
static bool read_all(int pipe_end, void *to, size_t bytes) {
    char *at = to;
    while (bytes > 0) {
        ssize_t got = read(pipe_end, at, bytes);
        if (got < 0 && errno == EINTR && !interrupted())
            continue;
        if (got <= 0)
            return false;
        at += got, bytes -= (size_t)got;
    }
    return true;
}

/* In a process of its own. */
static void answer_from(int pipe_end, bool check) {
    answer reply = {0};
    listing all = {0};
    hop_context *context = NULL;
    reply.status = hop_context_create(NULL, &context);
    if (reply.status == HOP_OK)
        reply.status = list_devices(context, &all);
    snprintf(reply.message, sizeof reply.message, "%.511s",
             context != NULL ? failure_text(context).s : hop_status_name(reply.status));
    hop_context_free(context);
    for (size_t i = 0; check && i < all.count && reply.status == HOP_OK; i++)
        if (all.devices[i].info.usable)
            check_device(&all.devices[i]);
    reply.count = reply.status == HOP_OK ? all.count : 0;
    memcpy(reply.advice, all.advice, sizeof reply.advice);
    bool sent = write_all(pipe_end, &reply, sizeof reply) &&
                write_all(pipe_end, all.devices, reply.count * sizeof *all.devices);
    _exit(sent ? 0 : 1); /* without the ends of drivers and of what the parent has opened */
}

/* The child has ended early. */
static int judge_child(pid_t child, listing *all) {
    int how = 0;
    if (interrupted())
        (void)kill(child, SIGKILL);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    if (interrupted())
        return complain(interrupt_exit_code(), "interrupted");
    all->crashed = true;
    snprintf(all->advice, sizeof all->advice,
             "OpenCL: a driver has crashed while it was asked for its devices (%s): too little "
             "memory does that (ulimit -v), or a broken driver",
             WIFSIGNALED(how) ? strsignal(WTERMSIG(how)) : "it has ended the process");
    return CODE_OK;
}

/* Drivers are large programs of others: some abort when memory is out. They are asked, and checked,
 * by a child, so that this is a message and not the end of the command. */
static int ask_drivers(bool check, const char *chosen, listing *all) {
    int ends[2];
    answer reply;
    fflush(NULL);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0)
        return complain(CODE_FAILURE, "no process to ask the drivers: %s", strerror(errno));
    if (child == 0) {
        (void)close(ends[0]);
        answer_from(ends[1], check);
    }
    (void)close(ends[1]);
    bool complete = read_all(ends[0], &reply, sizeof reply);
    if (complete) {
        all->count = reply.count;
        memcpy(all->advice, reply.advice, sizeof all->advice);
        all->devices = need_memory(NULL, all->count, sizeof *all->devices);
        complete = read_all(ends[0], all->devices, all->count * sizeof *all->devices);
    }
    (void)close(ends[0]);
    if (!complete) {
        all->count = 0;
        return judge_child(child, all);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (reply.status != HOP_OK)
        return complain(CODE_FAILURE, "%s", reply.message);
    for (size_t i = 0; i < all->count; i++)
        all->devices[i].chosen = chosen != NULL && strcmp(chosen, all->devices[i].info.name) == 0;
    return CODE_OK;
}

/* ---- telling ------------------------------------------------------------------------------- */

static void device_text(const listed *device) {
    const hop_device_info *info = &device->info;
    char can[160] = "";
    for (size_t i = 0; i < CAPABILITIES; i++)
        if ((info->capabilities & capabilities[i].bit) != 0)
            snprintf(can + strlen(can), sizeof can - strlen(can), "%s%s", *can ? ", " : "",
                     capabilities[i].name);
    fputc('\n', stdout);
    report_line(stdout, "device", "%s%s", info->name, device->chosen ? " *" : "");
    report_line(stdout, "model", "%s", info->title);
    report_line(stdout, "vendor", "%s", info->vendor);
    report_line(stdout, "type", "%s", type_word(info->type));
    report_line(stdout, "driver", "%s, %s", info->platform, info->driver);
    report_line(stdout, "memory", "%s, %s in one buffer, %s per group", bytes_text(info->memory).s,
                bytes_text(info->allocation).s, bytes_text(info->local_memory).s);
    report_line(stdout, "groups", "up to %u work-items; %u compute unit%s", info->group_size,
                info->compute_units, info->compute_units == 1 ? "" : "s");
    report_line(stdout, "can", "%s", *can ? can : "32-bit words only");
    if (info->usable)
        report_line(stdout, "usable", "yes");
    else
        report_line(stdout, "usable", "no: %s", info->reason);
    if (device->checked && device->status == HOP_OK)
        report_line(stdout, "check", "passed in %s", seconds_text(device->seconds).s);
    else if (device->checked)
        report_line(stdout, "check", "FAILED: %s", device->message);
    litmus_text(stdout, &device->litmus);
}

/* One line for each driver that is not there. */
static void print_advice(const char *advice) {
    if (*advice != '\0')
        fputc('\n', stdout);
    while (*advice != '\0') {
        int length = (int)strcspn(advice, "\n");
        report_line(stdout, "missing", "%.*s", length, advice);
        advice += length;
        advice += *advice == '\n';
    }
}

void device_members(json *out, const hop_device_info *info) {
    json_string(out, "name", info->name);
    json_string(out, "kind", "device");
    json_string(out, "model", info->title);
    json_string(out, "vendor", info->vendor);
    json_string(out, "type", type_word(info->type));
    json_string(out, "platform", info->platform);
    json_string(out, "driver", info->driver);
    json_count(out, "memory_bytes", info->memory);
    json_count(out, "largest_buffer_bytes", info->allocation);
    json_count(out, "local_memory_bytes", info->local_memory);
    json_count(out, "group_size", info->group_size);
    json_count(out, "compute_units", info->compute_units);
    json_object(out, "capabilities");
    for (size_t i = 0; i < CAPABILITIES; i++)
        json_bool(out, capabilities[i].key, (info->capabilities & capabilities[i].bit) != 0);
    json_end(out);
    json_bool(out, "usable", info->usable);
    json_string(out, "reason", info->usable ? NULL : info->reason);
}

static void device_json(json *out, const listed *device) {
    json_object(out, NULL);
    device_members(out, &device->info);
    json_bool(out, "chosen", device->chosen);
    if (device->checked) {
        json_object(out, "check");
        json_bool(out, "passed", device->status == HOP_OK);
        json_real(out, "seconds", device->seconds);
        json_string(out, "message", device->status == HOP_OK ? NULL : device->message);
        litmus_json(out, &device->litmus);
        json_end(out);
    }
    json_end(out);
}

static void print_listing(const listing *all, const limits *library, bool host, bool as_json) {
    cpu_facts facts;
    json out;
    cpu_probe(&facts);
    if (as_json) {
        json_begin(&out, stdout, "devices");
        json_array(&out, "devices");
        cpu_json(&out, &facts, library, host);
        for (size_t i = 0; i < all->count; i++)
            device_json(&out, &all->devices[i]);
        json_end(&out);
        json_string(&out, "missing", all->advice[0] != '\0' ? all->advice : NULL);
        json_finish(&out);
        return;
    }
    print_text(&facts, library, host);
    for (size_t i = 0; i < all->count; i++)
        device_text(&all->devices[i]);
    print_advice(all->advice);
}

/* The chosen device must be there, and what was checked must have passed. */
static int judge_listing(const listing *all, const char *name, bool found) {
    char names[256] = "cpu";
    int code = CODE_OK;
    fflush(stdout);
    for (size_t i = 0; i < all->count; i++) {
        const listed *device = &all->devices[i];
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", device->info.name);
        if (device->checked && device->status != HOP_OK)
            code = complain(CODE_FAILURE, "%s", device->message);
    }
    if (!found)
        return complain(CODE_NO_DEVICE, "%s: no such device; this machine has: %s", name, names);
    return code;
}

int run_devices(const arguments *given) {
    if (is_given(given, OPT_ACCEPT))
        return run_acceptance(given);
    if (is_given(given, OPT_SECONDS) || is_given(given, OPT_OUTPUT))
        return complain(CODE_USAGE, "--%s goes with --accept",
                        is_given(given, OPT_SECONDS) ? "seconds" : "output");
    hop_context *context = NULL;
    listing all = {0};
    const char *name = is_given(given, OPT_DEVICE) ? given->values[OPT_DEVICE].text : NULL;
    hop_status status = hop_context_create(NULL, &context);
    if (status != HOP_OK)
        return complain(CODE_FAILURE, "the library could not be started: %s",
                        hop_status_name(status));
    limits library = {hop_context_threads(context), hop_context_memory_budget(context)};
    bool host = name == NULL || strcmp(name, "cpu") == 0, found = host;
    hop_context_free(context);
    int code = ask_drivers(is_given(given, OPT_CHECK), name, &all);
    for (size_t i = 0; i < all.count; i++)
        found |= all.devices[i].chosen;
    if (code == CODE_OK) {
        print_listing(&all, &library, host, is_given(given, OPT_JSON));
        code = judge_listing(&all, name, found);
        if (all.crashed && code == CODE_OK)
            code = complain(CODE_FAILURE, "%s", all.advice);
    }
    free(all.devices);
    return code;
}
