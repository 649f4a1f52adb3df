/* SPDX-License-Identifier: Apache-2.0
 * Whether this is a build with sanitizers, and how much a test may take. A sanitizer takes address
 * space and memory of its own, so limits on them make no sense there; what one of them cannot do
 * (threads in a child, fibers) is skipped by the name of that one. SMALLER_TESTS and SMALLEST_TESTS
 * are about the size of inputs only: sanitizers take time, that of threads most, and so does a
 * build of tools/coverage; HOPLITE_SMALL_TESTS is for a build beside another that takes the inputs
 * whole. What is asserted is the same. */
#ifndef HOPLITE_TESTS_SANITIZED_TESTING_H
#define HOPLITE_TESTS_SANITIZED_TESTING_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED_ADDRESS 1
#elif __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED_THREAD 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED_ADDRESS 1
#elif defined(__SANITIZE_THREAD__)
#define SANITIZED_THREAD 1
#endif
#if !defined(SANITIZED_ADDRESS)
#define SANITIZED_ADDRESS 0
#endif
#if !defined(SANITIZED_THREAD)
#define SANITIZED_THREAD 0
#endif
#define SANITIZED (SANITIZED_ADDRESS || SANITIZED_THREAD)

#if defined(HOPLITE_COVERAGE) || defined(HOPLITE_SMALL_TESTS)
#define SMALLEST_TESTS 1
#else
#define SMALLEST_TESTS SANITIZED_THREAD
#endif
#define SMALLER_TESTS (SANITIZED || SMALLEST_TESTS)

#endif
