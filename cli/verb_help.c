/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite help [VERB]: the help texts, or all the tables as JSON. */
#include <stdio.h>

#include "complaint.h"
#include "exit_codes.h"
#include "help_text.h"
#include "json_writer.h"

static void option_as_json(json *out, const option_row *option) {
    static const char *const kinds[] = {"flag", "whole", "bytes", "real", "word", "file", "text"};
    const char letter[2] = {option->letter, '\0'};
    json_object(out, NULL);
    json_string(out, "name", option->name);
    json_string(out, "letter", option->letter != 0 ? letter : NULL);
    json_string(out, "kind", kinds[option->kind]);
    json_string(out, "argument", option->argument);
    json_bool(out, "repeatable", option->many);
    json_bool(out, "argument_optional", option->otherwise != NULL);
    json_string(out, "environment", option->environment);
    if (option->words != NULL) {
        json_array(out, "words");
        for (size_t i = 0; option->words(i) != NULL; i++)
            json_string(out, NULL, option->words(i));
        json_end(out);
    }
    json_string(out, "summary", option->summary);
    json_end(out);
}

static void tables_as_json(void) {
    json out;
    json_begin(&out, stdout, "help");
    json_array(&out, "verbs");
    for (size_t i = 0; i < verb_count; i++) {
        const verb *row = &verb_rows[i];
        json_object(&out, NULL);
        json_string(&out, "name", row->name);
        json_string(&out, "operands", row->operands);
        json_string(&out, "summary", row->summary);
        json_array(&out, "options");
        for (size_t id = 0; id < OPTION_COUNT; id++)
            if ((row->groups & option_rows[id].group) != 0)
                option_as_json(&out, &option_rows[id]);
        json_end(&out);
        json_end(&out);
    }
    json_end(&out);
    json_finish(&out);
}

int run_help(const arguments *given) {
    if (is_given(given, OPT_JSON)) {
        if (given->operand_count > 0)
            return complain(CODE_USAGE, "--json prints all verbs; leave out \"%s\"",
                            given->operands[0]);
        tables_as_json();
    } else if (given->operand_count == 0) {
        help_overview(stdout, true);
    } else {
        arguments about = {.verb = verb_find(given->operands[0])};
        if (about.verb == NULL)
            return complain_word("VERB", given->operands[0], word_of_verb);
        help_verb(stdout, &about);
    }
    return CODE_OK;
}
