/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/salvage.h
 * \brief Keeps recorded data outside of the process, so that the log can be completed however the process dies.
 *
 * Everything recorded is in pieces of a salvage_area until it is in the log: buffers of events, messages, samples,
 * blocks of a ring, and a journal of the definitions of keys. The writer thread *commits* after each block: a single
 * store makes a progress record valid, which contains the length of the log and what the log covers up to there. If the
 * process dies, recovery cuts the log to the length in the last valid record, and writes everything that this record
 * does not cover. Of a compressed log, it also writes again what followed the last complete member: see #salvage_tail.
 * So nothing is lost or duplicated.
 */
#ifndef RECORDER_QUEUES_SALVAGE_H
#define RECORDER_QUEUES_SALVAGE_H

#include <mprof/recorder.h>

#include "format/events/event_kinds.h"
#include "recorder/queues/block_ring.h"
#include "recorder/queues/heap_recording.h"
#include "recorder/queues/salvage_area.h"
#include "recorder/queues/salvage_journal.h"
#include "recorder/system/counter.h"
#include "writer/writer.h"

#include <stddef.h>
#include <stdint.h>

/*
 * After fork() private memory is copied, but a shared mapping is not. A handler that fork() calls in the child maps
 * zeros in its place. A buffer of zeros is full, so the next event that the child records takes the slow path, which
 * detects the child. Only events that earlier registered handlers of the program record in the child get into the
 * parent's buffer.
 */

/** An area to replace in children. */
typedef struct salvage_fork_entry {
	struct salvage_fork_entry *next; /**< Guarded by the lock of the list. */
	salvage_area *area;
} salvage_fork_entry;

/** The state of an attached thread in addition to its buffers. The content of a piece. */
typedef struct salvage_thread {
	uint64_t id;
	uint32_t serial;
	uint32_t reserved;                       /**< 0. */
	_Atomic uint64_t lost[LOSS_CAUSE_COUNT]; /**< mprof_thread::lost points to this. */
	uint64_t reported[LOSS_CAUSE_COUNT];     /**< The part of lost that is in the log. Owner: the writer thread. */
} salvage_thread;

/** Where the writer thread was in the chunks of heap snapshots. */
typedef struct salvage_heap {
	uint64_t chunk;         /**< heap_chunk::sequence of the first chunk that was not read to its end. */
	uint32_t word;          /**< Index of its first word that is not in the log. */
	uint32_t next_number;   /**< heap_drain::next_number. */
	uint32_t next_root;     /**< root_table::next_id. */
	uint32_t reserved;      /**< 0. */
	open_snapshot snapshot; /**< heap_blocks::snapshot. */
} salvage_heap;

/** A progress record: what is in the log up to a length. */
typedef struct salvage_progress {
	mprof_clock clock;    /**< When the record was stored. */
	uint64_t log_length;  /**< In bytes, as stored; of a compressed log, up to the end of the last complete member.
	                              For a ring, the number of the next block. */
	uint64_t tail_member; /**< salvage_tail::member. */
	uint64_t tail_length; /**< The length of that member up to here, before compression; 0 if not compressed. */
	journal_position journal;
	uint64_t messages_done; /**< The last batch of messages. */
	uint64_t samples_done;  /**< The last batch of samples. */
	uint32_t next_ids[2];   /**< Next IDs of methods and of classes. */
	uint32_t next_element_id;
	uint32_t no_class_id;
	uint32_t stack_count;
	uint32_t module_count;
	uint32_t function_count;
	uint32_t location_count;
	writer_resume_state writer;
	salvage_heap heap;
	ring_evicted evicted;                       /**< What a ring buffer evicted, if the log is one. */
	uint64_t lost_unreported[LOSS_CAUSE_COUNT]; /**< As recorder_output::lost_unreported. */

	/* Also stored in the buffer or the thread, but only after the commit, so the process may die in between. */
	uint64_t ticket;       /**< Ticket of the buffer that was drained; 0 if none was. */
	uint64_t last_counter; /**< Counter of the last event drained from the buffer. */
	uint32_t buffer;       /**< Index of the buffer. */
	uint32_t drained;      /**< How many of its slots are in the log. */
	uint32_t serial;       /**< Serial of the thread whose losses were reported; 0 if none. */
	uint32_t checksum;     /**< Of the record while this is 0. */
	uint64_t reported[LOSS_CAUSE_COUNT];
} salvage_progress;

/** The state of the recording process. The numbers differ in most bits, so that damage does not make one the other. */
typedef enum salvage_state {
	SALVAGE_OPENING = 0,
	SALVAGE_RECORDING = 0x1d4a96c3, /**< What is not in the log must be salvaged. */
	SALVAGE_CLOSED = 0x62b5693c     /**< The log is complete. */
} salvage_state;

#define SALVAGE_MAGIC "mprofsv2"

/** Size of the path of the log in bytes, with the NUL; longer paths are not stored. */
#define SALVAGE_PATH_SIZE 4096

/** The header of the area. Owner: the thread that opens the recorder, then the writer thread. */
typedef struct salvage_header {
	char magic[8];
	uint64_t layout;         /**< salvage_layout(): sizes that must be the same for the recovering program. */
	uint32_t process;        /**< ID of the recording process. */
	uint32_t first_checksum; /**< writer_first_checksum() of the log, which identifies it. */
	uint64_t process_start;  /**< When that process started, in the system's clock ticks; 0 if unknown. */
	/* Constant: properties of the log. */
	uint64_t directives;
	uint64_t max_log_bytes;
	uint64_t max_name_length;
	uint64_t ring_bytes; /**< 0: the log is a file. */
	uint32_t buffer_events;
	uint32_t detail; /**< As recorder_shared::detail. */
	uint32_t keys_are_ids;
	uint32_t log_is_file; /**< A regular file, or a ring. */
	uint32_t file_mode;
	uint32_t gzip_level;              /**< Compression of the log, or of one that is written from a ring. */
	uint32_t counter_shift;           /**< As recorder_output::counter_shift. */
	mprof_clock clock;                /**< When the log began. */
	char log_path[SALVAGE_PATH_SIZE]; /**< Absolute; "" if unknown. */
	uint32_t checksum; /**< salvage_header_checksum(), stored before the state is SALVAGE_RECORDING. */

	_Atomic uint32_t state; /**< A #salvage_state. */

	_Atomic uint64_t message_sequence; /**< Sequence number of the last message. Any thread. */

	/** Index of the valid progress record. The writer thread fills the other one and then stores this. */
	_Atomic uint32_t current;
	salvage_progress progress[2];
} salvage_header;

/** The part of the recorder that manages the salvage file. */
typedef struct recorder_salvage {
	salvage_area area;
	salvage_fork_entry fork_entry;
	salvage_header *header; /**< NULL if the recorder has no salvage file. */
	char *path;             /**< Removed once the log is complete. */
} recorder_salvage;

/**
 * Creates the area of a recorder if its options contain a path for it. The file of an earlier recording of \p log_path
 * that has ended is replaced. Returns 0 or an errno value: EBUSY if the file is not empty and is not such a file.
 */
int salvage_create(recorder_salvage *salvage, const mprof_recorder_options *options, const char *log_path,
		   const mprof_allocator *allocator);

/** Creates the state of a thread, without losses. Returns NULL if there is no area or no room in it. Any thread. */
salvage_thread *salvage_thread_create(recorder_salvage *salvage, uint64_t id);

/** Makes the state of a thread valid, because the thread is attached now. */
void salvage_thread_publish(salvage_thread *thread, uint32_t serial);

/** Releases the state of a thread that has ended and whose losses are reported. NULL does nothing. */
void salvage_thread_release(recorder_salvage *salvage, salvage_thread *thread);

/**
 * Whether a path is a file's own name, which can be removed. A path in /proc refers to a file that a process has open;
 * such a file may have no name, and is removed by the system when no process has it open any more.
 */
int salvage_path_is_name(const char *path);

/** Stores the path of the log in the header, made absolute. \p path is NULL if the log has none. */
void salvage_set_log_path(recorder_salvage *salvage, const char *path);

/** The checksum of the part of a header that is constant once recording has begun: from its start to the path. */
uint32_t salvage_header_checksum(const salvage_header *header);

/** The checksum of a progress record. */
uint32_t salvage_progress_checksum(const salvage_progress *progress);

/** The valid progress record of a process that has ended. */
static inline const salvage_progress *salvage_current_progress(const salvage_header *header)
{
	return &header->progress[atomic_load_explicit(&header->current, memory_order_relaxed) & 1];
}

/** Whether the process of an area may still be running. */
int salvage_is_recording(const salvage_header *header);

/** Called when the log is complete: removes the file, and marks the area as not needed any more. */
void salvage_finish(recorder_salvage *salvage);

/** Unmaps the area. The file stays unless salvage_finish() was called. */
void salvage_destroy(recorder_salvage *salvage, const mprof_allocator *allocator);

/** A hash of the sizes of the structs in the area and of the byte order. */
uint64_t salvage_layout(void);

/*
 * The tail: the end of a compressed log, not compressed, that is, the blocks since the last member of the file that is
 * complete.
 *
 * A gzip member can be decompressed as a whole only once it has ended. So the blocks of the current member are kept in
 * the area as well, and a member ends every #SALVAGE_MEMBER_BYTES. Recovery cuts the file to the last complete member
 * that was committed, and writes the blocks after it again as a new member.
 */

/** Length of a member before compression, in bytes, after which it ends with the next commit. */
#define SALVAGE_MEMBER_BYTES ((uint64_t)4 << 20)

/** A part of the blocks of a member. The content of a piece. */
typedef struct tail_chunk {
	uint64_t member;         /**< salvage_tail::member. */
	uint64_t offset;         /**< Of the first byte in the member, before compression. */
	uint64_t length;         /**< Bytes used. More than the commit contains may be there. */
	struct tail_chunk *next; /**< Only valid in the recording process. */
	unsigned char bytes[];
} tail_chunk;

/** Chunks in their order. */
typedef struct tail_list {
	tail_chunk *first;
	tail_chunk *last;
} tail_list;

/** Owner: the writer thread. */
typedef struct salvage_tail {
	salvage_area *area;    /**< NULL: the log is not compressed, and nothing is kept. */
	tail_list current;     /**< Those of the current member. */
	tail_list ended;       /**< Those of earlier members, needed until the next commit. */
	uint64_t member;       /**< Number of the current member. */
	uint64_t member_start; /**< Its offset in the file. */
	uint64_t length;       /**< Its length so far, before compression. */
	int has_failed;        /**< There was no room for a part of it, so it must end before the next commit. */
} salvage_tail;

/** A #sink_observer, whose \p user is the tail: keeps blocks that were written. */
void salvage_tail_append(void *tail, const void *bytes, size_t length);

/** Whether the current member must end. */
static inline int salvage_tail_is_due(const salvage_tail *tail)
{
	return tail->has_failed || tail->length >= SALVAGE_MEMBER_BYTES;
}

/** Begins a member at an offset of the file. What is kept of the previous one stays until salvage_tail_release(). */
void salvage_tail_begin(salvage_tail *tail, uint64_t start);

/** Called after a commit: what was kept of earlier members is not needed any more. */
void salvage_tail_release(salvage_tail *tail);

/** Receives a part of a tail. Returns 0 to stop. */
typedef int (*tail_visitor)(void *user, const void *bytes, size_t length);

/**
 * Visits the first \p length bytes of a member in an area of salvage_area_open(), in their order. Returns the number of
 * bytes for which \p visitor returned 1: less than \p length if the area is damaged or the visitor stopped.
 */
uint64_t salvage_tail_visit(const salvage_area *area, uint64_t member, uint64_t length, tail_visitor visitor,
			    void *user);

#endif
