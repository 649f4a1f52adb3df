/* SPDX-License-Identifier: Apache-2.0
 * Measuring the constants of hoplite/tuning.h. */
#ifndef HOPLITE_CLI_TUNE_MEASURE_H
#define HOPLITE_CLI_TUNE_MEASURE_H

#include "hoplite/hoplite.h"

/* The share of the cores that this process gets when it asks for all of the context's threads at
 * once, 0 to 1: below 0.9 or so other work is in the way. Takes a tenth of a second. */
double measure_share(unsigned threads);

/* Measures the constants one after the other, for about `seconds` altogether, and sets them in the
 * context. A constant that could not be bracketed stays at the end of the range that was tried. */
hop_status measure_constants(hop_context *context, double seconds);

#endif
