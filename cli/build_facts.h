/* SPDX-License-Identifier: Apache-2.0
 * What this program was built from, and by what. */
#ifndef HOPLITE_CLI_BUILD_FACTS_H
#define HOPLITE_CLI_BUILD_FACTS_H

/* "gcc 12.2.0" */
extern const char *const build_compiler;
/* The commit, with "+" after it when files were changed; NULL when it is not known. The variable
 * HOPLITE_COMMIT goes before what the build has found. */
const char *build_commit(void);

#endif
