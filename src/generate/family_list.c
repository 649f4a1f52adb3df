/* SPDX-License-Identifier: Apache-2.0
 *
 * list: a list for list ranking in random order over the whole array (D0, Appendix A, genList).
 * Head 0, each element holds its successor, the tail itself.
 *
 * Position 0 of the list is element 0 and position p > 0 is element 1 + shuffle(p - 1). So element
 * at(p) gets the successor at(p + 1): every position can be written alone, on any thread.
 * Cost: about 40 ns per element and thread, no memory beside the caller's array. */
#include "core/parallel.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/try.h"
#include "generate/family.h"

enum { PIECE = 1024, GRAIN = 1 << 16, PAGE_WORDS = 1024, TOUCH = 512 };

typedef struct list_plan {
    hop_context *context;
    hop__shuffle shuffle;
    uint64_t count;
    hop_vertex *successors;
} list_plan;

/* Elements at positions first .. first+count-1. */
static void elements_at(const list_plan *plan, uint64_t first, uint32_t count, uint64_t *elements) {
    uint32_t head = first == 0 && count > 0;
    if (head)
        elements[0] = 0;
    for (uint32_t i = head; i < count; i++)
        elements[i] = first + i - 1;
    hop__shuffle_all(&plan->shuffle, elements + head, count - head);
    for (uint32_t i = head; i < count; i++)
        elements[i]++;
}

/* The first writes would touch a page each, of memory that is new: a thousand large pages to be
 * cleared before anybody is asked whether to go on. So they are touched in order before. */
static void pages_touch(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const list_plan *plan = arg;
    (void)thread;
    if (!hop__progress_add(plan->context, 0))
        return;
    for (uint64_t page = begin; page < end; page++)
        plan->successors[page * PAGE_WORDS] = 0;
}

static void list_write(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    const list_plan *plan = arg;
    uint64_t elements[PIECE + 1];
    if (!hop__progress_add(plan->context, 0))
        return; /* else every range that is still handed out would do a piece */
    for (uint64_t first = begin; first < end; first += PIECE) {
        uint32_t count = end - first < PIECE ? (uint32_t)(end - first) : PIECE;
        bool tail = first + count == plan->count;
        elements_at(plan, first, tail ? count : count + 1, elements);
        for (uint32_t i = 0; i + tail < count; i++)
            plan->successors[elements[i]] = (hop_vertex)elements[i + 1];
        if (tail)
            plan->successors[elements[count - 1]] = (hop_vertex)elements[count - 1];
        if (!hop__progress_add(plan->context, count))
            return;
    }
}

hop_status hop_list_generate(hop_context *context, hop_vertex count, uint64_t seed,
                             hop_vertex *successors) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (count == HOP_NO_VERTEX)
        return hop__fail(context, HOP_ERR_ARGUMENT, "list: n = %u, and at most %u are possible",
                         count, HOP_MAX_VERTICES);
    if (successors == NULL && count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "list: no array for %u successors", count);
    list_plan plan = {.context = context, .count = count, .successors = successors};
    if (count > 1)
        hop__shuffle_init(&plan.shuffle, count - 1, seed, HOP__STREAM_ORDER);
    hop__progress_begin(context, "generate: list", count);
    hop__for(context, count / PAGE_WORDS, TOUCH, pages_touch, &plan);
    hop__for(context, count, GRAIN, list_write, &plan);
    return hop__progress_end(context);
}

static const hop_parameter parameters[] = {
    {"n", "number of elements", HOP_PARAMETER_INTEGER, true, 0, HOP_MAX_VERTICES, 0},
};

const hop__family hop__family_list = {
    .about = {.name = "list",
              .summary = "list in random order, for list ranking",
              .source = "Yogaratnam 2010, Appendix A (genList)",
              .is_list = true,
              HOP__PARAMETERS(parameters)},
};
