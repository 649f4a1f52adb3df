# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, for find_package, pkg-config and the shell.
install(TARGETS hoplite_shared hoplite_static EXPORT hoplite
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/hoplite DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT hoplite NAMESPACE hoplite:: FILE hopliteTargets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hoplite)
configure_package_config_file(cmake/hopliteConfig.cmake.in ${PROJECT_BINARY_DIR}/hopliteConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hoplite)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hopliteConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hopliteConfig.cmake ${PROJECT_BINARY_DIR}/hopliteConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hoplite)
# pkg-config wants absolute or prefix-relative paths; the package may be moved when they are relative.
configure_file(cmake/hoplite.pc.in ${PROJECT_BINARY_DIR}/hoplite.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hoplite.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
