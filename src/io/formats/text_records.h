/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of numbers: "id id", "id id weight", perhaps with a letter before them, in parallel into
 * arrays. What edge lists, Matrix Market, DIMACS and LDBC have in common.
 *
 * The types of the result follow the file: ids are 32 bits wide until one is larger; weights, where
 * the file does not state their type, are int32 until one is larger (int64) or a decimal (float64).
 * Either way the result does not depend on the order of the records or the number of threads. */
#ifndef HOPLITE_IO_FORMATS_TEXT_RECORDS_H
#define HOPLITE_IO_FORMATS_TEXT_RECORDS_H

#include "io/formats/format.h"
#include "io/formats/text_record.h"
#include "io/text/text_scan.h"

/* Reads all the records that are left. Fills in count, id_bytes, from, to, weights and weight_type
 * of `list`, which is empty before; *largest (0 when there is none) is the largest id. */
hop_status hop__records_read(hop__text *text, const hop__record_spec *spec,
                             const hop_read_options *options, hop__edge_list *list,
                             uint64_t *largest);

/* Refuses a stated number of records that the file cannot hold: before it is used for anything. */
hop_status hop__records_check_count(const hop__text *text, uint64_t records,
                                    uint64_t bytes_per_record, const char *record_name);

#endif
