/* SPDX-License-Identifier: MIT */
/**
 * \file stack_path.h
 * \brief The frames of a thread's last walk by steps (stack_steps.h), which the next walk probably finds again.
 *
 * Most of a stack is the same as at the last walk. A frame is still there if its return address is still in its stack
 * slot. A step of fixed distance depends on the return address alone, so the next frame of the path is then still the
 * next one on the stack: checking the path leads to the same frames as looking up each step, but the slots to check are
 * known in advance, and nothing has to be looked up.
 *
 * The path is a ring: walks add and remove frames at its inner end, and extend it at its outer end.
 */
#ifndef STACK_PATH_H
#define STACK_PATH_H

#include "stack_record.h"

#include <stdint.h>

/** Maximum number of frames of a path, a power of two, and of those that one walk adds at the inner end. */
#define STACK_PATH_FRAMES 512
#define STACK_PATH_NEW 64

/** See stack_step::saved. */
#define STACK_STEP_PUSHED UINT16_MAX

/** How a return address leads to the next one. */
typedef struct stack_step {
	uintptr_t address; /**< Return address; 0 if unused. */
	mprof_frame frame; /**< Frame of managed code, or 0. */
	/**
	 * Bytes from the return address on the stack to that of the caller; 0 if that differs, and the caller's return
	 * address is above the frame pointer instead.
	 */
	uint32_t distance;
	/**
	 * Where the frame has saved the frame pointer of its callers: the number of words above the slot;
	 * #STACK_STEP_PUSHED: in the word below the caller's return address; 0: the method does not change the frame
	 * pointer.
	 */
	uint16_t saved;
	uint16_t flags; /**< Of #frame_flag. */
} stack_step;

typedef struct stack_path_frame {
	const uintptr_t *slot; /**< Stack slot of the return address. */
	stack_step step;
} stack_path_frame;

/** Owned by its thread. All zero at first. */
typedef struct stack_path {
	uint32_t inner; /**< Number of the innermost frame. The slots of consecutive numbers are linked by steps. */
	uint32_t outer; /**< Number after that of the outermost frame; equal to inner if the path is empty. */
	stack_path_frame frames[STACK_PATH_FRAMES]; /**< By number, modulo the size. */
} stack_path;

/** The frame with a number. */
static inline stack_path_frame *stack_path_at(stack_path *path, uint32_t number)
{
	return &path->frames[number & (STACK_PATH_FRAMES - 1)];
}

static inline void stack_path_clear(stack_path *path)
{
	path->outer = path->inner;
}

/** Whether the path contains the frame at \p slot, which is still there. Removes frames that are further in. */
static inline int stack_path_reaches(stack_path *path, const uintptr_t *slot)
{
	while (path->inner != path->outer && stack_path_at(path, path->inner)->slot < slot)
		path->inner++;
	return path->inner != path->outer && stack_path_at(path, path->inner)->slot == slot &&
	       stack_path_at(path, path->inner)->step.address == *slot;
}

/**
 * Adds frames at the inner end, the innermost first, whose last one leads to the innermost frame of the path. If the
 * path gets too long, it loses its outermost frames.
 */
static inline void stack_path_add_inner(stack_path *path, const stack_path_frame *frames, uint32_t count)
{
	while (count > 0)
		*stack_path_at(path, --path->inner) = frames[--count];
	if (path->outer - path->inner > STACK_PATH_FRAMES)
		path->outer = path->inner + STACK_PATH_FRAMES;
}

/** Adds a frame at the outer end. If the path is full, it loses its innermost frame. */
static inline void stack_path_add_outer(stack_path *path, const uintptr_t *slot, const stack_step *step)
{
	if (path->outer - path->inner == STACK_PATH_FRAMES)
		path->inner++;
	*stack_path_at(path, path->outer++) = (stack_path_frame){slot, *step};
}

#endif
