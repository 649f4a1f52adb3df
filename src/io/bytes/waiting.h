/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for the other end of a pipe, a socket or a terminal, which may take for ever: while it
 * does, the progress callback is asked whether to go on. */
#ifndef HOPLITE_IO_BYTES_WAITING_H
#define HOPLITE_IO_BYTES_WAITING_H

#include "core/context_internal.h"

/* Returns when there is something to read (POLLIN) or room for PIPE_BUF bytes (POLLOUT); `name` is
 * for the message. HOP_ERR_CANCELLED when the callback says so first. */
hop_status hop__wait_until_ready(hop_context *context, const char *name, int descriptor,
                                 short events);
/* Asks the callback, if it is due, without waiting. */
hop_status hop__wait_ask(hop_context *context, const char *name);
/* A while, for what cannot be waited for: HOP_OK says to try again. */
hop_status hop__wait_a_turn(hop_context *context, const char *name);

#endif
