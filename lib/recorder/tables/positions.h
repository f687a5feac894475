/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/positions.h
 * \brief Lines of frames: splits what threads record into frames and their lines, and interns positions. Owner: the
 * writer thread.
 */
#ifndef RECORDER_TABLES_POSITIONS_H
#define RECORDER_TABLES_POSITIONS_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/tables/output.h"

/** Maximum number of positions. Further ones get the ID 0: their frames have no line. */
#define MAX_POSITIONS (UINT32_C(1) << 22)

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

/** \p texts: the number of texts that the log defines. */
void position_store_init(position_store *positions, const mprof_allocator *allocator, recorder_output *output,
			 const uint32_t *texts);
void position_store_destroy(position_store *positions);

/** The IDs up to \p last are those of a process that has ended. */
void position_store_resume(position_store *positions, uint32_t last);

/** Whether frames contain lines. */
static inline int frames_have_lines(const mprof_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (frames[i] > MPROF_FRAME_TRUNCATED)
			return 1;
	}
	return 0;
}

/**
 * Splits the elements of a call stack. A line that no frame follows has no effect, and so has an element with bits that
 * have no meaning yet.
 */
void frames_split(split_frames *split, const mprof_frame *frames, size_t count);

/**
 * The ID of the position of a frame, whose method or location is \p target; 0 if it has no line, there are too many, or
 * the dialect has none.
 */
uint32_t positions_intern(position_store *positions, const frame_line *line, uint32_t target, int is_native);

/** Writes the positions that are not in the log yet. What they refer to is. */
void positions_write(position_store *positions);

#endif
