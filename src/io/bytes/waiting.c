/* SPDX-License-Identifier: Apache-2.0
 *
 * poll() in short turns (see waiting.h). */
#include "io/bytes/waiting.h"

#include <errno.h>
#include <poll.h>

#include "core/patience.h"
#include "core/progress.h"

enum { TURN = 60 }; /* milliseconds: after one, the callback is due again */

hop_status hop__wait_ask(hop_context *context, const char *name) {
    bool alone = hop__progress_join(context, "wait"); /* a file is being opened */
    bool go_on = hop__progress_add(context, 0);
    (void)hop__progress_leave(context, alone);
    return go_on ? HOP_OK
                 : hop__fail(context, HOP_ERR_CANCELLED,
                             "%s: cancelled by the progress callback while waiting for it", name);
}

hop_status hop__wait_a_turn(hop_context *context, const char *name) {
    uint64_t begin = hop__pause_begin();
    (void)poll(NULL, 0, TURN);
    hop__pause_end(begin);
    return hop__wait_ask(context, name);
}

hop_status hop__wait_until_ready(hop_context *context, const char *name, int descriptor,
                                 short events) {
    struct pollfd wanted = {.fd = descriptor, .events = events};
    int turn = context->options.progress == NULL ? -1 : TURN;
    hop_status status = HOP_OK;
    for (;;) {
        uint64_t begin = hop__pause_begin();
        int ready = poll(&wanted, 1, turn), error = errno;
        hop__pause_end(begin);
        /* What poll cannot do the call itself reports better. */
        if (ready > 0 || (ready < 0 && error != EINTR))
            return HOP_OK;
        /* After a signal the callback, which may have been asked just before, must be due. */
        status = ready < 0 ? hop__wait_a_turn(context, name) : hop__wait_ask(context, name);
        if (status != HOP_OK)
            return status;
    }
}
