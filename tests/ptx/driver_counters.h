/* SPDX-License-Identifier: Apache-2.0
 * The file of HOPLITE_PTX_COUNTERS. Without one these do nothing but the launch. */
#ifndef HOPLITE_TESTS_PTX_DRIVER_COUNTERS_H
#define HOPLITE_TESTS_PTX_DRIVER_COUNTERS_H

#include "ptx/driver.h"

bool driver_counting(void);
/* A line {"what": "how", "bytes": bytes}. */
void driver_count(const char *what, const char *how, uint64_t bytes);
/* Runs the kernel of a command, and a line about it. */
ptx_error driver_launch(ptx_machine *machine, const command *what);

#endif
