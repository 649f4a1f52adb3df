/* SPDX-License-Identifier: Apache-2.0
 * Walks that meet. Heads are given, and elements that no head leads to join lists, each other, go
 * round, or lead out of range: every variant of the host gives the ranks of `sequential`, or its
 * refusal in its words, however the walks of the threads fall together. */
#include <stdio.h>

#include "rank/rank_testing.h"

enum { MOST = 2000, SEEDS = 400, REPEATS = 10 };

static uint64_t draw(uint64_t seed, uint64_t stream, uint64_t k, uint64_t below) {
    return hop__random_at(seed, stream, k) % below;
}

/* Gives successors to what is on no list: by `kind` anything at all, chains that run side by side
 * with the lists and join them, or cycles. Among the strangers, entry by entry, in random order. */
static void lead_strangers(unsigned kind, uint64_t seed, const hop_vertex *strangers,
                           hop_vertex count, hop_vertex n, hop_vertex *successors) {
    hop_vertex round = 1 + (hop_vertex)draw(seed, 11, 0, 60);
    for (hop_vertex k = 0; k < count; k++) {
        bool last = k + 1 == count || (k + 1) % round == 0;
        hop_vertex anywhere = (hop_vertex)draw(seed, 12, k, n + 1);
        hop_vertex begin = k / round * round;
        if (kind == 0)
            successors[strangers[k]] = anywhere;
        else if (kind == 1)
            successors[strangers[k]] = last ? anywhere : strangers[k + 1];
        else
            successors[strangers[k]] = last ? strangers[begin] : strangers[k + 1];
    }
}

typedef struct array {
    hop_vertex successors[MOST], heads[MOST], n, head_count;
} array;

/* Lists and strangers by seed; some have a fault on a list too: a head that is given twice or lies
 * on another's list, or an element of a list that leads anywhere. */
static void make_array(uint64_t seed, array *a) {
    static hop_vertex ranks[MOST], strangers[MOST];
    hop_vertex count = 0;
    a->n = 2 + (hop_vertex)draw(seed, 10, 0, seed % 3 ? MOST - 2 : 60);
    hop_vertex lists = 1 + (hop_vertex)draw(seed, 10, 1, seed % 2 ? 3 : 1 + a->n / 8);
    hop_vertex gap = 2 + (hop_vertex)draw(seed, 10, 2, 3);
    a->head_count = random_lists(a->n, lists, gap, seed, a->successors, a->heads, ranks);
    for (hop_vertex i = 0; i < a->n; i++)
        if (ranks[i] == NONE)
            strangers[count++] = i;
    for (hop_vertex i = count; i > 1; i--) {
        hop_vertex j = (hop_vertex)draw(seed, 13, i, i), held = strangers[i - 1];
        strangers[i - 1] = strangers[j];
        strangers[j] = held;
    }
    lead_strangers((unsigned)(seed / 2 % 3), seed, strangers, count, a->n, a->successors);
    hop_vertex some = (hop_vertex)draw(seed, 14, 0, a->n);
    if (seed % 7 == 5 && ranks[some] != NONE)
        a->successors[some] = (hop_vertex)draw(seed, 14, 1, a->n);
    if (seed % 7 == 6 && a->head_count > 0)
        a->heads[a->head_count - 1] = (hop_vertex)draw(seed, 14, 2, a->n);
}

typedef struct answer {
    hop_status status;
    char message[1024];
    hop_vertex ranks[MOST];
} answer;

static void ask(hop_context *context, const array *a, const hop_run *run, answer *given) {
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    options.run = run;
    options.heads = a->heads;
    options.head_count = a->head_count;
    memset(given->ranks, 0x5a, sizeof given->ranks);
    given->status = hop_rank(context, a->successors, a->n, &options, given->ranks);
    snprintf(given->message, sizeof given->message, "%s",
             given->status == HOP_OK ? "" : hop_context_message(context));
}

/* Every variant with several numbers of splitters against the first one. */
static hop_status compare(hop_context *context, const array *a, uint64_t seed) {
    static answer expected, found;
    static const double splitters[] = {1, 7, 300};
    hop_run run = HOP_RUN_INIT;
    run.variant = "sequential";
    ask(context, a, &run, &expected);
    assert_true(expected.status == HOP_OK || expected.status == HOP_ERR_INPUT);
    for (size_t k = 1; k < host_variant_count(HOP_PROBLEM_RANK); k++) {
        const hop_variant *variant = hop_variant_at(HOP_PROBLEM_RANK, k);
        bool cut = strcmp(variant->name, "wyllie") != 0;
        for (size_t s = 0; s < (cut ? sizeof splitters / sizeof *splitters : 1); s++) {
            hop_setting setting = {"splitters", splitters[s], NULL};
            run.variant = variant->name;
            run.settings = &setting;
            run.setting_count = cut;
            ask(context, a, &run, &found);
            if (found.status != expected.status || strcmp(found.message, expected.message) != 0)
                fail_msg("%s, array %u: status %d '%s' instead of %d '%s'", variant->name,
                         (unsigned)seed, found.status, found.message, expected.status,
                         expected.message);
            for (hop_vertex i = 0; expected.status == HOP_OK && i < a->n; i++)
                if (found.ranks[i] != expected.ranks[i])
                    fail_msg("%s, array %u of %u: rank of %u: %u instead of %u", variant->name,
                             (unsigned)seed, a->n, i, found.ranks[i], expected.ranks[i]);
        }
    }
    return expected.status;
}

static void as_sequential_whatever_strangers_do(void **state) {
    (void)state;
    static const unsigned threads[] = {1, 2, 4};
    static array a;
    unsigned refused = 0;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        hop_context *context = make_context(threads[t]);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            make_array(seed, &a);
            refused += compare(context, &a, seed) != HOP_OK;
        }
        free_context(context);
    }
    assert_in_range(refused, SEEDS / 10, 3 * SEEDS / 2); /* else the arrays show nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_sequential_whatever_strangers_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
