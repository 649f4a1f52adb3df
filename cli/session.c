/* SPDX-License-Identifier: Apache-2.0
 *
 * A context with everything that the command line says about it: see session.h. */
#include "session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "interrupt.h"
#include "shown_text.h"
#include "terminal.h"
#include "tuning_file.h"

static bool on_progress(void *user, const hop_progress *progress) {
    session *work = user;
    if (interrupted())
        return false;
    bar_update(&work->bar, progress);
    return true;
}

static void on_log(void *user, hop_log_level level, const char *message) {
    session *work = user;
    if (work->mute)
        return;
    bar_wipe(&work->bar);
    complain(CODE_OK, "%s: %s", word_of_log_level(level), message);
    const char *advice = advice_on_log(work->context);
    if (advice != NULL)
        advise("%s", advice);
}

static hop_log_level wanted_level(const arguments *given) {
    const option_value *log = &given->values[OPT_LOG];
    if (is_given(given, OPT_QUIET))
        return HOP_LOG_ERROR;
    if (is_given(given, OPT_VERBOSE))
        return given->values[OPT_VERBOSE].times > 1 ? HOP_LOG_DEBUG : HOP_LOG_INFO;
    return log->times > 0 ? (hop_log_level)log->number : HOP_LOG_WARNING;
}

static bool on_helper_progress(void *user, const hop_progress *progress) {
    (void)user;
    (void)progress;
    return !interrupted();
}

hop_context *session_helper(session *work, uint64_t memory) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = hop_context_threads(work->context);
    options.memory_budget = memory;
    options.progress = on_helper_progress;
    options.log_level = HOP_LOG_ERROR;
    return hop_context_create(&options, &context) == HOP_OK ? context : NULL;
}

/* Opens the device before anything is read for minutes. */
static int open_device(session *work) {
    hop_status status = hop_device_open(work->context, NULL);
    if (status == HOP_OK)
        return CODE_OK;
    complain(CODE_NO_DEVICE, "%s", failure_text(work->context).s);
    advise("hoplite devices lists them");
    return CODE_NO_DEVICE;
}

void session_device(const arguments *given, hop_context_options *options) {
    const char *name = is_given(given, OPT_DEVICE) ? given->values[OPT_DEVICE].text : NULL;
    options->device = name == NULL || strcmp(name, "cpu") == 0 ? NULL : name;
    options->device_memory = given->values[OPT_DEVICE_MEMORY].number;
}

int session_open(session *work, const arguments *given) {
    *work = (session){.given = given};
    if (is_given(given, OPT_QUIET) && is_given(given, OPT_VERBOSE))
        return complain(CODE_USAGE, "--quiet and --verbose contradict each other");
    work->quiet = is_given(given, OPT_QUIET);
    work->json = is_given(given, OPT_JSON);
    bar_init(&work->bar, !work->quiet, is_given(given, OPT_PROGRESS));
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = (unsigned)given->values[OPT_THREADS].number;
    options.memory_budget = given->values[OPT_MEMORY].number;
    options.log_level = wanted_level(given);
    if (is_given(given, OPT_SEED))
        options.seed = given->values[OPT_SEED].number;
    options.progress = on_progress;
    options.progress_user = work;
    options.log = on_log;
    options.log_user = work;
    session_device(given, &options);
    hop_status status = hop_context_create(&options, &work->context);
    if (status != HOP_OK)
        return complain(exit_code_of(status), "the library could not be started: %s",
                        hop_status_name(status));
    read_tuning(work->context);
    return options.device != NULL ? open_device(work) : CODE_OK;
}

void session_close(session *work) {
    bar_wipe(&work->bar);
    hop_context_free(work->context);
    work->context = NULL;
}

/* Whether nobody reads standard output any more, which ends a command without a word. */
static bool is_reader_gone(const hop_context *context, hop_status status) {
    const hop_error_detail detail = failure_detail(context);
    return status == HOP_ERR_IO && detail.file != NULL && strcmp(detail.file, "-") == 0 &&
           detail.system_error == EPIPE && terminal_reader_gone();
}

int session_fail_writing(session *work, const hop_context *writer, hop_status status) {
    if (status == HOP_ERR_CANCELLED)
        return session_fail(work, status);
    bar_wipe(&work->bar);
    if (is_reader_gone(writer, status))
        return CODE_READER_GONE;
    return complain(exit_code_of(status), "%s", failure_text_of_part(writer).s);
}

int session_fail(session *work, hop_status status) {
    failure_words text = failure_text(work->context);
    const char *message = text.s;
    bar_wipe(&work->bar);
    if (status == HOP_ERR_CANCELLED)
        return complain(interrupt_exit_code(), "interrupted");
    if (is_reader_gone(work->context, status))
        return CODE_READER_GONE;
    if (*message == '\0')
        message = hop_status_name(status);
    /* The problems begin their messages with their name, as the command does with the verb's. */
    const char *name = work->given->verb->name;
    size_t length = strlen(name);
    if (strncmp(message, name, length) == 0 && strncmp(message + length, ": ", 2) == 0)
        message += length + 2;
    complain(exit_code_of(status), "%s", message);
    return exit_code_of(status);
}

void session_say(session *work, const char *format, ...) {
    if (work->quiet)
        return;
    va_list rest;
    bar_wipe(&work->bar);
    va_start(rest, format);
    print_shown(stderr, format, rest);
    va_end(rest);
    fputc('\n', stderr);
}

uint64_t resident_peak(void) {
    char line[256];
    unsigned long long kilobytes = 0;
    /* getrusage counts what this process was before exec, too: a large parent's memory. */
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "VmHWM: %llu", &kilobytes) != 1)
        ;
    if (file != NULL)
        fclose(file);
    if (kilobytes > 0)
        return kilobytes * 1024;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_maxrss * 1024;
}
