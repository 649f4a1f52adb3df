/* SPDX-License-Identifier: Apache-2.0
 *
 * Known-answer tests of the context's device: check_program.cl against the host. A driver that
 * compiles wrongly, or a device with a bad memory, is found before it is trusted with a graph. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/try.h"
#include "kernels/device_check.h"
#include "kernels/launching.h"
#include "kernels/programs.h"

/* Not a multiple of the group, so that the last group is not full. */
enum { COUNT = 5000 + 7, GROUP = 64, SLOTS = 16, WORDS = 6 + SLOTS + 1, WIDE = 5 };

typedef struct check {
    hop__device *device;
    hop__program *program;
    uint32_t *in;  /* COUNT random words */
    char *out;     /* COUNT times 8 bytes */
    char *right;   /* the same */
    char *numbers; /* the same: input of other types */
    bool *wrong;   /* an answer was; else what fails is a call */
} check;

extern const hop__program_source hop__program_check;

/* Runs `name` on `in_bytes` of input; `out` is given to the device as it is, and read back. */
static hop_status check_kernel(check *work, const char *name, const void *in, size_t in_bytes,
                               size_t out_bytes) {
    hop_status status;
    hop__buffer *from = NULL, *to = NULL;
    HOP_TRY(status, hop__buffer_create(work->device, "check: input", in_bytes, &from));
    HOP_TRY(status, hop__buffer_create(work->device, "check: output", out_bytes, &to));
    HOP_TRY(status, hop__buffer_write(from, 0, in_bytes, in));
    HOP_TRY(status, hop__buffer_write(to, 0, out_bytes, work->out));
    hop__argument arguments[] = {hop__arg_buffer(from), hop__arg_buffer(to), hop__arg_u32(COUNT)};
    HOP_TRY(status, hop__launch_named(work->program, name, hop__grid(COUNT, GROUP), arguments, 3));
    HOP_TRY(status, hop__buffer_read_now(to, 0, out_bytes, work->out));
done:
    hop__device_settle(work->device, status);
    hop__buffer_free(from);
    hop__buffer_free(to);
    return status;
}

/* Compares words of `size` bytes. */
static hop_status compare(const check *work, const char *name, size_t count, size_t size) {
    for (size_t i = 0; i < count; i++) {
        uint64_t got = 0, right = 0;
        memcpy(&got, work->out + i * size, size);
        memcpy(&right, work->right + i * size, size);
        if (got == right)
            continue;
        hop_context *context = hop__device_context(work->device);
        const char *device = hop__device_info(work->device)->name;
        *work->wrong = true;
        hop__fail(context, HOP_ERR_DEVICE,
                  "device %s computes wrongly: %s: word %zu is %#llx, and should be %#llx", device,
                  name, i, (unsigned long long)got, (unsigned long long)right);
        hop__note_name(context, HOP_KIND_DEVICE, device);
        return hop__remedy(context, HOP_REMEDY_USE_HOST, "use another or the host");
    }
    return HOP_OK;
}

static hop_status check_numbers(check *work) {
    uint32_t *right = (uint32_t *)work->right;
    memset(work->out, 0, COUNT * sizeof *right);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t wide = (uint64_t)work->in[i] * work->in[i] + i;
        right[i] = (uint32_t)(wide >> 16) ^ (work->in[i] << (i & 31));
    }
    hop_status status =
        check_kernel(work, "check_numbers", work->in, COUNT * sizeof *right, COUNT * sizeof *right);
    return status == HOP_OK ? compare(work, "arithmetic", COUNT, sizeof *right) : status;
}

static hop_status check_barrier(check *work) {
    uint32_t *right = (uint32_t *)work->right;
    memset(work->out, 0, COUNT * sizeof *right);
    /* Turned around twice, the element itself, and the place that it had in between. */
    for (uint32_t i = 0; i < COUNT; i++)
        right[i] = work->in[i] + (GROUP - 1 - i % GROUP);
    hop_status status =
        check_kernel(work, "check_barrier", work->in, COUNT * sizeof *right, COUNT * sizeof *right);
    return status == HOP_OK ? compare(work, "barriers", COUNT, sizeof *right) : status;
}

static hop_status check_atomics(check *work) {
    uint32_t *right = (uint32_t *)work->right, *out = (uint32_t *)work->out;
    memset(out, 0, WORDS * sizeof *out);
    memset(right, 0, WORDS * sizeof *right);
    out[1] = right[1] = UINT32_MAX;
    for (uint32_t i = 0; i < COUNT; i++) {
        right[0] += work->in[i];
        right[1] = work->in[i] < right[1] ? work->in[i] : right[1];
        right[2] = work->in[i] > right[2] ? work->in[i] : right[2];
    }
    right[3] = UINT32_MAX;
    right[4] = 1;
    right[5] = SLOTS;
    right[WORDS - 1] = 1;
    hop_status status = check_kernel(work, "check_atomics", work->in, COUNT * sizeof *work->in,
                                     WORDS * sizeof *out);
    if (status != HOP_OK)
        return status;
    /* Any item of its slot may have won it; whether it is one of them can be said. */
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        uint32_t winner = out[6 + slot];
        bool fits = winner > 0 && winner <= COUNT && (winner - 1) % SLOTS == slot;
        right[6 + slot] = fits ? winner : UINT32_MAX;
    }
    return compare(work, "32-bit atomics", WORDS, sizeof *out);
}

static hop_status check_atomics64(check *work) {
    uint64_t *right = (uint64_t *)work->right, *out = (uint64_t *)work->out;
    memset(out, 0, WIDE * sizeof *out);
    memset(right, 0, WIDE * sizeof *right);
    out[1] = right[1] = UINT64_MAX;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t value = ((uint64_t)work->in[i] << 32) + i;
        right[0] += value;
        right[1] = value < right[1] ? value : right[1];
        right[2] = value > right[2] ? value : right[2];
    }
    right[3] = 1;
    hop_status status = check_kernel(work, "check_atomics64", work->in, COUNT * sizeof *work->in,
                                     WIDE * sizeof *out);
    if (status != HOP_OK)
        return status;
    uint32_t winner = (uint32_t)(out[4] - 1);
    bool fits = winner < COUNT && out[4] - 1 == ((uint64_t)work->in[winner] << 32) + winner;
    right[4] = fits ? out[4] : UINT64_MAX;
    return compare(work, "64-bit atomics", WIDE, sizeof *out);
}

/* Numbers of all sizes; subnormal ones only where the device claims to keep them. */
static hop_status check_floats(check *work) {
    float *in = (float *)work->numbers, *right = (float *)work->right;
    bool subnormal = (hop__device_info(work->device)->capabilities & HOP_DEVICE_SUBNORMAL32) != 0;
    memset(work->out, 0, COUNT * sizeof *in);
    for (uint32_t i = 0; i < COUNT; i++) {
        int exponent = (int)(work->in[i] >> 24) - 128 - (subnormal ? 20 : 0);
        in[i] = 2 * ldexpf((float)(work->in[i] & 0xfffff0), exponent - 22);
        if (!subnormal && fabsf(in[i]) < 1e-30f)
            in[i] = 1.0f;
        right[i] = in[i] * 1.5f; /* the same: a half of what was doubled is exact */
    }
    hop_status status =
        check_kernel(work, "check_floats", in, COUNT * sizeof *in, COUNT * sizeof *in);
    return status == HOP_OK ? compare(work, "float32", COUNT, sizeof *in) : status;
}

static hop_status check_doubles(check *work) {
    double *in = (double *)work->numbers, *right = (double *)work->right;
    bool subnormal = (hop__device_info(work->device)->capabilities & HOP_DEVICE_SUBNORMAL64) != 0;
    memset(work->out, 0, COUNT * sizeof *in);
    for (uint32_t i = 0; i < COUNT; i++) {
        int exponent = subnormal && i % 3 == 0 ? -1100 : (int)(work->in[i] >> 25);
        in[i] = 2 * ldexp((double)(work->in[i] | 15), exponent);
        right[i] = in[i] * 1.5;
    }
    hop_status status =
        check_kernel(work, "check_doubles", in, COUNT * sizeof *in, COUNT * sizeof *in);
    return status == HOP_OK ? compare(work, "float64", COUNT, sizeof *in) : status;
}

static hop_status check_all(hop_context *context, bool *wrong) {
    hop_status status;
    check work = {.wrong = wrong};
    hop__define define = {"WG", GROUP};
    HOP_TRY(status, hop__device_of(context, &work.device));
    unsigned can = hop__device_info(work.device)->capabilities;
    HOP_TRY(status, hop__alloc(context, "check", COUNT, sizeof *work.in, &work.in));
    HOP_TRY(status, hop__alloc(context, "check", COUNT, sizeof(uint64_t), &work.out));
    HOP_TRY(status, hop__alloc(context, "check", COUNT, sizeof(uint64_t), &work.right));
    HOP_TRY(status, hop__alloc(context, "check", COUNT, sizeof(uint64_t), &work.numbers));
    for (uint32_t i = 0, word = 1; i < COUNT; i++) {
        word = word * 1664525 + 1013904223;
        work.in[i] = word;
    }
    HOP_TRY(status, hop__program_get(work.device, &hop__program_check, &define, 1, &work.program));
    HOP_TRY(status, check_numbers(&work));
    HOP_TRY(status, check_barrier(&work));
    HOP_TRY(status, check_atomics(&work));
    if ((can & HOP_DEVICE_ATOMIC64) != 0)
        HOP_TRY(status, check_atomics64(&work));
    HOP_TRY(status, check_floats(&work));
    if ((can & HOP_DEVICE_FLOAT64) != 0)
        HOP_TRY(status, check_doubles(&work));
done:
    hop__free(work.in);
    hop__free(work.out);
    hop__free(work.right);
    hop__free(work.numbers);
    return status;
}

hop_status hop_device_check(hop_context *context) {
    bool wrong;
    return context != NULL ? check_all(context, &wrong) : HOP_ERR_ARGUMENT;
}

/* In a context of its own, so that budgets, peaks, times and reports are those of the call. */
hop_status hop__device_prove(hop__device *device) {
    hop_context *context = hop__device_context(device), *own = NULL;
    hop_context_options options = context->options;
    bool wrong = false;
    if (hop__device_has_passed(device, &hop__program_check))
        return HOP_OK;
    options.device = hop__device_info(device)->name;
    options.threads = 1;
    options.progress = NULL;
    options.log = NULL;
    options.memory_budget = options.device_memory = 0;
    hop_status status = hop_context_create(&options, &own);
    if (status != HOP_OK)
        return hop__fail(context, status, "device %s: no context for its known answers",
                         options.device);
    status = check_all(own, &wrong);
    if (status == HOP_OK)
        hop__device_pass(device, &hop__program_check);
    else if (wrong || (own->device != NULL && hop__device_lost(own->device)))
        status = hop__device_distrust(device, own);
    else
        hop__fail_as(context, status, own);
    hop_context_free(own);
    return status;
}
