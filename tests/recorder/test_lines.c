/* SPDX-License-Identifier: MIT */
/* Lines of frames: an interpreter whose samples and allocations state the line of each frame. */
#include "sampled_log.h"

#include <mprof/profile.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

enum { MAIN = 0x1000, LOOP = 0x2000, LEAF = 0x3000, CLASS = 0x4000, THREAD = 1 };

#define NOWHERE(number) (MPROF_FRAME_NATIVE | (uint64_t)(number))

static void define(mprof_recorder *recorder, mprof_key key, const char *name, const char *file, uint32_t line)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	description.source_file = file;
	description.source_file_length = strlen(file);
	description.source_line = line;
	cr_assert_eq(mprof_recorder_define_method(recorder, key, &description), MPROF_OK);
}

static mprof_recorder *open_in(recorded_log *log, uint32_t dialect)
{
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_interval_ms = 600000;
	options.counter = counting_counter;
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = dialect;
	writer.lossy = dialect != MPROF_DIALECT_DEFAULT;
	options.writer = &writer;
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_STACK;
	recorder = recorded_log_open(log, &options);
	define(recorder, MAIN, "main ()", "main.js", 1);
	define(recorder, LOOP, "loop ()", "main.js", 10);
	define(recorder, LEAF, "leaf ()", "leaf.js", 1);
	define_class(recorder, CLASS, "Object");
	return recorder;
}

static mprof_recorder *open_recorder(recorded_log *log)
{
	return open_in(log, MPROF_DIALECT_DEFAULT);
}

static mprof_profile *profile_of(recorded_log *log, mprof_reader **reader)
{
	mprof_profile_options options;
	mprof_profile *profile = NULL;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, reader), MPROF_OK);
	mprof_profile_options_init(&options, sizeof(options));
	cr_assert_eq(mprof_profile_create(&options, &profile), MPROF_OK);
	cr_assert_eq(mprof_profile_read(profile, *reader, NULL, NULL), MPROF_OK);
	return profile;
}

/* The row of a line of a method; all 0 without a row. */
static mprof_line_stats line_of(const mprof_profile *profile, const mprof_reader *reader, const char *method,
				uint32_t line)
{
	mprof_line_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_LINES); i++) {
		mprof_mapping name;

		cr_assert_eq(mprof_profile_get_row(profile, MPROF_TABLE_LINES, i, &stats), MPROF_OK);
		if (stats.kind == MPROF_SAMPLE_METHOD && stats.line == line &&
		    mprof_reader_lookup_method(reader, stats.id, &name, sizeof(name)) == MPROF_OK &&
		    strcmp(name.name, method) == 0)
			return stats;
	}
	return (mprof_line_stats){.struct_size = 0};
}

#define EXPECT_LINE(method, number, copy, total, objects, size, source)                                                \
	do {                                                                                                           \
		const mprof_line_stats found = line_of(profile, reader, method, number);                               \
                                                                                                                       \
		cr_expect_eq(found.samples, copy, "%s:%d: %llu", method, number, (unsigned long long)found.samples);   \
		cr_expect_eq(found.samples_total, total, "%s:%d: %llu in all", method, number,                         \
			     (unsigned long long)found.samples_total);                                                 \
		cr_expect_eq(found.allocations, objects);                                                              \
		cr_expect_eq(found.bytes, size);                                                                       \
		cr_expect(found.file != NULL && strcmp(found.file, source) == 0);                                      \
	} while (0)

static void sample(mprof_recorder *recorder, uint32_t main_line, uint32_t loop_line, uint32_t leaf_line)
{
	const mprof_frame frames[] = {mprof_frame_make_line(leaf_line, 16 * leaf_line, 1),
				      LEAF,
				      mprof_frame_make_line(loop_line, 0, 0),
				      LOOP,
				      mprof_frame_make_line(main_line, 0, 0),
				      MAIN};
	const size_t skipped = leaf_line == 0 ? 2 : 0;

	cr_assert_eq(mprof_recorder_record_sample(recorder, THREAD, frames + skipped, 6 - skipped), 1);
}

Test(lines, of_samples_and_allocations)
{
	const mprof_frame allocating[] = {NOWHERE(16), mprof_frame_make_line(21, 0, 0), LOOP,
					  mprof_frame_make_line(3, 0, 0), MAIN};
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	mprof_profile *profile;
	mprof_reader *reader;
	mprof_thread *thread;
	mprof_method_stats method = {.struct_size = sizeof(method)};

	cr_assert_eq(mprof_recorder_attach(recorder, THREAD, &thread), MPROF_OK);
	for (int i = 0; i < 5; i++)
		sample(recorder, 3, 20, 0);
	for (int i = 0; i < 3; i++)
		sample(recorder, 3, 21, 0);
	for (int i = 0; i < 7; i++)
		sample(recorder, 4, 21, 100);
	for (int i = 0; i < 2; i++)
		sample(recorder, 4, 21, 101);
	for (int i = 0; i < 4; i++)
		mprof_thread_record_allocation_detailed(thread, CLASS, 24, 0, allocating, 5);
	mprof_thread_record_allocation_detailed(thread, CLASS, 100, 0, allocating + 3, 2);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	profile = profile_of(&log, &reader);
	EXPECT_LINE("loop ()", 20, 5, 5, 0, 0, "main.js");
	EXPECT_LINE("loop ()", 21, 3, 12, 4, 96, "main.js");
	EXPECT_LINE("leaf ()", 100, 7, 7, 0, 0, "leaf.js");
	EXPECT_LINE("leaf ()", 101, 2, 2, 0, 0, "leaf.js");
	EXPECT_LINE("main ()", 3, 0, 8, 1, 100, "main.js");
	EXPECT_LINE("main ()", 4, 0, 9, 0, 0, "main.js");
	cr_expect_eq(mprof_profile_get_row_count(profile, MPROF_TABLE_LINES), 6);
	/* Without lines the figures are those of the methods. */
	cr_assert_eq(mprof_profile_get_row_count(profile, MPROF_TABLE_SAMPLES), 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(mprof_profile_get_row(profile, MPROF_TABLE_METHODS, i, &method), MPROF_OK);
		cr_expect_eq(method.samples_total, method.id == 1 ? 17 : method.samples_total);
	}
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	recorded_log_free(&log);
}

/* Frames without their lines, in a dialect that has none, are counted. */
Test(lines, are_counted_where_a_dialect_has_none)
{
	const uint32_t dialects[] = {MPROF_DIALECT_DEFAULT, MPROF_DIALECT_MONO};

	for (size_t i = 0; i < 2; i++) {
		mprof_writer_stats stats = {.struct_size = sizeof(stats)};
		recorded_log log = {0};
		mprof_recorder *recorder = open_in(&log, dialects[i]);

		sample(recorder, 3, 20, 0);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		cr_assert_eq(mprof_recorder_get_writer_stats(recorder, &stats), MPROF_OK);
		cr_expect_eq(stats.shortened_blocks[MPROF_BLOCK_STACKS], i == 0 ? 0 : 2);
		cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
		mprof_recorder_destroy(recorder);
		recorded_log_free(&log);
	}
}

/* One call stack, of which the bits of \p lines state which of its frames have a line: equal bits are one stack. */
static void sample_some_lines(mprof_recorder *recorder, unsigned int lines)
{
	static const mprof_frame methods[] = {LEAF, LOOP, MAIN};
	mprof_frame frames[6];
	size_t count = 0;

	for (unsigned int i = 0; i < 3; i++) {
		if ((lines >> i & 1) != 0)
			frames[count++] = mprof_frame_make_line(10 + i, 0, 0);
		frames[count++] = methods[i];
	}
	cr_assert_eq(mprof_recorder_record_sample(recorder, THREAD, frames, count), 1);
}

/* The recorder compares each call stack with the previous one of its thread: here, each follows each. */
Test(lines, are_those_of_the_stack_whatever_the_previous_one_had)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log);
	sampled_log sampled;
	uint32_t stacks[8] = {0};
	size_t index = 0;

	for (unsigned int first = 0; first < 8; first++) {
		for (unsigned int second = 0; second < 8; second++) {
			sample_some_lines(recorder, first);
			sample_some_lines(recorder, second);
		}
	}
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 128);
	for (unsigned int first = 0; first < 8; first++) {
		for (unsigned int second = 0; second < 8; second++) {
			const unsigned int lines[] = {first, second};

			for (size_t i = 0; i < 2; i++, index++) {
				const uint32_t stack = sampled.samples[index].stack;

				if (stacks[lines[i]] == 0)
					stacks[lines[i]] = stack;
				cr_expect_eq(stack, stacks[lines[i]], "lines %u after %u", second, first);
			}
		}
	}
	for (unsigned int lines = 0; lines < 8; lines++) {
		mprof_stack_frame frames[3];
		size_t found;

		cr_assert_eq(
			mprof_reader_lookup_stack(sampled.reader, stacks[lines], frames, sizeof(frames[0]), 3, &found),
			MPROF_OK);
		cr_assert_eq(found, 3);
		for (unsigned int i = 0; i < 3; i++)
			cr_expect_eq(frames[i].line, (lines >> i & 1) != 0 ? 10 + i : 0, "frame %u of %u", i, lines);
	}
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}

/* The frames of a recorded call stack. */
static size_t record_and_read(const mprof_frame *elements, size_t count, mprof_stack_frame *frames, size_t capacity)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);
	uint32_t text = 0;
	size_t found;

	cr_assert_eq(mprof_recorder_define_text(recorder, "part.js", 7, &text), MPROF_OK);
	cr_assert_eq(text, 1);
	cr_assert_eq(mprof_recorder_record_sample(recorder, THREAD, elements, count), 1);
	cr_assert_eq(mprof_recorder_record_sample(recorder, THREAD, elements, count), 1);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_assert_eq(sampled.count, 2);
	cr_expect_eq(sampled.samples[0].stack, sampled.samples[1].stack, "equal lines are one position");
	cr_assert_eq(mprof_reader_lookup_stack(sampled.reader, sampled.samples[0].stack, frames, sizeof(*frames),
					       capacity, &found),
		     MPROF_OK);
	for (size_t i = 0; i < found && i < capacity; i++) {
		mprof_record record;

		/* Which file it is, in place of the position, which has no other meaning here. */
		if (frames[i].position != 0) {
			cr_assert_eq(mprof_reader_lookup_record(sampled.reader, MPROF_RECORD_POSITION,
								frames[i].position, &record, sizeof(record)),
				     MPROF_OK);
			frames[i].position = record.as.position.file;
		}
	}
	sampled_log_free(&sampled);
	recorded_log_free(&log);
	return found;
}

Test(lines, stand_before_their_frames)
{
	const mprof_frame elements[] = {
		mprof_frame_make_file(1),
		mprof_frame_make_line(5, 7, 1),
		LEAF,
		mprof_frame_make_line(6, 0, 0),
		NOWHERE(16),
		LOOP,
		mprof_frame_make_line(8, 0, 0),
		mprof_frame_make_compiling(LOOP),
		mprof_frame_make_file(99),
		MAIN,
		mprof_frame_make_line(9, 0, 0),
		0,
		mprof_frame_make_line(10, 0, 0),
	};
	mprof_stack_frame frames[6];

	cr_assert_eq(record_and_read(elements, sizeof(elements) / sizeof(elements[0]), frames, 6), 6);
	cr_expect(frames[0].line == 5 && frames[0].is_inlined == 1 && frames[0].position == 1);
	cr_expect(frames[1].line == 6 && frames[1].is_native == 1 && frames[1].is_inlined == 0);
	cr_expect(frames[2].line == 0 && frames[2].is_native == 0);
	cr_expect(frames[3].line == 0 && frames[3].is_compiling == 1);
	cr_expect(frames[4].line == 0 && frames[4].position == 0, "the text is not defined");
	cr_expect(frames[5].line == 9 && frames[5].id == 0);
}

Test(lines, count_as_frames)
{
	mprof_frame elements[2 * MPROF_STACK_MAX];
	mprof_stack_frame frames[MPROF_STACK_MAX];

	for (uint32_t i = 0; i < MPROF_STACK_MAX; i++) {
		elements[2 * i] = mprof_frame_make_line(i + 1, 0, 0);
		elements[2 * i + 1] = LOOP;
	}
	/* The last element is the mark, so the line before it has no frame. */
	cr_assert_eq(record_and_read(elements, 2 * MPROF_STACK_MAX, frames, MPROF_STACK_MAX), MPROF_STACK_MAX / 2);
	cr_expect_eq(frames[MPROF_STACK_MAX / 2 - 2].line, MPROF_STACK_MAX / 2 - 1);
	cr_expect(frames[MPROF_STACK_MAX / 2 - 1].is_native == 1 && frames[MPROF_STACK_MAX / 2 - 1].id == 0);
}

Test(lines, without_frames_are_nothing)
{
	const mprof_frame elements[] = {mprof_frame_make_line(5, 0, 0), mprof_frame_make_file(1)};
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log);

	(void)mprof_recorder_record_sample(recorder, THREAD, elements, 2);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(&sampled, &log);
	cr_expect_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_POSITION), 0);
	sampled_log_free(&sampled);
	recorded_log_free(&log);
}
