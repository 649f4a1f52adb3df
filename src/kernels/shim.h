/* SPDX-License-Identifier: Apache-2.0
 *
 * The shim: the only file of a kernel that knows its compiler. A kernel is written in the common
 * part of OpenCL C 1.2, CUDA C++ and C11, with the names below for what they spell differently; HIP
 * takes what CUDA takes. docs/kernels.md has the rules for authors.
 *
 * Types       u16 u32 u64 i32 i64 f32, and f64 where HOP_FLOAT64 is 1. Never int or long for data.
 * Functions   KERNEL_WG(n) before a kernel, n being its group size; FN before everything else.
 * Memory      GLOBAL before the type of a pointer to a buffer, LOCALP before that of a pointer to
 *             local memory, LOCALV before a local *variable* (at the top of a kernel only). The two
 *             differ because CUDA has a word for the second alone: with one empty macro for both,
 *             each item would silently have an array of its own.
 * Items       local_id group_id group_count item_id item_count; the group size is the constant that
 *             stands in KERNEL_WG.
 * Numbers     INFINITY_F32 INFINITY_F64; U64_C(number) and I64_C(number) for those above 32 bits:
 *             one that ends in `ll` has 128 bits in OpenCL C, and Rusticl aborts on it.
 * Work        FOR_WORK(i, count): this item's share of [0, count). work_begin, work_end, work_step.
 * Prefetch    PREFETCH(pointer): the word behind it is about to be read and written. What waits for
 *             one line can fetch others meanwhile; only where HOP_PREFETCH is 1. PREFETCH_READ:
 *             only to be read, by others too.
 * Barriers    BARRIER_LOCAL orders local memory, BARRIER_ALL global memory of the group too. Every
 *             item of the group comes to each equally often.
 * Fence       FENCE_GLOBAL: what this item did to buffers before is seen by others no later than
 *             what it does after, and of two items that each store, fence and load the other's word
 *             one sees the other: sequentially consistent. Needed between two words, never for one.
 * Sharing     A word that items touch at the same time is touched through relaxed_* and atomic_*
 *             only. atomic_* return the value before. The 64-bit atomics need HOP_ATOMIC64.
 *
 * Warps       Where HOP_WARPS is 1, WARP items that follow one another run in step, and give each
 *             other values without local memory: warp_ballot(bit), whose bit i is that of item i of
 *             the warp; warp_up(value, by), the value of the item `by` before, or one's own where
 *             there is none. By all items of a group whose size is a multiple of WARP. Elsewhere
 *             they are not there, and a kernel has another way: #if HOP_WARPS && WG % WARP == 0.
 *
 * Given by the device layer with -D, each 0 or 1, 0 if absent:
 *   HOP_CPU       the device is a processor: an item's share of the work is one contiguous chunk,
 *                 as cores want it. Else items take turns, so that neighbours touch neighbouring
 *                 words.
 *   HOP_ATOMIC64  the device has 64-bit atomics.
 *   HOP_FLOAT64   it has doubles.
 *   HOP_WARPS     it has warps of 32 items, or of 64.
 *   HOP_PREFETCH  its compiler makes instructions of clang's prefetch.
 * By tests:
 *   WORK_CHUNKED  instead of HOP_CPU, to run the other form on a device.
 *   RACE_CHECK    relaxed loads and stores are read-modify-write atomics, because Oclgrind takes
 *                 volatile accesses for plain ones. Slow. */
#ifndef HOPLITE_KERNELS_SHIM_H
#define HOPLITE_KERNELS_SHIM_H

#ifndef HOP_CPU
#define HOP_CPU 0
#endif
#ifndef WORK_CHUNKED
#define WORK_CHUNKED HOP_CPU
#endif
#ifndef HOP_ATOMIC64
#define HOP_ATOMIC64 0
#endif
#ifndef HOP_FLOAT64
#define HOP_FLOAT64 0
#endif
#ifndef HOP_WARPS
#define HOP_WARPS 0
#endif
#define WARP 32
#ifndef HOP_PREFETCH
#define HOP_PREFETCH 0
#endif
#ifndef RACE_CHECK
#define RACE_CHECK 0
#endif

typedef unsigned short u16; /* the same in all three; no atomics */

/* clang's offline mode defines only the second of these. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#if HOP_ATOMIC64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
typedef uint u32;
typedef ulong u64;
typedef int i32;
typedef long i64;
typedef float f32;
#if HOP_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
#endif

/* OpenCL's own prefetch does nothing in drivers for processors. Some of those compile with clang,
 * whose built-in knows no address spaces; what goes through SPIR-V cannot take it along. */
#if HOP_PREFETCH && defined(__clang__)
#define PREFETCH(pointer)      __builtin_prefetch((const void *)(size_t)(pointer), 1)
#define PREFETCH_READ(pointer) __builtin_prefetch((const void *)(size_t)(pointer), 0)
#else
#define PREFETCH(pointer)      ((void)(pointer))
#define PREFETCH_READ(pointer) ((void)(pointer))
#endif

/* Intel's compiler for processors makes lanes of items, whose chunks lie far apart: ten times
 * slower for simple loops. The hint says that the work is in vectors already; others ignore it. */
#if WORK_CHUNKED
#define KERNEL_WG(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1), vec_type_hint(uint4)))
#else
#define KERNEL_WG(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1)))
#endif
#define FN              __attribute__((unused)) static inline
#define GLOBAL          __global
#define LOCALV          __local
#define LOCALP          __local
#define RESTRICT        restrict
#define U64_C(number)   number##UL
#define I64_C(number)   number##L
#define INFINITY_F32    as_float(0x7f800000)
#define INFINITY_F64    as_double(U64_C(0x7ff0000000000000))
#define BARRIER_LOCAL() barrier(CLK_LOCAL_MEM_FENCE)
#define BARRIER_ALL()   barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#if __OPENCL_C_VERSION__ >= 300 /* only where the device layer knows that it has the fence */
#define FENCE_GLOBAL()                                                                             \
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device)
#elif HOP_CPU && defined(__clang__) /* mem_fence of PoCL 3.1 is no instruction */
#define FENCE_GLOBAL() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCE_GLOBAL() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

FN u32 local_id(void) {
    return (u32)get_local_id(0);
}
FN u32 group_id(void) {
    return (u32)get_group_id(0);
}
FN u32 group_count(void) {
    return (u32)get_num_groups(0);
}
FN u32 item_id(void) {
    return (u32)get_global_id(0);
}
FN u32 item_count(void) {
    return (u32)get_global_size(0);
}

/* Defines atomic_<operation>_<type> for global memory and atomic_<operation>_local_<type>. */
#define SHIM_ATOMIC(operation, builtin, type)                                                      \
    FN type atomic_##operation##_##type(GLOBAL type *word, type value) {                           \
        return builtin((volatile __global type *)word, value);                                     \
    }                                                                                              \
    FN type atomic_##operation##_local_##type(LOCALP type *word, type value) {                     \
        return builtin((volatile __local type *)word, value);                                      \
    }
#define SHIM_ATOMIC_CAS(builtin, type)                                                             \
    FN type atomic_cas_##type(GLOBAL type *word, type expected, type value) {                      \
        return builtin((volatile __global type *)word, expected, value);                           \
    }                                                                                              \
    FN type atomic_cas_local_##type(LOCALP type *word, type expected, type value) {                \
        return builtin((volatile __local type *)word, expected, value);                            \
    }
SHIM_ATOMIC(add, atomic_add, u32)
SHIM_ATOMIC(min, atomic_min, u32)
SHIM_ATOMIC(max, atomic_max, u32)
SHIM_ATOMIC(and, atomic_and, u32)
SHIM_ATOMIC(or, atomic_or, u32)
SHIM_ATOMIC(swap, atomic_xchg, u32)
SHIM_ATOMIC_CAS(atomic_cmpxchg, u32)
SHIM_ATOMIC(add, atomic_add, i32)
SHIM_ATOMIC(min, atomic_min, i32)
SHIM_ATOMIC(max, atomic_max, i32)
SHIM_ATOMIC(swap, atomic_xchg, i32)
#if HOP_ATOMIC64
SHIM_ATOMIC(add, atom_add, u64)
SHIM_ATOMIC(min, atom_min, u64)
SHIM_ATOMIC(max, atom_max, u64)
SHIM_ATOMIC(or, atom_or, u64)
SHIM_ATOMIC(swap, atom_xchg, u64)
SHIM_ATOMIC_CAS(atom_cmpxchg, u64)
SHIM_ATOMIC(min, atom_min, i64)
#endif

#elif defined(__CUDACC_RTC__) || defined(__CUDACC__) || defined(__HIPCC_RTC__) || defined(__HIP__)

typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
typedef float f32;
#if HOP_FLOAT64
typedef double f64;
#endif

#define PREFETCH(pointer)      ((void)(pointer))
#define PREFETCH_READ(pointer) ((void)(pointer))

#define KERNEL_WG(n) extern "C" __global__ __launch_bounds__(n)
#define FN           static __device__ inline
#define GLOBAL
#define LOCALV __shared__
#define LOCALP
#define RESTRICT        __restrict__
#define U64_C(number)   number##ULL
#define I64_C(number)   number##LL
#define INFINITY_F32    __int_as_float(0x7f800000)
#define INFINITY_F64    __longlong_as_double(I64_C(0x7ff0000000000000))
#define BARRIER_LOCAL() __syncthreads()
#define BARRIER_ALL()   __syncthreads()
#define FENCE_GLOBAL()  __threadfence()

FN u32 local_id(void) {
    return threadIdx.x;
}
FN u32 group_id(void) {
    return blockIdx.x;
}
FN u32 group_count(void) {
    return gridDim.x;
}
FN u32 item_id(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}
FN u32 item_count(void) {
    return gridDim.x * blockDim.x;
}

#if HOP_WARPS
#if defined(__HIPCC_RTC__) || defined(__HIP__) /* some have warps of 64: each is two of ours */
FN u32 warp_ballot(u32 bit) {
    return (u32)(__ballot((int)bit) >> (threadIdx.x % warpSize & WARP));
}
#define warp_up(value, by) __shfl_up(value, by, WARP)
#else
FN u32 warp_ballot(u32 bit) {
    return __ballot_sync(0xffffffffu, (int)bit);
}
#define warp_up(value, by) __shfl_up_sync(0xffffffffu, value, by)
#endif
#endif

#define SHIM_ATOMIC(operation, builtin, type)                                                      \
    FN type atomic_##operation##_##type(GLOBAL type *word, type value) {                           \
        return builtin(word, value);                                                               \
    }                                                                                              \
    FN type atomic_##operation##_local_##type(LOCALP type *word, type value) {                     \
        return builtin(word, value);                                                               \
    }
#define SHIM_ATOMIC_CAS(builtin, type)                                                             \
    FN type atomic_cas_##type(GLOBAL type *word, type expected, type value) {                      \
        return builtin(word, expected, value);                                                     \
    }                                                                                              \
    FN type atomic_cas_local_##type(LOCALP type *word, type expected, type value) {                \
        return builtin(word, expected, value);                                                     \
    }
SHIM_ATOMIC(add, atomicAdd, u32)
SHIM_ATOMIC(min, atomicMin, u32)
SHIM_ATOMIC(max, atomicMax, u32)
SHIM_ATOMIC(and, atomicAnd, u32)
SHIM_ATOMIC(or, atomicOr, u32)
SHIM_ATOMIC(swap, atomicExch, u32)
SHIM_ATOMIC_CAS(atomicCAS, u32)
SHIM_ATOMIC(add, atomicAdd, i32)
SHIM_ATOMIC(min, atomicMin, i32)
SHIM_ATOMIC(max, atomicMax, i32)
SHIM_ATOMIC(swap, atomicExch, i32)
#if HOP_ATOMIC64
SHIM_ATOMIC(add, atomicAdd, u64)
SHIM_ATOMIC(min, atomicMin, u64)
SHIM_ATOMIC(max, atomicMax, u64)
SHIM_ATOMIC(or, atomicOr, u64)
SHIM_ATOMIC(swap, atomicExch, u64)
SHIM_ATOMIC_CAS(atomicCAS, u64)
#if defined(__HIPCC_RTC__) || defined(__HIP__) /* of signed words of 64 bits it has none by name */
#define SHIM_MIN_I64(word, value)                                                                  \
    __hip_atomic_fetch_min(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
SHIM_ATOMIC(min, SHIM_MIN_I64, i64)
#else
SHIM_ATOMIC(min, atomicMin, i64)
#endif
#endif

#else /* C11 on the host: one fiber per item, one group at a time. For tests. */

#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
#if HOP_FLOAT64
typedef double f64;
#endif

/* Filled in by what runs the fibers before each item's turn. */
struct shim_item {
    u32 local, group, groups, size;
    void (*barrier)(u32 line, u32 all);
};
extern struct shim_item shim_item;

#define PREFETCH(pointer)      __builtin_prefetch(pointer, 1)
#define PREFETCH_READ(pointer) __builtin_prefetch(pointer, 0)

/* `extern` alone marks the kernels for the program that makes callable functions of them. Local
 * variables stand in a section of their own, so that they can be filled with rubbish before each
 * group; with the address sanitizer they do not, since it only guards what stands elsewhere. */
#define KERNEL_WG(n)           extern
#define FN                     __attribute__((unused)) static inline
#define GLOBAL
#ifndef SHIM_LOCAL_SECTION
#define SHIM_LOCAL_SECTION 1
#endif
#if !SHIM_LOCAL_SECTION
#define LOCALV static
#else
#define LOCALV static __attribute__((section("shim_local")))
#endif
#define LOCALP
#define RESTRICT        restrict
#define U64_C(number)   UINT64_C(number)
#define I64_C(number)   INT64_C(number)
#define INFINITY_F32    __builtin_inff()
#define INFINITY_F64    __builtin_inf()
#define BARRIER_LOCAL() shim_item.barrier(__LINE__, 0)
#define BARRIER_ALL()   shim_item.barrier(__LINE__, 1)
#define FENCE_GLOBAL()  __asm__ volatile("" ::: "memory") /* one thread runs all items */

FN u32 local_id(void) {
    return shim_item.local;
}
FN u32 group_id(void) {
    return shim_item.group;
}
FN u32 group_count(void) {
    return shim_item.groups;
}
FN u32 item_id(void) {
    return shim_item.group * shim_item.size + shim_item.local;
}
FN u32 item_count(void) {
    return shim_item.groups * shim_item.size;
}

#define SHIM_ATOMIC_LOCAL(operation, type)                                                         \
    FN type atomic_##operation##_local_##type(LOCALP type *word, type value) {                     \
        return atomic_##operation##_##type(word, value);                                           \
    }
#define SHIM_ATOMIC(operation, builtin, type)                                                      \
    FN type atomic_##operation##_##type(GLOBAL type *word, type value) {                           \
        return builtin(word, value, __ATOMIC_RELAXED);                                             \
    }                                                                                              \
    SHIM_ATOMIC_LOCAL(operation, type)
#define SHIM_ATOMIC_IF(operation, better, type)                                                    \
    FN type atomic_##operation##_##type(GLOBAL type *word, type value) {                           \
        type old = __atomic_load_n(word, __ATOMIC_RELAXED);                                        \
        if (value better old)                                                                      \
            __atomic_store_n(word, value, __ATOMIC_RELAXED);                                       \
        return old;                                                                                \
    }                                                                                              \
    SHIM_ATOMIC_LOCAL(operation, type)
#define SHIM_ATOMIC_CAS(type)                                                                      \
    FN type atomic_cas_##type(GLOBAL type *word, type expected, type value) {                      \
        __atomic_compare_exchange_n(word, &expected, value, 0, __ATOMIC_RELAXED,                   \
                                    __ATOMIC_RELAXED);                                             \
        return expected;                                                                           \
    }                                                                                              \
    FN type atomic_cas_local_##type(LOCALP type *word, type expected, type value) {                \
        return atomic_cas_##type(word, expected, value);                                           \
    }
SHIM_ATOMIC(add, __atomic_fetch_add, u32)
SHIM_ATOMIC_IF(min, <, u32)
SHIM_ATOMIC_IF(max, >, u32)
SHIM_ATOMIC(and, __atomic_fetch_and, u32)
SHIM_ATOMIC(or, __atomic_fetch_or, u32)
SHIM_ATOMIC(swap, __atomic_exchange_n, u32)
SHIM_ATOMIC_CAS(u32)
SHIM_ATOMIC(add, __atomic_fetch_add, i32)
SHIM_ATOMIC_IF(min, <, i32)
SHIM_ATOMIC_IF(max, >, i32)
SHIM_ATOMIC(swap, __atomic_exchange_n, i32)
#if HOP_ATOMIC64
SHIM_ATOMIC(add, __atomic_fetch_add, u64)
SHIM_ATOMIC_IF(min, <, u64)
SHIM_ATOMIC_IF(max, >, u64)
SHIM_ATOMIC(or, __atomic_fetch_or, u64)
SHIM_ATOMIC(swap, __atomic_exchange_n, u64)
SHIM_ATOMIC_CAS(u64)
SHIM_ATOMIC_IF(min, <, i64)
#endif

#endif /* compilers */

/* The number of the lowest bit that is set; one is. */
FN u32 lowest_bit_u32(u32 bits) {
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
    return 31 - clz(bits & (0 - bits));
#elif defined(__CUDACC_RTC__) || defined(__CUDACC__) || defined(__HIPCC_RTC__) || defined(__HIP__)
    return 31 - (u32)__clz((int)(bits & (0 - bits)));
#else
    return (u32)__builtin_ctz(bits);
#endif
}

/* Four words at an address that 16 divides, by one access. */
FN void load_four_u32(GLOBAL const u32 *RESTRICT from, u32 *to) {
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__) ||     \
    defined(__CUDACC__) || defined(__HIPCC_RTC__) || defined(__HIP__)
    uint4 four = *(GLOBAL const uint4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
#else
    for (u32 i = 0; i < 4; i++)
        to[i] = from[i];
#endif
}

/* Before a loop whose count is known: all of its turns are written out. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__) ||     \
    defined(__CUDACC__) || defined(__HIPCC_RTC__) || defined(__HIP__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

/* Of a local variable: the least alignment of its first byte. */
#define ALIGNED(bytes) __attribute__((aligned(bytes)))

/* The lesser of two numbers of the same type, none of which is NaN: one instruction of a GPU, where
 * a comparison and a choice are two. Which of 0 and -0 is not said. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define least_f32(a, b) fmin((f32)(a), (f32)(b))
#define least_f64(a, b) fmin((f64)(a), (f64)(b))
#define least_int(a, b) min(a, b)
#elif defined(__CUDACC_RTC__) || defined(__CUDACC__) || defined(__HIPCC_RTC__) || defined(__HIP__)
#define least_f32(a, b) fminf(a, b)
#define least_f64(a, b) fmin(a, b)
#define least_int(a, b) min(a, b)
#else
#define least_f32(a, b) __builtin_fminf(a, b)
#define least_f64(a, b) __builtin_fmin(a, b)
#define least_int(a, b) ((b) < (a) ? (b) : (a))
#endif

/* How many bits are set. */
FN u32 bit_count_u32(u32 bits) {
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
    return popcount(bits);
#elif defined(__CUDACC_RTC__) || defined(__CUDACC__) || defined(__HIPCC_RTC__) || defined(__HIP__)
    return (u32)__popc(bits);
#else
    return (u32)__builtin_popcount(bits);
#endif
}

/* by < 32. The builtin because Oclgrind 21.10 does not know what compilers make of the shifts. */
FN u32 rotate_left_u32(u32 value, u32 by) {
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
    return rotate(value, by);
#else
    return value << by | value >> (32 - by) % 32;
#endif
}

/* For the same reason. */
FN u64 swap_halves_u64(u64 value) {
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
    return rotate(value, (u64)32);
#else
    return value << 32 | value >> 32;
#endif
}

/* Relaxed accesses: neither torn nor optimised away, and not ordered with others. 64-bit ones need
 * a device whose 64-bit accesses do not tear; all with 64-bit atomics are taken to be such. */
#if RACE_CHECK
#define SHIM_RELAXED(type)                                                                         \
    FN type relaxed_load_##type(GLOBAL const type *word) {                                         \
        return atomic_add_##type((GLOBAL type *)word, 0);                                          \
    }                                                                                              \
    FN void relaxed_store_##type(GLOBAL type *word, type value) {                                  \
        atomic_swap_##type(word, value);                                                           \
    }                                                                                              \
    FN type relaxed_load_local_##type(LOCALP const type *word) {                                   \
        return atomic_add_local_##type((LOCALP type *)word, 0);                                    \
    }                                                                                              \
    FN void relaxed_store_local_##type(LOCALP type *word, type value) {                            \
        atomic_swap_local_##type(word, value);                                                     \
    }
#else
#define SHIM_RELAXED(type)                                                                         \
    FN type relaxed_load_##type(GLOBAL const type *word) {                                         \
        return *(volatile GLOBAL const type *)word;                                                \
    }                                                                                              \
    FN void relaxed_store_##type(GLOBAL type *word, type value) {                                  \
        *(volatile GLOBAL type *)word = value;                                                     \
    }                                                                                              \
    FN type relaxed_load_local_##type(LOCALP const type *word) {                                   \
        return *(volatile LOCALP const type *)word;                                                \
    }                                                                                              \
    FN void relaxed_store_local_##type(LOCALP type *word, type value) {                            \
        *(volatile LOCALP type *)word = value;                                                     \
    }
#endif
SHIM_RELAXED(u32)
#if HOP_ATOMIC64 || !RACE_CHECK
SHIM_RELAXED(u64)
#endif

/* The same for halves of words, in global memory alone. A buffer of them has an even number: to
 * check races, the word around it is touched. */
FN u16 relaxed_load_u16(GLOBAL const u16 *place) {
#if RACE_CHECK
    u64 odd = (u64)place >> 1 & 1;
    return (u16)(atomic_add_u32((GLOBAL u32 *)(place - odd), 0) >> 16 * odd);
#else
    return *(volatile GLOBAL const u16 *)place;
#endif
}

FN void relaxed_store_u16(GLOBAL u16 *place, u16 value) {
#if RACE_CHECK
    u64 odd = (u64)place >> 1 & 1;
    GLOBAL u32 *word = (GLOBAL u32 *)(place - odd);
    u32 mask = 0xffffu << 16 * odd, old, seen = atomic_add_u32(word, 0);
    do {
        old = seen;
        seen = atomic_cas_u32(word, old, (old & ~mask) | (u32)value << 16 * odd);
    } while (seen != old);
#else
    *(volatile GLOBAL u16 *)place = value;
#endif
}

/* This item's share of [0, count): from work_begin, in steps of work_step, below work_end. */
#if WORK_CHUNKED
FN u64 work_chunk(u64 count) {
    return (count + item_count() - 1) / item_count();
}
FN u64 work_begin(u64 count) {
    u64 begin = work_chunk(count) * item_id();
    return begin < count ? begin : count;
}
FN u64 work_end(u64 count) {
    u64 begin = work_begin(count), chunk = work_chunk(count);
    return chunk < count - begin ? begin + chunk : count;
}
FN u64 work_step(void) {
    return 1;
}
#else
FN u64 work_begin(u64 count) {
    u64 begin = item_id();
    return begin < count ? begin : count;
}
FN u64 work_end(u64 count) {
    return count;
}
FN u64 work_step(void) {
    return item_count();
}
#endif
/* Some kernels give each *worker* one contiguous range and keep the ranges in order. A worker is an
 * item where work is chunked, and a group elsewhere, whose items then share each tile of the
 * range. */
#if WORK_CHUNKED
FN u32 worker_id(void) {
    return item_id();
}
FN u32 worker_count(void) {
    return item_count();
}
#else
FN u32 worker_id(void) {
    return group_id();
}
FN u32 worker_count(void) {
    return group_count();
}
#endif
/* The range of worker number `worker` of `workers` begins here and ends where the next begins. */
FN u64 worker_begin(u64 count, u32 worker, u32 workers) {
    u64 begin = (count + workers - 1) / workers * worker;
    return begin < count ? begin : count;
}

#define FOR_WORK(i, count)                                                                         \
    for (u64 i = work_begin(count), i##_end = work_end(count), i##_step = work_step();             \
         i < i##_end; i += i##_step)

#endif
