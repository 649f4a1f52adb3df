/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite-mpi: the verbs that work on a cluster, over the ranks of an MPI job. It is made of the
 * pieces of the command hoplite, with a table of verbs of its own (cluster_verbs.c).
 *
 * All ranks read the same command line. The first one speaks; a failure is the same on all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "build_facts.h"
#include "cluster/cluster_job.h"
#include "complaint.h"
#include "exit_codes.h"
#include "help_text.h"
#include "hoplite/hoplite.h"
#include "terminal.h"

static void overview(FILE *file) {
    fputs("Usage: mpirun -n RANKS hoplite-mpi VERB [options] GRAPH\n\n", file);
    help_paragraph(
        file,
        "Solves problems on graphs that are spread over the ranks of an MPI job, with "
        "the answers of hoplite, bit by bit. Where one machine can hold the graph, it is "
        "as a rule faster: use hoplite there.",
        0);
    help_heading(file, "Verbs");
    for (size_t i = 0; i < verb_count; i++)
        help_entry(file, verb_rows[i].name, verb_rows[i].summary);
    fputs("\nhoplite-mpi VERB --help explains a verb. Exit codes are those of hoplite.\n", file);
}

static bool wants_help(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int run_verb(hop_cluster *ranks, int argc, char **argv) {
    const verb *row = verb_find(argv[0]);
    if (row == NULL) {
        complain(CODE_USAGE, "%s: no such %s", argv[0], *argv[0] == '-' ? "option" : "verb");
        advise("hoplite-mpi --help lists the verbs");
        return CODE_USAGE;
    }
    complaint_verb(row->name);
    arguments given;
    int code = arguments_parse(&given, row, argc, argv);
    if (code == CODE_OK && is_given(&given, OPT_HELP))
        help_verb(stdout, &given);
    else if (code == CODE_OK) {
        cluster_ranks = ranks;
        code = row->run(&given);
    }
    if (code != CODE_OK && is_given(&given, OPT_JSON))
        complaint_json(code);
    arguments_free(&given);
    return code;
}

/* Joins the other ranks before anything is said, to know whose it is to speak. */
static int run_job(int argc, char **argv) {
    hop_context *context = NULL;
    hop_cluster *ranks = NULL;
    hop_status status = hop_context_create(NULL, &context);
    if (status == HOP_OK)
        status = hop_cluster_create(context, NULL, &ranks);
    if (status != HOP_OK)
        return complain(CODE_FAILURE, "MPI could not be started: %s", hop_status_name(status));
    if (hop_cluster_rank(ranks) != 0) {
        complaint_mute();
        if (freopen("/dev/null", "w", stdout) == NULL)
            fclose(stdout);
    }
    int code = run_verb(ranks, argc - 1, argv + 1);
    fflush(stdout); /* when one has ended with an error the others are ended by mpirun */
    hop_cluster_free(ranks);
    hop_context_free(context);
    return code;
}

int main(int argc, char **argv) {
    int code;
    complaint_program("hoplite-mpi");
    terminal_init();
    if (argc < 2) {
        overview(stderr);
        return CODE_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("hoplite-mpi %s\nlibrary %s\ncompiler %s\n", HOP_VERSION, hop_version(),
               build_compiler);
        code = CODE_OK;
    } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        overview(stdout);
        code = CODE_OK;
    } else if (wants_help(argc, argv)) {
        code = run_verb(NULL, argc - 1, argv + 1); /* needs no MPI */
    } else {
        code = run_job(argc, argv);
    }
    if (fclose(stdout) != 0 && code == CODE_OK)
        code = complain(CODE_FAILURE, "standard output could not be written");
    return code;
}
