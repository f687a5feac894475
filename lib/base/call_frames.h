/* SPDX-License-Identifier: MIT */
/**
 * \file base/call_frames.h
 * \brief The open calls of a call stack, by the rules of doc/format.md, 4.3: what enters and leaves do to them.
 *
 * Whatever follows calls uses the limits below, and a stack in an array uses the functions. They are inlined with the
 * size of the frames as a constant, so that they are as fast as functions for one type of frame. A frame is a struct
 * that begins with its method, a uint32_t, or only that.
 *
 * The frames of a stack may be known only from some depth on. Leaves then still end the frames that are known.
 */
#ifndef BASE_CALL_FRAMES_H
#define BASE_CALL_FRAMES_H

#include "base/allocator.h"

/**
 * A stack that would have as many frames becomes unknown below the next one, so that the memory for a log that consists
 * only of enters is bounded. What adds up the times of calls (lib/model, and the exports and the page after it) cannot
 * forget the outer calls: from as many frames on, it forgets the methods of the inner ones, and each leave ends one of
 * those.
 */
#define CALL_FRAMES_MAX ((size_t)1 << 20)

/**
 * The same for stacks that the recorder follows. Their memory is that of the recorded program, for each of its threads,
 * and nothing depends on them except how leaves are written.
 */
#define CALL_FRAMES_MAX_RECORDED ((size_t)1 << 16)

/**
 * Frames that failed searches for the methods of leaves visit. Beyond this number a stack on which another search fails
 * becomes unknown, which bounds the time for a log that was crafted to be slow: leaves of methods that are not open, on
 * deep stacks. Readers and writers count the frames of all stacks of a log together, since the time for these is
 * theirs. The recorder counts those of each thread, whose events it may process beside those of other threads.
 */
#define CALL_FRAMES_MAX_SEARCHED (UINT64_C(1) << 28)

#define CALL_FRAMES_INLINE static inline __attribute__((always_inline))

/** What is under the outermost known frame of a stack. */
typedef enum call_base {
	CALL_BASE_EMPTY = 1,  /**< Nothing: the outermost frame is the first of the thread or the stack. */
	CALL_BASE_GAP = 2,    /**< Frames that were not recorded. Events do not refer to them. */
	CALL_BASE_UNKNOWN = 3 /**< Frames that are not known, to which events may refer. */
} call_base;

typedef struct call_frames {
	void *frames; /**< Outermost first. */
	size_t depth;
	size_t capacity; /**< In frames. One that is above the top may be overwritten. */
	uint32_t base;   /**< A #call_base. */
} call_frames;

/** Frees the memory of a stack. */
static inline void call_frames_release(call_frames *calls, const mprof_allocator *allocator, size_t size)
{
	allocator_release(allocator, calls->frames, calls->capacity * size);
	calls->frames = NULL;
	calls->capacity = 0;
	calls->depth = 0;
}

/** Ends all calls: the thread or the stack starts, recording resumes after a pause, or the stack becomes unknown. */
static inline void call_frames_clear(call_frames *calls, call_base base)
{
	calls->depth = 0;
	calls->base = base;
}

/** The method of a frame, whose size is \p size. */
CALL_FRAMES_INLINE uint32_t call_frames_method(const call_frames *calls, size_t size, size_t index)
{
	const unsigned char *frames = calls->frames;

	return *(const uint32_t *)(const void *)(frames + index * size);
}

/**
 * Makes room for \p count frames more, but at most \p max in all, and for one above them that may be overwritten.
 * Returns 0, changing nothing, if there is no memory.
 */
static inline int call_frames_reserve(call_frames *calls, const mprof_allocator *allocator, size_t size, size_t count,
				      size_t max)
{
	const size_t most = max - 1 - calls->depth;

	return array_reserve(allocator, &calls->frames, &calls->capacity,
			     calls->depth + (count < most ? count : most) + 1, size);
}

/** Before a method is entered: forgets the frames of a stack that has the maximum. */
static inline void call_frames_limit(call_frames *calls, size_t max)
{
	if (calls->depth + 1 >= max)
		call_frames_clear(calls, CALL_BASE_UNKNOWN);
}

/** Before a method is entered: makes room for its frame. Returns 0, changing no frame, if there is no memory. */
static inline int call_frames_make_room(call_frames *calls, const mprof_allocator *allocator, size_t size, size_t max)
{
	if (__builtin_expect(calls->depth + 1 < calls->capacity, 1))
		return 1;
	call_frames_limit(calls, max);
	return call_frames_reserve(calls, allocator, size, 1, max);
}

/** Searches for the innermost frame of a method. Returns the number of frames up to it; 0 if it has none. */
CALL_FRAMES_INLINE size_t call_frames_find(const call_frames *calls, size_t size, uint32_t method)
{
	size_t depth = calls->depth;

	while (depth > 0 && call_frames_method(calls, size, depth - 1) != method)
		depth--;
	return depth;
}

/**
 * Leaves a method: ends its innermost frame and those above it. If it has no frame, nothing changes; but if some frames
 * are not known, it may be one of these, and all that are known have ended. \p searched counts the frames that failed
 * searches visit: see #CALL_FRAMES_MAX_SEARCHED.
 */
CALL_FRAMES_INLINE void call_frames_leave(call_frames *calls, size_t size, uint32_t method, uint64_t *searched)
{
	const size_t found = call_frames_find(calls, size, method);

	if (found > 0) {
		calls->depth = found - 1;
		return;
	}
	*searched += calls->depth;
	if (calls->base == CALL_BASE_UNKNOWN || *searched > CALL_FRAMES_MAX_SEARCHED)
		call_frames_clear(calls, CALL_BASE_UNKNOWN);
}

/** Leaves the method on top, and returns it; 0 if no frame is known. */
CALL_FRAMES_INLINE uint32_t call_frames_leave_top(call_frames *calls, size_t size)
{
	return calls->depth > 0 ? call_frames_method(calls, size, --calls->depth) : 0;
}

#endif
