# SPDX-License-Identifier: Apache-2.0
"""conan create packaging/conan: from the tree that this file is in."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class HopliteConan(ConanFile):
    name = "hoplite"
    version = "0.1.0"
    license = "Apache-2.0"
    description = "Graph problems solved and certified on large graphs"
    topics = ("graph", "shortest-paths", "bfs", "connected-components")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for name in ("CMakeLists.txt", "LICENSE", "*.md", "cli/*", "cmake/*", "docs/*", "include/*",
                     "python/*", "src/*"):
            copy(self, name, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("zlib/[>=1.2.11 <2]")
        self.requires("xxhash/[>=0.8 <1]", visible=False)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Hoplite has been tried on Linux only")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["BUILD_TESTING"] = False
        toolchain.variables["HOPLITE_PYTHON"] = False
        toolchain.variables["HOPLITE_MPI"] = "OFF"
        toolchain.variables["XXHASH_INCLUDE"] = self.dependencies["xxhash"].cpp_info.includedirs[0]
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["hoplite"]
        self.cpp_info.set_property("cmake_file_name", "hoplite")
        self.cpp_info.set_property("cmake_target_name", "hoplite::hoplite")
