/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library says of a failure, in the words of the command: the library names no flags, and
 * tells as data what would help (hoplite/detail.h); here that becomes "--memory 2605K would do".
 * The only place of the command that reads the library's message. */
#ifndef HOPLITE_CLI_FAILURE_TEXT_H
#define HOPLITE_CLI_FAILURE_TEXT_H

#include "hoplite/hoplite.h"

typedef struct failure_words {
    char s[1280];
} failure_words;

/* The last failure of a call with the context: what happened, and what would help. */
failure_words failure_text(const hop_context *context);
/* The same of a context that has a part of the budget: how much --memory would do is not known. */
failure_words failure_text_of_part(const hop_context *context);
/* Only what happened. */
failure_words failure_fault(const hop_context *context);
/* The failure as data. */
hop_error_detail failure_detail(const hop_context *context);

/* The option that changes what the message that is being logged tells; NULL: there is none. */
const char *advice_on_log(const hop_context *context);

/* Hints about the options that change a graph as the remedy says, before it is written. */
void advise_change(const hop_error_detail *detail);

#endif
