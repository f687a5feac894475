/* SPDX-License-Identifier: MIT */
/*
 * What a later release may give a meaning is refused now: fields called reserved that are not 0, and bits without a
 * meaning. A table has each such field of a struct that the library takes; in turn, each is set in a struct that is
 * valid otherwise. tests/abi/test_struct_sizes.c is about fields that a later release appends.
 */
#include <mprof.h>

#include <criterion/criterion.h>

#include <stddef.h>
#include <string.h>

/* The objects that the calls are made on. */
static mprof_writer *writer;
static mprof_recorder *recorder;
static mprof_thread *thread;

static int discard(void *user, const void *bytes, size_t length)
{
	(void)user;
	(void)bytes;
	(void)length;
	return 0;
}

static mprof_status decompress_nothing(void *user, const void *input, size_t input_length, void *output,
				       size_t output_length, size_t *produced)
{
	(void)user;
	(void)input;
	(void)input_length;
	(void)output;
	(void)output_length;
	*produced = 0;
	return MPROF_OK;
}

static int has_recorder(void)
{
	return mprof_version_has_feature(MPROF_FEATURE_RECORDER);
}

static void open_objects(void)
{
	const mprof_sink sink = {.struct_size = sizeof(sink), .write = discard};

	cr_assert_eq(mprof_writer_open_memory(NULL, &writer), MPROF_OK);
	if (!has_recorder())
		return;
	cr_assert_eq(mprof_recorder_open_sink(&sink, NULL, &recorder, NULL), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, 0, &thread), MPROF_OK);
}

static void close_objects(void)
{
	mprof_writer_destroy(writer);
	mprof_recorder_destroy(recorder);
	writer = NULL;
	recorder = NULL;
}

/* The calls. Each takes a struct of its row of the table. */

static mprof_status open_writer(void *passed)
{
	mprof_writer *opened = NULL;
	const mprof_status status = mprof_writer_open_memory(passed, &opened);

	mprof_writer_destroy(opened);
	return status;
}

static mprof_status create_parser(void *passed)
{
	mprof_parser *parser = NULL;
	const mprof_status status = mprof_parser_create(passed, &parser);

	mprof_parser_destroy(parser);
	return status;
}

static mprof_status create_parser_with_codec(void *passed)
{
	mprof_parser_options options;

	mprof_parser_options_init(&options, sizeof(options));
	options.codecs = passed;
	options.codec_count = 1;
	return create_parser(&options);
}

static mprof_status open_reader(void *passed)
{
	mprof_reader *reader = NULL;
	const mprof_status status = mprof_reader_open_memory("", 0, passed, &reader);

	mprof_reader_destroy(reader);
	/* An empty log is refused after the options. */
	return status == MPROF_ERR_ARGUMENT ? status : MPROF_OK;
}

static mprof_status create_profile(void *passed)
{
	mprof_profile *profile = NULL;
	const mprof_status status = mprof_profile_create(passed, &profile);

	mprof_profile_destroy(profile);
	return status;
}

static mprof_status create_heap_diff(void *passed)
{
	mprof_heap_diff *diff = NULL;
	const mprof_status status = mprof_heap_diff_create(passed, &diff);

	mprof_heap_diff_destroy(diff);
	return status;
}

static mprof_status open_recorder(void *passed)
{
	const mprof_sink sink = {.struct_size = sizeof(sink), .write = discard};
	mprof_recorder *opened = NULL;
	const mprof_status status = mprof_recorder_open_sink(&sink, passed, &opened, NULL);

	mprof_recorder_destroy(opened);
	return status;
}

static mprof_status write_class(void *passed)
{
	return mprof_writer_define_class(writer, passed);
}

static mprof_status write_method(void *passed)
{
	return mprof_writer_define_method(writer, passed);
}

static mprof_status write_assembly(void *passed)
{
	const mprof_element element = {.struct_size = sizeof(element),
				       .kind = MPROF_ELEMENT_ASSEMBLY,
				       .name = "A",
				       .name_length = 1,
				       .assembly = passed};

	return mprof_writer_write_loaded(writer, &element);
}

static mprof_status write_element(void *passed)
{
	return mprof_writer_write_loaded(writer, passed);
}

static const mprof_class_definition class_definition = {
	.struct_size = sizeof(class_definition), .id = 1, .name = "C", .name_length = 1};

static mprof_status write_record(void *passed)
{
	static const uint32_t blocks[] = {
		[MPROF_RECORD_STACK] = MPROF_BLOCK_STACKS,
		[MPROF_RECORD_MODULE] = MPROF_BLOCK_CODE,
		[MPROF_RECORD_FUNCTION] = MPROF_BLOCK_CODE,
		[MPROF_RECORD_METRIC] = MPROF_BLOCK_METRICS,
		[MPROF_RECORD_METRIC_VALUE] = MPROF_BLOCK_METRICS,
		[MPROF_RECORD_FIELD] = MPROF_BLOCK_FIELDS,
		[MPROF_RECORD_TYPE] = MPROF_BLOCK_TYPES,
		[MPROF_RECORD_CLOCK] = MPROF_BLOCK_CLOCKS,
		[MPROF_RECORD_TIMELINE] = MPROF_BLOCK_TIMELINES,
		[MPROF_RECORD_OBJECT_FLAGS] = MPROF_BLOCK_OBJECT_LABELS,
		[MPROF_RECORD_REFERENCE_NAME] = MPROF_BLOCK_REFERENCE_NAMES,
		[MPROF_RECORD_CODE_RANGE] = MPROF_BLOCK_CODE_RANGES,
		[MPROF_RECORD_CODE_LINE] = MPROF_BLOCK_CODE_RANGES,
	};
	static const mprof_record text = {.kind = MPROF_RECORD_TEXT, .id = 1};
	static const mprof_record position = {.kind = MPROF_RECORD_POSITION, .id = 1};
	const mprof_record *record = passed;
	mprof_record records[2];
	size_t count = 0;

	memset(records, 0, sizeof(records));
	if (record->kind == MPROF_RECORD_FIELD)
		(void)!mprof_writer_define_class(writer, &class_definition);
	/* A value is that of a metric. */
	if (record->kind == MPROF_RECORD_METRIC_VALUE)
		records[count++] = (mprof_record){.kind = MPROF_RECORD_METRIC, .id = 1};
	/* A line is that of a range, at a position. */
	if (record->kind == MPROF_RECORD_CODE_LINE) {
		records[count++] = (mprof_record){.kind = MPROF_RECORD_CODE_RANGE, .id = 1};
		(void)!mprof_writer_write_records(writer, MPROF_BLOCK_POSITIONS, 0, &position, sizeof(position), 1);
	}
	records[count++] = *record;
	if (record->kind == MPROF_RECORD_REFERENCE_NAME)
		(void)!mprof_writer_write_records(writer, MPROF_BLOCK_TEXTS, 0, &text, sizeof(text), 1);
	return mprof_writer_write_records(writer, blocks[record->kind],
					  record->kind >= MPROF_RECORD_LABEL && record->kind < MPROF_RECORD_CODE_RANGE,
					  records, sizeof(*records), count);
}

static mprof_status record_class(void *passed)
{
	return mprof_recorder_define_class(recorder, 8, passed);
}

static mprof_status record_method(void *passed)
{
	return mprof_recorder_define_method(recorder, 8, passed);
}

static mprof_status record_assembly(void *passed)
{
	const mprof_element element = {.struct_size = sizeof(element),
				       .kind = MPROF_ELEMENT_ASSEMBLY,
				       .name = "A",
				       .name_length = 1,
				       .assembly = passed};

	return mprof_recorder_record_loaded(recorder, 8, &element);
}

static mprof_status record_element(void *passed)
{
	return mprof_recorder_record_loaded(recorder, 8, passed);
}

static mprof_status record_root(void *passed)
{
	return mprof_recorder_register_root(recorder, passed);
}

static mprof_status record_code(void *passed)
{
	uint32_t id;

	return mprof_recorder_define_code(recorder, passed, &id);
}

static mprof_status record_metric_value(void *passed)
{
	mprof_metric_value *value = passed;
	const mprof_status status = mprof_recorder_define_metric(recorder, "s", "n", 0, &value->metric);

	return status == MPROF_OK ? mprof_recorder_record_metrics(recorder, value, sizeof(*value), 1) : status;
}

static mprof_status describe_metric(void *passed)
{
	uint32_t metric;

	return mprof_recorder_define_metric_detailed(recorder, passed, &metric);
}

static mprof_status record_metric(void *passed)
{
	uint32_t metric;

	return mprof_recorder_define_metric(recorder, "s", "n", *(uint32_t *)passed, &metric);
}

static mprof_status record_event(void *passed)
{
	return mprof_thread_record_event(thread, MPROF_EVENT_METHOD_JIT_END, *(uint32_t *)passed, 8);
}

/* Valid structs. The options are all 0, except for the size. */
static const mprof_codec codec = {.struct_size = sizeof(codec), .number = 7, .decompress = decompress_nothing};
static const mprof_writer_options writer_options = {.struct_size = sizeof(writer_options)};
static const mprof_parser_options parser_options = {.struct_size = sizeof(parser_options)};
static const mprof_reader_options reader_options = {.struct_size = sizeof(reader_options)};
static const mprof_profile_options profile_options = {.struct_size = sizeof(profile_options)};
static const mprof_heap_diff_options diff_options = {.struct_size = sizeof(diff_options)};
static const mprof_recorder_options recorder_options = {.struct_size = sizeof(recorder_options)};
static const mprof_method_definition method_definition = {
	.struct_size = sizeof(method_definition), .id = 1, .name = "M", .name_length = 1};
static const mprof_assembly_name assembly = {
	.struct_size = sizeof(assembly), .base_name = "A", .culture = "neutral", .public_key_token = "null"};
static const mprof_element element = {
	.struct_size = sizeof(element), .kind = MPROF_ELEMENT_MODULE, .name = "E", .name_length = 1};
static const mprof_record stack_record = {.kind = MPROF_RECORD_STACK, .id = 1};
static const mprof_record module_record = {.kind = MPROF_RECORD_MODULE, .id = 1};
static const mprof_record function_record = {.kind = MPROF_RECORD_FUNCTION, .id = 1};
static const mprof_record metric_record = {.kind = MPROF_RECORD_METRIC, .id = 1};
static const mprof_record metric_value_record = {.kind = MPROF_RECORD_METRIC_VALUE, .id = 1};
static const mprof_record field_record = {.kind = MPROF_RECORD_FIELD, .id = 1};
static const mprof_record type_record = {.kind = MPROF_RECORD_TYPE, .id = 1};
static const mprof_record clock_record = {.kind = MPROF_RECORD_CLOCK, .id = 1};
static const mprof_record timeline_record = {.kind = MPROF_RECORD_TIMELINE, .id = 1};
static const mprof_record flags_record = {.kind = MPROF_RECORD_OBJECT_FLAGS, .id = 1};
static const mprof_record name_record = {.kind = MPROF_RECORD_REFERENCE_NAME, .id = 1};
static const mprof_record code_range_record = {.kind = MPROF_RECORD_CODE_RANGE, .id = 1};
static const mprof_record code_line_record = {.kind = MPROF_RECORD_CODE_LINE, .id = 1, .as.code_line.position = 1};
static const mprof_code code = {.struct_size = sizeof(code), .size = 16};
static const mprof_description description = {.struct_size = sizeof(description), .name = "D", .name_length = 1};
static const mprof_root_area root_area = {.struct_size = sizeof(root_area), .start = 64, .size = 8};
static const mprof_metric_value metric_value = {.value = 1};
static const mprof_metric_description metric_description = {.struct_size = sizeof(metric_description), .name = "n"};
static const uint32_t flags = 0;

/* A field, and bits without a meaning. */
typedef struct reserved_field {
	const char *name;
	const void *valid;
	size_t size;
	size_t offset;
	size_t width; /* Of the field, 4 or 8 bytes. */
	uint64_t bits;
	mprof_status (*call)(void *passed);
	int is_recorded; /* The call needs the recorder. */
} reserved_field;

#define FIELD(valid, member, bits, call, is_recorded)                                                                  \
	{                                                                                                              \
#valid "." #member, &(valid), sizeof(valid), offsetof(__typeof__(valid), member),                      \
			sizeof((valid).member), bits, call, is_recorded                                                \
	}
#define WHOLE(valid, bits, call)                                                                                       \
	{                                                                                                              \
#call, &(valid), sizeof(valid), 0, sizeof(valid), bits, call, 1                                        \
	}

#define UNKNOWN_METHOD_FLAGS (~(uint32_t)(MPROF_METHOD_FLAG_WRAPPER | MPROF_METHOD_FLAG_RUNTIME))
#define UNKNOWN_ELEMENT_KINDS (~UINT32_C(31))
#define UNKNOWN_INTRO_FLAGS (~(2 * (uint64_t)MPROF_INTRO_FLAG_MEMORY - 1))

static const reserved_field fields[] = {
	FIELD(codec, reserved, UINT32_MAX, create_parser_with_codec, 0),
	FIELD(writer_options, intro_flags, UNKNOWN_INTRO_FLAGS, open_writer, 0),
	FIELD(parser_options, reserved, UINT32_MAX, create_parser, 0),
	FIELD(reader_options, reserved, UINT32_MAX, open_reader, 0),
	FIELD(profile_options, ends_at_last_event, ~UINT32_C(1), create_profile, 0),
	FIELD(profile_options, fold_idle, ~UINT32_C(1), create_profile, 0),
	FIELD(profile_options, with_blocks, ~UINT32_C(1), create_profile, 0),
	FIELD(diff_options, reserved, UINT32_MAX, create_heap_diff, 0),
	FIELD(class_definition, reserved, UINT32_MAX, write_class, 0),
	FIELD(method_definition, reserved, UINT32_MAX, write_method, 0),
	FIELD(method_definition, reserved_line, UINT32_MAX, write_method, 0),
	FIELD(method_definition, flags, UNKNOWN_METHOD_FLAGS, write_method, 0),
	FIELD(assembly, reserved, UINT32_MAX, write_assembly, 0),
	FIELD(assembly, retargetable, ~UINT32_C(1), write_assembly, 0),
	FIELD(element, kind, UNKNOWN_ELEMENT_KINDS, write_element, 0),
	FIELD(stack_record, as.stack.is_native, ~UINT32_C(1), write_record, 0),
	FIELD(stack_record, as.stack.is_compiling, ~UINT32_C(1), write_record, 0),
	FIELD(module_record, as.module.reserved, UINT32_MAX, write_record, 0),
	FIELD(function_record, as.function.reserved, UINT32_MAX, write_record, 0),
	FIELD(metric_record, as.metric.reserved, UINT32_MAX, write_record, 0),
	FIELD(metric_record, as.metric.flags, ~UINT32_C(0xff1), write_record, 0),
	FIELD(metric_value_record, as.metric_value.reserved, UINT32_MAX, write_record, 0),
	FIELD(field_record, as.field.reserved, UINT32_MAX, write_record, 0),
	FIELD(type_record, as.type.reserved, UINT32_MAX, write_record, 0),
	FIELD(clock_record, as.clock.reserved, UINT32_MAX, write_record, 0),
	FIELD(timeline_record, as.timeline.flags, ~(uint32_t)MPROF_TIMELINE_FLAG_ENDED, write_record, 0),
	FIELD(flags_record, id, ~(uint32_t)MPROF_OBJECT_FLAG_SYNTHETIC, write_record, 0),
	FIELD(name_record, as.reference_name.reserved, UINT32_MAX, write_record, 0),
	FIELD(code_range_record, as.code_range.reserved, UINT32_MAX, write_record, 0),
	FIELD(code_line_record, as.code_line.reserved, UINT32_MAX, write_record, 0),
	FIELD(code, reserved, UINT32_MAX, record_code, 1),
	FIELD(recorder_options, object_events, ~UINT32_C(1), open_recorder, 1),
	FIELD(description, reserved, UINT32_MAX, record_class, 1),
	FIELD(description, reserved, UINT32_MAX, record_method, 1),
	FIELD(description, flags, UNKNOWN_METHOD_FLAGS, record_class, 1),
	FIELD(description, flags, UNKNOWN_METHOD_FLAGS, record_method, 1),
	FIELD(assembly, reserved, UINT32_MAX, record_assembly, 1),
	FIELD(assembly, retargetable, ~UINT32_C(1), record_assembly, 1),
	FIELD(element, kind, UNKNOWN_ELEMENT_KINDS, record_element, 1),
	FIELD(root_area, reserved, UINT32_MAX, record_root, 1),
	FIELD(metric_value, reserved, UINT32_MAX, record_metric_value, 1),
	FIELD(metric_description, reserved, UINT32_MAX, describe_metric, 1),
	FIELD(metric_description, flags, ~UINT32_C(0xff1), describe_metric, 1),
	WHOLE(flags, ~UINT32_C(0xbf1), record_metric),
	WHOLE(flags, ~(uint32_t)MPROF_EVENT_FLAG_FAILED, record_event),
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

/* Calls the function of a field with its struct, in which \p bits are set. */
static mprof_status call_with(const reserved_field *field, uint64_t bits)
{
	uint64_t passed[sizeof(mprof_recorder_options) / 8 + 64];
	uint32_t value;
	uint64_t long_value;

	cr_assert_leq(field->size, sizeof(passed));
	memcpy(passed, field->valid, field->size);
	memcpy(&value, (char *)passed + field->offset, sizeof(value));
	memcpy(&long_value, (char *)passed + field->offset, sizeof(long_value));
	value |= (uint32_t)bits;
	long_value |= bits;
	if (field->width == sizeof(value))
		memcpy((char *)passed + field->offset, &value, sizeof(value));
	else
		memcpy((char *)passed + field->offset, &long_value, sizeof(long_value));
	return field->call(passed);
}

Test(reserved, bits_are_refused, .init = open_objects, .fini = close_objects)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const reserved_field *field = &fields[i];

		if (field->is_recorded && !has_recorder())
			continue;
		for (uint32_t bit = 0; bit < 8 * field->width; bit++) {
			if ((field->bits >> bit & 1) != 0)
				cr_expect_eq(call_with(field, UINT64_C(1) << bit), MPROF_ERR_ARGUMENT,
					     "%s: bit %u is accepted", field->name, (unsigned int)bit);
		}
	}
}

/* It was the bit that was refused, and not the struct. */
Test(reserved, structs_are_accepted)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		if (fields[i].is_recorded && !has_recorder())
			continue;
		open_objects();
		cr_expect_eq(call_with(&fields[i], 0), MPROF_OK, "%s: the struct is not valid", fields[i].name);
		close_objects();
	}
}
