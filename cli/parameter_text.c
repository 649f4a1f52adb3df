/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters on the command line: see parameter_text.h. */
#include "parameter_text.h"

#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "core/nearest_word.h"
#include "exit_codes.h"
#include "help_text.h"
#include "number_text.h"

static const hop_parameter *find(const parameter_table *table, const char *name) {
    for (size_t p = 0; p < table->count; p++)
        if (strcmp(hop_parameter_at(table->parameters, p)->name, name) == 0)
            return hop_parameter_at(table->parameters, p);
    return NULL;
}

static int complain_name(const parameter_table *table, const char *name) {
    hop__nearest search;
    char all[512] = "none";
    size_t length = 0;
    hop__nearest_begin(&search, name);
    for (size_t p = 0; p < table->count && length < sizeof all; p++) {
        hop__nearest_offer(&search, hop_parameter_at(table->parameters, p)->name);
        length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", p == 0 ? "" : ", ",
                                   hop_parameter_at(table->parameters, p)->name);
    }
    complain(CODE_USAGE, "%s has no parameter \"%s\"; it has: %s", table->owner, name, all);
    if (hop__nearest_best(&search) != NULL)
        advise("did you mean %s?", hop__nearest_best(&search));
    return CODE_USAGE;
}

static int take_flag(const char *name, const char *word, double *value) {
    static const char *const words[] = {"0", "1", "no", "yes", "false", "true"};
    *value = 1;
    if (word == NULL)
        return CODE_OK;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], word) == 0) {
            *value = (double)(i % 2);
            return CODE_OK;
        }
    return complain(CODE_USAGE, "--%s: \"%s\" is neither yes nor no", name, word);
}

/* Whether `word` is one of those in `words`, which are separated by spaces. */
static bool is_choice(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; length > 0 && *at != '\0';) {
        size_t each = strcspn(at, " ");
        if (each == length && strncmp(at, word, length) == 0)
            return true;
        at += each;
        at += strspn(at, " ");
    }
    return false;
}

static int take_value(const hop_parameter *parameter, const char *word, hop_setting *setting) {
    const char *name = parameter->name;
    uint64_t whole;
    *setting = (hop_setting){.name = name};
    if (parameter->type == HOP_PARAMETER_FLAG)
        return take_flag(name, word, &setting->value);
    if (word == NULL)
        return complain(CODE_USAGE, "--%s: a value expected", name);
    switch (parameter->type) {
    case HOP_PARAMETER_INTEGER:
        if (!parse_whole(word, &whole))
            return complain(CODE_USAGE,
                            "--%s: \"%s\" is no whole number; such as 20, 1e6 or 2^20 are", name,
                            word);
        setting->value = (double)whole;
        return CODE_OK;
    case HOP_PARAMETER_CHOICE:
        setting->word = word;
        if (is_choice(parameter->choices, word))
            return CODE_OK;
        return complain(CODE_USAGE, "--%s: \"%s\" is none of: %s", name, word, parameter->choices);
    default:
        return parse_real(word, &setting->value)
                   ? CODE_OK
                   : complain(CODE_USAGE, "--%s: \"%s\" is no number", name, word);
    }
}

int settings_take(const parameter_table *table, const arguments *given, hop_setting **settings,
                  size_t *count) {
    *count = 0;
    *settings = need_memory(NULL, given->setting_count, sizeof **settings);
    for (size_t i = 0; i < given->setting_count; i++) {
        const hop_parameter *parameter = find(table, given->settings[i].name);
        if (parameter == NULL)
            return complain_name(table, given->settings[i].name);
        size_t at = 0;
        while (at < *count && strcmp((*settings)[at].name, parameter->name) != 0)
            at++;
        int code = take_value(parameter, given->settings[i].text, &(*settings)[at]);
        if (code != CODE_OK)
            return code;
        *count += at == *count;
    }
    for (size_t p = 0; p < table->count; p++) {
        const hop_parameter *parameter = hop_parameter_at(table->parameters, p);
        bool set = !parameter->required;
        for (size_t i = 0; i < *count && !set; i++)
            set = strcmp((*settings)[i].name, parameter->name) == 0;
        if (!set)
            return complain(CODE_USAGE, "%s needs %s%s: %s", table->owner,
                            given->verb != NULL && given->verb->groups & GROUP_RECIPE ? "--" : "",
                            parameter->name, parameter->summary);
    }
    return CODE_OK;
}

static text bound_text(const hop_parameter *parameter, double value) {
    bool whole = parameter->type == HOP_PARAMETER_INTEGER && value >= 0 && value < 0x1p63;
    return whole ? count_text((uint64_t)value) : real_text(value);
}

/* The word of a choice at this place. */
static void choice_at(const char *words, double place, char *out, size_t size) {
    for (; place >= 1 && *words != '\0'; place--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    snprintf(out, size, "%.*s", (int)strcspn(words, " "), words);
}

static void parameter_help(FILE *file, const hop_parameter *parameter, bool set) {
    static const char *const arguments_of[] = {" N", " X", "", " WORD"};
    static const char *const values_of[] = {"=N", "=X", "=yes|no", "=WORD"};
    char term[64], explanation[512], standard[64], word[40];
    if (set)
        snprintf(term, sizeof term, "  --set %s%s", parameter->name, values_of[parameter->type]);
    else
        snprintf(term, sizeof term, "--%s%s", parameter->name, arguments_of[parameter->type]);
    snprintf(standard, sizeof standard, "default %s", bound_text(parameter, parameter->standard).s);
    const char *end = parameter->required ? "required" : standard;
    if (parameter->type == HOP_PARAMETER_CHOICE) {
        choice_at(parameter->choices, parameter->standard, word, sizeof word);
        snprintf(standard, sizeof standard, "default %s", word);
        snprintf(explanation, sizeof explanation, "%s; one of %s; %s", parameter->summary,
                 parameter->choices, end);
    } else if (parameter->type != HOP_PARAMETER_FLAG) {
        snprintf(explanation, sizeof explanation, "%s; %s to %s; %s", parameter->summary,
                 bound_text(parameter, parameter->minimum).s,
                 bound_text(parameter, parameter->maximum).s, end);
    } else if (set) {
        snprintf(explanation, sizeof explanation, "%s; default %s", parameter->summary,
                 parameter->standard != 0 ? "yes" : "no");
    } else if (parameter->standard != 0) {
        snprintf(explanation, sizeof explanation, "%s; default yes, --no-%s turns it off",
                 parameter->summary, parameter->name);
    } else {
        snprintf(explanation, sizeof explanation, "%s; default no", parameter->summary);
    }
    help_entry(file, term, explanation);
}

void parameters_help(FILE *file, const parameter_table *table) {
    for (size_t p = 0; p < table->count; p++)
        parameter_help(file, hop_parameter_at(table->parameters, p), false);
}

void setting_help(FILE *file, const hop_parameter *parameter) {
    parameter_help(file, parameter, true);
}

/* A value as JSON has it: a word for a choice, a boolean for a flag, else a number. */
static void value_json(json *out, const char *key, const hop_parameter *parameter, double value,
                       const char *word) {
    char choice[40];
    if (parameter->type == HOP_PARAMETER_FLAG) {
        json_bool(out, key, value != 0);
    } else if (parameter->type == HOP_PARAMETER_CHOICE) {
        choice_at(parameter->choices, value, choice, sizeof choice);
        json_string(out, key, word != NULL ? word : choice);
    } else {
        json_real(out, key, value);
    }
}

void parameters_json(json *out, const parameter_table *table) {
    static const char *const types[] = {"integer", "real", "flag", "choice"};
    json_array(out, "parameters");
    for (size_t p = 0; p < table->count; p++) {
        const hop_parameter *parameter = hop_parameter_at(table->parameters, p);
        json_object(out, NULL);
        json_string(out, "name", parameter->name);
        json_string(out, "summary", parameter->summary);
        json_string(out, "type", types[parameter->type]);
        json_bool(out, "required", parameter->required);
        if (parameter->type == HOP_PARAMETER_CHOICE) {
            json_string(out, "choices", parameter->choices);
        } else if (parameter->type != HOP_PARAMETER_FLAG) {
            json_real(out, "minimum", parameter->minimum);
            json_real(out, "maximum", parameter->maximum);
        }
        if (parameter->required)
            json_null(out, "default");
        else
            value_json(out, "default", parameter, parameter->standard, NULL);
        json_end(out);
    }
    json_end(out);
}

void settings_json_fields(json *out, const parameter_table *table, const hop_setting *settings,
                          size_t count) {
    for (size_t p = 0; p < table->count; p++) {
        const hop_parameter *parameter = hop_parameter_at(table->parameters, p);
        double value = parameter->standard;
        const char *word = NULL;
        for (size_t i = 0; i < count; i++)
            if (strcmp(settings[i].name, parameter->name) == 0) {
                value = settings[i].value;
                word = settings[i].word;
            }
        value_json(out, parameter->name, parameter, value, word);
    }
}

void settings_json(json *out, const parameter_table *table, const hop_setting *settings,
                   size_t count) {
    json_object(out, "parameters");
    settings_json_fields(out, table, settings, count);
    json_end(out);
}
