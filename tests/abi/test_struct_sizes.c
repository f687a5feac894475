/* SPDX-License-Identifier: MIT */
/*
 * Programs that were compiled for smaller or larger structs than this library has: what it writes stays within theirs,
 * what it reads too, and what it does not know must be 0. Structs end where an inaccessible page starts.
 */
#include <mprof.h>

#include <criterion/criterion.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What a later release appended. */
#define MORE 24

/* Memory after whose end no byte may be read or written. Stays until the test ends. */
static void *guarded(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t used = (size + page - 1) / page * page;
	unsigned char *memory = mmap(NULL, used + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(memory, MAP_FAILED);
	cr_assert_eq(mprotect(memory + used, page, PROT_NONE), 0);
	return memory + used - size;
}

/* The first \p size bytes of a struct, padded with 0 if it is shorter, with \p size as its struct_size. */
static void *resized(const void *from, size_t from_size, size_t size)
{
	unsigned char *created = guarded(size);

	memset(created, 0, size);
	memcpy(created, from, from_size < size ? from_size : size);
	memcpy(created, &size, sizeof(size));
	return created;
}

/* The same for elements of an array, which have no field for their size. */
static void *restrided(const void *from, size_t from_size, size_t size, size_t count)
{
	unsigned char *created = guarded(size * count);

	memset(created, 0, size * count);
	for (size_t i = 0; i < count; i++)
		memcpy(created + i * size, (const unsigned char *)from + i * from_size,
		       from_size < size ? from_size : size);
	return created;
}

static int is_zero(const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (((const unsigned char *)bytes)[i] != 0)
			return 0;
	}
	return 1;
}

static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = 100;
	clock->time = 200;
}

static mprof_writer *open_writer(uint32_t dialect)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.clock = read_clock;
	options.lossy = dialect == MPROF_DIALECT_MONO;
	options.directives.bits[0] = dialect == MPROF_DIALECT_MONO
					     ? 0
					     : MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
						       MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
						       MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static size_t log_length(mprof_writer *writer)
{
	const uint8_t *bytes;
	size_t length;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	return length;
}

static mprof_reader *open_reader(mprof_writer *writer)
{
	const uint8_t *bytes;
	size_t length;
	mprof_reader *reader;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	return reader;
}

static void define_names(mprof_writer *writer)
{
	const mprof_class_definition a_class = {
		.struct_size = sizeof(a_class), .id = 1, .name = "Class", .name_length = 5, .size = 24};
	const mprof_method_definition method = {
		.struct_size = sizeof(method), .id = 1, .class_id = 1, .name = "Method ()", .name_length = 9};
	const mprof_record stack = {.kind = MPROF_RECORD_STACK, .id = 1, .as.stack.target = 1};

	cr_assert_eq(mprof_writer_define_class(writer, &a_class), MPROF_OK);
	cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, &stack, sizeof(stack), 1), MPROF_OK);
}

/* A client whose details end before the fields of samples and native memory. */
Test(struct_sizes, a_shorter_detail_is_read_to_its_end)
{
	const mprof_event_detail whole = {.struct_size = sizeof(whole), .object = 0x10010, .stack = 0};
	mprof_event event = {.kind = MPROF_EVENT_SAMPLE, .id = 1, .counter = 5};
	mprof_writer *writer = open_writer(MPROF_DIALECT_MONO);

	define_names(writer);
	event.more.detail = resized(&whole, sizeof(whole), offsetof(mprof_event_detail, samples));
	cr_assert_eq(mprof_writer_write_samples(writer, 0, 5, &event, 1), MPROF_OK);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	writer = open_writer(MPROF_DIALECT_MPROF2);
	define_names(writer);
	event = (mprof_event){.kind = MPROF_EVENT_ALLOCATION, .id = 1, .value = 24};
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 100), MPROF_OK);
	for (size_t size = sizeof(size_t); size <= sizeof(whole); size += sizeof(uint64_t)) {
		event.more.detail = resized(&whole, sizeof(whole), size);
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK, "%zu bytes", size);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	event.kind = MPROF_EVENT_HEAP_OBJECT;
	for (size_t size = sizeof(size_t); size <= sizeof(whole); size += sizeof(uint64_t)) {
		event.more.detail = resized(&whole, sizeof(whole), size);
		cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 5, &event, 1), MPROF_OK, "%zu bytes", size);
	}
	mprof_writer_destroy(writer);
}

Test(struct_sizes, a_longer_detail_must_end_with_zeros)
{
	const mprof_event_detail whole = {.struct_size = sizeof(whole), .object = 0x10010};
	unsigned char *longer = resized(&whole, sizeof(whole), sizeof(whole) + MORE);
	const mprof_event_detail *detail = (const mprof_event_detail *)(const void *)longer;
	mprof_event allocation = {.kind = MPROF_EVENT_ALLOCATION, .id = 1, .value = 24, .more.detail = detail};
	mprof_event object = {.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 24, .more.detail = detail};
	mprof_event sample = {.kind = MPROF_EVENT_SAMPLE, .value = 1, .more.detail = detail};
	mprof_writer *writer = open_writer(MPROF_DIALECT_MPROF2);

	define_names(writer);
	for (int is_known = 1; is_known >= 0; is_known--) {
		mprof_status expected = is_known ? MPROF_OK : MPROF_ERR_ARGUMENT;

		longer[sizeof(whole) + MORE - 1] = is_known ? 0 : 1;
		cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 5, &object, 1), expected);
		cr_assert_eq(mprof_writer_write_samples(writer, 1, 5, &sample, 1), expected);
		cr_assert_eq(mprof_writer_begin_events(writer, 1, 100), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(writer, &allocation, 1, NULL), expected);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	}
	memset(longer, 0, sizeof(size_t));
	cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 5, &object, 1), MPROF_ERR_ARGUMENT, "without a size");
	mprof_writer_destroy(writer);
}

/* Gives a function its struct with other sizes. */
#define TRY(whole, least, call)                                                                                        \
	do {                                                                                                           \
		unsigned char *tried = resized(&(whole), sizeof(whole), least);                                        \
                                                                                                                       \
		cr_assert_eq(call, MPROF_OK, "a smaller struct");                                                      \
		tried = resized(&(whole), sizeof(whole), sizeof(whole) + MORE);                                        \
		cr_assert_eq(call, MPROF_OK, "a larger struct");                                                       \
		tried[sizeof(whole) + MORE - 1] = 1;                                                                   \
		cr_assert_eq(call, MPROF_ERR_ARGUMENT, "what is not known");                                           \
		memset(tried, 0, sizeof(size_t));                                                                      \
		cr_assert_eq(call, MPROF_ERR_ARGUMENT, "without a size");                                              \
	} while (0)

static mprof_status define_class(mprof_writer *writer, const void *input)
{
	static uint32_t id = 10;

	((mprof_class_definition *)(uintptr_t)input)->id = ++id;
	return mprof_writer_define_class(writer, input);
}

static mprof_status define_method(mprof_writer *writer, const void *input)
{
	static uint32_t id = 10;

	((mprof_method_definition *)(uintptr_t)input)->id = ++id;
	return mprof_writer_define_method(writer, input);
}

Test(struct_sizes, definitions_and_elements)
{
	const mprof_class_definition a_class = {.struct_size = sizeof(a_class), .name = "C", .name_length = 1};
	const mprof_method_definition method = {.struct_size = sizeof(method), .name = "M ()", .name_length = 4};
	mprof_assembly_name split = {.struct_size = sizeof(split),
				     .base_name = "a",
				     .culture = "neutral",
				     .public_key_token = "null",
				     .retargetable = 1};
	mprof_element element = {
		.struct_size = sizeof(element), .kind = MPROF_ELEMENT_ASSEMBLY, .name = "assembly", .name_length = 8};
	mprof_writer *writer = open_writer(MPROF_DIALECT_MPROF2);

	TRY(a_class, offsetof(mprof_class_definition, size), define_class(writer, tried));
	TRY(method, offsetof(mprof_method_definition, name_length) + sizeof(size_t), define_method(writer, tried));
	TRY(element, offsetof(mprof_element, assembly), mprof_writer_write_loaded(writer, (const void *)tried));
	TRY(split, offsetof(mprof_assembly_name, retargetable),
	    (element.assembly = (const void *)tried, mprof_writer_write_loaded(writer, &element)));
	mprof_writer_destroy(writer);
}

static int sink_write(void *user, const void *bytes, size_t length)
{
	(void)bytes;
	*(size_t *)user += length;
	return 0;
}

static mprof_status open_sink(const void *sink)
{
	mprof_writer *writer = NULL;
	mprof_status status = mprof_writer_open_sink(sink, NULL, &writer);

	mprof_writer_destroy(writer);
	return status;
}

typedef struct log_place {
	const uint8_t *bytes;
	size_t remaining;
} log_place;

static int source_read(void *user, void *bytes, size_t length, size_t *got)
{
	log_place *position = user;

	*got = length < position->remaining ? length : position->remaining;
	memcpy(bytes, position->bytes, *got);
	position->bytes += *got;
	position->remaining -= *got;
	return 0;
}

static mprof_status open_source(const void *source, const mprof_writer *writer, log_place *position)
{
	mprof_reader *reader = NULL;
	mprof_status status;

	cr_assert_eq(mprof_writer_get_memory(writer, &position->bytes, &position->remaining), MPROF_OK);
	status = mprof_reader_open_source(source, NULL, &reader);
	mprof_reader_destroy(reader);
	return status;
}

static void *allocate(void *user, size_t size)
{
	(void)user;
	return malloc(size);
}

static void *reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	return realloc(memory, new_size);
}

static void release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

static mprof_status open_with_allocator(const void *allocator)
{
	mprof_parser_options options;
	mprof_parser *parser = NULL;
	mprof_status status;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = allocator;
	status = mprof_parser_create(&options, &parser);
	mprof_parser_destroy(parser);
	return status;
}

Test(struct_sizes, tables_of_functions)
{
	size_t written = 0;
	log_place position;
	mprof_writer *writer = open_writer(MPROF_DIALECT_MPROF2);
	const mprof_sink sink = {.struct_size = sizeof(sink), .write = sink_write, .user = &written};
	const mprof_source source = {.struct_size = sizeof(source), .read = source_read, .user = &position};
	const mprof_allocator allocator = {sizeof(allocator), allocate, reallocate, release, NULL};

	TRY(sink, sizeof(sink), open_sink(tried));
	TRY(source, sizeof(source), open_source(tried, writer, &position));
	TRY(allocator, offsetof(mprof_allocator, user), open_with_allocator(tried));
	mprof_writer_destroy(writer);
}

static const mprof_record two_modules[] = {
	{.kind = MPROF_RECORD_MODULE, .id = 1, .as.module = {0x1000, 16, 0, "/lib/a", "0a", 0, 0}},
	{.kind = MPROF_RECORD_MODULE, .id = 2, .as.module = {0x2000, 32, 0, "/lib/b", NULL, 0, 0}},
};

Test(struct_sizes, arrays_that_are_written)
{
	static const mprof_property facts[] = {{"a", "1"}, {"b", "2"}};
	const size_t record_size = sizeof(mprof_record) + MORE;
	const size_t fact_size = sizeof(mprof_property) + MORE;
	mprof_writer *usual = open_writer(MPROF_DIALECT_MPROF2);
	mprof_writer *later = open_writer(MPROF_DIALECT_MPROF2);
	unsigned char *records = restrided(two_modules, sizeof(*two_modules), record_size, 2);
	unsigned char *properties = restrided(facts, sizeof(*facts), fact_size, 2);
	const uint8_t *bytes;
	const uint8_t *later_bytes;
	size_t length;

	cr_assert_eq(mprof_writer_write_records(usual, MPROF_BLOCK_CODE, 0, two_modules, sizeof(*two_modules), 2),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_session(usual, facts, sizeof(*facts), 2), MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(later, MPROF_BLOCK_CODE, 0, (const void *)records, record_size, 2),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_session(later, (const void *)properties, fact_size, 2), MPROF_OK);
	length = log_length(later);
	cr_assert_eq(log_length(usual), length);
	cr_assert_eq(mprof_writer_get_memory(usual, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(later, &later_bytes, &length), MPROF_OK);
	cr_assert_eq(memcmp(bytes, later_bytes, length), 0);
	properties[2 * fact_size - 1] = 1;
	cr_assert_eq(mprof_writer_write_session(later, (const void *)properties, fact_size, 2), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_session(later, facts, sizeof(*facts) - 1, 2), MPROF_ERR_ARGUMENT);
	records[record_size - 1] = 1;
	cr_assert_eq(mprof_writer_write_records(later, MPROF_BLOCK_CODE, 0, (const void *)records, record_size, 2),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_records(later, MPROF_BLOCK_CODE, 0, two_modules, sizeof(*two_modules) - 8, 2),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(log_length(later), length, "nothing of it was written");
	mprof_writer_destroy(usual);
	mprof_writer_destroy(later);
}

/* Elements of another size keep their distance, and what the library does not have is 0. */
static void check_elements(const unsigned char *elements, size_t size, const void *expected, size_t expected_size,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const unsigned char *copy = (const unsigned char *)expected + i * expected_size;

		cr_assert_eq(memcmp(elements + i * size, copy, expected_size), 0);
		cr_assert(is_zero(elements + i * size + expected_size, size - expected_size));
	}
}

Test(struct_sizes, arrays_that_are_read)
{
	const size_t record_size = sizeof(mprof_record) + MORE;
	const size_t mapping_size = sizeof(mprof_mapping) + MORE;
	unsigned char *records = memset(guarded(2 * record_size), 0xa5, 2 * record_size);
	unsigned char *mappings = memset(guarded(2 * mapping_size), 0xa5, 2 * mapping_size);
	mprof_writer *writer = open_writer(MPROF_DIALECT_MPROF2);
	mprof_reader *reader;
	mprof_record own_records[2];
	mprof_mapping own_mappings[2];
	mprof_block block;
	size_t count;

	define_names(writer);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_CODE, 0, two_modules, sizeof(*two_modules), 2),
		     MPROF_OK);
	reader = open_reader(writer);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_CODE) {
			cr_assert_eq(
				mprof_reader_next_records(reader, own_records, sizeof(*own_records) - 1, 2, &count),
				MPROF_ERR_ARGUMENT);
			cr_assert_eq(mprof_reader_next_records(reader, own_records, sizeof(*own_records), 2, &count),
				     MPROF_OK);
			cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
			cr_assert_eq(mprof_reader_next_records(reader, (void *)records, record_size, 2, &count),
				     MPROF_OK);
			cr_assert_eq(count, 2);
			check_elements(records, record_size, own_records, sizeof(*own_records), 2);
		} else if (block.kind == MPROF_BLOCK_MAPPING) {
			cr_assert_eq(
				mprof_reader_next_mappings(reader, own_mappings, sizeof(*own_mappings) - 1, 2, &count),
				MPROF_ERR_ARGUMENT);
			cr_assert_eq(mprof_reader_next_mappings(reader, own_mappings, sizeof(*own_mappings), 2, &count),
				     MPROF_OK);
			cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
			cr_assert_eq(mprof_reader_next_mappings(reader, (void *)mappings, mapping_size, 2, &count),
				     MPROF_OK);
			cr_assert_eq(count, 2);
			check_elements(mappings, mapping_size, own_mappings, sizeof(*own_mappings), 2);
		}
	}
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

Test(struct_sizes, what_is_looked_up)
{
	mprof_writer *writer = open_writer(MPROF_DIALECT_MPROF2);
	unsigned char *room = guarded(sizeof(mprof_record) + MORE);
	unsigned char *mapping = memset(guarded(sizeof(mprof_mapping) + MORE), 0xa5, sizeof(mprof_mapping) + MORE);
	unsigned char *frames =
		memset(guarded(sizeof(mprof_stack_frame) + MORE), 0xa5, sizeof(mprof_stack_frame) + MORE);
	mprof_mapping own_mapping;
	mprof_record own_record;
	mprof_stack_frame own_frame;
	mprof_reader *reader;
	mprof_block block;
	uint32_t caller;
	size_t count;

	define_names(writer);
	reader = open_reader(writer);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	cr_assert_eq(mprof_reader_lookup_class(reader, 1, &own_mapping, sizeof(own_mapping)), MPROF_OK);
	cr_assert_eq(mprof_reader_lookup_class(reader, 1, (void *)mapping, sizeof(mprof_mapping) + MORE), MPROF_OK);
	check_elements(mapping, sizeof(mprof_mapping) + MORE, &own_mapping, sizeof(own_mapping), 1);
	cr_assert_eq(mprof_reader_lookup_method(reader, 1, &own_mapping, sizeof(own_mapping)), MPROF_OK);
	cr_assert_eq(mprof_reader_lookup_method(reader, 1, (void *)mapping, sizeof(mprof_mapping) + MORE), MPROF_OK);
	check_elements(mapping, sizeof(mprof_mapping) + MORE, &own_mapping, sizeof(own_mapping), 1);
	cr_assert_eq(mprof_reader_lookup_class(reader, 1, &own_mapping, 8), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_reader_lookup_method(reader, 1, &own_mapping, 8), MPROF_ERR_ARGUMENT);
	memset(room, 0xa5, sizeof(mprof_record) + MORE);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_STACK, 1, &own_record, sizeof(own_record)),
		     MPROF_OK);
	cr_assert_eq(
		mprof_reader_lookup_record(reader, MPROF_RECORD_STACK, 1, (void *)room, sizeof(mprof_record) + MORE),
		MPROF_OK);
	check_elements(room, sizeof(mprof_record) + MORE, &own_record, sizeof(own_record), 1);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_STACK, 1, &own_record, 8), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_reader_lookup_caller(reader, 1, &own_frame, sizeof(own_frame), &caller), MPROF_OK);
	cr_assert_eq(mprof_reader_lookup_stack(reader, 1, (void *)frames, sizeof(own_frame) + MORE, 1, &count),
		     MPROF_OK);
	check_elements(frames, sizeof(own_frame) + MORE, &own_frame, sizeof(own_frame), 1);
	cr_assert_eq(mprof_reader_lookup_stack(reader, 1, &own_frame, 4, 1, &count), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_reader_lookup_caller(reader, 1, &own_frame, 4, &caller), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

/* Blocks and figures of any size: exactly that many bytes are written. */
Test(struct_sizes, blocks_and_figures)
{
	mprof_writer *writer = open_writer(MPROF_DIALECT_MPROF2);
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	mprof_writer_stats *shorter = resized(&stats, sizeof(stats), offsetof(mprof_writer_stats, left_out_events));
	mprof_reader *reader;
	mprof_block block;
	unsigned char *room;

	define_names(writer);
	reader = open_reader(writer);
	cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_OK);
	cr_assert_eq(mprof_writer_get_stats(writer, shorter), MPROF_OK);
	cr_assert_eq(shorter->blocks, stats.blocks);
	mprof_block_init(&block, sizeof(block));
	/* The text of the first INTRO is kept elsewhere. */
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	for (size_t size = sizeof(size_t); size < sizeof(block) + MORE; size += 8) {
		size_t common = size < sizeof(block) ? size : sizeof(block);

		room = memset(guarded(size), 0xa5, size);
		mprof_block_init((void *)room, size);
		cr_assert(is_zero(room + sizeof(size), size - sizeof(size)));
		cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
		cr_assert_eq(mprof_reader_next_block(reader, (void *)room), MPROF_OK);
		cr_assert_eq(memcmp(room, &size, sizeof(size)), 0);
		cr_assert_eq(memcmp(room + sizeof(size), (const unsigned char *)&block + sizeof(size),
				    common - sizeof(size)),
			     0);
	}
	mprof_block_init(NULL, sizeof(block));
	mprof_block_init(&block, sizeof(size_t) - 1);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

Test(struct_sizes, what_a_recorder_takes)
{
	const mprof_root_area area = {.struct_size = sizeof(area), .start = 0x5000, .size = 16};
	const mprof_key_range range = {1, 1};
	const mprof_argument_record argument = {.name = "argument"};
	const mprof_type_record type = {.first_argument = 1, .argument_count = 1, .name = "type"};
	mprof_metric_value value = {.value = 5};
	const mprof_metric_description metric = {.struct_size = sizeof(metric), .name = "n"};
	mprof_element element = {
		.struct_size = sizeof(element), .kind = MPROF_ELEMENT_MODULE, .name = "module", .name_length = 6};
	size_t written = 0;
	const mprof_sink sink = {.struct_size = sizeof(sink), .write = sink_write, .user = &written};
	mprof_recorder *recorder;
	unsigned char *room;
	uint32_t id;

	if (!mprof_version_has_feature(MPROF_FEATURE_RECORDER))
		return;
	cr_assert_eq(mprof_recorder_open_sink(&sink, NULL, &recorder, NULL), MPROF_OK);
	TRY(area, offsetof(mprof_root_area, name), mprof_recorder_register_root(recorder, (const void *)tried));
	TRY(element, offsetof(mprof_element, assembly), mprof_recorder_record_loaded(recorder, 7, (const void *)tried));
	TRY(metric, offsetof(mprof_metric_description, flags),
	    mprof_recorder_define_metric_detailed(recorder, (const void *)tried, &id));
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", 0, &value.metric), MPROF_OK);
	room = restrided(&value, sizeof(value), sizeof(value) + MORE, 1);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, (const void *)room, sizeof(value) + MORE, 1), MPROF_OK);
	room[sizeof(value)] = 1;
	cr_assert_eq(mprof_recorder_record_metrics(recorder, (const void *)room, sizeof(value) + MORE, 1),
		     MPROF_ERR_ARGUMENT);
	/* Bytes that are not given are 0. */
	cr_assert_eq(mprof_recorder_record_metrics(recorder, &value, offsetof(mprof_metric_value, counter), 1),
		     MPROF_OK);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, &value, offsetof(mprof_metric_value, value), 1),
		     MPROF_ERR_ARGUMENT);
	room = restrided(&range, sizeof(range), sizeof(range) + MORE, 1);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, (const void *)room, sizeof(range) + MORE, 1), MPROF_OK);
	room[sizeof(range)] = 1;
	cr_assert_eq(mprof_recorder_retire_keys(recorder, (const void *)room, sizeof(range) + MORE, 1),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, &range, sizeof(range) - 1, 1), MPROF_ERR_ARGUMENT);
	room = restrided(&argument, sizeof(argument), sizeof(argument) + MORE, 1);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, (const void *)room, sizeof(argument) + MORE, 1, &id),
		     MPROF_OK);
	room[sizeof(argument)] = 1;
	cr_assert_eq(mprof_recorder_define_arguments(recorder, (const void *)room, sizeof(argument) + MORE, 1, &id),
		     MPROF_ERR_ARGUMENT);
	room = restrided(&type, sizeof(type), sizeof(type) + MORE, 1);
	cr_assert_eq(mprof_recorder_define_type(recorder, (const void *)room, sizeof(type) + MORE, &id), MPROF_OK);
	room[sizeof(type)] = 1;
	cr_assert_eq(mprof_recorder_define_type(recorder, (const void *)room, sizeof(type) + MORE, &id),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, offsetof(mprof_type_record, period) - 1, &id),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
}

/* A client that has causes, kinds and blocks of later releases in mind finds room for them. */
Test(struct_sizes, arrays_by_kind_have_room)
{
	mprof_number_set set = {{0}};

	cr_assert_eq(COUNT_OF(((mprof_recorder_stats *)0)->lost), 256);
	cr_assert_eq(COUNT_OF(((mprof_writer_stats *)0)->left_out_events), 256);
	cr_assert_eq(COUNT_OF(((mprof_profile_totals *)0)->block_counts), 256);
	for (uint32_t kind = 0; kind < 256; kind += 51)
		cr_assert_eq(mprof_number_set_add(&set, kind), MPROF_OK);
	cr_assert_eq(mprof_number_set_add(&set, 256), MPROF_ERR_ARGUMENT);
	for (uint32_t kind = 0; kind < 300; kind++)
		cr_assert_eq(mprof_number_set_has(&set, kind), kind < 256 && kind % 51 == 0);
	cr_assert_eq(mprof_number_set_has(NULL, MPROF_BLOCK_INTRO), 0);
	cr_assert_eq(mprof_frame_make_native(5), MPROF_FRAME_NATIVE | 5);
	cr_assert_eq(mprof_frame_make_compiling(5), MPROF_FRAME_COMPILING | 5);
	cr_assert_eq(mprof_frame_make_line(5, 2, 1), MPROF_FRAME_LINE | MPROF_FRAME_INLINED | UINT64_C(2) << 32 | 5);
	cr_assert_eq(mprof_frame_make_line(5, UINT32_C(1) << 28, 0), MPROF_FRAME_LINE | 5);
	cr_assert_eq(mprof_frame_make_file(5), MPROF_FRAME_FILE | 5);
}
