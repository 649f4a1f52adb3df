/* SPDX-License-Identifier: Apache-2.0
 * What this library is. */
#include "hoplite/hoplite.h"

const char *hop_version(void) {
    return HOP_VERSION;
}

const char *hop_build_features(void) {
    /* Both are required by the build today; a feature that may be missing gets its own #if. */
    return "openmp zlib";
}
