/* SPDX-License-Identifier: MIT */
/* The list of a hand-written SAMPLES block. */
#include "format/blocks/statistical.h"

#include <criterion/criterion.h>

#include <string.h>

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static samples_decode_state begin(const uint8_t *bytes, size_t length)
{
	samples_decode_state state = {bytes, length, 0, 0, 1000};

	return state;
}

Test(samples_decode, fields)
{
	samples_decode_state state = begin(BYTES("\x81\x85"
						 "\x2c\x82\x00\x81"
						 "\x81\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"));
	mprof_event events[4];
	size_t count;

	memset(events, 0x55, sizeof(events));
	cr_assert_eq(samples_decode(&state, events, 4, &count), SAMPLES_DECODE_DONE);
	cr_assert_eq(count, 3);
	cr_assert_eq(events[0].kind, MPROF_EVENT_SAMPLE);
	cr_assert_eq(events[0].flags, 0);
	cr_assert_eq(events[0].id, 0);
	cr_assert_eq(events[0].value, 1);
	cr_assert_eq(events[0].counter, 1005);
	cr_assert_null(events[0].more.detail);
	cr_assert_eq(events[1].value, 300);
	cr_assert_eq(events[1].counter, 1005 + 128);
	cr_assert_eq(events[2].counter, 1005 + 127, "the clock went back");
	cr_assert_eq(samples_decode(&state, events, 4, &count), SAMPLES_DECODE_DONE);
	cr_assert_eq(count, 0);
}

Test(samples_decode, in_batches)
{
	samples_decode_state state = begin(BYTES("\x81\x81\x82\x81\x83\x81"));
	mprof_event event;
	size_t count;

	for (uint32_t i = 1; i <= 3; i++) {
		cr_assert_eq(samples_decode(&state, &event, 1, &count),
			     i < 3 ? SAMPLES_DECODE_FULL : SAMPLES_DECODE_DONE);
		cr_assert_eq(count, 1);
		cr_assert_eq(event.value, i);
		cr_assert_eq(event.counter, 1000 + i);
	}
}

/* One valid sample, then the fault at \p position. */
static void expect_fault(samples_decode_result expected, size_t fault, const uint8_t *bytes, size_t length)
{
	samples_decode_state state = begin(bytes, length);
	mprof_event events[4];
	size_t count;

	cr_assert_eq(samples_decode(&state, events, 4, &count), expected);
	cr_assert_eq(count, 1);
	cr_assert_eq(state.position, 2);
	cr_assert_eq(state.fault, fault);
	cr_assert_eq(samples_decode(&state, events, 4, &count), expected, "and again");
	cr_assert_eq(count, 0);
	cr_assert_eq(state.fault, fault);
}

Test(samples_decode, faults)
{
	expect_fault(SAMPLES_DECODE_TRUNCATED, 3,
		     BYTES("\x81\x81"
			   "\x82"));
	expect_fault(SAMPLES_DECODE_TRUNCATED, 2,
		     BYTES("\x81\x81"
			   "\x02"));
	expect_fault(SAMPLES_DECODE_TRUNCATED, 3,
		     BYTES("\x81\x81"
			   "\x82\x05"));
	expect_fault(SAMPLES_DECODE_LIST_END, 2,
		     BYTES("\x81\x81"
			   "\x80\x81\x81"));
	expect_fault(SAMPLES_DECODE_BAD_ID, 2,
		     BYTES("\x81\x81"
			   "\x00\x00\x00\x00\x90\x81"));
	expect_fault(SAMPLES_DECODE_BAD_VARINT, 2,
		     BYTES("\x81\x81"
			   "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x82\x81"));
	expect_fault(SAMPLES_DECODE_BAD_VARINT, 3,
		     BYTES("\x81\x81"
			   "\x82\x00\x00\x00\x00\x00\x00\x00\x00\x00\x82"));
}
