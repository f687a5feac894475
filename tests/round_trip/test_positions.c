/* SPDX-License-Identifier: MIT */
/* Positions of frames that are written, read back and copied, and what writers refuse. */
#include <criterion/criterion.h>

#include <mprof.h>

#include <string.h>

#define POSITIONS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_POSITIONS)

static mprof_status write_record(mprof_writer *writer, mprof_block_kind block, const mprof_record *record)
{
	return mprof_writer_write_records(writer, block, 0, record, sizeof(*record), 1);
}

static mprof_writer *open_log(uint64_t directives)
{
	const mprof_record text = {.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "other.js"};
	const mprof_record location = {.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location.offset = 4096};
	mprof_method_definition method = {sizeof(method), 1, 0, 0, 0, "run ()", 6, "run.js", 6, 10, 0};
	mprof_writer_options options;
	mprof_writer *writer = NULL;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SOURCE_LINES);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
	cr_assert_eq(write_record(writer, MPROF_BLOCK_TEXTS, &text), MPROF_OK);
	cr_assert_eq(write_record(writer, MPROF_BLOCK_CODE, &location), MPROF_OK);
	return writer;
}

static mprof_record position_of(uint32_t id, mprof_position_record position)
{
	return (mprof_record){.kind = MPROF_RECORD_POSITION, .id = id, .as.position = position};
}

static mprof_record stack_of(uint32_t id, uint32_t caller, uint32_t position)
{
	return (mprof_record){
		.kind = MPROF_RECORD_STACK, .id = id, .as.stack = {.caller = caller, .position = position}};
}

/* Positions 1 to 4, and call stacks of all of them. */
static void write_definitions(mprof_writer *writer)
{
	const mprof_record positions[] = {
		position_of(1, (mprof_position_record){.target = 1, .line = 12}),
		position_of(2,
			    (mprof_position_record){
				    .target = 1, .is_inlined = 1, .line = UINT32_MAX, .offset = 70000, .file = 1}),
		position_of(3, (mprof_position_record){.target = 1, .is_native = 1, .line = 7}),
		position_of(4, (mprof_position_record){.target = 0, .offset = 5}),
	};
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 1, .as.stack = {.target = 1}},
		stack_of(2, 1, 1),
		stack_of(3, 2, 2),
		stack_of(4, 3, 3),
		stack_of(5, 4, 4),
	};

	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_POSITIONS, 0, positions, sizeof(positions[0]), 4),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(stacks[0]), 5), MPROF_OK);
}

static mprof_reader *read_log(mprof_writer *writer, const mprof_reader_options *options)
{
	mprof_reader *reader = NULL;
	mprof_block block;
	const uint8_t *bytes;
	size_t length;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	return reader;
}

static void check_frame(const mprof_stack_frame *frame, mprof_stack_frame expected)
{
	cr_expect_eq(frame->id, expected.id, "%u, not %u", frame->id, expected.id);
	cr_expect_eq(frame->is_native, expected.is_native);
	cr_expect_eq(frame->is_inlined, expected.is_inlined);
	cr_expect_eq(frame->line, expected.line);
	cr_expect_eq(frame->position, expected.position);
	cr_expect_eq(frame->is_compiling, 0);
}

static void check_frames(const mprof_reader *reader)
{
	mprof_stack_frame frames[5];
	mprof_stack_frame frame;
	mprof_record record;
	uint32_t caller;
	size_t count;

	cr_assert_eq(mprof_reader_lookup_stack(reader, 5, frames, sizeof(frames[0]), 5, &count), MPROF_OK);
	cr_assert_eq(count, 5);
	check_frame(&frames[0], (mprof_stack_frame){.position = 4});
	check_frame(&frames[1], (mprof_stack_frame){.id = 1, .is_native = 1, .line = 7, .position = 3});
	check_frame(&frames[2], (mprof_stack_frame){.id = 1, .is_inlined = 1, .line = UINT32_MAX, .position = 2});
	check_frame(&frames[3], (mprof_stack_frame){.id = 1, .line = 12, .position = 1});
	check_frame(&frames[4], (mprof_stack_frame){.id = 1});
	cr_assert_eq(mprof_reader_lookup_caller(reader, 3, &frame, sizeof(frame), &caller), MPROF_OK);
	check_frame(&frame, frames[2]);
	cr_expect_eq(caller, 2);
	/* A program that was compiled for the first release. */
	memset(frames, 0x55, sizeof(frames));
	cr_assert_eq(mprof_reader_lookup_stack(reader, 2, frames, 12, 2, &count), MPROF_OK);
	cr_expect(frames[0].id == 1 && frames[0].is_native == 0 && frames[0].is_compiling == 0);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_POSITION, 2, &record, sizeof(record)), MPROF_OK);
	cr_expect(record.as.position.offset == 70000 && record.as.position.file == 1);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_STACK, 2, &record, sizeof(record)), MPROF_OK);
	cr_expect(record.as.stack.position == 1 && record.as.stack.target == 0 && record.as.stack.caller == 1);
	cr_expect_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_POSITION), 4);
}

Test(positions, are_read_as_they_were_written)
{
	mprof_writer *writer = open_log(POSITIONS);
	mprof_reader *reader;

	write_definitions(writer);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	reader = read_log(writer, NULL);
	check_frames(reader);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

Test(positions, are_checked)
{
	mprof_writer *writer = open_log(POSITIONS);
	mprof_record position = position_of(1, (mprof_position_record){.target = 2, .line = 5});
	mprof_record stack = stack_of(1, 0, 1);

	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_ERR_UNDEFINED_ID);
	position.as.position.is_native = 1;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_ERR_UNDEFINED_ID);
	position.as.position.target = 1;
	position.as.position.file = 2;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_ERR_UNDEFINED_ID);
	position.as.position.file = 0;
	position.as.position.is_inlined = 2;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_ERR_ARGUMENT);
	position.as.position.is_inlined = 1;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_STACKS, &stack), MPROF_ERR_UNDEFINED_ID);
	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_OK);
	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_ERR_REDEFINED_ID);
	position.id = 3;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_ERR_ARGUMENT);
	stack.as.stack.target = 1;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_STACKS, &stack), MPROF_ERR_ARGUMENT);
	stack.as.stack.target = 0;
	stack.as.stack.reserved = 1;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_STACKS, &stack), MPROF_ERR_ARGUMENT);
	stack.as.stack.reserved = 0;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_STACKS, &stack), MPROF_OK);
	mprof_writer_destroy(writer);
}

Test(positions, need_their_directive)
{
	mprof_writer *writer = open_log(0);
	const mprof_record position = position_of(1, (mprof_position_record){.target = 1, .line = 5});
	const mprof_record stack = stack_of(1, 0, 1);

	cr_expect_eq(write_record(writer, MPROF_BLOCK_POSITIONS, &position), MPROF_OK);
	cr_expect_eq(write_record(writer, MPROF_BLOCK_STACKS, &stack), MPROF_ERR_UNSUPPORTED);
	mprof_writer_destroy(writer);
}

static mprof_writer *convert(mprof_writer *source, uint32_t dialect, uint64_t *left_out)
{
	mprof_converter_options options;
	mprof_writer_options writer_options;
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	mprof_converter *converter = NULL;
	mprof_reader *reader = NULL;
	mprof_writer *writer = NULL;
	const uint8_t *bytes;
	size_t length;

	cr_assert_eq(mprof_writer_get_memory(source, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	mprof_converter_options_init(&options, sizeof(options));
	mprof_writer_options_init(&writer_options, sizeof(writer_options));
	writer_options.dialect = dialect;
	writer_options.lossy = 1;
	options.writer = &writer_options;
	cr_assert_eq(mprof_converter_create(reader, &options, &converter), MPROF_OK);
	cr_assert_eq(mprof_converter_get_writer_options(converter, &writer_options), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&writer_options, &writer), MPROF_OK);
	cr_assert_eq(mprof_converter_run(converter, writer, NULL, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_OK);
	*left_out = stats.shortened_blocks[MPROF_BLOCK_STACKS];
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return writer;
}

Test(positions, are_copied)
{
	mprof_writer *writer = open_log(POSITIONS);
	mprof_writer *copy;
	mprof_reader *reader;
	uint64_t left_out;

	write_definitions(writer);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	copy = convert(writer, MPROF_DIALECT_MPROF2, &left_out);
	cr_expect_eq(left_out, 0);
	reader = read_log(copy, NULL);
	check_frames(reader);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(copy);
	/* Other dialects have the methods alone. */
	copy = convert(writer, MPROF_DIALECT_MONO, &left_out);
	cr_expect_eq(left_out, 4);
	mprof_writer_destroy(copy);
	mprof_writer_destroy(writer);
}
