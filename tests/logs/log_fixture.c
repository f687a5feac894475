/* SPDX-License-Identifier: MIT */
#include "log_fixture.h"

#include "format/blocks/records.h"

#include "base/bytes.h"
#include "base/checksum.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_LENGTH 6
#define BATCH 7

/* A thousand counters per microsecond, a hundred microseconds per call. */
static void fixture_clock(void *user, mprof_clock *clock)
{
	uint64_t *calls = user;

	++*calls;
	clock->counter = 5000000 + *calls * 100000;
	clock->time = UINT64_C(1200000000000000) + *calls * 100;
}

static void define_half(mprof_writer *writer, uint32_t half)
{
	char name[64];

	for (uint32_t id = half * 10 + 1; id <= half * 10 + 10; id++) {
		mprof_class_definition definition = {
			.struct_size = sizeof(mprof_class_definition), .id = id, .assembly_id = id % 3, .name = name};

		definition.name_length = (size_t)snprintf(name, sizeof(name), "Space.Class%u", (unsigned)id);
		cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
	}
	for (uint32_t id = half * 20 + 1; id <= half * 20 + 20; id++) {
		mprof_method_definition definition = {
			sizeof(mprof_method_definition), id, (id + 1) / 2, id % 2, 0, name, 0, NULL, 0, 0, 0};

		definition.name_length = (size_t)snprintf(name, sizeof(name), "Method%u (int)", (unsigned)id);
		cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_OK);
	}
}

/* All kinds that have a full code in mail. */
static const uint8_t full_kinds[] = {
	MPROF_EVENT_METHOD_JIT_START, MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_METHOD_FREED,
	MPROF_EVENT_CLASS_LOAD_START, MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_CLASS_UNLOAD_START,
	MPROF_EVENT_CLASS_UNLOAD_END, MPROF_EVENT_EXCEPTION,      MPROF_EVENT_THREAD_START,
	MPROF_EVENT_THREAD_END,       MPROF_EVENT_GC_START,       MPROF_EVENT_GC_END,
	MPROF_EVENT_GC_MARK_START,    MPROF_EVENT_GC_MARK_END,    MPROF_EVENT_GC_SWEEP_START,
	MPROF_EVENT_GC_SWEEP_END,     MPROF_EVENT_GC_RESIZE,
};

/* Mostly enter and leave with deltas of one to ten bytes, and occasionally the other kinds. */
static void write_events(mprof_writer *writer, uint32_t half, uint64_t directives, uint64_t base)
{
	uint32_t methods = half * 20 + 20;
	uint64_t counter = base;

	cr_assert_eq(mprof_writer_begin_events(writer, 0x7f0012345740, base), MPROF_OK);
	for (uint32_t i = 0; i < FIXTURE_BLOCK_EVENTS; i++) {
		mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					     .object = UINT64_C(0x7f0000001000) + i,
					     .caller = i % methods + 1};
		mprof_event event;

		memset(&event, 0, sizeof(event));
		event.kind = i % 4 < 2 ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE;
		event.id = 1 + (i * 7) % methods;
		if (i % 10 == 9) {
			event.kind = full_kinds[i / 10 % sizeof(full_kinds)];
			event.id = 1 + i % 10;
			event.flags = i % 20 == 9 && (event.kind == MPROF_EVENT_METHOD_JIT_END ||
						      event.kind == MPROF_EVENT_CLASS_LOAD_END);
			event.value = UINT64_C(1) << i % 64;
		} else if (i % 10 == 5) {
			event.kind = MPROF_EVENT_ALLOCATION;
			event.id = 1 + i % 10;
			event.value = i * 1000;
			event.more.detail = (directives & FIXTURE_ALL_DIRECTIVES) != 0 ? &detail : NULL;
		} else if (i % 50 == 3 && (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)) != 0) {
			event.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
			event.id = 0;
		}
		if (event.kind != MPROF_EVENT_ALLOCATION)
			counter += i == 100 ? (uint64_t)-50 : UINT64_C(1) << i % 23;
		event.counter = counter;
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static void write_elements(mprof_writer *writer)
{
	const mprof_assembly_name assembly = {
		sizeof(mprof_assembly_name), "corlib", "neutral", "null", 1, 2, 3, 4, 1, 0};
	mprof_element element = {
		sizeof(mprof_element), MPROF_ELEMENT_DOMAIN | MPROF_ELEMENT_FLAG_SUCCESS, 1, 10, 20, 99, "1", 1, NULL};

	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	element.kind = MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_FAILURE;
	element.id = 2;
	element.name = "corlib, Version=1.2.3.4";
	element.name_length = strlen(element.name);
	element.assembly = &assembly;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	element.kind = MPROF_ELEMENT_ASSEMBLY;
	cr_assert_eq(mprof_writer_write_unloaded(writer, &element), MPROF_OK);
}

/* The blocks that only mprof2 has. */
static void write_additions(mprof_writer *writer)
{
	const mprof_property properties[] = {{"program", "/bin/true"}, {"pid", "12"}, {"options", ""}};
	const uint64_t losses[] = {0, 5, 0, 2};

	cr_assert_eq(mprof_writer_write_session(writer, properties, sizeof(*properties), 3), MPROF_OK);
	cr_assert_eq(mprof_writer_write_thread_name(writer, 0x7f0012345740, "main", 4), MPROF_OK);
	cr_assert_eq(mprof_writer_write_losses(writer, 99, losses, 4), MPROF_OK);
}

static log_bytes make(mprof_dialect dialect, uint64_t directives, uint32_t gzip_level)
{
	const uint32_t methods[] = {1, 20, 1};
	const uint32_t functions[] = {7};
	uint64_t clock_calls = 0;
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = (uint32_t)dialect;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.intro_flags = MPROF_INTRO_FLAG_ENTER_LEAVE;
	options.runtime = "fixture";
	options.clock = fixture_clock;
	options.clock_user = &clock_calls;
	options.gzip_level = gzip_level;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	write_elements(writer);
	define_half(writer, 0);
	write_events(writer, 0, directives, 5300000);
	cr_assert_eq(mprof_writer_write_statistical(writer, 5400000, methods, 3, functions, 1, 5500000), MPROF_OK);
	if (dialect == MPROF_DIALECT_MPROF2)
		write_additions(writer);
	define_half(writer, 1);
	write_events(writer, 1, directives, 90000000);
	return log_take(writer);
}

log_bytes log_make(mprof_dialect dialect, uint64_t directives)
{
	return make(dialect, directives, 0);
}

log_bytes log_make_compressed(mprof_dialect dialect, uint64_t directives)
{
	return make(dialect, directives, 6);
}

log_bytes log_from_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	log_bytes log;
	long length;

	cr_assert_not_null(file, "cannot open %s", path);
	cr_assert_eq(fseek(file, 0, SEEK_END), 0);
	length = ftell(file);
	rewind(file);
	log.length = (size_t)length;
	log.bytes = malloc(log.length + 1);
	cr_assert_not_null(log.bytes);
	cr_assert_eq(fread(log.bytes, 1, log.length, file), log.length);
	log.bytes[log.length] = 0;
	fclose(file);
	return log;
}

log_bytes log_from_data(const char *name)
{
	const char *directory = getenv("builddir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s.mprof", directory != NULL ? directory : ".", name);
	return log_from_file(path);
}

log_bytes log_take(mprof_writer *writer)
{
	const uint8_t *bytes;
	log_bytes log;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = malloc(log.length);
	cr_assert_not_null(log.bytes);
	memcpy(log.bytes, bytes, log.length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	return log;
}

void log_free(log_bytes *log)
{
	free(log->bytes);
	log->bytes = NULL;
	log->length = 0;
}

size_t log_block_offset(const log_bytes *log, size_t n)
{
	size_t offset = 0;

	while (n-- > 0) {
		cr_assert_leq(offset + HEADER_LENGTH, log->length);
		offset += HEADER_LENGTH + bytes_load_32(log->bytes + offset + 2);
	}
	return offset;
}

size_t log_block_count(const log_bytes *log)
{
	size_t count = 0;

	while (log_block_offset(log, count) < log->length)
		count++;
	return count;
}

void log_sign_block(log_bytes *log, size_t n)
{
	uint8_t *block = log->bytes + log_block_offset(log, n);
	size_t checked = HEADER_LENGTH + bytes_load_32(block + 2) - 4;

	bytes_store_32(block + checked, checksum_update(0, block, checked));
}

mprof_error parser_error_of(const mprof_parser *parser)
{
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_parser_get_error(parser, &error), MPROF_OK);
	return error;
}

mprof_error reader_error_of(const mprof_reader *reader)
{
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_reader_get_error(reader, &error), MPROF_OK);
	return error;
}

/* FNV-1a. */
static void hash_bytes(log_digest *digest, const void *bytes, size_t length)
{
	const uint8_t *cursor = bytes;

	for (size_t i = 0; i < length; i++)
		digest->hash = (digest->hash ^ cursor[i]) * UINT64_C(0x100000001b3);
}

static void hash_number(log_digest *digest, uint64_t number)
{
	hash_bytes(digest, &number, sizeof(number));
}

static void hash_text(log_digest *digest, const char *text)
{
	if (text != NULL)
		hash_bytes(digest, text, strlen(text) + 1);
}

static void hash_named(log_digest *digest, const char *name, size_t length)
{
	hash_text(digest, name);
	cr_assert_eq(strlen(name), length);
}

static void hash_element(log_digest *digest, const mprof_element_block *element)
{
	const mprof_assembly_name *assembly = element->assembly;

	hash_number(digest, element->kind | (uint64_t)element->id << 32);
	hash_number(digest, element->start_counter);
	hash_number(digest, element->end_counter);
	hash_named(digest, element->name, element->name_length);
	if (assembly == NULL)
		return;
	cr_assert_eq(assembly->struct_size, sizeof(*assembly));
	hash_text(digest, assembly->base_name);
	hash_number(digest, assembly->major);
	hash_text(digest, assembly->culture);
	hash_text(digest, assembly->public_key_token);
	hash_number(digest, assembly->retargetable);
}

/* Hashes the fields that are specific to the kind of block. */
static void hash_kind(log_digest *digest, const mprof_block *block)
{
	if (!block->loaded)
		return;
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		hash_number(digest, block->as.intro.version | (uint64_t)block->as.intro.flags << 32);
		hash_named(digest, block->as.intro.runtime, block->as.intro.runtime_length);
		break;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		hash_element(digest, &block->as.element);
		break;
	case MPROF_BLOCK_THREAD:
		hash_named(digest, block->as.thread_name.name, block->as.thread_name.name_length);
		break;
	case MPROF_BLOCK_LOST:
		hash_bytes(digest, block->as.lost.counts, block->as.lost.count * sizeof(*block->as.lost.counts));
		break;
	case MPROF_BLOCK_MARK:
		hash_number(digest, block->as.mark.counter);
		hash_named(digest, block->as.mark.text, block->as.mark.text_length);
		break;
	default:
		hash_bytes(digest, &block->as, sizeof(block->as));
		break;
	}
}

static void hash_block(log_digest *digest, const mprof_block *block)
{
	hash_number(digest, block->kind | (uint64_t)block->code << 32);
	hash_number(digest, block->offset);
	hash_number(digest, block->length);
	hash_number(digest, block->loaded);
	hash_number(digest, block->has_clocks);
	hash_bytes(digest, &block->start, sizeof(block->start));
	hash_bytes(digest, &block->end, sizeof(block->end));
	hash_number(digest, block->thread);
	hash_number(digest, block->counter_delta);
	hash_kind(digest, block);
}

static void hash_detail(log_digest *digest, const mprof_event_detail *detail)
{
	hash_bytes(digest, detail, offsetof(mprof_event_detail, references));
	hash_bytes(digest, detail->references, detail->reference_count * sizeof(*detail->references));
	hash_bytes(digest, detail->arguments, detail->argument_size);
	if (detail->offsets != NULL)
		hash_bytes(digest, detail->offsets, detail->reference_count * sizeof(*detail->offsets));
}

static void hash_event(log_digest *digest, const mprof_event *event)
{
	mprof_event raw = *event;

	/* A reader adds the method to an implicit leave; a parser returns the event as it is in the log. */
	if ((raw.flags & MPROF_EVENT_FLAG_IMPLICIT) != 0) {
		raw.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		raw.flags = 0;
		raw.id = 0;
	}
	hash_bytes(digest, &raw, offsetof(mprof_event, more));
	if (event->more.detail != NULL)
		hash_detail(digest, event->more.detail);
	digest->events++;
}

/*
 * A parser returns each frame of a hit, a reader one sample with its own IDs. Only what both have in common is hashed.
 */
static void hash_hit(log_digest *digest, const mprof_event *event)
{
	uint32_t is_native = event->flags & MPROF_EVENT_FLAG_NATIVE;

	if (event->flags & MPROF_EVENT_FLAG_CALLER)
		return;
	hash_number(digest, event->kind | (uint64_t)is_native << 32);
	hash_number(digest, is_native ? 0 : event->id);
	hash_number(digest, event->counter);
	digest->events++;
}

/* In dialects with stack sections a reader adds call stacks to events; a parser does not. */
static void hash_event_without_stack(log_digest *digest, const mprof_event *event)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	mprof_event stripped = *event;

	if (event->more.detail != NULL)
		detail = *event->more.detail;
	detail.stack = 0;
	stripped.more.detail = &detail;
	hash_event(digest, &stripped);
}

static void hash_mapping(log_digest *digest, const mprof_mapping *mapping)
{
	hash_number(digest, mapping->is_method);
	hash_number(digest, mapping->id);
	hash_number(digest, mapping->class_id | (uint64_t)mapping->assembly_id << 32);
	hash_number(digest, mapping->flags);
	hash_number(digest, mapping->size);
	hash_text(digest, mapping->name);
	cr_assert_eq(strlen(mapping->name), mapping->name_length);
	digest->mappings++;
}

static void hash_record(log_digest *digest, const mprof_record *record)
{
	mprof_record numbers = *record;
	const char **name = record_name(&numbers);
	const char **second = record_second_text(&numbers);

	if (name != NULL) {
		hash_text(digest, *name);
		*name = NULL;
	}
	if (second != NULL) {
		hash_text(digest, *second);
		*second = NULL;
	}
	hash_bytes(digest, &numbers, sizeof(numbers));
	digest->records++;
}

static uint32_t input_dialect(const log_input *input)
{
	mprof_session session = {.struct_size = sizeof(session)};

	if (input->reader == NULL)
		return mprof_parser_get_dialect(input->parser);
	cr_assert_eq(mprof_reader_get_session(input->reader, &session), MPROF_OK);
	return session.dialect;
}

mprof_status log_input_events(const log_input *input, mprof_event *events, size_t capacity, size_t *count)
{
	return input->reader != NULL ? mprof_reader_next_events(input->reader, events, capacity, count)
				     : mprof_parser_next_events(input->parser, events, capacity, count);
}

mprof_status log_input_mappings(const log_input *input, mprof_mapping *mappings, size_t capacity, size_t *count)
{
	return input->reader != NULL
		       ? mprof_reader_next_mappings(input->reader, mappings, sizeof(*mappings), capacity, count)
		       : mprof_parser_next_mappings(input->parser, mappings, sizeof(*mappings), capacity, count);
}

mprof_status log_input_records(const log_input *input, mprof_record *records, size_t capacity, size_t *count)
{
	return input->reader != NULL
		       ? mprof_reader_next_records(input->reader, records, sizeof(*records), capacity, count)
		       : mprof_parser_next_records(input->parser, records, sizeof(*records), capacity, count);
}

mprof_status log_input_property(const log_input *input, const char **key, const char **value)
{
	return input->reader != NULL ? mprof_reader_next_property(input->reader, key, value)
				     : mprof_parser_next_property(input->parser, key, value);
}

mprof_error log_input_error(const log_input *input)
{
	return input->reader != NULL ? reader_error_of(input->reader) : parser_error_of(input->parser);
}

static void digest_fault(log_digest *digest, const log_input *input)
{
	mprof_error error = log_input_error(input);

	cr_assert_not_null(error.what);
	cr_assert_neq(error.status, MPROF_OK);
	cr_assert_neq(error.severity, MPROF_SEVERITY_NONE, "%s", error.what);
	hash_number(digest, error.status);
	hash_number(digest, error.offset);
	digest->faults++;
	if (digest->first.status == MPROF_OK)
		digest->first = error;
}

#define KINDS_OF_EVENTS                                                                                                \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL) |                              \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA))
#define KINDS_OF_RECORDS                                                                                               \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) |                                     \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) | MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_SUMMARY) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                             \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_TYPES) | MPROF_BLOCK_BIT(MPROF_BLOCK_TEXTS) |                                     \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) | MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCK_PAIRS) |                           \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_CODE_RANGES) | MPROF_BLOCK_BIT(MPROF_BLOCK_POSITIONS) |                           \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) | MPROF_BLOCK_BIT(MPROF_BLOCK_REFERENCE_NAMES))

static void hash_event_of(log_digest *digest, const mprof_block *block, uint32_t dialect, const mprof_event *event)
{
	if (block->kind == MPROF_BLOCK_STATISTICAL)
		hash_hit(digest, event);
	else if (dialect == MPROF_DIALECT_MONO || dialect == MPROF_DIALECT_UNITY)
		hash_event_without_stack(digest, event);
	else
		hash_event(digest, event);
}

/* Hashes the lists of a loaded block. */
static void digest_lists(log_digest *digest, const log_input *input, const mprof_block *block)
{
	mprof_event events[BATCH];
	mprof_mapping mappings[BATCH];
	mprof_record records[BATCH];
	const char *key;
	const char *value;
	mprof_status status = MPROF_END;
	size_t count;

	if ((KINDS_OF_EVENTS & MPROF_BLOCK_BIT(block->kind)) != 0) {
		while ((status = log_input_events(input, events, BATCH, &count)) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				hash_event_of(digest, block, input_dialect(input), &events[i]);
		}
		cr_assert_eq(count, 0);
	} else if ((KINDS_OF_RECORDS & MPROF_BLOCK_BIT(block->kind)) != 0) {
		while ((status = log_input_records(input, records, BATCH, &count)) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				hash_record(digest, &records[i]);
		}
	} else if (block->kind == MPROF_BLOCK_MAPPING) {
		while ((status = log_input_mappings(input, mappings, BATCH, &count)) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				hash_mapping(digest, &mappings[i]);
		}
	} else if (block->kind == MPROF_BLOCK_SESSION) {
		while ((status = log_input_property(input, &key, &value)) == MPROF_OK) {
			hash_text(digest, key);
			hash_text(digest, value);
			digest->properties++;
		}
	}
	if (status != MPROF_END)
		digest_fault(digest, input);
}

/* Hashes the result of reading the next block. Returns 0 if no more blocks can be read. */
static int digest_block(log_digest *digest, const log_input *input, mprof_status status, const mprof_block *block)
{
	digest->last = status;
	if (status == MPROF_END || status == MPROF_AGAIN)
		return 0;
	if (status != MPROF_OK)
		digest_fault(digest, input);
	else
		digest->blocks++;
	if (block->loaded) {
		hash_block(digest, block);
		digest_lists(digest, input, block);
	}
	if (status == MPROF_OK)
		return 1;
	return log_input_error(input).severity == MPROF_SEVERITY_BLOCK;
}

static void digest_init(log_digest *digest)
{
	memset(digest, 0, sizeof(*digest));
	digest->hash = UINT64_C(0xcbf29ce484222325);
	digest->first.what = "no error";
}

void log_digest_parse(log_digest *digest, const log_bytes *log, size_t chunk, const mprof_parser_options *options)
{
	log_input input = {NULL, NULL};
	mprof_block block;
	mprof_status status;
	size_t fed = 0;

	digest_init(digest);
	cr_assert_eq(mprof_parser_create(options, &input.parser), MPROF_OK);
	do {
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		while ((status = mprof_parser_next_block(input.parser, &block)) == MPROF_AGAIN) {
			size_t remaining = log->length - fed;
			size_t length = chunk == 0 || chunk > remaining ? remaining : chunk;

			cr_assert_gt(mprof_parser_get_needed(input.parser), 0);
			if (length == 0)
				mprof_parser_finish(input.parser);
			else
				cr_assert_eq(mprof_parser_feed(input.parser, log->bytes + fed, length), MPROF_OK);
			fed += length;
		}
	} while (digest_block(digest, &input, status, &block));
	mprof_parser_destroy(input.parser);
}

void log_digest_read(log_digest *digest, mprof_reader *reader)
{
	log_input input = {NULL, reader};
	mprof_block block;
	mprof_status status;

	digest_init(digest);
	do {
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		status = mprof_reader_next_block(reader, &block);
	} while (digest_block(digest, &input, status, &block));
}

mprof_reader *open_with_index(const uint8_t *bytes, size_t length, int is_built)
{
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	/* A reader of a log that may grow builds the index from the blocks. */
	options.follow = (uint32_t)is_built;
	cr_assert_eq(mprof_reader_open_memory(bytes, length, &options, &reader), MPROF_OK);
	if (is_built)
		cr_assert_eq(mprof_reader_finish(reader), MPROF_OK);
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	return reader;
}

const mprof_index_entry *fetch_index(mprof_reader *reader, size_t *count)
{
	static mprof_index_entry *entries;
	mprof_error error;

	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK, "%s", reader_error_of(reader).what);
	error = reader_error_of(reader);
	*count = (size_t)mprof_reader_get_index_count(reader);
	free(entries);
	entries = calloc(*count + 1, sizeof(*entries));
	cr_assert_not_null(entries);
	for (size_t i = 0; i < *count; i++) {
		entries[i].struct_size = sizeof(entries[i]);
		cr_assert_eq(mprof_reader_get_index_entry(reader, i, &entries[i]), MPROF_OK);
	}
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	cr_assert_eq(reader_error_of(reader).status, error.status, "a successful call does not change the error");
	return entries;
}
