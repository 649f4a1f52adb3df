# SPDX-License-Identifier: Apache-2.0
vcpkg_download_distfile(archive URLS "@URL@" FILENAME hoplite-${VERSION}.tar.gz SHA512 "@SHA512@")
vcpkg_extract_source_archive(source ARCHIVE ${archive})
vcpkg_cmake_configure(SOURCE_PATH ${source}
  OPTIONS -DBUILD_TESTING=OFF -DHOPLITE_PYTHON=OFF -DHOPLITE_MPI=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/hoplite)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_copy_tools(TOOL_NAMES hoplite AUTO_CLEAN)
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
