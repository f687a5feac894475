/* SPDX-License-Identifier: MIT */
/* Encodes each kind of block, and numbers the source files of methods. */
#include "format/blocks/block_encode.h"

#include "base/allocator.h"
#include "base/checksum.h"
#include "format/blocks/records.h"
#include "format/values/dialect.h"

#include <string.h>

static int directive_declared(const block_encoding *encoding, mprof_directive directive)
{
	return (encoding->directives & MPROF_DIRECTIVE_BIT(directive)) != 0;
}

void block_encode_begin_code(encode_buffer *buffer, const block_encoding *encoding, uint32_t code)
{
	size_t header_length = encoding->rules->header_length;

	encode_buffer_clear(buffer);
	if (!encode_buffer_reserve(buffer, header_length))
		return;
	memset(buffer->bytes, 0, header_length);
	bytes_store_16(buffer->bytes, (uint16_t)code);
	buffer->length = header_length;
}

void block_encode_begin(encode_buffer *buffer, const block_encoding *encoding, mprof_block_kind kind)
{
	block_encode_begin_code(buffer, encoding, dialect_block_code(encoding->rules, kind));
}

mprof_status block_encode_end(encode_buffer *buffer, const block_encoding *encoding)
{
	size_t header_length = encoding->rules->header_length;
	size_t checksum_length = encoding->rules->checksum_length;

	if (!encode_buffer_reserve(buffer, checksum_length))
		return buffer->status;
	bytes_store_32(buffer->bytes + 2, (uint32_t)(buffer->length - header_length + checksum_length));
	if (block_header_has_delta(encoding->rules))
		bytes_store_32(buffer->bytes + 6, encoding->counter_delta);
	if (checksum_length > 0) {
		bytes_store_32(buffer->bytes + buffer->length, checksum_update(0, buffer->bytes, buffer->length));
		buffer->length += checksum_length;
	}
	return MPROF_OK;
}

void block_encode_intro(encode_buffer *buffer, const block_encoding *encoding, const char *runtime, uint64_t flags,
			const mprof_clock *clock)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_INTRO);
	encode_varint(buffer, encoding->rules->version);
	encode_string(buffer, runtime, strlen(runtime));
	encode_varint(buffer, flags);
	encode_clock(buffer, clock);
}

void block_encode_end_of_log(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			     uint64_t index_distance)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_END);
	encode_varint(buffer, encoding->rules->version);
	encode_clock(buffer, clock);
	if (index_distance != 0)
		encode_varint(buffer, index_distance);
}

void block_encode_index(encode_buffer *buffer, const block_encoding *encoding, uint64_t previous_distance,
			uint64_t count, const encode_buffer *items)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_INDEX);
	encode_varint(buffer, previous_distance);
	encode_varint(buffer, count);
	encode_bytes(buffer, items->bytes, items->length);
}

static void encode_directive(encode_buffer *buffer, const dialect_rules *rules, mprof_directive directive)
{
	const directive_row *row = directive_find(directive);
	const uint64_t kinds = row != NULL ? row->blocks : 0;

	if (!rules->directives_name_blocks) {
		encode_varint(buffer, directive);
		return;
	}
	if (kinds == 0) {
		encode_varint(buffer, directive);
		encode_varint(buffer, 0);
	}
	for (uint32_t code = 1; code <= UINT8_MAX; code++) {
		/* The code of EVENTS stands for its other one, too. */
		if (code == rules->column_code || (kinds & MPROF_BLOCK_BIT(dialect_block_kind(rules, code))) == 0)
			continue;
		encode_varint(buffer, directive);
		encode_varint(buffer, code);
	}
}

void block_encode_directives(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			     const mprof_clock *end)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_DIRECTIVES);
	encode_clock(buffer, start);
	for (uint32_t directive = 1; directive < 64; directive++) {
		if (directive_declared(encoding, (mprof_directive)directive))
			encode_directive(buffer, encoding->rules, (mprof_directive)directive);
	}
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}

static void encode_block_text(encode_buffer *buffer, const char *text)
{
	if (text == NULL)
		text = "";
	encode_string(buffer, text, strlen(text));
}

static void encode_assembly_name(encode_buffer *buffer, const dialect_rules *rules, const mprof_assembly_name *name)
{
	static const mprof_assembly_name unknown = {sizeof(mprof_assembly_name), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0};
	/* Mono's writer stored these values for an assembly without a name. */
	static const mprof_assembly_name unknown_to_mono = {
		sizeof(mprof_assembly_name), "UNKNOWN", "neutral", "null", 0, 0, 0, 0, 0, 0};

	if (name == NULL)
		name = rules->names_unknown_assembly ? &unknown_to_mono : &unknown;
	encode_block_text(buffer, name->base_name);
	encode_varint(buffer, name->major);
	encode_varint(buffer, name->minor);
	encode_varint(buffer, name->build);
	encode_varint(buffer, name->revision);
	encode_block_text(buffer, name->culture);
	encode_block_text(buffer, name->public_key_token);
	encode_varint(buffer, name->retargetable);
}

int block_encode_element(encode_buffer *buffer, const block_encoding *encoding, const mprof_element *element,
			 mprof_block_kind kind)
{
	const uint32_t type = element->kind & (MPROF_ELEMENT_MODULE | MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_DOMAIN);
	const int can_have_assembly = kind == MPROF_BLOCK_LOADED && type == MPROF_ELEMENT_ASSEMBLY;
	const int has_id = directive_declared(encoding, MPROF_DIRECTIVE_ELEMENT_IDS);
	const int has_assembly = can_have_assembly && directive_declared(encoding, MPROF_DIRECTIVE_ASSEMBLY_IDS);

	block_encode_begin(buffer, encoding, kind);
	encode_byte(buffer, (uint8_t)(kind == MPROF_BLOCK_LOADED ? element->kind : type));
	encode_varint(buffer, element->start_counter);
	encode_varint(buffer, element->end_counter);
	encode_varint(buffer, element->thread);
	if (has_id)
		encode_varint(buffer, element->id);
	encode_string(buffer, element->name, element->name_length);
	if (has_assembly)
		encode_assembly_name(buffer, encoding->rules, element->assembly);
	return (has_id || element->id == 0) && (has_assembly || !can_have_assembly || element->assembly == NULL);
}

int block_encode_class(encode_buffer *buffer, const block_encoding *encoding, const mprof_class_definition *definition)
{
	const int has_assembly = directive_declared(encoding, MPROF_DIRECTIVE_ASSEMBLY_IDS);
	const int has_size = directive_declared(encoding, MPROF_DIRECTIVE_CLASS_SIZES);

	encode_varint(buffer, definition->id);
	if (has_assembly)
		encode_varint(buffer, definition->assembly_id);
	if (has_size)
		encode_varint(buffer, definition->size);
	encode_string(buffer, definition->name, definition->name_length);
	return (has_assembly || definition->assembly_id == 0) && (has_size || definition->size == 0);
}

int block_encode_method(encode_buffer *buffer, const block_encoding *encoding,
			const mprof_method_definition *definition, const block_source *source)
{
	const int has_flags = directive_declared(encoding, MPROF_DIRECTIVE_METHOD_FLAGS);
	const int has_source = directive_declared(encoding, MPROF_DIRECTIVE_SOURCE_LINES);

	encode_varint(buffer, definition->id);
	encode_varint(buffer, definition->class_id);
	if (has_flags)
		encode_varint(buffer, definition->flags);
	if (has_source) {
		encode_varint(buffer, (uint64_t)source->file << 1 | (source->is_new != 0));
		if (source->is_new)
			encode_string(buffer, definition->source_file, definition->source_file_length);
		if (source->file != 0)
			encode_varint(buffer, definition->source_line);
	}
	encode_string(buffer, definition->name, definition->name_length);
	return (has_flags || definition->flags == 0) && (has_source || definition->source_file_length == 0);
}

void block_encode_mapping(encode_buffer *buffer, const block_encoding *encoding, const encode_buffer *classes,
			  const encode_buffer *methods, const mprof_clock *start, const mprof_clock *end)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_MAPPING);
	encode_clock(buffer, start);
	encode_varint(buffer, 0);
	encode_bytes(buffer, classes->bytes, classes->length);
	encode_varint(buffer, 0);
	encode_bytes(buffer, methods->bytes, methods->length);
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}

static void encode_ids(encode_buffer *buffer, const uint32_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		encode_varint(buffer, ids[i]);
	encode_varint(buffer, 0);
}

void block_encode_statistical(encode_buffer *buffer, const block_encoding *encoding, uint64_t start_counter,
			      const uint32_t *methods, size_t method_count, const uint32_t *functions,
			      size_t function_count, uint64_t end_counter)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_STATISTICAL);
	encode_varint(buffer, start_counter);
	encode_ids(buffer, methods, method_count);
	encode_ids(buffer, functions, function_count);
	encode_varint(buffer, end_counter);
}

void block_encode_events_start(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			       uint64_t thread, uint64_t base_counter)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_EVENTS);
	if (encoding->has_columns && buffer->status == MPROF_OK)
		bytes_store_16(buffer->bytes, (uint16_t)encoding->rules->column_code);
	encode_clock(buffer, start);
	encode_varint(buffer, thread);
	encode_varint(buffer, base_counter);
}

void block_encode_events_end(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *end)
{
	/* The list ends with a BYTE of value 00, which is not an event code. */
	if (!encoding->has_columns)
		encode_byte(buffer, 0);
	encode_clock(buffer, end);
}

void block_encode_typed_start(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *start,
			      uint64_t thread, uint64_t base_counter)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_TYPED);
	encode_clock(buffer, start);
	encode_varint(buffer, thread);
	encode_varint(buffer, base_counter);
}

void block_encode_typed_end(encode_buffer *buffer, const mprof_clock *end)
{
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}

size_t block_encode_samples(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			    uint64_t thread, uint64_t base_counter, const mprof_event *samples, size_t count)
{
	uint64_t last_counter = base_counter;
	size_t skipped = 0;

	block_encode_begin(buffer, encoding, MPROF_BLOCK_SAMPLES);
	encode_clock(buffer, clock);
	encode_varint(buffer, thread);
	encode_varint(buffer, base_counter);
	for (size_t i = 0; i < count; i++) {
		/* A sample without a call stack cannot be written: stack ID 0 ends the list. */
		if (samples[i].value == 0) {
			skipped++;
			continue;
		}
		encode_varint(buffer, samples[i].value);
		encode_varint(buffer, samples[i].counter - last_counter);
		last_counter = samples[i].counter;
	}
	encode_varint(buffer, 0);
	encode_clock(buffer, clock);
	return skipped;
}

void block_encode_records_start(encode_buffer *buffer, const block_encoding *encoding, mprof_block_kind kind,
				const mprof_clock *start, uint32_t number)
{
	block_encode_begin(buffer, encoding, kind);
	encode_clock(buffer, start);
	if (kind == MPROF_BLOCK_HEAP_SUMMARY || block_has_heap_notes(kind))
		encode_varint(buffer, number);
}

void block_encode_records_end(encode_buffer *buffer, const mprof_clock *end)
{
	encode_clock(buffer, end);
}

void block_encode_session(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			  const mprof_property *properties, size_t count)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_SESSION);
	encode_clock(buffer, clock);
	for (size_t i = 0; i < count; i++) {
		encode_string(buffer, properties[i].key, strlen(properties[i].key));
		encode_string(buffer, properties[i].value, strlen(properties[i].value));
	}
	encode_byte(buffer, 0);
}

void block_encode_thread(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			 uint64_t thread, const char *name, size_t name_length)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_THREAD);
	encode_clock(buffer, clock);
	encode_varint(buffer, thread);
	encode_string(buffer, name, name_length);
}

void block_encode_lost(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock, uint64_t thread,
		       const uint64_t *counts, size_t count)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_LOST);
	encode_clock(buffer, clock);
	encode_varint(buffer, thread);
	for (size_t cause = 1; cause < count; cause++) {
		if (counts[cause] == 0)
			continue;
		encode_varint(buffer, cause);
		encode_varint(buffer, counts[cause]);
	}
	encode_varint(buffer, 0);
	encode_clock(buffer, clock);
}

void block_encode_mark(encode_buffer *buffer, const block_encoding *encoding, uint64_t counter, uint64_t thread,
		       const char *text, size_t text_length)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_MARK);
	encode_varint(buffer, counter);
	encode_varint(buffer, thread);
	encode_string(buffer, text, text_length);
}

void block_encode_application(encode_buffer *buffer, const block_encoding *encoding, const mprof_clock *clock,
			      const mprof_application_block *application)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_APPLICATION);
	encode_clock(buffer, clock);
	encode_string(buffer, application->name, application->name_length);
	encode_varint(buffer, application->kind);
	encode_varint(buffer, application->flags);
	encode_varint(buffer, application->size);
	if (application->size > 0)
		encode_bytes(buffer, application->bytes, application->size);
	encode_clock(buffer, clock);
}

void block_encode_watermark(encode_buffer *buffer, const block_encoding *encoding, uint64_t counter)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_WATERMARK);
	encode_varint(buffer, counter);
}

/*
 * Source files of methods.
 */

void source_files_init(source_files *files, const mprof_allocator *allocator)
{
	memset(files, 0, sizeof(*files));
	hash_map_init(&files->by_hash, allocator);
}

void source_files_destroy(source_files *files)
{
	const mprof_allocator *allocator = &files->by_hash.index.allocator;

	for (size_t i = 0; i < files->count; i++)
		allocator_release(allocator, files->files[i].path, files->files[i].length + 1);
	allocator_release(allocator, files->files, files->capacity * sizeof(*files->files));
	hash_map_destroy(&files->by_hash);
}

static uint64_t hash_path(const source_files *files, const char *path, size_t length)
{
	uint64_t hash = files->by_hash.index.seed;

	for (size_t i = 0; i < length; i++)
		hash = hash_mix(hash, (unsigned char)path[i]);
	return hash;
}

static uint32_t find_path(const source_files *files, uint32_t first, const char *path, size_t length)
{
	uint32_t number = first;

	while (number != 0) {
		const source_file *file = &files->files[number - 1];

		if (file->length == length && memcmp(file->path, path, length) == 0)
			return number;
		number = file->next;
	}
	return 0;
}

static uint32_t add_path(source_files *files, uint64_t hash, uint32_t next, const char *path, size_t length)
{
	const mprof_allocator *allocator = &files->by_hash.index.allocator;
	void *grown = files->files;
	char *copy;

	if (files->count == UINT32_MAX ||
	    !array_reserve(allocator, &grown, &files->capacity, files->count + 1, sizeof(*files->files)))
		return 0;
	files->files = grown;
	copy = allocator_allocate(allocator, length + 1);
	if (copy == NULL)
		return 0;
	if (!hash_map_put(&files->by_hash, hash, files->count + 1)) {
		allocator_release(allocator, copy, length + 1);
		return 0;
	}
	memcpy(copy, path, length);
	copy[length] = '\0';
	files->files[files->count++] = (source_file){copy, length, next};
	return (uint32_t)files->count;
}

uint32_t source_files_number(source_files *files, const char *path, size_t length, int *is_new)
{
	const uint64_t hash = hash_path(files, path, length);
	const uint64_t *first = hash_map_get(&files->by_hash, hash);
	const uint32_t newest = first != NULL ? (uint32_t)*first : 0;
	const uint32_t known = find_path(files, newest, path, length);

	*is_new = known == 0;
	return known != 0 ? known : add_path(files, hash, newest, path, length);
}

void source_files_undo_add(source_files *files)
{
	const source_file *file = &files->files[--files->count];
	const uint64_t hash = hash_path(files, file->path, file->length);

	if (file->next != 0)
		(void)hash_map_put(&files->by_hash, hash, file->next);
	else
		hash_map_remove(&files->by_hash, hash);
	allocator_release(&files->by_hash.index.allocator, file->path, file->length + 1);
}
