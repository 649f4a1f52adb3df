/* SPDX-License-Identifier: Apache-2.0
 *
 * Failures in the words of the command: see failure_text.h. */
#include "failure_text.h"

#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "number_text.h"
#include "option_table.h"
#include "verbs.h"

/* The option of this name that the verb takes, or NULL: what it does not take is not advised. A '_'
 * of the library's names is a '-' here. */
static const option_row *option_of_verb(const char *name) {
    const verb *row = complaint_verb_name() != NULL ? verb_find(complaint_verb_name()) : NULL;
    for (size_t id = 0; row != NULL && id < OPTION_COUNT; id++) {
        const char *own = option_rows[id].name;
        size_t i = 0;
        while (own[i] != '\0' && (own[i] == name[i] || (own[i] == '-' && name[i] == '_')))
            i++;
        if (own[i] == '\0' && name[i] == '\0' && (option_rows[id].group & row->groups) != 0)
            return &option_rows[id];
    }
    return NULL;
}

static void say_limit(const hop_error_detail *detail, failure_words *words) {
    const option_row *option = option_of_verb(detail->name);
    if (option != NULL)
        snprintf(words->s, sizeof words->s, "--%s %s allows more, if that is meant", option->name,
                 option->argument);
}

/* The remedy by the options of the verb; "" where the library's words are as good. */
static failure_words remedy_text(const hop_error_detail *detail) {
    static const struct {
        hop_remedy remedy;
        const char *option, *words;
    } plain[] = {
        {HOP_REMEDY_RAISE_MEMORY, "memory", "raise the budget (--memory)"},
        {HOP_REMEDY_FREE_MEMORY, "memory",
         "free memory, or lower the budget (--memory) to be told sooner"},
        {HOP_REMEDY_RAISE_DEVICE_MEMORY, "device-memory", "raise --device-memory or use the host"},
        {HOP_REMEDY_CHOOSE_DEVICE, "device", "--device names one"},
        {HOP_REMEDY_OTHER_VARIANT, "variant", "without --variant one that can is picked"},
        {HOP_REMEDY_OTHER_VARIANT, "kind", "--kind landmarks is for any graph"},
        {HOP_REMEDY_PREPARE, "prepare", "--prepare reverse makes them, or --set direction=push"},
        {HOP_REMEDY_ALLOW_TOLERANCE, "tolerance",
         "if others have rounded it, or added it up in another order: --tolerance 1e-4"},
    };
    failure_words words = {""};
    if (detail->remedy == HOP_REMEDY_RAISE_LIMIT && detail->name != NULL)
        say_limit(detail, &words);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i].remedy == detail->remedy && option_of_verb(plain[i].option) != NULL)
            snprintf(words.s, sizeof words.s, "%s", plain[i].words);
    if (words.s[0] != '\0' && detail->remedy == HOP_REMEDY_RAISE_MEMORY &&
        detail->enough != HOP_UNKNOWN)
        snprintf(words.s, sizeof words.s, "--memory %s would do", budget_text(detail->enough).s);
    return words;
}

hop_error_detail failure_detail(const hop_context *context) {
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    (void)hop_context_detail(context, &detail);
    return detail;
}

const char *advice_on_log(const hop_context *context) {
    return hop_context_log_remedy(context) == HOP_REMEDY_SAY_HEADER
               ? "--header yes or --header no says which it is"
               : NULL;
}

failure_words failure_fault(const hop_context *context) {
    failure_words made;
    hop_error_detail detail = failure_detail(context);
    snprintf(made.s, sizeof made.s, "%.*s", (int)detail.fault_bytes, hop_context_message(context));
    return made;
}

static failure_words with_remedy(const hop_context *context, hop_error_detail detail) {
    failure_words made;
    failure_words remedy = remedy_text(&detail);
    if (remedy.s[0] == '\0')
        snprintf(made.s, sizeof made.s, "%s", hop_context_message(context));
    else
        snprintf(made.s, sizeof made.s, "%.*s; %.200s", (int)detail.fault_bytes,
                 hop_context_message(context), remedy.s);
    return made;
}

failure_words failure_text(const hop_context *context) {
    return with_remedy(context, failure_detail(context));
}

failure_words failure_text_of_part(const hop_context *context) {
    hop_error_detail detail = failure_detail(context);
    detail.enough = HOP_UNKNOWN;
    return with_remedy(context, detail);
}

void advise_change(const hop_error_detail *detail) {
    static const struct {
        hop_remedy remedy;
        const char *option;
    } options[] = {
        {HOP_REMEDY_DROP_WEIGHTS, "drop-weights"}, {HOP_REMEDY_DROP_LABELS, "drop-labels"},
        {HOP_REMEDY_SYMMETRIZE, "symmetrize"},     {HOP_REMEDY_READ_DIRECTED, "directed"},
        {HOP_REMEDY_DROP_LOOPS, "drop-loops"},     {HOP_REMEDY_MERGE_DUPLICATES, "duplicates min"},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].remedy == detail->remedy)
            advise("--%s does that first", options[i].option);
}
