/* SPDX-License-Identifier: Apache-2.0
 *
 * Progress and cancelling. A phase is begun, added to from any thread, and ended:
 *
 *     hop__progress_begin(context, "build: sort", buckets);
 *     ... in workers:  if (!hop__progress_add(context, 1)) return;
 *     HOP_TRY(status, hop__progress_end(context));
 *
 * The callback runs only on the thread that began the phase, at most twenty times a second. Add
 * often enough (every few milliseconds of work) that cancelling takes effect within 200 ms. */
#ifndef HOPLITE_CORE_PROGRESS_H
#define HOPLITE_CORE_PROGRESS_H

#include "core/context_internal.h"

HOP_API void hop__progress_begin(hop_context *context, const char *phase, uint64_t total);
/* The same where `done` of the total were done before: the first that is told is that. */
HOP_API void hop__progress_resume(hop_context *context, const char *phase, uint64_t total,
                                  uint64_t done);
/* Counts `amount` as done; false when the work is to stop. */
HOP_API bool hop__progress_add(hop_context *context, uint64_t amount);
/* HOP_ERR_CANCELLED, with the message, when the callback has asked to stop. */
HOP_API hop_status hop__progress_end(hop_context *context);
/* Asks the callback now, however short ago it was asked, between two phases: before something that
 * is not to happen once the caller wants to stop. */
hop_status hop__progress_ask(hop_context *context, const char *phase);
/* For what runs in a phase of its caller's, or by itself: begins `phase` if none is under way, and
 * says so. */
bool hop__progress_join(hop_context *context, const char *phase);
/* Ends what hop__progress_join has begun; else only HOP_ERR_CANCELLED if the phase under way is. */
hop_status hop__progress_leave(hop_context *context, bool begun);

#endif
