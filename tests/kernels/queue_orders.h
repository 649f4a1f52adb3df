/* SPDX-License-Identifier: Apache-2.0
 *
 * Tries every order in which a few items can do the steps of src/kernels/queue.cl itself: each
 * access to a shared word is one step, and the items take turns between steps in every way there
 * is. After every order is checked that each token was taken exactly once, by the holder of its
 * ticket, and that the operations are those of a first-in first-out queue (linearisable). A test
 * sets QUEUE and includes this file. Planted faults must be found, so that silence means something.
 *
 * The orders are walked depth first: a run follows a list of choices to its end, then the last
 * choice that has another alternative is changed. States that were seen are not gone on from: the
 * shared words, what each item has read so far (all that it can know), and the order of beginnings
 * and ends of operations, as hashes of 64 bits.
 *
 * Memory is sequentially consistent here. What weaker orders may do is argued in queue.cl: a token
 * is one word, and nothing else is read on its account. */
#ifndef HOPLITE_TESTS_QUEUE_ORDERS_H
#define HOPLITE_TESTS_QUEUE_ORDERS_H

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "core/core_testing.h"

/* In the place of the shim: each access is a step. */
#define HOPLITE_KERNELS_SHIM_H
#define GLOBAL
#define FN __attribute__((unused)) static
typedef uint32_t u32;

enum { ITEMS = 4, STEPS = 64, STACK = 1 << 16, WORDS = 96 + 32, SEEN = 1 << 20, EVENTS = 32 };

typedef struct operation {
    int begin, end; /* in the order of events; end 0: not ended */
    bool put;
    u32 tokens[2], count;
} operation;

static struct explorer {
    ucontext_t home, turn[ITEMS];
    char stacks[ITEMS][STACK];
    bool done[ITEMS];
    int running;
    uint64_t knows[ITEMS]; /* hash of what it has read */
    uint32_t words[WORDS]; /* control of the queue, then slots, then `pending` */
    uint64_t events;       /* hash of their order */
    int event_count;
    operation operations[EVENTS];
    int operation_count;
    /* the walk */
    int choice[STEPS], alternatives[STEPS], depth;
    uint64_t *seen, orders, states;
    bool torn_addition; /* planted: an addition is a load and a store */
    int done_tokens;    /* for the test of endings, and whether one was seen too early */
    bool early;
} x;

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* The end of a turn: the next access comes when this item is chosen again. */
static void step(void) {
    swapcontext(&x.turn[x.running], &x.home);
}
static u32 know(u32 value) {
    x.knows[x.running] = mix(x.knows[x.running], value + 1);
    return value;
}

FN u32 relaxed_load_u32(const u32 *word) {
    step();
    return know(*(const volatile u32 *)word);
}
FN void relaxed_store_u32(u32 *word, u32 value) {
    step();
    *word = value;
    know(0);
}
FN u32 atomic_add_u32(u32 *word, u32 value) {
    step();
    u32 old = know(*(volatile u32 *)word);
    if (x.torn_addition)
        step();
    *word = old + value;
    return old;
}
FN u32 atomic_cas_u32(u32 *word, u32 expected, u32 value) {
    step();
    u32 old = know(*word);
    if (old == expected)
        *word = value;
    return old;
}

#define QUEUE_COUNTED 1
#include "kernels/queue.cl"

enum { SLOTS = QUEUE_WORDS, PENDING = QUEUE_WORDS + 16 };

static int event(void) {
    x.events = mix(x.events, (uint64_t)x.running * 64 + (uint64_t)x.operation_count + 1);
    return ++x.event_count;
}
static operation *begin_operation(bool put) {
    operation *o = &x.operations[x.operation_count++];
    *o = (operation){.put = put, .begin = event()};
    return o;
}

/* --- what items do ---------------------------------------------------------------------------- */

typedef struct scenario {
    u32 first, mask, span; /* of the queue */
    u32 base, front, rear; /* relative to first */
    void (*item[ITEMS])(void);
    int items, tokens;
    u32 refused; /* tokens that must have been */
} scenario;

static queue opened(void) {
    queue q;
    queue_open(&q, x.words, x.words + SLOTS);
    return q;
}

static u32 refused;

static void put_some(const u32 *tokens, u32 count) {
    queue q = opened();
    queue_counts counts = {0};
    u32 done = 0;
    operation *o = begin_operation(true);
    while (done < count) {
        u32 ticket = 0, got = queue_reserve(&q, count - done, &ticket, &counts);
        for (u32 i = 0; i < got; i++, done++) {
            if (queue_put(&q, ticket + i, tokens[done]))
                o->tokens[o->count++] = tokens[done];
            else
                refused++;
        }
        if (got == 0) {
            refused += count - done;
            break;
        }
    }
    o->end = event();
}

/* Looks twice for a token; a ticket that it holds at the end is kept, as between launches. */
static u32 held[ITEMS];
static bool holds[ITEMS];
static operation *waits[ITEMS];

static u32 take_one(int looks) {
    queue q = opened();
    queue_counts counts = {0};
    int me = x.running;
    for (int look = 0; look < looks; look++) {
        if (!holds[me]) {
            operation *o = begin_operation(false);
            if (queue_claim(&q, 1, &held[me], &counts) == 0) {
                o->put = true; /* nothing was there: it did nothing */
                o->end = event();
                continue;
            }
            holds[me] = true;
            waits[me] = o;
        }
        u32 token = queue_take(&q, held[me], &counts);
        if (token != QUEUE_NONE) {
            holds[me] = false;
            waits[me]->tokens[0] = token;
            waits[me]->count = 1;
            waits[me]->end = event();
            return token;
        }
    }
    return QUEUE_NONE;
}

static void put_two(void) {
    static const u32 tokens[] = {10, 11};
    put_some(tokens, 2);
}
static void put_one(void) {
    static const u32 token = 20;
    put_some(&token, 1);
}
static void take_two_looks(void) {
    take_one(2);
}
static void take_twice(void) {
    take_one(2);
    take_one(1);
}

/* --- the check of one order ------------------------------------------------------------------- */

/* Whether operations can be put in a line that a first-in first-out queue would give: `placed` is
 * the set of those before, `line` the tokens in the queue. Operations that did not end may stand
 * anywhere behind their beginning, or nowhere. */
static bool in_line(unsigned placed, u32 *line, int front, int rear) {
    bool all = true;
    for (int i = 0; i < x.operation_count; i++) {
        const operation *o = &x.operations[i];
        bool first = (placed >> i & 1) == 0;
        all = all && (!first || o->end == 0);
        for (int j = 0; j < x.operation_count && first; j++)
            if ((placed >> j & 1) == 0 && x.operations[j].end != 0 &&
                x.operations[j].end < o->begin)
                first = false;
        if (!first)
            continue;
        if (o->put) {
            for (u32 t = 0; t < o->count; t++)
                line[rear + (int)t] = o->tokens[t];
            if (in_line(placed | 1u << i, line, front, rear + (int)o->count))
                return true;
        } else if (front < rear && (o->end == 0 || o->tokens[0] == line[front])) {
            if (in_line(placed | 1u << i, line, front + 1, rear))
                return true;
        }
    }
    return all;
}

/* What the queue holds at the end, and what was taken, is what was put, each once. */
static bool complete(const scenario *s) {
    u32 put[8], got[8];
    int puts = 0, gets = 0;
    for (int i = 0; i < x.operation_count; i++)
        for (u32 t = 0; t < x.operations[i].count; t++)
            *(x.operations[i].put ? &put[puts++] : &got[gets++]) = x.operations[i].tokens[t];
    for (u32 i = 0; i < 16; i++)
        if (x.words[SLOTS + i] != QUEUE_NONE) {
            if (gets == 8)
                return false;
            got[gets++] = x.words[SLOTS + i];
        }
    if (puts != gets || puts + (int)refused != s->tokens)
        return false;
    for (int i = 0; i < puts; i++) {
        int times = 0;
        for (int j = 0; j < gets; j++)
            times += put[i] == got[j];
        if (times != 1)
            return false;
    }
    return true;
}

/* --- the walk --------------------------------------------------------------------------------- */

static const scenario *current;

static void body(void) {
    int item = x.running;
    current->item[item]();
    x.done[item] = true;
    for (;;)
        step();
}

/* By itself, so that no variable is live where getcontext returns. */
static __attribute__((noinline)) void prepare_item(int item) {
    ucontext_t *turn = &x.turn[item];
    getcontext(turn);
    turn->uc_stack.ss_sp = x.stacks[item];
    turn->uc_stack.ss_size = STACK;
    turn->uc_link = &x.home;
    makecontext(turn, body, 0);
}

static void prepare(const scenario *s) {
    memset(x.words, 0, sizeof x.words);
    memset(x.knows, 0, sizeof x.knows);
    memset(x.done, 0, sizeof x.done);
    memset(holds, 0, sizeof holds);
    for (int i = 0; i < 16; i++)
        x.words[SLOTS + i] = QUEUE_NONE;
    x.words[QUEUE_FIRST] = s->first;
    x.words[QUEUE_MASK] = s->mask;
    x.words[QUEUE_SPAN] = s->span;
    x.words[QUEUE_BASE] = s->first + s->base;
    x.words[QUEUE_FRONT] = s->first + s->front;
    x.words[QUEUE_REAR] = s->first + s->rear;
    x.words[PENDING] = 1;
    x.running = x.event_count = x.operation_count = 0;
    x.events = refused = 0;
    for (u32 i = 0; i < s->rear; i++) { /* what is there at the beginning */
        operation *o = begin_operation(true);
        o->tokens[o->count++] = x.words[SLOTS + i] = 40 + i;
        o->end = event();
    }
    x.done_tokens = 0;
    x.early = false;
    for (int i = 0; i < s->items; i++)
        prepare_item(i);
}

/* Whether this state is new. */
static bool is_new(const scenario *s) {
    uint64_t hash = mix(mix(x.events, refused), (uint64_t)x.done_tokens * 2 + x.early);
    for (int i = 0; i < WORDS; i++)
        hash = mix(hash, x.words[i]);
    for (int i = 0; i < s->items; i++)
        hash = mix(mix(hash, x.knows[i]), x.done[i]);
    hash |= 1;
    size_t at = hash % SEEN;
    for (; x.seen[at] != 0; at = (at + 1) % SEEN)
        if (x.seen[at] == hash)
            return false;
    assert_true(x.states < SEEN / 2);
    x.seen[at] = hash;
    x.states++;
    return true;
}

static void run_item(int item) {
    x.running = item;
    know(0); /* that it had a turn: its first ends before it has read anything */
    swapcontext(&x.home, &x.turn[item]);
}

/* Follows the choices, then first alternatives, to the end of the order or a state that was seen;
 * false in the second case. */
static bool follow(const scenario *s) {
    for (int depth = 0;; depth++) {
        int able[ITEMS], count = 0;
        for (int i = 0; i < s->items; i++)
            if (!x.done[i])
                able[count++] = i;
        if (count == 0) {
            x.depth = depth;
            return true;
        }
        assert_true(depth < STEPS);
        if (depth >= x.depth) {
            if (!is_new(s)) {
                x.depth = depth;
                return false;
            }
            x.choice[depth] = 0;
            x.alternatives[depth] = count;
            x.depth = depth + 1;
        }
        run_item(able[x.choice[depth]]);
    }
}

/* Orders in which something was wrong; `last` is called after each, and may find more. */
static uint64_t explore(const scenario *s, bool (*last)(const scenario *s)) {
    uint64_t wrong = 0;
    x.seen = calloc(SEEN, sizeof *x.seen);
    assert_non_null(x.seen);
    x.orders = x.states = 0;
    x.depth = 0;
    current = s;
    for (;;) {
        prepare(s);
        if (follow(s)) {
            u32 line[16];
            x.orders++;
            wrong += !last(s) || !in_line(0, line, 0, 0);
        }
        while (x.depth > 0 && x.choice[x.depth - 1] + 1 == x.alternatives[x.depth - 1])
            x.depth--;
        if (x.depth == 0)
            break;
        x.choice[x.depth - 1]++;
    }
    free(x.seen);
    print_message("%llu orders to the end, %llu states, %llu wrong\n", (unsigned long long)x.orders,
                  (unsigned long long)x.states, (unsigned long long)wrong);
    return wrong;
}

/* --- the tests ---------------------------------------------------------------------------------
 */

static bool all_there(const scenario *s) {
    return complete(s) && refused == s->refused;
}

/* Tickets cross 2^32. */
static const scenario putting = {.first = 0u - 2,
                                 .mask = 0xffffffffu,
                                 .span = 16,
                                 .item = {put_two, put_one, take_two_looks},
                                 .items = 3,
                                 .tokens = 3};
static const scenario taking = {
    .first = 0u - 1,
    .mask = 0xffffffffu,
    .span = 16,
    .item = {put_two, take_two_looks, QUEUE == QUEUE_RETRY_FREE ? take_twice : take_two_looks},
    .items = 3,
    .tokens = 2};

static const scenario four = {.first = 0u - 2,
                              .mask = 0xffffffffu,
                              .span = 16,
                              .item = {put_two, put_one, take_two_looks, take_twice},
                              .items = 4,
                              .tokens = 3};

static void every_order_of_puts_and_takes(void **state) {
    (void)state;
    assert_int_equal(explore(&putting, all_there), 0);
    assert_true(x.orders > 100);
    assert_int_equal(explore(&taking, all_there), 0);
    assert_true(x.orders > 100);
    if (QUEUE == QUEUE_RETRY_FREE) /* of the others there are too many orders */
        assert_int_equal(explore(&four, all_there), 0);
}

static void a_torn_addition_is_found(void **state) {
    (void)state;
    if (QUEUE != QUEUE_RETRY_FREE)
        skip();
    x.torn_addition = true;
    uint64_t wrong = explore(&putting, all_there);
    x.torn_addition = false;
    assert_true(wrong > 0);
}

/* A ring of four slots, and the holder of the oldest ticket, who has not run since an earlier
 * launch: its token is there, and of four new ones the window has room for three. */
static void late_take(void) {
    holds[x.running] = true;
    held[x.running] = 0u - 3;
    waits[x.running] = begin_operation(false);
    take_one(2);
}
static void put_more(void) {
    static const u32 tokens[] = {30, 31};
    put_some(tokens, 2);
}
static scenario ring(u32 span) {
    return (scenario){.first = 0u - 3,
                      .mask = 3,
                      .span = span,
                      .front = 1,
                      .rear = 1,
                      .item = {put_two, put_more, late_take},
                      .items = 3,
                      .tokens = 5,
                      .refused = 1};
}

static void a_late_holder_finds_its_own_token(void **state) {
    (void)state;
    scenario s = ring(4);
    assert_int_equal(explore(&s, all_there), 0);
}

static void a_ring_that_is_too_small_is_found(void **state) {
    (void)state;
    scenario s = ring(8); /* says that it has twice the slots */
    s.refused = 0;
    assert_true(explore(&s, all_there) > 0);
}

/* Termination: a token that leads to two others; nobody may see pending = 0 before all are done.
 * The items add to pending as the scheduler does: in one addition, before the tokens are put. */
static bool lower_first; /* planted */

static void work(void) {
    for (int trip = 0; trip < 3; trip++) {
        if (relaxed_load_u32(&x.words[PENDING]) == 0) {
            x.early = x.early || x.done_tokens != 3;
            return;
        }
        u32 token = take_one(1);
        if (token == QUEUE_NONE)
            continue;
        x.done_tokens++;
        u32 found = token == 5 ? 2 : 0;
        static const u32 children[] = {6, 7};
        if (lower_first)
            atomic_add_u32(&x.words[PENDING], 0u - 1);
        atomic_add_u32(&x.words[PENDING], lower_first ? found : found - 1);
        if (found)
            put_some(children, 2);
    }
}
static void begin_work(void) {
    static const u32 root = 5;
    put_some(&root, 1);
    work();
}
static bool never_early(const scenario *s) {
    (void)s;
    return !x.early;
}
static const scenario ending = {
    .mask = 0xffffffffu, .span = 16, .item = {begin_work, work}, .items = 2, .tokens = 3};

static void the_end_is_seen_when_all_is_done(void **state) {
    (void)state;
    if (QUEUE != QUEUE_RETRY_FREE) /* how tickets are had does not matter for it */
        skip();
    assert_int_equal(explore(&ending, never_early), 0);
}

static void pending_that_is_lowered_early_is_found(void **state) {
    (void)state;
    if (QUEUE != QUEUE_RETRY_FREE)
        skip();
    lower_first = true;
    uint64_t wrong = explore(&ending, never_early);
    lower_first = false;
    assert_true(wrong > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_of_puts_and_takes),
        cmocka_unit_test(a_torn_addition_is_found),
        cmocka_unit_test(a_late_holder_finds_its_own_token),
        cmocka_unit_test(a_ring_that_is_too_small_is_found),
        cmocka_unit_test(the_end_is_seen_when_all_is_done),
        cmocka_unit_test(pending_that_is_lowered_early_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
