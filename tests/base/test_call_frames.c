/* SPDX-License-Identifier: MIT */
/* The open calls of a stack in an array, compared with a list that forgets nothing. */
#include "base/call_frames.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <string.h>

#define MAX 16
#define STEPS 20000
#define METHODS 5

/* Frames of two sizes, as some followers keep only methods. */
typedef struct wide_frame {
	uint32_t method;
	uint64_t more;
} wide_frame;

static const size_t sizes[] = {sizeof(uint32_t), sizeof(wide_frame)};

static mprof_allocator allocator;
static failing_allocator state;

static void init(void)
{
	memset(&state, 0, sizeof(state));
	allocator = failing_allocator_interface(&state);
}

TestSuite(call_frames, .init = init);

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static int enter(call_frames *calls, size_t size, uint32_t method, size_t max)
{
	if (!call_frames_make_room(calls, &allocator, size, max))
		return 0;
	memcpy((unsigned char *)calls->frames + size * calls->depth++, &method, sizeof(method));
	return 1;
}

/* All frames, by the rules of doc/format.md, 4.3. */
typedef struct list {
	uint32_t methods[STEPS];
	size_t depth;
} list;

static void leave(list *list, uint32_t method)
{
	size_t depth = list->depth;

	while (depth > 0 && list->methods[depth - 1] != method)
		depth--;
	list->depth = depth > 0 ? depth - 1 : list->depth;
}

/* What is known are the innermost frames, and all of them unless the stack is unknown. */
static void expect_innermost(const call_frames *calls, size_t size, const list *list)
{
	cr_assert_leq(calls->depth, list->depth);
	cr_assert_lt(calls->depth, MAX);
	for (size_t i = 1; i <= calls->depth; i++)
		cr_assert_eq(call_frames_method(calls, size, calls->depth - i), list->methods[list->depth - i]);
	if (calls->base != CALL_BASE_UNKNOWN)
		cr_assert_eq(calls->depth, list->depth);
}

/* Returns whether the stack was unknown at some time. */
static int follow_random(uint32_t seed, size_t size, uint32_t enters)
{
	static list all;
	call_frames calls = {0};
	uint64_t searched = 0;
	int was_unknown = 0;

	all.depth = 0;
	for (size_t i = 0; i < STEPS; i++) {
		const uint32_t method = next_random(&seed) % METHODS;
		const uint32_t step = next_random(&seed) % 100;

		if (step < enters) {
			cr_assert(enter(&calls, size, method, MAX));
			all.methods[all.depth++] = method;
		} else if (step < 80) {
			const uint32_t top = all.depth > 0 ? all.methods[--all.depth] : 0;
			const uint32_t found = call_frames_leave_top(&calls, size);

			cr_assert(found == top || (found == 0 && calls.base == CALL_BASE_UNKNOWN));
		} else if (step < 99) {
			call_frames_leave(&calls, size, method, &searched);
			leave(&all, method);
		} else {
			call_frames_clear(&calls, step % 2 != 0 ? CALL_BASE_EMPTY : CALL_BASE_GAP);
			all.depth = 0;
		}
		expect_innermost(&calls, size, &all);
		was_unknown |= calls.base == CALL_BASE_UNKNOWN;
	}
	call_frames_release(&calls, &allocator, size);
	cr_assert_eq(state.blocks, 0);
	return was_unknown;
}

Test(call_frames, known_frames_are_the_innermost_of_all)
{
	int was_unknown = 0;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		for (size_t i = 0; i < 2; i++)
			was_unknown += follow_random(seed, sizes[i], 40 + seed);
	}
	/* Some sequences reach the limit, others do not. */
	cr_assert_gt(was_unknown, 0);
}

Test(call_frames, the_deepest_stack_has_one_frame_less_than_the_maximum)
{
	call_frames calls = {0};

	for (uint32_t i = 1; i < MAX; i++)
		cr_assert(enter(&calls, sizeof(i), i, MAX));
	cr_assert_eq(calls.depth, MAX - 1);
	cr_assert_neq(calls.base, CALL_BASE_UNKNOWN);
	cr_assert(enter(&calls, sizeof(uint32_t), MAX, MAX));
	cr_assert_eq(calls.depth, 1);
	cr_assert_eq(calls.base, CALL_BASE_UNKNOWN);
	cr_assert_leq(calls.capacity, MAX);
	/* A leave of an unknown frame ends all known ones; that of a known frame does not. */
	cr_assert(enter(&calls, sizeof(uint32_t), 7, MAX));
	call_frames_leave(&calls, sizeof(uint32_t), 7, &(uint64_t){0});
	cr_assert_eq(calls.depth, 1);
	call_frames_leave(&calls, sizeof(uint32_t), 3, &(uint64_t){0});
	cr_assert_eq(calls.depth, 0);
	call_frames_release(&calls, &allocator, sizeof(uint32_t));
}

Test(call_frames, a_deep_stack_is_not_searched_for_ever)
{
	call_frames calls = {0};
	uint64_t searched = 0;
	uint64_t leaves = 0;

	for (size_t i = 0; i < 2 * CALL_FRAMES_MAX_RECORDED; i++)
		cr_assert(enter(&calls, sizeof(uint32_t), 7, CALL_FRAMES_MAX));
	while (calls.base != CALL_BASE_UNKNOWN) {
		cr_assert_eq(calls.depth, 2 * CALL_FRAMES_MAX_RECORDED);
		call_frames_leave(&calls, sizeof(uint32_t), 8, &searched);
		leaves++;
	}
	cr_assert_eq(leaves, CALL_FRAMES_MAX_SEARCHED / (2 * CALL_FRAMES_MAX_RECORDED) + 1);
	cr_assert_eq(calls.depth, 0);
	/* Calls that are entered from then on are known, until another search fails. */
	cr_assert(enter(&calls, sizeof(uint32_t), 9, CALL_FRAMES_MAX));
	cr_assert(enter(&calls, sizeof(uint32_t), 6, CALL_FRAMES_MAX));
	call_frames_leave(&calls, sizeof(uint32_t), 6, &searched);
	cr_assert_eq(call_frames_leave_top(&calls, sizeof(uint32_t)), 9);
	call_frames_clear(&calls, CALL_BASE_EMPTY);
	cr_assert(enter(&calls, sizeof(uint32_t), 9, CALL_FRAMES_MAX));
	call_frames_leave(&calls, sizeof(uint32_t), 8, &searched);
	cr_assert_eq(calls.base, CALL_BASE_UNKNOWN);
	call_frames_release(&calls, &allocator, sizeof(uint32_t));
}

Test(call_frames, refused_memory_changes_nothing)
{
	call_frames calls = {0};

	state.fail_at = 1;
	cr_assert_not(call_frames_make_room(&calls, &allocator, sizeof(uint32_t), MAX));
	cr_assert_null(calls.frames);
	cr_assert_eq(calls.depth, 0);
	cr_assert_eq(calls.capacity, 0);
}
