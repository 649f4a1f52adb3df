/* SPDX-License-Identifier: Apache-2.0
 *
 * Hoplite: graph problems on whatever the user has. This header includes all the others. */
#ifndef HOPLITE_HOPLITE_H
#define HOPLITE_HOPLITE_H

#include "hoplite/all_paths.h"
#include "hoplite/apsp.h"
#include "hoplite/bfs.h"
#include "hoplite/closure.h"
#include "hoplite/components.h"
#include "hoplite/context.h"
#include "hoplite/convert.h"
#include "hoplite/detail.h"
#include "hoplite/device.h"
#include "hoplite/generate.h"
#include "hoplite/graph.h"
#include "hoplite/index.h"
#include "hoplite/io.h"
#include "hoplite/measure.h"
#include "hoplite/pairs.h"
#include "hoplite/parameter.h"
#include "hoplite/path.h"
#include "hoplite/rank.h"
#include "hoplite/spanning.h"
#include "hoplite/sssp.h"
#include "hoplite/status.h"
#include "hoplite/store.h"
#include "hoplite/strong.h"
#include "hoplite/table.h"
#include "hoplite/tuning.h"
#include "hoplite/type.h"
#include "hoplite/variant.h"

/* The one place where the version stands: CMake, pkg-config and the command read it from here. */
#define HOP_VERSION_MAJOR 0
#define HOP_VERSION_MINOR 1
#define HOP_VERSION_PATCH 0
#define HOP_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, which may be newer than this header. */
HOP_API const char *hop_version(void);

/* What the library was built with, such as "threads zlib zstd cuda hip opencl"; words separated by
 * single spaces. Threads and zlib are part of it; the others are used where the machine has them. A
 * build may be without opencl. */
HOP_API const char *hop_build_features(void);

/* Every initialiser HOP_X_INIT has a function hop_x_init(&x, sizeof x), for languages without C's
 * preprocessor: they need no copy of the defaults. It sets `size`, and the fields that there are in
 * so many bytes; those that this library does not know are 0. NULL, or less than a size: nothing is
 * done.
 *
 * For bindings in other languages: sizeof the public struct of this name, such as "hop_run", in the
 * library that is linked; 0 when it has none. A binding compares it with its own layout. */
HOP_API size_t hop_struct_size(const char *name);

#ifdef __cplusplus
}
#endif
#endif
