#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
#
# Builds all fuzz targets as OSS-Fuzz and ClusterFuzzLite ask for it: with $CC, $CFLAGS, $CXX,
# $CXXFLAGS and $LIB_FUZZING_ENGINE, into $OUT, each with its seeds and its dictionary. They run in
# an image that has no zlib, so that is linked statically; engines are in C++, so $CXX links.
# Run from the top of the tree; what is built on the way is in $WORK.
build=${WORK:-$PWD/build}/clusterfuzz
rm -rf "$build"
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=None -DHOPLITE_FUZZ=ON -DBUILD_TESTING=OFF \
    -DHOPLITE_PYTHON=OFF -DHOPLITE_MPI=OFF -DHOPLITE_OPENCL=OFF \
    -DHOPLITE_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_C_COMPILER="$CC" \
    -DZLIB_LIBRARY="$("$CC" -print-file-name=libz.a)" \
    -DCMAKE_C_LINK_EXECUTABLE="$CXX $CXXFLAGS <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>"
cmake --build "$build" --target fuzzers
for program in "$build"/fuzz/fuzz_*; do
    [ -f "$program" ] || continue
    target=${program##*/}
    name=${target#fuzz_}
    cp "$program" "$OUT"
    (cd "fuzz/corpus/${name%-mapped}" && zip -q -r - .) >"$OUT/${target}_seed_corpus.zip"
    case $name in # as tools/fuzz has it
    npz-mapped | npy | list) words=npz ;;
    chunks) words=edge-list ;;
    *) words=$name ;;
    esac
    [ ! -e "fuzz/dictionaries/$words.dict" ] ||
        cp "fuzz/dictionaries/$words.dict" "$OUT/$target.dict"
done
