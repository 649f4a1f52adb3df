/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits blocks of arcs; see arc_visit.h.
 *
 * The blocks of a graph on disk are visited in windows of at most HOP__BATCH_BLOCKS. While the team
 * works on one, the next is being read. Each block has a frame of the cache; those that are not in
 * it get the frame that was taken longest ago; in a visit that needs more blocks than there are
 * frames, any: so a part of them is still there when the next visit needs the same ones.
 *
 * Invariants
 *  1. frame_of[b] = f exactly when owner[f] = b; then the frame has the block's targets, and its
 *     weights if weighted[f]; or a request of a window that is not done will bring them.
 *  2. Frames of the window under way and of the next, known by their stamps, are not taken. They
 *     are at most half of all, since a window has at most a quarter.
 *     Nor is that of the last block before the window under way.
 *  3. After a failure the cache is empty.
 *
 * A sweep is a visit whose windows, or all that is in the cache, are worked on again and again
 * until the caller asks for no more; and it can go down, from the last block to the first. */
#include "store/arc_visit.h"

#include <string.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "store/block_reads.h"

enum { MEMORY_GRAIN = 4, CACHED_GRAIN = 8 };
#define NO_BLOCK UINT64_MAX

typedef struct window {
    uint64_t numbers[HOP__BATCH_BLOCKS];
    uint32_t frames[HOP__BATCH_BLOCKS];
    unsigned count;
    hop__batch *batch;
} window;

/* What reading takes. */
typedef struct disk {
    hop__readers readers;
    window windows[2];
    unsigned most; /* blocks of a window */
} disk;

struct hop__arcs {
    const hop_graph *graph;
    hop__store *store; /* NULL: in memory, and no disk */
    disk *disk;
    bool weights;
    uint64_t bytes_before, reads_before, visited, different;
    uint64_t *touched; /* bits of blocks that were visited */
    uint64_t lent;     /* frames, the last ones */
    /* Of the visit under way: */
    hop_context *context;
    const uint64_t *wanted;
    uint64_t next; /* the first block that is in no window yet; going down, one behind the last */
    hop__arcs_calls calls;
    void *user;
    const window *now;
    uint64_t behind; /* the last block of the window before, and its frame; NO_BLOCK: none */
    uint32_t behind_frame;
    hop__arcs_order order;
    bool turned; /* the cache is gone over from its newest block to its oldest */
    atomic_bool stopped;
};

/* ---- in memory ------------------------------------------------------------------------------ */

/* What is visited may want more blocks meanwhile. */
static bool is_wanted(const hop__arcs *arcs, uint64_t block) {
    return arcs->wanted == NULL || hop__bitmap_look(arcs->wanted, block);
}

static hop__arc_block block_at(const hop_graph *graph, uint64_t number) {
    uint64_t begin = number * HOP__ARC_BLOCK, left = graph->arcs - begin;
    return (hop__arc_block){number, begin, begin + (left < HOP__ARC_BLOCK ? left : HOP__ARC_BLOCK),
                            NULL, NULL};
}

static void visit_block(hop__arcs *arcs, const hop__arc_block *block, unsigned thread) {
    arcs->calls.visit(arcs->user, block, thread);
    if (!hop__progress_add(arcs->context, 0))
        atomic_store_explicit(&arcs->stopped, true, memory_order_relaxed);
}

static void memory_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__arcs *arcs = arg;
    const hop_graph *graph = arcs->graph;
    size_t width = hop_type_size(graph->weight_type);
    for (uint64_t number = begin; number < end; number++) {
        if (atomic_load_explicit(&arcs->stopped, memory_order_relaxed))
            return;
        if (!is_wanted(arcs, number))
            continue;
        hop__arc_block block = block_at(graph, number);
        block.targets = graph->targets + block.begin;
        if (arcs->weights)
            block.weights = (const unsigned char *)graph->weights + block.begin * width;
        visit_block(arcs, &block, thread);
    }
}

static bool is_down(const hop__arcs *arcs) {
    return (arcs->order & HOP__ARCS_DOWN) != 0;
}

/* ---- windows -------------------------------------------------------------------------------- */

static uint32_t take_frame(hop__store *store, uint64_t block) {
    uint32_t frame;
    do {
        store->hand =
            store->flooded ? store->hand * UINT64_C(6364136223846793005) + 1 : store->hand + 1;
        frame = (uint32_t)((store->flooded ? store->hand >> 33 : store->hand) % store->frame_count);
    } while (store->stamps[frame] + 1 >= store->window);
    if (store->owner[frame] != HOP__NO_FRAME)
        store->frame_of[store->owner[frame]] = HOP__NO_FRAME;
    store->owner[frame] = (uint32_t)block;
    store->weighted[frame] = 0;
    store->frame_of[block] = frame;
    return frame;
}

/* A block of the file is to be read: with the request before it, if it comes after that one's. */
static void ask(hop__batch *batch, hop__request **last, hop__blocked array, uint64_t block,
                unsigned char *place) {
    hop__request *request = *last;
    if (request == NULL || request->first + request->count != block ||
        request->count == HOP__READ_BLOCKS) {
        request = *last = &batch->requests[batch->count++];
        request->array = array;
        request->first = block;
        request->count = 0;
    }
    request->places[request->count++] = place;
}

/* The first block from `at` on that is wanted; store->blocks: none. */
static uint64_t wanted_from(const hop__arcs *arcs, uint64_t at) {
    uint64_t blocks = arcs->store->blocks;
    while (arcs->wanted != NULL && at < blocks) {
        uint64_t bits = hop__load_u64(&arcs->wanted[at / 64]) >> at % 64;
        if (bits != 0)
            return at + (uint64_t)__builtin_ctzll(bits);
        at = (at / 64 + 1) * 64;
    }
    return at < blocks ? at : blocks;
}

/* One behind the last block below `end` that is wanted; 0: none. */
static uint64_t wanted_below(const hop__arcs *arcs, uint64_t end) {
    while (arcs->wanted != NULL && end > 0) {
        uint64_t bits = hop__load_u64(&arcs->wanted[(end - 1) / 64]) << (63 - (end - 1) % 64);
        if (bits != 0)
            return end - (uint64_t)__builtin_clzll(bits);
        end = (end - 1) / 64 * 64;
    }
    return end;
}

/* The next blocks that are wanted, in ascending order. */
static void choose_blocks(hop__arcs *arcs, window *next) {
    unsigned most = arcs->disk->most, count = 0;
    if (!is_down(arcs)) {
        uint64_t at = wanted_from(arcs, arcs->next);
        for (; at < arcs->store->blocks && count < most; at = wanted_from(arcs, at + 1))
            next->numbers[count++] = at;
        arcs->next = count > 0 ? next->numbers[count - 1] + 1 : arcs->next;
    } else {
        uint64_t end = wanted_below(arcs, arcs->next);
        for (; end > 0 && count < most; end = wanted_below(arcs, end - 1))
            next->numbers[count++] = end - 1;
        arcs->next = count > 0 ? next->numbers[count - 1] : arcs->next;
        for (unsigned i = 0; i < count / 2; i++) {
            uint64_t number = next->numbers[i];
            next->numbers[i] = next->numbers[count - 1 - i];
            next->numbers[count - 1 - i] = number;
        }
    }
    next->count = count;
}

/* The next window: its blocks, and requests, which are begun, for those that are not in the cache.
 */
static void plan(hop__arcs *arcs, window *next) {
    hop__store *store = arcs->store;
    hop__request *targets = NULL, *weights = NULL;
    unsigned per_block = (unsigned)((store->frame_bytes - 1) / HOP__BLOCK_BYTES);
    uint64_t weight_blocks = hop__blocks_of(store->arrays[HOP__BLOCKED_WEIGHTS].bytes);
    next->batch->count = 0;
    store->window++;
    if (next->count > 0) {
        arcs->behind = next->numbers[next->count - 1];
        arcs->behind_frame = next->frames[next->count - 1];
        store->stamps[arcs->behind_frame] = store->window - 1;
    }
    choose_blocks(arcs, next);
    for (unsigned k = 0; k < next->count; k++) {
        uint64_t block = next->numbers[k];
        uint32_t frame = store->frame_of[block];
        bool there = frame != HOP__NO_FRAME;
        if (!there)
            frame = take_frame(store, block);
        unsigned char *place = store->frames + frame * store->frame_bytes;
        store->stamps[frame] = store->window;
        if (!there)
            ask(next->batch, &targets, HOP__BLOCKED_TARGETS, block, place);
        if (arcs->weights && !store->weighted[frame])
            for (unsigned i = 0; i < per_block && block * per_block + i < weight_blocks; i++)
                ask(next->batch, &weights, HOP__BLOCKED_WEIGHTS, block * per_block + i,
                    place + (1 + i) * (size_t)HOP__BLOCK_BYTES);
        store->weighted[frame] |= arcs->weights;
        next->frames[k] = frame;
    }
    if (next->count > 0)
        hop__readers_submit(&arcs->disk->readers, next->batch);
}

static void window_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__arcs *arcs = arg;
    const hop__store *store = arcs->store;
    for (uint64_t i = begin; i < end; i++) {
        if (atomic_load_explicit(&arcs->stopped, memory_order_relaxed))
            return;
        uint64_t k = is_down(arcs) ? arcs->now->count - 1 - i : i;
        hop__arc_block block = block_at(arcs->graph, arcs->now->numbers[k]);
        const unsigned char *frame = store->frames + arcs->now->frames[k] * store->frame_bytes;
        block.targets = (const void *)frame;
        if (arcs->weights)
            block.weights = frame + HOP__BLOCK_BYTES;
        visit_block(arcs, &block, thread);
    }
}

/* All blocks that are in the cache, but for those that are on their way. */
static void cached_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__arcs *arcs = arg;
    const hop__store *store = arcs->store;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t place = arcs->turned ? store->frame_count - 1 - i : i;
        uint64_t frame = (store->hand + 1 + place) % store->frame_count;
        if (store->owner[frame] == HOP__NO_FRAME || store->stamps[frame] == store->window ||
            (arcs->weights && !store->weighted[frame]))
            continue;
        if (arcs->calls.idle != NULL && arcs->calls.idle(arcs->user, store->owner[frame]))
            continue;
        if (atomic_load_explicit(&arcs->stopped, memory_order_relaxed))
            return;
        hop__arc_block block = block_at(arcs->graph, store->owner[frame]);
        block.targets = (const void *)(store->frames + frame * store->frame_bytes);
        if (arcs->weights)
            block.weights = store->frames + frame * store->frame_bytes + HOP__BLOCK_BYTES;
        visit_block(arcs, &block, thread);
    }
}

static void count_window(hop__arcs *arcs) {
    arcs->visited += arcs->now->count;
    for (unsigned k = 0; k < arcs->now->count; k++)
        arcs->different += hop__bitmap_claim(arcs->touched, arcs->now->numbers[k]);
}

/* The window that was read, and again if there is more in it. False: to be ended. */
static bool visit_window(hop_context *context, hop__arcs *arcs) {
    count_window(arcs);
    bool all = false;
    do {
        if (all)
            hop__for(context, arcs->store->frame_count, CACHED_GRAIN, cached_range, arcs);
        else
            hop__for(context, arcs->now->count, 1, window_range, arcs);
        all = (arcs->order & HOP__ARCS_CACHED) != 0;
        arcs->turned = !arcs->turned; /* what is found spreads both ways */
        if (atomic_load_explicit(&arcs->stopped, memory_order_relaxed))
            return false;
    } while (arcs->calls.more != NULL && arcs->calls.more(arcs->user));
    return true;
}

static void forget_all(hop__store *store) {
    memset(store->frame_of, 0xff, store->blocks * sizeof *store->frame_of);
    memset(store->owner, 0xff, store->frame_count * sizeof *store->owner);
}

/* Whether the visit has more blocks than the cache has frames. */
static bool floods(const hop__arcs *arcs) {
    uint64_t count = 0, words = hop__bitmap_words(arcs->store->blocks);
    if (arcs->wanted == NULL)
        return arcs->store->blocks > arcs->store->frame_count;
    for (uint64_t i = 0; i < words; i++)
        count += (uint64_t)__builtin_popcountll(arcs->wanted[i]);
    return count > arcs->store->frame_count;
}

static hop_status visit_disk(hop_context *context, hop__arcs *arcs) {
    hop__readers *readers = &arcs->disk->readers;
    window *now = &arcs->disk->windows[0], *next = &arcs->disk->windows[1];
    bool right = true;
    now->count = next->count = 0;
    arcs->behind = NO_BLOCK;
    arcs->store->flooded = (arcs->order & HOP__ARCS_CACHED) == 0 && floods(arcs);
    plan(arcs, now);
    while (now->count > 0) {
        plan(arcs, next);
        right = hop__readers_wait(context, readers, now->batch);
        if (!right)
            break;
        arcs->now = now;
        right = visit_window(context, arcs);
        if (!right)
            break;
        window *swap = now;
        now = next;
        next = swap;
        if (now->count == 0) /* fn may have added to what is wanted */
            plan(arcs, now);
    }
    hop__readers_drop(readers);
    if (!right)
        forget_all(arcs->store);
    return hop__store_failure(context, arcs->store);
}

/* ---- the search ------------------------------------------------------------------------------ */

static uint64_t touched_words(const hop__store *store) {
    return hop__bitmap_words(store->blocks);
}

uint64_t hop__arcs_bytes(const hop_graph *graph) {
    return hop__block_bytes(1, sizeof(hop__arcs)) +
           (graph->store != NULL ? hop__block_bytes(1, sizeof(disk)) +
                                       hop__block_bytes(touched_words(graph->store), 8)
                                 : 0);
}

/* A window has at most a quarter of the frames: invariant 2. */
static void set_window(hop__arcs *arcs) {
    uint64_t most = arcs->store->frame_count / 4;
    arcs->disk->most = most < HOP__BATCH_BLOCKS ? (unsigned)most : HOP__BATCH_BLOCKS;
}

static hop_status open_disk(hop_context *context, hop__arcs *arcs, hop__store *store) {
    hop_status status = hop__alloc(context, "arcs: requests", 1, sizeof *arcs->disk, &arcs->disk);
    if (status == HOP_OK)
        status = hop__alloc_zero(context, "arcs: blocks", touched_words(store),
                                 sizeof *arcs->touched, &arcs->touched);
    if (status != HOP_OK)
        return status;
    if (pthread_mutex_trylock(&store->busy) != 0)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: another search reads this graph now; open it once more for searches "
                         "side by side",
                         store->name);
    arcs->store = store;
    set_window(arcs);
    arcs->bytes_before = atomic_load(&store->bytes_read);
    arcs->reads_before = atomic_load(&store->reads);
    for (unsigned i = 0; i < 2; i++)
        arcs->disk->windows[i].batch = &arcs->disk->readers.batches[i];
    hop__readers_start(&arcs->disk->readers, store);
    return HOP_OK;
}

hop_status hop__arcs_open(hop_context *context, const hop_graph *graph, bool weights,
                          hop__arcs **slot) {
    hop__arcs *arcs = NULL;
    hop_status status;
    *slot = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "arcs: visit", 1, sizeof *arcs, &arcs));
    arcs->graph = graph;
    arcs->weights = weights && graph->weight_type != HOP_TYPE_NONE;
    if (graph->store != NULL)
        HOP_TRY(status, open_disk(context, arcs, graph->store));
    *slot = arcs;
    arcs = NULL;
done:
    hop__arcs_close(arcs);
    return status;
}

hop_status hop__arcs_sweep(hop_context *context, hop__arcs *arcs, const uint64_t *wanted,
                           hop__arcs_order order, hop__arcs_calls calls, void *user) {
    arcs->context = context;
    arcs->wanted = wanted;
    arcs->order = order;
    arcs->next = is_down(arcs) ? hop__arc_blocks(arcs->graph) : 0;
    arcs->calls = calls;
    arcs->user = user;
    atomic_store(&arcs->stopped, false);
    if (arcs->store != NULL)
        return visit_disk(context, arcs);
    hop__for(context, hop__arc_blocks(arcs->graph), MEMORY_GRAIN, memory_range, arcs);
    return HOP_OK;
}

hop_status hop__arcs_visit(hop_context *context, hop__arcs *arcs, const uint64_t *wanted,
                           hop__arc_fn fn, void *user) {
    return hop__arcs_sweep(context, arcs, wanted, HOP__ARCS_ONCE, (hop__arcs_calls){.visit = fn},
                           user);
}

void hop__arcs_window(const hop__arcs *arcs, uint64_t *first, uint64_t *last) {
    bool all = arcs->store == NULL || (arcs->order & HOP__ARCS_CACHED) != 0;
    *first = all ? 0 : arcs->now->numbers[0];
    *last = all ? hop__arc_blocks(arcs->graph) - 1 : arcs->now->numbers[arcs->now->count - 1];
}

const hop_vertex *hop__arcs_before(const hop__arcs *arcs, const hop__arc_block *block) {
    const hop__store *store = arcs->store;
    const window *now = arcs->now;
    unsigned low = 0, high;
    if (block->number == 0)
        return NULL;
    if (store == NULL)
        return block->targets - HOP__ARC_BLOCK;
    for (high = now->count; low < high;) { /* numbers below the block's */
        unsigned middle = (low + high) / 2;
        if (now->numbers[middle] < block->number)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t number = low > 0 ? now->numbers[low - 1] : arcs->behind;
    uint32_t frame = low > 0 ? now->frames[low - 1] : arcs->behind_frame;
    return number == block->number - 1 ? (const void *)(store->frames + frame * store->frame_bytes)
                                       : NULL;
}

void *hop__arcs_lend(hop__arcs *arcs, uint64_t keep, uint64_t *bytes) {
    hop__store *store = arcs->store;
    *bytes = 0;
    if (store == NULL || store->frame_count <= keep)
        return NULL;
    for (uint64_t frame = keep; frame < store->frame_count; frame++) {
        if (store->owner[frame] != HOP__NO_FRAME)
            store->frame_of[store->owner[frame]] = HOP__NO_FRAME;
        store->owner[frame] = HOP__NO_FRAME;
    }
    arcs->lent += store->frame_count - keep;
    *bytes = (store->frame_count - keep) * store->frame_bytes;
    store->frame_count = keep;
    set_window(arcs);
    return store->frames + keep * store->frame_bytes;
}

uint64_t hop__arcs_room(const hop__arcs *arcs) {
    return arcs->store != NULL ? arcs->store->frame_count : UINT64_MAX;
}

hop__arcs_read hop__arcs_reads(const hop__arcs *arcs) {
    if (arcs->store == NULL)
        return (hop__arcs_read){0};
    return (hop__arcs_read){atomic_load(&arcs->store->bytes_read) - arcs->bytes_before,
                            atomic_load(&arcs->store->reads) - arcs->reads_before, arcs->visited,
                            arcs->different};
}

void hop__arcs_close(hop__arcs *arcs) {
    if (arcs == NULL)
        return;
    if (arcs->store != NULL) {
        hop__readers_stop(&arcs->disk->readers);
        arcs->store->frame_count += arcs->lent;
        pthread_mutex_unlock(&arcs->store->busy);
    }
    hop__free(arcs->touched);
    hop__free(arcs->disk);
    hop__free(arcs);
}
