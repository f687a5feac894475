/* SPDX-License-Identifier: MIT */
/*
 * Writes blocks without events: code units, properties, thread names, losses, markers and watermarks. Collects
 * definitions of classes and methods, and writes them before the first block that may use them.
 */
#include "base/elements.h"
#include "base/options.h"
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
