/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and kernels in two streams: large arrays of the host go through pinned memory, in pieces,
 * and arrive with every byte; each wait between the streams, and of the host, is needed, which is
 * seen when it is left out; events are used again; times are measured when they are asked for. On
 * the driver that interprets PTX, which does everything as late as it may, in an order that is
 * drawn. Where slots are said to have some bytes, HOPLITE_PINNED has said so. */
#include "device/cuda_testing.h"

#include "core/try.h"
#include "device/backend.h"
#include "hoplite/hoplite.h"

static const char scale_text[] =
    "extern \"C\" __global__ void scale(const unsigned *from, unsigned *to, unsigned factor,\n"
    "                                 unsigned count) {\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count)\n"
    "        to[i] = from[i] * factor + 1;\n"
    "}\n";
static const hop__source scale_piece = {"scale_streams.cu", scale_text};
static const hop__source *const scale_pieces[] = {&scale_piece};
static const hop__program_source scale_source = {"scale_streams", scale_pieces, 1};

enum { COUNT = 1000, BYTES = 4 * COUNT, SLOT = 1000, GROUP = 64, SEEDS = 40 };

typedef struct opened {
    hop_context *context;
    hop__device *device;
    hop__kernel *scale;
    hop__buffer *in, *one, *two;
} opened;

static opened open_device(const char *pinned, unsigned seed) {
    char text[16];
    opened at = {0};
    hop__program *program = NULL;
    snprintf(text, sizeof text, "%u", seed);
    setenv("HOPLITE_PTX_SEED", text, 1);
    if (pinned != NULL)
        setenv("HOPLITE_PINNED", pinned, 1);
    else
        unsetenv("HOPLITE_PINNED");
    stand_in.fault(NULL, 0, 0);
    at.context = device_context(stand_in_device());
    assert_fine(at.context, hop__device_of(at.context, &at.device));
    assert_fine(at.context, hop__program_get(at.device, &scale_source, NULL, 0, &program));
    assert_fine(at.context, hop__kernel_get(program, "scale", &at.scale));
    assert_fine(at.context, hop__buffer_create(at.device, "in", BYTES, &at.in));
    assert_fine(at.context, hop__buffer_create(at.device, "one", BYTES, &at.one));
    assert_fine(at.context, hop__buffer_create(at.device, "two", BYTES, &at.two));
    return at;
}

static void close_device(opened *at) {
    hop__buffer_free(at->in);
    hop__buffer_free(at->one);
    hop__buffer_free(at->two);
    free_context(at->context);
    assert_int_equal(stand_in.live(), 0);
}

static hop_status scale(opened *at, hop__buffer *from, hop__buffer *to, uint32_t factor) {
    hop__argument arguments[] = {hop__arg_buffer(from), hop__arg_buffer(to), hop__arg_u32(factor),
                                 hop__arg_u32(COUNT)};
    return hop__launch(at->scale, hop__grid(COUNT, GROUP), arguments, 4);
}

/* --- bytes ----------------------------------------------------------------------------------- */

static void assert_round_trip(opened *at, hop__queue queue, uint64_t offset, size_t bytes) {
    static unsigned char from[BYTES], to[BYTES];
    hop__event *event = NULL;
    for (size_t i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(i * 7 + bytes), to[i] = 0xee;
    stand_in.fault(NULL, 0, 0);
    assert_fine(at->context, hop__queue_write(queue, at->in, offset, bytes, from));
    assert_fine(at->context, hop__queue_read(queue, at->in, offset, bytes, to));
    assert_fine(at->context, hop__event_record(at->device, queue, &event));
    assert_fine(at->context, hop__event_sync(event));
    hop__event_free(event);
    assert_memory_equal(to, from, bytes);
    for (size_t i = bytes; i < BYTES; i++)
        assert_int_equal(to[i], 0xee);
    stand_in_counts counted = stand_in.counted();
    assert_int_equal(counted.bytes_in, bytes);
    assert_int_equal(counted.pinned_in, bytes >= SLOT ? bytes : 0);
    assert_int_equal(counted.pinned_out, bytes >= SLOT ? bytes : 0);
    assert_int_equal(counted.copies_in, bytes >= SLOT ? (bytes + SLOT - 1) / SLOT : bytes > 0);
}

static void bytes_are_the_same(void **state) {
    (void)state;
    static const size_t sizes[] = {
        0, 1, SLOT - 1, SLOT, SLOT + 1, 2 * SLOT, 2 * SLOT + 1, 3 * SLOT + 7, BYTES};
    find_stand_in();
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        opened at = open_device("1000", seed);
        for (hop__queue queue = 0; queue < HOP__QUEUE_COUNT; queue++)
            for (size_t i = 0; i < HOP_LENGTH(sizes); i++)
                assert_round_trip(&at, queue, (BYTES - sizes[i]) / 2, sizes[i]);
        close_device(&at);
    }
}

/* The host fills one slot while the other is under way: it waits for a piece only when it has put
 * two more, not for each. */
static void the_host_does_not_wait_for_each_piece(void **state) {
    (void)state;
    static uint32_t words[COUNT];
    find_stand_in();
    opened at = open_device("1000", 1);
    stand_in.fault(NULL, 0, 0);
    assert_fine(at.context, hop__buffer_write(at.in, 0, BYTES, words));
    assert_int_equal(stand_in.counted().copies_in, 4);
    assert_int_equal(stand_in.counted().syncs, 2);
    /* What fits into the slots is not waited for. */
    assert_fine(at.context, hop__device_finish(at.device));
    stand_in.fault(NULL, 0, 0);
    memset(words, 1, sizeof words);
    assert_fine(at.context, hop__buffer_fill(at.in, 0, BYTES, 9));
    assert_fine(at.context, hop__buffer_read(at.in, 0, 2 * SLOT, words));
    assert_int_equal(stand_in.counted().syncs, 0);
    assert_int_equal(words[0], 0x01010101);
    assert_int_equal(words[2 * SLOT / 4 - 1], 0x01010101);
    assert_fine(at.context, hop__device_finish(at.device));
    assert_int_equal(words[0], 9);
    assert_int_equal(words[2 * SLOT / 4 - 1], 9);
    close_device(&at);
}

/* With the sizes that are used: 5 MiB in pieces of 2. */
static void large_arrays(void **state) {
    (void)state;
    enum { MANY = (5 << 20) / 4 };
    static uint32_t from[MANY], to[MANY];
    hop__buffer *large = NULL;
    find_stand_in();
    opened at = open_device(NULL, 1);
    for (uint32_t i = 0; i < MANY; i++)
        from[i] = i * 2654435761u;
    assert_int_equal(stand_in.counted().pinned, 0);
    assert_fine(at.context, hop__buffer_create(at.device, "large", sizeof from, &large));
    assert_fine(at.context, hop__buffer_write(large, 0, sizeof from, from));
    assert_fine(at.context, hop__buffer_read_now(large, 0, sizeof to, to));
    assert_memory_equal(to, from, sizeof to);
    stand_in_counts counted = stand_in.counted();
    assert_int_equal(counted.pinned, 4 << 20);
    assert_true(counted.copies_in == 3 && counted.copies_out == 3);
    assert_true(counted.pinned_in == sizeof from && counted.pinned_out == sizeof from);
    hop__buffer_free(large);
    close_device(&at);
}

/* --- order ----------------------------------------------------------------------------------- */

/* Kernels and large copies that depend on each other, in one queue; whether all is right. */
static bool chain_right(opened *at) {
    static uint32_t x[COUNT], y[COUNT], first[COUNT], second[COUNT], third[COUNT];
    hop_status status;
    bool right = true;
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = i + 1, y[i] = 3 * i + 5, first[i] = second[i] = third[i] = 0;
    HOP_TRY(status, hop__buffer_fill(at->in, 0, BYTES, 77));
    HOP_TRY(status, hop__buffer_write(at->in, 0, BYTES, x)); /* behind the fill */
    HOP_TRY(status, scale(at, at->in, at->one, 3));          /* behind the copy */
    HOP_TRY(status, hop__buffer_write(at->in, 0, BYTES, y)); /* behind the kernel that reads */
    HOP_TRY(status, scale(at, at->in, at->two, 3));
    HOP_TRY(status, hop__buffer_read(at->two, 0, BYTES, second)); /* behind the kernel */
    HOP_TRY(status, scale(at, at->in, at->two, 7));               /* behind the copy */
    HOP_TRY(status, hop__buffer_read(at->two, 0, BYTES, third));
    for (uint32_t i = 0; i < COUNT; i += 100)
        HOP_TRY(status, hop__buffer_read(at->one, 4 * i, 400, first + i));
    HOP_TRY(status, hop__queue_finish(at->device, HOP__QUEUE_COMPUTE));
    for (uint32_t i = 0; i < COUNT; i++)
        right &= first[i] == x[i] * 3 + 1 && second[i] == y[i] * 3 + 1 && third[i] == y[i] * 7 + 1;
done:
    assert_fine(at->context, status);
    assert_fine(at->context, hop__device_finish(at->device));
    return right;
}

/* The first seed with which it is seen that the call number `nth` has not waited; 0: none. */
static unsigned seed_that_shows(const char *name, unsigned nth) {
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        opened at = open_device("1000", seed);
        stand_in.fault(name, nth, 9997);
        bool right = chain_right(&at);
        assert_int_equal(stand_in.faults(), 1);
        stand_in.fault(NULL, 0, 0);
        close_device(&at);
        if (!right)
            return seed;
    }
    return 0;
}

static void a_wait_that_is_missing_is_seen(void **state) {
    (void)state;
    stand_in_counts counted = {0};
    find_stand_in();
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        opened at = open_device("1000", seed);
        stand_in.fault(NULL, 0, 0);
        assert_true(chain_right(&at));
        counted = stand_in.counted();
        close_device(&at);
    }
    assert_int_equal(counted.waits, 8); /* two for each large copy */
    assert_int_equal(counted.syncs, 12);
    for (unsigned nth = 1; nth <= counted.waits; nth++) {
        unsigned seed = seed_that_shows("cuStreamWaitEvent", nth);
        print_message("wait %u of the streams: seed %u\n", nth, seed);
        assert_true(seed > 0);
    }
    for (unsigned nth = 1; nth <= counted.syncs; nth++)
        assert_true(seed_that_shows("cuEventSynchronize", nth) > 0);
}

/* A read in one queue, and a wait for the other, which has waited for the first. */
static void who_has_waited_finds_the_array(void **state) {
    (void)state;
    static uint32_t words[COUNT];
    find_stand_in();
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        hop__event *filled = NULL, *copied = NULL;
        opened at = open_device("4000", seed);
        memset(words, 1, sizeof words);
        assert_fine(at.context, hop__buffer_fill(at.in, 0, BYTES, seed));
        assert_fine(at.context, hop__event_record(at.device, HOP__QUEUE_COMPUTE, &filled));
        assert_fine(at.context, hop__event_wait(filled, HOP__QUEUE_COPY));
        assert_fine(at.context, hop__queue_read(HOP__QUEUE_COPY, at.in, 0, BYTES, words));
        assert_fine(at.context, hop__event_record(at.device, HOP__QUEUE_COPY, &copied));
        assert_int_equal(words[0], 0x01010101);
        assert_fine(at.context, hop__event_wait(copied, HOP__QUEUE_COMPUTE));
        assert_fine(at.context, hop__buffer_fill(at.in, 0, BYTES, 0));
        if (seed % 2 == 0)
            assert_fine(at.context, hop__queue_finish(at.device, HOP__QUEUE_COMPUTE));
        else
            assert_fine(at.context, hop__event_sync(copied));
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(words[i], seed);
        hop__event_free(filled);
        hop__event_free(copied);
        close_device(&at);
    }
}

/* An array that is read into twice, and written from, without a wait between. */
static void an_array_that_is_used_again(void **state) {
    (void)state;
    static uint32_t words[COUNT];
    find_stand_in();
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        uint32_t last = 0;
        opened at = open_device("4000", seed);
        assert_fine(at.context, hop__buffer_fill(at.in, 0, BYTES, 1));
        assert_fine(at.context, hop__buffer_fill(at.one, 0, BYTES, 2));
        assert_fine(at.context, hop__buffer_read(at.in, 0, BYTES, words));
        assert_fine(at.context, hop__buffer_read(at.one, 0, 40, words));
        assert_fine(at.context, hop__device_finish(at.device));
        assert_true(words[9] == 2 && words[10] == 1);
        assert_fine(at.context, hop__buffer_read(at.one, 0, BYTES, words));
        assert_fine(at.context, hop__buffer_write(at.two, 0, BYTES, words));
        assert_fine(at.context, hop__buffer_read_now(at.two, BYTES - 4, 4, &last));
        assert_int_equal(last, 2);
        close_device(&at);
    }
}

/* --- events ---------------------------------------------------------------------------------- */

static void one_round(opened *at) {
    static uint32_t words[COUNT];
    hop__event *event = NULL;
    assert_fine(at->context, hop__queue_write(HOP__QUEUE_COPY, at->in, 0, BYTES, words));
    assert_fine(at->context, hop__event_record(at->device, HOP__QUEUE_COPY, &event));
    assert_fine(at->context, hop__event_wait(event, HOP__QUEUE_COMPUTE));
    hop__event_free(event); /* while the stream may still wait for it */
    assert_fine(at->context, scale(at, at->in, at->one, 2));
    assert_fine(at->context, hop__buffer_read(at->one, 0, BYTES, words));
    assert_fine(at->context, hop__device_finish(at->device));
}

static void events_are_used_again(void **state) {
    (void)state;
    find_stand_in();
    for (int timed = 0; timed < 2; timed++) {
        opened at = open_device("1000", 1);
        hop__device_time(at.device, timed != 0);
        stand_in.fault(NULL, 0, 0);
        one_round(&at);
        stand_in_counts once = stand_in.counted();
        for (int i = 0; i < 50; i++)
            one_round(&at);
        stand_in_counts often = stand_in.counted();
        assert_int_equal(often.events, once.events);
        assert_int_equal(often.records, 51 * once.records);
        assert_int_equal(once.events - once.timed, 3); /* one of each slot, and one that is free */
        assert_int_equal(once.timed, timed ? 6 : 0);   /* two copies and a kernel */
        close_device(&at);
    }
}

static hop_status search(hop_context *context, hop_report *report) {
    enum { RING = 300 };
    static uint32_t offsets[RING + 1];
    static hop_vertex targets[RING], levels[RING];
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_graph *graph = NULL;
    hop_vertex source = 0;
    for (hop_vertex v = 0; v < RING; v++)
        offsets[v + 1] = v + 1, targets[v] = (v + 1) % RING;
    csr.vertices = RING;
    csr.offsets = offsets;
    csr.targets = targets;
    how.directed = true;
    run.variant = "vertex-parallel";
    run.report = report;
    options.run = &run;
    options.max_level = 9;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    hop_status status = hop_bfs(context, graph, &source, 1, &options, levels, NULL);
    for (hop_vertex v = 0; v < 9 && status == HOP_OK; v++)
        assert_int_equal(levels[v], v);
    hop_graph_release(graph);
    return status;
}

static void times_are_measured_when_asked_for(void **state) {
    (void)state;
    hop_report *report = NULL;
    find_stand_in();
    opened at = open_device("1000", 1);
    assert_fine(at.context, search(at.context, NULL));
    assert_int_equal(stand_in.counted().timed, 0);
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    assert_fine(at.context, search(at.context, report));
    assert_true(stand_in.counted().timed > 0);
    assert_true(hop_report_phase_count(report) > 0);
    for (size_t i = 0; i < hop_report_phase_count(report); i++)
        assert_true(hop_report_phase(report, i)->seconds > 0);
    uint64_t records = stand_in.counted().records;
    assert_fine(at.context, search(at.context, report));
    records = stand_in.counted().records - records;
    stand_in.fault(NULL, 0, 0);
    assert_fine(at.context, search(at.context, NULL)); /* and no longer */
    assert_true(stand_in.counted().timed == 0 && stand_in.counted().records < records);
    hop_report_free(report);
    close_device(&at);
}

/* --- memory ---------------------------------------------------------------------------------- */

/* What a run of the search says that it needs of the host. */
static uint64_t need_of(const char *pinned, uint64_t *used) {
    hop_report *report = NULL;
    opened at = open_device(pinned, 1);
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    uint64_t before = hop_context_memory_used(at.context);
    assert_fine(at.context, search(at.context, report));
    *used = hop_context_memory_used(at.context) - before;
    uint64_t need = hop_report_memory_bytes(report);
    assert_fine(at.context, search(at.context, report));
    assert_int_equal(hop_report_memory_bytes(report), need - *used); /* it is there */
    hop_device_trim(at.context);
    assert_int_equal(hop_context_memory_used(at.context), before);
    assert_fine(at.context, search(at.context, report)); /* and comes again */
    assert_int_equal(hop_context_memory_used(at.context), before + *used);
    hop_report_free(report);
    close_device(&at);
    return need;
}

static void pinned_memory_is_declared(void **state) {
    (void)state;
    uint64_t with, without;
    find_stand_in();
    uint64_t more = need_of("1000", &with), less = need_of("0", &without);
    assert_int_equal(without, 0);
    assert_int_equal(with, 2000);
    assert_int_equal(more - less, 2000);
}

static unsigned told;

static void tell(void *user, hop_log_level level, const char *message) {
    (void)user, (void)level;
    told += strstr(message, "of pinned memory") != NULL;
}

/* Where there is none, arrays are copied as they are. */
static void without_pinned_memory(void **state) {
    (void)state;
    find_stand_in();
    for (unsigned nth = 0; nth <= 2; nth++) { /* 0: the budget has no room */
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        static uint32_t words[COUNT];
        hop__buffer *buffer = NULL;
        hop_context *context = NULL;
        hop__device *device = NULL;
        setenv("HOPLITE_PINNED", nth == 0 ? "500000" : "1000", 1);
        options.device = stand_in_device();
        options.memory_budget = 900000;
        options.log = tell;
        options.log_level = HOP_LOG_INFO;
        told = 0;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        assert_fine(context, hop__device_of(context, &device));
        if (nth == 0)
            device->pinned_from = 1000;
        stand_in.fault(nth > 0 ? "cuMemHostAlloc" : NULL, nth, 2);
        assert_fine(context, hop__buffer_create(device, "buffer", BYTES, &buffer));
        uint64_t used = hop_context_memory_used(context);
        for (uint32_t i = 0; i < COUNT; i++)
            words[i] = i;
        for (int again = 0; again < 2; again++) {
            assert_fine(context, hop__buffer_write(buffer, 0, BYTES, words));
            assert_fine(context, hop__device_finish(device));
            memset(words, 0, sizeof words);
            assert_fine(context, hop__buffer_read_now(buffer, 0, BYTES, words));
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(words[i], i);
        assert_int_equal(stand_in.counted().pinned_in, 0);
        assert_int_equal(hop_context_memory_used(context), used);
        assert_int_equal(told, nth > 0);
        hop__buffer_free(buffer);
        free_context(context);
        assert_int_equal(stand_in.live(), 0);
        stand_in.fault(NULL, 0, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_same),
        cmocka_unit_test(the_host_does_not_wait_for_each_piece),
        cmocka_unit_test(large_arrays),
        cmocka_unit_test(a_wait_that_is_missing_is_seen),
        cmocka_unit_test(who_has_waited_finds_the_array),
        cmocka_unit_test(an_array_that_is_used_again),
        cmocka_unit_test(events_are_used_again),
        cmocka_unit_test(times_are_measured_when_asked_for),
        cmocka_unit_test(pinned_memory_is_declared),
        cmocka_unit_test(without_pinned_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
