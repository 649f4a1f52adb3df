/* SPDX-License-Identifier: Apache-2.0
 *
 * A failure as data. The message of the context is for people; this is for programs: what kind of
 * failure it was, where, how much was needed, and what would help. A front end that calls things by
 * names of its own (flags of a command, keywords of a language) words the advice by itself, and
 * never has to look for words or numbers in a message.
 *
 * It is a struct that the caller owns and the library fills in, as hop_graph_info is, and not an
 * accessor per field: what belongs to one failure is read at once, a language without C's headers
 * needs one function, and fields are added at the end, where `size` says that a caller does not
 * know them yet. The texts stay the context's. */
#ifndef HOPLITE_DETAIL_H
#define HOPLITE_DETAIL_H

#include "hoplite/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong, more closely than the status says, and the fields that are filled in where they
 * are known. New kinds are added at the end; take one that is not known here for its status. */
typedef enum hop_error_kind {
    HOP_KIND_NONE = 0,            /* nothing has failed */
    HOP_KIND_MEMORY = 1,          /* the system gave no memory: needed */
    HOP_KIND_BUDGET = 2,          /* over the context's budget: needed, available, enough */
    HOP_KIND_DEVICE_MEMORY = 3,   /* over what the device may or can give: needed, available */
    HOP_KIND_DISK = 4,            /* too little room on a disk: file, needed, available */
    HOP_KIND_ARGUMENT = 5,        /* the call itself is wrong: a NULL, a value out of range */
    HOP_KIND_NAME = 6,            /* no such variant, format, family, parameter: found; name is the
                                     nearest one that there is */
    HOP_KIND_VERTEX = 7,          /* a vertex that is not there: vertex; available is their count */
    HOP_KIND_DATA = 8,            /* the data contradicts itself: vertex, arc */
    HOP_KIND_SYNTAX = 9,          /* a file is malformed: file, and line or offset */
    HOP_KIND_WORD = 10,           /* something else where a number must be that is no
                                     id: file, line, found */
    HOP_KIND_FIELDS = 11,         /* a line has `available` numbers: file, line */
    HOP_KIND_LIMIT = 12,          /* over a limit of the options: name, needed, available */
    HOP_KIND_FORMAT = 13,         /* a file of no format that is read: file; name, if known */
    HOP_KIND_SYSTEM = 14,         /* the system refused: file, system_error */
    HOP_KIND_UNSUPPORTED = 15,    /* well-formed, but not something that can be done */
    HOP_KIND_VARIANT = 16,        /* the variant cannot do this: name, reason */
    HOP_KIND_OVERFLOW = 17,       /* a distance does not fit its type: vertex */
    HOP_KIND_CANCELLED = 18,      /* the progress callback returned false */
    HOP_KIND_NEGATIVE_CYCLE = 19, /* a cycle has a negative sum: vertex is one on it */
    HOP_KIND_CERTIFICATE = 20,    /* a result is wrong: vertex, arc */
    HOP_KIND_DISTANCE = 21,       /* a distance is wrong, perhaps by rounding only: vertex, arc */
    HOP_KIND_NO_DEVICE = 22,      /* a device is needed, and none is chosen */
    HOP_KIND_UNKNOWN_DEVICE = 23, /* there is no device of this name: found */
    HOP_KIND_DEVICE = 24,         /* the device failed, is lost, or cannot be used: name */
    HOP_KIND_ID = 25              /* a word where the id of a vertex must be: file, line, found */
} hop_error_kind;

/* What would help, as a rule; the end of the message says it in words. New ones are added at the
 * end; say the message's words for one that is not known here. */
typedef enum hop_remedy {
    HOP_REMEDY_NONE = 0,
    HOP_REMEDY_RAISE_MEMORY = 1, /* the budget of the context; to `enough` if that is known */
    HOP_REMEDY_FREE_MEMORY = 2,  /* or lower the budget, to be told sooner */
    HOP_REMEDY_RAISE_DEVICE_MEMORY = 3, /* or use the host */
    HOP_REMEDY_USE_HOST = 4,
    HOP_REMEDY_CHOOSE_DEVICE = 5,     /* name one in the context's options */
    HOP_REMEDY_OTHER_DEVICE = 6,      /* name one of hop_devices_find */
    HOP_REMEDY_OTHER_VARIANT = 7,     /* or auto */
    HOP_REMEDY_OTHER_NAME = 8,        /* name one that there is; `name` may be meant */
    HOP_REMEDY_RAISE_LIMIT = 9,       /* the option `name` */
    HOP_REMEDY_NAME_FORMAT = 10,      /* say which format it is */
    HOP_REMEDY_DROP_WEIGHTS = 11,     /* or choose another format, here and below */
    HOP_REMEDY_DROP_LABELS = 12,      /* the ids of the vertices */
    HOP_REMEDY_DROP_LOOPS = 13,       /* arcs from a vertex to itself */
    HOP_REMEDY_MERGE_DUPLICATES = 14, /* arcs with the same two ends */
    HOP_REMEDY_SYMMETRIZE = 15,       /* make the graph undirected */
    HOP_REMEDY_READ_DIRECTED = 16,    /* take the graph as directed */
    HOP_REMEDY_SPARSE_IDS = 17,       /* HOP_IDS_SPARSE: ids that are any numbers */
    HOP_REMEDY_SCALE_WEIGHTS = 18,    /* down, or use a wider type */
    HOP_REMEDY_ALLOW_TOLERANCE = 19,  /* if others have rounded the distances */
    HOP_REMEDY_PREPARE = 20,          /* hop_graph_prepare */
    HOP_REMEDY_OTHER_FILE = 21,       /* name another file, or one on another disk */
    HOP_REMEDY_UPDATE = 22,           /* a newer version of the library knows it */
    HOP_REMEDY_SAY_HEADER = 23,       /* say whether the first line is the names of columns */
    HOP_REMEDY_CONVERT = 24           /* turn the file, of format `name`, into one that is read */
} hop_remedy;

/* A number of hop_error_detail that is not known, or that the failure is not about. */
#define HOP_UNKNOWN UINT64_MAX

typedef struct hop_error_detail {
    size_t size;       /* sizeof(hop_error_detail), set by the initialiser */
    hop_status status; /* what the call returned; HOP_OK when nothing has failed yet */
    hop_error_kind kind;
    hop_remedy remedy;
    int system_error;   /* errno of the system, or 0 */
    const char *file;   /* the path as it was given, or NULL */
    uint64_t line;      /* of the file, from 1, or HOP_UNKNOWN */
    uint64_t offset;    /* byte of the file, from 0, or HOP_UNKNOWN */
    uint64_t vertex;    /* its number; where there is no graph yet, its id; or HOP_UNKNOWN */
    uint64_t arc;       /* its place in the arrays; where there is no graph yet, the number of the
                           edge in the input, from 0; or HOP_UNKNOWN */
    uint64_t needed;    /* bytes, or what else the kind counts, or HOP_UNKNOWN */
    uint64_t available; /* in the same unit, or HOP_UNKNOWN */
    uint64_t enough;    /* a value for the remedy's option that would do, or HOP_UNKNOWN */
    const char *name;   /* of the option, parameter, variant or device that it is about, or NULL */
    const char *found;  /* what was found instead, perhaps shortened, or NULL */
    const char *reason; /* why a variant cannot do it, or NULL */
    size_t fault_bytes; /* so much of the message says what happened; the rest, from a "; " on, is
                           the remedy in words. All of it where there is no remedy */
} hop_error_detail;

#define HOP_ERROR_DETAIL_INIT                                                                      \
    {                                                                                              \
        sizeof(hop_error_detail), HOP_OK, HOP_KIND_NONE, HOP_REMEDY_NONE, 0, NULL, HOP_UNKNOWN,    \
            HOP_UNKNOWN, HOP_UNKNOWN, HOP_UNKNOWN, HOP_UNKNOWN, HOP_UNKNOWN, HOP_UNKNOWN, NULL,    \
            NULL, NULL, 0                                                                          \
    }
HOP_API void hop_error_detail_init(hop_error_detail *detail, size_t size);

/* The last failure of a call with this context, the one that hop_context_message tells: both stay
 * until the next failure, so look at them when a call has failed. Fields that this library does
 * not know are left alone. False, with nothing written, when `detail` is NULL or has no size; the
 * message is not touched. Does not block; beside other calls with the context it is no safer than
 * the message. The texts are valid until the next call with this context. */
HOP_API bool hop_context_detail(const hop_context *context, hop_error_detail *detail);

/* While the log callback runs, in its thread: what would change what the message tells, in the same
 * way; HOP_REMEDY_NONE where nothing would, outside of the callback, and when `context` is NULL. */
HOP_API hop_remedy hop_context_log_remedy(const hop_context *context);

/* "budget", "raise_memory": the constant's name in lower case, without its beginning; never NULL.
 * Safe from any thread. */
HOP_API const char *hop_error_kind_name(hop_error_kind kind);
HOP_API const char *hop_remedy_name(hop_remedy remedy);

#ifdef __cplusplus
}
#endif
#endif
