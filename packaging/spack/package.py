# SPDX-License-Identifier: Apache-2.0
from spack.package import *


class Hoplite(CMakePackage):
    """Connected components, breadth-first search, shortest paths and list ranking on large
    graphs: a C library and a command, with answers that independent code certifies."""

    url = "@URL@"

    license("Apache-2.0")

    version("0.1.0", sha256="@SHA256@")

    variant("opencl", default=True, description="Devices through OpenCL, opened at run time")
    variant("mpi", default=False, description="The library and the command for clusters")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("scdoc", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("xxhash", type="build")
    depends_on("opencl-c-headers", when="+opencl", type="build")
    depends_on("zlib-api")
    depends_on("mpi@3.1:", when="+mpi")

    conflicts("platform=darwin", msg="Hoplite has not been tried on macOS")
    conflicts("platform=windows", msg="On Windows only mingw-w64 builds Hoplite")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("HOPLITE_PYTHON", False),
            self.define_from_variant("HOPLITE_OPENCL", "opencl"),
            self.define_from_variant("HOPLITE_MPI", "mpi"),
        ]
