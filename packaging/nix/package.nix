# SPDX-License-Identifier: Apache-2.0
# nix-build -E 'with import <nixpkgs> {}; callPackage ./package.nix { }'
{ lib, stdenv, cmake, ninja, pkg-config, scdoc, zlib, xxHash, opencl-headers }:

stdenv.mkDerivation {
  pname = "hoplite";
  version = "0.1.0";
  src = lib.cleanSource ../..;

  nativeBuildInputs = [ cmake ninja pkg-config scdoc ];
  buildInputs = [ zlib xxHash opencl-headers ];
  cmakeFlags = [ "-DBUILD_TESTING=OFF" "-DHOPLITE_PYTHON=OFF" "-DHOPLITE_MPI=OFF" ];

  meta = {
    description = "Graph problems solved and certified on large graphs";
    license = lib.licenses.asl20;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "hoplite";
  };
}
