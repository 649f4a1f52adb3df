/* SPDX-License-Identifier: Apache-2.0
 *
 * List ranking by a sparse ruling set: some elements are rulers; from each a wave goes along the
 * list to the next ruler, and what is left is a list of rulers only, which is ranked by doubling.
 * Then the waves go again, and take the ranks along. Sanders, Dementiev et al. describe sparse
 * ruling sets; what is done here for inputs that are no lists is our own.
 *
 * 1. Rulers are heads, tails, elements whose successor does not exist, elements that several lead
 *    to, and one in `spacing` of the others, by a random number of each. So every other element has
 *    at most one before it: no two waves meet, and a rank gets no more waves than it has elements.
 * 2. Whoever leads to a ruler knows it (HOP__STOPS): owners tell when they are told who leads to
 *    their elements. So rulers, of which many may lead to one, get no waves.
 * 3. After wave_rounds * spacing exchanges the waves stop where they are, and whatever no wave has
 *    come to is made a ruler. This is as good, because the only element before one that was not
 *    reached is not reached either, or has stopped just before it. Without that such elements are
 *    on cycles without rulers, or nothing of importance leads to them.
 * 4. A jump of 2^r rulers and one more of the same make one of 2^(r+1); a label given along all
 *    jumps in turn comes to all that follow. Those whose jump is known to end, end: nobody asks
 *    ends, to which many lead. After as many rounds as rulers have bits, what has no end leads to a
 *    cycle.
 *
 * Cost: O(n / p) work, O(log n) exchanges whatever the order of the elements. Bytes sent, for each
 * element with a successor of another rank: 5 for who leads to it, 16 with the wave, 12 with the
 * rank; and for each ruler 16 when its wave has ended, 20 in each round of doubling, and 12 with
 * labels. Memory: 11 bytes per element of this rank, and 20 per ruler, 52 with labels; and what
 * is under way: 40 bytes per wave. */
#include "cluster/cluster_rulers.h"

#include "core/rng.h"
#include "core/sort.h"
#include "core/try.h"

enum { STREAM = 0x52 };

/* What a wave brings to element `at`: it is `links` behind the ruler. */
typedef struct wave {
    uint32_t at, links;
    uint64_t ruler;
} wave;
/* A wave that is to go on; and when it has ended: to tell `target`, the ruler, of `next`. */
typedef struct departure {
    uint64_t target, value;
    uint32_t links;
} departure;

typedef struct wave_run {
    hop__rulers *rulers;
    departure *leaving; /* waves that go to other ranks: value is the ruler */
    uint64_t leaving_count;
    departure *ended; /* value is the ruler after `target`, with HOP__AT_END */
    uint64_t ended_count, ended_room;
    bool last;    /* waves stop */
    bool stopped; /* some have */
} wave_run;

/* The end that the successor of an element is, if it is one, as a jump has it. */
static uint64_t end_after(const hop__rulers *rulers, uint64_t i) {
    unsigned marks = rulers->marks[i];
    if (marks & (unsigned)HOP__IS_TAIL << HOP__BEFORE)
        return HOP__AT_TAIL;
    return marks & (unsigned)HOP__IS_BAD << HOP__BEFORE ? HOP__AT_BAD : 0;
}

/* ---- rulers ---------------------------------------------------------------------------------- */

static uint64_t spacing(const hop__rulers *rulers) {
    return 2 * (uint64_t)hop__bit_width(rulers->deal.items);
}

static void rulers_choose(hop__rulers *rulers) {
    const hop__deal *deal = &rulers->deal;
    for (uint64_t i = 0; i < deal->count; i++) {
        uint64_t element = deal->first + i, next = rulers->successors[i];
        unsigned marks = 0;
        if (next == element)
            marks = HOP__RULER | HOP__IS_TAIL;
        else if (next >= deal->items)
            marks = HOP__RULER | HOP__IS_BAD;
        else if (hop__random_at(deal->items, STREAM, element) % spacing(rulers) == 0)
            marks = HOP__RULER;
        rulers->marks[i] = (unsigned char)marks;
    }
    for (uint64_t k = 0; k < rulers->head_count; k++)
        if (hop__deal_owns(deal, rulers->heads[k]))
            rulers->marks[rulers->heads[k] - deal->first] |= HOP__RULER;
}

static bool has_next(const hop__rulers *rulers, uint64_t i) {
    return (rulers->marks[i] & (HOP__IS_TAIL | HOP__IS_BAD)) == 0;
}

/* Elements that others lead to. More than one: a ruler, and *joins is more than 0. The answers
 * take the places of the questions. */
static void names_take(hop__rulers *rulers, const hop__inbox *inbox, uint64_t *joins) {
    const uint32_t *named = inbox->records;
    unsigned char *answers = inbox->records;
    for (uint64_t i = 0; i < inbox->count; i++) {
        unsigned char *marks = &rulers->marks[named[i]];
        if (*marks & HOP__IS_NAMED) {
            *marks |= HOP__RULER;
            ++*joins;
        }
        *marks |= HOP__IS_NAMED;
    }
    for (uint64_t i = 0; rulers->all && i < rulers->deal.count; i++)
        rulers->marks[i] |= rulers->marks[i] & HOP__IS_NAMED ? 0 : HOP__RULER;
    for (uint64_t i = 0; i < inbox->count; i++) {
        uint32_t at;
        memcpy(&at, (const unsigned char *)inbox->records + 4 * i, sizeof at);
        answers[i] = rulers->marks[at];
    }
}

static void names_deal(hop__rulers *rulers, uint32_t *named) {
    hop__deal *deal = &rulers->deal;
    uint32_t at;
    hop__deal_start(deal);
    for (uint64_t i = 0; i < deal->count; i++)
        if (has_next(rulers, i)) {
            uint64_t place = hop__deal_place(deal, rulers->successors[i], &at);
            named[place] = at;
        }
}

/* What the owners have said of successors. */
static void answers_take(hop__rulers *rulers, const unsigned char *answers) {
    hop__deal *deal = &rulers->deal;
    uint32_t at;
    hop__deal_start(deal);
    for (uint64_t i = 0; i < deal->count; i++) {
        if (!has_next(rulers, i))
            continue;
        unsigned after = answers[hop__deal_place(deal, rulers->successors[i], &at)];
        unsigned ends = (after & (HOP__IS_TAIL | HOP__IS_BAD)) << HOP__BEFORE;
        rulers->marks[i] |= (unsigned char)(ends | (after & HOP__RULER ? HOP__STOPS : 0));
    }
}

/* Invariants 1 and 2. *faults: how many elements are out of range, or told of more than once. */
static hop_status rulers_find(hop__rulers *rulers, hop_status status, uint64_t *faults) {
    hop_cluster *cluster = rulers->cluster;
    hop__deal *deal = &rulers->deal;
    uint64_t total = 0;
    uint32_t *named = NULL;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    if (status == HOP_OK) {
        rulers_choose(rulers);
        hop__deal_clear(deal);
    }
    for (uint64_t i = 0; status == HOP_OK && i < deal->count; i++)
        if (has_next(rulers, i)) {
            hop__deal_count(deal, rulers->successors[i]);
            total++;
        } else {
            *faults += (rulers->marks[i] & HOP__IS_BAD) != 0;
        }
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, "rank: names", total, sizeof *named, &named);
    if (status == HOP_OK)
        names_deal(rulers, named);
    HOP_TRY(status, hop__exchange(cluster, "rank: names", status, sizeof *named, named,
                                  deal->counts, &inbox));
    names_take(rulers, &inbox, faults);
    HOP_TRY(status, hop__exchange_known(cluster, "rank: names", 1, inbox.records, inbox.counts,
                                        named, deal->counts));
    answers_take(rulers, (const unsigned char *)named);
    for (uint64_t i = 0; i < deal->count; i++)
        rulers->marks[i] |= rulers->marks[i] & HOP__RULER ? HOP__RULED : 0;
done:
    hop__inbox_clear(&inbox);
    hop__free(named);
    return status;
}

/* ---- waves ----------------------------------------------------------------------------------- */

static hop_status end_add(wave_run *run, departure ended) {
    hop_status status = HOP_OK;
    if (run->ended_count == run->ended_room) {
        uint64_t room = run->ended_room < 512 ? 1024 : run->ended_room / 2 * 3;
        status = hop__resize(run->rulers->cluster->context, "rank: ends", room, sizeof *run->ended,
                             &run->ended);
        run->ended_room = status == HOP_OK ? room : run->ended_room;
    }
    if (status == HOP_OK)
        run->ended[run->ended_count++] = ended;
    return status;
}

/* Element i of this rank is `links` behind the ruler: along its list, as long as it is on this
 * rank. */
static hop_status wave_walk(wave_run *run, uint64_t ruler, uint64_t i, uint32_t links) {
    hop__rulers *rulers = run->rulers;
    const hop__deal *deal = &rulers->deal;
    for (;; links++) {
        uint64_t next = rulers->successors[i];
        if ((run->last || links == UINT32_MAX - 1) && !(rulers->marks[i] & HOP__STOPS)) {
            rulers->marks[i] |= HOP__STOPS;
            run->stopped = true;
        }
        if (rulers->marks[i] & HOP__STOPS)
            return end_add(run, (departure){ruler, next | end_after(rulers, i), links + 1});
        if (!hop__deal_owns(deal, next)) {
            run->leaving[run->leaving_count++] = (departure){next, ruler, links + 1};
            return HOP_OK;
        }
        i = next - deal->first;
        rulers->marks[i] |= HOP__RULED;
    }
}

/* From all rulers that do not lead to another at once. */
static hop_status waves_begin(wave_run *run) {
    hop__rulers *rulers = run->rulers;
    uint64_t count = 0;
    hop_status status;
    for (uint64_t i = 0; i < rulers->deal.count; i++)
        count += rulers->marks[i] & HOP__RULER && has_next(rulers, i);
    HOP_TRY(status, hop__alloc(rulers->cluster->context, "rank: waves", count, sizeof *run->leaving,
                               &run->leaving));
    for (uint64_t i = 0; i < rulers->deal.count; i++)
        if (rulers->marks[i] & HOP__RULER && has_next(rulers, i) &&
            !(rulers->marks[i] & HOP__STOPS))
            HOP_TRY(status, wave_walk(run, rulers->deal.first + i, i, 0));
done:
    return status;
}

static void waves_deal(wave_run *run, wave *waves) {
    uint32_t at;
    hop__deal_start(&run->rulers->deal);
    for (uint64_t k = 0; k < run->leaving_count; k++) {
        const departure *leaving = &run->leaving[k];
        uint64_t place = hop__deal_place(&run->rulers->deal, leaving->target, &at);
        waves[place] = (wave){at, leaving->links, leaving->value};
    }
}

static void departures_count(hop__deal *deal, const departure *departures, uint64_t count) {
    hop__deal_clear(deal);
    for (uint64_t k = 0; k < count; k++)
        hop__deal_count(deal, departures[k].target);
}

/* All waves that are to leave: to their ranks, and on. */
static hop_status waves_move(wave_run *run) {
    hop__rulers *rulers = run->rulers;
    hop_context *context = rulers->cluster->context;
    wave *waves = NULL;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop_status status =
        hop__alloc(context, "rank: waves", run->leaving_count, sizeof *waves, &waves);
    if (status == HOP_OK) {
        departures_count(&rulers->deal, run->leaving, run->leaving_count);
        waves_deal(run, waves);
    }
    HOP_TRY(status, hop__exchange(rulers->cluster, "rank: waves", status, sizeof *waves, waves,
                                  rulers->deal.counts, &inbox));
    const wave *came = inbox.records;
    run->leaving_count = 0;
    HOP_TRY(status,
            hop__resize(context, "rank: waves", inbox.count, sizeof *run->leaving, &run->leaving));
    for (uint64_t k = 0; k < inbox.count; k++) {
        rulers->marks[came[k].at] |= HOP__RULED;
        HOP_TRY(status, wave_walk(run, came[k].ruler, came[k].at, came[k].links));
    }
done:
    hop__inbox_clear(&inbox);
    hop__free(waves);
    return status;
}

/* Invariant 3. `sums`: waves that are under way, and whether some have stopped. */
static hop_status waves_run(wave_run *run, hop_status status) {
    uint64_t sums[2], round = 0;
    uint64_t most = run->rulers->cluster->wave_rounds * spacing(run->rulers);
    if (status == HOP_OK)
        status = waves_begin(run);
    for (;;) {
        sums[0] = run->leaving_count;
        sums[1] = run->stopped;
        HOP_TRY(status, hop__sum_agreed(run->rulers->cluster, status, sums, 2));
        if (sums[0] == 0)
            break;
        run->last = ++round >= most;
        status = waves_move(run);
    }
    run->stopped = sums[1] > 0;
done:
    return status;
}

/* ---- the list of rulers ---------------------------------------------------------------------- */

/* Numbers the rulers, whose places the ranks hold; those whose successor is a ruler know it. */
static hop_status rulers_number(hop__rulers *rulers, const wave_run *run) {
    const hop__deal *deal = &rulers->deal;
    hop_context *context = rulers->cluster->context;
    hop_status status;
    for (uint64_t i = 0; i < deal->count; i++) {
        if (run->stopped && !(rulers->marks[i] & HOP__RULED))
            rulers->marks[i] |= HOP__RULED | HOP__RULER | HOP__STOPS;
        rulers->count += rulers->marks[i] & HOP__RULER;
    }
    HOP_TRY(status, hop__alloc(context, "rank: rulers", rulers->count, 4, &rulers->places));
    HOP_TRY(status, hop__alloc(context, "rank: rulers", rulers->count, sizeof *rulers->jumps,
                               &rulers->jumps));
    for (uint64_t i = 0, ruler = 0; i < deal->count; i++) {
        rulers->ranks[i] = HOP_NO_CLUSTER_VERTEX;
        if (!(rulers->marks[i] & HOP__RULER))
            continue;
        uint64_t end = rulers->marks[i] & HOP__IS_TAIL ? HOP__AT_TAIL : HOP__AT_BAD;
        rulers->jumps[ruler] =
            has_next(rulers, i) ? (hop__ruler_jump){rulers->successors[i] | end_after(rulers, i), 1}
                                : (hop__ruler_jump){(deal->first + i) | end, 0};
        rulers->places[ruler] = (uint32_t)i;
        rulers->ranks[i] = ruler++;
    }
done:
    return status;
}

/* Tells rulers where their waves have ended. */
static hop_status ends_tell(hop__rulers *rulers, wave_run *run, hop_status status) {
    wave *told = NULL; /* of the ruler at: the next, in the place of the ruler */
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    uint32_t at;
    hop__free(run->leaving);
    run->leaving = NULL;
    if (status == HOP_OK)
        status = hop__alloc(rulers->cluster->context, "rank: ends", run->ended_count, sizeof *told,
                            &told);
    if (status == HOP_OK) {
        departures_count(&rulers->deal, run->ended, run->ended_count);
        hop__deal_start(&rulers->deal);
    }
    for (uint64_t k = 0; status == HOP_OK && k < run->ended_count; k++) {
        uint64_t place = hop__deal_place(&rulers->deal, run->ended[k].target, &at);
        told[place] = (wave){at, run->ended[k].links, run->ended[k].value};
    }
    HOP_TRY(status, hop__exchange(rulers->cluster, "rank: ends", status, sizeof *told, told,
                                  rulers->deal.counts, &inbox));
    const wave *came = inbox.records;
    for (uint64_t k = 0; k < inbox.count; k++)
        rulers->jumps[rulers->ranks[came[k].at]] = (hop__ruler_jump){came[k].ruler, came[k].links};
done:
    hop__inbox_clear(&inbox);
    hop__free(told);
    return status;
}

/* ---- doubling -------------------------------------------------------------------------------- */

static bool is_open(const hop__rulers *rulers, uint64_t ruler) {
    return (rulers->jumps[ruler].next & HOP__AT_END) == 0;
}

static void open_count(hop__rulers *rulers) {
    hop__deal_clear(&rulers->deal);
    for (uint64_t k = 0; k < rulers->count; k++)
        if (is_open(rulers, k))
            hop__deal_count(&rulers->deal, rulers->jumps[k].next);
}

/* Two jumps become one, of all rulers of which `open` on this rank have not come to an end. */
static hop_status jumps_double(hop__rulers *rulers, uint64_t open) {
    hop_cluster *cluster = rulers->cluster;
    hop__deal *deal = &rulers->deal;
    uint32_t *asked = NULL, at;
    hop__ruler_jump *answers = NULL, *jumps = NULL;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop_status status = hop__alloc(cluster->context, "rank: jumps", open, sizeof *asked, &asked);
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, "rank: jumps", open, sizeof *jumps, &jumps);
    if (status == HOP_OK) {
        open_count(rulers);
        hop__deal_start(deal);
    }
    for (uint64_t k = 0; status == HOP_OK && k < rulers->count; k++)
        if (is_open(rulers, k)) {
            uint64_t place = hop__deal_place(deal, rulers->jumps[k].next, &at);
            asked[place] = at;
        }
    HOP_TRY(status, hop__exchange(cluster, "rank: jumps", status, sizeof *asked, asked,
                                  deal->counts, &inbox));
    status = hop__alloc(cluster->context, "rank: jumps", inbox.count, sizeof *answers, &answers);
    HOP_TRY(status, hop__agree(cluster, status));
    const uint32_t *came = inbox.records;
    for (uint64_t k = 0; k < inbox.count; k++)
        answers[k] = rulers->jumps[rulers->ranks[came[k]]];
    HOP_TRY(status, hop__exchange_known(cluster, "rank: jumps", sizeof *answers, answers,
                                        inbox.counts, jumps, deal->counts));
    hop__deal_start(deal);
    for (uint64_t k = 0; k < rulers->count; k++)
        if (is_open(rulers, k)) {
            hop__ruler_jump *jump = &rulers->jumps[k];
            const hop__ruler_jump *more = &jumps[hop__deal_place(deal, jump->next, &at)];
            jump->next = more->next;
            jump->links += more->links;
        }
done:
    hop__inbox_clear(&inbox);
    hop__free(asked);
    hop__free(answers);
    hop__free(jumps);
    return status;
}

/* A label for the ruler number `ruler`. */
static void label_take(hop__rulers *rulers, uint64_t ruler, uint64_t label) {
    if (label < rulers->labels[ruler])
        rulers->labels[ruler] = label;
}

/* The same where ways come together: the first, and the first after it. */
static void arrival_take(hop__rulers *rulers, uint64_t ruler, uint64_t label) {
    uint64_t *first = &rulers->firsts[ruler], *second = &rulers->seconds[ruler];
    uint64_t later = label < *first ? *first : label;
    *first = label < *first ? label : *first;
    *second = later < *second ? later : *second;
}

/* Labels of rulers to those that `targets` has for them, but not to ends if `open`. */
static hop_status labels_tell(hop__rulers *rulers, bool open, hop__inbox *inbox) {
    hop__deal *deal = &rulers->deal;
    hop__word *words = NULL;
    uint64_t total = 0;
    uint32_t at;
    hop_status status = HOP_OK;
    hop__deal_clear(deal);
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t k = 0; status == HOP_OK && k < rulers->count; k++) {
            uint64_t label = rulers->labels[k];
            uint64_t next = open ? rulers->jumps[k].next : rulers->links[k];
            if (label == HOP__NO_LABEL || (open ? !is_open(rulers, k) : next & HOP__AT_END))
                continue;
            if (pass == 0) {
                hop__deal_count(deal, next);
                total++;
                continue;
            }
            uint64_t place = hop__deal_place(deal, next, &at);
            words[place] = (hop__word){at, (uint32_t)label, (uint32_t)(label >> 32)};
        }
        if (pass == 0) {
            status =
                hop__alloc(rulers->cluster->context, "rank: labels", total, sizeof *words, &words);
            hop__deal_start(deal);
        }
    }
    status = hop__exchange(rulers->cluster, "rank: labels", status, sizeof *words, words,
                           deal->counts, inbox);
    hop__free(words);
    return status;
}

typedef void label_taker(hop__rulers *rulers, uint64_t ruler, uint64_t label);

static void labels_take(hop__rulers *rulers, hop__inbox *inbox, label_taker *take) {
    const hop__word *words = inbox->records;
    for (uint64_t k = 0; k < inbox->count; k++)
        take(rulers, rulers->ranks[words[k].at], (uint64_t)words[k].high << 32 | words[k].low);
    hop__inbox_clear(inbox);
}

/* Heads have their own labels. */
static void heads_take(hop__rulers *rulers, label_taker *take) {
    const hop__deal *deal = &rulers->deal;
    for (uint64_t k = 0; k < rulers->head_count; k++)
        if (hop__deal_owns(deal, rulers->heads[k]))
            take(rulers, rulers->ranks[rulers->heads[k] - deal->first], k);
    for (uint64_t k = 0; rulers->all && k < rulers->count; k++)
        if (!(rulers->marks[rulers->places[k]] & HOP__IS_NAMED))
            take(rulers, k, hop__ruler_element(rulers, k));
}

static hop_status labels_open(hop__rulers *rulers) {
    hop_context *context = rulers->cluster->context;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "rank: labels", rulers->count, 8, &rulers->labels));
    HOP_TRY(status, hop__alloc(context, "rank: labels", rulers->count, 8, &rulers->seconds));
    HOP_TRY(status, hop__alloc(context, "rank: labels", rulers->count, 8, &rulers->firsts));
    HOP_TRY(status, hop__alloc(context, "rank: labels", rulers->count, 8, &rulers->links));
    for (uint64_t k = 0; k < rulers->count; k++) {
        rulers->labels[k] = rulers->firsts[k] = rulers->seconds[k] = HOP__NO_LABEL;
        /* Ends lead nowhere; what leads to an end does. */
        bool is_end = !has_next(rulers, rulers->places[k]);
        rulers->links[k] = is_end ? HOP__AT_END : rulers->jumps[k].next & ~HOP__AT_END;
    }
    heads_take(rulers, label_take);
done:
    return status;
}

/* Invariant 4: ways that come together are seen at the ruler where they do. */
static hop_status arrivals_take(hop__rulers *rulers) {
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop_status status;
    HOP_TRY(status, labels_tell(rulers, false, &inbox));
    heads_take(rulers, arrival_take);
    labels_take(rulers, &inbox, arrival_take);
    for (uint64_t k = 0; k < rulers->count; k++)
        label_take(rulers, k, rulers->firsts[k]);
done:
    return status;
}

static hop_status jumps_run(hop__rulers *rulers, hop_status status) {
    uint64_t sums[2], open, bits = 0;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    if (status == HOP_OK && rulers->labelled)
        status = labels_open(rulers);
    for (unsigned round = 0;; round++) {
        open = 0;
        for (uint64_t k = 0; status == HOP_OK && k < rulers->count; k++)
            open += is_open(rulers, k);
        sums[0] = open;
        sums[1] = rulers->count;
        HOP_TRY(status, hop__sum_agreed(rulers->cluster, status, sums, 2));
        bits = hop__bit_width(sums[1]);
        if (sums[0] == 0 || round >= bits)
            break;
        if (rulers->labelled) {
            HOP_TRY(status, labels_tell(rulers, true, &inbox));
            labels_take(rulers, &inbox, label_take);
        }
        HOP_TRY(status, jumps_double(rulers, open));
    }
    if (rulers->labelled)
        HOP_TRY(status, arrivals_take(rulers));
done:
    return status;
}

hop_status hop__rulers_solve(hop__rulers *rulers, hop_status status) {
    wave_run run = {.rulers = rulers};
    uint64_t faults = 0;
    if (status == HOP_OK)
        status = hop__alloc(rulers->cluster->context, "rank: marks", rulers->deal.count, 1,
                            &rulers->marks);
    HOP_TRY(status, rulers_find(rulers, status, &faults));
    HOP_TRY(status, hop__sum_agreed(rulers->cluster, status, &faults, 1));
    rulers->labelled = rulers->labelled || faults > 0;
    HOP_TRY(status, waves_run(&run, HOP_OK));
    HOP_TRY(status, ends_tell(rulers, &run, rulers_number(rulers, &run)));
    hop__free(run.ended);
    run.ended = NULL;
    status = jumps_run(rulers, HOP_OK);
done:
    hop__free(run.leaving);
    hop__free(run.ended);
    return status;
}

void hop__rulers_close(hop__rulers *rulers) {
    hop__deal_free(&rulers->deal);
    hop__free(rulers->marks);
    hop__free(rulers->places);
    hop__free(rulers->jumps);
    hop__free(rulers->links);
    hop__free(rulers->labels);
    hop__free(rulers->firsts);
    hop__free(rulers->seconds);
}

/* ---- ranks of all ---------------------------------------------------------------------------- */

/* Element i has its rank: those that follow, as long as they are on this rank. */
static void ranks_walk(hop__rulers *rulers, uint64_t i, departure *leaving, uint64_t *count) {
    const hop__deal *deal = &rulers->deal;
    uint64_t rank = rulers->ranks[i];
    while (!(rulers->marks[i] & HOP__STOPS)) {
        uint64_t next = rulers->successors[i];
        rank--;
        if (!hop__deal_owns(deal, next)) {
            leaving[(*count)++] = (departure){next, rank, 0};
            return;
        }
        i = next - deal->first;
        rulers->ranks[i] = rank;
    }
}

static hop_status ranks_move(hop__rulers *rulers, departure **leaving, uint64_t *count) {
    hop__deal *deal = &rulers->deal;
    hop__word *words = NULL;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    uint32_t at;
    hop_status status =
        hop__alloc(rulers->cluster->context, "rank: ranks", *count, sizeof *words, &words);
    if (status == HOP_OK) {
        departures_count(deal, *leaving, *count);
        hop__deal_start(deal);
    }
    for (uint64_t k = 0; status == HOP_OK && k < *count; k++) {
        uint64_t rank = (*leaving)[k].value;
        uint64_t place = hop__deal_place(deal, (*leaving)[k].target, &at);
        words[place] = (hop__word){at, (uint32_t)rank, (uint32_t)(rank >> 32)};
    }
    HOP_TRY(status, hop__exchange(rulers->cluster, "rank: ranks", status, sizeof *words, words,
                                  deal->counts, &inbox));
    const hop__word *came = inbox.records;
    *count = 0;
    HOP_TRY(status, hop__resize(rulers->cluster->context, "rank: ranks", inbox.count,
                                sizeof **leaving, leaving));
    for (uint64_t k = 0; k < inbox.count; k++) {
        rulers->ranks[came[k].at] = (uint64_t)came[k].high << 32 | came[k].low;
        ranks_walk(rulers, came[k].at, *leaving, count);
    }
done:
    hop__inbox_clear(&inbox);
    hop__free(words);
    return status;
}

/* The same way as the waves, and so as many rounds. */
hop_status hop__rulers_fill(hop__rulers *rulers) {
    departure *leaving = NULL;
    uint64_t count = 0, sum;
    hop_status status = hop__alloc(rulers->cluster->context, "rank: ranks", rulers->count,
                                   sizeof *leaving, &leaving);
    for (uint64_t k = 0; status == HOP_OK && k < rulers->count; k++) {
        bool reached = hop__ruler_reached(rulers, k);
        rulers->ranks[rulers->places[k]] = reached ? rulers->jumps[k].links : HOP_NO_CLUSTER_VERTEX;
        if (reached && has_next(rulers, rulers->places[k]))
            ranks_walk(rulers, rulers->places[k], leaving, &count);
    }
    for (;;) {
        sum = count;
        HOP_TRY(status, hop__sum_agreed(rulers->cluster, status, &sum, 1));
        if (sum == 0)
            break;
        status = ranks_move(rulers, &leaving, &count);
    }
done:
    hop__free(leaving);
    return status;
}
