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

static bool same(const hop_parameter *a, const hop_parameter *b) {
    return a == b || (strcmp(a->name, b->name) == 0 && strcmp(a->summary, b->summary) == 0 &&
                      a->type == b->type && a->minimum == b->minimum && a->maximum == b->maximum &&
                      a->standard == b->standard);
}

static bool has(const hop_variant *variant, const hop_parameter *parameter) {
    for (size_t p = 0; p < variant->parameter_count; p++)
        if (same(hop_parameter_at(variant->parameters, p), parameter))
            return true;
    return false;
}

/* Variants of the problem before this one that have the parameter, and after. */
static size_t others_with(hop_problem problem, const hop_parameter *parameter, size_t begin,
                          size_t end) {
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        count += has(hop_variant_at(problem, i), parameter);
    return count;
}

/* What is this variant's alone in full, what others have too by name: it is explained once. */
static void variant_text(hop_problem problem, size_t number) {
    const hop_variant *variant = hop_variant_at(problem, number);
    char about[512], shared[256] = "";
    size_t length = 0;
    snprintf(about, sizeof about, "%s; %s; %s", variant->summary, place_name(variant->place),
             variant->source);
    help_entry(stdout, variant->name, about);
    for (size_t p = 0; p < variant->parameter_count; p++) {
        const hop_parameter *parameter = hop_parameter_at(variant->parameters, p);
        if (others_with(problem, parameter, 0, hop_variant_count(problem)) == 1)
            setting_help(stdout, parameter);
        else if (length < sizeof shared)
            length += (size_t)snprintf(shared + length, sizeof shared - length, "%s %s",
                                       length > 0 ? "," : "", parameter->name);
    }
    if (shared[0] != '\0')
        help_entry(stdout, "  --set, see below:", shared + 1);
}

static void problem_text(hop_problem problem, bool first) {
    const size_t count = hop_variant_count(problem);
    bool titled = false;
    if (!first)
        fputc('\n', stdout);
    printf("%s\n", hop_problem_name(problem));
    for (size_t i = 0; i < count; i++)
        variant_text(problem, i);
    for (size_t i = 0; i < count; i++) {
        const hop_variant *variant = hop_variant_at(problem, i);
        for (size_t p = 0; p < variant->parameter_count; p++) {
            const hop_parameter *parameter = hop_parameter_at(variant->parameters, p);
            if (others_with(problem, parameter, 0, i) > 0 ||
                others_with(problem, parameter, i + 1, count) == 0)
                continue;
            if (!titled)
                printf("\n  what several of them have\n");
            titled = true;
            setting_help(stdout, parameter);
        }
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
