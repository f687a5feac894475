/* SPDX-License-Identifier: MIT */
/* Walks stacks step by step. */
#include "stack_steps.h"

#include <mono/metadata/profiler.h>

#include "shared/hash.h"

#include <string.h>

/* See stack_step::saved. */
#define STACK_STEP_PUSHED UINT16_MAX

/* The frame with a number. */
static inline stack_path_frame *stack_path_at(stack_path *path, uint32_t number)
{
	return &path->frames[number & (STACK_PATH_FRAMES - 1)];
}

static inline void stack_path_clear(stack_path *path)
{
	path->outer = path->inner;
}

/* Whether the path contains the frame at slot, which is still there. Removes frames that are further in. */
static inline int stack_path_reaches(stack_path *path, const uintptr_t *slot)
{
	while (path->inner != path->outer && stack_path_at(path, path->inner)->slot < slot)
		path->inner++;
	return path->inner != path->outer && stack_path_at(path, path->inner)->slot == slot &&
	       stack_path_at(path, path->inner)->step.address == *slot;
}

/*
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

/* Adds a frame at the outer end. If the path is full, it loses its innermost frame. */
static inline void stack_path_add_outer(stack_path *path, const uintptr_t *slot, const stack_step *step)
{
	if (path->outer - path->inner == STACK_PATH_FRAMES)
		path->inner++;
	*stack_path_at(path, path->outer++) = (stack_path_frame){slot, *step};
}

/*
 * Number of walks without learning after a walk whose frames could not all be learned: learning takes longer, and the
 * next stack is probably similar.
 */
#define STACK_LESSON_PAUSE 15

#if defined(__linux__) && defined(__x86_64__)

#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>

/* Maximum number of native frames between the callback and managed code that are learned. */
#define MAX_NATIVE_FRAMES 32

/* Code of methods is at least as long; prologues are shorter. */
#define MIN_METHOD_SIZE 16

static stack_step *set_of(stack_steps *steps, uintptr_t address)
{
	return steps->known[hash_key(address) & (STACK_STEP_SETS - 1)];
}

/* Returns NULL if the step is not known. */
static stack_step *find_step(stack_steps *steps, uintptr_t address)
{
	stack_step *set = set_of(steps, address);

	for (size_t i = 0; i < STACK_STEPS_IN_SET; i++) {
		if (set[i].address == address)
			return &set[i];
	}
	return NULL;
}

/* Replaces the oldest step of the set, unless the step is known already. */
static void remember(stack_steps *steps, const stack_step *step)
{
	stack_step *known = find_step(steps, step->address);
	stack_step *set = set_of(steps, step->address);

	if (known == NULL) {
		memmove(set + 1, set, (STACK_STEPS_IN_SET - 1) * sizeof(*set));
		known = set;
	}
	*known = *step;
}

/* A place on the stack during a walk. */
typedef struct walk_place {
	const uintptr_t *slot; /* Of a return address. */
	uintptr_t pointer;     /* The frame pointer register when the frame made the call; 0 if unknown. */
} walk_place;

/* Moves on to the caller. Returns 0 if it is not known where its return address is. */
static int take_step(const stack_steps *steps, walk_place *position, const stack_step *step)
{
	const uintptr_t *slot = position->slot;

	if (step->distance != 0) {
		position->slot = slot + step->distance / sizeof(*slot);
	} else {
		/* In the part of the stack that is in use */
		if (position->pointer <= (uintptr_t)slot || position->pointer % sizeof(*slot) != 0 ||
		    position->pointer >= steps->end - 2 * sizeof(*slot))
			return 0;
		position->slot = (const uintptr_t *)position->pointer + 1;
	}
	if (step->saved != 0)
		position->pointer = step->saved == STACK_STEP_PUSHED ? position->slot[-1] : slot[step->saved];
	return 1;
}

static int is_base(const stack_steps *steps, const uintptr_t *slot)
{
	return slot == steps->base && memcmp(slot, steps->base_words, sizeof(steps->base_words)) == 0;
}

/*
 * Adds what the stack has further in than the path: the frames from \p slot on until one that is in the path. If there
 * are too many of them, they become the path. Returns 0 if a step is not known.
 */
static int enter_path(stack_steps *steps, const uintptr_t *slot)
{
	stack_path_frame added[STACK_PATH_NEW];
	walk_place position = {slot, 0};
	uint32_t count = 0;

	while (!stack_path_reaches(&steps->path, position.slot) && position.slot < steps->base &&
	       count < STACK_PATH_NEW) {
		const stack_step *step = find_step(steps, *position.slot);

		if (step == NULL)
			return 0;
		added[count++] = (stack_path_frame){position.slot, *step};
		if (!take_step(steps, &position, step))
			return 0;
	}
	if (count == STACK_PATH_NEW)
		stack_path_clear(&steps->path);
	stack_path_add_inner(&steps->path, added, count);
	return 1;
}

/* Extends the path at its outer end, which leads to \p slot. Returns 0 if the step is not known. */
static int extend_path(stack_steps *steps, const uintptr_t *slot)
{
	const stack_step *step = find_step(steps, *slot);

	if (step == NULL)
		return 0;
	stack_path_add_outer(&steps->path, slot, step);
	return 1;
}

/* Replaces the step of a frame whose return address has changed. Returns 0 if the step is not known. */
static int correct_path(stack_steps *steps, uint32_t number)
{
	stack_path_frame *frame = stack_path_at(&steps->path, number);
	const stack_step *step = find_step(steps, *frame->slot);

	if (step == NULL || step->distance != frame->step.distance)
		steps->path.outer = step == NULL ? number : number + 1;
	if (step != NULL)
		frame->step = *step;
	return step != NULL;
}

/* Moves on to the caller of a frame of the path. Returns 0 if it is not known where its return address is. */
static int follow_path(stack_steps *steps, uint32_t number, walk_place *position)
{
	const stack_path_frame *frame = stack_path_at(&steps->path, number);

	position->slot = frame->slot;
	if (!take_step(steps, position, &frame->step))
		return 0;
	/* The path may lead elsewhere now. */
	if (frame->step.distance == 0 && number + 1 != steps->path.outer &&
	    stack_path_at(&steps->path, number + 1)->slot != position->slot)
		steps->path.outer = number + 1;
	return 1;
}

int stack_steps_walk(stack_steps *steps, unsigned unloads, const uintptr_t *slot, stack_record *record)
{
	walk_place position = {slot, 0};
	int is_managed = 0;

	if (steps->unloads != unloads || !enter_path(steps, slot))
		return 0;
	for (uint32_t number = steps->path.inner;; number++) {
		const stack_path_frame *frame = stack_path_at(&steps->path, number);

		if (number == steps->path.outer && (position.slot >= steps->base || !extend_path(steps, position.slot)))
			break;
		if (frame->step.address != *frame->slot && !correct_path(steps, number))
			return 0;
		/* Native frames between managed frames have no steps: their callers are unknown. */
		if (!follow_path(steps, number, &position) || (frame->step.frame == 0 && is_managed))
			return 0;
		if (frame->step.frame == 0)
			continue;
		is_managed = 1;
		if (!stack_record_add(record, frame->step.frame, frame->step.flags))
			return 1;
	}
	return is_managed && is_base(steps, position.slot);
}

typedef struct native_lesson {
	stack_lesson *lesson;
	const uintptr_t *start;
	uintptr_t previous; /* Return address of the frame before. */
	const uintptr_t *previous_slot;
	unsigned frames;
} native_lesson;

/*
 * The unwinder reports the stack pointer that a frame has after the return to it: the return address is in the word
 * below.
 */
static _Unwind_Reason_Code learn_native_frame(struct _Unwind_Context *context, void *data)
{
	native_lesson *native = data;
	const uintptr_t address = _Unwind_GetIP(context);
	const uintptr_t *slot = (const uintptr_t *)_Unwind_GetCFA(context) - 1;

	if (slot < native->start)
		return _URC_NO_REASON;
	if (++native->frames > MAX_NATIVE_FRAMES || *slot != address)
		return _URC_NORMAL_STOP;
	if (native->previous_slot != NULL) {
		const uintptr_t distance = (uintptr_t)slot - (uintptr_t)native->previous_slot;
		const stack_step step = {native->previous, 0, (uint32_t)distance, 0, 0};

		remember(native->lesson->steps, &step);
	}
	native->previous = address;
	native->previous_slot = slot;
	native->lesson->slot = slot;
	return _URC_NO_REASON;
}

/* Returns the end of the thread's stack; if it is unknown, an address so low that no frame pointer is used. */
static uintptr_t end_of_stack(void)
{
	uintptr_t end = 2 * sizeof(uintptr_t);
	pthread_attr_t attributes;
	void *start;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return end;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0)
		end = (uintptr_t)start + size;
	pthread_attr_destroy(&attributes);
	return end;
}

void stack_lesson_begin(stack_lesson *lesson, stack_steps *steps, unsigned unloads, const uintptr_t *slot)
{
	native_lesson native = {lesson, slot, 0, NULL, 0};

	if (steps->unloads != unloads) {
		memset(steps, 0, sizeof(*steps));
		steps->unloads = unloads;
	}
	if (steps->end == 0)
		steps->end = end_of_stack();
	/* Steps may be forgotten. */
	stack_path_clear(&steps->path);
	*lesson = (stack_lesson){.steps = steps};
	/* The unwinder has no information about code of the runtime's compiler, and ends there. */
	(void)_Unwind_Backtrace(learn_native_frame, &native);
}

/* Whether the instruction subtracts a constant from the stack pointer. Stores its length. */
static int reads_subtraction(const uint8_t *code, uint32_t *amount, size_t *length)
{
	if (code[0] != 0x48 || (code[1] != 0x83 && code[1] != 0x81) || code[2] != 0xec)
		return 0;
	*length = code[1] == 0x83 ? 4 : 7;
	memcpy(amount, code + 3, sizeof(*amount));
	if (code[1] == 0x83)
		*amount &= 0xff;
	return *amount < (code[1] == 0x83 ? 0x80 : 0x1000000);
}

static int has_frame_pointer(const uint8_t *code, size_t size)
{
	static const uint8_t instructions[] = {0x55, 0x48, 0x8b, 0xec};

	return size >= MIN_METHOD_SIZE && memcmp(code, instructions, sizeof(instructions)) == 0;
}

/*
 * Reads the prologue of a method: push rbp and mov rbp, rsp; then the size of the frame is subtracted from rsp. Either
 * part may be missing. Returns the number of bytes from the stack pointer to the return address. \p rest: the offset of
 * the code after the prologue.
 */
static uint32_t read_prologue(const uint8_t *code, size_t size, size_t *rest)
{
	uint32_t amount = 0;
	uint32_t pushed = 0;
	size_t length = 0;

	*rest = 0;
	if (size < MIN_METHOD_SIZE)
		return 0;
	if (has_frame_pointer(code, size)) {
		pushed = 8;
		*rest = 4;
	}
	if (reads_subtraction(code + *rest, &amount, &length))
		*rest += length;
	return amount + pushed;
}

/*
 * Whether a constant is subtracted from the stack pointer for a finally block: either 8 bytes to align the call of the
 * block, or in the block itself, which saves the stack pointer in the method's frame before. Steps of calls inside the
 * block do not lead to a return address, so they are not remembered.
 */
static int is_for_block(const uint8_t *code)
{
	static const uint8_t saves_near[] = {0x48, 0x89, 0x65};
	static const uint8_t saves_far[] = {0x48, 0x89, 0xa5};
	uint32_t amount;
	size_t length;

	if (!reads_subtraction(code, &amount, &length))
		return 0;
	return (amount == 8 && code[length] == 0xe8) || memcmp(code - 4, saves_near, sizeof(saves_near)) == 0 ||
	       memcmp(code - 7, saves_far, sizeof(saves_far)) == 0;
}

/*
 * Whether the code of a method from \p start on may change the stack pointer for longer than a call: it subtracts a
 * register, for stackalloc, or a constant. Bytes that only look like such an instruction exclude the frames of the
 * method from learning.
 */
static int changes_stack_pointer(const uint8_t *code, size_t size, size_t start)
{
	for (size_t i = start; i + 8 <= size; i++) {
		if ((code[i] == 0x48 || code[i] == 0x49) && code[i + 1] == 0x2b && (code[i + 2] & 0xf8) == 0xe0)
			return 1;
		if ((code[i] & 0xfb) == 0x48 && code[i + 1] == 0x29 && (code[i + 2] & 0xc7) == 0xc4)
			return 1;
		if (code[i] == 0x48 && (code[i + 1] == 0x83 || code[i + 1] == 0x81) && code[i + 2] == 0xec &&
		    (i < 7 || !is_for_block(code + i)))
			return 1;
	}
	return 0;
}

/*
 * Returns where a method without a frame pointer saves that of its callers, as stack_step::saved: it stores the
 * register in its frame, mov [rsp + constant], rbp, either since it uses the register otherwise or for the runtime.
 */
static uint16_t find_saved_pointer(const uint8_t *code, size_t size)
{
	static const uint8_t near_place[] = {0x48, 0x89, 0x6c, 0x24};
	static const uint8_t far_place[] = {0x48, 0x89, 0xac, 0x24};

	for (size_t i = 0; i + 8 <= size; i++) {
		uint32_t offset = code[i + 4];

		if (memcmp(code + i, far_place, sizeof(far_place)) == 0)
			memcpy(&offset, code + i + 4, sizeof(offset));
		else if (memcmp(code + i, near_place, sizeof(near_place)) != 0)
			continue;
		/* When the method calls, its stack pointer is one word above the slot of the return address. */
		return offset < STACK_STEP_PUSHED ? (uint16_t)(offset / sizeof(uintptr_t) + 1) : 0;
	}
	return 0;
}

/* Derives from the code of a method how its frames lead to the next one. Returns 0 if that is not possible. */
static int read_step(MonoDomain *domain, const uint8_t *code, stack_step *step)
{
	/* The cast removes const: the runtime only compares the address. */
	MonoJitInfo *info = mono_jit_info_table_find(domain, (char *)(uintptr_t)code);
	size_t size = info == NULL ? 0 : (size_t)mono_jit_info_get_code_size(info);
	size_t rest;
	uint32_t frame_size;

	if (info == NULL || (const uint8_t *)mono_jit_info_get_code_start(info) != code)
		return 0;
	frame_size = read_prologue(code, size, &rest);
	step->saved = has_frame_pointer(code, size) ? STACK_STEP_PUSHED : find_saved_pointer(code, size);
	if (rest != 0 && frame_size % sizeof(uintptr_t) == 0 && !changes_stack_pointer(code, size, rest))
		step->distance = frame_size + (uint32_t)sizeof(uintptr_t);
	/* Bytes that only look like the instruction must not lead out of the frame. */
	if (step->saved != STACK_STEP_PUSHED && step->saved >= step->distance / sizeof(uintptr_t))
		step->saved = 0;
	return step->distance != 0 || step->saved == STACK_STEP_PUSHED;
}

/* Remembers the last step if it leads to a return address (\p is_right); otherwise forgets it. */
static void settle(stack_lesson *lesson, int is_right)
{
	stack_step *known;

	if (lesson->unsettled == NULL)
		return;
	lesson->unsettled = NULL;
	if (is_right) {
		remember(lesson->steps, &lesson->step);
		return;
	}
	known = find_step(lesson->steps, lesson->step.address);
	if (known != NULL)
		known->address = 0;
}

void stack_lesson_add(stack_lesson *lesson, MonoDomain *domain, const void *code, int offset, mprof_frame frame,
		      unsigned flags)
{
	const uintptr_t address = (uintptr_t)code + (uintptr_t)offset;
	const uintptr_t *slot = lesson->slot;
	walk_place position = {slot, lesson->pointer};
	const stack_step *known;
	int is_right;

	if (slot == NULL)
		return;
	/* The reported offset may be one less than that of the return address: inside the call instruction. */
	is_right = *slot == address || *slot == address + 1;
	settle(lesson, is_right);
	lesson->slot = NULL;
	if (!is_right)
		return;
	lesson->step = (stack_step){*slot, frame, 0, 0, (uint16_t)flags};
	known = find_step(lesson->steps, *slot);
	if (known != NULL)
		lesson->step = *known;
	else if (!read_step(domain, code, &lesson->step))
		return;
	if (!take_step(lesson->steps, &position, &lesson->step))
		return;
	lesson->unsettled = slot;
	lesson->slot = position.slot;
	lesson->pointer = position.pointer;
}

void stack_lesson_end(stack_lesson *lesson, int has_all_frames)
{
	const uintptr_t *slot = lesson->slot;
	Dl_info module;
	int is_found;

	/* The outermost managed frame was called by native code, which is in a module. */
	is_found = has_all_frames && slot != NULL && lesson->unsettled != NULL && dladdr((void *)*slot, &module) != 0;
	if (!is_found) {
		lesson->steps->pause = STACK_LESSON_PAUSE;
		return;
	}
	settle(lesson, 1);
	lesson->steps->base = slot;
	memcpy(lesson->steps->base_words, slot, sizeof(lesson->steps->base_words));
}

#else

/* Other systems have other prologues and unwinders: the runtime walks all stacks. */
int stack_steps_walk(stack_steps *steps, unsigned unloads, const uintptr_t *slot, stack_record *record)
{
	(void)steps;
	(void)unloads;
	(void)slot;
	(void)record;
	return 0;
}

void stack_lesson_begin(stack_lesson *lesson, stack_steps *steps, unsigned unloads, const uintptr_t *slot)
{
	(void)unloads;
	(void)slot;
	*lesson = (stack_lesson){.steps = steps};
}

void stack_lesson_add(stack_lesson *lesson, MonoDomain *domain, const void *code, int offset, mprof_frame frame,
		      unsigned flags)
{
	(void)lesson;
	(void)domain;
	(void)code;
	(void)offset;
	(void)frame;
	(void)flags;
}

void stack_lesson_end(stack_lesson *lesson, int has_all_frames)
{
	(void)lesson;
	(void)has_all_frames;
}

#endif
