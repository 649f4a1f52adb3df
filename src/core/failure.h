/* SPDX-License-Identifier: Apache-2.0
 *
 * How the library says that something has failed: hop__fail makes the message, the notes after it
 * make the data beside it (hoplite/detail.h):
 *
 *     hop__fail(context, HOP_ERR_INPUT, "edges: the weight of vertex %u is ...", v);
 *     return hop__note_vertex(context, HOP_KIND_DATA, v);
 *
 * 1. hop__fail forgets the notes of the failure before; the kind is then what the status says.
 * 2. A note is about the failure that was made last. Each returns its status, so that the last one
 *    of a failure is the return statement.
 * 3. The context may be NULL in hop__fail and hop__missing only, which then keep nothing.
 * 4. Only on the thread that made the call. */
#ifndef HOPLITE_CORE_FAILURE_H
#define HOPLITE_CORE_FAILURE_H

#include "hoplite/detail.h"

/* A failure as it is kept in the context. The texts of `detail` are the arrays here, "" for none;
 * its pointers are set in the caller's copy only, so that a failure may be copied as it is. */
typedef struct hop__failure {
    char message[1024];
    hop_error_detail detail;
    char file[4096];
    char name[64];
    char found[80];
    char reason[256];
} hop__failure;

/* Sets the message and returns `status`, so that a failure is one return statement. */
HOP_PRINTF(3, 4)
HOP_API hop_status hop__fail(hop_context *context, hop_status status, const char *format, ...);

/* For an argument that must be given and is NULL, perhaps the context itself: HOP_ERR_ARGUMENT. */
HOP_API hop_status hop__missing(hop_context *context, const char *call);

/* Nothing has failed: as a context begins, and hop__fail. */
void hop__failure_clear(hop__failure *failure, hop_status status);

/* The failure of another context, with its notes, as this one's. */
hop_status hop__fail_as(hop_context *context, hop_status status, const hop_context *other);

/* Puts "prefix: " before the message that is already there, to add the file or the verb. The notes
 * stay. */
HOP_API void hop__fail_prefix(hop_context *context, const char *prefix);

hop_status hop__note_kind(hop_context *context, hop_error_kind kind);
HOP_API hop_status hop__note_vertex(hop_context *context, hop_error_kind kind, uint64_t vertex);
/* HOP_KIND_VERTEX: not one of `count` vertices, or elements of a list. */
HOP_API hop_status hop__note_range(hop_context *context, uint64_t vertex, uint64_t count);
HOP_API hop_status hop__note_arc(hop_context *context, hop_error_kind kind, uint64_t vertex,
                                 uint64_t arc);
/* What is needed and what there is, in the unit of the kind. */
HOP_API hop_status hop__note_need(hop_context *context, hop_error_kind kind, uint64_t needed,
                                  uint64_t available);
/* The option, parameter, variant or device that it is about; NULL is allowed. */
hop_status hop__note_name(hop_context *context, hop_error_kind kind, const char *name);
/* What was found instead: `length` bytes of it. */
hop_status hop__note_found(hop_context *context, hop_error_kind kind, const char *text,
                           size_t length);
/* A name that does not exist, the nearest one that does, or NULL, and what there is, such as
 * ("there are", "a, b"), which makes the remedy. */
hop_status hop__note_unknown(hop_context *context, const char *name, const char *nearest,
                             const char *there_are, const char *names);
hop_status hop__note_reason(hop_context *context, const char *reason);
/* The file, unless one is noted already: a caller further up knows less. */
hop_status hop__note_file(hop_context *context, const char *path);
/* The line, or byte, of the file; of an HOP_ERR_INPUT the kind is then HOP_KIND_SYNTAX. */
hop_status hop__note_line(hop_context *context, uint64_t line);
hop_status hop__note_offset(hop_context *context, uint64_t offset);
/* For the end of a call about a file: notes it if the call has failed, and returns `status`. */
HOP_API hop_status hop__file_done(hop_context *context, hop_status status, const char *path);
/* HOP_KIND_SYSTEM with errno as it was. */
HOP_API hop_status hop__note_system(hop_context *context, int error);
/* HOP_KIND_LIMIT: over what an option allows, with the remedy. */
hop_status hop__note_limit(hop_context *context, const char *option, uint64_t needed,
                           uint64_t limit);
/* A value that would do for the option of the remedy. */
hop_status hop__note_enough(hop_context *context, uint64_t value);

/* What would help: the enum, and the words, which come after "; " at the end of the message. They
 * name no flag of a command and no keyword of a language. */
HOP_PRINTF(3, 4)
HOP_API hop_status hop__remedy(hop_context *context, hop_remedy remedy, const char *format, ...);

#endif
