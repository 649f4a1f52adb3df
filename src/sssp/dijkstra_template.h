/* SPDX-License-Identifier: Apache-2.0
 *
 * Dijkstra's search for one type of weights and one form of heap entries; see sssp_dijkstra.c.
 * Before including, for each instance (undefined again at the end):
 *   DIJKSTRA(name)           makes names unique
 *   WEIGHTS(graph), ADD(d, i)
 *                            a declaration that ADD needs; the SUM of d and the weight of arc i
 * and for several:
 *   DISTANCE, SUM            the types of distances, and of sums before they become one
 *   NONE, LIMIT(goal)        not reached; the goal's field with the largest distance allowed
 *   LESS_SUM(a, b)           a < b, for sums and distances
 *   ENTRY, ENTRY_OF(space, d, v), ENTRY_DISTANCE(space, e), ENTRY_VERTEX(space, e), BEFORE(a, b)
 *                            entries of the heap */

/* The heap has four children per node: the children of node i are 4i+1 .. 4i+4, and stand at
 * heap[4i+4 .. 4i+7], in one cache line, because node i stands at heap[i + 3]. */

static void DIJKSTRA(sift_up)(ENTRY *nodes, uint64_t hole, ENTRY entry) {
    while (hole > 0) {
        uint64_t above = (hole - 1) / 4;
        if (!BEFORE(entry, nodes[above]))
            break;
        nodes[hole] = nodes[above];
        hole = above;
    }
    nodes[hole] = entry;
}

/* The first of the children first .. last-1. */
static inline uint64_t DIJKSTRA(first_child)(const ENTRY *nodes, uint64_t first, uint64_t last) {
    uint64_t best = first;
    for (uint64_t child = first + 1; child < last; child++)
        best = BEFORE(nodes[child], nodes[best]) ? child : best;
    return best;
}

/* Puts `entry` at `hole` or below it. */
static void DIJKSTRA(sift_down)(ENTRY *nodes, uint64_t count, uint64_t hole, ENTRY entry) {
    for (;;) {
        uint64_t first = 4 * hole + 1;
        if (first >= count)
            break;
        uint64_t child = DIJKSTRA(first_child)(nodes, first, first + 4 < count ? first + 4 : count);
        if (!BEFORE(nodes[child], entry))
            break;
        nodes[hole] = nodes[child];
        hole = child;
    }
    nodes[hole] = entry;
}

/* Takes out the first node. The last one, which fills its place, belongs near the bottom: so the
 * hole goes all the way down without looking at it, and it then comes up from there. */
static void DIJKSTRA(pop)(ENTRY *nodes, uint64_t *count) {
    uint64_t left = --*count, hole = 0;
    ENTRY last = nodes[left];
    for (uint64_t first = 1; first < left; first = 4 * hole + 1) {
        uint64_t child = DIJKSTRA(first_child)(nodes, first, first + 4 < left ? first + 4 : left);
        nodes[hole] = nodes[child];
        hole = child;
    }
    if (left > 0)
        DIJKSTRA(sift_up)(nodes, hole, last);
}

/* Takes out the entries that a better one of the same vertex has made useless. */
static uint64_t DIJKSTRA(purge)(const hop__dijkstra *space, const DISTANCE *distances,
                                uint64_t count) {
    ENTRY *nodes = (ENTRY *)space->heap + 3;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (ENTRY_DISTANCE(space, nodes[i]) == distances[ENTRY_VERTEX(space, nodes[i])])
            nodes[kept++] = nodes[i];
    for (uint64_t i = kept / 4 + 1; i-- > 0;)
        if (i < kept)
            DIJKSTRA(sift_down)(nodes, kept, i, nodes[i]);
    return kept;
}

static void DIJKSTRA(push)(const hop__dijkstra *space, dijkstra_goal *goal, DISTANCE distance,
                           hop_vertex vertex) {
    if (goal->count == space->capacity)
        goal->count = DIJKSTRA(purge)(space, goal->distances, goal->count);
    DIJKSTRA(sift_up)
    ((ENTRY *)space->heap + 3, goal->count++, ENTRY_OF(space, distance, vertex));
}

/* Relaxes arcs begin .. end-1 of u. */
static inline void DIJKSTRA(relax)(const hop__dijkstra *space, dijkstra_goal *goal, hop_vertex u,
                                   uint64_t begin, uint64_t end, bool with_parents) {
    const hop_vertex *targets = space->graph->targets;
    DISTANCE *distances = goal->distances;
    hop_vertex *parents = goal->parents;
    const DISTANCE own = distances[u], limit = (DISTANCE)LIMIT(goal);
    WEIGHTS(space->graph);
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        SUM sum = ADD(own, i);
        if (LESS_SUM(sum, distances[v])) {
            if (LESS_SUM(limit, sum))
                continue;
            distances[v] = (DISTANCE)sum;
            DIJKSTRA(push)(space, goal, (DISTANCE)sum, v);
            if (!with_parents)
                continue;
            if ((DISTANCE)sum != own) {
                parents[v] = u;
            } else { /* as far as u, so final: its parent is found later, by layers */
                parents[v] = HOP_NO_VERTEX;
                goal->level_count++;
                hop__bitmap_set(goal->level, u);
            }
        } else if (with_parents && sum == (SUM)distances[v] && !LESS_SUM(limit, sum)) {
            if ((DISTANCE)sum != own)
                parents[v] = u < parents[v] ? u : parents[v];
            else if (parents[v] == HOP_NO_VERTEX)
                hop__bitmap_set(goal->level, u);
        }
    }
}

/* The row of u, in pieces that are short enough to be cancelled between them. */
static bool DIJKSTRA(expand)(hop_context *context, hop__dijkstra *space, dijkstra_goal *goal,
                             hop_vertex u) {
    uint64_t begin = hop__offset(space->graph, u), end = hop__offset(space->graph, (uint64_t)u + 1);
    while (begin < end) {
        uint64_t stop = end - begin > REPORT_ARCS ? begin + REPORT_ARCS : end;
        if (goal->parents)
            DIJKSTRA(relax)(space, goal, u, begin, stop, true);
        else
            DIJKSTRA(relax)(space, goal, u, begin, stop, false);
        goal->unreported += stop - begin;
        begin = stop;
        if (goal->unreported >= REPORT_ARCS && !goal_report(context, space, goal))
            return false;
    }
    return true;
}

static bool DIJKSTRA(begin)(hop_context *context, const hop__dijkstra *space, dijkstra_goal *goal) {
    DISTANCE *distances = goal->distances;
    uint64_t n = space->graph->vertices;
    for (uint64_t begin = 0; begin < n; begin += FILL_VERTICES) {
        uint64_t end = n - begin < FILL_VERTICES ? n : begin + FILL_VERTICES;
        for (uint64_t v = begin; v < end; v++)
            distances[v] = NONE;
        for (uint64_t v = begin; goal->parents && v < end; v++)
            goal->parents[v] = HOP_NO_VERTEX;
        if (!hop__progress_add(context, 0))
            return false;
    }
    for (hop_vertex i = 0; i < goal->source_count; i++) {
        hop_vertex s = goal->sources[i];
        if (distances[s] != NONE || LIMIT(goal) < 0)
            continue;
        distances[s] = 0;
        if (goal->parents)
            goal->parents[s] = s;
        DIJKSTRA(push)(space, goal, 0, s);
    }
    return true;
}

static bool DIJKSTRA(search)(hop_context *context, hop__dijkstra *space, dijkstra_goal *goal) {
    ENTRY *nodes = (ENTRY *)space->heap + 3;
    DISTANCE *distances = goal->distances;
    if (!DIJKSTRA(begin)(context, space, goal))
        return false;
    while (goal->count > 0) {
        ENTRY top = nodes[0];
        DISTANCE distance = ENTRY_DISTANCE(space, top);
        hop_vertex u = ENTRY_VERTEX(space, top);
        if (distance > (DISTANCE)LIMIT(goal))
            break;
        DIJKSTRA(pop)(nodes, &goal->count);
        if (distance != distances[u])
            continue; /* was reached by a better way since, and is done */
        space->settled++;
        if (goal->targets && hop__bitmap_get(goal->targets, u) && --goal->targets_left == 0)
            LIMIT(goal) = distance; /* what is as far is settled too */
        if (!DIJKSTRA(expand)(context, space, goal, u))
            return false;
    }
    /* What was seen beyond the last target has an entry still. */
    for (uint64_t i = 0; i < goal->count; i++) {
        hop_vertex v = ENTRY_VERTEX(space, nodes[i]);
        if (distances[v] <= (DISTANCE)LIMIT(goal))
            continue;
        distances[v] = NONE;
        if (goal->parents)
            goal->parents[v] = HOP_NO_VERTEX;
    }
    return goal_report(context, space, goal);
}

#undef DIJKSTRA
#undef WEIGHTS
#undef ADD
