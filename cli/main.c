/* SPDX-License-Identifier: Apache-2.0
 *
 * The command: finds the verb, takes its command line apart, runs it, and makes sure that what was
 * printed has arrived. Uses the public headers only, like any program of a user. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "build_facts.h"
#include "complaint.h"
#include "core/nearest_word.h"
#include "exit_codes.h"
#include "help_text.h"
#include "hoplite/hoplite.h"
#include "interrupt.h"
#include "sandbox.h"
#include "terminal.h"

/* Descriptors 0 to 2 that the caller has closed would be given to the next files we open, and
 * messages would end in a graph. So they are taken, in a way that fails when used. */
static void occupy_descriptors(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor)
            _exit(CODE_FAILURE);
}

static int print_version(void) {
    printf("hoplite %s\n", HOP_VERSION);
    const char *features = hop_build_features();
    printf("library %s, with %s%s\n", hop_version(), features,
           strstr(features, "opencl") == NULL ? ", without opencl" : "");
    printf("compiler %s\n", build_compiler);
    return CODE_OK;
}

/* Whether --json is among the words, also where others of them could not be understood. */
static bool wants_json(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

/* The measure that somebody means who gives its name, or the beginning of it, as a verb. */
static const char *measure_like(const char *word) {
    hop__nearest search;
    hop__nearest_begin(&search, word);
    for (size_t i = 0; i < hop_measure_count(); i++) {
        const char *name = hop_measure_at(i)->name;
        if (strlen(word) >= 4 && strncmp(name, word, strlen(word)) == 0)
            return name;
        hop__nearest_offer(&search, name);
    }
    return hop__nearest_best(&search);
}

static int no_such_verb(const char *word) {
    hop__nearest search;
    hop__nearest_begin(&search, word);
    for (size_t i = 0; i < verb_count; i++)
        hop__nearest_offer(&search, verb_rows[i].name);
    const char *nearest = hop__nearest_best(&search), *measure = measure_like(word);
    complain(CODE_USAGE, "%s: no such %s", word, *word == '-' ? "option" : "verb");
    if (nearest != NULL)
        advise("did you mean hoplite %s?", nearest);
    else if (*word == '-')
        advise("options go after the verb: hoplite VERB [options]");
    else if (access(word, F_OK) == 0)
        advise("the verb comes first: hoplite info FILE describes it");
    else if (measure != NULL)
        advise("did you mean hoplite measure %s?", measure);
    else
        advise("hoplite help lists the verbs");
    return CODE_USAGE;
}

static int run_verb(int argc, char **argv) {
    const verb *row = verb_find(argv[0]);
    if (row == NULL)
        return no_such_verb(argv[0]);
    complaint_verb(row->name);
    arguments given;
    int code = arguments_parse(&given, row, argc, argv);
    if (code == CODE_OK) {
        if (is_given(&given, OPT_HELP))
            help_verb(stdout, &given);
        else if (is_given(&given, OPT_SANDBOX))
            code = sandbox_enter(&given);
        if (code == CODE_OK && !is_given(&given, OPT_HELP))
            code = row->run(&given);
    }
    if (code != CODE_OK && code != CODE_READER_GONE && wants_json(argc, argv))
        complaint_json(code);
    arguments_free(&given);
    return code;
}

/* A full disk or a reader that went away shows only now. */
static int close_output(int code) {
    bool failed = ferror(stdout) != 0, gone = terminal_reader_gone();
    errno = 0;
    if (fflush(stdout) != 0 || (fclose(stdout) != 0 && errno != EINTR)) /* it is closed then */
        failed = true;
    if (!failed)
        return code;
    if (gone)
        return code == CODE_OK ? CODE_READER_GONE : code;
    complain(CODE_FAILURE, "standard output: %s",
             errno != 0 ? strerror(errno) : "it could not be written");
    return code == CODE_OK ? CODE_FAILURE : code;
}

int main(int argc, char **argv) {
    int code;
    occupy_descriptors();
    terminal_init();
    interrupt_install();
    if (argc < 2) {
        help_overview(stderr, false);
        code = CODE_USAGE;
    } else if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        code = print_version();
    } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_overview(stdout, true);
        code = CODE_OK;
    } else {
        code = run_verb(argc - 1, argv + 1);
    }
    code = close_output(code);
    /* A compile that ^C has left behind in a driver would be waited for at a usual end. */
    if (interrupted())
        _exit(code);
    return code;
}
