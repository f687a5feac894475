/* SPDX-License-Identifier: MIT */
/* Symbols of events: vectors of any length and at any position count and unpack the same as one symbol at a time. */
#include "format/events/event_columns_decode.h"

#include <criterion/criterion.h>

#include <string.h>

/* More than the vectors after which counts are added up. */
#define EVENTS 1700

static uint8_t bytes[EVENTS / 2];

static uint32_t next_random(void)
{
	static uint32_t state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void fill(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] =
			(uint8_t)(next_random() % EVENT_SYMBOLS | next_random() % EVENT_SYMBOLS << EVENT_SYMBOL_BITS);
}

static void set_symbol(size_t position, uint32_t symbol)
{
	const uint32_t shift = position % 2 * EVENT_SYMBOL_BITS;

	bytes[position / 2] =
		(uint8_t)((bytes[position / 2] & ~((uint32_t)EVENT_SYMBOL_MASK << shift)) | symbol << shift);
}

static void expect_counts(size_t position, size_t count)
{
	event_symbol_counts counts;
	size_t of[EVENT_SYMBOLS] = {0};
	size_t expected;

	for (expected = 0; expected < count && event_symbol_at(bytes, position + expected) < EVENT_SYMBOLS; expected++)
		of[event_symbol_at(bytes, position + expected)]++;
	cr_assert_eq(event_symbols_count(bytes, position, count, &counts), expected, "%zu %zu", position, count);
	cr_assert_eq(counts.with_method, of[EVENT_SYMBOL_ENTER] + of[EVENT_SYMBOL_LEAVE], "%zu %zu", position, count);
	cr_assert_eq(counts.implicit_leaves, of[EVENT_SYMBOL_LEAVE_IMPLICIT]);
	cr_assert_eq(counts.allocations, of[EVENT_SYMBOL_ALLOCATION]);
	cr_assert_eq(counts.fixed_allocations, of[EVENT_SYMBOL_ALLOCATION_FIXED]);
	cr_assert_eq(counts.rows, of[EVENT_SYMBOL_ROW]);
}

Test(event_symbols, are_counted_at_any_position)
{
	fill();
	for (size_t position = 0; position < 40; position++) {
		for (size_t count = 0; count <= EVENTS - position; count += 1 + count / 7)
			expect_counts(position, count);
		expect_counts(position, EVENTS - position);
	}
}

Test(event_symbols, of_one_kind_do_not_exceed_a_counter)
{
	for (uint32_t symbol = 0; symbol < EVENT_SYMBOLS; symbol++) {
		memset(bytes, (int)(symbol | symbol << EVENT_SYMBOL_BITS), sizeof(bytes));
		expect_counts(0, EVENTS);
		expect_counts(1, EVENTS - 1);
	}
}

Test(event_symbols, are_counted_up_to_an_invalid_one)
{
	for (uint32_t symbol = EVENT_SYMBOLS; symbol <= EVENT_SYMBOL_MASK; symbol++) {
		for (size_t invalid = 0; invalid < EVENTS; invalid += 1 + next_random() % 29) {
			fill();
			set_symbol(invalid, symbol);
			for (size_t position = 0; position < 3; position++)
				expect_counts(position, EVENTS - position);
		}
	}
}

Test(event_symbols, with_a_time_are_counted)
{
	static uint8_t symbols[EVENTS];

	fill();
	event_symbols_unpack(bytes, 0, EVENTS, symbols);
	for (size_t position = 0; position < 20; position++) {
		for (size_t count = 0; count <= EVENTS - position; count += 1 + count / 9) {
			event_symbol_counts counts;

			cr_assert_eq(event_symbols_count(bytes, position, count, &counts), count);
			cr_assert_eq(event_symbols_count_times(symbols + position, count),
				     event_symbols_with_time(&counts) - counts.typed);
		}
	}
}

Test(event_symbols, of_allocations_are_found)
{
	static uint8_t symbols[EVENTS];
	static uint16_t positions[EVENTS];

	fill();
	event_symbols_unpack(bytes, 0, EVENTS, symbols);
	for (size_t start = 0; start < 20; start++) {
		for (size_t count = 0; count <= EVENTS - start; count += 1 + count / 9) {
			const size_t found = event_symbols_find_allocations(symbols + start, count, positions);
			size_t expected = 0;

			for (size_t i = 0; i < count; i++) {
				const uint8_t symbol = symbols[start + i];

				if (symbol != EVENT_SYMBOL_ALLOCATION && symbol != EVENT_SYMBOL_ALLOCATION_FIXED)
					continue;
				cr_assert_lt(expected, found);
				cr_assert_eq(positions[expected++], i);
			}
			cr_assert_eq(found, expected);
		}
	}
}

Test(event_symbols, are_unpacked_at_any_position)
{
	static uint8_t symbols[EVENTS + 1];
	static uint8_t portable[EVENTS + 1];

	fill();
	for (size_t position = 0; position < 3; position++) {
		for (size_t count = 0; count <= EVENTS - position; count += 1 + count / 9) {
			memset(symbols, 0xff, sizeof(symbols));
			memset(portable, 0xff, sizeof(portable));
			event_symbols_unpack(bytes, position, count, symbols);
			event_symbols_unpack_portable(bytes, position, count, portable);
			for (size_t i = 0; i < count; i++) {
				cr_assert_eq(symbols[i], event_symbol_at(bytes, position + i));
				cr_assert_eq(portable[i], symbols[i]);
			}
			/* Nothing is stored after them. */
			cr_assert_eq(symbols[count], 0xff);
			cr_assert_eq(portable[count], 0xff);
		}
	}
}
