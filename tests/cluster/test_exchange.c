/* SPDX-License-Identifier: Apache-2.0
 *
 * Exchanges, agreement and numbers over all ranks. */
#include "cluster_testing.h"

/* What rank `from` sends to rank `to` as record number i. */
static uint64_t record_of(uint32_t from, uint32_t to, uint64_t i) {
    return (uint64_t)from << 48 | (uint64_t)to << 32 | i;
}

/* Nothing for some, much for others. */
static uint64_t count_of(uint32_t from, uint32_t to, uint64_t scale) {
    return (from * 7 + to * 3) % 4 == 0 ? 0 : ((from * 13 + to * 5) % 11) * scale;
}

static void check_exchange(job *work, uint64_t scale) {
    uint64_t *counts = calloc(work->ranks, sizeof *counts), total = 0, other = 0, messages = 0;
    for (uint32_t to = 0; to < work->ranks; to++) {
        counts[to] = count_of(work->rank, to, scale);
        total += counts[to];
        if (to != work->rank) {
            uint64_t most = work->cluster->message_bytes;
            other += counts[to];
            messages += (counts[to] * 8 + most - 1) / most;
        }
    }
    uint64_t *records = calloc(total + 1, sizeof *records), at = 0;
    for (uint32_t to = 0; to < work->ranks; to++)
        for (uint64_t i = 0; i < counts[to]; i++)
            records[at++] = record_of(work->rank, to, i);
    hop_cluster_reset(work->cluster);
    hop__inbox inbox;
    CHECK_OK(work->context,
             hop__exchange(work->cluster, "test", HOP_OK, 8, records, counts, &inbox));
    const uint64_t *got = inbox.records;
    for (uint32_t from = 0; from < work->ranks; from++) {
        CHECK(inbox.counts[from] == count_of(from, work->rank, scale));
        for (uint64_t i = 0; i < inbox.counts[from]; i++)
            CHECK(*got++ == record_of(from, work->rank, i));
    }
    CHECK((uint64_t)(got - (uint64_t *)inbox.records) == inbox.count);
    hop_cluster_phase phase = {.size = sizeof phase};
    CHECK(hop_cluster_phase_at(work->cluster, 0, &phase));
    CHECK(strcmp(phase.name, "test") == 0 && phase.rounds == 1);
    CHECK(phase.bytes == 8 * other && phase.messages == messages);
    CHECK(phase.control == 16 * (uint64_t)(work->ranks - 1));
    CHECK(!hop_cluster_phase_at(work->cluster, 1, &phase));
    hop__inbox_clear(&inbox);
    free(records);
    free(counts);
}

/* The failure of one rank is that of all, word for word. */
static void check_agreement(job *work, uint32_t failing) {
    hop_context *context = work->context;
    uint64_t *counts = calloc(work->ranks, sizeof *counts);
    hop_status status = HOP_OK;
    hop__inbox inbox;
    char expected[64];
    if (work->rank >= failing) {
        hop__fail(context, HOP_ERR_INPUT, "planted at %u", (unsigned)work->rank);
        status = hop__note_vertex(context, HOP_KIND_DATA, 17);
    }
    if (work->ranks > 1)
        (void)snprintf(expected, sizeof expected, "rank %u: planted at %u", failing, failing);
    else
        (void)snprintf(expected, sizeof expected, "planted at 0");
    CHECK(hop__exchange(work->cluster, "test", status, 8, NULL, counts, &inbox) == HOP_ERR_INPUT);
    CHECK(inbox.records == NULL);
    CHECK(strcmp(hop_context_message(context), expected) == 0);
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    CHECK(hop_context_detail(context, &detail));
    CHECK(detail.status == HOP_ERR_INPUT && detail.vertex == 17);
    CHECK(hop_cluster_agree(work->cluster, HOP_OK) == HOP_OK);
    free(counts);
}

/* Sums and gathered records carry a failure, too. */
static void check_carried(job *work, uint32_t failing) {
    uint64_t sums[2] = {1, work->rank}, total, room[64], mine = work->rank;
    for (int kind = 0; kind < 2; kind++) {
        hop_status status = HOP_OK;
        if (work->rank == failing)
            status = hop__fail(work->context, HOP_ERR_BUDGET, "planted");
        status = kind == 0 ? hop__sum_agreed(work->cluster, status, sums, 2)
                           : hop__gather_records(work->cluster, "test", status, 8, &mine, 1, room,
                                                 64, &total);
        CHECK(status == HOP_ERR_BUDGET);
        CHECK(strstr(hop_context_message(work->context), "planted") != NULL);
    }
    sums[0] = 1, sums[1] = work->rank;
    CHECK_OK(work->context, hop__sum_agreed(work->cluster, HOP_OK, sums, 2));
    CHECK(sums[0] == work->ranks && sums[1] == work->ranks * (work->ranks - 1) / 2);
}

/* `rank` records of rank `rank`, on all; none where there are too many. */
static void check_gather(job *work) {
    uint64_t mine[64], room[64 * 64], ranks = work->ranks, all = ranks * (ranks - 1) / 2, total;
    for (uint64_t i = 0; i < work->rank; i++)
        mine[i] = record_of(work->rank, 0, i);
    CHECK_OK(work->context, hop__gather_records(work->cluster, "test", HOP_OK, 8, mine, work->rank,
                                                room, all, &total));
    CHECK(total == all);
    const uint64_t *got = room;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint64_t i = 0; i < rank; i++)
            CHECK(*got++ == record_of(rank, 0, i));
    room[0] = 77;
    CHECK_OK(work->context, hop__gather_records(work->cluster, "test", HOP_OK, 8, mine, work->rank,
                                                room, all > 0 ? all - 1 : 0, &total));
    CHECK(total == all && room[0] == (all > 0 ? 77 : room[0]));
}

/* More inboxes at once than there are spare blocks, and a rank that has none: what came is right,
 * and the blocks come back. Rank 0 does not clear in the order in which the others do. */
static void check_spares(job *work) {
    enum { INBOXES = HOP__SPARES + 2 };
    hop__inbox inboxes[INBOXES];
    uint64_t *counts = calloc(work->ranks, sizeof *counts);
    uint64_t *records = calloc(work->ranks, sizeof *records);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < HOP__SPARES; i++)
            work->cluster->spare_lent[i] = round == 2 && work->rank == 0;
        for (uint64_t k = 0; k < INBOXES; k++) {
            for (uint32_t to = 0; to < work->ranks; to++) {
                counts[to] = 1;
                records[to] = record_of(work->rank, to, k);
            }
            CHECK_OK(work->context,
                     hop__exchange(work->cluster, "test", HOP_OK, 8, records, counts, &inboxes[k]));
        }
        for (uint64_t k = 0; k < INBOXES; k++) {
            uint64_t at = work->rank == 0 ? INBOXES - 1 - k : k;
            const uint64_t *got = inboxes[at].records;
            CHECK((inboxes[at].lent != NULL) == (round < 2 && at < HOP__SPARES));
            for (uint32_t from = 0; from < work->ranks; from++)
                CHECK(got[from] == record_of(from, work->rank, at));
            hop__inbox_clear(&inboxes[at]);
        }
    }
    for (size_t i = 0; i < HOP__SPARES; i++)
        work->cluster->spare_lent[i] = false;
    free(records);
    free(counts);
}

static void check_same_calls(job *work) {
    hop_cluster_graph *graph = NULL;
    hop_setting scale = {"scale", work->rank == 0 ? 4 : 5};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    options.settings = &scale;
    options.setting_count = 1;
    if (work->ranks == 1)
        return;
    CHECK(hop_cluster_graph_generate(work->cluster, "rmat", &options, &graph) == HOP_ERR_ARGUMENT);
    CHECK(strstr(hop_context_message(work->context), "same arguments") != NULL);
    hop_status status = work->rank == 1 ? hop_cluster_total(work->cluster, 1, NULL, NULL)
                                        : hop_cluster_agree(work->cluster, HOP_OK);
    CHECK(status == HOP_ERR_ARGUMENT && graph == NULL);
}

static void check_numbers(job *work) {
    uint64_t sum, most, before, expected = 0;
    for (uint64_t rank = 0; rank < work->ranks; rank++)
        expected += rank + 5;
    CHECK_OK(work->context, hop_cluster_total(work->cluster, work->rank + 5, &sum, &most));
    CHECK(sum == expected && most == work->ranks - 1 + 5);
    CHECK_OK(work->context, hop__sum_before(work->cluster, 2, &before));
    CHECK(before == 2 * (uint64_t)work->rank);
}

/* The sum and both ends, of numbers of any size; of the same thing on all ranks. */
static void check_spreads(job *work) {
    uint64_t ranks = work->ranks, rank = work->rank;
    uint64_t values[HOP_CLUSTER_SPREADS + 1] = {rank + 5, UINT64_MAX - rank, 0, 7};
    hop_cluster_spread spreads[HOP_CLUSTER_SPREADS];
    hop_cluster_reset(work->cluster);
    CHECK_OK(work->context, hop_cluster_spread_of(work->cluster, "four", values, 4, spreads));
    CHECK(spreads[0].sum == 5 * ranks + ranks * (ranks - 1) / 2);
    CHECK(spreads[0].least == 5 && spreads[0].most == ranks + 4);
    CHECK(spreads[1].least == UINT64_MAX - (ranks - 1) && spreads[1].most == UINT64_MAX);
    CHECK(spreads[2].sum == 0 && spreads[2].least == 0 && spreads[2].most == 0);
    CHECK(spreads[3].sum == 7 * ranks && spreads[3].least == 7 && spreads[3].most == 7);
    CHECK(work->cluster->phase_count == 0); /* none counts it */
    if (ranks > 1)
        CHECK(hop_cluster_spread_of(work->cluster, rank == 0 ? "one" : "other", values, 1,
                                    spreads) == HOP_ERR_ARGUMENT);
    CHECK(hop_cluster_spread_of(work->cluster, "many", values, HOP_CLUSTER_SPREADS + 1, spreads) ==
          HOP_ERR_ARGUMENT);
    CHECK(hop_cluster_spread_of(work->cluster, NULL, values, 1, spreads) == HOP_ERR_ARGUMENT);
}

int main(void) {
    job work = job_begin();
    check_exchange(&work, 1);
    check_exchange(&work, 3001);
    work.cluster->message_bytes = 1000; /* more messages than are under way at once */
    check_exchange(&work, 40000);
    for (uint32_t failing = 0; failing < work.ranks; failing++)
        check_agreement(&work, failing);
    for (uint32_t failing = 0; failing < work.ranks; failing++)
        check_carried(&work, failing);
    check_gather(&work);
    check_spares(&work);
    check_same_calls(&work);
    check_numbers(&work);
    check_spreads(&work);
    job_end(&work);
    return 0;
}
