/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds arbitrary bytes to the reader of lists (.npy or text). What comes out is in range, and
 * written and read again it is the same; a failure names the file; no memory stays in use. */
#include <string.h>

#include "fuzz_target.h"
#include "scratch_file.h"

static void use(hop_context *context, const hop_list *list) {
    hop_vertex count = 0, count_again = 0;
    hop_list *again = NULL;
    const hop_vertex *successors = hop_list_successors(list, &count);
    for (hop_vertex i = 0; i < count; i++)
        require(successors[i] < count, "every successor is an element", context);
    if (!fuzz_is_new(fuzz_hash(successors, count * sizeof *successors)))
        return; /* files are slow */
    const char *path = scratch_path("written.npy");
    require(hop_list_write(context, path, successors, count) == HOP_OK, "it can be written",
            context);
    require(hop_list_read(context, path, NULL, &again) == HOP_OK, "and read", context);
    const hop_vertex *successors_again = hop_list_successors(again, &count_again);
    require(count_again == count, "it has the same length", context);
    require(count == 0 || memcmp(successors, successors_again, count * sizeof *successors) == 0,
            "it has the same elements", context);
    hop_list_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    hop_context *context = fuzz_context();
    hop_list *list = NULL;
    const char *path = scratch_write("fuzzed.npy", bytes, count);
    hop_status status = hop_list_read(context, path, NULL, &list);
    if (status == HOP_OK) {
        use(context, list);
        hop_list_free(list);
    } else {
        require(list == NULL, "no list comes with a failure", context);
        require(status == HOP_ERR_INPUT || status == HOP_ERR_BUDGET ||
                    status == HOP_ERR_UNSUPPORTED,
                "the status is one for bad input", context);
        require(strstr(hop_context_message(context), path) != NULL, "the message names the file",
                context);
    }
    require(hop_context_memory_used(context) == 0, "no memory is left in use", context);
    return 0;
}
