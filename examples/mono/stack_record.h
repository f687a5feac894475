/* SPDX-License-Identifier: MIT */
/**
 * \file stack_record.h
 * \brief The frames that a stack walk records, and whether the filters select what the stack did.
 *
 * An allocation or a sample is selected if some method on its call stack passes the filters, and the innermost method
 * matches no filter FILTER_NOT. Methods that the runtime generated do not count.
 */
#ifndef MONO_STACK_RECORD_H
#define MONO_STACK_RECORD_H

#include <mprof/recorder.h>

#include <stddef.h>
#include <stdint.h>

/** Properties of the method of a frame. */
typedef enum frame_flag {
	FRAME_WRAPPER = 1,  /**< The runtime generated the method. */
	FRAME_ADMITTED = 2, /**< The method passes the filters. */
	FRAME_EXCLUDED = 4  /**< The method matches a filter FILTER_NOT. */
} frame_flag;

typedef struct stack_choice {
	int is_open;     /**< Frames further out may decide. */
	int is_selected; /**< The choice, if no further frame decides. */
	int has_method;  /**< The innermost method was added. */
} stack_choice;

/** Innermost frame first. All zero but for the first fields: nothing is filtered. */
typedef struct stack_record {
	mprof_frame *frames; /**< Room for \a limit frames and one for #MPROF_FRAME_TRUNCATED. */
	size_t limit;
	size_t count;
	int is_truncated; /**< There are more frames than the limit. */
	stack_choice choice;
} stack_record;

/** Adds a frame to the choice; \p flags: of #frame_flag. */
static inline void stack_choice_add(stack_choice *choice, unsigned flags)
{
	if (!choice->is_open || (flags & FRAME_WRAPPER) != 0)
		return;
	if ((flags & FRAME_ADMITTED) != 0 || ((flags & FRAME_EXCLUDED) != 0 && !choice->has_method)) {
		choice->is_selected = (flags & FRAME_ADMITTED) != 0;
		choice->is_open = 0;
	}
	choice->has_method = 1;
}

/** Returns 0 if there is no room. */
static inline int stack_record_put(stack_record *record, mprof_frame frame)
{
	if (record->count == record->limit) {
		record->is_truncated = 1;
		return 0;
	}
	record->frames[record->count++] = frame;
	return 1;
}

/** Adds a managed frame, unless it is an innermost one that the runtime generated. Returns 0 if no more are needed. */
static inline int stack_record_add(stack_record *record, mprof_frame frame, unsigned flags)
{
	stack_choice_add(&record->choice, flags);
	if ((flags & FRAME_WRAPPER) != 0 && record->count == 0)
		return 1;
	return stack_record_put(record, frame) || record->choice.is_open;
}

/** Marks a truncated stack. Returns the number of frames. */
static inline size_t stack_record_end(stack_record *record)
{
	if (record->is_truncated)
		record->frames[record->count++] = MPROF_FRAME_TRUNCATED;
	record->is_truncated = 0;
	return record->count;
}

#endif
