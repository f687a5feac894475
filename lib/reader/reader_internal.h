/* SPDX-License-Identifier: MIT */
/**
 * \file reader/reader_internal.h
 * \brief The struct of the reader, for the files of lib/reader only.
 *
 * reader.c opens it and looks up definitions. blocks.c feeds the parser and moves from block to block; ahead.c decodes
 * blocks on other threads. learn.c stores definitions, and notes the blocks that it has read. fetch.c delivers the
 * items of a block, with call_stacks.c for stack sections and statistical samples, and open_frames.c for open calls.
 * index.c and block_index.c have the offsets of blocks; time.c and time_scale.c seek by time. errors.c reports faults
 * and progress.
 */
#ifndef READER_READER_INTERNAL_H
#define READER_READER_INTERNAL_H

#include <mprof/reader.h>

#include "base/allocator.h"
#include "base/call_frames.h"
#include "base/hash_map.h"
#include "base/id_map.h"
#include "base/memory_budget.h"
#include "dictionary/code_ranges.h"
#include "dictionary/definition_table.h"
#include "dictionary/name_table.h"
#include "format/events/event_decode_table.h"
#include "io/source.h"
#include "reader/block_index.h"
#include "reader/time_scale.h"

#include <stdatomic.h>

/** The offsets of blocks whose definitions are all in the tables, so that they need not be decoded again. */
typedef struct learned_blocks {
	uint64_t *offsets; /**< Ascending. */
	size_t count;
	size_t capacity;
} learned_blocks;

/** A frame that the log contains, or one unknown frame that stands for all frames missing between two others. */
typedef struct frame_level {
	uint64_t depth;    /**< Number of frames from the outermost up to this one, including those that an unknown
	                        frame stands for. */
	uint32_t stack_id; /**< Stack ID of the frames up to this one. */
} frame_level;

/**
 * The call stack of a thread, as described by the stack sections of a log. A section specifies how many of the
 * outermost frames stay and which frames are pushed on them.
 */
typedef struct frame_stack {
	frame_level *levels; /**< Outermost first. */
	size_t count;
	size_t capacity;
	size_t mark;        /**< Number of levels at the mark. */
	size_t low;         /**< Levels from low up to mark were overwritten since the mark. */
	frame_level *saved; /**< The overwritten levels as they were at the mark, last one first. */
	size_t saved_capacity;
} frame_stack;

/** Stack ID of the whole stack; 0 if it is empty. */
static inline uint32_t frame_stack_id(const frame_stack *stack)
{
	return stack->count > 0 ? stack->levels[stack->count - 1].stack_id : 0;
}

/** Sets the mark that frame_stack_roll_back() returns to. Constant time, independent of the number of frames. */
static inline void frame_stack_set_mark(frame_stack *stack)
{
	stack->mark = stack->count;
	stack->low = stack->count;
}

/** Memory for the details of the events of a batch. */
typedef struct detail_pool {
	mprof_event_detail *details;
	size_t capacity;
	size_t used;
} detail_pool;

/** The call stack of a thread. */
typedef struct thread_stack {
	frame_stack stack; /**< The mark is at the start of the thread's last block. */
	int is_known;      /**< 0: reading has continued at another offset since the block, so the stack is not
	                        valid. */
} thread_stack;

/** The call stacks of threads, for a dialect with stack sections. */
typedef struct reader_stacks {
	int is_used; /**< A stack section was read. */
	thread_stack *all;
	size_t count;
	size_t capacity;
	thread_map by_thread; /**< Positions in all. */
	hash_map at_blocks; /**< Stack ID at the start of each block, by offset; only for stacks that are not empty. */
	int is_begun;       /**< The stack of the loaded block's thread is up to date with the last event fetched. */
	int is_done;        /**< All its events were fetched. */
	size_t current;     /**< Index in all of the stack of the loaded block's thread. */
	detail_pool details;
} reader_stacks;

/** An open call of a method. */
typedef struct open_frame {
	uint32_t method;
	uint32_t node; /**< Node of this frame and those under it; 0 if it was not stored yet. */
} open_frame;

/** A call stack. */
typedef struct open_stack {
	call_frames calls;  /**< Its frames are #open_frame. */
	uint32_t mark_base; /**< Its base at the mark. */
	size_t mark;        /**< Its depth at the mark. */
	size_t low;         /**< Frames from low up to mark were overwritten since the mark. */
	open_frame *saved;  /**< The overwritten frames as they were at the mark, last one first. */
	size_t saved_capacity;
} open_stack;

/** A thread's own call stack, or one that threads switch to (doc/format.md, 4.8), between events. */
typedef struct open_slot {
	open_stack stack;
	uint64_t number;     /**< Number of the stack in the log; 0: a thread's own. */
	uint64_t generation; /**< The slot is current if this equals open_frames::generation. */
	uint64_t left_at;    /**< Counter when it was last left. */
	size_t holder;       /**< Index of the thread that is on the stack, plus 1; 0: none. Unused for own stacks. */
	uint64_t block;      /**< open_frames::block at the last block that touched the stack. */
	size_t touch;        /**< Index of its open_touch for that block. */
	int is_ended;        /**< The block that is being followed ended it. */
	uint32_t end_node;   /**< Node of the stack at the end of the index; 0: no block of the index touches the stack,
	                          or it has ended. */
	uint32_t end_gaps;   /**< Number of unreadable blocks in the index when end_node was set. end_node is invalid if
	                          there are more now. */
	uint64_t end_left;   /**< left at the end of the index. */
	size_t end_holder;   /**< holder at the end of the index. */
} open_slot;

/** A thread of the log. */
typedef struct open_thread {
	uint64_t thread;
	open_slot initial;
	size_t other;        /**< Index in slots of the stack that it is on, plus 1; 0: its own. */
	int is_lost;         /**< Its current stack is unknown. Events are followed in own until it switches. */
	uint64_t generation; /**< Its state is current if this equals open_frames::generation. */
	size_t end_other;    /**< other at the end of the index. */
	uint32_t end_gaps;   /**< As in open_slot. */
} open_thread;

/** A stack that the followed block touched, with the state that its slot had before. */
typedef struct open_touch {
	size_t other; /**< Which stack: as open_thread::other. */
	uint64_t generation;
	uint64_t left_at;
	size_t holder;
	uint32_t node; /**< Node of the stack when the block first touched it. Set only while the index is built. */
} open_touch;

/** The node of a stack when a block of the index first touched it. */
typedef struct open_switch {
	uint64_t number;
	uint32_t node;
} open_switch;

/** Where the state at the start of a block comes from. */
typedef enum open_source {
	OPEN_FROM_NOTHING, /**< Events are missing before it. */
	OPEN_FROM_START,   /**< All blocks from the start of the log were read. */
	OPEN_FROM_INDEX,   /**< The block is in the index. */
	OPEN_FROM_END      /**< All blocks from the end of the index were read. */
} open_source;

/** The state at the start of a block, from the index. */
typedef struct open_origin {
	open_source source;
	uint32_t frames;     /**< Node of the stack that the block's thread is on; 0 if not known. */
	uint64_t stack;      /**< The number of that stack. */
	uint64_t gap;        /**< As in open_frames. */
	size_t first_switch; /**< Index of the block's first switch. They are in the order of the touches. */
	size_t switch_count;
	uint32_t gaps; /**< Number of unreadable blocks found when the index was built. */
} open_origin;

/** A node of the tree. */
typedef struct open_node {
	uint32_t parent; /**< A smaller number; 0 for a #call_base. */
	uint32_t method;
} open_node;

typedef struct open_frames {
	memory_budget *budget; /**< Accounts for the memory. Borrowed. */
	open_thread *threads;
	size_t thread_count;
	size_t thread_capacity;
	thread_map by_thread; /**< Maps thread IDs to indices in threads. */
	open_slot *slots;     /**< Stacks that are not a thread's own. */
	size_t slot_count;
	size_t slot_capacity;
	size_t free_slot;    /**< Index of a free slot, plus 1; 0: none. holder of a free slot is the index of
	                                  the next free slot, plus 1. */
	hash_map by_number;  /**< Maps numbers of stacks to indices in slots. */
	uint64_t generation; /**< Incremented to invalidate the state of all stacks. */
	uint64_t searched;   /**< Frames that failed searches visited: see #CALL_FRAMES_MAX_SEARCHED. */
	open_node *nodes;
	size_t node_count;
	size_t node_capacity;
	hash_map by_step; /**< Maps parent << 32 | method to nodes. */
	uint64_t gap;     /**< Latest counter at which recording was paused; 0: never. */
	uint64_t gap_generation;
	/* The block that is being followed. */
	uint64_t block; /**< Number of blocks followed. */
	size_t current; /**< Index of its thread. */
	open_origin origin;
	open_touch *touches; /**< The first entry is the stack on which the block starts. */
	size_t touch_count;
	size_t touch_capacity;
	int misses_touch; /**< An entry could not be added, so the block cannot be rolled back. */
	uint64_t start_gap;
	size_t start_other;
	int start_is_lost;
	/* The index. */
	int makes_index;
	open_switch *switches;
	size_t switch_count;
	size_t switch_capacity;
	uint64_t end_gap; /**< gap at the end of the index. */
} open_frames;

/** The open calls of threads, by their enters and leaves. */
typedef struct reader_frames {
	open_frames open;
	int keeps_implicit;    /**< Implicit leaves are delivered unresolved. */
	int follows_all;       /**< Follows blocks without implicit leaves too, because the index is built. */
	int has_gap;           /**< Events may be missing before the next block: the last one was skipped or not read
	                            completely. */
	uint64_t gapless_from; /**< No events are missing from this offset of the log up to the current one. */
	uint32_t index_gaps;   /**< Number of unreadable blocks that may have had events, found when the index was
	                            built. */
	int is_begun;          /**< The stack of the loaded block's thread is up to date with the last event fetched. */
	int is_done;           /**< All its events were fetched. */
	int has_passed;        /**< Some of its events were not followed. */
} reader_frames;

/** Frames of statistical samples that are fetched from the parser at a time. */
#define READER_FETCH_CAPACITY 256

/** One frame of a sample. */
typedef struct sample_frame {
	uint32_t id;    /**< As in mprof_stack_frame. */
	uint32_t flags; /**< #MPROF_EVENT_FLAG_NATIVE if it is native. */
} sample_frame;

/** The samples of a STATISTICAL block. */
typedef struct reader_samples {
	id_map modules;   /**< The reader's IDs, by those of the log. */
	id_map functions; /**< The reader's IDs, by those of the log. */
	mprof_event *fetched;
	size_t fetched_count;
	size_t fetched_next;
	int has_sample; /**< A sample was begun and is not yet delivered. */
	mprof_event sample;
	uint64_t weight;      /**< Number of samples that the event stands for. */
	sample_frame *frames; /**< Its frames, innermost first. */
	size_t frame_count;
	size_t frame_capacity;
	detail_pool details;
} reader_samples;

/** IDs above this one are those of named call stacks and what they consist of. */
#define CODE_NAMES_BASE_ID (DEFINITION_MAX_STACKS / 4 * 3)

/** What was found for a call stack. */
typedef struct code_name {
	uint64_t process;     /**< The process that has its addresses; 0 if all are of one. */
	uint32_t stack;       /**< Its ID in the log. */
	uint32_t named;       /**< The named call stack, or the same one. */
	uint64_t from;        /**< It is that from this counter on ... */
	uint64_t until;       /**< ... up to this one, exclusive. */
	uint32_t version;     /**< Of the ranges. */
	uint32_t has_address; /**< Some frame is an address; otherwise nothing changes. */
	uint64_t first_used;  /**< The lowest counter that was asked for, and what was found for it. */
	uint32_t first_named;
	uint32_t last_named;
	uint64_t last_used; /**< The highest one, as first_used. */
} code_name;

typedef struct code_names {
	code_ranges ranges;
	definition_table definitions;
	definition_interner interner;
	hash_map numbers;     /**< By the index of the process and the ID of a call stack of the log: in known. */
	hash_map processes;   /**< By the ID of a thread: the number of its process. */
	hash_map indexes;     /**< By the number of a process. */
	uint32_t timelines;   /**< The last one of which processes has the thread. */
	uint32_t index_count; /**< Of processes. */
	code_name *known;
	size_t known_count;
	size_t known_capacity;
	struct code_frame *frames; /**< The frames of a call stack. */
	size_t frame_capacity;
	uint64_t early;  /**< The highest counter of events that were passed before any range was known. */
	uint32_t passed; /**< 1: there were such events. */
	uint32_t is_late;
} code_names;

/** The definitions of the block that is being loaded, which go into the tables while the parser decodes it. */
typedef struct reader_learning {
	mprof_status status;         /**< Why a definition was not stored; #MPROF_OK if all of them were. */
	uint64_t block_offset;       /**< Offset of the block. */
	name_mark names;             /**< Names before the block. */
	definition_mark definitions; /**< Definitions before the block. */
	size_t field_count;          /**< Fields before the block. */
	code_mark code;              /**< Places of generated code before the block. */
} reader_learning;

/** Progress reports and interruption. */
typedef struct reader_watch {
	mprof_progress_function progress;
	void *user;
	uint64_t total;           /**< Bytes of the source; 0 if not known. */
	uint64_t last_position;   /**< Position at the last call of progress. */
	int is_indexing;          /**< mprof_reader_build_index() is running. */
	atomic_int interrupt;     /**< Set by any thread or signal handler, cleared by the reader's thread. Relaxed: it
	                               publishes no other data. */
	int has_stopped;          /**< The seek in progress was interrupted; it did not fail. */
	source_gzip_watch source; /**< Passed to a compressed source, which calls it during a seek. */
} reader_watch;

/** The blocks that the caller has selected. */
typedef struct reader_selection {
	int is_used;
	int has_start;
	int has_end;
	uint64_t kinds;  /**< As #MPROF_BLOCK_BIT; all without a selection. */
	uint64_t thread; /**< #MPROF_THREAD_ANY: all. */
	uint64_t start;  /**< The first counter. */
	uint64_t end;    /**< The first counter after the time. */
} reader_selection;

/** The clocks of the recorded system that a SESSION block states, and its clock pair. */
typedef struct system_clocks {
	int is_known;
	uint64_t offset; /**< Of the block. */
	mprof_clock pair;
	uint64_t monotonic_ns;
	uint64_t boottime_ns;
} system_clocks;

/** What the log states about the shutdown of the runtime. */
typedef struct stated_shutdown {
	int is_stated;
	uint64_t snapshots; /**< Heap snapshots that were taken before. */
} stated_shutdown;

/** The clock of the whole log, as a second reader finds it (time.c). Here, since destroying a reader destroys it. */
typedef struct reader_whole_clock {
	mprof_reader *owner;
	mprof_reader *reader; /**< NULL before the log was opened, and when all of it was read. */
	uint64_t position;    /**< Of its source. */
	int needs_contents;
	int has_index;  /**< END refers to an index. */
	int is_damaged; /**< The index may belong to another part of the log. */
	int is_known;
	time_scale scale;
} reader_whole_clock;

struct mprof_reader {
	mprof_allocator allocator;
	mprof_parser *parser;
	uint64_t wanted; /**< Kinds to load, as #MPROF_BLOCK_BIT. */
	reader_selection selection;
	int is_following;
	int is_input_over; /**< Following: mprof_reader_finish() was called, so the source does not grow any more. */
	reader_watch watch;
	int has_seek;         /**< A seek has to be finished before the next read. */
	uint64_t seek_offset; /**< Target of that seek. */
	mprof_error error;
	mprof_error memory_error; /**< The permanent error after a failed allocation; its status is #MPROF_OK before. */

	mprof_source source;
	mprof_source plain_source; /**< As source, but never decompressing. */
	const uint8_t *memory; /**< The log, if it is in memory: uncompressed, it is read in place. NULL: it is not. */
	size_t memory_length;
	uint8_t head[SOURCE_GZIP_MAGIC_LENGTH]; /**< The first bytes of the source, to detect compression. */
	size_t head_length;
	int is_recognised;
	uint64_t missing_end; /**< Offset of the end of a block that was to be skipped but is incomplete in the source;
	                           0: none. */
	int is_compressed;
	int is_damaged; /**< The compressed data is damaged at the current position. */

	uint64_t fault_offset; /**< Offset of the first block with faulty definitions; UINT64_MAX: none. */

	int has_block; /**< A header was read, and its block is neither loaded nor skipped yet. */
	int is_past_intro;
	int has_intro;     /**< intro is not delivered yet. */
	mprof_block intro; /**< Its runtime name points to runtime. */
	char *runtime;
	size_t runtime_length;

	memory_budget budget; /**< Covers names and everything else that grows with the definitions of a log. */
	name_table names;
	definition_table definitions;
	field_table fields;
	definition_interner interner;
	code_names code;
	reader_learning learning;
	learned_blocks learned; /**< Blocks of the kinds that reader_learning is for. */
	reader_stacks stacks;
	reader_samples samples;
	reader_frames frames;
	mprof_status fetch_fault; /**< Why information on events is incomplete, until it is reported. */
	uint64_t read_until;      /**< End of the furthest block that was read or skipped. */
	uint64_t known_until;     /**< All blocks before this offset were scanned, so their directives are known. */
	int is_after_known;       /**< The last seek was to known_until or before it, so blocks read since then extend
	                               known_until. */
	int misses_something;     /**< Blocks that may contain definitions were skipped or could not be read. */
	time_scale scale;
	reader_whole_clock *whole_clock; /**< NULL before reader_find_whole_clock(). */
	uint32_t ignores_checksums;
	system_clocks system_clocks;
	stated_shutdown shutdown;
	uint32_t has_object_numbers; /**< As in mprof_session, as are the next two. */
	uint32_t has_slots;
	uint32_t hides_signatures;
	hash_map lost_by_block; /**< The events lost according to each LOST block, by its offset. */
	uint64_t lost_events;
	block_index index;
	int has_index;
	int has_loaded_index;  /**< The index is that of INDEX blocks, which may be wrong. */
	int distrusts_index;   /**< INDEX blocks did not match the log, so the index is built without them. */
	int skips_events;      /**< The index is built without reading events. */
	uint64_t intro_length; /**< Length of INTRO in bytes with its header; 0 if it could not be read. */
	uint32_t intro_checksum;
	uint32_t thread_count;        /**< Threads that may decode events, with that of the caller. */
	uint32_t sequence;            /**< EVENTS blocks read since the last seek, up to a few. */
	int fetches_columns;          /**< The last events were columns of the log that were fetched as arrays. */
	const event_visitor *visitor; /**< What other threads pass events to; NULL: they store them. */
	struct reader_ahead *ahead;   /**< NULL before blocks are decoded on other threads. */
	mprof_error index_error;      /**< The first fault found when the index was built. */
};

/** The table that has a definition: that of the reader's own names of generated code, or that of all others. */
static inline const definition_table *reader_definitions(const mprof_reader *reader, uint32_t id)
{
	return id > CODE_NAMES_BASE_ID ? &reader->code.definitions : &reader->definitions;
}

/** Whether the source may have more bytes later. */
static inline int reader_may_grow(const mprof_reader *reader)
{
	return reader->is_following && !reader->is_input_over;
}

#endif
