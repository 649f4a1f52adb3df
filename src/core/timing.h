/* SPDX-License-Identifier: Apache-2.0
 * Seconds on a clock that never goes back; only differences mean something. */
#ifndef HOPLITE_CORE_TIMING_H
#define HOPLITE_CORE_TIMING_H

double hop__now(void);

#endif
