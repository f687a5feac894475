/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as a log, makes a profile of them, and converts them. LLVMFuzzerTestOneInput() is for libFuzzer and
 * its like, and for fuzz_main.c. It fails by crashing, by hanging, or by reporting what must not be.
 *
 * With libFuzzer, the sources of the library but the recorder's are compiled together with this file by clang with
 * -fsanitize=fuzzer,address,undefined; the logs that are built of tests/data are what it begins with.
 */
#include <mprof/convert.h>
#include <mprof/profile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that one input may take; far above what these lengths need, far below what damaged lengths ask for. */
#define MEMORY_LIMIT ((size_t)64 << 20)

/*
 * That for a copy, which is kept in memory. Counts of hits become so many samples, which is far more than the bytes of
 * a log, so here memory is refused instead.
 */
#define COPY_LIMIT ((size_t)8 << 20)

/* Blocks and faults that an input may give: each takes some bytes of it. */
#define MOST_STEPS(length) (2 * (length) + 16)

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

static const mprof_allocator limited_allocator = {limited_allocate, limited_reallocate, limited_release, NULL};

static uint64_t sum_of_event(const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint64_t sum = event->counter + event->value + event->id;

	if (detail == NULL)
		return sum;
	sum += detail->object + detail->caller + detail->stack + detail->handle_type;
	for (uint32_t i = 0; i < detail->reference_count; i++)
		sum += detail->references[i];
	return sum;
}

/* What the reader has learnt of a record, and of what it names. */
static uint64_t look_up(mprof_reader *reader, const mprof_record *record)
{
	mprof_stack_frame frames[4];
	mprof_record found;
	char text[16];
	size_t count;

	if (mprof_reader_stack(reader, record->id, frames, 4, &count) == MPROF_OK && count > record->id)
		fail("a stack with more frames than there are");
	if (mprof_reader_record(reader, (mprof_record_kind)record->kind, record->id, &found) == MPROF_OK)
		count += strlen(found.name) + strlen(found.section);
	return count + mprof_reader_location_name(reader, record->id, text, sizeof(text));
}

static uint64_t take_records(mprof_reader *reader)
{
	mprof_record records[8];
	uint64_t sum = 0;
	size_t count;

	while (mprof_reader_next_records(reader, records, 8, &count) == MPROF_OK) {
		if (count == 0 || count > 8)
			fail("a batch of no or too many records");
		for (size_t i = 0; i < count; i++)
			sum += strlen(records[i].name) + strlen(records[i].section) + look_up(reader, &records[i]);
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

	while (mprof_reader_next_events(reader, events, capacity, &count) == MPROF_OK) {
		if (count == 0 || count > capacity)
			fail("a batch of no or too many events");
		for (size_t i = 0; i < count; i++)
			sum += sum_of_event(&events[i]);
	}
	sum += take_records(reader);
	while (mprof_reader_next_mappings(reader, mappings, 8, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			sum += strlen(mappings[i].name) - mappings[i].name_length;
	}
	while (mprof_reader_next_property(reader, &key, &value) == MPROF_OK)
		sum += strlen(key) + strlen(value);
	if (block->name != NULL && strlen(block->name) != block->name_length)
		fail("a name with another length");
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
	mprof_block_init(&block);
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		if (++steps > most_steps)
			fail("reading does not end");
		if (status == MPROF_AGAIN)
			fail("a reader that does not follow waits");
		sum += take_lists(reader, &block, capacity);
		if (status == MPROF_OK)
			continue;
		(void)mprof_reader_error(reader, &error);
		if (error.status == MPROF_OK || error.what == NULL)
			fail("an error that says nothing");
		if (error.severity != MPROF_SEVERITY_BLOCK)
			break;
	}
	return sum;
}

static void read_one(const uint8_t *bytes, size_t length, uint32_t ignore_checksums, uint64_t wanted)
{
	mprof_reader_options options;
	mprof_reader *reader = NULL;
	const mprof_index_entry *entries;
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_status status;
	size_t count;
	char text[16];
	volatile uint64_t sum = 0;

	mprof_reader_options_init(&options);
	options.allocator = &limited_allocator;
	options.ignore_checksums = ignore_checksums;
	options.wanted = wanted;
	options.max_block_length = 1 << 20;
	options.max_names_memory = 1 << 20;
	status = mprof_reader_open_memory(bytes, length, &options, &reader);
	if (reader == NULL)
		fail("no reader was made");
	sum += take_all(reader, 1 + length % 64, MOST_STEPS(length));
	if (status == MPROF_OK && mprof_reader_index(reader, &entries, &count) == MPROF_OK && count > 0) {
		for (size_t i = 1; i < count; i++) {
			if (entries[i].offset <= entries[i - 1].offset)
				fail("an index out of order");
		}
		if (mprof_reader_seek(reader, entries[count / 2].offset) == MPROF_OK)
			sum += take_all(reader, 3, MOST_STEPS(length));
	}
	sum += mprof_reader_method_name(reader, (uint32_t)length, text, sizeof(text));
	(void)mprof_reader_session(reader, &session);
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

	mprof_reader_options_init(&options);
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

static void make_profile(const uint8_t *bytes, size_t length)
{
	mprof_reader *reader = open_reader(bytes, length);
	mprof_profile_options options;
	mprof_profile *profile;

	if (reader == NULL)
		return;
	mprof_profile_options_init(&options);
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

	(void)mprof_writer_error(writer, &error);
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

	if (mprof_writer_memory(writer, &bytes, &length) != MPROF_OK)
		fail("what was converted is not there");
	reader = open_reader(bytes, length);
	if (reader == NULL)
		fail("what was converted is no log");
	mprof_block_init(&block);
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

	if (mprof_converter_failed(converter) && status != MPROF_ERR_MEMORY)
		fail_to_write(writer, "what was read cannot be written");
	/* That of a log that has its end is closed. */
	status = mprof_writer_close(writer);
	if (status != MPROF_OK && status != MPROF_ERR_STATE && status != MPROF_ERR_MEMORY)
		fail_to_write(writer, "what was converted cannot be closed");
	is_copying = 0;
	if (status != MPROF_ERR_MEMORY)
		read_converted(writer);
}

static void convert(const uint8_t *bytes, size_t length, uint32_t dialect)
{
	mprof_reader *reader = open_reader(bytes, length);
	mprof_writer_options options;
	mprof_converter *converter;
	mprof_writer *writer;

	if (reader == NULL)
		return;
	mprof_writer_options_init(&options);
	options.allocator = &limited_allocator;
	options.dialect = dialect;
	options.lossy = 1;
	options.max_shot_memory = 1 << 20;
	if (mprof_converter_create(reader, &options, &converter) == MPROF_OK) {
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
	make_profile(bytes, length);
	convert(bytes, length, dialects[length % (sizeof(dialects) / sizeof(dialects[0]))]);
	return 0;
}
