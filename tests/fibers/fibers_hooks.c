/* SPDX-License-Identifier: Apache-2.0
 *
 * What compilers call in code that is compiled with -fsanitize=thread, for each access to memory;
 * linked with traced kernels in the place of the sanitizer's own library. Accesses to volatile
 * objects have calls of their own: they are the shim's relaxed loads and stores. */
#include <stdint.h>
#include <string.h>

enum { READ, WRITE, ATOMIC_READ, ATOMIC_WRITE };
void (*fibers_trace)(const void *address, uint32_t bytes, int access, const void *site);

#define HOOK       __attribute__((visibility("hidden")))
#define SEEN(b, k) fibers_trace(address, b, k, __builtin_return_address(0))
#define PLAIN(b)                                                                                   \
    HOOK void __tsan_read##b(void *address);                                                       \
    HOOK void __tsan_write##b(void *address);                                                      \
    HOOK void __tsan_volatile_read##b(void *address);                                              \
    HOOK void __tsan_volatile_write##b(void *address);                                             \
    HOOK void __tsan_read_write##b(void *address);                                                 \
    void __tsan_read##b(void *address) {                                                           \
        SEEN(b, READ);                                                                             \
    }                                                                                              \
    void __tsan_write##b(void *address) {                                                          \
        SEEN(b, WRITE);                                                                            \
    }                                                                                              \
    void __tsan_volatile_read##b(void *address) {                                                  \
        SEEN(b, ATOMIC_READ);                                                                      \
    }                                                                                              \
    void __tsan_volatile_write##b(void *address) {                                                 \
        SEEN(b, ATOMIC_WRITE);                                                                     \
    }                                                                                              \
    void __tsan_read_write##b(void *address) {                                                     \
        SEEN(b, READ);                                                                             \
        SEEN(b, WRITE);                                                                            \
    }
/* Two accesses that clang makes one of, as large as both and aligned as each. */
#define UNALIGNED(b)                                                                               \
    HOOK void __tsan_unaligned_read##b(void *address);                                             \
    HOOK void __tsan_unaligned_write##b(void *address);                                            \
    void __tsan_unaligned_read##b(void *address) {                                                 \
        SEEN(b, READ);                                                                             \
    }                                                                                              \
    void __tsan_unaligned_write##b(void *address) {                                                \
        SEEN(b, WRITE);                                                                            \
    }
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

#define UPDATE(bits, name, expression)                                                             \
    HOOK uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *address,                      \
                                                     uint##bits##_t value, int order);             \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *address, uint##bits##_t value,     \
                                                int order) {                                       \
        uint##bits##_t old = *address;                                                             \
        (void)order;                                                                               \
        SEEN(bits / 8, ATOMIC_WRITE);                                                              \
        *address = expression;                                                                     \
        return old;                                                                                \
    }
#define ATOMIC(bits)                                                                               \
    UPDATE(bits, exchange, value)                                                                  \
    UPDATE(bits, fetch_add, old + value)                                                           \
    UPDATE(bits, fetch_sub, old - value)                                                           \
    UPDATE(bits, fetch_and, old &value)                                                            \
    UPDATE(bits, fetch_or, old | value)                                                            \
    UPDATE(bits, fetch_xor, old ^ value)                                                           \
    HOOK uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *address, int order);      \
    HOOK void __tsan_atomic##bits##_store(uint##bits##_t *address, uint##bits##_t value, int o);   \
    HOOK int __tsan_atomic##bits##_compare_exchange_strong(                                        \
        uint##bits##_t *address, uint##bits##_t *expected, uint##bits##_t value, int o, int p);    \
    HOOK uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                \
        uint##bits##_t *address, uint##bits##_t expected, uint##bits##_t value, int o, int p);     \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *address, int order) {          \
        (void)order;                                                                               \
        SEEN(bits / 8, ATOMIC_READ);                                                               \
        return *address;                                                                           \
    }                                                                                              \
    void __tsan_atomic##bits##_store(uint##bits##_t *address, uint##bits##_t value, int o) {       \
        (void)o;                                                                                   \
        SEEN(bits / 8, ATOMIC_WRITE);                                                              \
        *address = value;                                                                          \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *address, uint##bits##_t expected, uint##bits##_t value, int o, int p) {    \
        uint##bits##_t old = *address;                                                             \
        (void)o, (void)p;                                                                          \
        SEEN(bits / 8, ATOMIC_WRITE);                                                              \
        if (old == expected)                                                                       \
            *address = value;                                                                      \
        return old;                                                                                \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(                                             \
        uint##bits##_t *address, uint##bits##_t *expected, uint##bits##_t value, int o, int p) {   \
        uint##bits##_t old = *address, wanted = *expected;                                         \
        (void)o, (void)p;                                                                          \
        SEEN(bits / 8, ATOMIC_WRITE);                                                              \
        if (old == wanted)                                                                         \
            *address = value;                                                                      \
        *expected = old;                                                                           \
        return old == wanted;                                                                      \
    }
ATOMIC(32)
ATOMIC(64)

HOOK void __tsan_init(void);
HOOK void __tsan_func_entry(void *caller);
HOOK void __tsan_func_exit(void);
HOOK void *__tsan_memset(void *address, int value, size_t bytes);
HOOK void *__tsan_memcpy(void *address, const void *from, size_t bytes);
void __tsan_init(void) {
}
void __tsan_func_entry(void *caller) {
    (void)caller;
}
void __tsan_func_exit(void) {
}
void *__tsan_memset(void *address, int value, size_t bytes) {
    SEEN((uint32_t)bytes, WRITE);
    return memset(address, value, bytes);
}
void *__tsan_memcpy(void *address, const void *from, size_t bytes) {
    SEEN((uint32_t)bytes, WRITE);
    fibers_trace(from, (uint32_t)bytes, READ, __builtin_return_address(0));
    return memcpy(address, from, bytes);
}
