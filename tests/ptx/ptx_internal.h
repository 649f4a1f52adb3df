/* SPDX-License-Identifier: Apache-2.0
 * What the files of the interpreter share. */
#ifndef HOPLITE_TESTS_PTX_INTERNAL_H
#define HOPLITE_TESTS_PTX_INTERNAL_H

#include "ptx/ptx.h"

#define PTX_NONE UINT32_MAX
enum { PTX_LANES = 32 };

/* Generic addresses: the window is in the upper byte. */
#define PTX_WINDOW(address) ((address) >> 56)
#define PTX_SHARED_WINDOW   (1ull << 56)
#define PTX_LOCAL_WINDOW    (2ull << 56)
#define PTX_GLOBAL_WINDOW   (4ull << 56)

/* --- instructions ---------------------------------------------------------------------------- */

/* Registers of one warp: one word per lane. A value is kept in the lower bits, the rest is 0. */
typedef struct ptx_values {
    uint64_t *d;
    const uint64_t *a, *b, *c, *e;
    const uint64_t *keep; /* all ones for lanes that run */
    uint64_t wide;        /* all ones in as many bits as d has */
} ptx_values;
typedef void ptx_lanes(const ptx_values *values);

/* Instructions that only compute, by name, with '_' for '.': ptx_arithmetic.c. */
typedef struct ptx_opcode {
    const char *name;
    ptx_lanes *run;
    uint32_t sources;
} ptx_opcode;
extern const ptx_opcode ptx_opcodes[];
extern const size_t ptx_opcode_count;
/* NULL if there is none. The modifiers that change nothing here are ignored. */
const ptx_opcode *ptx_opcode_find(const char *mnemonic);

typedef enum ptx_kind {
    PTX_COMPUTE,
    PTX_LOAD,
    PTX_STORE,
    PTX_ATOMIC,
    PTX_BRANCH,
    PTX_CALL,   /* as a branch, after the place behind it was put into register a */
    PTX_RETURN, /* to the place in register a */
    PTX_END,
    PTX_BARRIER,
    PTX_TOGETHER, /* the items of a mask give each other their values: ptx_together.c */
    PTX_STOP,     /* trap */
    PTX_FENCE,
    PTX_CLOCK /* reads a register that counts */
} ptx_kind;

typedef enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAMETER } ptx_space;

typedef enum ptx_update {
    PTX_ADD,
    PTX_AND,
    PTX_OR,
    PTX_XOR,
    PTX_EXCHANGE,
    PTX_SWAP_IF, /* cas */
    PTX_MIN,
    PTX_MAX,
    PTX_INCREMENT,
    PTX_DECREMENT
} ptx_update;

typedef enum ptx_exchange {
    PTX_BALLOT, /* of vote, as the next two */
    PTX_ANY,
    PTX_ALL,
    PTX_UP, /* of shfl, as the rest */
    PTX_DOWN,
    PTX_BUTTERFLY,
    PTX_INDEX
} ptx_exchange;

typedef enum ptx_class { PTX_BITS, PTX_UNSIGNED, PTX_SIGNED, PTX_FLOAT } ptx_class;

/* How memory is accessed: ptx_decode.c. */
typedef struct ptx_access {
    ptx_space space;
    ptx_class class;
    ptx_update update;
    uint8_t bytes, vector;
    bool strong; /* volatile or with an order: not a race with another such */
} ptx_access;

typedef struct ptx_instruction {
    ptx_kind kind;
    ptx_work work;
    ptx_lanes *run;
    ptx_access access;
    ptx_exchange exchange;
    bool source_negated; /* of vote */
    bool negated;        /* the predicate is */
    bool unread;         /* an atomic whose result is used nowhere: ptx_weak_mark */
    bool narrow;        /* the address is in a register of 32 bits, and so is its sum with offset */
    uint32_t predicate; /* register, or PTX_NONE */
    uint32_t d, a, b, c, e;
    uint32_t values[4]; /* of memory: what is loaded into, or stored; PTX_NONE: not wanted */
    uint64_t wide;      /* mask of d's bits */
    uint32_t target, line;
    int64_t offset;
} ptx_instruction;

/* Sets kind, run and access from the mnemonic, and how many operands follow the destination. False
 * when it is not known. */
bool ptx_decode(const char *mnemonic, ptx_instruction *instruction, uint32_t *sources);
/* Bytes and class of "u32", "f64"; false when it is no type. pred has 0 bytes. */
bool ptx_type(const char *name, uint32_t *bytes, ptx_class *class);

/* --- kernels --------------------------------------------------------------------------------- */

enum { PTX_SPECIALS = 24 };

typedef struct ptx_register {
    uint64_t value; /* of a constant */
    uint8_t bits;   /* 0: a constant */
} ptx_register;

struct ptx_kernel {
    struct ptx_facts facts;
    char name[256];
    ptx_instruction *code;
    uint32_t count, register_count;
    ptx_register *registers;         /* number 0 is the constant 0 */
    uint32_t specials[PTX_SPECIALS]; /* registers, PTX_NONE where not used */
    ptx_parameter *parameters;
    ptx_kernel *next;
};

struct ptx_module {
    ptx_kernel *kernels;
    uint64_t *globals; /* allocations */
    uint32_t global_count;
};

/* Names of special registers, in the order of ptx_kernel.specials. */
extern const char *const ptx_special_names[PTX_SPECIALS];
enum ptx_special {
    PTX_TID, /* x y z */
    PTX_NTID = 3,
    PTX_CTAID = 6,
    PTX_NCTAID = 9,
    PTX_LANEID = 12,
    PTX_WARPID,
    PTX_NWARPID,
    PTX_SMID,
    PTX_NSMID,
    PTX_GRIDID,
    PTX_LANEMASK_EQ,
    PTX_LANEMASK_LT,
    PTX_LANEMASK_LE,
    PTX_LANEMASK_GT,
    PTX_LANEMASK_GE,
    PTX_WARP_SIZE
};

/* --- the machine ----------------------------------------------------------------------------- */

typedef struct ptx_block_counts ptx_block_counts;
typedef struct ptx_block {
    uint64_t at;
    size_t bytes;
    ptx_block_counts *counts; /* NULL where nothing is counted */
} ptx_block;

/* A change of global memory, where memory is weak: what was there before. */
enum { PTX_PAST = 256, PTX_SEEN = 1024 };
typedef struct ptx_past {
    char *at;
    uint32_t bytes;
    char old[16];
} ptx_past;

struct ptx_machine {
    ptx_options options;
    uint64_t changes; /* so far; number n is in past[n % PTX_PAST] */
    ptx_past past[PTX_PAST];
    uint64_t random, clock;
    ptx_block *blocks; /* by address */
    size_t block_count, block_capacity;
    ptx_block recent;        /* the last one that was found */
    uint64_t launches;       /* so far */
    uint64_t launch_hottest; /* of this one: ptx_count.c */
    ptx_error error;
    char message[512];
};

uint32_t ptx_random(ptx_machine *machine);
/* Sets the message; returns `error`. */
__attribute__((format(printf, 3, 4))) ptx_error ptx_fail(ptx_machine *machine, ptx_error error,
                                                         const char *format, ...);
/* The block that holds [address, address + bytes), or NULL. */
const ptx_block *ptx_block_of(ptx_machine *machine, uint64_t address, size_t bytes);

/* One item's accesses to a word of shared memory since the group's last barrier. */
typedef struct ptx_shadow {
    uint32_t written, read;  /* at which barrier of the group */
    uint16_t writer, reader; /* item */
    bool write_strong, read_strong, several_writers, several_readers;
} ptx_shadow;

typedef struct ptx_warp {
    uint64_t *registers;
    uint8_t *local;
    uint32_t first; /* item */
    uint32_t live, waiting;
    uint32_t held; /* wait for others of their mask */
    uint32_t at[PTX_LANES];
} ptx_warp;

typedef struct ptx_pending ptx_pending; /* a store that others do not see yet */

typedef struct ptx_group {
    ptx_warp *warps;
    ptx_machine *machine;
    ptx_pending *pending; /* oldest first */
    uint32_t pending_count;
    uint64_t fresh;          /* nothing older than this change is read */
    uint64_t seen[PTX_SEEN]; /* nor than these, by address */
    uint8_t *shared;
    ptx_shadow *shadow;
    uint32_t id[3];
    uint32_t live, arrived, barrier_at, epoch;
    uint32_t held; /* turns that it does not get, where memory is weak */
    bool running;
} ptx_group;

/* A launch under way. */
typedef struct ptx_run {
    ptx_machine *machine;
    ptx_kernel *kernel;
    const uint8_t *parameters;
    uint32_t groups[3], group[3];
    uint32_t items, warps;
} ptx_run;

/* ptx_access.c: loads, stores and atomics of the lanes in `lanes`. False with a message. */
bool ptx_memory(const ptx_run *run, ptx_group *group, ptx_warp *warp, const ptx_instruction *what,
                uint32_t lanes);
/* ptx_count.c: an access of these lanes, before it is made; the kind of an instruction from its
 * name; the end of a launch; of a block. */
void ptx_count_access(const ptx_run *run, const ptx_warp *warp, const ptx_instruction *what,
                      uint32_t lanes);
ptx_work ptx_work_of(const char *mnemonic, const ptx_instruction *what);
void ptx_count_end(const ptx_run *run);
ptx_block_counts *ptx_count_block(void);
void ptx_count_release(ptx_block_counts *counts);
/* ptx_together.c: of these lanes, those whose whole mask is here exchange what they have to, and
 * are added to *gone. False with a message; also when nobody of the warp can go on. */
bool ptx_together(const ptx_run *run, const ptx_group *group, const ptx_warp *warp,
                  const ptx_instruction *what, uint32_t lanes, uint32_t *gone);
bool ptx_together_stuck(const ptx_run *run, const ptx_group *group, const ptx_warp *warp);
/* ptx_warp.c: runs the warp for about `steps` instructions. */
typedef enum ptx_turn { PTX_IDLE, PTX_RAN, PTX_FAILED } ptx_turn;
ptx_turn ptx_warp_run(const ptx_run *run, ptx_group *group, ptx_warp *warp, uint32_t steps);
/* What an atomic does to a word; gives what was there. */
uint64_t ptx_update_word(const ptx_access *access, void *word, uint64_t b, uint64_t c);
/* ptx_weak.c: stores and loads of global memory of an item, where memory is weak; an atomic whose
 * result is not read; before another one to these bytes, and when it is about to change them; a
 * fence of the lanes of the warp whose first item is `first`; a barrier of the group; from time to
 * time; in the end, and before a group begins. */
void ptx_weak_store(ptx_group *group, uint32_t item, char *at, const void *data, uint32_t bytes);
void ptx_weak_load(ptx_group *group, const char *at, void *data, uint32_t bytes);
void ptx_weak_update_late(ptx_group *group, uint32_t item, char *at, const ptx_access *access,
                          uint64_t b, uint64_t c);
void ptx_weak_update(ptx_group *group, const char *at, uint32_t bytes);
void ptx_weak_changes(ptx_group *group, char *at, uint32_t bytes);
void ptx_weak_fence(ptx_group *group, uint32_t first, uint32_t lanes);
void ptx_weak_barrier(ptx_group *group);
void ptx_weak_turn(const ptx_run *run, ptx_group *group);
void ptx_weak_end(ptx_group *group);
/* Finds the atomics whose result is read nowhere. */
void ptx_weak_mark(ptx_kernel *kernel);
/* Lets the group through a barrier when all are there. */
void ptx_barrier_open(const ptx_run *run, ptx_group *group);

#endif
