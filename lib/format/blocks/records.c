/* SPDX-License-Identifier: MIT */
/* Decodes and encodes records, and has the table of the metrics of threads. */
#include "format/blocks/records.h"

#include "format/values/varint.h"

/* Flag bits of a frame in STACKS. The bits between them are the ID of its method or location. */
#define STACK_FRAME_NATIVE UINT64_C(1)
#define STACK_FRAME_COMPILING (UINT64_C(1) << 33)

/* A native frame with location 0 stands for the outer frames that were not recorded. */
#define STACK_FRAME_TRUNCATED STACK_FRAME_NATIVE

/* The minimum length of a call stack in STACKS, in bytes: two varints. */
#define MIN_STACK_LENGTH 2

void record_cursor_init(record_cursor *cursor, const content_cursor *content, uint32_t block_kind)
{
	size_t start;
	uint32_t first_id;

	memset(cursor, 0, sizeof(*cursor));
	cursor->content = *content;
	cursor->block_kind = block_kind;
	if (block_kind != MPROF_BLOCK_STACKS)
		return;
	start = cursor->content.position;
	first_id = content_cursor_id(&cursor->content);
	if (first_id == 0)
		content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED, "ID of the first call stack is 0");
	start = cursor->content.position;
	cursor->left = content_cursor_id(&cursor->content);
	if (cursor->left > (cursor->content.length - cursor->content.position) / MIN_STACK_LENGTH)
		content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED,
				    "number of call stacks exceeds the length of the block");
	else if (cursor->left > UINT32_MAX - first_id)
		content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED, "ID exceeds 32 bits");
	cursor->last_id = first_id - 1;
}

static void decode_stack(record_cursor *cursor, mprof_record *record)
{
	content_cursor *content = &cursor->content;
	size_t start = content->position;
	uint64_t frame = content_cursor_varint(content);
	uint32_t distance;

	record->id = ++cursor->last_id;
	record->as.stack.is_native = (frame & STACK_FRAME_NATIVE) != 0;
	if ((frame & STACK_FRAME_COMPILING) != 0 && !record->as.stack.is_native) {
		frame -= STACK_FRAME_COMPILING;
		record->as.stack.is_compiling = 1;
	}
	record->as.stack.target = (uint32_t)(frame >> 1);
	if (frame >> 1 > UINT32_MAX)
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "ID exceeds 32 bits");
	start = content->position;
	distance = content_cursor_id(content);
	if (distance == 0 || distance > record->id)
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED,
				    "stack refers to a caller that is not defined yet");
	else if (frame == STACK_FRAME_TRUNCATED && distance != record->id)
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED,
				    "frame that marks a truncated call stack has a caller");
	record->as.stack.caller = record->id - distance;
}

static void decode_module_record(content_cursor *content, mprof_record *record)
{
	record->as.module.address = content_cursor_varint(content);
	record->as.module.size = content_cursor_varint(content);
	record->as.module.build_id = content_cursor_string(content, NULL);
	record->as.module.file = content_cursor_string(content, NULL);
}

static void decode_function_record(content_cursor *content, mprof_record *record)
{
	record->as.function.module = content_cursor_id(content);
	record->as.function.offset = content_cursor_varint(content);
	record->as.function.size = content_cursor_varint(content);
	record->as.function.name = content_cursor_string(content, NULL);
}

static void decode_location_record(content_cursor *content, mprof_record *record)
{
	record->as.location.module = content_cursor_id(content);
	record->as.location.offset = content_cursor_varint(content);
	record->as.location.function = content_cursor_id(content);
}

static void decode_root_record(content_cursor *content, mprof_record *record)
{
	record->as.root.kind = content_cursor_id(content);
	record->as.root.class_id = content_cursor_id(content);
	record->as.root.thread = content_cursor_varint(content);
	record->as.root.address = content_cursor_varint(content);
	record->as.root.size = content_cursor_varint(content);
	record->as.root.name = content_cursor_string(content, NULL);
}

static void decode_metric(content_cursor *content, mprof_record *record)
{
	record->as.metric.flags = content_cursor_id(content);
	if ((record->as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0)
		record->as.metric.thread = content_cursor_varint(content);
	record->as.metric.section = content_cursor_string(content, NULL);
	record->as.metric.name = content_cursor_string(content, NULL);
}

static void decode_metric_value(content_cursor *content, mprof_record *record)
{
	uint64_t value = content_cursor_varint(content);

	if ((record->as.metric_value.is_double & MPROF_METRIC_FLAG_DOUBLE) != 0)
		record->as.metric_value.value = __builtin_bswap64(value);
	else
		record->as.metric_value.value = zigzag_unfold(value);
}

static void decode_field(content_cursor *content, mprof_record *record)
{
	record->as.field.offset = content_cursor_id(content);
	record->as.field.stride = content_cursor_id(content);
	record->as.field.class_id = content_cursor_id(content);
	record->as.field.name = content_cursor_string(content, NULL);
}

/* A number of a SIZED record; 0 if the record ends before it. */
static uint32_t sized_number(content_cursor *sized)
{
	return sized->position == sized->length ? 0 : content_cursor_id(sized);
}

/* The same for a number of 64 bits. */
static uint64_t sized_amount(content_cursor *sized)
{
	return sized->position == sized->length ? 0 : content_cursor_varint(sized);
}

/* A text of a SIZED record; "" if the record ends before it. */
static const char *sized_text(content_cursor *sized)
{
	return sized->position == sized->length ? "" : content_cursor_string(sized, NULL);
}

static void decode_argument(content_cursor *sized, mprof_record *record)
{
	mprof_argument_record *argument = &record->as.argument;
	const size_t start = sized->position;

	argument->kind = sized_number(sized);
	argument->encoding = sized_number(sized);
	argument->role = sized_number(sized);
	argument->unit = sized_number(sized);
	argument->name = sized_text(sized);
	argument->unit_name = sized_text(sized);
	if (argument->encoding > MPROF_ENCODING_BYTES)
		content_cursor_fail(sized, start, MPROF_ERR_MALFORMED, "encoding of an argument is not known");
}

static void decode_type(content_cursor *sized, mprof_record *record)
{
	mprof_type_record *type = &record->as.type;
	const size_t start = sized->position;

	type->form = sized_number(sized);
	type->pair = sized_number(sized);
	type->category = sized_number(sized);
	type->first_argument = sized_number(sized);
	type->argument_count = sized_number(sized);
	type->name = sized_text(sized);
	if (type->argument_count > MPROF_TYPE_MAX_ARGUMENTS)
		content_cursor_fail(sized, start, MPROF_ERR_MALFORMED, "type has more than 255 arguments");
}

static void decode_clock_record(content_cursor *sized, mprof_clock_record *clock)
{
	clock->kind = sized_number(sized);
	clock->numerator = sized_amount(sized);
	clock->denominator = sized_amount(sized);
	clock->name = sized_text(sized);
}

static void decode_timeline(content_cursor *sized, mprof_timeline_record *timeline)
{
	timeline->thread = sized_amount(sized);
	timeline->kind = sized_number(sized);
	timeline->process = sized_amount(sized);
	timeline->system_thread = sized_amount(sized);
	timeline->parent = sized_amount(sized);
	timeline->clock = sized_number(sized);
	timeline->flags = sized_number(sized);
	timeline->rank = sized_number(sized);
	timeline->name = sized_text(sized);
}

static void decode_process(content_cursor *sized, mprof_process_record *process)
{
	process->number = sized_amount(sized);
	process->system_id = sized_amount(sized);
	process->parent = sized_amount(sized);
	process->start = sized_amount(sized);
	process->end = sized_amount(sized);
	process->name = sized_text(sized);
	process->command = sized_text(sized);
}

static void decode_clock_pair(content_cursor *sized, mprof_clock_pair_record *pair)
{
	pair->value = sized_amount(sized);
	pair->counter = sized_amount(sized);
	pair->uncertainty = sized_amount(sized);
}

static void decode_sized_fields(content_cursor *sized, mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_ARGUMENT:
		decode_argument(sized, record);
		break;
	case MPROF_RECORD_TYPE:
		decode_type(sized, record);
		break;
	case MPROF_RECORD_CLOCK:
		decode_clock_record(sized, &record->as.clock);
		break;
	case MPROF_RECORD_TIMELINE:
		decode_timeline(sized, &record->as.timeline);
		break;
	case MPROF_RECORD_PROCESS:
		decode_process(sized, &record->as.process);
		break;
	default:
		decode_clock_pair(sized, &record->as.clock_pair);
		break;
	}
}

/* Decodes a SIZED record (section 2.8). Bytes after the known fields are of a later version and passed over. */
static void decode_sized(content_cursor *content, mprof_record *record)
{
	const size_t start = content->position;
	const uint64_t length = content_cursor_varint(content);
	content_cursor sized = *content;

	if (content->status != MPROF_OK)
		return;
	if (length > content->length - content->position) {
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "record is longer than its block");
		return;
	}
	sized.length = content->position + (size_t)length;
	decode_sized_fields(&sized, record);
	content->position = sized.length;
	if (sized.status != MPROF_OK)
		content_cursor_fail(content, sized.position, sized.status,
				    sized.ran_out ? "record ends inside a field" : sized.what);
}

static void decode_summary(content_cursor *content, mprof_record *record)
{
	record->as.summary.live_objects = content_cursor_amount(content);
	record->as.summary.live_bytes = content_cursor_amount(content);
	record->as.summary.dead_objects = content_cursor_amount(content);
	record->as.summary.dead_bytes = content_cursor_amount(content);
}

/*
 * Decodes the varint that a record starts with: its ID and, for a metric value, the type in the lowest bit. Returns 0
 * at the end of the list or on a fault.
 */
static int decode_id(record_cursor *cursor, mprof_record *record)
{
	content_cursor *content = &cursor->content;
	size_t start = content->position;
	uint64_t id = content_cursor_amount(content);

	if (record->kind == MPROF_RECORD_METRIC_VALUE) {
		record->as.metric_value.is_double = (id & 1) != 0 ? MPROF_METRIC_FLAG_DOUBLE : 0;
		if (id == 1)
			content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "metric ID is 0");
		id >>= 1;
	}
	if (id > UINT32_MAX)
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "ID exceeds 32 bits");
	record->id = (uint32_t)id;
	if (content->status != MPROF_OK || id == 0)
		return 0;
	if (record_is_definition(record->kind) && cursor->last_id != 0 && id != (uint64_t)cursor->last_id + 1) {
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "IDs of definitions are not consecutive");
		return 0;
	}
	cursor->last_id = record->id;
	return 1;
}

static void decode_record_of_kind(record_cursor *cursor, mprof_record *record)
{
	content_cursor *content = &cursor->content;

	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		decode_module_record(content, record);
		break;
	case MPROF_RECORD_FUNCTION:
		decode_function_record(content, record);
		break;
	case MPROF_RECORD_LOCATION:
		decode_location_record(content, record);
		break;
	case MPROF_RECORD_ROOT:
		decode_root_record(content, record);
		break;
	case MPROF_RECORD_METRIC:
		decode_metric(content, record);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		decode_metric_value(content, record);
		break;
	case MPROF_RECORD_FIELD:
		decode_field(content, record);
		break;
	case MPROF_RECORD_ARGUMENT:
	case MPROF_RECORD_TYPE:
	case MPROF_RECORD_CLOCK:
	case MPROF_RECORD_TIMELINE:
	case MPROF_RECORD_PROCESS:
	case MPROF_RECORD_CLOCK_PAIR:
		decode_sized(content, record);
		break;
	case MPROF_RECORD_TEXT:
		record->as.text.text = content_cursor_string(content, NULL);
		break;
	default:
		decode_summary(content, record);
		break;
	}
}

int record_cursor_next(record_cursor *cursor, mprof_record *record)
{
	if (cursor->content.status != MPROF_OK)
		return 0;
	if (cursor->block_kind == MPROF_BLOCK_STACKS) {
		if (cursor->left == 0)
			return 0;
		cursor->left--;
		record_clear(record, MPROF_RECORD_STACK);
		decode_stack(cursor, record);
		return cursor->content.status == MPROF_OK;
	}
	while (!cursor->at_end) {
		record_clear(record, record_list_kind(cursor->block_kind, cursor->list));
		if (decode_id(cursor, record)) {
			decode_record_of_kind(cursor, record);
			return cursor->content.status == MPROF_OK;
		}
		if (cursor->content.status != MPROF_OK)
			return 0;
		cursor->list++;
		cursor->last_id = 0;
		cursor->at_end = record_list_kind(cursor->block_kind, cursor->list) == 0;
	}
	return 0;
}

static void encode_record_text(encode_buffer *buffer, const char *text)
{
	if (text == NULL)
		text = "";
	encode_string(buffer, text, strlen(text));
}

static void encode_stack(encode_buffer *buffer, const mprof_record *record)
{
	uint64_t frame = (uint64_t)record->as.stack.target << 1;

	if (record->as.stack.is_native)
		frame |= STACK_FRAME_NATIVE;
	else if (record->as.stack.is_compiling)
		frame |= STACK_FRAME_COMPILING;
	encode_varint(buffer, frame);
	encode_varint(buffer, record->id - record->as.stack.caller);
}

static void encode_metric_value(encode_buffer *buffer, const id_map *double_metrics, const mprof_record *record)
{
	uint64_t is_double = id_map_get(double_metrics, record->id) != 0;

	encode_varint(buffer, (uint64_t)record->id << 1 | is_double);
	/* Round doubles, such as whole numbers, have zeros in the low bytes: reversed, they are short varints. */
	encode_varint(buffer, is_double ? __builtin_bswap64(record->as.metric_value.value)
					: zigzag_fold(record->as.metric_value.value));
}

/* Encodes a SIZED record: numbers and texts, after their length. Texts at the end that are empty are left out. */
static void encode_sized(encode_buffer *buffer, const uint64_t *numbers, size_t number_count,
			 const char *const texts[2])
{
	size_t lengths[2];
	size_t text_count = 0;
	size_t length = 0;

	for (size_t i = 0; i < 2; i++) {
		lengths[i] = texts[i] == NULL ? 0 : strlen(texts[i]);
		if (lengths[i] > 0)
			text_count = i + 1;
	}
	for (size_t i = 0; i < number_count; i++)
		length += varint_length(numbers[i]);
	for (size_t i = 0; i < text_count; i++)
		length += lengths[i] + 1;
	encode_varint(buffer, length);
	for (size_t i = 0; i < number_count; i++)
		encode_varint(buffer, numbers[i]);
	for (size_t i = 0; i < text_count; i++)
		encode_string(buffer, texts[i] == NULL ? "" : texts[i], lengths[i]);
}

static void encode_argument(encode_buffer *buffer, const mprof_argument_record *argument)
{
	const uint64_t numbers[] = {argument->kind, argument->encoding, argument->role, argument->unit};
	const char *const texts[2] = {argument->name,
				      argument->unit == MPROF_ARGUMENT_UNIT_NAMED ? argument->unit_name : ""};

	encode_sized(buffer, numbers, sizeof(numbers) / sizeof(numbers[0]), texts);
}

static void encode_type(encode_buffer *buffer, const mprof_type_record *type)
{
	const uint64_t numbers[] = {type->form, type->pair, type->category, type->first_argument, type->argument_count};
	const char *const texts[2] = {type->name, ""};

	encode_sized(buffer, numbers, sizeof(numbers) / sizeof(numbers[0]), texts);
}

static void encode_clock_record(encode_buffer *buffer, const mprof_clock_record *clock)
{
	const uint64_t numbers[] = {clock->kind, clock->numerator, clock->denominator};
	const char *const texts[2] = {clock->name, ""};

	encode_sized(buffer, numbers, sizeof(numbers) / sizeof(numbers[0]), texts);
}

static void encode_timeline(encode_buffer *buffer, const mprof_timeline_record *timeline)
{
	const uint64_t numbers[] = {timeline->thread, timeline->kind,  timeline->process, timeline->system_thread,
				    timeline->parent, timeline->clock, timeline->flags,   timeline->rank};
	const char *const texts[2] = {timeline->name, ""};

	encode_sized(buffer, numbers, sizeof(numbers) / sizeof(numbers[0]), texts);
}

static void encode_process(encode_buffer *buffer, const mprof_process_record *process)
{
	const uint64_t numbers[] = {process->number, process->system_id, process->parent, process->start, process->end};
	const char *const texts[2] = {process->name, process->command};

	encode_sized(buffer, numbers, sizeof(numbers) / sizeof(numbers[0]), texts);
}

static void encode_clock_pair(encode_buffer *buffer, const mprof_clock_pair_record *pair)
{
	const uint64_t numbers[] = {pair->value, pair->counter, pair->uncertainty};
	const char *const texts[2] = {"", ""};

	encode_sized(buffer, numbers, sizeof(numbers) / sizeof(numbers[0]), texts);
}

/* Encodes the fields of a SIZED record. */
static void encode_sized_fields(encode_buffer *buffer, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_ARGUMENT:
		encode_argument(buffer, &record->as.argument);
		break;
	case MPROF_RECORD_TYPE:
		encode_type(buffer, &record->as.type);
		break;
	case MPROF_RECORD_CLOCK:
		encode_clock_record(buffer, &record->as.clock);
		break;
	case MPROF_RECORD_TIMELINE:
		encode_timeline(buffer, &record->as.timeline);
		break;
	case MPROF_RECORD_PROCESS:
		encode_process(buffer, &record->as.process);
		break;
	default:
		encode_clock_pair(buffer, &record->as.clock_pair);
		break;
	}
}

/* Encodes the fields of a record after its ID. */
static void encode_fields(encode_buffer *buffer, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		encode_varint(buffer, record->as.module.address);
		encode_varint(buffer, record->as.module.size);
		encode_record_text(buffer, record->as.module.build_id);
		encode_record_text(buffer, record->as.module.file);
		break;
	case MPROF_RECORD_FUNCTION:
		encode_varint(buffer, record->as.function.module);
		encode_varint(buffer, record->as.function.offset);
		encode_varint(buffer, record->as.function.size);
		encode_record_text(buffer, record->as.function.name);
		break;
	case MPROF_RECORD_LOCATION:
		encode_varint(buffer, record->as.location.module);
		encode_varint(buffer, record->as.location.offset);
		encode_varint(buffer, record->as.location.function);
		break;
	case MPROF_RECORD_ROOT:
		encode_varint(buffer, record->as.root.kind);
		encode_varint(buffer, record->as.root.class_id);
		encode_varint(buffer, record->as.root.thread);
		encode_varint(buffer, record->as.root.address);
		encode_varint(buffer, record->as.root.size);
		encode_record_text(buffer, record->as.root.name);
		break;
	case MPROF_RECORD_METRIC:
		encode_varint(buffer, record->as.metric.flags);
		if ((record->as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0)
			encode_varint(buffer, record->as.metric.thread);
		encode_record_text(buffer, record->as.metric.section);
		encode_record_text(buffer, record->as.metric.name);
		break;
	case MPROF_RECORD_FIELD:
		encode_varint(buffer, record->as.field.offset);
		encode_varint(buffer, record->as.field.stride);
		encode_varint(buffer, record->as.field.class_id);
		encode_record_text(buffer, record->as.field.name);
		break;
	case MPROF_RECORD_TEXT:
		encode_record_text(buffer, record->as.text.text);
		break;
	case MPROF_RECORD_ARGUMENT:
	case MPROF_RECORD_TYPE:
	case MPROF_RECORD_CLOCK:
	case MPROF_RECORD_TIMELINE:
	case MPROF_RECORD_PROCESS:
	case MPROF_RECORD_CLOCK_PAIR:
		encode_sized_fields(buffer, record);
		break;
	default:
		encode_varint(buffer, record->as.summary.live_objects);
		encode_varint(buffer, record->as.summary.live_bytes);
		encode_varint(buffer, record->as.summary.dead_objects);
		encode_varint(buffer, record->as.summary.dead_bytes);
		break;
	}
}

static void encode_record(encode_buffer *buffer, const id_map *double_metrics, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_STACK) {
		encode_stack(buffer, record);
	} else if (record->kind == MPROF_RECORD_METRIC_VALUE) {
		encode_metric_value(buffer, double_metrics, record);
	} else {
		encode_varint(buffer, record->id);
		encode_fields(buffer, record);
	}
}

void records_encode(encode_buffer *buffer, uint32_t block_kind, uint32_t first_stack, const id_map *double_metrics,
		    const mprof_record *records, size_t count)
{
	uint32_t kind;

	if (block_kind == MPROF_BLOCK_STACKS) {
		encode_varint(buffer, first_stack);
		encode_varint(buffer, count);
	}
	for (uint32_t list = 0; (kind = record_list_kind(block_kind, list)) != 0; list++) {
		for (size_t i = 0; i < count; i++) {
			if (records[i].kind == kind)
				encode_record(buffer, double_metrics, &records[i]);
		}
		if (kind != MPROF_RECORD_STACK)
			encode_varint(buffer, 0);
	}
}

#define GROWING_TIME (MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD)
#define GROWING_COUNT (MPROF_METRIC_UNIT_COUNT | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD)

const thread_metric_definition thread_metrics[THREAD_METRIC_COUNT] = {
	[THREAD_WALL_TIME] = {"wall time", GROWING_TIME},
	[THREAD_CPU_TIME] = {"cpu time", GROWING_TIME},
	[THREAD_READY_TIME] = {"ready time", GROWING_TIME},
	[THREAD_YIELDS] = {"voluntary switches", GROWING_COUNT},
	[THREAD_PREEMPTIONS] = {"involuntary switches", GROWING_COUNT},
};

thread_metric thread_metric_find(uint32_t flags, const char *section, const char *name)
{
	if ((flags & MPROF_METRIC_FLAG_THREAD) == 0 || strcmp(section, THREAD_METRIC_SECTION) != 0)
		return THREAD_METRIC_NONE;
	for (int metric = 0; metric < THREAD_METRIC_COUNT; metric++) {
		if (strcmp(name, thread_metrics[metric].name) == 0)
			return (thread_metric)metric;
	}
	return THREAD_METRIC_NONE;
}
