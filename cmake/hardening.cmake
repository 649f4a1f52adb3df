# SPDX-License-Identifier: Apache-2.0
# What makes a hole that nobody has found harder to use: docs/threats.md, "Files". For what is
# installed; tests have fibers, whose jumps between stacks the C library would refuse. Each flag
# where the compiler has it; none of them changes what is computed. Distributions that pass their
# own keep theirs.
option(HOPLITE_HARDEN "Canaries, checked copies, tables that are read-only once linked" ON)
add_library(hoplite_hardening INTERFACE)
if(NOT HOPLITE_HARDEN OR HOPLITE_SANITIZE OR HOPLITE_FUZZ OR WIN32)
  return()
endif()
include(CheckLinkerFlag)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection
    -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "HOPLITE_HAS${flag}" known)
  check_c_compiler_flag(-Werror\;${flag} ${known})
  if(${known})
    target_compile_options(hoplite_hardening INTERFACE ${flag})
  endif()
endforeach()
if(NOT "${CMAKE_C_FLAGS} $ENV{CPPFLAGS}" MATCHES "_FORTIFY_SOURCE")
  target_compile_options(hoplite_hardening INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
foreach(flag -Wl,-z,relro -Wl,-z,now)
  string(MAKE_C_IDENTIFIER "HOPLITE_HAS${flag}" known)
  check_linker_flag(C ${flag} ${known})
  if(${known})
    target_link_options(hoplite_hardening INTERFACE ${flag})
  endif()
endforeach()
