/* SPDX-License-Identifier: Apache-2.0
 *
 * The message and the data of a failure: see failure.h. */
#include "core/failure.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/context_internal.h"
#include "core/printable.h"
#include "core/try.h"

/* ---- names -------------------------------------------------------------------------------- */

const char *hop_error_kind_name(hop_error_kind kind) {
    static const char *const names[] = {
        [HOP_KIND_NONE] = "none",
        [HOP_KIND_MEMORY] = "memory",
        [HOP_KIND_BUDGET] = "budget",
        [HOP_KIND_DEVICE_MEMORY] = "device_memory",
        [HOP_KIND_DISK] = "disk",
        [HOP_KIND_ARGUMENT] = "argument",
        [HOP_KIND_NAME] = "name",
        [HOP_KIND_VERTEX] = "vertex",
        [HOP_KIND_DATA] = "data",
        [HOP_KIND_SYNTAX] = "syntax",
        [HOP_KIND_WORD] = "word",
        [HOP_KIND_FIELDS] = "fields",
        [HOP_KIND_LIMIT] = "limit",
        [HOP_KIND_FORMAT] = "format",
        [HOP_KIND_SYSTEM] = "system",
        [HOP_KIND_UNSUPPORTED] = "unsupported",
        [HOP_KIND_VARIANT] = "variant",
        [HOP_KIND_OVERFLOW] = "overflow",
        [HOP_KIND_CANCELLED] = "cancelled",
        [HOP_KIND_NEGATIVE_CYCLE] = "negative_cycle",
        [HOP_KIND_CERTIFICATE] = "certificate",
        [HOP_KIND_DISTANCE] = "distance",
        [HOP_KIND_NO_DEVICE] = "no_device",
        [HOP_KIND_UNKNOWN_DEVICE] = "unknown_device",
        [HOP_KIND_DEVICE] = "device",
        [HOP_KIND_ID] = "id",
    };
    return (size_t)kind < HOP_LENGTH(names) ? names[kind] : "unknown kind";
}

const char *hop_remedy_name(hop_remedy remedy) {
    static const char *const names[] = {
        [HOP_REMEDY_NONE] = "none",
        [HOP_REMEDY_RAISE_MEMORY] = "raise_memory",
        [HOP_REMEDY_FREE_MEMORY] = "free_memory",
        [HOP_REMEDY_RAISE_DEVICE_MEMORY] = "raise_device_memory",
        [HOP_REMEDY_USE_HOST] = "use_host",
        [HOP_REMEDY_CHOOSE_DEVICE] = "choose_device",
        [HOP_REMEDY_OTHER_DEVICE] = "other_device",
        [HOP_REMEDY_OTHER_VARIANT] = "other_variant",
        [HOP_REMEDY_OTHER_NAME] = "other_name",
        [HOP_REMEDY_RAISE_LIMIT] = "raise_limit",
        [HOP_REMEDY_NAME_FORMAT] = "name_format",
        [HOP_REMEDY_DROP_WEIGHTS] = "drop_weights",
        [HOP_REMEDY_DROP_LABELS] = "drop_labels",
        [HOP_REMEDY_DROP_LOOPS] = "drop_loops",
        [HOP_REMEDY_MERGE_DUPLICATES] = "merge_duplicates",
        [HOP_REMEDY_SYMMETRIZE] = "symmetrize",
        [HOP_REMEDY_READ_DIRECTED] = "read_directed",
        [HOP_REMEDY_SPARSE_IDS] = "sparse_ids",
        [HOP_REMEDY_SCALE_WEIGHTS] = "scale_weights",
        [HOP_REMEDY_ALLOW_TOLERANCE] = "allow_tolerance",
        [HOP_REMEDY_PREPARE] = "prepare",
        [HOP_REMEDY_OTHER_FILE] = "other_file",
        [HOP_REMEDY_UPDATE] = "update",
        [HOP_REMEDY_SAY_HEADER] = "say_header",
        [HOP_REMEDY_CONVERT] = "convert",
    };
    return (size_t)remedy < HOP_LENGTH(names) ? names[remedy] : "unknown remedy";
}

/* ---- the caller's copy -------------------------------------------------------------------- */

static const char *text_or_null(const char *text) {
    return text[0] != '\0' ? text : NULL;
}

bool hop_context_detail(const hop_context *context, hop_error_detail *detail) {
    enum { SIZE_LIMIT = 4096 }; /* as of options: beyond it, it was never initialised */
    if (context == NULL || detail == NULL || detail->size < sizeof detail->size ||
        detail->size > SIZE_LIMIT)
        return false;
    const hop__failure *failure = &context->failure;
    hop_error_detail own = failure->detail;
    own.size = detail->size;
    own.file = text_or_null(failure->file);
    own.name = text_or_null(failure->name);
    own.found = text_or_null(failure->found);
    own.reason = text_or_null(failure->reason);
    memcpy(detail, &own, own.size < sizeof own ? own.size : sizeof own);
    return true;
}

/* ---- the failure -------------------------------------------------------------------------- */

static hop_error_kind kind_of(hop_status status) {
    switch (status) {
    case HOP_OK:
        return HOP_KIND_NONE;
    case HOP_ERR_MEMORY:
        return HOP_KIND_MEMORY;
    case HOP_ERR_BUDGET:
        return HOP_KIND_BUDGET;
    case HOP_ERR_ARGUMENT:
        return HOP_KIND_ARGUMENT;
    case HOP_ERR_INPUT:
        return HOP_KIND_DATA;
    case HOP_ERR_IO:
        return HOP_KIND_SYSTEM;
    case HOP_ERR_UNSUPPORTED:
        return HOP_KIND_UNSUPPORTED;
    case HOP_ERR_CANCELLED:
        return HOP_KIND_CANCELLED;
    case HOP_ERR_NEGATIVE_CYCLE:
        return HOP_KIND_NEGATIVE_CYCLE;
    case HOP_ERR_CERTIFICATE:
        return HOP_KIND_CERTIFICATE;
    case HOP_ERR_DEVICE:
        return HOP_KIND_DEVICE;
    }
    return HOP_KIND_NONE;
}

void hop__failure_clear(hop__failure *failure, hop_status status) {
    const hop_error_detail blank = HOP_ERROR_DETAIL_INIT;
    failure->message[0] = failure->file[0] = failure->name[0] = '\0';
    failure->found[0] = failure->reason[0] = '\0';
    failure->detail = blank;
    failure->detail.status = status;
    failure->detail.kind = kind_of(status);
}

hop_status hop__fail(hop_context *context, hop_status status, const char *format, ...) {
    if (context == NULL)
        return status;
    /* By way of a buffer, because the old message may be among the arguments. */
    hop__failure *failure = &context->failure;
    char message[sizeof failure->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    hop__printable(message, sizeof message);
    hop__failure_clear(failure, status);
    memcpy(failure->message, message, sizeof message);
    failure->detail.fault_bytes = strlen(message);
    return status;
}

hop_status hop__missing(hop_context *context, const char *call) {
    return hop__fail(context, HOP_ERR_ARGUMENT, "%s: NULL where something is needed", call);
}

hop_status hop__fail_as(hop_context *context, hop_status status, const hop_context *other) {
    context->failure = other->failure;
    context->failure.detail.status = status;
    return status;
}

void hop__fail_prefix(hop_context *context, const char *prefix) {
    hop__failure *failure = &context->failure;
    char message[sizeof failure->message];
    memcpy(message, failure->message, sizeof message);
    snprintf(failure->message, sizeof failure->message, "%s: ", prefix);
    hop__printable(failure->message, sizeof failure->message);
    size_t before = strlen(failure->message);
    snprintf(failure->message + before, sizeof failure->message - before, "%s", message);
    size_t now = strlen(failure->message), fault = before + failure->detail.fault_bytes;
    failure->detail.fault_bytes = fault < now ? fault : now;
}

/* ---- the notes ---------------------------------------------------------------------------- */

hop_status hop__note_kind(hop_context *context, hop_error_kind kind) {
    context->failure.detail.kind = kind;
    return context->failure.detail.status;
}

hop_status hop__note_vertex(hop_context *context, hop_error_kind kind, uint64_t vertex) {
    context->failure.detail.vertex = vertex;
    return hop__note_kind(context, kind);
}

hop_status hop__note_range(hop_context *context, uint64_t vertex, uint64_t count) {
    context->failure.detail.available = count;
    return hop__note_vertex(context, HOP_KIND_VERTEX, vertex);
}

hop_status hop__note_arc(hop_context *context, hop_error_kind kind, uint64_t vertex, uint64_t arc) {
    context->failure.detail.arc = arc;
    return hop__note_vertex(context, kind, vertex);
}

hop_status hop__note_need(hop_context *context, hop_error_kind kind, uint64_t needed,
                          uint64_t available) {
    context->failure.detail.needed = needed;
    context->failure.detail.available = available;
    return hop__note_kind(context, kind);
}

hop_status hop__note_name(hop_context *context, hop_error_kind kind, const char *name) {
    snprintf(context->failure.name, sizeof context->failure.name, "%s", name != NULL ? name : "");
    return hop__note_kind(context, kind);
}

hop_status hop__note_found(hop_context *context, hop_error_kind kind, const char *text,
                           size_t length) {
    hop__failure *failure = &context->failure;
    size_t most = sizeof failure->found - 1;
    snprintf(failure->found, sizeof failure->found, "%.*s", (int)(length < most ? length : most),
             text);
    return hop__note_kind(context, kind);
}

hop_status hop__note_unknown(hop_context *context, const char *name, const char *nearest,
                             const char *there_are, const char *names) {
    hop__note_found(context, HOP_KIND_NAME, name, strlen(name));
    hop__note_name(context, HOP_KIND_NAME, nearest);
    if (nearest == NULL)
        return hop__remedy(context, HOP_REMEDY_OTHER_NAME, "%s %s", there_are, names);
    return hop__remedy(context, HOP_REMEDY_OTHER_NAME, "did you mean '%s'? %c%s %s", nearest,
                       toupper((unsigned char)there_are[0]), there_are + 1, names);
}

hop_status hop__note_reason(hop_context *context, const char *reason) {
    snprintf(context->failure.reason, sizeof context->failure.reason, "%s", reason);
    return context->failure.detail.status;
}

hop_status hop__note_file(hop_context *context, const char *path) {
    hop__failure *failure = &context->failure;
    if (failure->file[0] == '\0')
        snprintf(failure->file, sizeof failure->file, "%s", path);
    return failure->detail.status;
}

hop_status hop__file_done(hop_context *context, hop_status status, const char *path) {
    if (status != HOP_OK && path != NULL)
        hop__note_file(context, path);
    return status;
}

/* What is well-formed but not supported has its place in the file, too, and keeps its kind. */
static hop_status malformed(hop_context *context) {
    hop_status status = context->failure.detail.status;
    return status == HOP_ERR_INPUT ? hop__note_kind(context, HOP_KIND_SYNTAX) : status;
}

hop_status hop__note_line(hop_context *context, uint64_t line) {
    context->failure.detail.line = line;
    return malformed(context);
}

hop_status hop__note_offset(hop_context *context, uint64_t offset) {
    context->failure.detail.offset = offset;
    return malformed(context);
}

hop_status hop__note_system(hop_context *context, int error) {
    context->failure.detail.system_error = error;
    return hop__note_kind(context, HOP_KIND_SYSTEM);
}

hop_status hop__note_enough(hop_context *context, uint64_t value) {
    context->failure.detail.enough = value;
    return context->failure.detail.status;
}

hop_status hop__note_limit(hop_context *context, const char *option, uint64_t needed,
                           uint64_t limit) {
    hop__note_name(context, HOP_KIND_LIMIT, option);
    hop__note_need(context, HOP_KIND_LIMIT, needed, limit);
    hop__note_enough(context, needed);
    return hop__remedy(context, HOP_REMEDY_RAISE_LIMIT, "raise it if that is meant");
}

hop_status hop__remedy(hop_context *context, hop_remedy remedy, const char *format, ...) {
    hop__failure *failure = &context->failure;
    char words[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    hop__printable(words, sizeof words);
    size_t length = strlen(failure->message);
    snprintf(failure->message + length, sizeof failure->message - length, "; %s", words);
    failure->detail.remedy = remedy;
    return failure->detail.status;
}
