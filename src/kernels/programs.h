/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs that run on devices. Each is a file src/<folder>/<name>_program.cl, embedded by the
 * build together with what it includes, as `const hop__program_source hop__program_<name>`. Its
 * user declares that one; the table is for what goes over all of them, such as the tests. */
#ifndef HOPLITE_KERNELS_PROGRAMS_H
#define HOPLITE_KERNELS_PROGRAMS_H

#include "device/device.h"

extern const hop__program_source *const hop__programs[];
extern const size_t hop__program_count;

/* The shared primitives: primitives.h. */
extern const hop__program_source hop__program_gather;
extern const hop__program_source hop__program_scan;
extern const hop__program_source hop__program_sort;

#endif
