/* SPDX-License-Identifier: Apache-2.0
 *
 * A context of the library with everything that the command line says about it, the progress bar
 * and the messages. Every verb that works on graphs opens one. */
#ifndef HOPLITE_CLI_SESSION_H
#define HOPLITE_CLI_SESSION_H

#include "arguments.h"
#include "hoplite/hoplite.h"
#include "progress_bar.h"

typedef struct session {
    const arguments *given;
    hop_context *context;
    progress_bar bar;
    bool quiet;
    bool json;
    bool mute; /* no messages of the library */
} session;

/* Returns an exit code; what was opened must be closed in any case. */
int session_open(session *work, const arguments *given);
void session_close(session *work);

/* The device that the command line names, if it is another than the processor, and how much of its
 * memory may be used. */
void session_device(const arguments *given, hop_context_options *options);

/* Another context with the same callbacks except the progress bar and this budget (0: the default),
 * for calls inside a call; NULL when there is no memory. To be freed by the caller. */
hop_context *session_helper(session *work, uint64_t memory);

/* Reports the context's message for `status`; returns the exit code. */
int session_fail(session *work, hop_status status);
/* The same of a result that another context writes; its words are about a part of the call. */
int session_fail_writing(session *work, const hop_context *writer, hop_status status);
/* A line on standard error, unless --quiet. */
HOP_PRINTF(2, 3) void session_say(session *work, const char *format, ...);

/* Peak memory of the process, as the system counts it. */
uint64_t resident_peak(void);

#endif
