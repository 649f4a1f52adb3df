/* SPDX-License-Identifier: Apache-2.0
 * What this program was built from, and by what: see build_facts.h. */
#include "build_facts.h"

#include <stdlib.h>

extern const char build_commit_text[]; /* in a file that the build makes: cmake/commit.cmake */

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

const char *const build_compiler = COMPILER;

const char *build_commit(void) {
    const char *given = getenv("HOPLITE_COMMIT");
    if (given != NULL && *given != '\0')
        return given;
    return build_commit_text[0] != '\0' ? build_commit_text : NULL;
}
