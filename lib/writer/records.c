/* SPDX-License-Identifier: MIT */
/* Checks and writes blocks of records: call stacks, native code, roots, metrics and summaries. */
#include "base/elements.h"
#include "format/blocks/records.h"
#include "writer/errors.h"
#include "writer/heap.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <string.h>

/* Number of definitions of each kind once the block is written. */
typedef struct definition_counts {
	uint32_t defined[RECORD_KIND_COUNT];
} definition_counts;

static mprof_status refuse_undefined(mprof_writer *writer, const char *what)
{
	return writer_refuse(writer, MPROF_ERR_UNDEFINED_ID, what);
}

static int is_known(const mprof_writer *writer, const id_set *ids, uint32_t id)
{
	return id_set_has(ids, id) || writer->events.checker.defined.any;
}

static int has_sized_metrics(const mprof_writer *writer)
{
	return (writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS)) != 0;
}

static int record_is_defined(const definition_counts *counts, mprof_record_kind kind, uint32_t id)
{
	return id != 0 && id <= counts->defined[kind];
}

static int is_none_or_defined(const definition_counts *counts, mprof_record_kind kind, uint32_t id)
{
	return id <= counts->defined[kind];
}

/* A frame is a position, or a method or location, not both. */
static mprof_status check_frame_position(mprof_writer *writer, const definition_counts *counts,
					 const mprof_stack_record *stack)
{
	if ((writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_POSITIONS)) == 0)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED,
				     "the log cannot represent the line of a frame: declare directive 33");
	if (stack->target != 0 || stack->is_native || stack->is_compiling)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT,
				     "a frame with a position has a method or a location of its own");
	if (!record_is_defined(counts, MPROF_RECORD_POSITION, stack->position))
		return refuse_undefined(
			writer, "stack refers to a position that is not defined: write its POSITIONS block first");
	return MPROF_OK;
}

static mprof_status check_position(mprof_writer *writer, const definition_counts *counts,
				   const mprof_position_record *position)
{
	if (position->is_native && !record_is_defined(counts, MPROF_RECORD_LOCATION, position->target))
		return refuse_undefined(
			writer, "position refers to a location that is not defined: write its CODE block first");
	if (!position->is_native && position->target != 0 && !is_known(writer, &writer->method_ids, position->target))
		return refuse_undefined(
			writer,
			"position refers to a method that is not defined: call mprof_writer_define_method() first");
	if (!is_none_or_defined(counts, MPROF_RECORD_TEXT, position->file))
		return refuse_undefined(writer,
					"position refers to a text that is not defined: write its TEXTS block first");
	return MPROF_OK;
}

static mprof_status check_stack(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	if (record->as.stack.caller >= record->id)
		return refuse_undefined(writer, "stack refers to a caller that is not defined yet");
	if (record->as.stack.position != 0)
		return check_frame_position(writer, counts, &record->as.stack);
	if (record->as.stack.is_native && record->as.stack.target == 0) {
		if (record->as.stack.caller != 0)
			return refuse_undefined(writer, "frame that marks a truncated call stack has a caller");
	} else if (record->as.stack.is_native) {
		if (!record_is_defined(counts, MPROF_RECORD_LOCATION, record->as.stack.target))
			return refuse_undefined(
				writer, "stack refers to a location that is not defined: write its CODE block first");
	} else if (record->as.stack.target != 0 && !is_known(writer, &writer->method_ids, record->as.stack.target)) {
		return refuse_undefined(
			writer,
			"stack refers to a method that is not defined: call mprof_writer_define_method() first");
	}
	return MPROF_OK;
}

static mprof_status check_code(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	const int is_location = record->kind == MPROF_RECORD_LOCATION;

	if (record->kind == MPROF_RECORD_MODULE)
		return MPROF_OK;
	if (!is_none_or_defined(counts, MPROF_RECORD_MODULE,
				is_location ? record->as.location.module : record->as.function.module))
		return refuse_undefined(writer, "function or location refers to a module that is not defined yet");
	if (is_location && !is_none_or_defined(counts, MPROF_RECORD_FUNCTION, record->as.location.function))
		return refuse_undefined(writer, "location refers to a function that is not defined yet");
	return MPROF_OK;
}

/* Checks the texts of a record. */
static mprof_status check_texts(mprof_writer *writer, const mprof_record *record)
{
	mprof_record copy = *record;
	const char **texts[] = {record_second_text(&copy), record_third_text(&copy), record_name(&copy)};
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && status == MPROF_OK; i++) {
		if (texts[i] != NULL)
			status = writer_check_text(writer, *texts[i]);
	}
	return status;
}

static mprof_status check_type(mprof_writer *writer, const definition_counts *counts, const mprof_type_record *type)
{
	const uint32_t arguments = counts->defined[MPROF_RECORD_ARGUMENT];

	if (type->argument_count > MPROF_TYPE_MAX_ARGUMENTS)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a type has more than 255 arguments");
	if (type->argument_count > 0 && (type->first_argument == 0 || type->first_argument > arguments ||
					 type->argument_count - 1 > arguments - type->first_argument))
		return refuse_undefined(writer, "type has an argument that is not defined yet");
	if (!is_none_or_defined(counts, MPROF_RECORD_TEXT, type->category))
		return refuse_undefined(writer,
					"type refers to a text that is not defined: write its TEXTS block first");
	if (!is_none_or_defined(counts, MPROF_RECORD_TYPE, type->pair))
		return refuse_undefined(writer, "type refers to a type that is not defined yet");
	return MPROF_OK;
}

/* Whether everything that a later version may define is 0. */
static int is_known_record(const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		return record->as.stack.is_native <= 1 && record->as.stack.is_compiling <= 1 &&
		       record->as.stack.reserved == 0;
	case MPROF_RECORD_MODULE:
		return record->as.module.reserved == 0;
	case MPROF_RECORD_FUNCTION:
		return record->as.function.reserved == 0;
	case MPROF_RECORD_METRIC:
		return record->as.metric.reserved == 0 && (record->as.metric.flags & ~RECORD_METRIC_FLAGS) == 0;
	case MPROF_RECORD_METRIC_VALUE:
		return record->as.metric_value.reserved == 0;
	case MPROF_RECORD_FIELD:
		return record->as.field.reserved == 0;
	case MPROF_RECORD_TYPE:
		return record->as.type.reserved == 0;
	case MPROF_RECORD_CLOCK:
		return record->as.clock.reserved == 0;
	case MPROF_RECORD_TIMELINE:
		return (record->as.timeline.flags & ~RECORD_TIMELINE_FLAGS) == 0;
	case MPROF_RECORD_POSITION:
		return record->as.position.is_native <= 1 && record->as.position.is_inlined <= 1;
	case MPROF_RECORD_CODE_RANGE:
		return record->as.code_range.reserved == 0;
	case MPROF_RECORD_CODE_LINE:
		return record->as.code_line.reserved == 0;
	case MPROF_RECORD_OBJECT_FLAGS:
		return (record->id & ~(uint32_t)MPROF_OBJECT_FLAG_SYNTHETIC) == 0;
	case MPROF_RECORD_REFERENCE_NAME:
		return record->as.reference_name.reserved == 0;
	default:
		return 1;
	}
}

/* Checks a record of a block of a heap snapshot. Whether the snapshot has the object is known only to readers. */
static mprof_status check_heap_note(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_OBJECT_FLAGS)
		return record->id != 0 ? MPROF_OK
				       : writer_refuse(writer, MPROF_ERR_ARGUMENT, "the flags of an object are 0");
	if (record->kind == MPROF_RECORD_LABEL && record->id != 0 && record_get_name(record) != NULL &&
	    record_get_name(record)[0] != '\0')
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a label has both a text and the ID of one");
	if (record->kind == MPROF_RECORD_REFERENCE_NAME &&
	    (record->id == 0 || record->as.reference_name.index == UINT32_MAX))
		return writer_refuse(writer, MPROF_ERR_ARGUMENT,
				     "the name of a reference has no text, or its index is 2^32 - 1");
	if (!is_none_or_defined(counts, MPROF_RECORD_TEXT, record->id))
		return refuse_undefined(writer, "a text is not defined: write its TEXTS block first");
	return MPROF_OK;
}

/* Checks the clock that a record refers to. */
static mprof_status check_clock(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_CLOCK_PAIR)
		return record_is_defined(counts, MPROF_RECORD_CLOCK, record->id)
			       ? MPROF_OK
			       : refuse_undefined(writer, "value of a clock that is not defined yet");
	if (!is_none_or_defined(counts, MPROF_RECORD_CLOCK, record->as.timeline.clock))
		return refuse_undefined(writer,
					"timeline refers to a clock that is not defined: write its CLOCKS block first");
	return MPROF_OK;
}

/* Whether the log can represent all fields of a metric, or of a value of one. */
static mprof_status check_metric(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_METRIC_VALUE && !record_is_defined(counts, MPROF_RECORD_METRIC, record->id))
		return refuse_undefined(writer, "value of a metric that is not defined yet");
	if (record_needs_sized_metrics(record) && !has_sized_metrics(writer))
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED,
				     "the log cannot represent a named unit, a histogram or the time of a value: "
				     "declare directive 38");
	return MPROF_OK;
}

/* Checks what a record of a CODE_RANGES block refers to. */
static mprof_status check_code_range(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	if (record->kind != MPROF_RECORD_CODE_RANGE) {
		if (!record_is_defined(counts, MPROF_RECORD_CODE_RANGE, record->id))
			return refuse_undefined(writer, "line or end of a range of code that is not defined yet");
		return record->kind == MPROF_RECORD_CODE_END ||
				       record_is_defined(counts, MPROF_RECORD_POSITION, record->as.code_line.position)
			       ? MPROF_OK
			       : refuse_undefined(writer, "range of code has a position that is not defined: write its "
							  "POSITIONS block first");
	}
	if (record->as.code_range.method != 0 && !is_known(writer, &writer->method_ids, record->as.code_range.method))
		return refuse_undefined(
			writer,
			"range of code has a method that is not defined: call mprof_writer_define_method() first");
	if (!is_none_or_defined(counts, MPROF_RECORD_MODULE, record->as.code_range.module))
		return refuse_undefined(writer,
					"range of code is in a module that is not defined: write its CODE block first");
	return MPROF_OK;
}

/* Checks the references and the names of a record. */
static mprof_status check_fields(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	mprof_status status = MPROF_OK;

	if (!is_known_record(record))
		return writer_refuse(writer, MPROF_ERR_ARGUMENT,
				     "a reserved field of a record is not 0, or one of its flags is not known");
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		return check_stack(writer, counts, record);
	case MPROF_RECORD_MODULE:
	case MPROF_RECORD_FUNCTION:
	case MPROF_RECORD_LOCATION:
		status = check_code(writer, counts, record);
		break;
	case MPROF_RECORD_ROOT:
		if (record->as.root.class_id != 0 && !is_known(writer, &writer->class_ids, record->as.root.class_id))
			return refuse_undefined(
				writer,
				"root refers to a class that is not defined: call mprof_writer_define_class() first");
		break;
	case MPROF_RECORD_METRIC_VALUE:
	case MPROF_RECORD_METRIC:
		status = check_metric(writer, counts, record);
		break;
	case MPROF_RECORD_SUMMARY:
		if (!is_known(writer, &writer->class_ids, record->id))
			return refuse_undefined(writer, "summary refers to a class that is not defined: call "
							"mprof_writer_define_class() first");
		break;
	case MPROF_RECORD_FIELD:
		if (!is_known(writer, &writer->class_ids, record->id) ||
		    (record->as.field.class_id != 0 &&
		     !is_known(writer, &writer->class_ids, record->as.field.class_id)))
			return refuse_undefined(writer, "field refers to a class that is not defined: call "
							"mprof_writer_define_class() first");
		break;
	case MPROF_RECORD_ARGUMENT:
		if (!record_encoding_fits(record->as.argument.kind, record->as.argument.encoding))
			return writer_refuse(writer, MPROF_ERR_ARGUMENT,
					     "an argument has an encoding that its kind has not");
		break;
	case MPROF_RECORD_TYPE:
		status = check_type(writer, counts, &record->as.type);
		break;
	case MPROF_RECORD_TIMELINE:
	case MPROF_RECORD_CLOCK_PAIR:
		status = check_clock(writer, counts, record);
		break;
	case MPROF_RECORD_POSITION:
		return check_position(writer, counts, &record->as.position);
	default:
		if (record_is_heap_note(record->kind))
			status = check_heap_note(writer, counts, record);
		else if (record_is_of_code_ranges(record->kind))
			status = check_code_range(writer, counts, record);
		break;
	}
	return status == MPROF_OK ? check_texts(writer, record) : status;
}

/* Counts a definition, whose ID must be the next one. */
static mprof_status count_definition(mprof_writer *writer, definition_counts *counts, const mprof_record *record)
{
	uint32_t *defined = &counts->defined[record->kind];

	if (record->id == 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the ID of a definition is 0: IDs start from 1");
	if (record->id <= *defined)
		return writer_refuse(writer, MPROF_ERR_REDEFINED_ID,
				     "the ID is defined already: IDs of a kind must increase by 1");
	if (record->id - 1 != *defined)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT,
				     "the ID leaves a gap: IDs of a kind must increase by 1");
	++*defined;
	return MPROF_OK;
}

/* Stores the type of a metric's values, which determines their encoding. */
static mprof_status note_metric(mprof_writer *writer, const mprof_record *record)
{
	uint32_t is_double = record->as.metric.flags & MPROF_METRIC_FLAG_DOUBLE;

	if (id_map_get(&writer->double_metrics, record->id) != is_double &&
	    !id_map_put(&writer->double_metrics, record->id, is_double))
		return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for a definition");
	return MPROF_OK;
}

static int has_kind(mprof_block_kind block_kind, uint32_t record_kind)
{
	for (uint32_t list = 0; record_list_kind(block_kind, list) != 0; list++) {
		if (record_list_kind(block_kind, list) == record_kind)
			return 1;
	}
	return 0;
}

/*
 * Records of a list may refer to those of the lists before it, so the lists are checked in the order in which they are
 * written.
 */
static mprof_status check_records(mprof_writer *writer, definition_counts *counts, mprof_block_kind kind,
				  const mprof_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!has_kind(kind, records[i].kind))
			return writer_refuse(writer, MPROF_ERR_ARGUMENT,
					     "a block of this kind cannot contain a record of that kind");
	}
	for (uint32_t list = 0; record_list_kind(kind, list) != 0; list++) {
		for (size_t i = 0; i < count; i++) {
			mprof_status status = MPROF_OK;

			if (records[i].kind != record_list_kind(kind, list))
				continue;
			if (record_is_definition(records[i].kind))
				status = count_definition(writer, counts, &records[i]);
			if (status == MPROF_OK && records[i].kind == MPROF_RECORD_METRIC)
				status = note_metric(writer, &records[i]);
			if (status == MPROF_OK)
				status = check_fields(writer, counts, &records[i]);
			if (status != MPROF_OK)
				return status;
		}
	}
	return MPROF_OK;
}

static mprof_status check_call(mprof_writer *writer, mprof_block_kind kind, uint32_t number)
{
	if (!block_has_records(kind))
		return writer_refuse(
			writer, MPROF_ERR_ARGUMENT,
			"only STACKS, CODE, ROOTS, METRICS, FIELDS, TYPES, TEXTS, CLOCKS, TIMELINES, PROCESSES, "
			"CLOCK_PAIRS, POSITIONS, CODE_RANGES, HEAP_SUMMARY, OBJECT_LABELS and REFERENCE_NAMES blocks "
			"contain records");
	if (block_has_heap_notes(kind))
		return number != 0 ? MPROF_OK
				   : writer_refuse(writer, MPROF_ERR_ARGUMENT, "the number of a heap snapshot is 0");
	if (number != 0 && kind != MPROF_BLOCK_HEAP_SUMMARY)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "blocks of this kind have no number: pass 0");
	return MPROF_OK;
}

static mprof_status put_records_block(mprof_writer *writer, mprof_block_kind kind, uint32_t number,
				      const mprof_record *records, size_t count)
{
	record_encoding encoding = {.double_metrics = &writer->double_metrics,
				    .first_stack = writer->defined[MPROF_RECORD_STACK] + 1,
				    .has_sized_metrics = has_sized_metrics(writer)};
	mprof_clock clock;

	writer_read_clock(writer, &clock);
	encoding.counter = clock.counter;
	block_encode_records_start(&writer->block, &writer->encoding, kind, &clock,
				   writer_collection_number(writer, number));
	records_encode(&writer->block, kind, &encoding, records, count);
	block_encode_records_end(&writer->block, &clock);
	return writer_put_block(writer);
}

/*
 * Records that only other blocks use are not a loss by themselves. Dialects without these blocks represent them in
 * other blocks as far as possible; otherwise the events that use them are counted as shortened.
 */
static int is_used_by_other_blocks(mprof_block_kind kind)
{
	return kind == MPROF_BLOCK_STACKS || kind == MPROF_BLOCK_CODE;
}

/* Stores definitions for the blocks that will use them. */
static mprof_status keep_records(mprof_writer *writer, const mprof_record *records, size_t count)
{
	for (size_t i = 0; writer->encoding.rules->has_inline_definitions && i < count; i++) {
		mprof_record record = records[i];

		record_complete(&record);
		if (definition_table_add(&writer->code, &record) != MPROF_OK)
			return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for a definition");
	}
	return MPROF_OK;
}

/* Stores how events of the types are encoded, for columns. Types refer to arguments of the same block. */
static void note_shapes(mprof_writer *writer, const mprof_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (records[i].kind == MPROF_RECORD_ARGUMENT)
			type_shapes_add_argument(&writer->shapes, records[i].id, records[i].as.argument.encoding);
	}
	for (size_t i = 0; i < count; i++) {
		if (records[i].kind == MPROF_RECORD_TYPE)
			type_shapes_add_type(&writer->shapes, records[i].id, records[i].as.type.first_argument,
					     records[i].as.type.argument_count);
	}
}

static mprof_status write_records(mprof_writer *writer, mprof_block_kind kind, uint32_t number,
				  const mprof_record *records, size_t count)
{
	definition_counts counts;
	mprof_status status;

	memcpy(counts.defined, writer->defined, sizeof(counts.defined));
	status = check_records(writer, &counts, kind, records, count);
	if (status == MPROF_OK && !writer_has_block(writer, kind)) {
		status = keep_records(writer, records, count);
	} else {
		if (status == MPROF_OK)
			status = writer_put_definitions(writer);
		if (status == MPROF_OK)
			status = put_records_block(writer, kind, number, records, count);
	}
	if (status == MPROF_OK) {
		memcpy(writer->defined, counts.defined, sizeof(counts.defined));
		note_shapes(writer, records, count);
	}
	return status;
}

mprof_status mprof_writer_write_records(mprof_writer *writer, uint32_t kind, uint32_t number,
					const mprof_record *records, size_t record_size, size_t count)
{
	element_list list;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = check_call(writer, kind, number);
	if (status != MPROF_OK)
		return status;
	status = element_list_convert(&list, &writer->allocator, records, record_size, count,
				      SIZE_UP_TO(mprof_record, as), sizeof(mprof_record));
	if (status != MPROF_OK)
		status = writer_refuse_elements(writer, status);
	else if (!writer_has_block(writer, kind) && kind == MPROF_BLOCK_POSITIONS)
		/* No loss by itself: without directive 33 no frame can have a position. */
		status = MPROF_OK;
	else if (!writer_has_block(writer, kind) && !is_used_by_other_blocks(kind))
		status = writer_leave_out(writer, kind, "the dialect has no block of this kind");
	else
		status = write_records(writer, kind, number, list.elements, count);
	element_list_release(&list, &writer->allocator);
	return status;
}
