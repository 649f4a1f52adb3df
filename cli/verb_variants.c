/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite variants [PROBLEM]: the library's tables of variants. */
#include <stdio.h>
#include <string.h>

#include "exit_codes.h"
#include "help_text.h"
#include "hoplite/hoplite.h"
#include "parameter_text.h"

static const char *place_name(hop_place place) {
    return place == HOP_PLACE_DEVICE ? "device" : "host";
}

static parameter_table table_of(const hop_variant *variant) {
    return (parameter_table){variant->name, variant->parameters, variant->parameter_count};
}

static void problem_text(hop_problem problem, bool first) {
    char about[512];
    if (!first)
        fputc('\n', stdout);
    printf("%s\n", hop_problem_name(problem));
    for (size_t i = 0; i < hop_variant_count(problem); i++) {
        const hop_variant *variant = hop_variant_at(problem, i);
        parameter_table table = table_of(variant);
        snprintf(about, sizeof about, "%s; %s; %s", variant->summary, place_name(variant->place),
                 variant->source);
        help_entry(stdout, variant->name, about);
        settings_help(stdout, &table);
    }
}

static void variant_json(json *out, hop_problem problem, const hop_variant *variant) {
    json_object(out, NULL);
    json_string(out, "problem", hop_problem_name(problem));
    json_string(out, "name", variant->name);
    json_string(out, "place", place_name(variant->place));
    json_string(out, "summary", variant->summary);
    json_string(out, "source", variant->source);
    json_array(out, "uses");
    for (unsigned bit = 0; word_of_prepare(bit) != NULL; bit++)
        if ((variant->uses & 1u << bit) != 0)
            json_string(out, NULL, word_of_prepare(bit));
    json_end(out);
    parameter_table table = table_of(variant);
    parameters_json(out, &table);
    json_end(out);
}

int run_variants(const arguments *given) {
    const char *name = given->operand_count > 0 ? given->operands[0] : NULL;
    hop_problem first = 0, end = HOP_PROBLEM_COUNT;
    if (name != NULL) {
        while (first < end && strcmp(hop_problem_name(first), name) != 0)
            first++;
        if (first == end)
            return complain_word("PROBLEM", name, word_of_problem);
        end = first + 1;
    }
    if (!is_given(given, OPT_JSON)) {
        for (hop_problem problem = first; problem < end; problem++)
            problem_text(problem, problem == first);
        return CODE_OK;
    }
    json out;
    json_begin(&out, stdout, "variants");
    json_array(&out, "variants");
    for (hop_problem problem = first; problem < end; problem++)
        for (size_t i = 0; i < hop_variant_count(problem); i++)
            variant_json(&out, problem, hop_variant_at(problem, i));
    json_end(&out);
    json_finish(&out);
    return CODE_OK;
}
