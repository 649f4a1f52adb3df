# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, for find_package, pkg-config and the shell.
install(TARGETS hoplite_shared hoplite_static EXPORT hoplite
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/hoplite DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "cluster.h" EXCLUDE)
if(TARGET hoplite_mpi)
  # In a set of its own, as distributions have it in a package of its own.
  install(TARGETS hoplite_mpi EXPORT hoplite_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/hoplite/cluster.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hoplite)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hoplite)
install(EXPORT hoplite NAMESPACE hoplite:: FILE hopliteTargets.cmake DESTINATION ${package_folder})
if(TARGET hoplite_mpi)
  install(EXPORT hoplite_mpi NAMESPACE hoplite:: FILE hopliteMpiTargets.cmake
    DESTINATION ${package_folder})
endif()
configure_package_config_file(cmake/hopliteConfig.cmake.in
  ${PROJECT_BINARY_DIR}/hopliteConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hopliteConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hopliteConfig.cmake
  ${PROJECT_BINARY_DIR}/hopliteConfigVersion.cmake DESTINATION ${package_folder})

# The .pc file finds the prefix from where it stands itself, so that the installed tree may be moved
# and `cmake --install --prefix` means what it says. Folders that were given as absolute paths
# (distributions do) stay as they are.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH pc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
  set(pc_prefix "\${pcfiledir}/${pc_up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(pc_libs_private "-lz -lpthread -lm -ldl")
if(hoplite_atomics)
  string(APPEND pc_libs_private " -latomic")
endif()
configure_file(cmake/hoplite.pc.in ${PROJECT_BINARY_DIR}/hoplite.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hoplite.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# README.md links to docs/.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB documents CONFIGURE_DEPENDS docs/*.md)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
file(GLOB measurements CONFIGURE_DEPENDS docs/measurements/*.md)
install(FILES ${measurements} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs/measurements)
file(GLOB figures CONFIGURE_DEPENDS docs/figures/*.svg)
install(FILES ${figures} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs/figures)
