/* SPDX-License-Identifier: MIT */
/**
 * \file reader/reader_internal.h
 * \brief The reader's insides: reader.c opens and looks up names, reader_definitions.c looks up all else that is
 * defined, reader_blocks.c goes over blocks, reader_stacks.c makes call chains of stack sections, reader_samples.c
 * those of statistical hits, reader_input.c feeds the parser, reader_watch.c tells progress and is interrupted,
 * reader_seek.c goes to places, reader_index.c makes the index.
 */
#ifndef STREAM_READER_INTERNAL_H
#define STREAM_READER_INTERNAL_H

#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/id_map.h"
#include "reader/block_index.h"
#include "dictionary/definition_interner.h"
#include "dictionary/definition_table.h"
#include "reader/frame_stack.h"
#include "dictionary/name_table.h"
#include "reader/open_frames.h"
#include "parser/parser_internal.h"
#include "io/source.h"
#include "reader/time_scale.h"

#include <stdatomic.h>

/** Details of events that the reader makes itself. */
typedef struct reader_details {
	mprof_event_detail *details;
	size_t capacity;
	size_t used;
} reader_details;

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
	reader_details details;
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
	reader_details details;
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

void reader_watch_init(mprof_reader *reader, const mprof_reader_options *options);

/** Tells how far reading has come. Returns #MPROF_OK or #MPROF_ERR_INTERRUPTED. */
mprof_status reader_watch_look(mprof_reader *reader);

/** Notes why a seek of the source failed or was stopped. Returns #MPROF_ERR_IO or #MPROF_ERR_INTERRUPTED. */
mprof_status reader_watch_fail_seek(mprof_reader *reader, int fault);

/** Finishes a seek that was interrupted or failed, if there is one. */
mprof_status reader_seek_on(mprof_reader *reader);

/** As mprof_reader_seek(), without learning what blocks on the way declare. Only for a source that can seek. */
mprof_status reader_jump(mprof_reader *reader, uint64_t offset);

/** Whether more bytes may come later than the source has now. */
static inline int reader_may_grow(const mprof_reader *reader)
{
	return reader->is_following && !reader->is_input_over;
}

/** Notes a failed system call of the source. Returns #MPROF_ERR_IO. */
mprof_status reader_fail_system(mprof_reader *reader, int system_error, const char *what);

/**
 * Gives the parser, which asked for more bytes, some, or tells it that there are none. Returns #MPROF_OK; #MPROF_AGAIN
 * when following and nothing is left now; or an error.
 */
mprof_status reader_feed(mprof_reader *reader);

/** Goes to the next block and loads it if it is of a kind that is wanted. As mprof_reader_next_block(). */
mprof_status reader_next(mprof_reader *reader, uint64_t wanted, mprof_block *block);

/** What the loaded block holds is fetched from its begin on again, also of one that is cut. */
void reader_rewind(mprof_reader *reader);

/** Takes over the parser's error. Damage of the compression explains what it looks like to the parser. */
mprof_status reader_fail_parser(mprof_reader *reader, mprof_status status);

/** Notes why what a block says could not be kept. Returns \p status. */
mprof_status reader_fail_names(mprof_reader *reader, mprof_status status, const mprof_block *block);

/**
 * Notes that memory was refused. That is final: what was learnt from the log so far may lack something, so that nothing
 * more is read, whoever asks. Returns #MPROF_ERR_MEMORY.
 */
mprof_status reader_fail_memory(mprof_reader *reader, const char *what);

/** Whether something can be read: #MPROF_OK, or why the source could not be opened, or that memory was refused. */
mprof_status reader_check(mprof_reader *reader);

/** Refuses a call without the reader, or without a pointer that it needs. Returns #MPROF_OK if both are there. */
mprof_status reader_check_pointer(mprof_reader *reader, const void *needed);

/** Notes why events are not told in full, for when all of the loaded block were. */
static inline void reader_note_fault(mprof_reader *reader, mprof_status status)
{
	if (status == MPROF_ERR_MEMORY)
		(void)reader_fail_memory(reader, "no memory for call stacks");
	else if (reader->fetch_fault == MPROF_OK)
		reader->fetch_fault = status;
}

/** Room for one more detail. Room for so many as are needed was made. */
static inline mprof_event_detail *reader_take_detail(reader_details *pool)
{
	return &pool->details[pool->used++];
}

/** Makes room for \p count details and takes back all that were given. Returns 0 if there is no memory. */
int reader_prepare_details(mprof_reader *reader, reader_details *pool, size_t count);

void reader_stacks_init(mprof_reader *reader);
void reader_stacks_destroy(mprof_reader *reader);

/** Whether the loaded block has stack sections, or may have. */
int reader_has_stack_sections(const mprof_reader *reader);

/** Gives events of a block with stack sections their call chains. */
void reader_stacks_attach(mprof_reader *reader, mprof_event *events, size_t count);

/** The events of the loaded block are fetched from the first one on again. */
void reader_stacks_rewind(mprof_reader *reader);

/** The loaded block is left behind; the stack of its thread goes on in the thread's next one. */
void reader_stacks_leave(mprof_reader *reader);

/** Nothing is known of the stacks, for reading goes on somewhere else. */
void reader_stacks_forget(mprof_reader *reader);

void reader_frames_init(mprof_reader *reader, const mprof_reader_options *options);
void reader_frames_destroy(mprof_reader *reader);

/** Sets the stack of the thread of the loaded EVENTS block. Returns #MPROF_OK; #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT. */
mprof_status reader_frames_begin(mprof_reader *reader);

/** Follows the events that were fetched, and gives implicit leaves their methods. */
void reader_frames_attach(mprof_reader *reader, mprof_event *events, size_t count);

/** As reader_stacks_rewind(). */
void reader_frames_rewind(mprof_reader *reader);

/** As reader_stacks_leave(). */
void reader_frames_leave(mprof_reader *reader);

/** Reading goes on at another offset. */
void reader_frames_forget(mprof_reader *reader, uint64_t offset);

/** Where the block starts that mprof_reader_next_block() gives next. */
uint64_t reader_next_offset(const mprof_reader *reader);

/** Whether a block of this kind is read even if nobody wants it. */
int reader_learns_from(uint32_t kind);

/** Drops the index, and all that is known of stacks. */
void reader_forget_index(mprof_reader *reader);

void reader_samples_init(mprof_reader *reader);
void reader_samples_destroy(mprof_reader *reader);

/** Learns the modules and functions that the loaded STATISTICAL block defines. */
mprof_status reader_samples_learn(mprof_reader *reader, const mprof_block *block);

/** Gives a record of the loaded STATISTICAL block the reader's IDs. */
void reader_samples_translate(mprof_reader *reader, mprof_record *record);

/** Fetches samples of the loaded STATISTICAL block. As mprof_reader_next_events(). */
mprof_status reader_samples_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/** As reader_stacks_rewind(). */
void reader_samples_rewind(mprof_reader *reader);

/** Reads INTRO and keeps it until it is asked for. */
mprof_status reader_read_intro(mprof_reader *reader);

#endif
