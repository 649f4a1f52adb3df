/* SPDX-License-Identifier: Apache-2.0
 *
 * The initialisers of public structs as functions; see hoplite.h. A caller's struct may be shorter
 * or longer than ours, as options.h has it: it gets what fits, and 0 in what is not known here. */
#include <string.h>

#include "hoplite/hoplite.h"

static void begin(void *given, size_t size, const void *defaults, size_t known) {
    if (given == NULL || size < sizeof size)
        return;
    memset(given, 0, size);
    memcpy(given, defaults, size < known ? size : known);
    memcpy(given, &size, sizeof size);
}

#define INITIALISER(type, values)                                                                  \
    void type##_init(type *given, size_t size) {                                                   \
        static const type defaults = values;                                                       \
        begin(given, size, &defaults, sizeof defaults);                                            \
    }

INITIALISER(hop_apsp_options, HOP_APSP_OPTIONS_INIT)
INITIALISER(hop_apsp_summary, HOP_APSP_SUMMARY_INIT)
INITIALISER(hop_array, HOP_ARRAY_INIT)
INITIALISER(hop_bfs_options, HOP_BFS_OPTIONS_INIT)
INITIALISER(hop_build_options, HOP_BUILD_OPTIONS_INIT)
INITIALISER(hop_components_options, HOP_COMPONENTS_OPTIONS_INIT)
INITIALISER(hop_context_options, HOP_CONTEXT_OPTIONS_INIT)
INITIALISER(hop_convert_options, HOP_CONVERT_OPTIONS_INIT)
INITIALISER(hop_convert_report, HOP_CONVERT_REPORT_INIT)
INITIALISER(hop_csr, HOP_CSR_INIT)
INITIALISER(hop_csr_options, HOP_CSR_OPTIONS_INIT)
INITIALISER(hop_edges, HOP_EDGES_INIT)
INITIALISER(hop_error_detail, HOP_ERROR_DETAIL_INIT)
INITIALISER(hop_external_options, HOP_EXTERNAL_OPTIONS_INIT)
INITIALISER(hop_generate_options, HOP_GENERATE_OPTIONS_INIT)
INITIALISER(hop_graph_info, HOP_GRAPH_INFO_INIT)
INITIALISER(hop_measure_options, HOP_MEASURE_OPTIONS_INIT)
INITIALISER(hop_pairs_options, HOP_PAIRS_OPTIONS_INIT)
INITIALISER(hop_table_options, HOP_TABLE_OPTIONS_INIT)
INITIALISER(hop_rank_options, HOP_RANK_OPTIONS_INIT)
INITIALISER(hop_read_options, HOP_READ_OPTIONS_INIT)
INITIALISER(hop_run, HOP_RUN_INIT)
INITIALISER(hop_sssp_options, HOP_SSSP_OPTIONS_INIT)
INITIALISER(hop_index_options, HOP_INDEX_OPTIONS_INIT)
INITIALISER(hop_index_info, HOP_INDEX_INFO_INIT)
INITIALISER(hop_spanning_options, HOP_SPANNING_OPTIONS_INIT)
INITIALISER(hop_strong_options, HOP_STRONG_OPTIONS_INIT)
INITIALISER(hop_closure_options, HOP_CLOSURE_OPTIONS_INIT)
INITIALISER(hop_path_dag_options, HOP_PATH_DAG_OPTIONS_INIT)
INITIALISER(hop_write_options, HOP_WRITE_OPTIONS_INIT)
