/* SPDX-License-Identifier: MIT */
/* Learns the distances between return addresses on the stack, and walks stacks with them. */
#include "stack_steps.h"

#include "shared/hash.h"

#include <mono/metadata/profiler.h>

#include <string.h>

#if defined(__linux__) && defined(__x86_64__)

#include <dlfcn.h>
#include <unwind.h>

/* Maximum number of native frames between the callback and managed code that are learned. */
#define MAX_NATIVE_FRAMES 32

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

static const uintptr_t *slot_after(const uintptr_t *slot, uint32_t distance)
{
	return slot + distance / sizeof(*slot);
}

static int is_base(const stack_steps *steps, const uintptr_t *slot)
{
	return slot == steps->base && memcmp(slot, steps->base_words, sizeof(steps->base_words)) == 0;
}

int stack_steps_walk(stack_steps *steps, unsigned unloads, const uintptr_t *slot, mprof_frame *frames, size_t limit,
		     size_t *count)
{
	int is_managed = 0;

	*count = 0;
	if (steps->unloads != unloads)
		return 0;
	while (slot < steps->base) {
		const stack_step *step = find_step(steps, *slot);

		/* Native frames between managed frames have no steps: their callers are unknown. */
		if (step == NULL || (step->frame == 0 && is_managed))
			return 0;
		if (step->frame != 0) {
			is_managed = 1;
			if (*count == limit) {
				frames[(*count)++] = MPROF_FRAME_TRUNCATED;
				return 1;
			}
			if (*count > 0 || !step->is_wrapper)
				frames[(*count)++] = step->frame;
		}
		slot = slot_after(slot, step->distance);
	}
	return is_managed && is_base(steps, slot);
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
		const stack_step step = {native->previous, 0, (uint32_t)distance, 0};

		remember(native->lesson->steps, &step);
	}
	native->previous = address;
	native->previous_slot = slot;
	native->lesson->slot = slot;
	return _URC_NO_REASON;
}

void stack_lesson_begin(stack_lesson *lesson, stack_steps *steps, unsigned unloads, const uintptr_t *slot)
{
	native_lesson native = {lesson, slot, 0, NULL, 0};

	if (steps->unloads != unloads) {
		memset(steps, 0, sizeof(*steps));
		steps->unloads = unloads;
	}
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

/*
 * Reads the prologue of a method: push rbp and mov rbp, rsp; then the size of the frame is subtracted from rsp. Either
 * part may be missing. Returns the number of bytes from the stack pointer to the return address. \p rest: the offset of
 * the code after the prologue.
 */
static uint32_t read_prologue(const uint8_t *code, size_t size, size_t *rest)
{
	static const uint8_t frame_pointer[] = {0x55, 0x48, 0x8b, 0xec};
	uint32_t amount = 0;
	uint32_t pushed = 0;
	size_t length = 0;

	*rest = 0;
	if (size < 16)
		return 0;
	if (memcmp(code, frame_pointer, sizeof(frame_pointer)) == 0) {
		pushed = 8;
		*rest = sizeof(frame_pointer);
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

/* Returns the number of bytes from one return address to the next; 0 if it is not fixed. */
static uint32_t distance_of(MonoDomain *domain, const uint8_t *code)
{
	/* The cast removes const: the runtime only compares the address. */
	MonoJitInfo *info = mono_jit_info_table_find(domain, (char *)(uintptr_t)code);
	size_t size = info == NULL ? 0 : (size_t)mono_jit_info_get_code_size(info);
	size_t rest;
	uint32_t frame_size;

	if (info == NULL || (const uint8_t *)mono_jit_info_get_code_start(info) != code)
		return 0;
	frame_size = read_prologue(code, size, &rest);
	if (rest == 0 || frame_size % sizeof(uintptr_t) != 0 || changes_stack_pointer(code, size, rest))
		return 0;
	return frame_size + (uint32_t)sizeof(uintptr_t);
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
		      int is_wrapper)
{
	const uintptr_t address = (uintptr_t)code + (uintptr_t)offset;
	const uintptr_t *slot = lesson->slot;
	const stack_step *known;
	uint32_t distance;
	int is_right;

	if (slot == NULL)
		return;
	/* The reported offset may be one less than that of the return address: inside the call instruction. */
	is_right = *slot == address || *slot == address + 1;
	settle(lesson, is_right);
	lesson->slot = NULL;
	if (!is_right)
		return;
	known = find_step(lesson->steps, *slot);
	distance = known != NULL ? known->distance : distance_of(domain, code);
	if (distance == 0)
		return;
	lesson->step = (stack_step){*slot, frame, distance, is_wrapper};
	lesson->unsettled = slot;
	lesson->slot = slot_after(slot, distance);
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
int stack_steps_walk(stack_steps *steps, unsigned unloads, const uintptr_t *slot, mprof_frame *frames, size_t limit,
		     size_t *count)
{
	(void)steps;
	(void)unloads;
	(void)slot;
	(void)frames;
	(void)limit;
	*count = 0;
	return 0;
}

void stack_lesson_begin(stack_lesson *lesson, stack_steps *steps, unsigned unloads, const uintptr_t *slot)
{
	(void)unloads;
	(void)slot;
	*lesson = (stack_lesson){.steps = steps};
}

void stack_lesson_add(stack_lesson *lesson, MonoDomain *domain, const void *code, int offset, mprof_frame frame,
		      int is_wrapper)
{
	(void)lesson;
	(void)domain;
	(void)code;
	(void)offset;
	(void)frame;
	(void)is_wrapper;
}

void stack_lesson_end(stack_lesson *lesson, int has_all_frames)
{
	(void)lesson;
	(void)has_all_frames;
}

#endif
