/* SPDX-License-Identifier: MIT */
/* Collects definitions of classes and methods, and writes them before the first block that may use them. */
#include "base/options.h"
#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

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
