/* SPDX-License-Identifier: Apache-2.0
 *
 * How large a graph will be, before it is read or drawn: of a recipe what it says, of a file what a
 * sample of its lines lets expect. */
#ifndef HOPLITE_STORE_CONVERT_PLAN_H
#define HOPLITE_STORE_CONVERT_PLAN_H

#include "hoplite/io.h"
#include "store/external_build.h"

/* Edges: those of the sample, by bytes. Vertices: up to the largest id of the sample, where ids are
 * numbers; of names, as many as the sample has, which is too few in large files. `bytes` is the
 * size of the file. */
hop_status hop__plan_file(hop_context *context, const char *path, const hop_read_options *options,
                          hop__build_shape *shape, uint64_t *bytes);
hop_status hop__plan_recipe(hop_context *context, const char *family,
                            const hop_generate_options *recipe, hop__build_shape *shape);

#endif
