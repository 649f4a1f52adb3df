# SPDX-License-Identifier: Apache-2.0
# Embeds the programs that run on devices. Every src/<folder>/<name>_program.cl is one; other .cl
# files are pieces that programs include. hoplite_program_sources gets the C files to compile: one
# per program, and the table of all.
file(GLOB program_files CONFIGURE_DEPENDS src/*/*_program.cl)
# A piece may be included by any program, so all depend on all; embedding takes milliseconds.
file(GLOB program_pieces CONFIGURE_DEPENDS src/*/*.cl src/kernels/*.h)
set(program_folder ${PROJECT_BINARY_DIR}/programs)
set(declarations "")
set(rows "")
set(hoplite_program_sources ${program_folder}/program_table.c)
foreach(file ${program_files})
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "_program\\.cl$" "" name ${name})
  set(output ${program_folder}/${name}_program.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${file} -DROOT=${PROJECT_SOURCE_DIR}/src -DOUTPUT=${output}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_program.cmake
    DEPENDS ${program_pieces} ${PROJECT_SOURCE_DIR}/cmake/embed_program.cmake
    COMMENT "Embedding ${name}_program.cl" VERBATIM)
  list(APPEND hoplite_program_sources ${output})
  string(APPEND rows "    &hop__program_${name},\n")
  string(APPEND declarations "extern const hop__program_source hop__program_${name};\n")
endforeach()
list(LENGTH program_files program_count)
file(CONFIGURE OUTPUT ${program_folder}/program_table.c @ONLY CONTENT
"/* Made by cmake/programs.cmake: all programs, in the order of their files. */
#include \"kernels/programs.h\"

@declarations@
const hop__program_source *const hop__programs[] = {
@rows@};
const size_t hop__program_count = @program_count@;
")
