/* SPDX-License-Identifier: Apache-2.0
 * Litmus tests, for hop_device_litmus_try and for the tests of them. */
#ifndef HOPLITE_KERNELS_DEVICE_LITMUS_H
#define HOPLITE_KERNELS_DEVICE_LITMUS_H

#include "device/device.h"

enum { HOP__LITMUS_ROUNDS = 64 };

/* Faults that tests plant in the program: see litmus_program.cl. */
enum { HOP__LITMUS_SOUND = 0, HOP__LITMUS_WITHOUT_FENCES = 1, HOP__LITMUS_EXCHANGED = 2 };

/* hop_device_litmus_try, with at most so many rounds in a launch, and a planted fault. */
hop_status hop__device_litmus(hop__device *device, size_t index, uint32_t rounds, int planted,
                              hop_device_litmus *result);

#endif
