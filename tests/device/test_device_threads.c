/* SPDX-License-Identifier: Apache-2.0
 *
 * Several devices, and several contexts of one device, at the same time in one process: each thread
 * has a context of its own, and all compute at once. */
#include <pthread.h>

#include "device/device_testing.h"
#include "hoplite/hoplite.h"

enum { COUNT = 20011, ROUNDS = 30, THREADS_MOST = 8, ELEMENTS = 20000 };

static const char mix_text[] = "__kernel void stir(__global uint *data, uint by, uint count) {\n"
                               "    uint i = (uint)get_global_id(0);\n"
                               "    if (i < count)\n"
                               "        data[i] = (data[i] ^ by) * 2654435761u + i;\n"
                               "}\n";
static const hop__source mix_piece = {"mix.cl", mix_text};
static const hop__source *const mix_pieces[] = {&mix_piece};
static const hop__program_source mix_source = {"mix", mix_pieces, 1};

typedef struct worker {
    const char *device;
    uint32_t seed;
    pthread_barrier_t *start;
    pthread_t thread;
    char fault[256]; /* empty: all was right */
} worker;

/* Asserting in a thread would end the wrong one. */
static bool trouble(worker *own, const hop_context *context, hop_status status, const char *what) {
    if (status == HOP_OK)
        return false;
    snprintf(own->fault, sizeof own->fault, "%s: %s: %.200s", own->device, what,
             hop_context_message(context));
    return true;
}

static void mix_rounds(worker *own, hop_context *context, hop__device *device,
                       hop__buffer *buffer) {
    static _Thread_local uint32_t data[COUNT], right[COUNT];
    hop__program *program;
    hop__kernel *kernel;
    if (trouble(own, context, hop__program_get(device, &mix_source, NULL, 0, &program), "build") ||
        trouble(own, context, hop__kernel_get(program, "stir", &kernel), "kernel"))
        return;
    for (uint32_t i = 0; i < COUNT; i++)
        data[i] = right[i] = i + own->seed;
    if (trouble(own, context, hop__buffer_write(buffer, 0, sizeof data, data), "write"))
        return;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t by = round * own->seed;
        hop__argument arguments[] = {hop__arg_buffer(buffer), hop__arg_u32(by),
                                     hop__arg_u32(COUNT)};
        if (trouble(own, context, hop__launch(kernel, hop__grid(COUNT, 64), arguments, 3),
                    "launch"))
            return;
        for (uint32_t i = 0; i < COUNT; i++)
            right[i] = (right[i] ^ by) * 2654435761u + i;
        if (trouble(own, context, hop__buffer_read_now(buffer, 0, sizeof data, data), "read"))
            return;
        if (memcmp(data, right, sizeof data) != 0)
            snprintf(own->fault, sizeof own->fault, "%s: wrong after round %u", own->device, round);
    }
}

/* A whole call, on the device where it has a variant for that. */
static void rank_once(worker *own, hop_context *context) {
    static _Thread_local hop_vertex successors[ELEMENTS], ranks[ELEMENTS];
    for (hop_vertex i = 0, at = 0; i < ELEMENTS; i++) {
        hop_vertex next = (at + 7) % ELEMENTS;
        successors[at] = i + 1 < ELEMENTS ? next : at;
        at = next;
    }
    if (trouble(own, context, hop_rank(context, successors, ELEMENTS, NULL, ranks), "rank"))
        return;
    for (hop_vertex i = 0, at = 0; i < ELEMENTS; i++, at = (at + 7) % ELEMENTS)
        if (ranks[at] != ELEMENTS - 1 - i)
            snprintf(own->fault, sizeof own->fault, "%s: element %u has a wrong rank", own->device,
                     at);
}

static void *work(void *arg) {
    worker *own = arg;
    hop_context *context = NULL;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop__device *device = NULL;
    hop__buffer *buffer = NULL;
    options.device = own->device;
    options.threads = 1;
    hop_status status = hop_context_create(&options, &context);
    pthread_barrier_wait(own->start); /* all open their device at once */
    if (status == HOP_OK)
        status = hop__device_of(context, &device);
    if (status == HOP_OK)
        status = hop__buffer_create(device, "data", COUNT * sizeof(uint32_t), &buffer);
    if (!trouble(own, context, status, "opening")) {
        mix_rounds(own, context, device, buffer);
        rank_once(own, context);
    }
    hop__buffer_free(buffer);
    hop_context_free(context);
    return NULL;
}

/* `contexts` threads on each device. */
static void run_together(size_t contexts) {
    worker workers[THREADS_MOST];
    size_t count = 0;
    pthread_barrier_t start;
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    for (size_t d = 0; d < found.count; d++)
        for (size_t i = 0; i < contexts && count < THREADS_MOST; i++) {
            workers[count] = (worker){
                .device = found.names[d], .seed = (uint32_t)count * 77 + 5, .start = &start};
            count++;
        }
    assert_int_equal(pthread_barrier_init(&start, NULL, (unsigned)count), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    pthread_barrier_destroy(&start);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(workers[i].fault, "");
}

static void all_devices_at_once(void **state) {
    (void)state;
    run_together(1);
}

static void several_contexts_of_each_device(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++)
        run_together(3);
}

/* One thread, two contexts, their work interleaved. */
static void interleaved_contexts(void **state) {
    (void)state;
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    hop_context *contexts[DEVICES_MOST];
    hop__buffer *buffers[DEVICES_MOST];
    uint32_t word[DEVICES_MOST], back[DEVICES_MOST];
    for (size_t i = 0; i < found.count; i++) {
        hop__device *device;
        contexts[i] = device_context(found.names[i]);
        assert_fine(contexts[i], hop__device_of(contexts[i], &device));
        assert_fine(contexts[i], hop__buffer_create(device, "word", sizeof word[i], &buffers[i]));
        word[i] = (uint32_t)i * 1000 + 1;
        assert_fine(contexts[i], hop__buffer_write(buffers[i], 0, sizeof word[i], &word[i]));
    }
    for (size_t i = found.count; i-- > 0;)
        assert_fine(contexts[i], hop__buffer_read_now(buffers[i], 0, sizeof word[i], &back[i]));
    for (size_t i = 0; i < found.count; i++) {
        assert_int_equal(back[i], word[i]);
        hop__buffer_free(buffers[i]);
        free_context(contexts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_devices_at_once),
        cmocka_unit_test(several_contexts_of_each_device),
        cmocka_unit_test(interleaved_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
