/* SPDX-License-Identifier: MIT */
/* Implicit leaves, whose methods some dialects have to name and others need not. */
#include "convert_fixture.h"

#include <criterion/criterion.h>

#include <string.h>

#define THREAD 5

/* One step of a thread: a letter for the kind and, where it has one, the ID of the method or thread. */
typedef struct step {
	char what;
	uint32_t number;
} step;

static uint8_t kind_of_step(char what)
{
	switch (what) {
	case '+':
		return MPROF_EVENT_METHOD_ENTER;
	case '-':
		return MPROF_EVENT_METHOD_LEAVE;
	case 'x':
		return MPROF_EVENT_METHOD_LEAVE_EXCEPTION;
	case '^':
		return MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
	case 's':
		return MPROF_EVENT_THREAD_START;
	case 'e':
		return MPROF_EVENT_THREAD_END;
	case 'S':
		return MPROF_EVENT_STACK_SWITCH;
	case 'E':
		return MPROF_EVENT_STACK_END;
	default:
		return MPROF_EVENT_RECORDING_RESUMED;
	}
}

static void tell_zero(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = 0;
	clock->time = 0;
}

static mprof_event event_of_step(const step *done, uint64_t counter)
{
	mprof_event event = {.kind = kind_of_step(done->what), .counter = counter};

	if (event.kind < MPROF_EVENT_METHOD_JIT_START)
		event.id = done->number;
	else
		event.value = done->number;
	return event;
}

/* A log of mprof2 with one EVENTS block for each run of steps; the step '|' ends a run. */
static log_bytes log_of_steps(const step *steps, size_t count)
{
	log_bytes log;
	mprof_writer_options options;
	mprof_writer *writer;
	const uint8_t *bytes;

	mprof_writer_options_init(&options, sizeof(options));
	options.clock = tell_zero;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (uint32_t id = 1; id < 10; id++) {
		const mprof_method_definition definition = {
			.struct_size = sizeof(mprof_method_definition), .id = id, .name = "m", .name_length = 1};

		cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_begin_events(writer, THREAD, 100), MPROF_OK);
	for (size_t i = 0; i < count; i++) {
		mprof_event event = event_of_step(&steps[i], 101 + i);

		if (steps[i].what == '|') {
			cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
			cr_assert_eq(mprof_writer_begin_events(writer, THREAD, 100 + i), MPROF_OK);
			continue;
		}
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = malloc(log.length);
	memcpy(log.bytes, bytes, log.length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	return log;
}

/* The methods of the leaves of a log, 0 for none. */
static size_t leaves_of(const log_bytes *log, uint32_t *methods, size_t capacity)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event events[64];
	mprof_reader_options options;
	mprof_reader *reader;
	size_t found = 0;
	size_t count;

	mprof_reader_options_init(&options, sizeof(options));
	options.keep_implicit_leaves = 1;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, &options, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, 64, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++) {
				if (events[i].kind < MPROF_EVENT_METHOD_LEAVE ||
				    events[i].kind > MPROF_EVENT_METHOD_LEAVE_TAIL)
					continue;
				cr_assert_lt(found, capacity);
				methods[found++] = events[i].id;
			}
		}
	}
	mprof_reader_destroy(reader);
	return found;
}

static void expect_leaves(const log_bytes *log, const uint32_t *expected, size_t count)
{
	uint32_t found[64];

	cr_assert_eq(leaves_of(log, found, 64), count);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(found[i], expected[i], "leave %zu is of %u, not %u", i, found[i], expected[i]);
}

/* Converts steps to mail, where each leave has to name its method. \p left_out events cannot be represented. */
static void expect_resolved(const step *steps, size_t step_count, const uint32_t *expected, size_t count,
			    uint64_t left_out)
{
	log_bytes log = log_of_steps(steps, step_count);
	conversion created = convert(&log, MPROF_DIALECT_MAIL);

	cr_assert_eq(created.status, MPROF_OK);
	cr_assert_eq(created.stats.left_out, left_out);
	expect_leaves(&created.log, expected, count);
	log_free(&created.log);
	log_free(&log);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EXPECT_RESOLVED(steps, expected, left_out)                                                                     \
	expect_resolved(steps, COUNT(steps), expected, COUNT(expected), left_out)

Test(convert_leaves, names_the_method_on_top)
{
	const step steps[] = {{'+', 1}, {'+', 2}, {'+', 3}, {'^', 0}, {'^', 0}, {'+', 4}, {'^', 0}, {'^', 0}};
	const uint32_t expected[] = {3, 2, 4, 1};

	EXPECT_RESOLVED(steps, expected, 0);
}

Test(convert_leaves, a_leave_further_down_ends_what_is_above)
{
	const step steps[] = {{'+', 1}, {'+', 2}, {'+', 3}, {'x', 2}, {'^', 0}};
	const uint32_t expected[] = {2, 1};

	/* Mail cannot represent that the leave was caused by an exception. */
	EXPECT_RESOLVED(steps, expected, 1);
}

Test(convert_leaves, a_leave_of_what_is_not_open_changes_nothing)
{
	const step steps[] = {{'+', 1}, {'-', 7}, {'^', 0}};
	const uint32_t expected[] = {7, 1};

	EXPECT_RESOLVED(steps, expected, 0);
}

Test(convert_leaves, the_stack_goes_on_in_the_next_block)
{
	const step steps[] = {{'+', 1}, {'+', 2}, {'|', 0}, {'^', 0}, {'|', 0}, {'^', 0}};
	const uint32_t expected[] = {2, 1};

	EXPECT_RESOLVED(steps, expected, 0);
}

Test(convert_leaves, a_thread_begins_with_none)
{
	const step steps[] = {{'+', 1}, {'s', THREAD}, {'+', 2}, {'^', 0}, {'+', 3}, {'e', THREAD}, {'+', 4}, {'^', 0}};
	const uint32_t expected[] = {2, 4};

	EXPECT_RESOLVED(steps, expected, 0);
}

Test(convert_leaves, a_thread_returns_after_its_end)
{
	const step steps[] = {{'s', THREAD}, {'+', 1}, {'+', 2}, {'e', THREAD}, {'^', 0}, {'^', 0}};
	const uint32_t expected[] = {2, 1};

	EXPECT_RESOLVED(steps, expected, 0);
}

Test(convert_leaves, events_about_another_thread_change_nothing)
{
	const step steps[] = {{'+', 1}, {'s', THREAD + 1}, {'^', 0}};
	const uint32_t expected[] = {1};

	EXPECT_RESOLVED(steps, expected, 0);
}

Test(convert_leaves, what_was_open_before_a_pause_is_not_known)
{
	const step steps[] = {{'+', 1}, {'r', 2}, {'+', 2}, {'^', 0}, {'^', 0}};
	const uint32_t expected[] = {2};

	/* The pause and the last leave are left out. */
	EXPECT_RESOLVED(steps, expected, 2);
}

/*
 * In a dialect with one call stack per thread, the open calls of a stack are left when the thread switches away from
 * it, and entered again when the thread switches back.
 */
Test(convert_leaves, a_stack_that_is_left_is_closed_until_it_goes_on)
{
	const step steps[] = {{'+', 1}, {'S', 5}, {'+', 2}, {'S', 0}, {'^', 0},
			      {'S', 5}, {'^', 0}, {'E', 5}, {'+', 3}, {'^', 0}};
	const uint32_t expected[] = {1, 2, 1, 2, 3};

	EXPECT_RESOLVED(steps, expected, 4);
}

Test(convert_leaves, a_stack_that_ends_is_closed)
{
	const step steps[] = {{'+', 1}, {'S', 5}, {'+', 2}, {'+', 3}, {'E', 5}, {'^', 0}, {'S', 5}, {'^', 0}};
	const uint32_t expected[] = {1, 3, 2, 1};

	/* Two switches, the end, and a leave on another stack, which is empty, are left out. */
	EXPECT_RESOLVED(steps, expected, 4);
}

Test(convert_leaves, stacks_before_a_pause_are_not_known)
{
	const step steps[] = {{'+', 1}, {'S', 5}, {'+', 2}, {'r', 2}, {'S', 0}, {'+', 3}, {'^', 0}, {'^', 0}};
	const uint32_t expected[] = {1, 3};

	/* Two switches, the pause and the last leave are left out: the pause discards all open calls. */
	EXPECT_RESOLVED(steps, expected, 4);
}

Test(convert_leaves, need_not_name_the_method_on_top_in_mprof2)
{
	const step steps[] = {{'+', 1}, {'+', 2}, {'-', 2}, {'+', 3}, {'-', 1}, {'-', 5}};
	const uint32_t named[] = {2, 1, 5};
	const uint32_t shortened[] = {0, 1, 5};
	log_bytes log = log_of_steps(steps, COUNT(steps));
	log_bytes mail = convert_whole(&log, MPROF_DIALECT_MAIL);
	log_bytes mprof2 = convert_whole(&mail, MPROF_DIALECT_MPROF2);
	log_bytes again = convert_whole(&mprof2, MPROF_DIALECT_MAIL);

	expect_leaves(&mail, named, COUNT(named));
	expect_leaves(&mprof2, shortened, COUNT(shortened));
	expect_same_bytes(&again, &mail);
	log_free(&again);
	log_free(&mprof2);
	log_free(&mail);
	log_free(&log);
}
