/* SPDX-License-Identifier: Apache-2.0
 *
 * Text is read in blocks, and blocks in chunks by several threads. Where they are cut must not
 * show: the same text is read once whole by one thread, once in chunks of a few bytes, and must
 * give the same graph, or the same status and message. Of 16 inputs one is cut for three threads:
 * waking them takes longer than reading.
 *
 * The first byte of the input chooses the format, the second the size of a chunk. */
#include "fuzz_target.h"
#include "graph/graph_internal.h"
#include "io/bytes/input.h"
#include "io/formats/format.h"

typedef struct outcome {
    hop_status status;
    uint64_t hash;
    char message[512]; /* only for those who look at a finding */
} outcome;

static const char *const formats[] = {"edge-list", "matrix-market", "dimacs", "metis"};

static hop_context *make_context(unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = threads;
    options.memory_budget = 64 << 20;
    if (hop_context_create(&options, &context) != HOP_OK)
        abort();
    return context;
}

/* Reads in blocks of `block` bytes, 0 for the usual size. */
static outcome read_text(hop_context *context, const char *format, const uint8_t *bytes,
                         size_t count, size_t block, size_t chunk) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop__edge_list list = {0};
    hop__input *input = NULL;
    hop_graph *graph = NULL;
    outcome result = {HOP_OK, 0, ""};
    options.max_vertices = 1 << 12;
    options.max_edges = 1 << 14;
    options.max_bytes = 1 << 20;
    result.status = hop__input_open_memory(context, "text", bytes, count, &options, &input);
    if (result.status == HOP_OK && block > 0)
        hop__input_set_sizes(input, block, chunk);
    if (result.status == HOP_OK)
        result.status = hop__format_named(format)->read_edges(context, input, &options, &list);
    if (result.status == HOP_OK)
        result.status = hop__edge_list_build(context, "f", &list, &options, &graph);
    if (result.status == HOP_OK)
        result.status = hop_graph_hash(context, graph, &result.hash);
    if (result.status != HOP_OK)
        snprintf(result.message, sizeof result.message, "%s", hop_context_message(context));
    hop_graph_release(graph);
    hop__edge_list_clear(&list);
    hop__input_close(input);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static hop_context *one = NULL, *three = NULL;
    if (one == NULL) {
        one = make_context(1);
        three = make_context(3);
    }
    if (count < 2)
        return 0;
    const char *format = formats[bytes[0] % 4];
    const size_t chunk = 1 + bytes[1] % 64, block = chunk * (1 + bytes[1] / 64);
    outcome whole = read_text(one, format, bytes + 2, count - 2, 0, 0);
    hop_context *readers = fuzz_chosen(fuzz_hash(bytes, count), 16) ? three : one;
    outcome cut = read_text(readers, format, bytes + 2, count - 2, block, chunk);
    if (whole.status != cut.status || whole.hash != cut.hash) {
        fprintf(stderr,
                "fuzz_chunks: %s in chunks of %zu bytes\n"
                "whole: %s %016llx %s\n"
                "cut:   %s %016llx %s\n",
                format, chunk, hop_status_name(whole.status), (unsigned long long)whole.hash,
                whole.message, hop_status_name(cut.status), (unsigned long long)cut.hash,
                cut.message);
        abort();
    }
    if (hop_context_memory_used(one) != 0 || hop_context_memory_used(three) != 0)
        abort();
    return 0;
}
