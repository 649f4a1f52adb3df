/* SPDX-License-Identifier: Apache-2.0
 * Work for streams. */
#ifndef HOPLITE_TESTS_PTX_DRIVER_QUEUE_H
#define HOPLITE_TESTS_PTX_DRIVER_QUEUE_H

#include "ptx/driver.h"

/* A command at the end of the stream, with room for `more` bytes of parameters. */
command *driver_queue_add(CUstream stream, command_kind kind, size_t more);
bool driver_stream_known(CUcontext context, CUstream stream);

#endif
