/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists over the ranks: the ranks of the library, and its refusals in its words; certified; and
 * wrong ranks are rejected. */
#include "cluster_testing.h"
#include "core/rng.h"

/* A question, whole on every rank: heads NULL with `all` false is one list of all elements. */
typedef struct question {
    hop_vertex count;
    hop_vertex *successors;
    const hop_vertex *heads;
    hop_vertex head_count;
    bool all;
} question;

/* Heads that `all` means, in their order. */
static hop_vertex *heads_of(const question *asked, hop_vertex *count) {
    hop_vertex *heads = calloc((size_t)asked->count + 1, sizeof *heads);
    unsigned char *led_to = calloc((size_t)asked->count + 1, 1);
    *count = 0;
    for (hop_vertex i = 0; i < asked->count; i++)
        if (asked->successors[i] != i && asked->successors[i] < asked->count)
            led_to[asked->successors[i]] = 1;
    for (hop_vertex i = 0; i < asked->count; i++)
        if (!led_to[i])
            heads[(*count)++] = i;
    free(led_to);
    return heads;
}

/* What the library says: its status, message and ranks. */
static hop_status whole_ranks(job *work, const question *asked, hop_vertex *ranks, char *message,
                              size_t size) {
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    hop_vertex *all = NULL;
    options.heads = asked->heads;
    options.head_count = asked->head_count;
    if (asked->all)
        options.heads = all = heads_of(asked, &options.head_count);
    hop_status status = hop_rank(work->context, asked->successors, asked->count, &options, ranks);
    (void)snprintf(message, size, "%s", status != HOP_OK ? hop_context_message(work->context) : "");
    free(all);
    return status;
}

/* The part of this rank, and the options. */
typedef struct spread {
    uint64_t first, count;
    uint64_t *successors, *ranks, *heads;
    hop_cluster_rank_options options;
} spread;

static spread spread_of(job *work, const question *asked) {
    spread part = {.options = HOP_CLUSTER_RANK_OPTIONS_INIT};
    hop_cluster_part(work->cluster, asked->count, &part.first, &part.count);
    part.successors = calloc(part.count + 1, 8);
    part.ranks = calloc(part.count + 1, 8);
    part.heads = calloc((size_t)asked->head_count + 1, 8);
    for (uint64_t i = 0; i < part.count; i++)
        part.successors[i] = asked->successors[part.first + i];
    for (hop_vertex k = 0; k < asked->head_count; k++)
        part.heads[k] = asked->heads[k];
    part.options.heads = asked->heads != NULL ? part.heads : NULL;
    part.options.head_count = asked->head_count;
    part.options.all = asked->all;
    return part;
}

static void spread_end(spread *part) {
    free(part->successors);
    free(part->ranks);
    free(part->heads);
}

static hop_status certify(job *work, const question *asked, const spread *part) {
    return hop_cluster_list_certify(work->cluster, part->successors, asked->count, &part->options,
                                    part->ranks);
}

/* One answer, right or refused. */
static void check(job *work, const question *asked) {
    hop_vertex *expected = calloc((size_t)asked->count + 1, sizeof *expected);
    char message[512];
    hop_status right = whole_ranks(work, asked, expected, message, sizeof message);
    spread part = spread_of(work, asked);
    hop_status status = hop_cluster_list_rank(work->cluster, part.successors, asked->count,
                                              &part.options, part.ranks);
    if (status != right)
        check_failed(__FILE__, __LINE__, message, hop_context_message(work->context));
    if (right != HOP_OK && strcmp(hop_context_message(work->context), message) != 0)
        check_failed(__FILE__, __LINE__, message, hop_context_message(work->context));
    for (uint64_t i = 0; right == HOP_OK && i < part.count; i++) {
        hop_vertex rank = expected[part.first + i];
        CHECK(part.ranks[i] == (rank == HOP_NO_RANK ? HOP_NO_CLUSTER_VERTEX : rank));
    }
    if (right == HOP_OK)
        CHECK_OK(work->context, certify(work, asked, &part));
    spread_end(&part);
    free(expected);
}

static question question_make(hop_vertex count) {
    question made = {.count = count, .successors = calloc((size_t)count + 1, 4)};
    CHECK(made.successors != NULL);
    return made;
}

/* All arrays of successors of 4 elements, one of them out of range or not: with no heads, all heads
 * and some. */
static void check_tiny(job *work) {
    enum { N = 4 };
    const hop_vertex heads[] = {3, 1, 0, 2, 1};
    question asked = question_make(N);
    for (unsigned code = 0; code<5 * 5 * 5 * 5; code += work->ranks> 3 ? 3 : 1) {
        unsigned rest = code;
        for (hop_vertex i = 0; i < N; i++, rest /= 5)
            asked.successors[i] = rest % 5 < N ? rest % 5 : 77;
        asked.all = false;
        asked.heads = NULL;
        asked.head_count = 0;
        check(work, &asked);
        asked.heads = heads + code % 3;
        asked.head_count = 1 + code % 2;
        check(work, &asked);
        if (code % 2 != 0)
            continue;
        asked.head_count = code % 4;
        check(work, &asked);
        asked.heads = NULL;
        asked.head_count = 0;
        asked.all = true;
        check(work, &asked);
    }
    free(asked.successors);
}

/* Lists of `length` elements each that follow in the order step, 2 step, ... of all. */
static question lists_make(hop_vertex count, hop_vertex length, hop_vertex step) {
    question made = question_make(count);
    made.all = true;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = i * step % count, after = (i + 1) * step % count;
        bool ends = i + 1 == count || (i + 1) % length == 0;
        made.successors[place] = (hop_vertex)(ends ? place : after);
    }
    return made;
}

static void check_lists(job *work) {
    const hop_vertex sizes[] = {0, 1, 2, 5, 64, 3001};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        question one = question_make(sizes[k]);
        if (sizes[k] > 0)
            CHECK_OK(work->context,
                     hop_list_generate(work->context, sizes[k], k + 3, one.successors));
        check(work, &one);
        free(one.successors);
    }
    /* In order, by steps that go round the ranks, many short ones, heads on the first rank only. */
    const hop_vertex shapes[][3] = {{4001, 4001, 1}, {4001, 4001, 1999}, {4001, 7, 1000},
                                    {4001, 1, 1},    {4001, 90, 4000},   {4001, 8, 501}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        question many = lists_make(shapes[k][0], shapes[k][1], shapes[k][2]);
        check(work, &many);
        /* From the middle of some: what comes before has no rank. */
        const hop_vertex heads[] = {many.successors[0], 17, 17};
        many.all = false;
        many.heads = heads;
        for (many.head_count = 1; many.head_count <= 3; many.head_count++)
            check(work, &many);
        free(many.successors);
    }
}

/* No lists: a star, a comb (a long list, each of whose elements another one leads to), cycles with
 * and without ways to them, random successors. */
static void check_others(job *work) {
    enum { N = 1200 };
    question asked = question_make(N);
    const hop_vertex heads[] = {0, N - 1, 5};
    for (unsigned kind = 0; kind < 6; kind++) {
        for (hop_vertex i = 0; i < N; i++) {
            uint64_t random = hop__random_at(kind, 1, i);
            hop_vertex shapes[6] = {0,
                                    i < N / 2 ? (i + 1 < N / 2 ? i + 1 : i) : i - N / 2,
                                    (i + 1) % N,
                                    i < 700 ? (i + 1) % 700 : 350 + i % 7,
                                    (hop_vertex)(random % N),
                                    (hop_vertex)(random % 50 == 0 ? i : random % (i + 1))};
            asked.successors[i] = shapes[kind];
        }
        for (unsigned heading = 0; heading < 4; heading++) {
            asked.all = heading == 1;
            asked.heads = heading > 1 ? heads : NULL;
            asked.head_count = heading > 1 ? heading : 0;
            check(work, &asked);
        }
    }
    free(asked.successors);
}

/* One rank changed, at any element to any value, of two short lists and a cycle: rejected. */
static void check_wrong(job *work) {
    hop_vertex successors[] = {3, 1, 0, 1, 5, 4, 7, 7};
    const hop_vertex heads[] = {2, 6};
    question asked = {8, successors, heads, 2, false};
    for (unsigned all = 0; all < 2; all++) {
        asked.all = all;
        asked.heads = all ? NULL : heads;
        asked.head_count = all ? 0 : 2;
        spread part = spread_of(work, &asked);
        CHECK_OK(work->context, hop_cluster_list_rank(work->cluster, part.successors, asked.count,
                                                      &part.options, part.ranks));
        for (uint64_t i = 0; i < asked.count; i++)
            for (uint64_t value = 0; value < 6; value++) {
                uint64_t given = value < 5 ? value : HOP_NO_CLUSTER_VERTEX;
                bool own = i - part.first < part.count;
                uint64_t right = own ? part.ranks[i - part.first] : 0;
                CHECK_OK(work->context, hop__max_all(work->cluster, &right, 1));
                if (own)
                    part.ranks[i - part.first] = given;
                CHECK(certify(work, &asked, &part) ==
                      (given == right ? HOP_OK : HOP_ERR_CERTIFICATE));
                if (own)
                    part.ranks[i - part.first] = right;
            }
        spread_end(&part);
    }
}

/* Ranks that are right but for the heads: what no head leads to has one; lists that join. */
static void check_heads(job *work) {
    hop_vertex successors[] = {1, 1, 3, 3, 1};
    const hop_vertex heads[] = {0, 2, 4};
    const uint64_t ranks[][5] = {{1, 0, 1, 0, HOP_NO_CLUSTER_VERTEX},
                                 {1, 0, HOP_NO_CLUSTER_VERTEX, HOP_NO_CLUSTER_VERTEX, 1}};
    question asked = {5, successors, heads, 1, false};
    const struct {
        hop_vertex first, count;
        int ranks;
        const char *says;
    } cases[] = {{0, 1, 0, "element 2 has rank 1, but no head leads to it"},
                 {0, 3, 0, "element 4 is a head, but has no rank"},
                 {1, 1, 1, "element 2 is a head, but has no rank"},
                 {0, 2, 0, NULL},
                 {0, 1, 1, "join at element 1"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        asked.heads = heads + cases[k].first;
        asked.head_count = cases[k].count;
        spread part = spread_of(work, &asked);
        for (uint64_t i = 0; i < part.count; i++)
            part.ranks[i] = ranks[cases[k].ranks][part.first + i];
        hop_status status = certify(work, &asked, &part);
        CHECK(status == (cases[k].says == NULL ? HOP_OK : HOP_ERR_CERTIFICATE));
        if (cases[k].says != NULL &&
            strstr(hop_context_message(work->context), cases[k].says) == NULL)
            check_failed(__FILE__, __LINE__, cases[k].says, hop_context_message(work->context));
        spread_end(&part);
    }
}

/* Rounds do not grow with the length, whatever the order; waves that are stopped end well. */
static void check_rounds(job *work) {
    for (hop_vertex count = 1000; count <= 16000; count *= 16)
        for (hop_vertex step = 1; step < count; step += count / 2 - 1) {
            question asked = lists_make(count, count, step);
            hop_cluster_phase phase = {.size = sizeof phase};
            hop_cluster_reset(work->cluster);
            check(work, &asked);
            for (size_t i = 0; hop_cluster_phase_at(work->cluster, i, &phase); i++)
                CHECK(phase.rounds <= 16 * (uint64_t)hop__bit_width(count));
            free(asked.successors);
        }
}

static void check_refused(job *work) {
    uint64_t next[] = {0, 0, 0, 0}, ranks[4], far = 9;
    hop_cluster_rank_options options = HOP_CLUSTER_RANK_OPTIONS_INIT;
    options.heads = &far;
    options.head_count = 1;
    CHECK(hop_cluster_list_rank(work->cluster, next, 4, &options, ranks) == HOP_ERR_ARGUMENT);
    CHECK(strstr(hop_context_message(work->context), "head number 0 is element 9") != NULL);
    options.all = true;
    CHECK(hop_cluster_list_rank(work->cluster, next, 4, &options, ranks) == HOP_ERR_ARGUMENT);
    CHECK(hop_cluster_list_rank(work->cluster, NULL, 4 * work->ranks, NULL, ranks) ==
          HOP_ERR_ARGUMENT);
    CHECK(hop_cluster_list_rank(work->cluster, next, UINT64_MAX, NULL, ranks) == HOP_ERR_ARGUMENT);
    if (work->ranks > 1) /* not the same everywhere */
        CHECK(hop_cluster_list_rank(work->cluster, next, work->rank, NULL, ranks) ==
              HOP_ERR_ARGUMENT);
}

int main(void) {
    job work = job_begin();
    uint64_t rounds = work.cluster->wave_rounds;
    check_tiny(&work);
    /* Waves that are stopped at once, and those that come to their ends. */
    for (work.cluster->wave_rounds = 0;; work.cluster->wave_rounds = rounds) {
        check_lists(&work);
        check_others(&work);
        if (work.cluster->wave_rounds == rounds)
            break;
    }
    check_wrong(&work);
    check_heads(&work);
    check_rounds(&work);
    check_refused(&work);
    job_end(&work);
    return 0;
}
