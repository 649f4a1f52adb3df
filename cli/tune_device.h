/* SPDX-License-Identifier: Apache-2.0
 * Measuring the constants of a device: see hoplite/tuning.h. */
#ifndef HOPLITE_CLI_TUNE_DEVICE_H
#define HOPLITE_CLI_TUNE_DEVICE_H

#include "hoplite/hoplite.h"

/* Measures what the context's device takes for what variants do, and sets its constants in the
 * context. Where all pairs do not fit its memory `device.step` stays as it is. */
hop_status measure_device(hop_context *context);

#endif
