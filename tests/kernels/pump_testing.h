/* SPDX-License-Identifier: Apache-2.0
 * The program of pump_program.cl, which the build embeds for these tests. */
#ifndef HOPLITE_TESTS_PUMP_TESTING_H
#define HOPLITE_TESTS_PUMP_TESTING_H

#include "kernels/programs.h"
#include "kernels/scheduler.h"

extern const hop__program_source hop__program_pump;

/* hop__scheduler_begin with this program. */
static inline hop_status pump_begin(hop__device *device, const hop__form *form,
                                    const hop__schedule *schedule, hop__scheduler *scheduler) {
    hop__define defines[HOP__SCHEDULE_DEFINES];
    hop__program *program = NULL;
    hop__schedule_defines(schedule, defines);
    hop_status status = hop__scheduler_begin(device, form, schedule, NULL, scheduler);
    if (status == HOP_OK)
        status = hop__form_program(device, form, &hop__program_pump, defines, HOP__SCHEDULE_DEFINES,
                                   &program);
    scheduler->program = program;
    return status;
}

#endif
