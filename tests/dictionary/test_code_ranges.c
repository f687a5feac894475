/* SPDX-License-Identifier: MIT */
/* The range that held an address at a time is the one that a search of all of them finds. */
#include "dictionary/code_ranges.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <string.h>

static failing_allocator memory;
static memory_budget budget;
static code_ranges ranges;

static void open_ranges(uint64_t max_memory)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);

	memset(&memory, 0, sizeof(memory));
	memory_budget_init(&budget, &allocator, max_memory);
	code_ranges_init(&ranges, &budget);
}

static void close_ranges(void)
{
	cr_assert_eq(budget.used, memory.bytes, "all memory is counted");
	code_ranges_destroy(&ranges);
	cr_assert_eq(memory.blocks, 0);
}

static mprof_status define(uint32_t id, uint64_t address, uint64_t size, uint64_t start)
{
	const mprof_record record = {.kind = MPROF_RECORD_CODE_RANGE,
				     .id = id,
				     .as.code_range = {.address = address, .size = size, .start = start, .name = ""}};

	return code_ranges_add(&ranges, &record);
}

static mprof_status end(uint32_t id, uint64_t counter, uint64_t address)
{
	const mprof_record record = {.kind = MPROF_RECORD_CODE_END, .id = id, .as.code_end = {counter, address}};

	return code_ranges_add(&ranges, &record);
}

static mprof_status line(uint32_t id, uint64_t offset, uint32_t position)
{
	const mprof_record record = {.kind = MPROF_RECORD_CODE_LINE, .id = id, .as.code_line = {offset, position, 0}};

	return code_ranges_add(&ranges, &record);
}

static uint32_t find(uint64_t address, uint64_t counter)
{
	code_answer answer;

	cr_assert_eq(code_ranges_find(&ranges, (code_address){0, address}, counter, &answer), MPROF_OK);
	cr_assert(answer.from <= counter && counter <= answer.until);
	return answer.range;
}

/* As find(), by looking at all claims. */
static uint32_t search(uint64_t address, uint64_t counter)
{
	const code_claim *latest = NULL;

	for (size_t i = 0; i < ranges.claim_count; i++) {
		const code_claim *claim = &ranges.claims[i];

		if (claim->first <= address && address <= claim->last && claim->start <= counter &&
		    (latest == NULL || claim->start >= latest->start))
			latest = claim;
	}
	return latest != NULL && counter < latest->end ? latest->range : 0;
}

static uint64_t state = 1;

static uint64_t random_below(uint64_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % limit;
}

Test(code_ranges, hold_addresses_from_a_time_on)
{
	open_ranges(1 << 20);
	cr_expect_eq(find(0x1000, 5), 0);
	cr_assert_eq(define(1, 0x1000, 16, 10), MPROF_OK);
	cr_assert_eq(define(2, 0x1010, 16, 10), MPROF_OK);
	cr_expect_eq(find(0x1000, 9), 0);
	cr_expect_eq(find(0x1000, 10), 1);
	cr_expect_eq(find(0x100f, UINT64_MAX), 1);
	cr_expect_eq(find(0x1010, 10), 2);
	cr_expect_eq(find(0xfff, 10), 0);
	cr_expect_eq(find(0x1020, 10), 0);
	close_ranges();
}

Test(code_ranges, that_are_later_replace_earlier_ones)
{
	open_ranges(1 << 20);
	cr_assert_eq(define(1, 0x1000, 64, 10), MPROF_OK);
	cr_assert_eq(define(2, 0x1010, 16, 20), MPROF_OK);
	cr_assert_eq(define(3, 0x1018, 16, 20), MPROF_OK);
	cr_assert_eq(end(2, 30, 0), MPROF_OK);
	cr_expect_eq(find(0x1010, 19), 1);
	cr_expect_eq(find(0x1010, 20), 2);
	cr_expect_eq(find(0x1018, 20), 3, "of two that begin at one time, the one with the higher ID");
	cr_expect_eq(find(0x1010, 30), 0, "the code before it was replaced");
	cr_expect_eq(find(0x1000, 30), 1);
	close_ranges();
}

Test(code_ranges, move_and_end)
{
	open_ranges(1 << 20);
	cr_assert_eq(define(1, 0x1000, 16, 10), MPROF_OK);
	cr_assert_eq(end(1, 20, 0x2000), MPROF_OK);
	cr_assert_eq(end(1, 30, 0x1000), MPROF_OK);
	cr_assert_eq(end(1, 40, 0), MPROF_OK);
	cr_assert_eq(end(1, 50, 0x3000), MPROF_OK, "it was freed");
	cr_assert_eq(end(7, 50, 0x3000), MPROF_OK, "it is not known");
	cr_expect_eq(find(0x1008, 19), 1);
	cr_expect_eq(find(0x1008, 20), 0);
	cr_expect_eq(find(0x2008, 20), 1);
	cr_expect_eq(find(0x2008, 30), 0);
	cr_expect_eq(find(0x1008, 30), 1);
	cr_expect_eq(find(0x1008, 40), 0);
	cr_expect_eq(find(0x3008, 60), 0);
	close_ranges();
}

Test(code_ranges, that_nothing_can_be_in_hold_nothing)
{
	open_ranges(1 << 20);
	cr_assert_eq(define(1, 0x1000, 0, 10), MPROF_OK);
	cr_assert_eq(define(2, 0x2000, 16, 10), MPROF_OK);
	cr_assert_eq(end(2, 5, 0), MPROF_OK);
	cr_assert_eq(define(3, UINT64_MAX - 7, UINT64_MAX, 10), MPROF_OK);
	cr_assert_eq(end(3, 20, UINT64_MAX - 1), MPROF_OK);
	cr_expect_eq(find(0x1000, 20), 0);
	cr_expect_eq(find(0x2000, 7), 0);
	cr_expect_eq(find(0x2000, 20), 0);
	cr_expect_eq(find(UINT64_MAX, 10), 3, "it ends with the address space");
	cr_expect_eq(find(0, 10), 0);
	cr_expect_eq(find(UINT64_MAX - 7, 20), 0);
	cr_expect_eq(find(UINT64_MAX, 20), 3);
	cr_assert_eq(define(4, 0, UINT64_MAX, 30), MPROF_OK);
	cr_expect_eq(find(0, 30), 4);
	cr_expect_eq(find(UINT64_MAX - 1, 30), 4);
	close_ranges();
}

/* Few addresses and times, so that most ranges overlap others and many begin at the same time. */
Test(code_ranges, are_those_that_a_search_finds)
{
	open_ranges(UINT64_MAX);
	for (uint32_t id = 1; id <= 600; id++) {
		cr_assert_eq(define(id, random_below(200), random_below(60), random_below(100)), MPROF_OK);
		if (random_below(2) == 0)
			cr_assert_eq(end(1 + (uint32_t)random_below(id), random_below(120),
					 random_below(2) * random_below(200)),
				     MPROF_OK);
		for (int i = 0; i < 100; i++) {
			const uint64_t address = random_below(260);
			const uint64_t counter = random_below(130);

			cr_assert_eq(find(address, counter), search(address, counter), "%llu at %llu, of %u",
				     (unsigned long long)address, (unsigned long long)counter, id);
		}
	}
	close_ranges();
}

/* An answer is valid for the time that it states. */
Test(code_ranges, answers_are_valid_for_a_time)
{
	open_ranges(UINT64_MAX);
	for (uint32_t id = 1; id <= 50; id++) {
		cr_assert_eq(define(id, random_below(100), 1 + random_below(60), random_below(100)), MPROF_OK);
		if (id % 3 == 0)
			cr_assert_eq(end(id, random_below(120), 0), MPROF_OK);
	}
	for (uint64_t address = 0; address < 160; address += 7) {
		for (uint64_t counter = 0; counter < 130; counter++) {
			code_answer answer;

			cr_assert_eq(code_ranges_find(&ranges, (code_address){0, address}, counter, &answer), MPROF_OK);
			cr_assert_eq(search(address, answer.from), answer.range);
			if (answer.until != UINT64_MAX)
				cr_assert_eq(search(address, answer.until - 1), answer.range);
		}
	}
	close_ranges();
}

/* Each lookup looks at one range of each node on a path, although a million of them hold the address. */
Test(code_ranges, a_million_are_found)
{
	enum { RANGES = 1000000 };

	open_ranges(UINT64_MAX);
	for (uint32_t id = 1; id <= RANGES; id++)
		cr_assert_eq(define(id, 0x10000 - 8 * (id % 100), 0x20000, id), MPROF_OK);
	for (uint32_t i = 1; i <= RANGES; i++)
		cr_assert_eq(find(0x10000, i), i);
	for (uint32_t id = 1; id <= RANGES; id += 1000) {
		cr_assert_eq(define(RANGES + id, 0x10000, 16, RANGES + id), MPROF_OK);
		cr_assert_eq(find(0x10000, RANGES + id), RANGES + id);
	}
	close_ranges();
}

Test(code_ranges, lines_are_those_from_an_offset_on)
{
	const code_line *found;

	open_ranges(1 << 20);
	cr_assert_eq(line(1, 4, 10), MPROF_OK);
	cr_assert_eq(line(1, 8, 11), MPROF_OK);
	cr_assert_eq(line(1, 8, 12), MPROF_OK);
	cr_assert_eq(line(1, 6, 13), MPROF_OK, "it is not in order");
	cr_assert_eq(line(3, 0, 14), MPROF_OK);
	cr_assert_eq(line(2, 0, 15), MPROF_OK);
	cr_expect_eq(code_ranges_lines(&ranges, 1, 3, &found), 0);
	cr_assert_eq(code_ranges_lines(&ranges, 1, 7, &found), 1);
	cr_expect_eq(found[0].position, 10);
	cr_assert_eq(code_ranges_lines(&ranges, 1, UINT64_MAX, &found), 2);
	cr_expect_eq(found[0].position, 11);
	cr_expect_eq(found[1].position, 12);
	cr_expect_eq(code_ranges_lines(&ranges, 2, 0, &found), 1);
	cr_expect_eq(code_ranges_lines(&ranges, 3, 5, &found), 1);
	close_ranges();
}

/* As those of the processes of a merged log are. */
Test(code_ranges, lines_of_several_ranges_alternate)
{
	enum { RANGES = 7, LINES = 50 };
	code_mark mark = {0};

	open_ranges(1 << 20);
	for (uint32_t round = 0; round < LINES; round++) {
		if (round == LINES / 2)
			mark = code_ranges_mark(&ranges);
		for (uint32_t id = RANGES; id > 0; id--)
			cr_assert_eq(line(id, 2 * round, 100 * id + round), MPROF_OK);
	}
	for (uint32_t lines = LINES; lines >= LINES / 2; lines -= LINES / 2) {
		for (uint32_t id = 1; id <= RANGES; id++) {
			for (uint32_t offset = 0; offset < 2 * LINES; offset++) {
				const uint32_t last = offset / 2 < lines ? offset / 2 : lines - 1;
				const code_line *found;

				cr_assert_eq(code_ranges_lines(&ranges, id, offset, &found), 1);
				cr_assert_eq(found->position, 100 * id + last);
			}
		}
		if (lines == LINES)
			code_ranges_roll_back(&ranges, &mark);
	}
	close_ranges();
}

Test(code_ranges, of_a_damaged_block_are_removed)
{
	code_mark mark;

	open_ranges(1 << 20);
	cr_assert_eq(define(1, 0x1000, 16, 10), MPROF_OK);
	cr_assert_eq(line(1, 0, 1), MPROF_OK);
	mark = code_ranges_mark(&ranges);
	cr_assert_eq(define(2, 0x1000, 16, 20), MPROF_OK);
	cr_assert_eq(end(1, 15, 0x2000), MPROF_OK);
	cr_assert_eq(end(1, 16, 0x3000), MPROF_OK);
	cr_assert_eq(end(1, 17, 0), MPROF_OK);
	cr_assert_eq(line(2, 0, 1), MPROF_OK);
	code_ranges_roll_back(&ranges, &mark);
	cr_expect_eq(find(0x1000, 100), 1);
	cr_expect_eq(find(0x2000, 100), 0);
	cr_expect_eq(ranges.line_count, 1);
	cr_assert_eq(end(1, 30, 0), MPROF_OK);
	cr_expect_eq(find(0x1000, 100), 0);
	close_ranges();
}

Test(code_ranges, without_memory_change_nothing)
{
	open_ranges(UINT64_MAX);
	cr_assert_eq(define(1, 0x1000, 16, 10), MPROF_OK);
	for (size_t refused = 1;; refused++) {
		code_answer answer;
		mprof_status status;

		memory.fail_at = memory.requests + refused;
		status = code_ranges_find(&ranges, (code_address){0, 0x1000}, 10, &answer);
		memory.fail_at = 0;
		if (status == MPROF_OK)
			break;
		cr_assert_eq(status, MPROF_ERR_MEMORY);
		cr_assert_eq(answer.range, 0);
	}
	cr_expect_eq(find(0x1000, 10), 1);
	close_ranges();
	open_ranges(600);
	for (uint32_t id = 1; id < 100; id++) {
		const mprof_status status = define(id, 16 * id, 16, id);

		cr_assert(status == MPROF_OK || status == MPROF_ERR_LIMIT);
	}
	close_ranges();
}

/* Each process has the whole address space. */
Test(code_ranges, of_processes_are_apart)
{
	static const uint64_t processes[] = {7, 8, UINT64_MAX};
	mprof_record record = {.kind = MPROF_RECORD_CODE_RANGE,
			       .as.code_range = {.address = 0x1000, .size = UINT64_MAX, .start = 10, .name = ""}};
	code_answer answer;

	open_ranges(1 << 20);
	for (uint32_t i = 0; i < 3; i++) {
		record.id = i + 1;
		record.as.code_range.process = processes[i];
		cr_assert_eq(code_ranges_add(&ranges, &record), MPROF_OK);
	}
	cr_assert_eq(end(2, 50, 0x9000), MPROF_OK);
	for (uint32_t i = 0; i < 3; i++) {
		cr_assert_eq(code_ranges_find(&ranges, (code_address){processes[i], 0x1000}, 20, &answer), MPROF_OK);
		cr_expect_eq(answer.range, i + 1);
		cr_assert_eq(code_ranges_find(&ranges, (code_address){processes[i], UINT64_MAX}, 60, &answer),
			     MPROF_OK);
		cr_expect_eq(answer.range, i + 1);
		cr_assert_eq(code_ranges_find(&ranges, (code_address){processes[i], 0}, 20, &answer), MPROF_OK);
		cr_expect_eq(answer.range, 0);
	}
	cr_assert_eq(code_ranges_find(&ranges, (code_address){8, 0x1000}, 60, &answer), MPROF_OK);
	cr_expect_eq(answer.range, 0, "it was moved");
	cr_assert_eq(code_ranges_find(&ranges, (code_address){9, 0x1000}, 60, &answer), MPROF_OK);
	cr_expect_eq(answer.range, 0);
	close_ranges();
}
