# SPDX-License-Identifier: Apache-2.0
# libhoplite_mpi: graphs spread over the ranks of an MPI job, in a library of its own. The core
# library has no MPI in it.
set(HOPLITE_MPI AUTO CACHE STRING "libhoplite_mpi and hoplite-mpi: AUTO (where MPI is), ON or OFF")
set_property(CACHE HOPLITE_MPI PROPERTY STRINGS AUTO ON OFF)
if(NOT HOPLITE_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "HOPLITE_MPI is ${HOPLITE_MPI}: AUTO, ON or OFF")
endif()
if(HOPLITE_MPI STREQUAL "OFF")
  return()
endif()
if(HOPLITE_MPI STREQUAL "ON")
  find_package(MPI 3.1 REQUIRED COMPONENTS C)
else()
  find_package(MPI 3.1 QUIET COMPONENTS C)
endif()
if(NOT MPI_C_FOUND)
  message(STATUS "No MPI (Debian: libopenmpi-dev): this build has no libhoplite_mpi")
  return()
endif()

file(GLOB cluster_sources CONFIGURE_DEPENDS src/cluster/*.c)
add_library(hoplite_mpi_objects OBJECT ${cluster_sources})
set_target_properties(hoplite_mpi_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(hoplite_mpi_objects PUBLIC include src)
target_link_libraries(hoplite_mpi_objects PRIVATE hoplite_flags hoplite_hardening MPI::MPI_C)

add_library(hoplite_mpi SHARED $<TARGET_OBJECTS:hoplite_mpi_objects>)
target_include_directories(hoplite_mpi PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(hoplite_mpi PUBLIC hoplite_shared
  PRIVATE MPI::MPI_C $<BUILD_INTERFACE:hoplite_flags>
    $<BUILD_INTERFACE:hoplite_hardening>)
set_target_properties(hoplite_mpi PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${hoplite_soversion} INSTALL_RPATH "$ORIGIN")
if(NOT (HOPLITE_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang"))
  target_link_options(hoplite_mpi PRIVATE -Wl,--no-undefined)
endif()

if(HOPLITE_BENCH)
  add_executable(bench_cluster bench/bench_cluster.c)
  target_link_libraries(bench_cluster PRIVATE hoplite_mpi hoplite_flags MPI::MPI_C)
  set_target_properties(bench_cluster PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endif()
