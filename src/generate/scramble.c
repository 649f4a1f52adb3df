/* SPDX-License-Identifier: Apache-2.0
 * See scramble.h. */
#include "generate/scramble.h"

#include "generate/family.h"

void hop__scramble_init(hop__scramble *scramble, bool wanted, uint64_t vertices, uint64_t seed) {
    scramble->wanted = wanted && vertices > 0;
    if (scramble->wanted)
        hop__shuffle_init(&scramble->shuffle, vertices, seed, HOP__STREAM_ORDER);
}

void hop__scramble_apply(const hop__scramble *scramble, hop_vertex *ids, uint32_t count) {
    enum { PIECE = 256 };
    uint64_t wide[PIECE];
    if (!scramble->wanted)
        return;
    for (uint32_t done = 0; done < count; done += PIECE) {
        uint32_t piece = count - done < PIECE ? count - done : PIECE;
        for (uint32_t i = 0; i < piece; i++)
            wide[i] = ids[done + i];
        hop__shuffle_all(&scramble->shuffle, wide, piece);
        for (uint32_t i = 0; i < piece; i++)
            ids[done + i] = (hop_vertex)wide[i];
    }
}
