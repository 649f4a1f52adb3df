# SPDX-License-Identifier: Apache-2.0
# What is different on Windows (mingw-w64): src/windows has the calls of POSIX that it lacks, with
# their headers, and files that replace others. Nothing else knows about systems.
set(hoplite_windows_libraries "")
if(NOT WIN32)
  list(FILTER hoplite_sources EXCLUDE REGEX "/src/windows/")
  return()
endif()
list(FILTER hoplite_sources EXCLUDE REGEX "/(memory_default|program_cache)\\.c$")
set(OPENCL_INCLUDE "") # devices are Linux's for now
set(hoplite_windows_libraries synchronization)
target_include_directories(hoplite_flags SYSTEM BEFORE INTERFACE
  ${PROJECT_SOURCE_DIR}/src/windows/posix)
target_compile_definitions(hoplite_flags INTERFACE _FILE_OFFSET_BITS=64 _WIN32_WINNT=0x0A00
  _CRT_RAND_S)
target_compile_options(hoplite_flags INTERFACE -Wno-attributes -Wno-format
  -include ${PROJECT_SOURCE_DIR}/src/windows/windows_exports.h)
target_link_options(hoplite_flags INTERFACE -static) # gcc's and the threads' libraries
