/* SPDX-License-Identifier: MIT */
/* Copies definitions and clock pairs. */
#include "convert/copy_definitions.h"

#include "base/allocator.h"
#include "convert/merge_input.h"
#include "format/blocks/records.h"
#include "format/values/losses.h"

#include <string.h>

/*
 * Translates the records of a log that is merged with others.
 */

static int translate_thread(merge_input *input, uint64_t *thread)
{
	const uint64_t merged = merge_thread(input, *thread);

	if (merged == 0 && *thread != 0)
		return 0;
	*thread = merged;
	return 1;
}

/* A thread that the log itself describes needs no other description. */
static int translate_described_thread(merge_input *input, uint64_t *thread)
{
	const size_t count = input->new_thread_count;

	if (!translate_thread(input, thread))
		return 0;
	input->new_thread_count = count;
	return 1;
}

static int translate_process(merge_input *input, uint64_t *process)
{
	const uint64_t merged = merge_number_get(input, MERGE_PROCESS, *process);

	if (merged == 0 && *process != 0)
		return 0;
	*process = merged;
	return 1;
}

/* Without a process, a record is of the one that wrote the log. */
static int translate_owner(merge_input *input, uint64_t *process)
{
	if (*process != 0)
		return translate_process(input, process);
	*process = input->process;
	return 1;
}

static int translate_timeline(merge_input *input, mprof_timeline_record *timeline)
{
	return translate_thread(input, &timeline->parent) && translate_described_thread(input, &timeline->thread) &&
	       translate_owner(input, &timeline->process);
}

/* A metric that is not that of a thread becomes one of the process. */
static int translate_metric(merge_input *input, mprof_metric_record *metric)
{
	if ((metric->flags & MPROF_METRIC_FLAG_THREAD) != 0 && metric->thread != 0)
		return translate_thread(input, &metric->thread);
	metric->flags |= MPROF_METRIC_FLAG_THREAD;
	metric->thread = merge_process_thread(input);
	return metric->thread != 0;
}

/* Translates what a record refers to and what is no ID of another record. Returns 0 if there is no memory. */
static int merge_translate_references(mprof_converter *converter, mprof_record *record)
{
	merge_input *input = converter->merge;

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		return record->as.stack.is_native || merge_translate_id(input, MERGE_METHOD, &record->as.stack.target);
	case MPROF_RECORD_POSITION:
		return record->as.position.is_native ||
		       merge_translate_id(input, MERGE_METHOD, &record->as.position.target);
	case MPROF_RECORD_ROOT:
		return merge_translate_id(input, MERGE_CLASS, &record->as.root.class_id) &&
		       translate_thread(input, &record->as.root.thread);
	case MPROF_RECORD_SUMMARY:
		return merge_translate_id(input, MERGE_CLASS, &record->id);
	case MPROF_RECORD_FIELD:
		return merge_translate_id(input, MERGE_CLASS, &record->id) &&
		       merge_translate_id(input, MERGE_CLASS, &record->as.field.class_id);
	case MPROF_RECORD_METRIC:
		return translate_metric(input, &record->as.metric);
	case MPROF_RECORD_TIMELINE:
		return translate_timeline(input, &record->as.timeline);
	case MPROF_RECORD_PROCESS:
		return translate_process(input, &record->as.process.number) &&
		       translate_process(input, &record->as.process.parent);
	case MPROF_RECORD_CODE_RANGE:
		return translate_owner(input, &record->as.code_range.process) &&
		       merge_translate_id(input, MERGE_METHOD, &record->as.code_range.method);
	case MPROF_RECORD_MEMORY_SEARCH:
		return translate_owner(input, &record->as.memory_search.process);
	case MPROF_RECORD_MEMORY_BLOCK:
		return translate_owner(input, &record->as.memory_block.process);
	default:
		return 1;
	}
}

/* Whether the merged log has fields of the class from another log. Returns -1 if there is no memory. */
static int merge_has_fields(mprof_converter *converter, uint32_t class_id)
{
	merge_input *input = converter->merge;
	const uint32_t owner = id_map_get(&input->shared->fields, class_id);

	if (owner != 0)
		return owner != input->index + 1;
	return id_map_put(&input->shared->fields, class_id, (uint32_t)input->index + 1) ? 0 : -1;
}

static void encode_text(encode_buffer *content, const char *text)
{
	if (text == NULL)
		text = "";
	encode_string(content, text, strlen(text));
}

static void encode_argument(mprof_converter *converter, uint32_t id)
{
	encode_buffer *content = &converter->merge->shared->content;
	const mprof_argument_record *argument;
	mprof_record record;

	if (mprof_reader_lookup_record(converter->reader, MPROF_RECORD_ARGUMENT, id, &record, sizeof(record)) !=
	    MPROF_OK)
		return;
	argument = &record.as.argument;
	encode_varint(content, argument->kind);
	encode_varint(content, argument->encoding);
	encode_varint(content, argument->role);
	encode_varint(content, argument->unit);
	encode_text(content, argument->name);
	encode_text(content, argument->unit_name);
}

/*
 * Begins the content of a definition with what its translation removes. Call it before the references of the record are
 * translated.
 */
static void merge_begin_definition(mprof_converter *converter, const mprof_record *record)
{
	encode_buffer *content = &converter->merge->shared->content;

	encode_buffer_clear(content);
	encode_varint(content, record->kind);
	/* The arguments are those of the log, which have other IDs in the merged one. */
	if (record->kind == MPROF_RECORD_TYPE) {
		encode_varint(content, record->as.type.argument_count);
		for (uint32_t i = 0; i < record->as.type.argument_count; i++)
			encode_argument(converter, record->as.type.first_argument + i);
	}
	/* All logs have the same clock 1. */
	if (record->kind == MPROF_RECORD_CLOCK)
		encode_varint(content, record->id == MPROF_CLOCK_LOG);
}

/*
 * A program or library is the same file, wherever processes loaded it, and so is code of the kernel, which has a build
 * ID. What has neither is that of its process.
 */
static int encode_module(encode_buffer *content, const mprof_module_record *module)
{
	encode_text(content, module->build_id);
	encode_text(content, module->file);
	encode_varint(content, module->size);
	return (module->file != NULL && module->file[0] == '/') ||
	       (module->build_id != NULL && module->build_id[0] != '\0');
}

static int encode_type(encode_buffer *content, const mprof_type_record *type)
{
	encode_varint(content, type->form);
	encode_varint(content, type->pair);
	encode_varint(content, type->category);
	encode_varint(content, type->period);
	encode_text(content, type->name);
	encode_text(content, type->source);
	return 1;
}

/*
 * Adds what distinguishes a definition to the content, after its references were translated. Returns 0 if it is shared
 * with no other log: addresses, heaps, metrics, threads and processes are those of one process.
 */
static int encode_definition(encode_buffer *content, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		encode_varint(content, record->as.stack.caller);
		encode_varint(content, record->as.stack.target);
		encode_varint(content, record->as.stack.is_native | record->as.stack.is_compiling << 1);
		encode_varint(content, record->as.stack.position);
		return 1;
	case MPROF_RECORD_POSITION:
		encode_varint(content, record->as.position.target);
		encode_varint(content, record->as.position.is_native | record->as.position.is_inlined << 1);
		encode_varint(content, record->as.position.line);
		encode_varint(content, record->as.position.offset);
		encode_varint(content, record->as.position.file);
		return 1;
	case MPROF_RECORD_MODULE:
		return encode_module(content, &record->as.module);
	case MPROF_RECORD_FUNCTION:
		encode_varint(content, record->as.function.module);
		encode_varint(content, record->as.function.offset);
		encode_varint(content, record->as.function.size);
		encode_text(content, record->as.function.name);
		return record->as.function.module != 0;
	case MPROF_RECORD_LOCATION:
		encode_varint(content, record->as.location.module);
		encode_varint(content, record->as.location.function);
		encode_varint(content, record->as.location.offset);
		return record->as.location.module != 0;
	case MPROF_RECORD_TYPE:
		return encode_type(content, &record->as.type);
	case MPROF_RECORD_TEXT:
		encode_text(content, record->as.text.text);
		return 1;
	default:
		return record->kind == MPROF_RECORD_CLOCK && record->id == MPROF_CLOCK_LOG;
	}
}

/* Whether two equal definitions of one log are two rows of a report. */
static int stays_apart(uint32_t kind)
{
	return kind == MPROF_RECORD_MODULE || kind == MPROF_RECORD_FUNCTION || kind == MPROF_RECORD_TYPE;
}

/* Stores the ID in the merged log. Returns 0 if there is no memory. */
static int set_translation(id_translation *translation, uint32_t id, uint32_t merged)
{
	if (id == merged && translation->same + 1 == id && translation->same == translation->defined)
		translation->same = id;
	else if (!id_map_put(&translation->moved, id, merged))
		return 0;
	translation->defined++;
	return 1;
}

/*
 * Finds a definition in the merged log, or gives it the next ID. Returns 1 if it has to be written, with the ID in
 * record, 0 if another log has written it, and -1 if there is no memory.
 */
static int merge_define_record(mprof_converter *converter, mprof_record *record)
{
	merge_input *input = converter->merge;
	encode_buffer *content = &input->shared->content;
	id_translation *translation = &converter->ids[record->kind];
	const int is_shared = encode_definition(content, record);
	uint32_t id = is_shared ? merge_input_find(input, stays_apart(record->kind)) : 0;
	const int is_new = id == 0;

	if (is_shared && content->status != MPROF_OK)
		return -1;
	if (is_new) {
		id = input->shared->defined[record->kind] + 1;
		if (is_shared && !merge_input_share(input, id))
			return -1;
		input->shared->defined[record->kind] = id;
	}
	if (!set_translation(translation, record->id, id))
		return -1;
	record->id = id;
	return is_new;
}

/* Assigns the next ID of the copy to an ID of the log. Returns it, or 0 if out of memory. */
static uint32_t id_translation_define(id_translation *translation, uint32_t id)
{
	uint32_t next = translation->defined + 1;

	if (id == next && translation->same == translation->defined)
		translation->same = id;
	else if (!id_map_put(&translation->moved, id, next))
		return 0;
	translation->defined = next;
	return next;
}

void converter_read_clock(void *user, mprof_clock *clock)
{
	mprof_converter *converter = user;

	*clock = converter->clocks[converter->next_clock];
	if (converter->next_clock + 1 < converter->clock_count)
		converter->next_clock++;
}

void converter_set_clocks(mprof_converter *converter, const mprof_clock *start, const mprof_clock *end)
{
	const mprof_clock both[] = {*start, *end};

	memcpy(converter->clocks, both, sizeof(both));
	converter->clock_count = 2;
	converter->next_clock = 0;
}

void converter_set_clock(mprof_converter *converter, const mprof_block *block)
{
	if (block->has_clocks)
		converter_set_clocks(converter, &block->start, &block->end);
	else
		converter_set_clocks(converter, &converter->clocks[converter->clock_count - 1],
				     &converter->clocks[converter->clock_count - 1]);
}

void converter_set_snapshot_clock(mprof_converter *converter, const mprof_block *block)
{
	converter_set_clock(converter, block);
	if (!block->as.heap_data.has_clocks)
		return;
	converter_set_clocks(converter, &block->as.heap_data.start, &block->as.heap_data.end);
	/* Heap records contain the time when the snapshot was taken, and not the time when it was written. */
	if (converter->target.rules->has_heap_records)
		return;
	converter->clocks[2] = block->start;
	converter->clocks[3] = block->end;
	converter->clock_count = 4;
}

/* Records fetched from the reader at a time, and the most that are collected for one block. */
#define RECORD_BATCH 256
#define MAX_RECORDS ((size_t)1 << 16)

static uint32_t translate_id(const mprof_converter *converter, mprof_record_kind kind, uint32_t id)
{
	return id_translation_get(&converter->ids[kind], id);
}

/* A frame with a position becomes its method or location if the position is not defined or the copy has none. */
static void translate_position_of(const mprof_converter *converter, mprof_stack_record *stack)
{
	const uint32_t source = stack->position;
	mprof_record position;

	stack->position = 0;
	if ((converter->target.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_POSITIONS)) != 0)
		stack->position = translate_id(converter, MPROF_RECORD_POSITION, source);
	if (stack->position != 0)
		return;
	losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_STACKS);
	if (mprof_reader_lookup_record(converter->reader, MPROF_RECORD_POSITION, source, &position, sizeof(position)) !=
	    MPROF_OK)
		return;
	stack->target = position.as.position.target;
	stack->is_native = position.as.position.is_native;
	/* Not the mark of a truncated call stack. */
	if (stack->target == 0)
		stack->is_native = 0;
}

/* The file and the location of a position that are not defined become unknown. */
static void translate_position(const mprof_converter *converter, mprof_position_record *position)
{
	position->file = translate_id(converter, MPROF_RECORD_TEXT, position->file);
	if (!position->is_native)
		return;
	position->target = translate_id(converter, MPROF_RECORD_LOCATION, position->target);
	if (position->target == 0)
		position->is_native = 0;
}

/* A native frame whose location is not defined becomes an unknown frame. */
static void translate_stack(const mprof_converter *converter, mprof_record *record)
{
	record->as.stack.caller = translate_id(converter, MPROF_RECORD_STACK, record->as.stack.caller);
	if (record->as.stack.position != 0)
		translate_position_of(converter, &record->as.stack);
	if (!record->as.stack.is_native || record->as.stack.target == 0)
		return;
	record->as.stack.target = translate_id(converter, MPROF_RECORD_LOCATION, record->as.stack.target);
	if (record->as.stack.target == 0)
		record->as.stack.is_native = 0;
}

/* The arguments of a type have consecutive IDs, also in the copy, up to the first one that is not defined. */
static void translate_type(const mprof_converter *converter, mprof_type_record *type)
{
	const uint32_t first = translate_id(converter, MPROF_RECORD_ARGUMENT, type->first_argument);
	uint32_t count = 0;

	while (count < type->argument_count && first != 0 &&
	       translate_id(converter, MPROF_RECORD_ARGUMENT, type->first_argument + count) == first + count)
		count++;
	type->argument_count = count;
	type->first_argument = first;
	type->category = translate_id(converter, MPROF_RECORD_TEXT, type->category);
	type->pair = translate_id(converter, MPROF_RECORD_TYPE, type->pair);
}

/* A counter in the unit of the copy; 0 is no counter. */
static uint64_t converted_counter(const mprof_converter *converter, uint64_t counter)
{
	const copy_resolution *resolution = &converter->resolution;

	return counter == 0 || !resolution_changes(resolution) ? counter : resolution_counter(resolution, counter);
}

/* The counter is rounded down in the copy, which adds to the uncertainty. */
static void translate_clock_pair(const mprof_converter *converter, mprof_clock_pair_record *pair)
{
	if (!resolution_changes(&converter->resolution))
		return;
	pair->counter = resolution_counter(&converter->resolution, pair->counter);
	pair->uncertainty = resolution_duration(&converter->resolution, pair->uncertainty) + 1;
}

/*
 * A definition refers only to earlier definitions. A reference to an ID that is not defined becomes 0. Flags of a later
 * version of the format are left out.
 */
static void translate_references(const mprof_converter *converter, mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		translate_stack(converter, record);
		break;
	case MPROF_RECORD_LOCATION:
		record->as.location.function =
			translate_id(converter, MPROF_RECORD_FUNCTION, record->as.location.function);
		record->as.location.module = translate_id(converter, MPROF_RECORD_MODULE, record->as.location.module);
		break;
	case MPROF_RECORD_FUNCTION:
		record->as.function.module = translate_id(converter, MPROF_RECORD_MODULE, record->as.function.module);
		break;
	case MPROF_RECORD_TYPE:
		translate_type(converter, &record->as.type);
		break;
	case MPROF_RECORD_PROCESS:
		record->as.process.start = converted_counter(converter, record->as.process.start);
		record->as.process.end = converted_counter(converter, record->as.process.end);
		break;
	case MPROF_RECORD_TIMELINE:
		record->as.timeline.clock = translate_id(converter, MPROF_RECORD_CLOCK, record->as.timeline.clock);
		/* Flags of a later version. */
		if ((record->as.timeline.flags & ~RECORD_TIMELINE_FLAGS) != 0)
			losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_TIMELINES);
		record->as.timeline.flags &= RECORD_TIMELINE_FLAGS;
		break;
	case MPROF_RECORD_POSITION:
		translate_position(converter, &record->as.position);
		break;
	case MPROF_RECORD_CODE_RANGE:
		record->as.code_range.module =
			translate_id(converter, MPROF_RECORD_MODULE, record->as.code_range.module);
		record->as.code_range.start = converted_counter(converter, record->as.code_range.start);
		break;
	case MPROF_RECORD_ARGUMENT:
		/* Readers treat it as what the encoding is. */
		if (!record_encoding_fits(record->as.argument.kind, record->as.argument.encoding))
			record->as.argument.kind = record->as.argument.encoding == MPROF_ENCODING_BYTES
							   ? MPROF_ARGUMENT_BYTES
							   : MPROF_ARGUMENT_NUMBER;
		break;
	case MPROF_RECORD_METRIC:
		/* Flags of a later version. */
		if ((record->as.metric.flags & ~(uint32_t)RECORD_METRIC_FLAGS) != 0)
			losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_METRICS);
		record->as.metric.flags &= RECORD_METRIC_FLAGS;
		break;
	default:
		break;
	}
}

/*
 * Translates the text of a record about an object or a reference of a heap snapshot. Returns 0 if the record is to be
 * skipped, because its text is not defined. Flags of a later version are left out.
 */
static int translate_heap_note(mprof_converter *converter, mprof_record *record)
{
	const uint32_t id = record->id;

	if (record->kind == MPROF_RECORD_OBJECT_FLAGS) {
		record->id &= MPROF_OBJECT_FLAG_SYNTHETIC;
		if (record->id != id)
			losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_OBJECT_LABELS);
		return record->id != 0;
	}
	record->id = translate_id(converter, MPROF_RECORD_TEXT, id);
	return record->kind == MPROF_RECORD_WEAK_REFERENCE || record->id != 0 || id == 0;
}

/* Translates the range of a line or an end. Returns 0 if it, or the position of the line, is not defined. */
static int translate_code_note(const mprof_converter *converter, mprof_record *record)
{
	record->id = translate_id(converter, MPROF_RECORD_CODE_RANGE, record->id);
	if (record->kind == MPROF_RECORD_CODE_END) {
		record->as.code_end.counter = converted_counter(converter, record->as.code_end.counter);
		return record->id != 0;
	}
	record->as.code_line.position = translate_id(converter, MPROF_RECORD_POSITION, record->as.code_line.position);
	return record->id != 0 && record->as.code_line.position != 0;
}

/*
 * Begins to translate a record of a log that is merged with others. Returns 1; 0 if another log has it already; -1 if
 * out of memory.
 */
static int begin_merging(mprof_converter *converter, mprof_record *record)
{
	int has_fields = 0;

	/* Definitions are translated later, when it is known that they are not repeated. */
	if (record_is_definition(record->kind))
		return 1;
	if (!merge_translate_references(converter, record))
		return -1;
	if (record->kind == MPROF_RECORD_FIELD)
		has_fields = merge_has_fields(converter, record->id);
	return has_fields < 0 ? -1 : !has_fields;
}

/*
 * Translates the IDs of a record to those of the copy. Returns 1; 0 if the record is to be skipped, because it is a
 * second definition of an ID or a value of an undefined metric or clock; -1 if out of memory.
 */
static int translate_record(mprof_converter *converter, mprof_record *record)
{
	uint32_t id;
	int is_kept;

	if (converter->merge != NULL && (is_kept = begin_merging(converter, record)) <= 0)
		return is_kept;
	if (record->kind == MPROF_RECORD_METRIC_VALUE) {
		record->id = translate_id(converter, MPROF_RECORD_METRIC, record->id);
		record->as.metric_value.counter = converted_counter(converter, record->as.metric_value.counter);
		return record->id != 0;
	}
	if (record->kind == MPROF_RECORD_CLOCK_PAIR) {
		record->id = translate_id(converter, MPROF_RECORD_CLOCK, record->id);
		translate_clock_pair(converter, &record->as.clock_pair);
		return record->id != 0;
	}
	if (record->kind == MPROF_RECORD_CODE_LINE || record->kind == MPROF_RECORD_CODE_END)
		return translate_code_note(converter, record);
	if (record_is_heap_note(record->kind))
		return translate_heap_note(converter, record);
	if (!record_is_definition(record->kind))
		return 1;
	if (translate_id(converter, (mprof_record_kind)record->kind, record->id) != 0)
		return 0;
	if (converter->merge != NULL)
		merge_begin_definition(converter, record);
	translate_references(converter, record);
	if (converter->merge != NULL)
		return merge_translate_references(converter, record) ? merge_define_record(converter, record) : -1;
	id = id_translation_define(&converter->ids[record->kind], record->id);
	record->id = id;
	return id != 0 ? 1 : -1;
}

/* Translates a batch and removes the records that are not copied. */
static mprof_status translate_records(mprof_converter *converter, size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		int is_kept = translate_record(converter, &converter->records[i]);

		if (is_kept < 0)
			return MPROF_ERR_MEMORY;
		if (is_kept)
			converter->records[kept++] = converter->records[i];
	}
	*count = kept;
	return MPROF_OK;
}

/*
 * A HEAP_SUMMARY without records is copied: no object has survived the collection. Other blocks without records contain
 * no information.
 */
static mprof_status write_record_batch(mprof_converter *converter, mprof_block_kind kind, uint32_t number, size_t count)
{
	mprof_status status = translate_records(converter, &count);

	if (status != MPROF_OK || (count == 0 && kind != MPROF_BLOCK_HEAP_SUMMARY))
		return status;
	return mprof_writer_write_records(converter->writer, kind, number, converter->records, sizeof(mprof_record),
					  count);
}

static int reserve_records(mprof_converter *converter, size_t needed)
{
	void *records = converter->records;
	int has_room = array_reserve(&converter->allocator, &records, &converter->record_capacity, needed,
				     sizeof(*converter->records));

	converter->records = records;
	return has_room;
}

/* Fetches records until there are no more, or enough for one block. */
static mprof_status fetch_records(mprof_converter *converter, size_t *count, mprof_status *fault)
{
	size_t got = 0;

	*count = 0;
	do {
		if (!reserve_records(converter, *count + RECORD_BATCH))
			return MPROF_ERR_MEMORY;
		*fault = mprof_reader_next_records(converter->reader, converter->records + *count, sizeof(mprof_record),
						   RECORD_BATCH, &got);
		*count += got;
	} while (*fault == MPROF_OK && *count < MAX_RECORDS);
	return MPROF_OK;
}

mprof_status copy_records(mprof_converter *converter, const mprof_block *block)
{
	uint32_t number = block->kind == MPROF_BLOCK_HEAP_SUMMARY ? block->as.heap_summary.collection : 0;
	mprof_status fetched;

	if (block_has_heap_notes(block->kind))
		number = block->as.heap_notes.number;
	/* Nothing is in a snapshot without a number, which only another writer can have written. */
	if (block_has_heap_notes(block->kind) && number == 0)
		return MPROF_OK;
	do {
		size_t count;
		mprof_status status = fetch_records(converter, &count, &fetched);

		converter_set_clock(converter, block);
		if (status == MPROF_OK)
			status = write_record_batch(converter, (mprof_block_kind)block->kind, number, count);
		if (status != MPROF_OK)
			return status;
	} while (fetched == MPROF_OK);
	return converter_read_failed(converter, fetched);
}

/* Copies the reader's own definitions of one kind that the copy does not have yet. Their IDs have no gaps. */
static mprof_status copy_implied(mprof_converter *converter, mprof_record_kind kind, mprof_block_kind block_kind)
{
	const uint32_t last = reader_last_own_id(converter->reader, kind);
	uint32_t *copied = &converter->implied_ids[kind];

	while (*copied < last) {
		size_t count = 0;
		mprof_status status;

		if (!reserve_records(converter, RECORD_BATCH))
			return MPROF_ERR_MEMORY;
		for (; count < RECORD_BATCH && *copied < last; ++*copied)
			count += mprof_reader_lookup_record(converter->reader, kind, *copied + 1,
							    &converter->records[count],
							    sizeof(mprof_record)) == MPROF_OK;
		status = write_record_batch(converter, block_kind, 0, count);
		if (status != MPROF_OK)
			return status;
	}
	return MPROF_OK;
}

mprof_status copy_implied_definitions(mprof_converter *converter)
{
	static const struct {
		mprof_record_kind kind;
		mprof_block_kind block_kind;
	} definitions[] = {
		{MPROF_RECORD_MODULE, MPROF_BLOCK_CODE},
		{MPROF_RECORD_FUNCTION, MPROF_BLOCK_CODE},
		{MPROF_RECORD_LOCATION, MPROF_BLOCK_CODE},
		{MPROF_RECORD_STACK, MPROF_BLOCK_STACKS},
	};
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < sizeof(definitions) / sizeof(definitions[0]) && status == MPROF_OK; i++)
		status = copy_implied(converter, definitions[i].kind, definitions[i].block_kind);
	return status;
}

mprof_status converter_scan_definitions(mprof_converter *converter, uint64_t *count, mprof_status *fault)
{
	size_t got = 0;

	*count = 0;
	do {
		*fault = mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &got);
		*count += got;
	} while (*fault == MPROF_OK);
	if (*fault == MPROF_ERR_MEMORY)
		return *fault;
	reader_rewind(converter->reader);
	return copy_implied_definitions(converter);
}
