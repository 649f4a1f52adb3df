/* SPDX-License-Identifier: Apache-2.0
 * See distinct_pairs.h. Cost: about 13 ns per pair. */
#include "generate/distinct_pairs.h"

#include "graph/edge_source.h"

void hop__pairs_init(hop__pairs *pairs, uint64_t vertices, bool ordered, hop_vertex offset,
                     uint64_t seed, uint64_t stream) {
    hop__shuffle_init(&pairs->shuffle, hop__pairs_possible(vertices, ordered), seed, stream);
    pairs->vertices = vertices;
    pairs->inverse = UINT64_MAX / vertices; /* vertices >= 2; the right floor unless a power of 2 */
    pairs->offset = offset;
}

void hop__pairs_fill(const hop__pairs *pairs, uint64_t first, uint32_t count, hop_vertex *from,
                     hop_vertex *to) {
    uint64_t numbers[HOP__SOURCE_BLOCK];
    for (uint32_t done = 0; done < count;) {
        uint32_t piece = count - done < HOP__SOURCE_BLOCK ? count - done : HOP__SOURCE_BLOCK;
        for (uint32_t i = 0; i < piece; i++)
            numbers[i] = first + done + i;
        hop__shuffle_all(&pairs->shuffle, numbers, piece);
        for (uint32_t i = 0; i < piece; i++) {
            uint64_t number = numbers[i], n = pairs->vertices;
            /* The estimate is at most one too small: number * (2^64 / n - inverse) / 2^64 < 1. */
            uint64_t row = (uint64_t)(((hop__u128)number * pairs->inverse) >> 64);
            uint64_t column = number - row * n;
            if (column >= n) {
                column -= n;
                row++;
            }
            uint64_t other = column + row + 1;
            if (other >= n)
                other -= n;
            from[done + i] = pairs->offset + (hop_vertex)column;
            to[done + i] = pairs->offset + (hop_vertex)other;
        }
        done += piece;
    }
}
