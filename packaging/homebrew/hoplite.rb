# SPDX-License-Identifier: Apache-2.0
class Hoplite < Formula
  desc "Graph problems solved and certified on large graphs"
  url "@URL@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "scdoc" => :build
  depends_on "xxhash" => :build
  depends_on :linux
  depends_on "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", "-DHOPLITE_PYTHON=OFF",
           "-DHOPLITE_MPI=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"hoplite", "generate", "rmat", "--scale", "10", "-o", "graph.npz", "-q"
    assert_match "components", shell_output("#{bin}/hoplite components graph.npz")
  end
end
