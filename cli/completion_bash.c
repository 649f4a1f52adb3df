/* SPDX-License-Identifier: Apache-2.0
 *
 * Completions for bash. One function finds the verb, completes the value of the option before the
 * cursor, or else options and operands. bash splits words at "=", so that --to=npz is three words:
 * the first lines put that right. */
#include "completion_script.h"

bool verb_takes(const verb *row, size_t id) {
    return (row->groups & option_rows[id].group) != 0;
}

void print_words(FILE *file, word_at words) {
    for (size_t i = 0; words(i) != NULL; i++)
        fprintf(file, "%s%s", i > 0 ? " " : "", words(i));
}

word_at words_of_option(const verb *row, size_t id) {
    return id == OPT_VARIANT ? row->variants : option_rows[id].words;
}

/* Variants differ from verb to verb. */
static void print_variants(FILE *file) {
    fputs("        case $verb in\n", file);
    for (size_t i = 0; i < verb_count; i++)
        if (verb_rows[i].variants != NULL) {
            fprintf(file, "        %s) COMPREPLY=($(compgen -W '", verb_rows[i].name);
            print_words(file, verb_rows[i].variants);
            fputs("' -- \"$cur\")) ;;\n", file);
        }
    fputs("        esac\n", file);
}

/* The values of all other options are the same for every verb. One that may be left out stands
 * behind a "=" only. */
static void print_values(FILE *file) {
    for (size_t id = 0; id < OPTION_COUNT; id++) {
        const option_row *option = &option_rows[id];
        if (option->kind == KIND_FLAG)
            continue;
        fprintf(file, "    --%s", option->name);
        if (option->letter != 0)
            fprintf(file, " | -%c", option->letter);
        fputs(")\n", file);
        if (option->otherwise != NULL)
            fputs("        [[ -n $joined ]] || break\n", file);
        if (option->kind == KIND_FILE)
            fputs("        _hoplite_files \"$cur\"\n", file);
        else if (id == OPT_VARIANT)
            print_variants(file);
        else if (option->kind == KIND_WORD) {
            fputs("        COMPREPLY=($(compgen -W '", file);
            print_words(file, option->words);
            fputs("' -- \"$cur\"))\n", file);
        }
        fputs("        return ;;\n", file);
    }
}

static void print_verb(FILE *file, const verb *row) {
    fprintf(file, "    %s)\n        if [[ $cur == -* ]]; then\n", row->name);
    fputs("            COMPREPLY=($(compgen -W '", file);
    for (size_t id = 0; id < OPTION_COUNT; id++)
        if (verb_takes(row, id))
            fprintf(file, "--%s ", option_rows[id].name);
    for (size_t i = 0; row->parameter != NULL && row->parameter(i) != NULL; i++)
        fprintf(file, "--%s ", row->parameter(i)->name);
    fputs("' -- \"$cur\"))\n", file);
    if (row->operand_words != NULL || row->operand_files)
        fputs("        else\n", file);
    if (row->operand_files)
        fputs("            _hoplite_files \"$cur\"\n", file);
    if (row->operand_words != NULL) {
        fputs("            COMPREPLY+=($(compgen -W '", file);
        print_words(file, row->operand_words);
        fputs("' -- \"$cur\"))\n", file);
    }
    fputs("        fi ;;\n", file);
}

void completion_bash(FILE *file) {
    fputs("# Completions of hoplite for bash: source <(hoplite completion bash)\n"
          "_hoplite_files() {\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    local IFS=$'\\n'\n"
          "    COMPREPLY=($(compgen -f -- \"$1\"))\n"
          "}\n"
          "_hoplite() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' "
          "joined='' i\n"
          "    COMPREPLY=()\n"
          "    if [[ $cur == '=' ]]; then\n"
          "        cur=''; joined=1\n"
          "    elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then\n"
          "        prev=${COMP_WORDS[COMP_CWORD-2]}; joined=1\n"
          "    fi\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        [[ ${COMP_WORDS[i]} == -* ]] || { verb=${COMP_WORDS[i]}; break; }\n"
          "    done\n"
          "    if [[ -z $verb ]]; then\n"
          "        COMPREPLY=($(compgen -W '",
          file);
    print_words(file, word_of_verb);
    fputs(" --help --version' -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    while :; do\n"
          "    case $prev in\n",
          file);
    print_values(file);
    fputs("    esac\n    break\n    done\n    case $verb in\n", file);
    for (size_t i = 0; i < verb_count; i++)
        print_verb(file, &verb_rows[i]);
    fputs("    esac\n}\ncomplete -F _hoplite hoplite\n", file);
}
