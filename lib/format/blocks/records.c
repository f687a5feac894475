/* SPDX-License-Identifier: MIT */
/* Decodes and encodes records, and has the table of the metrics of threads. */
#include "format/blocks/records.h"

#include "format/values/varint.h"

/* Flag bits of a frame in STACKS. The bits between them are the ID of its method or location. */
#define STACK_FRAME_NATIVE UINT64_C(1)
#define STACK_FRAME_COMPILING (UINT64_C(1) << 33)
#define STACK_FRAME_POSITION (UINT64_C(1) << 34)

/* Flags of a position. */
#define POSITION_NATIVE 1u
#define POSITION_INLINED 2u

/* A native frame with location 0 stands for the outer frames that were not recorded. */
#define STACK_FRAME_TRUNCATED STACK_FRAME_NATIVE

/* The minimum length of a call stack in STACKS, in bytes: two varints. */
#define MIN_STACK_LENGTH 2

/* The most low bits that addresses omit (section 2.6). */
#define MAX_SHIFT 12

static void decode_shift(record_cursor *cursor)
{
	const size_t start = cursor->content.position;

	cursor->shift = content_cursor_id(&cursor->content);
	if (cursor->shift > MAX_SHIFT)
		content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED,
				    "shift of addresses is greater than 12");
}

void record_cursor_init(record_cursor *cursor, const content_cursor *content, uint32_t block_kind, uint64_t directives,
			uint64_t counter)
{
	size_t start;
	uint32_t first_id;

	memset(cursor, 0, sizeof(*cursor));
	cursor->content = *content;
	cursor->block_kind = block_kind;
	cursor->counter = counter;
	cursor->has_sized_metrics = (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS)) != 0;
	if (block_has_heap_notes(block_kind))
		decode_shift(cursor);
	if (block_kind != MPROF_BLOCK_STACKS)
		return;
	start = cursor->content.position;
	first_id = content_cursor_id(&cursor->content);
	if (first_id == 0)
		content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED, "ID of the first call stack is 0");
	start = cursor->content.position;
	cursor->remaining = content_cursor_id(&cursor->content);
	if (cursor->remaining > (cursor->content.length - cursor->content.position) / MIN_STACK_LENGTH)
		content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED,
				    "number of call stacks exceeds the length of the block");
	else if (cursor->remaining > UINT32_MAX - first_id)
		content_cursor_fail(&cursor->content, start, MPROF_ERR_MALFORMED, "ID exceeds 32 bits");
	cursor->last_id = first_id - 1;
}

/* Decodes a frame. Returns its number, without the bits that state what it is. */
static uint64_t decode_frame(uint64_t frame, mprof_stack_record *stack)
{
	const uint64_t position = frame - STACK_FRAME_POSITION;

	/* A position is an even number below 2 to the power of 33 more. */
	if (frame >= STACK_FRAME_POSITION && (position & 1) == 0 && position >> 1 <= UINT32_MAX && position != 0) {
		stack->position = (uint32_t)(position >> 1);
		return 0;
	}
	stack->is_native = (frame & STACK_FRAME_NATIVE) != 0;
	if ((frame & STACK_FRAME_COMPILING) != 0 && !stack->is_native) {
		frame -= STACK_FRAME_COMPILING;
		stack->is_compiling = 1;
	}
	stack->target = (uint32_t)(frame >> 1);
	return frame;
}

static void decode_stack(record_cursor *cursor, mprof_record *record)
{
	content_cursor *content = &cursor->content;
	size_t start = content->position;
	const uint64_t frame = decode_frame(content_cursor_varint(content), &record->as.stack);
	uint32_t distance;

	record->id = ++cursor->last_id;
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

/* A value of a metric from its varint. Doubles are stored with their bytes reversed. */
static uint64_t unfold_value(const mprof_metric_value_record *of, uint64_t value)
{
	return of->is_double ? __builtin_bswap64(value) : zigzag_unfold(value);
}

static void decode_metric_value(content_cursor *content, mprof_record *record)
{
	record->as.metric_value.value = unfold_value(&record->as.metric_value, content_cursor_varint(content));
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
	type->period = sized->position == sized->length ? 0 : content_cursor_varint(sized);
	type->source = sized_text(sized);
	if (type->argument_count > MPROF_TYPE_MAX_ARGUMENTS)
		content_cursor_fail(sized, start, MPROF_ERR_MALFORMED, "type has more than 255 arguments");
}

static void decode_sized_metric(content_cursor *sized, mprof_metric_record *metric)
{
	metric->flags = sized_number(sized);
	metric->thread = sized_amount(sized);
	metric->section = sized_text(sized);
	metric->name = sized_text(sized);
	metric->unit = sized_text(sized);
}

/* The time is stored as a difference from the first clock pair: the record has it added later. */
static void decode_sized_value(content_cursor *sized, mprof_metric_value_record *value)
{
	value->value = unfold_value(value, sized_amount(sized));
	value->counter = zigzag_unfold(sized_amount(sized));
	value->count = sized_amount(sized);
	value->lower = unfold_value(value, sized_amount(sized));
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

static void decode_position(content_cursor *sized, mprof_record *record)
{
	mprof_position_record *position = &record->as.position;
	const uint32_t flags = sized_number(sized);

	position->is_native = (flags & POSITION_NATIVE) != 0;
	position->is_inlined = (flags & POSITION_INLINED) != 0;
	position->target = sized_number(sized);
	position->line = sized_number(sized);
	position->offset = sized_number(sized);
	position->file = sized_number(sized);
}

static void decode_code_range(content_cursor *sized, mprof_code_range_record *range)
{
	range->kind = sized_number(sized);
	range->address = sized_amount(sized);
	range->size = sized_amount(sized);
	range->start = sized_amount(sized);
	range->method = sized_number(sized);
	range->module = sized_number(sized);
	range->name = sized_text(sized);
	range->process = sized_amount(sized);
}

static void decode_code_line(content_cursor *sized, mprof_code_line_record *line)
{
	line->offset = sized_amount(sized);
	line->position = sized_number(sized);
}

static void decode_code_end(content_cursor *sized, mprof_code_end_record *end)
{
	end->counter = sized_amount(sized);
	end->address = sized_amount(sized);
}

static void decode_memory_search(content_cursor *sized, mprof_memory_search_record *search)
{
	search->process = sized_amount(sized);
	search->blocks = sized_amount(sized);
	search->bytes = sized_amount(sized);
	search->root_bytes = sized_amount(sized);
	search->duration_ns = sized_amount(sized);
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
	case MPROF_RECORD_CLOCK_PAIR:
		decode_clock_pair(sized, &record->as.clock_pair);
		break;
	case MPROF_RECORD_METRIC:
		decode_sized_metric(sized, &record->as.metric);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		decode_sized_value(sized, &record->as.metric_value);
		break;
	case MPROF_RECORD_CODE_RANGE:
		decode_code_range(sized, &record->as.code_range);
		break;
	case MPROF_RECORD_CODE_LINE:
		decode_code_line(sized, &record->as.code_line);
		break;
	case MPROF_RECORD_CODE_END:
		decode_code_end(sized, &record->as.code_end);
		break;
	case MPROF_RECORD_MEMORY_SEARCH:
		decode_memory_search(sized, &record->as.memory_search);
		break;
	default:
		decode_position(sized, record);
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

static uint64_t decode_address(record_cursor *cursor)
{
	cursor->position.address += zigzag_unfold(content_cursor_varint(&cursor->content)) << cursor->shift;
	return cursor->position.address;
}

/* Decodes which reference of which object a name belongs to. */
static void decode_reference_name(record_cursor *cursor, mprof_reference_name_record *name)
{
	content_cursor *content = &cursor->content;
	const size_t start = content->position;
	const uint64_t step = content_cursor_varint(content);
	uint64_t index = step >> 1;

	if ((step & 1) != 0)
		cursor->position.object = decode_address(cursor);
	else
		index += cursor->position.index;
	/* The index after it must fit, too. */
	if (index >= UINT32_MAX) {
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "index of a reference exceeds 32 bits");
		index = 0;
	}
	name->object = cursor->position.object;
	name->index = (uint32_t)index;
	cursor->position.index = (uint32_t)index + 1;
}

/* Decodes a record of a block of a heap snapshot. */
static void decode_heap_note(record_cursor *cursor, mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_LABEL:
		record->as.label.object = decode_address(cursor);
		if (record->id == 0)
			record->as.label.text = content_cursor_string(&cursor->content, NULL);
		break;
	case MPROF_RECORD_OBJECT_FLAGS:
		record->as.object_flags.object = decode_address(cursor);
		break;
	case MPROF_RECORD_WEAK_REFERENCE:
		record->as.weak_reference.object = decode_address(cursor);
		record->as.weak_reference.target = decode_address(cursor);
		break;
	default:
		decode_reference_name(cursor, &record->as.reference_name);
		break;
	}
}

static void decode_summary(content_cursor *content, mprof_record *record)
{
	record->as.summary.live_objects = content_cursor_amount(content);
	record->as.summary.live_bytes = content_cursor_amount(content);
	record->as.summary.dead_objects = content_cursor_amount(content);
	record->as.summary.dead_bytes = content_cursor_amount(content);
}

/* Whether the ID of a record may be 0, no text, so that 1 more is stored: 0 ends the list. */
static int record_may_lack_text(uint32_t kind)
{
	return kind == MPROF_RECORD_LABEL || kind == MPROF_RECORD_WEAK_REFERENCE;
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
	if (record_may_lack_text(record->kind))
		record->id--;
	/* A ring buffer leaves out ranges of code that have ended. */
	if (record->kind == MPROF_RECORD_CODE_RANGE && id > cursor->last_id) {
		cursor->last_id = record->id;
		return 1;
	}
	if (record_is_definition(record->kind) && cursor->last_id != 0 && id != (uint64_t)cursor->last_id + 1) {
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "IDs of definitions are not consecutive");
		return 0;
	}
	cursor->last_id = record->id;
	return 1;
}

/* Decodes a record of a METRICS block. */
static void decode_metric_record(record_cursor *cursor, mprof_record *record)
{
	content_cursor *content = &cursor->content;

	if (cursor->has_sized_metrics)
		decode_sized(content, record);
	else if (record->kind == MPROF_RECORD_METRIC)
		decode_metric(content, record);
	else
		decode_metric_value(content, record);
	if (record->kind == MPROF_RECORD_METRIC_VALUE && record->as.metric_value.counter != 0)
		record->as.metric_value.counter += cursor->counter;
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
	case MPROF_RECORD_METRIC_VALUE:
		decode_metric_record(cursor, record);
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
	case MPROF_RECORD_POSITION:
	case MPROF_RECORD_CODE_RANGE:
	case MPROF_RECORD_CODE_LINE:
	case MPROF_RECORD_CODE_END:
	case MPROF_RECORD_MEMORY_SEARCH:
		decode_sized(content, record);
		break;
	case MPROF_RECORD_MEMORY_BLOCK:
		record->as.memory_block.process = content_cursor_amount(content);
		record->as.memory_block.address = decode_address(cursor);
		break;
	case MPROF_RECORD_TEXT:
		record->as.text.text = content_cursor_string(content, NULL);
		break;
	case MPROF_RECORD_LABEL:
	case MPROF_RECORD_OBJECT_FLAGS:
	case MPROF_RECORD_REFERENCE_NAME:
	case MPROF_RECORD_WEAK_REFERENCE:
		decode_heap_note(cursor, record);
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
		if (cursor->remaining == 0)
			return 0;
		cursor->remaining--;
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
		cursor->position = (record_position){0};
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

	if (record->as.stack.position != 0)
		frame = STACK_FRAME_POSITION + ((uint64_t)record->as.stack.position << 1);
	else if (record->as.stack.is_native)
		frame |= STACK_FRAME_NATIVE;
	else if (record->as.stack.is_compiling)
		frame |= STACK_FRAME_COMPILING;
	encode_varint(buffer, frame);
	encode_varint(buffer, record->id - record->as.stack.caller);
}

/* A field of a SIZED record: a text, or a number if the text is NULL. */
typedef struct sized_field {
	const char *text;
	uint64_t number;
} sized_field;

static sized_field number_field(uint64_t number)
{
	return (sized_field){NULL, number};
}

static sized_field text_field(const char *text)
{
	return (sized_field){text != NULL ? text : "", 0};
}

/* Encodes a SIZED record after its length. Fields at the end that are 0 or empty are left out, but not the first. */
static void encode_sized(encode_buffer *buffer, const sized_field *fields, size_t count, size_t least)
{
	size_t length = 0;

	while (count > least && fields[count - 1].number == 0 &&
	       (fields[count - 1].text == NULL || fields[count - 1].text[0] == '\0'))
		count--;
	for (size_t i = 0; i < count; i++)
		length += fields[i].text != NULL ? strlen(fields[i].text) + 1 : varint_length(fields[i].number);
	encode_varint(buffer, length);
	for (size_t i = 0; i < count; i++) {
		if (fields[i].text != NULL)
			encode_string(buffer, fields[i].text, strlen(fields[i].text));
		else
			encode_varint(buffer, fields[i].number);
	}
}

/* A value of a metric. Round doubles, such as whole numbers, have zeros in the low bytes: reversed, they are short. */
static uint64_t fold_value(int is_double, uint64_t value)
{
	return is_double ? __builtin_bswap64(value) : zigzag_fold(value);
}

static void encode_metric_value(encode_buffer *buffer, const record_encoding *encoding, const mprof_record *record)
{
	const mprof_metric_value_record *value = &record->as.metric_value;
	const int is_double = id_map_get(encoding->double_metrics, record->id) != 0;
	const sized_field fields[] = {
		number_field(fold_value(is_double, value->value)),
		number_field(value->counter != 0 ? zigzag_fold(value->counter - encoding->counter) : 0),
		number_field(value->count), number_field(fold_value(is_double, value->lower))};

	encode_varint(buffer, (uint64_t)record->id << 1 | (is_double ? 1 : 0));
	if (encoding->has_sized_metrics)
		encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), 1);
	else
		encode_varint(buffer, fields[0].number);
}

/* These numbers of records are always written. */
#define METRIC_NUMBERS 2
#define ARGUMENT_NUMBERS 4
#define TYPE_NUMBERS 5
#define CLOCK_NUMBERS 3
#define TIMELINE_NUMBERS 8
#define PROCESS_NUMBERS 5
#define CODE_RANGE_NUMBERS 4

static void encode_metric(encode_buffer *buffer, const record_encoding *encoding, const mprof_metric_record *metric)
{
	const int has_unit = (metric->flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_NAMED;
	const int has_thread = (metric->flags & MPROF_METRIC_FLAG_THREAD) != 0;
	const sized_field fields[] = {number_field(metric->flags), number_field(has_thread ? metric->thread : 0),
				      text_field(metric->section), text_field(metric->name),
				      text_field(has_unit ? metric->unit : "")};

	if (encoding->has_sized_metrics) {
		encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), METRIC_NUMBERS);
		return;
	}
	encode_varint(buffer, metric->flags);
	if (has_thread)
		encode_varint(buffer, metric->thread);
	encode_record_text(buffer, metric->section);
	encode_record_text(buffer, metric->name);
}

static void encode_argument(encode_buffer *buffer, const mprof_argument_record *argument)
{
	const sized_field fields[] = {
		number_field(argument->kind),
		number_field(argument->encoding),
		number_field(argument->role),
		number_field(argument->unit),
		text_field(argument->name),
		text_field(argument->unit == MPROF_ARGUMENT_UNIT_NAMED ? argument->unit_name : "")};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), ARGUMENT_NUMBERS);
}

static void encode_type(encode_buffer *buffer, const mprof_type_record *type)
{
	const sized_field fields[] = {number_field(type->form),           number_field(type->pair),
				      number_field(type->category),       number_field(type->first_argument),
				      number_field(type->argument_count), text_field(type->name),
				      number_field(type->period),         text_field(type->source)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), TYPE_NUMBERS);
}

static void encode_clock_record(encode_buffer *buffer, const mprof_clock_record *clock)
{
	const sized_field fields[] = {number_field(clock->kind), number_field(clock->numerator),
				      number_field(clock->denominator), text_field(clock->name)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), CLOCK_NUMBERS);
}

static void encode_timeline(encode_buffer *buffer, const mprof_timeline_record *timeline)
{
	const sized_field fields[] = {
		number_field(timeline->thread),        number_field(timeline->kind),   number_field(timeline->process),
		number_field(timeline->system_thread), number_field(timeline->parent), number_field(timeline->clock),
		number_field(timeline->flags),         number_field(timeline->rank),   text_field(timeline->name)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), TIMELINE_NUMBERS);
}

static void encode_process(encode_buffer *buffer, const mprof_process_record *process)
{
	const sized_field fields[] = {number_field(process->number), number_field(process->system_id),
				      number_field(process->parent), number_field(process->start),
				      number_field(process->end),    text_field(process->name),
				      text_field(process->command)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), PROCESS_NUMBERS);
}

static void encode_clock_pair(encode_buffer *buffer, const mprof_clock_pair_record *pair)
{
	const sized_field fields[] = {number_field(pair->value), number_field(pair->counter),
				      number_field(pair->uncertainty)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), sizeof(fields) / sizeof(fields[0]));
}

static void encode_position(encode_buffer *buffer, const mprof_position_record *position)
{
	const sized_field fields[] = {number_field((position->is_native ? POSITION_NATIVE : 0) |
						   (position->is_inlined ? POSITION_INLINED : 0)),
				      number_field(position->target), number_field(position->line),
				      number_field(position->offset), number_field(position->file)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), 0);
}

static void encode_code_range(encode_buffer *buffer, const mprof_code_range_record *range)
{
	const sized_field fields[] = {number_field(range->kind),   number_field(range->address),
				      number_field(range->size),   number_field(range->start),
				      number_field(range->method), number_field(range->module),
				      text_field(range->name),     number_field(range->process)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), CODE_RANGE_NUMBERS);
}

static void encode_code_line(encode_buffer *buffer, const mprof_code_line_record *line)
{
	const sized_field fields[] = {number_field(line->offset), number_field(line->position)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), 0);
}

static void encode_code_end(encode_buffer *buffer, const mprof_code_end_record *end)
{
	const sized_field fields[] = {number_field(end->counter), number_field(end->address)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), 0);
}

static void encode_memory_search(encode_buffer *buffer, const mprof_memory_search_record *search)
{
	const sized_field fields[] = {number_field(search->process), number_field(search->blocks),
				      number_field(search->bytes), number_field(search->root_bytes),
				      number_field(search->duration_ns)};

	encode_sized(buffer, fields, sizeof(fields) / sizeof(fields[0]), sizeof(fields) / sizeof(fields[0]));
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
	case MPROF_RECORD_POSITION:
		encode_position(buffer, &record->as.position);
		break;
	case MPROF_RECORD_CODE_RANGE:
		encode_code_range(buffer, &record->as.code_range);
		break;
	case MPROF_RECORD_CODE_LINE:
		encode_code_line(buffer, &record->as.code_line);
		break;
	case MPROF_RECORD_CODE_END:
		encode_code_end(buffer, &record->as.code_end);
		break;
	case MPROF_RECORD_MEMORY_SEARCH:
		encode_memory_search(buffer, &record->as.memory_search);
		break;
	default:
		encode_clock_pair(buffer, &record->as.clock_pair);
		break;
	}
}

/* The object that a record of a block of a heap snapshot is about. */
static uint64_t note_object(const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_LABEL:
		return record->as.label.object;
	case MPROF_RECORD_OBJECT_FLAGS:
		return record->as.object_flags.object;
	case MPROF_RECORD_WEAK_REFERENCE:
		return record->as.weak_reference.object;
	default:
		return record->as.reference_name.object;
	}
}

/* What the records of a block are encoded with. */
typedef struct record_encoder {
	encode_buffer *buffer;
	const record_encoding *encoding;
	uint32_t shift; /* Of addresses. */
	record_position position;
} record_encoder;

static void encode_address(record_encoder *encoder, uint64_t address)
{
	const int64_t distance = (int64_t)(address - encoder->position.address);

	encode_varint(encoder->buffer, zigzag_fold((uint64_t)(distance >> encoder->shift)));
	encoder->position.address = address;
}

static void encode_reference_name(record_encoder *encoder, const mprof_record *record)
{
	const mprof_reference_name_record *name = &record->as.reference_name;
	record_position *position = &encoder->position;

	encode_varint(encoder->buffer, record->id);
	if (name->object == position->object && name->index >= position->index) {
		encode_varint(encoder->buffer, (uint64_t)(name->index - position->index) << 1);
	} else {
		encode_varint(encoder->buffer, (uint64_t)name->index << 1 | 1);
		encode_address(encoder, name->object);
	}
	position->object = name->object;
	position->index = name->index + 1;
}

/* Encodes a record of a block of a heap snapshot. */
static void encode_heap_note(record_encoder *encoder, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_REFERENCE_NAME) {
		encode_reference_name(encoder, record);
		return;
	}
	encode_varint(encoder->buffer, (uint64_t)record->id + (record_may_lack_text(record->kind) ? 1 : 0));
	encode_address(encoder, note_object(record));
	if (record->kind == MPROF_RECORD_WEAK_REFERENCE)
		encode_address(encoder, record->as.weak_reference.target);
	if (record->kind == MPROF_RECORD_LABEL && record->id == 0)
		encode_record_text(encoder->buffer, record->as.label.text);
}

/* The number of low bits that are 0 in all addresses of a block. */
static uint32_t find_shift(const mprof_record *records, size_t count)
{
	uint64_t bits = UINT64_C(1) << MAX_SHIFT;

	for (size_t i = 0; i < count; i++) {
		bits |= note_object(&records[i]);
		if (records[i].kind == MPROF_RECORD_WEAK_REFERENCE)
			bits |= records[i].as.weak_reference.target;
	}
	return (uint32_t)__builtin_ctzll(bits);
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
	case MPROF_RECORD_POSITION:
	case MPROF_RECORD_MEMORY_SEARCH:
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

static void encode_record(record_encoder *encoder, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_STACK) {
		encode_stack(encoder->buffer, record);
	} else if (record->kind == MPROF_RECORD_METRIC_VALUE) {
		encode_metric_value(encoder->buffer, encoder->encoding, record);
	} else if (record->kind == MPROF_RECORD_METRIC) {
		encode_varint(encoder->buffer, record->id);
		encode_metric(encoder->buffer, encoder->encoding, &record->as.metric);
	} else if (record_is_heap_note(record->kind)) {
		encode_heap_note(encoder, record);
	} else if (record->kind == MPROF_RECORD_MEMORY_BLOCK) {
		encode_varint(encoder->buffer, record->id);
		encode_varint(encoder->buffer, record->as.memory_block.process);
		encode_address(encoder, record->as.memory_block.address);
	} else {
		encode_varint(encoder->buffer, record->id);
		if (record_is_of_code_ranges(record->kind))
			encode_sized_fields(encoder->buffer, record);
		else
			encode_fields(encoder->buffer, record);
	}
}

int record_needs_sized_metrics(const mprof_record *record)
{
	const mprof_metric_value_record *value = &record->as.metric_value;
	const uint32_t flags = record->as.metric.flags;

	if (record->kind == MPROF_RECORD_METRIC)
		return (flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0 ||
		       (flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_NAMED;
	return record->kind == MPROF_RECORD_METRIC_VALUE &&
	       (value->counter != 0 || value->count != 0 || value->lower != 0);
}

void records_encode(encode_buffer *buffer, uint32_t block_kind, const record_encoding *encoding,
		    const mprof_record *records, size_t count)
{
	record_encoder encoder = {.buffer = buffer, .encoding = encoding};
	uint32_t kind;

	if (block_kind == MPROF_BLOCK_STACKS) {
		encode_varint(buffer, encoding->first_stack);
		encode_varint(buffer, count);
	}
	if (block_has_heap_notes(block_kind)) {
		encoder.shift = find_shift(records, count);
		encode_varint(buffer, encoder.shift);
	}
	for (uint32_t list = 0; (kind = record_list_kind(block_kind, list)) != 0; list++) {
		encoder.position = (record_position){0};
		for (size_t i = 0; i < count; i++) {
			if (records[i].kind == kind)
				encode_record(&encoder, &records[i]);
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
