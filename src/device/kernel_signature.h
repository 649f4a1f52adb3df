/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel takes, so that hop__launch can refuse arguments of other sizes: OpenCL's driver
 * does so itself, those of CUDA and HIP read whatever lies there. Two sources tell: the kernel's
 * text, on every backend, and the driver, where it can. */
#ifndef HOPLITE_DEVICE_KERNEL_SIGNATURE_H
#define HOPLITE_DEVICE_KERNEL_SIGNATURE_H

#include "device/device.h"

enum { HOP__PARAMETERS = 64, HOP__SIGNATURES = 2 };

/* What a parameter may be given: a set. */
enum { HOP__TAKES_BUFFER = 1, HOP__TAKES_2 = 2, HOP__TAKES_4 = 4, HOP__TAKES_8 = 8 };

typedef struct hop__signature {
    size_t count;
    uint8_t takes[HOP__PARAMETERS];
} hop__signature;

/* Finds the kernel in the texts. One of that name may be there for each value of a definition:
 * so there may be two signatures, of which one is compiled. Gives how many; 0: its form is not
 * known here. A word for a type that is defined in the same text is looked up; where its
 * definitions differ in size, any of them will do. */
size_t hop__signatures_read(const hop__program_source *source, const char *name,
                            hop__signature signatures[HOP__SIGNATURES]);

/* Whether the arguments fit; else `text` says what does not. */
bool hop__signature_fits(const hop__signature *signature, const hop__argument *arguments,
                         size_t count, char text[128]);

#endif
