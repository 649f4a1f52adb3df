/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages on standard error, and what they mean to the shell. */
#include "complaint.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "interrupt.h"
#include "json_writer.h"
#include "shown_text.h"
#include "terminal.h"

static const char *current_verb, *program = "hoplite";
static bool muted;
/* The first complaint and the first hint, for complaint_json. */
static char first_message[1024], first_hint[512];

void complaint_program(const char *name) {
    program = name;
}

const char *complaint_program_name(void) {
    return program;
}

void complaint_mute(void) {
    muted = true;
}

void complaint_verb(const char *verb) {
    current_verb = verb;
}

const char *complaint_verb_name(void) {
    return current_verb;
}

int complain(int code, const char *format, ...) {
    va_list rest;
    if (first_message[0] == '\0') {
        va_start(rest, format);
        vsnprintf(first_message, sizeof first_message, format, rest);
        va_end(rest);
    }
    if (muted)
        return code;
    fprintf(stderr, "%s%s:%s ", style_on(stderr, STYLE_RED), program, style_off(stderr));
    if (current_verb != NULL)
        fprintf(stderr, "%s: ", current_verb);
    va_start(rest, format);
    print_shown(stderr, format, rest);
    va_end(rest);
    fputc('\n', stderr);
    return code;
}

void advise(const char *format, ...) {
    va_list rest;
    if (first_hint[0] == '\0') {
        va_start(rest, format);
        vsnprintf(first_hint, sizeof first_hint, format, rest);
        va_end(rest);
    }
    if (muted)
        return;
    fprintf(stderr, "%shint:%s ", style_on(stderr, STYLE_CYAN), style_off(stderr));
    va_start(rest, format);
    print_shown(stderr, format, rest);
    va_end(rest);
    fputc('\n', stderr);
}

void complaint_json(int code) {
    json out;
    if (json_has_begun() || first_message[0] == '\0')
        return;
    json_begin(&out, stdout, current_verb);
    json_object(&out, "error");
    json_integer(&out, "exit_code", code);
    json_string(&out, "message", first_message);
    json_string(&out, "hint", first_hint[0] != '\0' ? first_hint : NULL);
    json_end(&out);
    json_finish(&out);
}

int exit_code_of(hop_status status) {
    switch (status) {
    case HOP_OK:
        return CODE_OK;
    case HOP_ERR_ARGUMENT:
        return CODE_USAGE;
    case HOP_ERR_INPUT:
        return CODE_BAD_INPUT;
    case HOP_ERR_CERTIFICATE:
        return CODE_REJECTED;
    case HOP_ERR_DEVICE:
        return CODE_NO_DEVICE;
    case HOP_ERR_CANCELLED:
        return interrupt_exit_code();
    default:
        return CODE_FAILURE;
    }
}

void *need_memory(void *old, size_t count, size_t size) {
    void *block = NULL; /* without reallocarray, which glibc 2.17 does not have */
    if (size > 0 && count <= SIZE_MAX / size)
        block = realloc(old, count == 0 ? size : count * size);
    if (block == NULL)
        exit(complain(CODE_FAILURE, "no memory for %zu times %zu bytes", count, size));
    return block;
}

hop_report *need_report(size_t steps) {
    hop_report *report = NULL;
    if (hop_report_create(steps, &report) != HOP_OK)
        exit(complain(CODE_FAILURE, "no memory for a report of %zu steps", steps));
    return report;
}
