/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as a log. LLVMFuzzerTestOneInput() is for libFuzzer and its like (define FUZZ_WITHOUT_MAIN); the
 * program by itself runs it over the files that are named, and without any over changed copies of good logs, always the
 * same. It fails by crashing, by hanging, or by reporting what must not be.
 */
#include <mprof/reader.h>
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that one input may take; far above what these lengths need, far below what damaged lengths ask for. */
#define MEMORY_LIMIT ((size_t)64 << 20)

/* Blocks and faults that an input may give: each takes some bytes of it. */
#define MOST_STEPS(length) (2 * (length) + 16)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static size_t memory_in_use;

static void fail(const char *what)
{
	fprintf(stderr, "fuzz_reader: %s\n", what);
	abort();
}

static void *limited_allocate(void *user, size_t size)
{
	void *memory;

	(void)user;
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	read_one(bytes, length, 1, 0);
	read_one(bytes, length, 0, 0);
	read_one(bytes, length, 1, MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED));
	return 0;
}

#ifndef FUZZ_WITHOUT_MAIN

/* Changed copies of each good log. */
#ifndef CHANGES
#define CHANGES 3000
#endif

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

typedef struct good_log {
	uint8_t *bytes;
	size_t length;
} good_log;

static void require(int is_right)
{
	if (!is_right)
		fail("a good log could not be made");
}

static void write_names(mprof_writer *writer, uint32_t first)
{
	for (uint32_t id = first; id < first + 10; id++) {
		const mprof_class_definition class_definition = {id, 1, "Some.Class", 10, id % 2 * 24, 0};
		const mprof_method_definition method_definition = {id * 128, id, 1, 0, "Method ()", 9};

		require(mprof_writer_define_class(writer, &class_definition) == MPROF_OK &&
			mprof_writer_define_method(writer, &method_definition) == MPROF_OK);
	}
}

static void write_events(mprof_writer *writer, int has_directives)
{
	static const uint8_t kinds[] = {
		MPROF_EVENT_METHOD_ENTER,    MPROF_EVENT_METHOD_LEAVE,     MPROF_EVENT_ALLOCATION,
		MPROF_EVENT_GC_START,        MPROF_EVENT_GC_END,           MPROF_EVENT_CLASS_LOAD_START,
		MPROF_EVENT_MONITOR,         MPROF_EVENT_HANDLE_CREATED,   MPROF_EVENT_HANDLE_DELETED,
		MPROF_EVENT_FINALIZER_START, MPROF_EVENT_RECORDING_RESUMED};
	const size_t plain_kinds = 6;
	const mprof_event_detail detail = {.object = UINT64_C(0x7f0012345740), .caller = 128, .stack = 2};
	uint64_t counter = 1000;

	require(mprof_writer_begin_events(writer, 77, counter) == MPROF_OK);
	for (uint32_t i = 0; i < 60; i++) {
		mprof_event event;

		memset(&event, 0, sizeof(event));
		event.kind = kinds[random_below(has_directives ? sizeof(kinds) : plain_kinds)];
		event.id = event.kind <= MPROF_EVENT_METHOD_LEAVE ? 128 : 1;
		counter += random_below(100000);
		event.counter = counter;
		event.value = random_below(2) ? random_below(1000) : 24;
		if (has_directives)
			event.more.detail = &detail;
		require(mprof_writer_events(writer, &event, 1, NULL) == MPROF_OK);
	}
	require(mprof_writer_end_events(writer) == MPROF_OK);
}

static mprof_record record_of(uint32_t kind, uint32_t id)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = kind;
	record.id = id;
	record.name = "name";
	return record;
}

/* So many records of a kind, from an id on; those of a list that has more than one kind follow each other. */
static void write_records(mprof_writer *writer, mprof_block_kind block, const uint8_t *kinds, uint32_t first)
{
	mprof_record records[30];
	size_t count = 0;

	for (; *kinds != 0; kinds++) {
		for (uint32_t i = 0; i < 10; i++) {
			mprof_record *record = &records[count++];

			*record = record_of(*kinds, first + i);
			record->start = random_below(UINT64_MAX) >> random_below(64);
			record->value = random_below(UINT64_MAX) >> random_below(64);
			if (*kinds == MPROF_RECORD_STACK)
				record->parent = (uint32_t)random_below(record->id);
			else if (*kinds == MPROF_RECORD_FUNCTION || *kinds == MPROF_RECORD_LOCATION)
				record->parent = (uint32_t)random_below(first + 10);
			else if (*kinds == MPROF_RECORD_METRIC)
				record->flags = i % 2;
		}
	}
	require(mprof_writer_records(writer, block, 0, records, count) == MPROF_OK);
}

static void write_definitions(mprof_writer *writer, uint32_t first)
{
	static const uint8_t code[] = {MPROF_RECORD_MODULE, MPROF_RECORD_FUNCTION, MPROF_RECORD_LOCATION, 0};
	static const uint8_t stacks[] = {MPROF_RECORD_STACK, 0};
	static const uint8_t metrics[] = {MPROF_RECORD_METRIC, MPROF_RECORD_METRIC_VALUE, 0};
	static const uint8_t roots[] = {MPROF_RECORD_ROOT, 0};

	write_records(writer, MPROF_BLOCK_CODE, code, first);
	write_records(writer, MPROF_BLOCK_STACKS, stacks, first);
	write_records(writer, MPROF_BLOCK_METRICS, metrics, first);
	write_records(writer, MPROF_BLOCK_ROOTS, roots, first);
}

static void write_samples(mprof_writer *writer)
{
	static const uint8_t summary[] = {MPROF_RECORD_SUMMARY, 0};
	mprof_event samples[20];

	for (size_t i = 0; i < 20; i++) {
		memset(&samples[i], 0, sizeof(samples[i]));
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].value = 1 + random_below(10);
		samples[i].counter = i * random_below(1000);
	}
	require(mprof_writer_samples(writer, 77, 5, samples, 20) == MPROF_OK);
	require(mprof_writer_mark(writer, 77, 5, "a remark", 8) == MPROF_OK);
	write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, summary, 1);
}

#define HEAP_EVENTS 40

static void write_heap(mprof_writer *writer)
{
	mprof_event events[HEAP_EVENTS];
	mprof_event_detail details[HEAP_EVENTS];
	uint64_t references[8];

	for (size_t i = 0; i < 8; i++)
		references[i] = 0x7f0012340000 + random_below(1000) * 8;
	for (size_t i = 0; i < HEAP_EVENTS; i++) {
		memset(&events[i], 0, sizeof(events[i]));
		memset(&details[i], 0, sizeof(details[i]));
		events[i].kind = (uint8_t)(MPROF_EVENT_HEAP_OBJECT + random_below(5));
		events[i].id = 1 + (uint32_t)random_below(10);
		events[i].value = random_below(2) ? 24 : 8 * random_below(1000);
		events[i].more.detail = &details[i];
		details[i].object = 0x7f0012340000 + random_below(1000) * 8;
		details[i].references = references;
		details[i].reference_count = (uint32_t)random_below(8);
	}
	require(mprof_writer_heap(writer, 1, 0, 5, events, HEAP_EVENTS) == MPROF_OK);
}

static good_log make_good(uint32_t dialect, uint64_t directives, uint32_t gzip_level)
{
	const mprof_assembly_name assembly = {"base", "neutral", "null", 1, 2, 3, 4, 0};
	const mprof_element element = {
		MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_SUCCESS, 1, 5, 6, 77, "base", 4, &assembly};
	const mprof_property properties[] = {{"pid", "1"}, {"program", "x"}};
	const uint64_t losses[] = {0, 3, 1};
	const uint32_t hits[] = {128, 256, 128};
	mprof_writer_options options;
	mprof_writer *writer;
	const uint8_t *bytes;
	good_log log;

	mprof_writer_options_init(&options);
	options.dialect = dialect;
	options.directives = directives;
	options.runtime = "fuzz";
	options.gzip_level = gzip_level;
	require(mprof_writer_open_memory(&options, &writer) == MPROF_OK);
	require(mprof_writer_loaded(writer, &element) == MPROF_OK);
	write_names(writer, 1);
	if (dialect == MPROF_DIALECT_MPROF2)
		write_definitions(writer, 1);
	write_events(writer, directives != 0);
	require(mprof_writer_statistical(writer, 5, hits, 3, hits, 2, 9) == MPROF_OK);
	write_names(writer, 11);
	write_events(writer, directives != 0);
	if (dialect == MPROF_DIALECT_MPROF2) {
		write_definitions(writer, 11);
		write_samples(writer);
		write_heap(writer);
		write_heap(writer);
		require(mprof_writer_session(writer, properties, 2) == MPROF_OK &&
			mprof_writer_thread(writer, 77, "main", 4) == MPROF_OK &&
			mprof_writer_lost(writer, 77, losses, 3) == MPROF_OK);
	}
	require(mprof_writer_unloaded(writer, &element) == MPROF_OK);
	require(mprof_writer_close(writer) == MPROF_OK);
	require(mprof_writer_memory(writer, &bytes, &log.length) == MPROF_OK);
	log.bytes = malloc(log.length);
	require(log.bytes != NULL);
	memcpy(log.bytes, bytes, log.length);
	(void)mprof_writer_destroy(writer);
	return log;
}

/* Flips bits, sets bytes, cuts, moves a piece to another place. Returns the new length. */
static size_t change(uint8_t *bytes, size_t length)
{
	uint64_t changes = 1 + random_below(4);

	while (changes-- > 0 && length > 0) {
		size_t at = (size_t)random_below(length);
		size_t from = (size_t)random_below(length);
		size_t piece = (size_t)random_below(40);

		switch (random_below(6)) {
		case 0:
		case 1:
			bytes[at] ^= (uint8_t)(1 << random_below(8));
			break;
		case 2:
			bytes[at] = (uint8_t)(random_below(2) ? random_below(256) : random_below(2) * 255);
			break;
		case 3:
			length = random_below(4) == 0 ? at : length;
			break;
		case 4:
			/* A piece is left out, so that lengths no longer fit. */
			piece = piece < length - at ? piece : length - at;
			memmove(bytes + at, bytes + at + piece, length - at - piece);
			length -= piece;
			break;
		default:
			piece = piece < length - at ? piece : length - at;
			piece = piece < length - from ? piece : length - from;
			memmove(bytes + at, bytes + from, piece);
			break;
		}
	}
	return length;
}

static void fuzz_good(good_log log)
{
	uint8_t *bytes = malloc(log.length);

	require(bytes != NULL);
	(void)LLVMFuzzerTestOneInput(log.bytes, log.length);
	for (int i = 0; i < CHANGES; i++) {
		size_t length;
		uint8_t *exact;

		memcpy(bytes, log.bytes, log.length);
		length = change(bytes, log.length);
		/* Memory of just that length, so that sanitizers see what is read behind it. */
		exact = malloc(length + (length == 0));
		require(exact != NULL);
		memcpy(exact, bytes, length);
		(void)LLVMFuzzerTestOneInput(exact, length);
		free(exact);
	}
	free(bytes);
	free(log.bytes);
}

static int fuzz_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc((size_t)16 << 20);
	size_t length;

	if (file == NULL || bytes == NULL) {
		perror(path);
		return 1;
	}
	length = fread(bytes, 1, (size_t)16 << 20, file);
	fclose(file);
	(void)LLVMFuzzerTestOneInput(bytes, length);
	free(bytes);
	return 0;
}

int main(int count, char **arguments)
{
	uint64_t directives = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
			      MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) |
			      MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
			      MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS);
	good_log compressed;
	mprof_writer_options probe;
	mprof_writer *writer = NULL;
	int failed = 0;

	for (int i = 1; i < count; i++)
		failed |= fuzz_file(arguments[i]);
	if (count > 1)
		return failed;
	for (uint32_t directive = 1; directive <= 6; directive++) {
		if (directive != MPROF_DIRECTIVE_ALLOCATION_STACK)
			directives |= MPROF_DIRECTIVE_BIT(directive);
	}
	fuzz_good(make_good(MPROF_DIALECT_MAIL, 0, 0));
	fuzz_good(make_good(MPROF_DIALECT_MPROF2, 0, 0));
	fuzz_good(make_good(MPROF_DIALECT_MPROF2, directives, 0));
	mprof_writer_options_init(&probe);
	probe.gzip_level = 6;
	/* Only in a library that has zlib. */
	if (mprof_writer_open_memory(&probe, &writer) == MPROF_OK) {
		compressed = make_good(MPROF_DIALECT_MPROF2, 0, 6);
		fuzz_good(compressed);
	}
	(void)mprof_writer_destroy(writer);
	return 0;
}

#endif
