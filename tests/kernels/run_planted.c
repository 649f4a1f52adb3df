/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: run_planted KERNEL [DEVICE]
 *
 * Runs a kernel of planted.cl, 8 groups of 128 items, on a device ("opencl:0.0"), and prints the
 * words that it wrote; exit code 1 with the message when that fails. For test_kernels_races.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "device/device.h"

enum { GROUP = 128, GROUPS = 8, COUNT = GROUP * GROUPS };

static char *read_text(const char *name) {
    const char *root = getenv("HOPLITE_SOURCE_DIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    /* What the build does with includes: here the shim is the only one, and stands before. */
    char *include = strstr(text, "#include \"kernels/");
    if (include != NULL)
        memset(include, ' ', strcspn(include, "\n"));
    return text;
}

static hop_status run(hop_context *context, const char *name) {
    hop__source shim = {"shim.h", read_text("src/kernels/shim.h")};
    hop__source planted = {"planted.cl", read_text("tests/kernels/planted.cl")};
    const hop__source *const sources[] = {&shim, &planted};
    const hop__program_source source = {"planted", sources, 2};
    const hop__define define = {"WG", GROUP};
    uint32_t values[COUNT];
    hop__device *device = NULL;
    hop__program *program;
    hop__kernel *kernel;
    hop__buffer *data = NULL, *out = NULL;
    hop_status status;
    HOP_TRY(status, hop__device_of(context, &device));
    HOP_TRY(status, hop__program_get(device, &source, &define, 1, &program));
    HOP_TRY(status, hop__kernel_get(program, name, &kernel));
    HOP_TRY(status, hop__buffer_create(device, "data", sizeof values, &data));
    HOP_TRY(status, hop__buffer_create(device, "out", sizeof values, &out));
    HOP_TRY(status, hop__buffer_fill(data, 0, sizeof values, 100000));
    HOP_TRY(status, hop__buffer_fill(out, 0, sizeof values, 0));
    hop__argument arguments[] = {hop__arg_buffer(data), hop__arg_buffer(out), hop__arg_u32(COUNT)};
    HOP_TRY(status, hop__launch(kernel, hop__shape_of(GROUPS, GROUP), arguments, 3));
    HOP_TRY(status, hop__buffer_read_now(out, 0, sizeof values, values));
    for (uint32_t i = 0; i < COUNT; i++)
        printf("%u\n", values[i]);
done:
    hop__device_settle(device, status);
    hop__buffer_free(data);
    hop__buffer_free(out);
    free((void *)(uintptr_t)shim.text);
    free((void *)(uintptr_t)planted.text);
    return status;
}

int main(int argc, char **argv) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.device = argc > 2 ? argv[2] : "opencl:0.0";
    if (argc < 2 || hop_context_create(&options, &context) != HOP_OK)
        return 2;
    hop_status status = run(context, argv[1]);
    if (status != HOP_OK)
        fprintf(stderr, "%s: %s\n", hop_status_name(status), hop_context_message(context));
    hop_context_free(context);
    return status == HOP_OK ? 0 : 1;
}
