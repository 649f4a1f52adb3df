/* SPDX-License-Identifier: Apache-2.0
 * What this library is. */
#include "hoplite/hoplite.h"

#include <string.h>

const char *hop_version(void) {
    return HOP_VERSION;
}

const char *hop_build_features(void) {
    /* What follows zlib is opened at run time where it is installed. A feature that a build may be
     * without gets its own #if. */
    return "threads zlib zstd cuda hip"
#ifdef HOPLITE_HAS_OPENCL
           " opencl"
#endif
        ;
}

#define SIZE_OF(type)                                                                              \
    { #type, sizeof(type) }

/* Every struct of the public headers that is not opaque; the tests of the Python package read the
 * headers and miss none. */
static const struct {
    const char *name;
    size_t size;
} struct_sizes[] = {
    SIZE_OF(hop_allocator),
    SIZE_OF(hop_progress),
    SIZE_OF(hop_context_options),
    SIZE_OF(hop_error_detail),
    SIZE_OF(hop_span),
    SIZE_OF(hop_view),
    SIZE_OF(hop_edges),
    SIZE_OF(hop_build_options),
    SIZE_OF(hop_csr),
    SIZE_OF(hop_csr_options),
    SIZE_OF(hop_graph_info),
    SIZE_OF(hop_edge),
    SIZE_OF(hop_parameter),
    SIZE_OF(hop_setting),
    SIZE_OF(hop_variant),
    SIZE_OF(hop_phase),
    SIZE_OF(hop_step),
    SIZE_OF(hop_counter),
    SIZE_OF(hop_run),
    SIZE_OF(hop_sssp_options),
    SIZE_OF(hop_index_info),
    SIZE_OF(hop_index_options),
    SIZE_OF(hop_spanning_options),
    SIZE_OF(hop_strong_options),
    SIZE_OF(hop_closure_options),
    SIZE_OF(hop_path_dag_options),
    SIZE_OF(hop_pairs_options),
    SIZE_OF(hop_apsp_options),
    SIZE_OF(hop_apsp_summary),
    SIZE_OF(hop_bfs_options),
    SIZE_OF(hop_components_options),
    SIZE_OF(hop_device_info),
    SIZE_OF(hop_device_litmus),
    SIZE_OF(hop_device_rates),
    SIZE_OF(hop_family),
    SIZE_OF(hop_external_options),
    SIZE_OF(hop_generate_options),
    SIZE_OF(hop_table_options),
    SIZE_OF(hop_measure),
    SIZE_OF(hop_measure_options),
    SIZE_OF(hop_format),
    SIZE_OF(hop_read_options),
    SIZE_OF(hop_write_options),
    SIZE_OF(hop_convert_options),
    SIZE_OF(hop_convert_report),
    SIZE_OF(hop_array),
    SIZE_OF(hop_rank_options),
    SIZE_OF(hop_tuning_constant),
};

size_t hop_struct_size(const char *name) {
    for (size_t i = 0; name != NULL && i < sizeof struct_sizes / sizeof struct_sizes[0]; i++)
        if (strcmp(struct_sizes[i].name, name) == 0)
            return struct_sizes[i].size;
    return 0;
}
