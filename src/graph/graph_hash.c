/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash of what a graph contains. The arrays are cut into chunks of fixed size, each is hashed by
 * XXH3, and the chunk hashes are hashed together with the header. So threads work on chunks and
 * the result does not depend on their number; offsets are hashed as 64-bit numbers, whatever
 * their width, and labels that are kept as their first one as the array that they stand for. The
 * bytes are little-endian, the only order that we build for. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_hash.h"

enum { CHUNK = HOP__HASH_CHUNK, PIECE = 1 << 10 };

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    uint64_t offset_chunks, target_chunks, weight_chunks;
    uint64_t *hashes;
} job;

static uint64_t hash_offsets(const hop_graph *graph, uint64_t begin, uint64_t end) {
    XXH3_state_t state;
    uint64_t piece[PIECE];
    XXH3_64bits_reset(&state);
    while (begin < end) {
        uint64_t count = end - begin < PIECE ? end - begin : PIECE;
        for (uint64_t i = 0; i < count; i++)
            piece[i] = hop__offset(graph, begin + i);
        XXH3_64bits_update(&state, piece, count * sizeof piece[0]);
        begin += count;
    }
    return XXH3_64bits_digest(&state);
}

/* Labels first, first + 1 ... as if they stood in an array. */
static uint64_t hash_counted(uint64_t first, uint64_t count, uint64_t chunk) {
    uint64_t begin = chunk * CHUNK, end = begin + CHUNK < count ? begin + CHUNK : count;
    XXH3_state_t state;
    uint64_t piece[PIECE];
    XXH3_64bits_reset(&state);
    for (uint64_t size; begin < end; begin += size) {
        size = end - begin < PIECE ? end - begin : PIECE;
        for (uint64_t i = 0; i < size; i++)
            piece[i] = first + begin + i;
        XXH3_64bits_update(&state, piece, size * sizeof piece[0]);
    }
    return XXH3_64bits_digest(&state);
}

static uint64_t hash_array(const void *array, size_t size, uint64_t count, uint64_t chunk) {
    uint64_t begin = chunk * CHUNK, end = begin + CHUNK < count ? begin + CHUNK : count;
    return XXH3_64bits((const unsigned char *)array + begin * size, (end - begin) * size);
}

static uint64_t chunks_of(uint64_t count) {
    return count / CHUNK + (count % CHUNK != 0);
}

/* Of what the vertices are called: the offsets of names, then their bytes; or the labels. */
static uint64_t hash_name_chunk(hop__names names, uint64_t vertices, uint64_t chunk) {
    uint64_t offset_chunks = chunks_of(vertices + 1);
    if (names.texts != NULL)
        return chunk < offset_chunks
                   ? hash_array(names.texts->offsets, sizeof(uint64_t), vertices + 1, chunk)
                   : hash_array(names.texts->bytes, 1, names.texts->size, chunk - offset_chunks);
    return names.labels != NULL ? hash_array(names.labels, sizeof(uint64_t), vertices, chunk)
                                : hash_counted(names.first_id, vertices, chunk);
}

static uint64_t name_chunks(hop__names names, uint64_t vertices) {
    if (names.texts != NULL)
        return chunks_of(vertices + 1) + chunks_of(names.texts->size);
    return names.labels != NULL || names.first_id != 0 ? chunks_of(vertices) : 0;
}

static uint64_t hash_chunk(const job *work, uint64_t chunk) {
    const hop_graph *graph = work->graph;
    uint64_t offsets = (uint64_t)graph->vertices + 1, end;
    if (chunk < work->offset_chunks) {
        end = (chunk + 1) * CHUNK;
        return hash_offsets(graph, chunk * CHUNK, end < offsets ? end : offsets);
    }
    chunk -= work->offset_chunks;
    if (chunk < work->target_chunks)
        return hash_array(graph->targets, sizeof(hop_vertex), graph->arcs, chunk);
    chunk -= work->target_chunks;
    if (chunk < work->weight_chunks)
        return hash_array(graph->weights, hop_type_size(graph->weight_type), graph->arcs, chunk);
    return hash_name_chunk(hop__graph_names(graph), graph->vertices, chunk - work->weight_chunks);
}

static void hash_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t chunk = begin; chunk < end; chunk++)
        work->hashes[chunk] = hash_chunk(work, chunk);
}

uint64_t hop__hash_items(const void *items, size_t bytes) {
    return XXH3_64bits(items, bytes);
}

/* The hashes of all chunks, and what is not in them, as one. */
static uint64_t join(const hop__hash_head *head, hop__names names, const uint64_t *hashes,
                     uint64_t count) {
    bool named = names.labels != NULL || (names.first_id != 0 && head->vertices > 0);
    uint64_t header[5] = {head->vertices, head->arcs, head->directed, (uint64_t)head->weight_type,
                          names.texts != NULL ? 2 : named};
    return XXH3_64bits_withSeed(hashes, count * 8, XXH3_64bits(header, sizeof header));
}

uint64_t hop__hash_room(hop__names names, uint64_t vertices, uint64_t arcs, bool weighted) {
    return chunks_of(vertices + 1) + chunks_of(arcs) * (weighted ? 2 : 1) +
           name_chunks(names, vertices);
}

uint64_t hop__hash_finish(const hop__hash_head *head, hop__names names, uint64_t *hashes,
                          uint64_t count) {
    uint64_t more = name_chunks(names, head->vertices);
    for (uint64_t chunk = 0; chunk < more; chunk++)
        hashes[count + chunk] = hash_name_chunk(names, head->vertices, chunk);
    return join(head, names, hashes, count + more);
}

hop_status hop_graph_hash(hop_context *context, const hop_graph *graph, uint64_t *hash) {
    if (!context || !graph || !hash)
        return hop__missing(context, "hop_graph_hash");
    hop__names names = hop__graph_names(graph);
    job work = {context,
                graph,
                chunks_of((uint64_t)graph->vertices + 1),
                chunks_of(graph->arcs),
                graph->weight_type == HOP_TYPE_NONE ? 0 : chunks_of(graph->arcs),
                NULL};
    uint64_t chunks = work.offset_chunks + work.target_chunks + work.weight_chunks +
                      name_chunks(names, graph->vertices);
    hop__hash_head head = {graph->vertices, graph->arcs, graph->directed, graph->weight_type};
    hop_status status;
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__alloc(context, "hash", chunks, 8, &work.hashes));
    hop__progress_begin(context, "hash", chunks);
    hop__for(context, chunks, 1, hash_range, &work);
    HOP_TRY(status, hop__progress_end(context));
    *hash = join(&head, names, work.hashes, chunks);
done:
    hop__free(work.hashes);
    return status;
}
