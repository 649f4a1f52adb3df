/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite completion SHELL: a script for the shell, made from the tables of verbs, options,
 * families and formats. The scripts need nothing but the shell itself. */
#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "completion_script.h"
#include "exit_codes.h"

const char *word_of_shell(size_t index) {
    static const char *const words[] = {"bash", "zsh", "fish", NULL};
    return words[index];
}

int run_completion(const arguments *given) {
    if (given->operand_count == 0)
        return complain(CODE_USAGE, "a shell expected: bash, zsh or fish");
    const char *shell = given->operands[0];
    if (strcmp(shell, "bash") == 0)
        completion_bash(stdout);
    else if (strcmp(shell, "zsh") == 0)
        completion_zsh(stdout);
    else if (strcmp(shell, "fish") == 0)
        completion_fish(stdout);
    else
        return complain_word("SHELL", shell, word_of_shell);
    return CODE_OK;
}
