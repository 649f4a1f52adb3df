/* SPDX-License-Identifier: Apache-2.0
 * Prints every program that is embedded in the library, for tests in other languages. */
#include <stdio.h>

#include "kernels/programs.h"

int main(void) {
    for (size_t i = 0; i < hop__program_count; i++) {
        const hop__program_source *program = hop__programs[i];
        printf("=== program %s\n", program->name);
        for (size_t k = 0; k < program->count; k++)
            fputs(program->sources[k]->text, stdout);
    }
    return 0;
}
