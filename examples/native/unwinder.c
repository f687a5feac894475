/* SPDX-License-Identifier: MIT */
/* Unwinds copied stacks. */
#include "unwinder.h"

#include "shared/learned_rules.h"
#include "shared/loader.h"
#include "shared/sampled_stack.h"

#include "shared/hash.h"

#include <link.h>
#include <string.h>

/* A power of two. Addresses with the same slot replace each other. */
#define CACHED_ROWS 512

/* Rules by address. They point to the tables of loaded code, and are forgotten when code is unloaded. */
static struct {
	uintptr_t address; /* 0 if the slot is not used. */
	int is_signal_frame;
	unwind_row row;
} cache[CACHED_ROWS];

static unsigned long long unloads_seen;

typedef struct stack_walk {
	const stack_copy *copy;
	mprof_frame *frames;
	size_t limit;
	size_t count;
	int is_cut;
	unwind_frame frame;
	int is_exact; /* The address is that of an interruption, not a return address. */
} stack_walk;

/* Returns NULL if there are no rules. */
static const unwind_row *find_row(uintptr_t address, int *is_signal_frame)
{
	size_t slot = hash_key(address) & (CACHED_ROWS - 1);
	unwind_entry entry;

	if (cache[slot].address != address) {
		cache[slot].address = 0;
		if (!unwind_tables_find(address, &entry) || !unwind_rules_compute(&entry, address, &cache[slot].row))
			return NULL;
		cache[slot].address = address;
		cache[slot].is_signal_frame = entry.is_signal_frame;
	}
	*is_signal_frame = cache[slot].is_signal_frame;
	return &cache[slot].row;
}

static int cut(stack_walk *walk)
{
	walk->is_cut = 1;
	return 0;
}

/* Adds a frame and finds its caller. Returns 0 at the end. */
static int step(stack_walk *walk)
{
	const uintptr_t address = (uintptr_t)walk->frame.registers[REGISTER_ADDRESS];
	const uintptr_t inside = walk->is_exact ? address : address - 1;
	const uint64_t stack_pointer = walk->frame.registers[REGISTER_STACK];
	int is_signal_frame = 0;
	const unwind_row *row = find_row(inside, &is_signal_frame);
	uint64_t base = 0;
	int has_base = row != NULL && unwind_rules_base(row, &walk->frame, &base);

	if (has_base && !is_signal_frame)
		learned_rules_add(inside, row);
	/* The frame of this module that called the first function of the thread. */
	if (has_base && walk->copy->outermost != 0 && base == walk->copy->outermost + FRAME_ADDRESS_TO_BASE)
		return 0;
	if (walk->count == walk->limit) {
		walk->frames[walk->count++] = MPROF_FRAME_TRUNCATED;
		return 0;
	}
	walk->frames[walk->count++] =
		walk->is_exact ? mprof_frame_make_native(address) : mprof_frame_make_return(address);
	if (!has_base)
		return cut(walk);
	/* A handler may run on a stack of its own, so only its caller may be at a lower address. */
	if ((base <= stack_pointer && !is_signal_frame) || !unwind_rules_apply(row, base, &walk->frame))
		return cut(walk);
	walk->is_exact = is_signal_frame;
	return walk->frame.registers[REGISTER_ADDRESS] != 0;
}

/* Called with the lock of the loader held, so that the tables stay mapped. */
static int walk_stack(struct dl_phdr_info *module, size_t size, void *user)
{
	stack_walk *walk = user;

	if (size >= sizeof(*module) && module->dlpi_subs != unloads_seen) {
		unloads_seen = module->dlpi_subs;
		memset(cache, 0, sizeof(cache));
		learned_rules_forget();
	}
	while (step(walk))
		continue;
	return 1;
}

size_t unwinder_walk(const stack_copy *copy, mprof_frame *frames, size_t limit, int *is_cut)
{
	stack_walk walk = {.copy = copy, .frames = frames, .limit = limit, .is_exact = 1};

	memcpy(walk.frame.registers, copy->registers, sizeof(walk.frame.registers));
	walk.frame.stack = copy->bytes;
	walk.frame.stack_start = copy->start;
	walk.frame.stack_length = copy->length;
	/* If the lock cannot be taken, nothing is known about the callers. */
	if (!loader_visit(walk_stack, &walk)) {
		frames[walk.count++] = mprof_frame_make_native(copy->registers[REGISTER_ADDRESS]);
		walk.is_cut = 1;
	}
	if (walk.is_cut)
		frames[walk.count++] = MPROF_FRAME_TRUNCATED;
	*is_cut = walk.is_cut;
	return walk.count;
}
