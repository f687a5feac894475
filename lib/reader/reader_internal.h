/* SPDX-License-Identifier: MIT */
/**
 * \file reader/reader_internal.h
 * \brief The struct of the reader, for the files of lib/reader alone.
 *
 * reader.c opens it and looks up names, definitions.c looks up all other definitions; blocks.c goes from block to block
 * and learn.c learns from them; fetch.c delivers what a block lists, with call_stacks.c for stack sections, samples.c
 * for statistical hits and frames.c for open calls; input.c feeds the parser; watch.c reports progress; seek.c, index.c
 * and time.c go to offsets and times.
 */
#ifndef READER_READER_INTERNAL_H
#define READER_READER_INTERNAL_H

#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/id_map.h"
#include "dictionary/definition_interner.h"
#include "dictionary/definition_table.h"
#include "dictionary/name_table.h"
#include "io/source.h"
#include "reader/block_index.h"
#include "reader/detail_pool.h"
#include "reader/frame_stack.h"
#include "reader/open_frames.h"
#include "reader/time_scale.h"

#include <stdatomic.h>

/** The call stack of a thread. */
typedef struct thread_stack {
	frame_stack stack; /**< With a mark where the thread's last block begins. */
	int is_known;      /**< 0: reading went on somewhere else since. */
} thread_stack;

/** The call stacks of threads, of a dialect with stack sections. */
typedef struct reader_stacks {
	int is_used; /**< A stack section was met. */
	thread_stack *all;
	size_t count;
	size_t capacity;
	hash_map by_thread; /**< Places in all. */
	hash_map at_blocks; /**< Call chains at the begin of blocks, by their offsets, where there are any. */
	int is_begun; /**< The stack of the loaded block's thread is as it is behind the event that was fetched last. */
	int is_done;  /**< All its events were fetched. */
	size_t current; /**< Place of that stack. */
	detail_pool details;
} reader_stacks;

/** The methods that threads are in, by their enters and leaves. */
typedef struct reader_frames {
	open_frames open;
	int keeps_implicit;    /**< Implicit leaves are given out as they are. */
	int follows_all;       /**< Also where there are none: the index is made. */
	int has_gap;           /**< Events are missing after the block that was gone to last. */
	uint64_t gapless_from; /**< No events are missing from this offset up to where reading is. */
	uint32_t index_gaps;   /**< Blocks with events, perhaps, that could not be read when the index was made. */
	int is_begun; /**< The stack of the loaded block's thread is as it is after the event that was fetched last. */
	int is_done;  /**< All its events were fetched. */
} reader_frames;

/** Frames of statistical hits that are taken from the parser at once. */
#define READER_HIT_CAPACITY 256

/** One frame of a sample. */
typedef struct sample_frame {
	uint32_t id;    /**< As of mprof_stack_frame. */
	uint32_t flags; /**< #MPROF_EVENT_FLAG_NATIVE if it is native. */
} sample_frame;

/** The samples of a STATISTICAL block. */
typedef struct reader_samples {
	id_map modules;   /**< Our IDs, by those of the log. */
	id_map functions; /**< The same. */
	mprof_event *hits;
	size_t hit_count;
	size_t hit_next;
	int has_sample; /**< One was begun. */
	mprof_event sample;
	uint64_t weight;      /**< How many it stands for. */
	sample_frame *frames; /**< Its frames, the innermost first. */
	size_t frame_count;
	size_t frame_capacity;
	detail_pool details;
} reader_samples;

/** Who is told how far reading has come, and may stop it. */
typedef struct reader_watch {
	int (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
	void *user;
	uint64_t total;         /**< Bytes of the source; 0 if not known. */
	uint64_t last_position; /**< Where progress was called last. */
	atomic_int interrupt;   /**< Set by any thread or signal handler, cleared by the reader's thread. */
	int has_stopped;        /**< The seek under way was stopped, and did not fail. */
	source_watch source;    /**< What a compressed source asks during a seek. */
} reader_watch;

struct mprof_reader {
	mprof_allocator allocator;
	mprof_parser *parser;
	uint64_t wanted; /**< Kinds to load, as #MPROF_BLOCK_BIT. */
	int is_following;
	int is_input_over; /**< Following: nothing more will come than the source has now. */
	reader_watch watch;
	int has_seek;         /**< A seek has to be finished before anything is read. */
	uint64_t seek_offset; /**< Where it goes. */
	mprof_error error;
	mprof_error memory_error; /**< Memory was refused, which is final. Its status is #MPROF_OK while it was not. */

	mprof_source source;
	uint8_t head[SOURCE_GZIP_MAGIC_LENGTH]; /**< The source's first bytes, by which compression is recognised. */
	size_t head_length;
	int is_recognised;
	uint64_t missing_end; /**< Where a block ends of which the source had not all when it was to be passed by. */
	int is_compressed;
	int is_damaged; /**< The compressed data is, where it was read last. */

	uint64_t
		fault_offset; /**< Of the first block that the parser found sound and the reader did not; if none: the end. */

	int has_block; /**< A header was found, and what is to be done with its block is not done yet. */
	int is_past_intro;
	int has_intro;     /**< intro is waiting to be given out. */
	mprof_block intro; /**< Its name is runtime. */
	char *runtime;
	size_t runtime_length;

	memory_budget budget; /**< Of names and all else that grows with what a log defines. */
	name_table names;
	definition_table definitions;
	definition_interner interner;
	reader_stacks stacks;
	reader_samples samples;
	reader_frames frames;
	mprof_status fetch_fault; /**< Why events are not told in full, until that was said. */
	uint64_t read_until;      /**< Behind the block furthest on that was gone over. */
	uint64_t known_until;     /**< Every block up to here was gone over, so that what it declares is known. */
	int is_after_known;       /**< Reading goes on at known_until, or before it. */
	int misses_something;     /**< Blocks that may have defined something were passed by, or could not be read. */
	time_scale scale;
	hash_map lost_by_block; /**< What each LOST block says, by its place. */
	uint64_t lost_events;
	block_index index;
	int has_index;
	int has_loaded_index;  /**< It was loaded: the log may have changed since it was saved. */
	int skips_events;      /**< The index is made without going over events. */
	uint64_t intro_length; /**< Bytes of INTRO with its header; 0: it could not be read. */
	uint32_t intro_checksum;
	mprof_error index_error; /**< The first fault that was met when the index was made. */
};

/** Whether more bytes may come later than the source has now. */
static inline int reader_may_grow(const mprof_reader *reader)
{
	return reader->is_following && !reader->is_input_over;
}

#endif
