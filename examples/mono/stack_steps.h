/* SPDX-License-Identifier: MIT */
/**
 * \file stack_steps.h
 * \brief Walks a thread's own stack with distances that were learned from earlier walks of the runtime.
 *
 * The runtime looks up and interprets the unwind information of each frame. Most frames have a fixed size, so the
 * distance from one return address on the stack to the next depends on the return address alone: a step. Other frames,
 * such as those of methods with stackalloc, have a frame pointer, and a frame that they called has saved it. Steps are
 * learned while the runtime walks a stack, and only where all of this holds: the prologue of the method allocates a
 * fixed size, and no other instruction of the method changes the stack pointer for longer than a call, or the method
 * has a frame pointer; and the next return address that the runtime reports is where the step leads. Frames of the
 * runtime's native code between the callback and the managed code are learned from the unwinder of the compiler.
 *
 * A stack is walked by steps if all its frames have one, up to the frame limit or to the base: the return address into
 * the native code that has called the thread's outermost managed frame. Otherwise the runtime walks it.
 */
#ifndef MONO_STACK_STEPS_H
#define MONO_STACK_STEPS_H

#include <mono/metadata/appdomain.h>
#include <mprof/recorder.h>

#include "stack_record.h"

#include <stddef.h>
#include <stdint.h>

/** Maximum number of frames of a path, a power of two, and of those that one walk adds at the inner end. */
#define STACK_PATH_FRAMES 512
#define STACK_PATH_NEW 64

/*
 * Most of a stack is the same as at the last walk. A frame is still there if its return address is still in its stack
 * slot. A step of fixed distance depends on the return address alone, so the next frame of the path is then still the
 * next one on the stack: checking the path leads to the same frames as looking up each step, but the slots to check are
 * known in advance, and nothing has to be looked up.
 *
 * The path is a ring: walks add and remove frames at its inner end, and extend it at its outer end.
 */

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

/** Number of sets of steps that a thread remembers, a power of two, and of the steps in one set. */
#define STACK_STEP_SETS 1024
#define STACK_STEPS_IN_SET 4

/** Number of words, from the base on, that distinguish it from another native frame at the same address. */
#define STACK_BASE_WORDS 32

/** Owned by its thread. All zero at first. */
typedef struct stack_steps {
	unsigned unloads;      /**< MonoProfiler::unloads when the steps were learned. */
	unsigned pause;        /**< Remaining walks of the runtime without learning. */
	const uintptr_t *base; /**< Place of the base; NULL if unknown. No walk by steps reads beyond its words. */
	uintptr_t base_words[STACK_BASE_WORDS];
	uintptr_t end;   /**< End of the thread's stack; 0 if not determined yet. */
	stack_path path; /**< Of the last walk. */
	stack_step known[STACK_STEP_SETS][STACK_STEPS_IN_SET]; /**< The latest one of each set is the first. */
} stack_steps;

/** State of learning, while the runtime walks the stack. */
typedef struct stack_lesson {
	stack_steps *steps;
	const uintptr_t *slot;      /**< Stack slot of the next return address; NULL once it is not known. */
	const uintptr_t *unsettled; /**< Stack slot of the return address whose step leads to \a slot, or NULL. */
	uintptr_t pointer;          /**< The frame pointer register there; 0 if unknown. */
	stack_step step;            /**< That step: it is remembered once the next return address is confirmed. */
} stack_lesson;

/**
 * Walks the stack from a return address on, which is in the stack slot \p slot, and adds its frames to \p record, which
 * has none.
 *
 * Returns 0 if the runtime has to walk the stack: the record is then undefined.
 */
int stack_steps_walk(stack_steps *steps, unsigned unloads, const uintptr_t *slot, stack_record *record);

/**
 * Starts to learn from a walk of the runtime, on the same stack. Forgets all steps if something was unloaded since.
 * Learns the steps of the native frames that the innermost managed frame called.
 */
void stack_lesson_begin(stack_lesson *lesson, stack_steps *steps, unsigned unloads, const uintptr_t *slot);

/**
 * Learns from a managed frame: its code, and the offset in the code that the runtime reports. Called for the innermost
 * frame first. \p flags: of #frame_flag.
 */
void stack_lesson_add(stack_lesson *lesson, MonoDomain *domain, const void *code, int offset, mprof_frame frame,
		      unsigned flags);

/** Ends after a walk; learns the base, unless the walk left out outermost frames. */
void stack_lesson_end(stack_lesson *lesson, int has_all_frames);

#endif
