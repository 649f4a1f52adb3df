/* SPDX-License-Identifier: Apache-2.0
 * Whether this is a build with sanitizers. They take address space and memory of their own, so
 * limits on them make no sense there; and time, the thread sanitizer most, so tests take smaller
 * inputs. What is asserted is the same. A build of tools/coverage is slow too. */
#ifndef HOPLITE_TESTS_SANITIZED_TESTING_H
#define HOPLITE_TESTS_SANITIZED_TESTING_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED_ADDRESS 1
#elif __has_feature(thread_sanitizer)
#define SANITIZED_THREAD 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED_ADDRESS 1
#elif defined(__SANITIZE_THREAD__) || defined(HOPLITE_COVERAGE)
#define SANITIZED_THREAD 1
#endif
#if !defined(SANITIZED_ADDRESS)
#define SANITIZED_ADDRESS 0
#endif
#if !defined(SANITIZED_THREAD)
#define SANITIZED_THREAD 0
#endif
#define SANITIZED (SANITIZED_ADDRESS || SANITIZED_THREAD)

#endif
