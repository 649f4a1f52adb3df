# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C file with the commit of SOURCE, when it has changed; empty without git or
# outside of a repository (a release). Run at every build, so that it is never stale.
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD -- src cli include cmake
    RESULT_VARIABLE changed ERROR_QUIET)
  if(commit AND changed EQUAL 1)
    string(APPEND commit "+")
  endif()
endif()
set(text "extern const char build_commit_text[];\n")
string(APPEND text "const char build_commit_text[] = \"${commit}\";\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
