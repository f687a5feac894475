/* SPDX-License-Identifier: MIT */
/*
 * Writes blocks without events: code units, properties, thread names, losses, markers and watermarks; and records:
 * call stacks, native code, roots, metrics and summaries. Collects definitions of classes and methods, and writes them
 * before the first block that may use them.
 */
#include "base/caller_structs.h"
#include "format/blocks/records.h"
#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <string.h>

#define ELEMENT_TYPES (MPROF_ELEMENT_MODULE | MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_DOMAIN)
#define ELEMENT_RESULTS (MPROF_ELEMENT_FLAG_SUCCESS | MPROF_ELEMENT_FLAG_FAILURE)

/* Copies the caller's structs, which may have the sizes of another version of the library. */
static mprof_status copy_element(mprof_writer *writer, const mprof_element *input, mprof_element *element,
				 mprof_assembly_name *assembly)
{
	if (input == NULL)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the code unit is NULL");
	if (struct_copy_in(element, input, sizeof(*element)) != MPROF_OK)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "struct_size of the code unit is invalid");
	if (element->assembly == NULL)
		return MPROF_OK;
	if (struct_copy_in(assembly, element->assembly, sizeof(*assembly)) != MPROF_OK)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "struct_size of the assembly name is invalid");
	element->assembly = assembly;
	return MPROF_OK;
}

static mprof_status check_element(mprof_writer *writer, const mprof_element *element)
{
	const mprof_assembly_name *assembly;
	uint32_t type;
	mprof_status status;

	type = element->kind & ELEMENT_TYPES;
	if (type == 0 || (type & (type - 1)) != 0 || (element->kind & ~(ELEMENT_TYPES | ELEMENT_RESULTS)) != 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the kind of a code unit must have exactly one type");
	if ((element->kind & ELEMENT_RESULTS) == ELEMENT_RESULTS)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT,
				     "a code unit has both the success and the failure flag");
	status = writer_check_name(writer, element->name, element->name_length);
	assembly = element->assembly;
	if (status != MPROF_OK || assembly == NULL)
		return status;
	if (assembly->retargetable > 1 || assembly->reserved != 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT,
				     "mprof_assembly_name::retargetable is not 0 or 1, or a reserved field is not 0");
	status = writer_check_text(writer, assembly->base_name);
	if (status == MPROF_OK)
		status = writer_check_text(writer, assembly->culture);
	if (status == MPROF_OK)
		status = writer_check_text(writer, assembly->public_key_token);
	return status;
}

static mprof_status put_element(mprof_writer *writer, const mprof_element *element, mprof_block_kind kind)
{
	mprof_element copy;
	mprof_assembly_name assembly;
	int is_whole;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = copy_element(writer, element, &copy, &assembly);
	if (status == MPROF_OK)
		status = check_element(writer, &copy);
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	/* Without a result flag the code unit exists, so it was loaded successfully. */
	if ((copy.kind & ELEMENT_RESULTS) == 0)
		copy.kind |= MPROF_ELEMENT_FLAG_SUCCESS;
	is_whole = block_encode_element(&writer->block, &writer->encoding, &copy, kind);
	status = writer_put_block(writer);
	if (status == MPROF_OK && !is_whole)
		writer_shorten_block(writer, kind);
	return status;
}

mprof_status mprof_writer_write_loaded(mprof_writer *writer, const mprof_element *element)
{
	return put_element(writer, element, MPROF_BLOCK_LOADED);
}

mprof_status mprof_writer_write_unloaded(mprof_writer *writer, const mprof_element *element)
{
	return put_element(writer, element, MPROF_BLOCK_UNLOADED);
}

int writer_has_block(const mprof_writer *writer, mprof_block_kind kind)
{
	return dialect_block_code(writer->encoding.rules, kind) != 0;
}

static mprof_status check_properties(mprof_writer *writer, const mprof_property *properties, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_status status;

		if (properties[i].key == NULL || properties[i].key[0] == 0 || properties[i].value == NULL)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT,
					     "the key of a property is NULL or empty, or its value is NULL");
		status = writer_check_text(writer, properties[i].key);
		if (status == MPROF_OK)
			status = writer_check_text(writer, properties[i].value);
		if (status != MPROF_OK)
			return status;
	}
	return MPROF_OK;
}

static mprof_status put_session(mprof_writer *writer, const mprof_property *properties, size_t count)
{
	mprof_clock clock;
	mprof_status status = check_properties(writer, properties, count);

	if (status == MPROF_OK && !writer_has_block(writer, MPROF_BLOCK_SESSION))
		return writer_leave_out(writer, MPROF_BLOCK_SESSION, "the dialect has no SESSION block");
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_session(&writer->block, &writer->encoding, &clock, properties, count);
	return writer_put_block(writer);
}

mprof_status mprof_writer_write_session(mprof_writer *writer, const mprof_property *properties, size_t property_size,
					size_t count)
{
	element_list list;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	status = element_list_convert(&list, &writer->allocator, properties, property_size, count,
				      SIZE_UP_TO(mprof_property, value), sizeof(mprof_property));
	if (status == MPROF_OK)
		status = put_session(writer, list.elements, count);
	else
		status = writer_refuse_elements(writer, status);
	element_list_release(&list, &writer->allocator);
	return status;
}

mprof_status mprof_writer_write_thread_name(mprof_writer *writer, uint64_t thread, const char *name, size_t name_length)
{
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_check_name(writer, name, name_length);
	if (status == MPROF_OK && !writer_has_block(writer, MPROF_BLOCK_THREAD))
		return writer_leave_out(writer, MPROF_BLOCK_THREAD, "the dialect has no THREAD block");
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_thread(&writer->block, &writer->encoding, &clock, thread, name, name_length);
	return writer_put_block(writer);
}

mprof_status mprof_writer_write_losses(mprof_writer *writer, uint64_t thread, const uint64_t *counts, size_t count)
{
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK && counts == NULL && count > 0)
		status = writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of counts is NULL");
	if (status == MPROF_OK && !writer_has_block(writer, MPROF_BLOCK_LOST))
		return writer_leave_out(writer, MPROF_BLOCK_LOST, "the dialect has no LOST block");
	if (status != MPROF_OK)
		return status;
	status = writer_put_definitions(writer);
	/* Losses are written even if the definitions exceed the size limit. */
	if (status != MPROF_OK && !writer->is_full)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_lost(&writer->block, &writer->encoding, &clock, thread, counts, count);
	return writer_put_last_block(writer);
}

mprof_status mprof_writer_write_mark(mprof_writer *writer, uint64_t thread, uint64_t counter, const char *text,
				     size_t text_length)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_check_name(writer, text, text_length);
	if (status == MPROF_OK && !writer_has_block(writer, MPROF_BLOCK_MARK))
		return writer_leave_out(writer, MPROF_BLOCK_MARK, "the dialect has no MARK block");
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	block_encode_mark(&writer->block, &writer->encoding, counter, thread, text, text_length);
	return writer_put_block(writer);
}

static mprof_status check_application(mprof_writer *writer, const mprof_application_block *application)
{
	if (application->name == NULL || application->name_length == 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the application has no name");
	if (application->bytes == NULL && application->size > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the data is NULL");
	if ((application->flags & ~BLOCK_APPLICATION_FLAGS) != 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the flags have unknown bits");
	if (application->size > MPROF_APPLICATION_MAX_SIZE)
		return writer_refuse(writer, MPROF_ERR_LIMIT, "the data of the application is too long");
	return writer_check_name(writer, application->name, application->name_length);
}

mprof_status mprof_writer_write_application(mprof_writer *writer, const char *name, size_t name_length, uint32_t kind,
					    uint32_t flags, const void *bytes, size_t size)
{
	const mprof_application_block application = {name, name_length, bytes, size, kind, flags};
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);
	mprof_clock clock;

	if (status == MPROF_OK)
		status = check_application(writer, &application);
	if (status == MPROF_OK && !writer_has_block(writer, MPROF_BLOCK_APPLICATION))
		return writer_leave_out(writer, MPROF_BLOCK_APPLICATION, "the dialect has no APPLICATION block");
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_application(&writer->block, &writer->encoding, &clock, &application);
	return writer_put_block(writer);
}

mprof_status mprof_writer_write_watermark(mprof_writer *writer, uint64_t counter)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK && !writer_has_block(writer, MPROF_BLOCK_WATERMARK))
		return writer_leave_out(writer, MPROF_BLOCK_WATERMARK, "the dialect has no WATERMARK block");
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	block_encode_watermark(&writer->block, &writer->encoding, counter);
	return writer_put_block(writer);
}

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
	mprof_class_definition copy;
	size_t old_length;
	int is_whole;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	if (definition == NULL || struct_copy_in(&copy, definition, sizeof(copy)) != MPROF_OK)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the class is NULL, or its struct_size is invalid");
	definition = &copy;
	if (copy.id == 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the ID of the class is 0");
	if (copy.reserved != 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a reserved field of the class is not 0");
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
	mprof_method_definition copy;
	size_t old_length;
	int is_whole;
	block_source source = {0, 0};
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	if (definition == NULL || struct_copy_in(&copy, definition, sizeof(copy)) != MPROF_OK)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the method is NULL, or its struct_size is invalid");
	definition = &copy;
	if (copy.id == 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the ID of the method is 0");
	if (copy.reserved != 0 || copy.reserved_line != 0 || (copy.flags & ~BLOCK_METHOD_FLAGS) != 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT,
				     "a reserved field of the method is not 0, or one of its flags is not known");
	if (definition->class_id != 0 && !writer->events.checker.defined.any &&
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

/* Checks and writes blocks of records: call stacks, native code, roots, metrics and summaries. */

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

/* Checks a record that describes what is not in its block. */
static mprof_status check_note(mprof_writer *writer, const definition_counts *counts, const mprof_record *record)
{
	if (record_is_heap_note(record->kind))
		return check_heap_note(writer, counts, record);
	if (record_is_of_code_ranges(record->kind))
		return check_code_range(writer, counts, record);
	if ((record->kind == MPROF_RECORD_MEMORY_SEARCH || record->kind == MPROF_RECORD_MEMORY_BLOCK) &&
	    record->id == 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a record of reachable memory has the ID 0");
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
		status = check_note(writer, counts, record);
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
			"CLOCK_PAIRS, POSITIONS, CODE_RANGES, HEAP_SUMMARY, OBJECT_LABELS, REFERENCE_NAMES and "
			"REACHABILITY blocks contain records");
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
