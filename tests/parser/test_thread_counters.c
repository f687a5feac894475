/* SPDX-License-Identifier: MIT */
/* The counter from which events continue: with more threads and more blocks than are remembered. */
#include "parser/log_state.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

static uint64_t begin(thread_counters *counters, uint64_t offset, uint64_t thread, uint64_t base)
{
	uint64_t start = 0;

	cr_assert(thread_counters_begin(counters, offset, thread, base, &start));
	return start;
}

static void open_counters(thread_counters *counters, failing_allocator *memory)
{
	const mprof_allocator allocator = failing_allocator_interface(memory);

	thread_counters_init(counters, &allocator);
}

Test(thread_counters, threads_of_any_number)
{
	static const uint64_t threads[] = {0, 1, UINT64_MAX, UINT64_C(0x7f0012345740)};
	failing_allocator memory = {0};
	thread_counters counters;

	open_counters(&counters, &memory);
	for (uint64_t i = 0; i < 4; i++) {
		cr_assert_eq(begin(&counters, i, threads[i], 100), 100);
		thread_counters_end(&counters, 200 + i);
	}
	for (uint64_t i = 0; i < 4; i++)
		cr_assert_eq(begin(&counters, 10 + i, threads[i], 100), 200 + i);
	thread_counters_destroy(&counters);
	cr_assert_eq(memory.blocks, 0);
}

/* The counter of a thread may return to the base, or wrap around. */
Test(thread_counters, counters_that_run_back)
{
	failing_allocator memory = {0};
	thread_counters counters;

	open_counters(&counters, &memory);
	cr_assert_eq(begin(&counters, 0, 1, 100), 100);
	thread_counters_end(&counters, 90);
	cr_assert_eq(begin(&counters, 1, 1, 100), 90);
	thread_counters_end(&counters, 100);
	cr_assert_eq(begin(&counters, 2, 1, 100), 100);
	thread_counters_end(&counters, UINT64_MAX);
	cr_assert_eq(begin(&counters, 3, 1, 100), UINT64_MAX);
	thread_counters_destroy(&counters);
}

Test(thread_counters, memory_is_bounded_with_ever_new_threads)
{
	failing_allocator memory = {0};
	thread_counters counters;
	size_t most = 0;

	open_counters(&counters, &memory);
	for (uint64_t i = 0; i < 300000; i++) {
		cr_assert_eq(begin(&counters, 2 * i, i, 100), 100);
		thread_counters_end(&counters, 100 + i);
		cr_assert_eq(begin(&counters, 2 * i + 1, i, 100), 100 + i);
		if (i == 150000)
			most = memory.most_bytes;
	}
	cr_assert_eq(memory.most_bytes, most);
	cr_assert_lt(most, 8 << 20);
	thread_counters_destroy(&counters);
	cr_assert_eq(memory.blocks, 0);
}

Test(thread_counters, memory_is_bounded_with_ever_new_blocks)
{
	failing_allocator memory = {0};
	thread_counters counters;
	size_t most = 0;

	open_counters(&counters, &memory);
	for (uint64_t i = 0; i < 300000; i++) {
		cr_assert_eq(begin(&counters, i, 1, 100), 100 + i);
		thread_counters_end(&counters, 101 + i);
		if (i == 150000)
			most = memory.most_bytes;
	}
	cr_assert_eq(memory.most_bytes, most);
	/* The first ones are remembered, the last ones are not. */
	thread_counters_jump(&counters, 300000, 20000);
	cr_assert_eq(begin(&counters, 20000, 1, 100), 20100);
	thread_counters_jump(&counters, 20000, 250000);
	cr_assert_eq(begin(&counters, 250000, 1, 100), 100);
	thread_counters_destroy(&counters);
	cr_assert_eq(memory.blocks, 0);
}

Test(thread_counters, blocks_after_a_missed_one_are_not_remembered)
{
	failing_allocator memory = {0};
	thread_counters counters;

	open_counters(&counters, &memory);
	begin(&counters, 10, 1, 100);
	thread_counters_end(&counters, 110);
	cr_assert_eq(begin(&counters, 20, 1, 100), 110);
	thread_counters_end(&counters, 120);
	thread_counters_miss(&counters, 30);
	cr_assert_eq(begin(&counters, 40, 1, 100), 120);
	thread_counters_jump(&counters, 40, 40);
	cr_assert_eq(begin(&counters, 40, 1, 100), 100);
	thread_counters_jump(&counters, 40, 20);
	cr_assert_eq(begin(&counters, 20, 1, 100), 110);
	thread_counters_destroy(&counters);
}

/* If no block of a thread was read before, none can be missing. */
Test(thread_counters, jumps_before_the_first_block)
{
	static const uint64_t jumps[][2] = {{0, 0}, {50, 20}, {0, 50}, {70, 30}};
	failing_allocator memory = {0};
	thread_counters counters;

	open_counters(&counters, &memory);
	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++)
		thread_counters_jump(&counters, jumps[i][0], jumps[i][1]);
	begin(&counters, 60, 1, 100);
	thread_counters_end(&counters, 110);
	cr_assert_eq(begin(&counters, 70, 1, 100), 110);
	thread_counters_jump(&counters, 80, 70);
	cr_assert_eq(begin(&counters, 70, 1, 100), 110);
	thread_counters_destroy(&counters);
}

/*
 * The first block was missed, so counters after it are uncertain; when it is read later, all later ones become certain.
 */
Test(thread_counters, first_block_is_missed_and_read_later)
{
	failing_allocator memory = {0};
	thread_counters counters;

	open_counters(&counters, &memory);
	thread_counters_miss(&counters, 10);
	begin(&counters, 20, 1, 100);
	thread_counters_end(&counters, 105);
	cr_assert_eq(begin(&counters, 30, 1, 100), 105);
	thread_counters_jump(&counters, 40, 10);
	begin(&counters, 10, 1, 100);
	thread_counters_end(&counters, 110);
	cr_assert_eq(begin(&counters, 20, 1, 100), 110);
	thread_counters_jump(&counters, 30, 20);
	cr_assert_eq(begin(&counters, 20, 1, 100), 110);
	thread_counters_jump(&counters, 30, 30);
	cr_assert_eq(begin(&counters, 30, 1, 100), 100);
	thread_counters_destroy(&counters);
}

/* After one refused request for memory, whichever it is, the next attempt to begin a block succeeds. */
Test(thread_counters, no_memory)
{
	for (size_t fail_at = 1; fail_at < 8; fail_at++) {
		failing_allocator memory = {.fail_at = fail_at, .fail_once = 1};
		thread_counters counters;
		uint64_t start;

		open_counters(&counters, &memory);
		for (uint64_t i = 0; i < 200; i++) {
			if (!thread_counters_begin(&counters, i, i / 2, 100, &start))
				cr_assert(thread_counters_begin(&counters, i, i / 2, 100, &start));
			cr_assert_eq(start, 100 + i % 2);
			thread_counters_end(&counters, 101);
		}
		cr_assert_eq(memory.refused, 1);
		thread_counters_destroy(&counters);
		cr_assert_eq(memory.blocks, 0);
	}
}
