# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20)
# Writes OUTPUT, a C file that holds the program in SOURCE (src/<folder>/<name>_program.cl) as an
# array of bytes. Run at build time with ROOT, the folder that names in #include "..." start from.
# Each included file is taken in once, where it is first asked for; <name>_template.cl every time.
# What is compiled at run time is one text.

# Appends the lines of `file` to the variable text, with includes replaced by what they name. Bytes
# that CMake would take apart (semicolons, brackets, backslashes) never pass through a list: the
# file is cut at its include lines by position.
set(taken "")
set(text "")
function(take file asked_by)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${asked_by}: includes ${file}, which does not exist")
  endif()
  if(file IN_LIST taken AND NOT file MATCHES "_template\\.cl$")
    return()
  endif()
  set(taken ${taken} ${file} PARENT_SCOPE)
  set(taken ${taken} ${file})
  file(READ ${file} rest)
  while(rest MATCHES "(^|\n)(#include \"([^\"\n]+)\"[^\n]*)")
    set(line "${CMAKE_MATCH_2}")
    set(name "${CMAKE_MATCH_3}")
    string(FIND "${rest}" "${line}" at)
    string(SUBSTRING "${rest}" 0 ${at} before)
    string(LENGTH "${line}" length)
    math(EXPR at "${at} + ${length} + 1")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(APPEND text "${before}")
    take(${ROOT}/${name} ${file})
  endwhile()
  set(text "${text}${rest}" PARENT_SCOPE)
  set(taken ${taken} PARENT_SCOPE)
endfunction()
take(${SOURCE} "the build")

get_filename_component(name ${SOURCE} NAME)
string(REGEX REPLACE "_program\\.cl$" "" name ${name})
string(SHA256 hash "${text}")
string(HEX "${text}" hex)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){16})" "\\1\n    " bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made by cmake/embed_program.cmake from ${name}_program.cl. SHA-256:
 * ${hash} */
#include \"kernels/programs.h\"

static const char text[] = {
    ${bytes}0};
static const hop__source source = {\"${name}\", text};
static const hop__source *const sources[] = {&source};
const hop__program_source hop__program_${name} = {\"${name}\", sources, 1};
")
