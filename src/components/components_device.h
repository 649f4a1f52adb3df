/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of components on devices share: the labels on the device, and the kernels of
 * forest.cl on them.
 *
 * The labels are the caller's array itself where the device works in the host's memory, and so are
 * the edges and rows: nothing is copied then. Elsewhere edges, or rows, go to the device in blocks
 * that fit: see components_device_edges.c and components_device_rows.c. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_DEVICE_H
#define HOPLITE_COMPONENTS_COMPONENTS_DEVICE_H

#include "components/components_internal.h"
#include "core/try.h"
#include "kernels/programs.h"
#include "kernels/sweep.h"

extern const hop__program_source hop__program_components_edges, hop__program_components_rows;

typedef struct hop__device_forest {
    hop_context *context;
    hop__workspace *space;
    hop_report *report;
    hop__device *device;
    hop__sweeper sweeper;
    uint64_t n;
    hop__buffer *labels;
    hop__buffer *resume; /* where items stopped whose steps were used up: two words each */
    uint32_t steps;      /* that an item may take in one launch */
} hop__device_forest;

/* Lists its buffers; it is the first member of the state. `form` points to the values of the form's
 * parameters. */
void hop__device_forest_blocks(hop__workspace *space, const hop__components_task *task,
                               const double *form);
/* Opens the device and the workspace, whose state the forest begins. */
hop_status hop__device_forest_open(hop_context *context, const hop__components_task *task,
                                   hop__blocks_fn blocks, hop__workspace *space,
                                   hop__device_forest *forest);
/* Starts the labels: labels[v] = v. Fails half-way in a state that hop__device_forest_end cleans
 * up. */
hop_status hop__device_forest_begin(hop__device_forest *forest, const hop__program_source *source,
                                    const hop__define *defines, size_t define_count,
                                    const double *form);
/* Brings the labels to the caller and counts the roots. */
hop_status hop__device_forest_finish(hop__device_forest *forest, hop_vertex *count);
/* Frees; what is under way after a failure is waited for. */
void hop__device_forest_end(hop__device_forest *forest, hop_status status);

/* Runs a kernel over [0, count): arguments as in sweep.h. */
hop_status hop__device_forest_sweep(hop__device_forest *forest, const char *kernel, uint64_t count,
                                    uint64_t bytes, const hop__argument *arguments,
                                    size_t argument_count);
/* One that may leave work for another launch, and is not waited for before hop__sweep_settle. */
hop_status hop__device_forest_trips(hop__device_forest *forest, const char *kernel, uint64_t count,
                                    uint64_t bytes, const hop__argument *arguments,
                                    size_t argument_count);
/* One that is put behind those ahead, and repeated by the caller when they are late. */
hop_status hop__device_forest_early(hop__device_forest *forest, const char *kernel, uint64_t count,
                                    uint64_t bytes, const hop__argument *arguments,
                                    size_t argument_count);
/* Points every vertex to its root; as hop__device_forest_trips. */
hop_status hop__device_forest_shortcut(hop__device_forest *forest);

/* Elements of `size` bytes that a block may have: all of `count` if they fit in what is left of the
 * device's memory, but for the bytes that are needed `beside`, and in one buffer, else as many as
 * fit `slots` times over, in whole pages. At least one page: whether that fits is seen when it is
 * allocated. */
uint64_t hop__device_block(const hop__device_forest *forest, uint64_t count, size_t size,
                           unsigned slots, uint64_t beside);

/* A parameter of the variants whose items join trees: how much one does in a launch. */
#define HOP__STEPS_ROW                                                                             \
    {                                                                                              \
        .name = "steps", .summary = "steps up trees that a work-item takes in one launch",         \
        .type = HOP_PARAMETER_INTEGER, .minimum = 1, .maximum = 1 << 20, .standard = HOP__STEPS    \
    }

enum {
    HOP__BLOCK_GRAIN = 4096, /* elements: blocks of an array in place begin at pages */
    HOP__STEPS = 4096,       /* of an item in one launch, where no parameter says otherwise */
};

#endif
