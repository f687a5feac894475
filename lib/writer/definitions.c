/* SPDX-License-Identifier: MIT */
/* Writes definitions and records. */
#include "base/elements.h"
#include "base/options.h"
#include "format/records.h"
#include "writer/errors.h"
#include "writer/heap.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <string.h>

void writer_drop_definitions(mprof_writer *writer)
{
	encode_buffer_clear(&writer->classes);
	encode_buffer_clear(&writer->methods);
}

mprof_status writer_put_definitions(mprof_writer *writer)
{
	mprof_clock clock;
	mprof_status status;

	if (writer->classes.length == 0 && writer->methods.length == 0)
		return MPROF_OK;
	writer_read_clock(writer, &clock);
	block_encode_mapping(&writer->block, &writer->encoding, &writer->classes, &writer->methods, &clock, &clock);
	status = writer_put_block(writer);
	/* The log is full: no more blocks that use the definitions will be written. */
	if (writer->is_full)
		writer_drop_definitions(writer);
	if (status != MPROF_OK)
		return status;
	writer_drop_definitions(writer);
	if (writer->definitions_shortened)
		writer_shorten_block(writer, MPROF_BLOCK_MAPPING);
	writer->definitions_shortened = 0;
	return MPROF_OK;
}

/* Writes the pending definitions if another one with names of this length would exceed WRITER_MAX_WAITING. */
static mprof_status write_if_full(mprof_writer *writer, size_t name_length)
{
	size_t waiting = writer->classes.length + writer->methods.length;

	if (waiting == 0 || (waiting < WRITER_MAX_WAITING && name_length < WRITER_MAX_WAITING - waiting))
		return MPROF_OK;
	return writer_put_definitions(writer);
}

static mprof_status discard_definition(mprof_writer *writer, encode_buffer *waiting, size_t old_length)
{
	encode_buffer_truncate(waiting, old_length);
	return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for a definition");
}

/* Keeps an encoded definition and its ID, or neither. */
static mprof_status keep_definition(mprof_writer *writer, encode_buffer *waiting, size_t old_length, id_set *ids,
				    uint32_t id)
{
	if (waiting->status == MPROF_OK && id_set_add(ids, id))
		return MPROF_OK;
	return discard_definition(writer, waiting, old_length);
}

/* Keeps a class, and the size of its objects for events that omit it. */
static mprof_status keep_class(mprof_writer *writer, size_t old_length, const mprof_class_definition *definition)
{
	int has_size = definition->size != 0 &&
		       (writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)) != 0;
	mprof_status status;

	if (has_size && !id_map_put(&writer->object_sizes, definition->id, definition->size))
		return discard_definition(writer, &writer->classes, old_length);
	status = keep_definition(writer, &writer->classes, old_length, &writer->class_ids, definition->id);
	if (has_size && status != MPROF_OK)
		(void)id_map_put(&writer->object_sizes, definition->id, 0);
	return status;
}

mprof_status mprof_writer_define_class(mprof_writer *writer, const mprof_class_definition *definition)
{
	mprof_class_definition own;
	size_t old_length;
	int is_whole;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	if (definition == NULL || struct_copy_in(&own, definition, sizeof(own)) != MPROF_OK)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the class is NULL, or its struct_size is invalid");
	definition = &own;
	if (own.id == 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the ID of the class is 0");
	if (id_set_has(&writer->class_ids, definition->id))
		return writer_refuse(writer, MPROF_ERR_REDEFINED_ID, "the ID of the class is defined already");
	status = writer_check_name(writer, definition->name, definition->name_length);
	if (status == MPROF_OK)
		status = write_if_full(writer, definition->name_length);
	if (status != MPROF_OK)
		return status;
	old_length = writer->classes.length;
	is_whole = block_encode_class(&writer->classes, &writer->encoding, definition);
	status = keep_class(writer, old_length, definition);
	writer->definitions_shortened |= status == MPROF_OK && !is_whole;
	return status;
}

static mprof_status check_source(mprof_writer *writer, const mprof_method_definition *definition)
{
	if (definition->source_file_length == 0)
		return MPROF_OK;
	if (definition->source_file == NULL)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the source file of the method is NULL");
	return writer_check_name(writer, definition->source_file, definition->source_file_length);
}

/* Finds the number of a method's source file, if the log has source files. */
static mprof_status find_source(mprof_writer *writer, const mprof_method_definition *definition, block_source *source)
{
	if (definition->source_file_length == 0 ||
	    (writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SOURCE_LINES)) == 0)
		return MPROF_OK;
	source->file = source_files_number(&writer->sources, definition->source_file, definition->source_file_length,
					   &source->is_new);
	return source->file != 0 ? MPROF_OK : writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for a definition");
}

mprof_status mprof_writer_define_method(mprof_writer *writer, const mprof_method_definition *definition)
{
	mprof_method_definition own;
	size_t old_length;
	int is_whole;
	block_source source = {0, 0};
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	if (definition == NULL || struct_copy_in(&own, definition, sizeof(own)) != MPROF_OK)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the method is NULL, or its struct_size is invalid");
	definition = &own;
	if (own.id == 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the ID of the method is 0");
	if (definition->class_id != 0 && !writer->events.defined.any &&
	    !id_set_has(&writer->class_ids, definition->class_id))
		return writer_refuse(writer, MPROF_ERR_UNDEFINED_ID,
				     "the class of the method is not defined: call mprof_writer_define_class() first");
	if (id_set_has(&writer->method_ids, definition->id))
		return writer_refuse(writer, MPROF_ERR_REDEFINED_ID, "the ID of the method is defined already");
	status = writer_check_name(writer, definition->name, definition->name_length);
	if (status == MPROF_OK)
		status = check_source(writer, definition);
	if (status == MPROF_OK)
		status = write_if_full(writer, definition->name_length + definition->source_file_length);
	if (status == MPROF_OK)
		status = find_source(writer, definition, &source);
	if (status != MPROF_OK)
		return status;
	old_length = writer->methods.length;
	is_whole = block_encode_method(&writer->methods, &writer->encoding, definition, &source);
	status = keep_definition(writer, &writer->methods, old_length, &writer->method_ids, definition->id);
	if (status != MPROF_OK && source.is_new)
		source_files_undo_add(&writer->sources);
	writer->definitions_shortened |= status == MPROF_OK && !is_whole;
	return status;
}

/* Number of definitions of each kind once the block is written. */
typedef struct definition_counts {
	uint32_t defined[MPROF_RECORD_METRIC + 1];
} definition_counts;

static mprof_status refuse_undefined(mprof_writer *writer, const char *what)
{
	return writer_refuse(writer, MPROF_ERR_UNDEFINED_ID, what);
}

static int is_known(const mprof_writer *writer, const id_set *ids, uint32_t id)
{
	return id_set_has(ids, id) || writer->events.defined.any;
}

static int record_is_defined(const definition_counts *counts, mprof_record_kind kind, uint32_t id)
{
	return id != 0 && id <= counts->defined[kind];
}

static int is_none_or_defined(const definition_counts *counts, mprof_record_kind kind, uint32_t id)
{
	return id <= counts->defined[kind];
}

static mprof_status check_stack(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	if (record->as.stack.caller >= record->id)
		return refuse_undefined(writer, "stack refers to a caller that is not defined yet");
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

/* Checks a text of a record. \p text is NULL if the kind of record has none. */
static mprof_status check_text(mprof_writer *writer, const char *const *text)
{
	return text != NULL ? writer_check_text(writer, *text) : MPROF_OK;
}

/* Checks the references and the names of a record. */
static mprof_status check_fields(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	mprof_status status = MPROF_OK;

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
		if (!record_is_defined(counts, MPROF_RECORD_METRIC, record->id))
			return refuse_undefined(writer, "value of a metric that is not defined yet");
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
	default:
		break;
	}
	if (status == MPROF_OK)
		status = check_text(writer, record_second_text((mprof_record *)record));
	if (status == MPROF_OK)
		status = check_text(writer, record_name((mprof_record *)record));
	return status;
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
			"only STACKS, CODE, ROOTS, METRICS, FIELDS and HEAP_SUMMARY blocks contain records");
	if (number != 0 && kind != MPROF_BLOCK_HEAP_SUMMARY)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "only HEAP_SUMMARY blocks have a number: pass 0");
	return MPROF_OK;
}

static mprof_status put_records_block(mprof_writer *writer, mprof_block_kind kind, uint32_t number,
				      const mprof_record *records, size_t count)
{
	mprof_clock clock;

	writer_read_clock(writer, &clock);
	block_encode_records_start(&writer->block, &writer->encoding, kind, &clock,
				   writer_collection_number(writer, number));
	records_encode(&writer->block, kind, writer->defined[MPROF_RECORD_STACK] + 1, &writer->double_metrics, records,
		       count);
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
	if (status == MPROF_OK)
		memcpy(writer->defined, counts.defined, sizeof(counts.defined));
	return status;
}

mprof_status mprof_writer_write_records(mprof_writer *writer, mprof_block_kind kind, uint32_t number,
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
	else if (!writer_has_block(writer, kind) && !is_used_by_other_blocks(kind))
		status = writer_leave_out(writer, kind, "the dialect has no block of this kind");
	else
		status = write_records(writer, kind, number, list.elements, count);
	element_list_release(&list, &writer->allocator);
	return status;
}
