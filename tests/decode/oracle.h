/* SPDX-License-Identifier: MIT */
/**
 * \file decode/oracle.h
 * \brief Reproduces the output of the decoder of Mono 2 for a log, with each of its faults optional.
 *
 * With all faults the text is that of the decoder, except for the order of its lines. Without any it is that of mprof
 * decode. So each line that differs between the two is caused by a fault, and the text without faults is what a correct
 * decoder would print. Events come from the library's parser; everything else is computed here independently of the
 * library's model and of mprof decode, none of whose code is used.
 */
#ifndef DECODE_ORACLE_H
#define DECODE_ORACLE_H

#include "facts.h"

#include <mprof/parser.h>

/** Faults of the decoder, and its differences to mprof decode. faults.c names and explains them. */
typedef enum oracle_fault {
	FAULT_HEADERS,
	FAULT_MISSING_END,
	FAULT_FLAGS,
	FAULT_BLOCK_STARTS,
	FAULT_GARBAGE_TIMES,
	FAULT_COMPILATION_NAMES,
	FAULT_NESTED_COMPILATIONS,
	FAULT_LOST_FRAMES,
	FAULT_OPEN_CALLS,
	FAULT_THREADS,
	FAULT_ONE_STACK,
	FAULT_CHAINS,
	FAULT_UNKNOWN_METHODS,
	FAULT_REPEATED_FUNCTIONS,
	FAULT_RESIZES,
	FAULT_WAITS,
	FAULT_SECONDS,
	FAULT_SUMS,
	FAULT_FAILED_LOADS,
	FAULT_EARLY_DEATHS,
	FAULT_BYTES_OF_NAMES,
	FAULT_STACK_NUMBERS,
	FAULT_ORDER,
	FAULT_COUNT
} oracle_fault;

/** A class or a method, by its ID. */
typedef struct named {
	char *name; /**< NULL if not defined. */
	uint32_t id;
	uint32_t class_id;
	uint64_t bytes;     /**< Allocated. */
	uint64_t remaining; /**< Allocated and not reported dead; negative if more was reported dead. */
	uint64_t clicks;    /**< In calls. */
	uint64_t compiling; /**< Clicks. */
	uint64_t compilation_start;
} named;

typedef struct name_table {
	named *entries;
	size_t count; /**< The greatest ID + 1. */
	size_t capacity;
	size_t defined;
	const named **sorted; /**< The defined entries, in the order of the latest output. */
} name_table;

/** An open call or compilation. */
typedef struct open_frame {
	uint32_t method;
	int is_compiling;
	uint64_t start;
	size_t node; /**< In the tree of the stack. */
} open_frame;

typedef struct frame_stack {
	open_frame *frames; /**< The outermost first. */
	size_t count;
	size_t capacity;
} frame_stack;

/** Calls form one tree and stack sections another; with #FAULT_ONE_STACK both are in the first. */
enum { TREE_CALLS, TREE_SECTIONS, TREE_COUNT };

/** Sums of a node. fact::key holds the caller's node, the method, and whether it is being compiled. */
enum { NODE_CLICKS, NODE_CALLS, NODE_NUMBER };

/** Nodes are rows of the table, from 1 on; 0 is no node. */
typedef struct call_tree {
	fact_table nodes;
	uint64_t numbered;
} call_tree;

/** A node of a tree. */
typedef struct trace {
	int tree;
	size_t node;
} trace;

typedef struct thread_state {
	uint64_t id;
	uint64_t base; /**< Base counter of its last block. */
	uint64_t last; /**< Counter of its last event, from the parser. */
	uint64_t now;  /**< The same, with the faults applied. */
	int has_block;
	frame_stack stacks[TREE_COUNT];
	frame_stack compilations;
	int is_waiting;
	uint64_t wait_start;
	uint64_t wait_object;
	uint32_t wait_class;
	trace wait_trace;
} thread_state;

typedef struct oracle {
	unsigned faults; /**< Bits. */
	uint32_t dialect;
	uint64_t flags; /**< Flags of INTRO. */
	mprof_clock start;
	mprof_clock last; /**< Of END if it was read, else the latest. */
	int has_ended;
	uint64_t directives;
	int has_allocation_stacks;
	name_table classes;
	name_table methods;
	thread_state *threads;
	size_t thread_count;
	size_t thread_capacity;
	call_tree trees[TREE_COUNT];
	fact_table callers;     /**< Calls by method and caller. */
	fact_table allocations; /**< Bytes and instances by class << 1 | being compiled, and method. */
	fact_table paths;       /**< Bytes and instances by row of allocations, and trace. */
	struct hit_state *hits;
	struct wait_state *waits;
	struct collection_state *collections;
	struct heap_state *heap;
} oracle;

static inline int has_fault(const oracle *all, oracle_fault fault)
{
	return (all->faults >> fault & 1) != 0;
}

/** Whether the flags of INTRO announce a section; without #FAULT_FLAGS any nonzero \p amount also counts. */
static inline int has_section(const oracle *all, uint32_t flag, uint64_t amount)
{
	return (all->flags & flag) != 0 || (amount > 0 && !has_fault(all, FAULT_FLAGS));
}

/** Adds to a sum of bytes, which has 32 bits in the decoder. */
static inline void add_bytes(const oracle *all, uint64_t *sum, uint64_t bytes)
{
	*sum += bytes;
	if (has_fault(all, FAULT_SUMS))
		*sum = (uint32_t)*sum;
}

/** faults.c: disables a fault by its name, or "all". Returns 0 if there is no fault of that name. */
int faults_without(unsigned *left, const char *name);

/** Prints the names and descriptions of all faults. */
void faults_list(void);

/** read.c: reads a log. Returns 0 if the decoder would have given up; the reason has been printed then. */
int oracle_read(oracle *all, const char *path);

/** events.c: processes a block, of which the bytes at \p payload are available. Returns 0 as oracle_read() does. */
int events_add(oracle *all, mprof_parser *parser, const mprof_block *block, const uint8_t *payload, size_t length);

/** names.c: the entry of an ID, which need not be defined. */
named *names_get(name_table *names, uint32_t id);
void names_define(name_table *names, uint32_t id, uint32_t class_id, const char *name);

/** Fills name_table::sorted, by ID. Call it after all IDs are defined. */
void names_finish(name_table *names);
void names_release(name_table *names);
void print_text(const oracle *all, const char *text);
void print_class(oracle *all, uint32_t id);
void print_method(oracle *all, uint32_t id);
void print_method_alone(oracle *all, uint32_t id);

/** numbers.c: writes numbers as the decoder's runtime does. */
double clicks_to_seconds(const oracle *all, uint64_t clicks);
void print_number(double number, int decimals);
void print_percent(double part, double whole);

/** order.c: negative, 0 or positive for two items of an array of pointers. */
typedef int (*item_order)(const void *left, const void *right);

/**
 * Sorts as the decoder's runtime does, in descending order if \p is_reversed. Without #FAULT_ORDER, equal items are put
 * in the order of \p rest, unless it is NULL.
 */
void sort_items(const oracle *all, void *items, size_t count, item_order order, int is_reversed, item_order rest);
int order_numbers(uint64_t left, uint64_t right);

/** Compares classes or methods by ID, and facts by their first sums and by the second parts of their keys. */
int order_ids(const void *left, const void *right);
int order_sums(const void *left, const void *right);
int order_parts(const void *left, const void *right);

/** stacks.c: the call stacks of threads. Times are those of the thread. */
thread_state *stacks_thread(oracle *all, uint64_t id);
void stacks_enter(oracle *all, thread_state *thread, uint32_t method);
void stacks_leave(oracle *all, thread_state *thread, uint32_t method);
void stacks_enter_compilation(oracle *all, thread_state *thread, uint32_t method);
void stacks_leave_compilation(oracle *all, thread_state *thread, uint32_t method);

/** Sets the frames of a stack section. Returns 0 if the stack is not as deep as the section states. */
int stacks_adjust(oracle *all, thread_state *thread, const mprof_event *event);

/** A thread starts or ends. */
void stacks_clear(oracle *all, thread_state *thread);

/** The log ends. */
void stacks_end(oracle *all);
void stacks_release(oracle *all);

/** The innermost frame, and the tree that it is in; NULL if none. */
const open_frame *stacks_top(const thread_state *thread, int *tree);

/** Marks the node of the innermost frame for output: it gets a number. */
trace stacks_trace(oracle *all, const thread_state *thread);

/** The sections of the text, each in a file of its name: the data that they collect from events, and the output. */
void compilations_start(oracle *all, thread_state *thread, uint32_t method);
void compilations_end(oracle *all, thread_state *thread, uint32_t method);
void compilations_print(oracle *all);

void allocations_add(oracle *all, const thread_state *thread, const mprof_event *event);
void allocations_print(oracle *all);

void calls_print(oracle *all);

void hits_define(oracle *all, const mprof_record *record);
void hits_add(oracle *all, const mprof_event *frames, size_t count);
void hits_print(oracle *all);
void hits_release(oracle *all);

void waits_add(oracle *all, thread_state *thread, const mprof_event *event);
void waits_print(oracle *all);
void waits_release(oracle *all);

void collections_add(oracle *all, const mprof_event *event, uint64_t now);
void collections_print(oracle *all);
void collections_release(oracle *all);

void heap_begin_shot(oracle *all, const mprof_block *block);
void heap_free(oracle *all, const mprof_event *event);
void heap_begin_summary(oracle *all, const mprof_block *block);
void heap_summarize(oracle *all, const mprof_record *record);
void heap_print_summaries(oracle *all);
void heap_print_shots(oracle *all);
void heap_release(oracle *all);

/** oracle.c: prints the heading of a section. */
void print_separator(void);

#endif
