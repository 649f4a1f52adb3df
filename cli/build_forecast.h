/* SPDX-License-Identifier: Apache-2.0
 *
 * What building a native file takes, and about how long: --dry-run of convert and generate. */
#ifndef HOPLITE_CLI_BUILD_FORECAST_H
#define HOPLITE_CLI_BUILD_FORECAST_H

#include "session.h"

/* Prints a plan, as JSON if that is asked for; `input` is NULL for a recipe. */
void build_forecast(session *work, const char *input, const hop_convert_report *plan);

#endif
