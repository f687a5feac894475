/* SPDX-License-Identifier: MIT */
/* Whatever the number of threads that decode events, and whatever happens to them, a reader returns the same. */
#include <mprof/reader.h>
#include <mprof/writer.h>

#include "faults/refused_thread.h"
#include "base/failing_allocator.h"
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTIVES                                                                                                     \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) |      \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |                                                      \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |                                                      \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID))

#define ALL_COLUMNS                                                                                                    \
	(MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES | MPROF_COLUMN_SIZES |                       \
	 MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS | MPROF_COLUMN_OBJECTS)

#define MAX_BATCH_LENGTH 1000

/* Fetches of a part of a block: with batches of 300 events, all parts of a block that are decoded in advance. */
#define MAX_FETCHES 80

#define MAX_THREADS 8

/* How many steps are one with sanitizers; that of threads is the slowest. */
#if defined(__SANITIZE_THREAD__)
#define SANITIZED_STEPS 29
#else
#define SANITIZED_STEPS 7
#endif

TestSuite(reader_threads, .timeout = 120);

/* Where a log is read from: its bytes, and what goes wrong in other threads. */
typedef struct threaded_source {
	log_bytes log;
	size_t position;
	atomic_uint reads;     /* Calls of read_at. */
	unsigned int failures; /* Each time after this number of calls, read_at fails; 0: never. */
} threaded_source;

/* How the events of a log are stored. */
typedef struct layout {
	uint32_t has_columns;
	uint32_t codec;
} layout;

static const layout layouts[] = {
	{0, MPROF_CODEC_NONE},    {1, MPROF_CODEC_NONE}, {0, MPROF_CODEC_DEFLATE},
	{1, MPROF_CODEC_DEFLATE}, {1, MPROF_CODEC_ZSTD},
};

#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static uint64_t random_state;

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 20);
}

static void define_class(mprof_writer *writer, uint32_t id)
{
	const mprof_class_definition definition = {
		.struct_size = sizeof(definition), .id = id, .name = "C", .name_length = 1, .size = id % 3 * 8};

	cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
}

/* Writes a block of a thread: calls, and allocations with details. Their classes are those defined so far. */
static void write_block(mprof_writer *writer, uint64_t thread, uint32_t classes, size_t count, uint64_t *counter)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail)};

	cr_assert_eq(mprof_writer_begin_events(writer, thread, *counter), MPROF_OK);
	for (size_t i = 0; i < count; i++) {
		mprof_event event = {.counter = *counter += next_random() % 500};
		const uint32_t choice = next_random() % 8;

		if (choice == 0) {
			event.kind = MPROF_EVENT_ALLOCATION;
			event.id = next_random() % classes + 1;
			event.value = event.id % 3 != 0 ? event.id % 3 * 8 : next_random() % 100;
			detail.object = 0x7f0000001000 + next_random() % 4096 * 8;
			detail.caller = next_random() % 50;
			event.more.detail = &detail;
		} else {
			event.kind = choice < 5 ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
			event.id = choice < 5 ? next_random() % 300 + 1 : 0;
		}
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

/* Writes a log of blocks with classes defined between them. Without the codec, the blocks are not compressed. */
static log_bytes write_log(const layout *mode, size_t blocks, size_t events_per_block)
{
	mprof_writer_options options;
	uint64_t counter = 1000;
	uint32_t classes = 0;
	mprof_writer *writer;

	random_state = 88172645463325252u;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = DIRECTIVES;
	options.has_columns = mode->has_columns;
	options.codec = mode->codec;
	options.allow_undefined_ids = 1;
	options.lossy = 1;
	if (mprof_writer_open_memory(&options, &writer) == MPROF_ERR_UNSUPPORTED) {
		(void)mprof_writer_destroy(writer);
		options.codec = MPROF_CODEC_NONE;
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	}
	for (size_t i = 0; i < blocks; i++) {
		if (i % 3 == 0) {
			define_class(writer, ++classes);
			define_class(writer, ++classes);
		}
		write_block(writer, i % 2 + 7, classes, events_per_block, &counter);
	}
	return log_take(writer);
}

static int source_read(void *user, void *bytes, size_t length, size_t *got)
{
	threaded_source *self = user;
	const size_t remaining = self->log.length - self->position;

	*got = length < remaining ? length : remaining;
	memcpy(bytes, self->log.bytes + self->position, *got);
	self->position += *got;
	return 0;
}

static int source_seek(void *user, uint64_t offset)
{
	threaded_source *self = user;

	self->position = offset < self->log.length ? (size_t)offset : self->log.length;
	return 0;
}

/* Fails, reads less, or reads something else, at times. */
static int source_read_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	threaded_source *self = user;
	const size_t remaining = offset < self->log.length ? self->log.length - (size_t)offset : 0;
	const unsigned int number = atomic_fetch_add(&self->reads, 1) + 1;
	const int fails = self->failures != 0 && number % self->failures == 0;

	*got = length < remaining ? length : remaining;
	memcpy(bytes, self->log.bytes + offset, *got);
	if (!fails)
		return 0;
	if (number / self->failures % 3 == 0)
		return 5;
	if (number / self->failures % 3 == 1)
		*got /= 2;
	else if (*got > 0)
		((uint8_t *)bytes)[*got / 2] ^= 4;
	return 0;
}

static void hash_bytes(uint64_t *hash, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*hash = (*hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static void hash_number(uint64_t *hash, uint64_t number)
{
	hash_bytes(hash, &number, sizeof(number));
}

static void hash_event(uint64_t *hash, const mprof_event *event)
{
	hash_number(hash, event->kind | (uint64_t)event->flags << 8 | (uint64_t)event->code << 16);
	hash_number(hash, event->id);
	hash_number(hash, event->counter);
	hash_number(hash, event->value);
	if (event->more.detail == NULL)
		return;
	hash_number(hash, event->more.detail->object);
	hash_number(hash, event->more.detail->caller);
	hash_number(hash, event->more.detail->stack);
}

static void hash_error(uint64_t *hash, const mprof_reader *reader)
{
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_reader_get_error(reader, &error), MPROF_OK);
	hash_number(hash, error.status);
	hash_number(hash, error.severity);
	hash_number(hash, error.offset);
	hash_number(hash, error.block_offset);
	hash_bytes(hash, error.what, strlen(error.what));
}

/* Fetches the events of a block; \p again: first some of them, then all of them once more. */
static void hash_events(uint64_t *hash, mprof_reader *reader, mprof_block *block, size_t batch, int again)
{
	static mprof_event events[MAX_BATCH_LENGTH];
	mprof_status status = MPROF_OK;
	size_t count;

	if (again) {
		/* How many events one call returns depends on the threads, so whether all were fetched does, too. */
		for (uint64_t fetches = block->offset % MAX_FETCHES + 1; fetches > 0; fetches--)
			status = mprof_reader_next_events(reader, events, batch, &count);
		hash_number(hash, status > MPROF_END);
		status = mprof_reader_load(reader, block);
		hash_number(hash, status);
		if (status != MPROF_OK)
			return;
	}
	while ((status = mprof_reader_next_events(reader, events, batch, &count)) == MPROF_OK ||
	       status == MPROF_ERR_INTERRUPTED) {
		for (size_t i = 0; i < count; i++)
			hash_event(hash, &events[i]);
	}
	hash_number(hash, status);
	if (status != MPROF_END)
		hash_error(hash, reader);
}

#define HASHED_COLUMNS 7

static void hash_column(uint64_t *hash, const void *values, size_t size)
{
	if (values != NULL)
		hash_bytes(hash, values, size);
}

static void hash_batch(uint64_t *hashes, const mprof_columns *columns)
{
	hash_column(&hashes[0], columns->symbols, columns->event_count);
	hash_column(&hashes[1], columns->methods, columns->method_count * sizeof(*columns->methods));
	hash_column(&hashes[2], columns->times, columns->time_count * sizeof(*columns->times));
	hash_column(&hashes[3], columns->classes, columns->allocation_count * sizeof(*columns->classes));
	hash_column(&hashes[4], columns->sizes, columns->allocation_count * sizeof(*columns->sizes));
	hash_column(&hashes[5], columns->objects, columns->allocation_count * sizeof(*columns->objects));
	for (size_t i = 0; i < columns->row_count; i++)
		hash_event(&hashes[6], &columns->rows[i]);
}

/* Fetches the events of a block as arrays, however they are divided into batches. */
static void hash_columns(uint64_t *hash, mprof_reader *reader, uint32_t wanted)
{
	mprof_columns columns = {.struct_size = sizeof(columns)};
	uint64_t hashes[HASHED_COLUMNS] = {0};
	mprof_status status;

	while ((status = mprof_reader_next_columns(reader, wanted, &columns)) == MPROF_OK ||
	       status == MPROF_ERR_INTERRUPTED)
		hash_batch(hashes, &columns);
	hash_bytes(hash, hashes, sizeof(hashes));
	hash_number(hash, status);
	if (status != MPROF_END)
		hash_error(hash, reader);
}

/* What arrays and structs have in common. Allocations have no time in arrays. */
static void hash_common(uint64_t *hash, uint32_t kind, uint32_t id, uint64_t counter)
{
	hash_number(hash, kind);
	hash_number(hash, id);
	if (kind != MPROF_EVENT_ALLOCATION)
		hash_number(hash, counter);
}

static void hash_common_row(uint64_t *hash, const mprof_event *row)
{
	hash_common(hash, row->kind, row->id, row->counter);
}

static void hash_common_columns(uint64_t *hash, const mprof_columns *columns)
{
	static const uint32_t kinds[] = {MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					 MPROF_EVENT_METHOD_LEAVE};
	const uint32_t *method = columns->methods;
	const uint32_t *class_id = columns->classes;
	const uint64_t *time = columns->times;
	const mprof_event *row = columns->rows;

	for (size_t i = 0; i < columns->event_count; i++) {
		const uint8_t symbol = columns->symbols[i];

		if (symbol <= MPROF_SYMBOL_LEAVE)
			hash_common(hash, kinds[symbol], symbol == MPROF_SYMBOL_LEAVE_IMPLICIT ? 0 : *method++,
				    *time++);
		else if (symbol == MPROF_SYMBOL_ALLOCATION)
			hash_common(hash, MPROF_EVENT_ALLOCATION, *class_id++, 0);
		else
			hash_common_row(hash, row++);
	}
}

/* Fetches the events of a block as arrays, structs, and arrays of other columns, by turns. */
static void hash_mixture(uint64_t *hash, mprof_reader *reader)
{
	const uint32_t some = MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES;
	mprof_columns columns = {.struct_size = sizeof(columns)};
	mprof_event events[MAX_BATCH_LENGTH];
	mprof_status status;
	size_t count;

	for (int turn = 0;; turn++) {
		if (turn % 3 == 1) {
			status = mprof_reader_next_events(reader, events, MAX_BATCH_LENGTH, &count);
			for (size_t i = 0; i < count; i++)
				hash_common_row(hash, &events[i]);
		} else {
			status = mprof_reader_next_columns(reader, turn % 3 == 0 ? ALL_COLUMNS : some, &columns);
			hash_common_columns(hash, &columns);
		}
		if (status != MPROF_OK)
			break;
	}
	hash_number(hash, status);
	if (status != MPROF_END)
		hash_error(hash, reader);
}

/* How a log is read. */
typedef struct reading {
	uint32_t threads;
	uint32_t keep_implicit_leaves;
	uint32_t ignore_checksums;
	size_t batch;
	int loads_again;     /* Every third block. */
	int as_columns;      /* Blocks are fetched as arrays, except one after this number; 0: none is. */
	int mixes;           /* Every second block is fetched in several ways. */
	int leaves_early;    /* Every fifth block is left without its events. */
	uint64_t seek_every; /* After this number of blocks, a seek to the block before; 0: none. */
	int interrupts;      /* At each report of progress. */
	const mprof_allocator *allocator;
	const mprof_codec *codec; /* Of the caller, or NULL. */
} reading;

static int interrupt_always(void *user, uint64_t done, uint64_t total)
{
	(void)user;
	(void)done;
	(void)total;
	return 1;
}

static uint64_t hash_blocks(mprof_reader *reader, const reading *mode)
{
	uint64_t hash = 14695981039346656037u;
	uint64_t before = 0;
	uint64_t number = 0;
	mprof_status status;
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END && number < 5000) {
		mprof_error error = {.struct_size = sizeof(error)};

		if (status == MPROF_ERR_INTERRUPTED)
			continue;
		hash_number(&hash, status);
		if (status != MPROF_OK) {
			hash_error(&hash, reader);
			(void)mprof_reader_get_error(reader, &error);
			if (error.severity != MPROF_SEVERITY_BLOCK && !block.loaded)
				break;
		}
		number++;
		hash_number(&hash, block.kind);
		hash_number(&hash, block.offset);
		hash_number(&hash, block.length);
		hash_number(&hash, block.end.counter);
		if (block.kind == MPROF_BLOCK_EVENTS && mode->mixes && number % 2 == 0)
			hash_mixture(&hash, reader);
		else if (block.kind == MPROF_BLOCK_EVENTS && mode->as_columns != 0 && number % mode->as_columns != 0)
			hash_columns(&hash, reader, ALL_COLUMNS);
		else if (block.kind == MPROF_BLOCK_EVENTS && block.loaded && !(mode->leaves_early && number % 5 == 0))
			hash_events(&hash, reader, &block, mode->batch, mode->loads_again && number % 3 == 0);
		if (status != MPROF_OK && error.severity != MPROF_SEVERITY_BLOCK)
			break;
		if (mode->seek_every != 0 && number % mode->seek_every == 0)
			hash_number(&hash, mprof_reader_seek(reader, before));
		before = block.offset;
	}
	hash_number(&hash, status);
	return hash;
}

/* Returns a hash of all that reading the log returns. */
static uint64_t read_log(threaded_source *source, const reading *mode)
{
	const mprof_source functions = {.struct_size = sizeof(functions),
					.read = source_read,
					.seek = source_seek,
					.user = source,
					.read_at = source_read_at};
	mprof_reader_options options;
	mprof_reader *reader = NULL;
	mprof_status status;
	uint64_t hash;

	source->position = 0;
	mprof_reader_options_init(&options, sizeof(options));
	options.threads = mode->threads;
	options.keep_implicit_leaves = mode->keep_implicit_leaves;
	options.ignore_checksums = mode->ignore_checksums;
	options.allocator = mode->allocator;
	options.codecs = mode->codec;
	options.codec_count = mode->codec != NULL;
	options.progress = mode->interrupts ? interrupt_always : NULL;
	status = mprof_reader_open_source(&functions, &options, &reader);
	if (reader == NULL)
		return status;
	hash = hash_blocks(reader, mode);
	mprof_reader_destroy(reader);
	return hash;
}

static int is_sanitized(void)
{
	return getenv("MPROF_SANITIZED") != NULL;
}

static void compare_threads(threaded_source *source, const reading *mode)
{
	static const uint32_t numbers[] = {3, 2, MAX_THREADS};
	const size_t count = is_sanitized() ? 1 : sizeof(numbers) / sizeof(numbers[0]);
	reading other = *mode;
	uint64_t expected;

	other.threads = 1;
	expected = read_log(source, &other);
	for (size_t i = 0; i < count; i++) {
		other.threads = numbers[i];
		cr_assert_eq(read_log(source, &other), expected, "%u threads", numbers[i]);
	}
}

static void compare_readings(threaded_source *source)
{
	const reading readings[] = {
		{.batch = MAX_BATCH_LENGTH},
		{.batch = 7},
		{.batch = 300, .keep_implicit_leaves = 1},
		{.batch = 300, .loads_again = 1},
		{.batch = 300, .keep_implicit_leaves = 1, .loads_again = 1},
		{.batch = 300, .leaves_early = 1},
		{.batch = 300, .seek_every = 7},
		{.batch = 300, .interrupts = 1},
		{.batch = 300, .ignore_checksums = 1},
		{.batch = 300, .as_columns = 3, .seek_every = 7},
		{.batch = 300, .as_columns = 1000, .mixes = 1, .keep_implicit_leaves = 1},
		/* Only without sanitizers, which make threads slow. */
		{.batch = 300, .as_columns = 1000},
		{.batch = 300, .as_columns = 4, .loads_again = 1},
	};
	const size_t count = sizeof(readings) / sizeof(readings[0]) - (is_sanitized() ? 2 : 0);

	for (size_t i = 0; i < count; i++)
		compare_threads(source, &readings[i]);
}

/* For the same reason, fewer places are tried with sanitizers. */
static size_t step_of(size_t step)
{
	return is_sanitized() ? SANITIZED_STEPS * step : step;
}

Test(reader_threads, return_what_one_thread_returns)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		threaded_source source = {.log = write_log(&layouts[i], is_sanitized() ? 10 : 40, 2000)};

		compare_readings(&source);
		cr_assert_gt(atomic_load(&source.reads), 40, "blocks were decoded in advance");
		free(source.log.bytes);
	}
}

Test(reader_threads, continue_blocks_with_more_events_than_are_prepared)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		threaded_source source = {.log = write_log(&layouts[i], is_sanitized() ? 4 : 5, 70000)};

		compare_threads(&source, &(reading){.batch = 300});
		compare_threads(&source, &(reading){.batch = MAX_BATCH_LENGTH, .loads_again = 1});
		cr_assert_gt(atomic_load(&source.reads), 0);
		free(source.log.bytes);
	}
}

/* Blocks with several parts, left and read again at any of them. */
Test(reader_threads, leave_blocks_at_any_part)
{
	for (size_t i = 1; i < LAYOUTS; i += 2) {
		threaded_source source = {.log = write_log(&layouts[i], 6, is_sanitized() ? 9000 : 25000)};

		compare_readings(&source);
		free(source.log.bytes);
	}
}

Test(reader_threads, may_fail_to_read)
{
	for (unsigned int failures = 1; failures < 12; failures++) {
		threaded_source source = {.log = write_log(&layouts[failures % LAYOUTS], 30, 1000),
					  .failures = failures};

		compare_threads(&source, &(reading){.batch = 300});
		compare_threads(&source, &(reading){.batch = 300, .ignore_checksums = 1});
		free(source.log.bytes);
	}
}

Test(reader_threads, find_the_same_damage)
{
	const size_t step = step_of(29);

	for (size_t number = 0; number < LAYOUTS; number++) {
		threaded_source source = {.log = write_log(&layouts[number], 8, 500)};

		for (size_t i = 0; i < source.log.length; i += i < 100 && !is_sanitized() ? 1 : step) {
			const uint8_t right = source.log.bytes[i];
			reading mode = {.batch = 300, .threads = 1};
			uint64_t expected;

			source.log.bytes[i] = (uint8_t)(right ^ (1 << i % 8));
			mode.ignore_checksums = (uint32_t)(i / 13 % 2);
			expected = read_log(&source, &mode);
			mode.threads = 2 + (uint32_t)(i / 13 % 3);
			cr_assert_eq(read_log(&source, &mode), expected, "byte %zu", i);
			source.log.bytes[i] = right;
		}
		free(source.log.bytes);
	}
}

Test(reader_threads, find_the_same_end)
{
	const size_t step = step_of(17);

	for (size_t i = 0; i < LAYOUTS; i++) {
		threaded_source source = {.log = write_log(&layouts[i], 8, 500)};
		const size_t whole = source.log.length;

		for (source.log.length = 0; source.log.length < whole; source.log.length += step) {
			reading mode = {.batch = 300, .threads = 1};
			const uint64_t expected = read_log(&source, &mode);

			mode.threads = 3;
			cr_assert_eq(read_log(&source, &mode), expected, "%zu bytes", source.log.length);
		}
		free(source.log.bytes);
	}
}

/* The threads themselves need memory, which they may be refused without any effect. */
static void refuse_memory(const layout *layout)
{
	threaded_source source = {.log = write_log(layout, 12, 500)};
	reading mode = {.batch = 300, .threads = 1};
	const uint64_t expected = read_log(&source, &mode);
	uint64_t same = 0;

	mode.threads = 3;
	for (size_t refused = 1;; refused += is_sanitized() ? SANITIZED_STEPS / 2 : 1) {
		failing_allocator memory = {.fail_at = refused, .fail_once = 1};
		const mprof_allocator allocator = failing_allocator_interface(&memory);
		uint64_t hash;

		mode.allocator = &allocator;
		hash = read_log(&source, &mode);
		same += hash == expected && memory.refused > 0;
		cr_assert_eq(memory.blocks, 0);
		if (memory.refused == 0) {
			cr_assert_eq(hash, expected);
			break;
		}
	}
	cr_assert_gt(same, 0);
	free(source.log.bytes);
}

Test(reader_threads, need_no_memory)
{
	for (size_t i = 0; i < LAYOUTS; i++)
		refuse_memory(&layouts[i]);
}

/* With fewer threads than are asked for, or none, reading returns the same. */
Test(reader_threads, may_be_refused)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		threaded_source source = {.log = write_log(&layouts[i], 30, 1000)};
		reading mode = {.batch = 300, .threads = 1};
		const uint64_t expected = read_log(&source, &mode);

		mode.threads = 4;
		for (int granted = 0; granted < 3; granted++) {
			atomic_store(&threads_before_refusal, granted);
			cr_assert_eq(read_log(&source, &mode), expected, "%d threads", granted);
			cr_assert_lt(threads_before_refusal, 0);
		}
		free(source.log.bytes);
	}
}

/* For codecs of the caller, which need not be prepared for other threads. */
static mprof_status decompress_nothing(void *user, const void *input, size_t input_length, void *output,
				       size_t output_length, size_t *produced)
{
	pthread_t *caller = user;

	(void)input;
	(void)input_length;
	(void)output;
	(void)output_length;
	cr_assert(pthread_equal(*caller, pthread_self()));
	*produced = 0;
	return MPROF_ERR_MALFORMED;
}

Test(reader_threads, do_not_call_codecs_of_the_caller)
{
	threaded_source source = {.log = write_log(&layouts[3], 30, 1000)};
	pthread_t caller = pthread_self();
	const mprof_codec codec = {.struct_size = sizeof(codec),
				   .number = MPROF_CODEC_DEFLATE,
				   .decompress = decompress_nothing,
				   .user = &caller};

	compare_threads(&source, &(reading){.batch = 300, .codec = &codec});
	free(source.log.bytes);
}

#define FIELDS_READ 100

/* Returns other fields for the header of a COMPRESSED block than for the block: a shorter length of its content. */
static int read_shorter_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	uint8_t *unpacked_length = (uint8_t *)bytes + 8;
	const int result = source_read_at(user, offset, bytes, length, got);

	/* After the header, the code and the codec. The length has two bytes, of seven bits each. */
	if (length < FIELDS_READ && ((uint8_t *)bytes)[0] == 44 && (unpacked_length[1] & 127) > 20)
		unpacked_length[1] -= 8;
	return result;
}

/* Notes calls on other threads than that of the reader. */
typedef struct owned_memory {
	pthread_t owner;
	atomic_uint foreign;
} owned_memory;

static void *reallocate_owned(void *user, void *memory, size_t old_size, size_t new_size)
{
	owned_memory *owned = user;

	(void)old_size;
	if (!pthread_equal(owned->owner, pthread_self()))
		atomic_fetch_add(&owned->foreign, 1);
	return realloc(memory, new_size);
}

static void *allocate_owned(void *user, size_t size)
{
	return reallocate_owned(user, NULL, 0, size);
}

static void release_owned(void *user, void *memory, size_t size)
{
	owned_memory *owned = user;

	(void)size;
	if (!pthread_equal(owned->owner, pthread_self()))
		atomic_fetch_add(&owned->foreign, 1);
	free(memory);
}

Test(reader_threads, do_not_call_the_allocator)
{
	threaded_source source = {.log = write_log(&layouts[3], 60, 1000)};
	owned_memory owned = {.owner = pthread_self()};
	const mprof_allocator allocator = {sizeof(allocator), allocate_owned, reallocate_owned, release_owned, &owned};
	const mprof_source functions = {.struct_size = sizeof(functions),
					.read = source_read,
					.seek = source_seek,
					.user = &source,
					.read_at = read_shorter_at};
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.threads = 3;
	options.allocator = &allocator;
	cr_assert_eq(mprof_reader_open_source(&functions, &options, &reader), MPROF_OK);
	(void)hash_blocks(reader, &(reading){.batch = 300});
	mprof_reader_destroy(reader);
	cr_assert_gt(atomic_load(&source.reads), 40);
	cr_assert_eq(atomic_load(&owned.foreign), 0);
	free(source.log.bytes);
}

Test(reader_threads, are_limited)
{
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.threads = MPROF_READER_MAX_THREADS + 1;
	cr_assert_eq(mprof_reader_open_memory("", 0, &options, &reader), MPROF_ERR_ARGUMENT);
	options.threads = 1;
	options.reserved = 1;
	cr_assert_eq(mprof_reader_open_memory("", 0, &options, &reader), MPROF_ERR_ARGUMENT);
}
