/* SPDX-License-Identifier: Apache-2.0
 *
 * Completions for zsh: one _arguments call per verb. Works as a file _hoplite in the fpath and by
 * source <(hoplite completion zsh). */
#include "completion_script.h"

/* Inside '...[explanation]': brackets and colons have a meaning, quotes end the string. */
static void print_explanation(FILE *file, const char *words) {
    for (; *words != '\0'; words++) {
        if (*words == '\'')
            fputs("'\\''", file);
        else if (*words == '[' || *words == ']' || *words == ':' || *words == '\\')
            fprintf(file, "\\%c", *words);
        else
            fputc(*words, file);
    }
}

static void print_option(FILE *file, const verb *row, size_t id) {
    const option_row *option = &option_rows[id];
    word_at words = words_of_option(row, id);
    const char *equals = option->otherwise != NULL ? "=-" : option->argument != NULL ? "=" : "";
    /* (-o --output)'{-o,--output}' is how _arguments wants two names of one option. */
    if (option->letter != 0)
        fprintf(file, "        '(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
                option->letter, option->argument != NULL ? "+" : "", option->name,
                option->argument != NULL ? "=" : "");
    else
        fprintf(file, "        '%s--%s%s[", option->many ? "*" : "", option->name, equals);
    print_explanation(file, option->summary);
    fputc(']', file);
    if (option->argument != NULL)
        fprintf(file, "%s%s:", option->otherwise != NULL ? "::" : ":", option->argument);
    if (words != NULL) {
        fputc('(', file);
        print_words(file, words);
        fputc(')', file);
    } else if (option->kind == KIND_FILE) {
        fputs("_files", file);
    }
    fputs("' \\\n", file);
}

static void print_verb(FILE *file, const verb *row) {
    fprintf(file, "    %s)\n      _arguments -s \\\n", row->name);
    for (size_t id = 0; id < OPTION_COUNT; id++)
        if (verb_takes(row, id))
            print_option(file, row, id);
    for (size_t i = 0; row->parameter != NULL && row->parameter(i) != NULL; i++) {
        const hop_parameter *parameter = row->parameter(i);
        fprintf(file, "        '--%s%s[", parameter->name,
                parameter->type == HOP_PARAMETER_FLAG ? "" : "=");
        print_explanation(file, parameter->summary);
        fprintf(file, "]%s' \\\n", parameter->type == HOP_PARAMETER_FLAG ? "" : ":value:");
    }
    if (row->operand_words != NULL) {
        fputs("        '1:word:(", file);
        print_words(file, row->operand_words);
        fputs(row->operand_files ? ")' \\\n" : ")'\n", file);
    }
    if (row->operand_files) {
        fputs("        '*:file:_files'\n", file);
    } else if (row->operand_words == NULL) {
        fputs("        '*: :'\n", file);
    }
    fputs("      ;;\n", file);
}

void completion_zsh(FILE *file) {
    fputs("#compdef hoplite\n"
          "# Completions of hoplite for zsh: a file _hoplite in a folder of $fpath\n"
          "_hoplite() {\n"
          "  local -a verbs\n"
          "  verbs=(\n",
          file);
    for (size_t i = 0; i < verb_count; i++) {
        fprintf(file, "    '%s:", verb_rows[i].name);
        print_explanation(file, verb_rows[i].summary);
        fputs("'\n", file);
    }
    fputs("  )\n"
          "  if (( CURRENT == 2 )); then\n"
          "    _describe -t verbs verb verbs\n"
          "    _arguments '--help[what hoplite can do]' '--version[version and build]'\n"
          "    return\n"
          "  fi\n"
          "  local verb=$words[2]\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $verb in\n",
          file);
    for (size_t i = 0; i < verb_count; i++)
        print_verb(file, &verb_rows[i]);
    fputs("  esac\n"
          "}\n"
          "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
          "  _hoplite \"$@\"\n"
          "else\n"
          "  compdef _hoplite hoplite\n"
          "fi\n",
          file);
}
