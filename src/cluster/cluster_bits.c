/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_bits.h. The bits that a rank knows of this one's are picked out of the words of all:
 * one by one, by the list of what it knows; or, where it knows one in MASK_SHARE of the vertices,
 * by a mask for each word, 64 at once, with an instruction of processors from the level AVX2 on. */
#include "cluster/cluster_bits.h"

#include <string.h>

#include "core/bitmap.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/try.h"

#if HOP__CPU_X86
#include <immintrin.h>
#endif

enum { MASK_SHARE = 8 };

/* ---- masks ----------------------------------------------------------------------------------- */

/* Not of directed graphs: their searches share no bits. */
static bool has_mask(const hop_cluster_graph *graph, uint32_t rank) {
    return !graph->directed && graph->known_counts[rank] > graph->vertex_count / MASK_SHARE;
}

hop_status hop__masks_make(hop_context *context, hop_cluster_graph *graph) {
    uint64_t words = hop__bitmap_words(graph->vertex_count), made = 0;
    hop_status status = HOP_OK;
    if (hop__cpu() < HOP__CPU_AVX2)
        return HOP_OK;
    for (uint32_t rank = 0; rank < graph->ranks; rank++)
        made += has_mask(graph, rank);
    HOP_TRY(status, hop__alloc_zero(context, "cluster: masks", made * words, 8, &graph->masks));
    uint64_t *mask = graph->masks;
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        if (!has_mask(graph, rank))
            continue;
        for (uint64_t i = graph->known_starts[rank]; i < graph->known_starts[rank + 1]; i++)
            hop__bitmap_set(mask, graph->known[i]);
        mask += words;
    }
done:
    return status;
}

#if HOP__CPU_X86
__attribute__((target("bmi2,popcnt"))) static void
pick_by_mask(const uint64_t *own, const uint64_t *mask, uint64_t words, uint64_t *out) {
    uint64_t bits = 0;
    unsigned fill = 0;
    for (uint64_t w = 0; w < words; w++) {
        uint64_t more = _pext_u64(own[w], mask[w]);
        unsigned count = (unsigned)_mm_popcnt_u64(mask[w]);
        bits |= more << fill;
        if (fill + count >= 64) {
            *out++ = bits;
            bits = fill > 0 ? more >> (64 - fill) : 0;
            fill -= 64;
        }
        fill += count;
    }
    if (fill > 0)
        *out = bits;
}
#else
static void pick_by_mask(const uint64_t *own, const uint64_t *mask, uint64_t words, uint64_t *out) {
    (void)own, (void)mask, (void)words, (void)out; /* there are no masks */
}
#endif

static void pick_by_list(const uint64_t *own, const uint32_t *known, uint64_t count,
                         uint64_t *out) {
    for (uint64_t i = 0; i < count; i += 64) {
        uint64_t bits = 0, some = count - i < 64 ? count - i : 64;
        for (uint64_t k = 0; k < some; k++)
            bits |= (uint64_t)hop__bitmap_get(own, known[i + k]) << k;
        *out++ = bits;
    }
}

/* ---- to the places of the ends --------------------------------------------------------------- */

/* Bits for each rank from `first` to `last`, in words of its own. */
static void bits_pick(const hop_cluster_graph *graph, uint32_t first, uint32_t last,
                      const uint64_t *own, uint64_t *out) {
    uint64_t words = hop__bitmap_words(graph->vertex_count);
    const uint64_t *mask = graph->masks;
    for (uint32_t rank = 0; rank <= last; rank++) {
        uint64_t count = graph->known_counts[rank];
        bool masked = graph->masks != NULL && has_mask(graph, rank);
        if (rank >= first) {
            if (masked)
                pick_by_mask(own, mask, words, out);
            else
                pick_by_list(own, graph->known + graph->known_starts[rank], count, out);
            out += hop__bitmap_words(count);
        }
        mask += masked ? words : 0;
    }
}

/* Those of one rank, to the places of its ids, which lie bit by bit. */
static void bits_place(const hop_cluster_graph *graph, uint32_t rank, const uint64_t *in,
                       uint64_t *ends) {
    uint64_t *to = ends + graph->id_starts[rank] / 64;
    unsigned shift = graph->id_starts[rank] % 64;
    for (uint64_t i = 0; i < graph->id_counts[rank]; i += 64, in++, to++) {
        to[0] |= *in << shift;
        if (shift != 0)
            to[1] |= *in >> (64 - shift);
    }
}

hop_status hop__bits_share(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                           hop__bits *room, const uint64_t *own, uint64_t *ends) {
    hop_status status;
    if (graph->ranks > 0)
        bits_pick(graph, 0, graph->ranks - 1, own, room->out);
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        room->counts[rank] = hop__bitmap_words(graph->known_counts[rank]);
        room->word_counts[rank] = hop__bitmap_words(graph->id_counts[rank]);
    }
    HOP_TRY(status, hop__exchange_known(cluster, phase, 8, room->out, room->counts, room->in,
                                        room->word_counts));
    memset(ends, 0, (graph->id_count / 64 + 2) * sizeof *ends);
    const uint64_t *in = room->in;
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        bits_place(graph, rank, in, ends);
        in += room->word_counts[rank];
    }
done:
    return status;
}

void hop__bits_add_own(const hop_cluster *cluster, const hop_cluster_graph *graph, hop__bits *room,
                       const uint64_t *own, uint64_t *ends) {
    bits_pick(graph, cluster->rank, cluster->rank, own, room->out);
    bits_place(graph, cluster->rank, room->out, ends);
}

hop_status hop__bits_open(hop_context *context, const hop_cluster_graph *graph, hop__bits *room) {
    uint64_t ranks = graph->ranks, known = graph->known_starts[ranks];
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "cluster: bits", known / 64 + ranks, 8, &room->out));
    HOP_TRY(status,
            hop__alloc(context, "cluster: bits", graph->id_count / 64 + ranks, 8, &room->in));
    HOP_TRY(status, hop__alloc(context, "cluster: counts", ranks, 8, &room->counts));
    HOP_TRY(status, hop__alloc(context, "cluster: counts", ranks, 8, &room->word_counts));
done:
    return status;
}

void hop__bits_close(hop__bits *room) {
    hop__free(room->out);
    hop__free(room->in);
    hop__free(room->counts);
    hop__free(room->word_counts);
    *room = (hop__bits){NULL, NULL, NULL, NULL};
}
