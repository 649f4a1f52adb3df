/* SPDX-License-Identifier: Apache-2.0
 * The program of pump_program.cl, which the build embeds for these tests. */
#ifndef HOPLITE_TESTS_PUMP_TESTING_H
#define HOPLITE_TESTS_PUMP_TESTING_H

#include "kernels/programs.h"
#include "kernels/scheduler.h"

extern const hop__program_source hop__program_pump;

#endif
