/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists in plain .npy files, for those who read a part of one. */
#ifndef HOPLITE_IO_FORMATS_LIST_H
#define HOPLITE_IO_FORMATS_LIST_H

#include "io/bytes/input.h"
#include "io/numpy/npy_header.h"

/* The header of a file that is not compressed. HOP_ERR_INPUT if it is no list. */
HOP_API hop_status hop__list_layout(hop_context *context, hop__input *input, hop__npy *npy);
/* Item number `index` of `bytes`, which are items of that array. */
HOP_API uint64_t hop__list_item(const hop__npy *npy, const unsigned char *bytes, uint64_t index);
/* HOP_ERR_INPUT: `element` has a successor that does not exist. */
HOP_API hop_status hop__list_refuse(hop_context *context, const char *name, uint64_t element,
                                    uint64_t successor, uint64_t count);

#endif
