/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as a log, with one thread and with several, makes a profile of them, and converts them.
 * LLVMFuzzerTestOneInput() is for libFuzzer and its like, and for fuzz_main.c. It fails by crashing, by hanging, or by
 * reporting what must not be.
 *
 * With libFuzzer, the sources of the library but the recorder's are compiled together with this file, fuzz_custom.c,
 * fuzz_mutate.c, fuzz_pack.c and fuzz_logs.c by clang with -fsanitize=fuzzer,address,undefined; the logs that are built
 * of tests/data are what it begins with.
 */
#include "logs/begin_copy.h"

#include <mprof/convert.h>
#include <mprof/profile.h>
#include <mprof/reader.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that one input may take; far above what these lengths need, far below what damaged lengths ask for. */
#define MEMORY_LIMIT ((size_t)64 << 20)

/*
 * The same for a copy, which is kept in memory. A counted hit becomes as many samples as its count, far more than the
 * bytes of a log, so here memory is refused instead.
 */
#define COPY_LIMIT ((size_t)8 << 20)

/* Blocks and faults that an input may give: each takes some bytes of it. */
#define MAX_STEPS(length) (2 * (length) + 16)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static size_t memory_in_use;
static int is_copying;

static void fail(const char *what)
{
	fprintf(stderr, "fuzz_reader: %s\n", what);
	abort();
}

static void *limited_allocate(void *user, size_t size)
{
	void *memory;

	(void)user;
	if (is_copying && (size > COPY_LIMIT || memory_in_use > COPY_LIMIT - size))
		return NULL;
	if (size > MEMORY_LIMIT - memory_in_use)
		fail("too much memory is asked for");
	memory = malloc(size);
	if (memory != NULL)
		memory_in_use += size;
	return memory;
}

static void limited_release(void *user, void *memory, size_t size)
{
	(void)user;
	memory_in_use -= size;
	free(memory);
}

static void *limited_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	void *moved = limited_allocate(user, new_size);

	if (moved != NULL && memory != NULL) {
		memcpy(moved, memory, old_size < new_size ? old_size : new_size);
		limited_release(user, memory, old_size);
	}
	return moved;
}

static const mprof_allocator limited_allocator = {sizeof(mprof_allocator), limited_allocate, limited_reallocate,
						  limited_release, NULL};

static uint64_t sum_of_event(const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint64_t sum = event->counter + event->value + event->id;

	if (detail == NULL)
		return sum;
	sum += detail->object + detail->caller + detail->stack + detail->handle_type + detail->size + detail->started;
	for (size_t i = 0; i < detail->argument_size; i++)
		sum += detail->arguments[i];
	for (uint32_t i = 0; i < detail->reference_count; i++)
		sum += detail->references[i];
	for (uint32_t i = 0; detail->offsets != NULL && i < detail->reference_count; i++)
		sum += detail->offsets[i];
	return sum;
}

/* The lengths of the texts of a record. */
static uint64_t texts_of(const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		return strlen(record->as.module.file) + strlen(record->as.module.build_id);
	case MPROF_RECORD_FUNCTION:
		return strlen(record->as.function.name);
	case MPROF_RECORD_ROOT:
		return strlen(record->as.root.name);
	case MPROF_RECORD_FIELD:
		return strlen(record->as.field.name);
	case MPROF_RECORD_ARGUMENT:
		return strlen(record->as.argument.name) + strlen(record->as.argument.unit_name);
	case MPROF_RECORD_TYPE:
		return strlen(record->as.type.name);
	case MPROF_RECORD_TEXT:
		return strlen(record->as.text.text);
	case MPROF_RECORD_CLOCK:
		return strlen(record->as.clock.name);
	case MPROF_RECORD_TIMELINE:
		return strlen(record->as.timeline.name);
	case MPROF_RECORD_PROCESS:
		return strlen(record->as.process.name) + strlen(record->as.process.command);
	case MPROF_RECORD_CODE_RANGE:
		return strlen(record->as.code_range.name);
	case MPROF_RECORD_LABEL:
		return strlen(record->as.label.text);
	case MPROF_RECORD_METRIC:
		return strlen(record->as.metric.section) + strlen(record->as.metric.name);
	default:
		return 0;
	}
}

static void check_text(const char *text, size_t length)
{
	if (strlen(text) != length)
		fail("a name with another length");
}

static void check_texts(const mprof_block *block)
{
	if (block->kind == MPROF_BLOCK_INTRO)
		check_text(block->as.intro.runtime, block->as.intro.runtime_length);
	else if (block->kind == MPROF_BLOCK_LOADED || block->kind == MPROF_BLOCK_UNLOADED)
		check_text(block->as.element.name, block->as.element.name_length);
	else if (block->kind == MPROF_BLOCK_THREAD)
		check_text(block->as.thread_name.name, block->as.thread_name.name_length);
	else if (block->kind == MPROF_BLOCK_MARK)
		check_text(block->as.mark.text, block->as.mark.text_length);
}

/* What the reader has learnt of a record, and of what it names. */
static uint64_t look_up(mprof_reader *reader, const mprof_record *record)
{
	mprof_stack_frame frames[4];
	mprof_record found;
	char text[16];
	size_t count;

	if (mprof_reader_lookup_stack(reader, record->id, frames, sizeof(*frames), 4, &count) == MPROF_OK &&
	    count > record->id)
		fail("a stack with more frames than there are");
	if (mprof_reader_lookup_record(reader, record->kind, record->id, &found, sizeof(found)) == MPROF_OK)
		count += texts_of(&found);
	return count + mprof_reader_format_location(reader, record->id, text, sizeof(text));
}

static uint64_t take_records(mprof_reader *reader)
{
	mprof_record records[8];
	uint64_t sum = 0;
	size_t count;

	while (mprof_reader_next_records(reader, records, sizeof(*records), 8, &count) == MPROF_OK) {
		if (count == 0 || count > 8)
			fail("a batch of no or too many records");
		for (size_t i = 0; i < count; i++)
			sum += texts_of(&records[i]) + look_up(reader, &records[i]);
	}
	return sum;
}

/* Takes events as columns, and all values of these. */
static uint64_t take_columns(mprof_reader *reader, uint32_t wanted)
{
	mprof_columns columns = {.struct_size = sizeof(columns)};
	uint64_t sum = 0;

	while (mprof_reader_next_columns(reader, wanted, &columns) == MPROF_OK) {
		if (columns.event_count == 0 || columns.time_count > columns.event_count)
			fail("a batch of no events or too many times");
		for (size_t i = 0; i < columns.event_count; i++)
			sum += columns.symbols[i];
		for (size_t i = 0; i < columns.method_count && columns.methods != NULL; i++)
			sum += columns.methods[i];
		for (size_t i = 0; i < columns.time_count && columns.times != NULL; i++)
			sum += columns.times[i];
		for (size_t i = 0; i < columns.allocation_count && columns.sizes != NULL; i++)
			sum += columns.sizes[i];
		for (size_t i = 0; i < columns.allocation_count && columns.objects != NULL; i++)
			sum += columns.objects[i];
		for (size_t i = 0; i < columns.row_count; i++)
			sum += sum_of_event(&columns.rows[i]);
	}
	return sum;
}

/* Takes all that a loaded block lists; the sum keeps the compiler from leaving reading out. */
static uint64_t take_lists(mprof_reader *reader, const mprof_block *block, size_t capacity)
{
	mprof_event events[64];
	mprof_mapping mappings[8];
	const char *key;
	const char *value;
	uint64_t sum = 0;
	size_t count;

	if (block->kind == MPROF_BLOCK_EVENTS && capacity % 3 == 1)
		sum += take_columns(reader, (uint32_t)(capacity * 5 % 128));
	while (mprof_reader_next_events(reader, events, capacity, &count) == MPROF_OK) {
		if (count == 0 || count > capacity)
			fail("a batch of no or too many events");
		for (size_t i = 0; i < count; i++)
			sum += sum_of_event(&events[i]);
	}
	sum += take_records(reader);
	while (mprof_reader_next_mappings(reader, mappings, sizeof(*mappings), 8, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			sum += strlen(mappings[i].name) - mappings[i].name_length;
	}
	while (mprof_reader_next_property(reader, &key, &value) == MPROF_OK)
		sum += strlen(key) + strlen(value);
	if (block->loaded)
		check_texts(block);
	return sum;
}

static uint64_t take_all(mprof_reader *reader, size_t capacity, uint64_t most_steps)
{
	mprof_block block;
	mprof_status status;
	mprof_error error = {.struct_size = sizeof(error)};
	uint64_t sum = 0;
	uint64_t steps = 0;

	memset(&block, 0, sizeof(block));
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		if (++steps > most_steps)
			fail("reading does not end");
		if (status == MPROF_AGAIN)
			fail("a reader that does not follow waits");
		/* Multiplied so that the sum depends on the order, too. */
		sum = (sum + block.kind + block.offset + block.length) * 31 + take_lists(reader, &block, capacity);
		if (status == MPROF_OK)
			continue;
		(void)mprof_reader_get_error(reader, &error);
		sum = (sum + error.offset) * 31 + error.status;
		if (error.status == MPROF_OK || error.what == NULL)
			fail("an error without a text");
		if (error.severity != MPROF_SEVERITY_BLOCK)
			break;
	}
	return sum;
}

/* Goes to the middle of the log by the index, and by time. */
static uint64_t take_indexed(mprof_reader *reader, size_t length)
{
	mprof_index_entry entry = {.struct_size = sizeof(entry)};
	mprof_stack_frame frames[4];
	const uint64_t count = mprof_reader_get_index_count(reader);
	uint64_t last = 0;
	uint64_t sum = 0;
	size_t depth;

	for (uint64_t i = 0; i < count; i++) {
		if (mprof_reader_get_index_entry(reader, i, &entry) != MPROF_OK)
			fail("an index without an entry");
		if (i > 0 && entry.offset <= last)
			fail("an index out of order");
		last = entry.offset;
		if (entry.kind == MPROF_BLOCK_EVENTS)
			sum += (uint64_t)mprof_reader_get_block_frames(reader, entry.offset, frames, sizeof(*frames), 4,
								       &depth) +
			       depth;
	}
	if (count == 0 || mprof_reader_get_index_entry(reader, count / 2, &entry) != MPROF_OK)
		return sum;
	if (mprof_reader_seek(reader, entry.offset) == MPROF_OK)
		sum += take_all(reader, 3, MAX_STEPS(length));
	sum += (uint64_t)mprof_reader_get_open_frames(reader, entry.thread, entry.start_counter, frames,
						      sizeof(*frames), 4, &depth);
	if (mprof_reader_seek_time(reader, 1000, MPROF_THREAD_ANY) == MPROF_OK)
		sum += take_all(reader, 3, MAX_STEPS(length));
	return sum + depth;
}

/* Reads what a query asks for, which is found with the index. */
static uint64_t take_selected(mprof_reader *reader, size_t length)
{
	mprof_query query;
	uint64_t sum;

	mprof_query_init(&query, sizeof(query));
	query.thread = length % 4 == 0 ? MPROF_THREAD_ANY : 77 + length % 2;
	query.start_ns = (int64_t)(length % 5) * 500000;
	query.end_ns = query.start_ns + (int64_t)(length % 7) * 500000;
	if (length % 3 == 0)
		query.kinds.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES);
	if (mprof_reader_select(reader, &query) != MPROF_OK)
		fail("a query is refused although there is an index");
	if (mprof_reader_seek(reader, 0) != MPROF_OK)
		return 0;
	sum = take_all(reader, 64, MAX_STEPS(length));
	if (mprof_reader_select(reader, NULL) != MPROF_OK)
		fail("a query cannot be taken back");
	return sum;
}

static void read_one(const uint8_t *bytes, size_t length, uint32_t ignore_checksums, uint64_t wanted)
{
	mprof_reader_options options;
	mprof_reader *reader = NULL;
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_status status;
	char text[16];
	volatile uint64_t sum = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &limited_allocator;
	options.ignore_checksums = ignore_checksums;
	options.wanted.bits[0] = wanted;
	options.max_block_length = 1 << 20;
	options.max_names_memory = 1 << 20;
	status = mprof_reader_open_memory(bytes, length, &options, &reader);
	if (reader == NULL)
		fail("no reader was made");
	sum += take_all(reader, 1 + length % 64, MAX_STEPS(length));
	if (status == MPROF_OK && mprof_reader_build_index(reader) == MPROF_OK)
		sum += take_indexed(reader, length) + take_selected(reader, length);
	sum += mprof_reader_format_method(reader, (uint32_t)length, text, sizeof(text));
	(void)mprof_reader_get_session(reader, &session);
	if (session.valid_bytes > length && !session.compressed)
		fail("more valid bytes than there are");
	mprof_reader_destroy(reader);
	if (memory_in_use != 0)
		fail("memory was not given back");
	(void)sum;
}

static mprof_reader *open_reader(const uint8_t *bytes, size_t length)
{
	mprof_reader_options options;
	mprof_reader *reader = NULL;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &limited_allocator;
	options.ignore_checksums = 1;
	options.max_block_length = 1 << 20;
	options.max_names_memory = 1 << 20;
	if (mprof_reader_open_memory(bytes, length, &options, &reader) != MPROF_OK) {
		mprof_reader_destroy(reader);
		return NULL;
	}
	return reader;
}

/* Returns the sum of a log that is read with some threads; memory for these may be refused without any effect. */
static uint64_t sum_with_threads(const uint8_t *bytes, size_t length, uint32_t threads)
{
	mprof_reader_options options;
	mprof_reader *reader = NULL;
	uint64_t sum;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &limited_allocator;
	options.ignore_checksums = length % 3 != 0;
	options.max_block_length = 1 << 20;
	options.max_names_memory = 1 << 20;
	options.threads = threads;
	(void)!mprof_reader_open_memory(bytes, length, &options, &reader);
	if (reader == NULL)
		fail("no reader was made");
	sum = take_all(reader, 1 + length % 64, MAX_STEPS(length));
	mprof_reader_destroy(reader);
	return sum;
}

static void compare_threads(const uint8_t *bytes, size_t length)
{
	if (sum_with_threads(bytes, length, 1) != sum_with_threads(bytes, length, 3))
		fail("several threads return something else than one");
}

static void make_profile(const uint8_t *bytes, size_t length)
{
	mprof_reader *reader = open_reader(bytes, length);
	mprof_profile_options options;
	mprof_profile *profile;

	if (reader == NULL)
		return;
	mprof_profile_options_init(&options, sizeof(options));
	options.allocator = &limited_allocator;
	options.max_memory = 16 << 20;
	options.with_compilations = 1;
	options.with_call_sites = 1;
	if (mprof_profile_create(&options, &profile) != MPROF_OK)
		fail("no profile was made");
	(void)!mprof_profile_read(profile, reader, NULL, NULL);
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	if (memory_in_use != 0)
		fail("a profile did not give its memory back");
}

static void fail_to_write(const mprof_writer *writer, const char *what)
{
	mprof_error error = {.struct_size = sizeof(error)};

	(void)mprof_writer_get_error(writer, &error);
	fprintf(stderr, "fuzz_reader: %s\n", error.what);
	fail(what);
}

/* What was converted is a log that is sound. */
static void read_converted(mprof_writer *writer)
{
	const uint8_t *bytes;
	size_t length;
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;

	if (mprof_writer_get_memory(writer, &bytes, &length) != MPROF_OK)
		fail("what was converted is not there");
	reader = open_reader(bytes, length);
	if (reader == NULL)
		fail("what was converted is no log");
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		(void)take_lists(reader, &block, 64);
	if (status != MPROF_END)
		fail("what was converted is damaged");
	mprof_reader_destroy(reader);
}

/* Memory that is refused ends a copy; nothing else may, and what is written is a log all the same. */
static void run_copy(mprof_converter *converter, mprof_writer *writer)
{
	mprof_status status = mprof_converter_run(converter, writer, NULL, NULL);

	if (mprof_converter_has_failed(converter) && status != MPROF_ERR_MEMORY)
		fail_to_write(writer, "what was read cannot be written");
	/* That of a log that has its end is closed. */
	status = mprof_writer_close(writer);
	if (status != MPROF_OK && status != MPROF_ERR_STATE && status != MPROF_ERR_MEMORY)
		fail_to_write(writer, "what was converted cannot be closed");
	is_copying = 0;
	if (status != MPROF_ERR_MEMORY)
		read_converted(writer);
}

/* Sets how a copy in mprof2 is encoded; the codec has to be one of the library. */
static void set_layout(mprof_writer_options *options, size_t choice)
{
	mprof_writer *writer;

	options->has_columns = choice & 1;
	options->has_index = choice >> 1 & 1;
	options->codec = (uint32_t)(choice >> 2) % 3;
	if (mprof_writer_open_memory(options, &writer) != MPROF_OK)
		options->codec = MPROF_CODEC_NONE;
	(void)mprof_writer_destroy(writer);
}

static void convert(const uint8_t *bytes, size_t length, uint32_t dialect, uint64_t resolution_ns)
{
	mprof_reader *reader = open_reader(bytes, length);
	mprof_writer_options options;
	mprof_converter *converter;
	mprof_writer *writer;

	if (reader == NULL)
		return;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.allocator = &limited_allocator;
	options.dialect = dialect;
	options.lossy = 1;
	options.max_shot_memory = 1 << 20;
	if (dialect == MPROF_DIALECT_MPROF2)
		set_layout(&options, length / 7);
	if (begin_coarse_copy(reader, &options, resolution_ns, 1e9, &converter) == MPROF_OK) {
		if (mprof_writer_open_memory(&options, &writer) != MPROF_OK)
			fail("no writer for what was converted");
		is_copying = 1;
		run_copy(converter, writer);
		is_copying = 0;
		(void)mprof_writer_destroy(writer);
	}
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	if (memory_in_use != 0)
		fail("a converter did not give its memory back");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const uint32_t dialects[] = {MPROF_DIALECT_MPROF2, MPROF_DIALECT_MONO, MPROF_DIALECT_UNITY,
					    MPROF_DIALECT_DROP, MPROF_DIALECT_MAIL};

	read_one(bytes, length, 1, 0);
	read_one(bytes, length, 0, 0);
	read_one(bytes, length, 1, MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED));
	compare_threads(bytes, length);
	make_profile(bytes, length);
	convert(bytes, length, dialects[length % (sizeof(dialects) / sizeof(dialects[0]))], length % 2 * 100);
	return 0;
}
