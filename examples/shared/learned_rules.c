/* SPDX-License-Identifier: MIT */
/* Keeps simple unwinding rules by address, and walks stacks by them. */
#include "shared/learned_rules.h"

#include "shared/hash.h"

#include <stdatomic.h>

/* A power of two. Addresses with the same slot replace each other. */
#define SLOT_COUNT 16384

#define WORD 8
#define MAX_WORDS 255
#define ADDRESS_BITS 47

/* A rule takes the 17 bits above the address, which has 47 bits in all programs. */
#define BASE_WORDS_SHIFT 47
#define SAVED_WORDS_SHIFT 55
#define FROM_FRAME_POINTER (UINT64_C(1) << 63)

/*
 * Written by the thread that unwinds copies, read in signal handlers. Relaxed: each slot stands for itself, and a rule
 * that is missing only costs a copy.
 */
static _Atomic uint64_t rules[SLOT_COUNT];

static _Atomic uint64_t *slot_of(uint64_t address)
{
	return &rules[hash_key(address) & (SLOT_COUNT - 1)];
}

/* Returns the number of words if it is a multiple from 1 to the maximum, otherwise 0. */
static uint64_t words_of(int64_t bytes)
{
	return bytes > 0 && bytes % WORD == 0 && bytes / WORD <= MAX_WORDS ? (uint64_t)bytes / WORD : 0;
}

void learned_rules_add(uintptr_t address, const unwind_row *row)
{
	const unwind_rule *frame = &row->rules[REGISTER_FRAME];
	const unwind_rule *caller = &row->rules[REGISTER_ADDRESS];
	const uint64_t base_words = words_of(row->base.value);
	const uint64_t saved_words = frame->kind == UNWIND_AT ? words_of(-frame->value) : 0;
	uint64_t rule = address;

	if (rule >> ADDRESS_BITS != 0 || row->base.kind != UNWIND_IN_REGISTER || base_words == 0 ||
	    row->rules[REGISTER_STACK].kind != UNWIND_SAME || caller->kind != UNWIND_AT || caller->value != -WORD ||
	    (frame->kind != UNWIND_SAME && saved_words == 0))
		return;
	if (row->base_register == REGISTER_FRAME)
		rule |= FROM_FRAME_POINTER;
	else if (row->base_register != REGISTER_STACK)
		return;
	rule |= base_words << BASE_WORDS_SHIFT | saved_words << SAVED_WORDS_SHIFT;
	atomic_store_explicit(slot_of(address), rule, memory_order_relaxed);
}

void learned_rules_forget(void)
{
	for (size_t i = 0; i < SLOT_COUNT; i++)
		atomic_store_explicit(&rules[i], 0, memory_order_relaxed);
}

uint64_t learned_rules_find(uint64_t address)
{
	uint64_t rule = atomic_load_explicit(slot_of(address), memory_order_relaxed);

	return address != 0 && (rule & ((UINT64_C(1) << ADDRESS_BITS) - 1)) == address ? rule : 0;
}

static uint64_t word_at(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

uint64_t learned_rules_base(uint64_t rule, const learned_frame *frame)
{
	return ((rule & FROM_FRAME_POINTER) != 0 ? frame->frame_pointer : frame->stack_pointer) +
	       (rule >> BASE_WORDS_SHIFT & MAX_WORDS) * WORD;
}

int learned_rules_leave(uint64_t rule, uintptr_t end, learned_frame *frame)
{
	const uint64_t saved = (rule >> SAVED_WORDS_SHIFT & MAX_WORDS) * WORD;
	const uint64_t base = learned_rules_base(rule, frame);

	/* All that is read is between the stack pointer of this frame and the end. */
	if (base <= frame->stack_pointer || base > end || base % WORD != 0 || base - frame->stack_pointer < WORD ||
	    base - frame->stack_pointer < saved)
		return 0;
	frame->address = word_at(base - WORD);
	frame->frame_pointer = saved != 0 ? word_at(base - saved) : frame->frame_pointer;
	frame->stack_pointer = base;
	return 1;
}

size_t learned_rules_walk(const uint64_t registers[REGISTER_COUNT], const sampled_stack *stack, mprof_frame *frames,
			  size_t limit)
{
	learned_frame frame = {registers[REGISTER_ADDRESS], registers[REGISTER_STACK], registers[REGISTER_FRAME]};
	size_t count = 0;

	if (stack->outermost == 0 || frame.stack_pointer < stack->start || frame.stack_pointer >= stack->end)
		return 0;
	for (;;) {
		const uint64_t address = frame.address;
		const uint64_t rule = learned_rules_find(count == 0 ? address : address - 1);

		if (rule == 0)
			return 0;
		if (learned_rules_base(rule, &frame) == stack->outermost + FRAME_ADDRESS_TO_BASE)
			return count;
		if (count == limit) {
			frames[count++] = MPROF_FRAME_TRUNCATED;
			return count;
		}
		if (!learned_rules_leave(rule, stack->end, &frame))
			return 0;
		frames[count] = count == 0 ? mprof_frame_make_native(address) : mprof_frame_make_return(address);
		count++;
	}
}
