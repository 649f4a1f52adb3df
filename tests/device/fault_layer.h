/* SPDX-License-Identifier: Apache-2.0
 *
 * A layer between the library and the OpenCL loader, for tests: a shared library that is opened in
 * the place of the loader (HOPLITE_OPENCL_LIB), forwards every call, counts them and the objects
 * that are alive, and makes one call fail. The test opens it too, and steers it by these. */
#ifndef HOPLITE_TESTS_FAULT_LAYER_H
#define HOPLITE_TESTS_FAULT_LAYER_H

/* Starts counting at 0. Call number `k`, from 1, fails with `code`, and that alone; 0: none. A
 * failing call is not forwarded, except a release: what it names is released, or it would leak. */
void fault_arm(unsigned long k, int code);
unsigned long fault_calls(void);
/* The name of the call that failed since fault_arm, or NULL. */
const char *fault_hit(void);
/* Objects that were created and not released: contexts, queues, buffers, programs, kernels, events
 * together. */
long fault_alive(void);
/* From now on clBuildProgram does not return before it is called with 0 again; the number of those
 * that wait. */
void fault_hold_builds(int hold);
int fault_held_builds(void);

#endif
