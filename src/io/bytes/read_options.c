/* SPDX-License-Identifier: Apache-2.0
 * The options of a call that reads. */
#include <string.h>

#include "core/options.h"
#include "io/bytes/input.h"

hop_status hop__read_options_check(hop_context *context, const hop_read_options *given,
                                   hop_read_options *options) {
    const hop_read_options standard = HOP_READ_OPTIONS_INIT;
    *options = standard;
    hop_status status =
        hop__options_take(context, "HOP_READ_OPTIONS_INIT", given, options, sizeof *options);
    if (status != HOP_OK)
        return status;
    if ((unsigned)options->direction > HOP_DIRECTION_UNDIRECTED)
        return hop__fail(context, HOP_ERR_ARGUMENT, "read: direction %d is not a hop_direction",
                         (int)options->direction);
    if ((unsigned)options->duplicates > HOP_DUPLICATES_KEEP)
        return hop__fail(context, HOP_ERR_ARGUMENT, "read: duplicates %d is not a hop_duplicates",
                         (int)options->duplicates);
    if ((unsigned)options->loops > HOP_LOOPS_DROP)
        return hop__fail(context, HOP_ERR_ARGUMENT, "read: loops %d is not a hop_loops",
                         (int)options->loops);
    if ((unsigned)options->header > HOP_HEADER_NO)
        return hop__fail(context, HOP_ERR_ARGUMENT, "read: header %d is not a hop_header",
                         (int)options->header);
    if (options->delimiter != 0 && strchr("\"\r\n#%", options->delimiter) != NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "read: the delimiter cannot be a quote, the end of a line, # or %%");
    return HOP_OK;
}
