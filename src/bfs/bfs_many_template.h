/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops of bfs_many.h for one number of words, MANY_WORDS. The file that includes this defines
 * TARGET, the attribute of the functions, and for each MANY_WORDS a function any_<words> of its
 * TARGET: whether the vector there has a bit. (By address: how vectors are passed depends on what
 * the processor has.) A vector is all words of a vertex, in the compiler's vector
 * types: what the processor has no registers for is cut into those that it has. */
#define MANY_JOIN_(a, b) a##_##b
#define MANY_JOIN(a, b)  MANY_JOIN_(a, b)
#define MANY(name)       MANY_JOIN(name, MANY_WORDS)
#define VECTOR           MANY(words)
#define AT(array, v)     (((VECTOR *)(array))[v])

TARGET static bool MANY(push)(hop__many *many) {
    const hop_graph *graph = many->graph;
    hop_vertex found = 0;
    for (hop_vertex i = 0; i < many->listed; i++) {
        hop_vertex u = many->list[i];
        VECTOR mine = AT(many->now, u);
        uint64_t arc = hop__offset(graph, u), stop = hop__offset(graph, (uint64_t)u + 1);
        many->unreported++;
        do {
            uint64_t piece = hop__many_piece(many, arc, stop);
            for (; arc < piece; arc++) {
                hop_vertex v = graph->targets[arc];
                VECTOR fresh = mine & ~AT(many->seen, v), before;
                if (!MANY(any)(&fresh))
                    continue;
                before = AT(many->next, v);
                AT(many->next, v) = before | fresh;
                many->fresh[found] = v;
                found += !MANY(any)(&before);
            }
            if (!hop__many_goes_on(many))
                return false;
        } while (arc < stop);
    }
    for (hop_vertex i = 0; i < found; i++)
        AT(many->seen, many->fresh[i]) |= AT(many->next, many->fresh[i]);
    many->found = found;
    return true;
}

/* A vertex stops at the arc with which every source that it misses has reached it. */
TARGET static bool MANY(pull)(hop__many *many) {
    const hop_graph *reverse = many->reverse;
    VECTOR all;
    hop_vertex found = 0, kept = 0;
    memcpy(&all, many->all, sizeof all);
    many->open_arcs = 0;
    for (hop_vertex i = 0; i < many->opened; i++) {
        hop_vertex v = many->open[i];
        VECTOR missing = all & ~AT(many->seen, v), got = {0}, rest = missing;
        uint64_t arc = hop__offset(reverse, v), stop = hop__offset(reverse, (uint64_t)v + 1);
        uint64_t degree = stop - arc;
        bool wants = MANY(any)(&missing);
        many->unreported++;
        do {
            uint64_t piece = hop__many_piece(many, arc, stop);
            for (; arc < piece && wants; arc++) {
                hop_vertex u = reverse->targets[arc];
                if (!hop__bitmap_get(many->active, u))
                    continue;
                got |= AT(many->now, u);
                rest = missing & ~got;
                wants = MANY(any)(&rest);
            }
            if (!hop__many_goes_on(many))
                return false;
        } while (arc < stop && wants);
        got &= missing;
        if (MANY(any)(&got)) {
            AT(many->next, v) = got;
            AT(many->seen, v) |= got;
            many->fresh[found++] = v;
        }
        if (wants) {
            many->open[kept++] = v;
            many->open_arcs += degree;
        }
    }
    many->opened = kept;
    many->found = found;
    return true;
}

/* One more for each bit of *bits, in numbers of which planes[b] has the bits number b. */
TARGET static inline void MANY(add)(VECTOR *planes, const VECTOR *bits) {
    for (VECTOR carry = *bits; MANY(any)(&carry); planes++) {
        VECTOR next = *planes & carry;
        *planes ^= carry;
        carry = next;
    }
}

/* Adds *a and *b to *sum, bit by bit; *out is what is carried. */
TARGET static inline void MANY(carry)(VECTOR *sum, const VECTOR *a, const VECTOR *b, VECTOR *out) {
    VECTOR half = *sum ^ *a;
    *out = (*sum & *a) | (half & *b);
    *sum = half ^ *b;
}

/* Eight vertices at a time: seven additions carry one bit to the planes from the fourth on. */
TARGET static void MANY(count)(const hop__many *many, uint32_t *counts) {
    VECTOR planes[HOP__MANY_PLANES] = {{0}};
    hop_vertex i = 0;
    for (; i + 8 <= many->listed; i += 8) {
        const hop_vertex *v = many->list + i;
        VECTOR two[4], four[2], eight;
        for (int k = 0; k < 4; k++)
            MANY(carry)
        (&planes[0], &AT(many->now, v[2 * k]), &AT(many->now, v[2 * k + 1]), &two[k]);
        MANY(carry)(&planes[1], &two[0], &two[1], &four[0]);
        MANY(carry)(&planes[1], &two[2], &two[3], &four[1]);
        MANY(carry)(&planes[2], &four[0], &four[1], &eight);
        MANY(add)(planes + 3, &eight);
    }
    for (; i < many->listed; i++)
        MANY(add)(planes, &AT(many->now, many->list[i]));
    hop__many_spill((const uint64_t *)planes, MANY_WORDS, counts);
}

#undef MANY_JOIN_
#undef MANY_JOIN
#undef MANY
#undef VECTOR
#undef AT
#undef MANY_WORDS
