/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/stacks.h
 * \brief Interns call stacks as a tree: equal ones have the same ID, and common outer frames are stored once. Interns
 * the positions of lines of their frames. Owner: the writer thread.
 */
#ifndef RECORDER_TABLES_STACKS_H
#define RECORDER_TABLES_STACKS_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/tables/keys.h"
#include "recorder/tables/native_code.h"
#include "recorder/tables/output.h"

/** What is recorded of a frame beside its method or address. All zero: nothing. */
typedef struct frame_line {
	uint64_t line; /**< The element with #MPROF_FRAME_LINE, 0 if none. */
	uint32_t file; /**< The ID of a text, 0 if none. */
	uint32_t reserved;
} frame_line;

/** Frames without the elements that state their lines. */
typedef struct split_frames {
	mprof_frame frames[MPROF_STACK_MAX];
	frame_line lines[MPROF_STACK_MAX]; /**< Of the frames. */
	size_t count;
} split_frames;

/** The lines of frames that are in the log. */
typedef struct position_store {
	mprof_allocator allocator;
	recorder_output *output;
	const uint32_t *texts; /**< The number of texts that the log defines. */
	hash_map ids;          /**< IDs by the hash of the position; IDs of equal hashes follow at the next ones. */
	mprof_record *records; /**< By ID - first_id: those since the recorder was opened. */
	size_t capacity;
	uint32_t first_id; /**< Of the records. */
	uint32_t count;    /**< The last ID. */
	uint32_t written;  /**< The last ID that is in the log. */
} position_store;

/**
 * The ID of a position in a method; 0 if the log cannot have it, which is counted. It may be used in a block after
 * positions_write().
 */
uint32_t positions_of_line(position_store *positions, uint32_t method, uint32_t line, uint32_t file, int is_inlined);

/** Writes the positions that are not in the log yet. What they refer to is. */
void positions_write(position_store *positions);

/** The IDs up to \p last are those of a process that has ended. */
void position_store_resume(position_store *positions, uint32_t last);

/**
 * Maximum number of interned call stacks, including those that are parts of others: 256 MiB of memory, or half as much
 * again while the table grows. Further ones get the ID 0.
 */
#define MAX_STACKS (UINT32_C(1) << 23)

/** The call stack that was interned last for a thread. All zero at first. */
typedef struct stack_memory {
	struct remembered_stack *last; /**< NULL before the first. */
} stack_memory;

typedef struct stack_store {
	mprof_allocator allocator;
	recorder_keys *keys; /**< For the methods of frames. */
	recorder_output *output;
	hash_map ids;          /**< Stack IDs by the caller's ID and the frame. */
	uint32_t count;        /**< Call stacks interned; their IDs are 1 to this. */
	mprof_record *pending; /**< Call stacks that are not in the log yet. */
	size_t pending_count;
	native_code code;
	position_store positions;
	split_frames split;         /**< The frames of the call stack that is interned. */
	stack_memory sample_memory; /**< For the call stacks of samples. */
} stack_store;

/** The key of a frame's method, which may be 0. The frame is not native. */
static inline mprof_key frame_method(mprof_frame frame)
{
	return frame & ~MPROF_FRAME_COMPILING;
}

/** \p texts: the number of texts that the log defines. Returns 0 if there is no memory. */
int stack_store_init(stack_store *stacks, recorder_shared *shared, recorder_keys *keys, const uint32_t *texts,
		     const mprof_recorder_options *options);
void stack_store_destroy(stack_store *stacks);

/**
 * The ID of a call stack, whose frames are listed innermost first, with their lines; at most #MPROF_STACK_MAX.
 * Keys are resolved as of \p counter. All native frames except the innermost are return addresses. \p memory is that of
 * one thread or of several: it saves time if consecutive call stacks have many frames in common.
 *
 * Returns 0 if there are no frames, or if a frame gets no ID: out of memory, #MAX_STACKS call stacks, or nothing is
 * written any more. A call stack without its inner frames would attribute the cost of callees to callers.
 *
 * May write blocks: do not call it inside a block. The ID may be used in a block after stacks_write().
 */
uint32_t stacks_intern(stack_store *stacks, stack_memory *memory, const mprof_frame *frames, size_t count,
		       uint64_t counter);

/** Applies an entry of the journal of a process that has ended, as native_code_recover() does. */
int stacks_recover(stack_store *stacks, const journal_entry *entry);

/** Appends all IDs of call stacks and of native code to the journal, and the list of modules. */
void stacks_write_journal(stack_store *stacks);

/** Writes the call stacks that are not in the log yet, and before them the native code that they refer to. */
void stacks_write(stack_store *stacks);

void stack_memory_destroy(stack_memory *memory, const mprof_allocator *allocator);

#endif
