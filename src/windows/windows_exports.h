/* SPDX-License-Identifier: Apache-2.0
 *
 * Included before everything else in a build for Windows: what HOP_API marks is exported from the
 * DLL. What status.h itself declares came before, and is declared once more. */
#ifndef HOPLITE_WINDOWS_WINDOWS_EXPORTS_H
#define HOPLITE_WINDOWS_WINDOWS_EXPORTS_H

#include "hoplite/status.h"

#undef HOP_API
#define HOP_API __declspec(dllexport)

HOP_API const char *hop_status_name(hop_status status);

#endif
