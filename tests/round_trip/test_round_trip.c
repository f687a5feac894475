/* SPDX-License-Identifier: MIT */
/* Every block and event can be written and read again, in both dialects, with edge cases of numbers and names. */
#include <mprof/reader.h>
#include <mprof/writer.h>

#include "format/events/event_kinds.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)
#define ALL_DIRECTIVES                                                                                                 \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |                             \
	 BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS) |    \
	 BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |                                  \
	 BIT(MPROF_DIRECTIVE_CLASS_SIZES) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |                                 \
	 BIT(MPROF_DIRECTIVE_DETAILED_EVENTS))

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const uint64_t edge_values[] = {
	0,
	1,
	31,
	32,
	127,
	128,
	16383,
	16384,
	UINT32_MAX,
	UINT64_C(1) << 32,
	UINT64_C(1) << 56,
	UINT64_C(1) << 63,
	UINT64_MAX,
};

static const uint32_t edge_ids[] = {1, 31, 32, 127, 128, 4095, 4096, 1 << 21, 1 << 23, UINT32_MAX - 1, UINT32_MAX};

/* Filled once; lengths around those at which varints and buffers change. */
static char long_name[(1 << 20) + 1];

static const char *edge_name(size_t i, size_t *length)
{
	static const char *const names[] = {
		"", "a", "Größe", "\xf0\x9f\x98\x80 \xe4\xb8\xad", "with\nlines\tand\x01", "\xff\xfe"};
	static const size_t lengths[] = {127, 128, 65535, 65536, 1 << 20};

	if (long_name[0] == 0)
		memset(long_name, 'n', sizeof(long_name) - 1);
	if (i % (COUNT_OF(names) + COUNT_OF(lengths)) < COUNT_OF(names)) {
		*length = strlen(names[i % (COUNT_OF(names) + COUNT_OF(lengths))]);
		return names[i % (COUNT_OF(names) + COUNT_OF(lengths))];
	}
	*length = lengths[i % (COUNT_OF(names) + COUNT_OF(lengths)) - COUNT_OF(names)];
	return long_name + sizeof(long_name) - 1 - *length;
}

typedef struct round_trip {
	mprof_writer *writer;
	mprof_reader *reader;
	mprof_block block;
	uint64_t readings;
	int is_mail;
	int has_directives;
} round_trip;

/* Edge cases of counters and times, each followed by a later or an earlier one: a clock pair may have any values. */
static mprof_clock clock_at(uint64_t reading)
{
	mprof_clock clock;

	clock.counter = edge_values[reading % COUNT_OF(edge_values)];
	clock.time = edge_values[reading / 2 % COUNT_OF(edge_values)];
	return clock;
}

static void read_clock(void *user, mprof_clock *clock)
{
	*clock = clock_at((*(uint64_t *)user)++);
}

static void begin(round_trip *trip, uint32_t dialect, uint64_t directives)
{
	mprof_writer_options options;

	memset(trip, 0, sizeof(*trip));
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.clock = read_clock;
	options.clock_user = &trip->readings;
	options.runtime = "runtime";
	options.intro_flags = 2 * MPROF_INTRO_FLAG_MEMORY - 1;
	trip->is_mail = dialect == MPROF_DIALECT_MAIL;
	trip->has_directives = directives != 0;
	cr_assert_eq(mprof_writer_open_memory(&options, &trip->writer), MPROF_OK);
}

static void next(round_trip *trip, mprof_block_kind kind)
{
	mprof_status status = mprof_reader_next_block(trip->reader, &trip->block);
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_reader_get_error(trip->reader, &error);
	cr_assert_eq(status, MPROF_OK, "%s: %s", mprof_status_get_text(status), error.what);
	cr_assert_eq(trip->block.kind, kind, "%s instead of %s", mprof_block_get_name(trip->block.kind),
		     mprof_block_get_name(kind));
	cr_assert_eq(trip->block.loaded, 1);
}

/* Closes the log and reads it, up to the first block after INTRO and DIRECTIVES. */
static void turn(round_trip *trip)
{
	const uint8_t *bytes;
	size_t length;
	mprof_status status;

	cr_assert_eq(mprof_writer_close(trip->writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(trip->writer, &bytes, &length), MPROF_OK);
	status = mprof_reader_open_memory(bytes, length, NULL, &trip->reader);
	cr_assert_eq(status, MPROF_OK, "%s", mprof_status_get_text(status));
	mprof_block_init(&trip->block, sizeof(trip->block));
	next(trip, MPROF_BLOCK_INTRO);
	cr_assert_eq(trip->block.as.intro.version, trip->is_mail ? 1 : 2);
	cr_assert_eq(trip->block.as.intro.flags, 2 * MPROF_INTRO_FLAG_MEMORY - 1);
	cr_assert_str_eq(trip->block.as.intro.runtime, "runtime");
	if (!trip->has_directives)
		return;
	next(trip, MPROF_BLOCK_DIRECTIVES);
	cr_assert_eq(trip->block.as.directives.declared.bits[0], ALL_DIRECTIVES);
}

static void finish(round_trip *trip)
{
	mprof_session session = {.struct_size = sizeof(session)};

	next(trip, MPROF_BLOCK_END);
	cr_assert_eq(mprof_reader_next_block(trip->reader, &trip->block), MPROF_END);
	cr_assert_eq(mprof_reader_get_session(trip->reader, &session), MPROF_OK);
	cr_assert_eq(session.complete, 1);
	cr_assert_eq(session.dialect, trip->is_mail ? MPROF_DIALECT_MAIL : MPROF_DIALECT_MPROF2);
	mprof_reader_destroy(trip->reader);
	cr_assert_eq(mprof_writer_destroy(trip->writer), MPROF_OK);
}

/* Object sizes that allocations of this test have, or have not. */
static uint32_t edge_size(size_t i)
{
	return (uint32_t)edge_values[i % COUNT_OF(edge_values)];
}

static void define_edge_ids(round_trip *trip)
{
	for (size_t i = 0; i < COUNT_OF(edge_ids); i++) {
		mprof_class_definition a_class = {
			sizeof(mprof_class_definition), edge_ids[i], 0, "C", 1, edge_size(i), 0};
		mprof_method_definition method = {
			sizeof(mprof_method_definition), edge_ids[i], edge_ids[i], 0, 0, "m ()", 4, NULL, 0, 0, 0};

		cr_assert_eq(mprof_writer_define_class(trip->writer, &a_class), MPROF_OK);
		cr_assert_eq(mprof_writer_define_method(trip->writer, &method), MPROF_OK);
	}
}

#define STACKS 300

static void define_stacks(round_trip *trip)
{
	mprof_record records[STACKS];

	memset(records, 0, sizeof(records));
	for (uint32_t i = 0; i < STACKS; i++) {
		records[i].kind = MPROF_RECORD_STACK;
		records[i].id = i + 1;
		records[i].as.stack.caller = i / 2;
	}
	cr_assert_eq(mprof_writer_write_records(trip->writer, MPROF_BLOCK_STACKS, 0, records, sizeof(*records), STACKS),
		     MPROF_OK);
}

#define MAX_EVENTS 4096

static mprof_event written[MAX_EVENTS];
static mprof_event_detail details[MAX_EVENTS];
static size_t written_count;

static mprof_event *add_event(uint32_t kind, uint32_t flags, uint32_t id, uint64_t value)
{
	static uint64_t counter;
	mprof_event *event = &written[written_count];

	cr_assert_lt(written_count, MAX_EVENTS);
	memset(event, 0, sizeof(*event));
	memset(&details[written_count], 0, sizeof(details[0]));
	details[written_count].struct_size = sizeof(details[0]);
	event->kind = (uint8_t)kind;
	event->flags = (uint8_t)flags;
	event->id = id;
	event->value = value;
	/* The deltas are edge cases, too. */
	counter += edge_values[written_count % COUNT_OF(edge_values)];
	event->counter = counter;
	written_count++;
	return event;
}

static void add_events_with_ids(uint32_t kind, uint32_t flags)
{
	for (size_t i = 0; i < COUNT_OF(edge_ids); i++)
		add_event(kind, flags, edge_ids[i], 0);
}

static void add_events_with_values(uint32_t kind)
{
	for (size_t i = 0; i < COUNT_OF(edge_values); i++)
		add_event(kind, 0, 0, edge_values[i]);
}

static void add_allocations(int has_details)
{
	for (size_t i = 0; i < COUNT_OF(edge_ids) * COUNT_OF(edge_values); i++) {
		mprof_event *event = add_event(MPROF_EVENT_ALLOCATION, 0, edge_ids[i % COUNT_OF(edge_ids)],
					       edge_values[i % COUNT_OF(edge_values)]);
		mprof_event_detail *detail = &details[written_count - 1];

		if (!has_details)
			continue;
		detail->caller = i % 5 == 0 ? 0 : edge_ids[i / 3 % COUNT_OF(edge_ids)];
		detail->stack = (uint32_t)(i % (STACKS + 1));
		detail->object = edge_values[i / 2 % COUNT_OF(edge_values)];
		event->more.detail = detail;
	}
}

/* Some have the size of their class. */
static void add_allocations_of_fixed_size(void)
{
	for (size_t i = 0; i < 2 * COUNT_OF(edge_ids); i++) {
		size_t a_class = i % COUNT_OF(edge_ids);

		add_event(MPROF_EVENT_ALLOCATION, 0, edge_ids[a_class], edge_size(a_class) + i / COUNT_OF(edge_ids));
	}
}

static void add_detailed_events(void)
{
	static const uint8_t kinds[] = {MPROF_EVENT_MONITOR, MPROF_EVENT_HANDLE_CREATED, MPROF_EVENT_HANDLE_DELETED,
					MPROF_EVENT_FINALIZER_START, MPROF_EVENT_FINALIZER_END};

	for (size_t i = 0; i < COUNT_OF(edge_ids) * COUNT_OF(edge_values); i++) {
		uint32_t kind = kinds[i % sizeof(kinds)];
		int is_handle = kind == MPROF_EVENT_HANDLE_CREATED || kind == MPROF_EVENT_HANDLE_DELETED;
		mprof_event *event = add_event(kind, 0, i % 3 == 0 ? 0 : edge_ids[i % COUNT_OF(edge_ids)], 0);
		mprof_event_detail *detail = &details[written_count - 1];

		event->more.detail = detail;
		if (kind != MPROF_EVENT_HANDLE_DELETED)
			detail->object = edge_values[i / 2 % COUNT_OF(edge_values)];
		if (is_handle)
			detail->handle_type = (uint32_t)(i % 4);
		if (is_handle || kind == MPROF_EVENT_MONITOR) {
			event->value = edge_values[i % COUNT_OF(edge_values)] >> (is_handle ? 2 : 0);
			detail->stack = (uint32_t)(i % (STACKS + 1));
		}
	}
}

static void add_events_of_the_mail(int has_details)
{
	written_count = 0;
	add_events_with_ids(MPROF_EVENT_METHOD_ENTER, 0);
	add_events_with_ids(MPROF_EVENT_METHOD_LEAVE, 0);
	add_events_with_ids(MPROF_EVENT_METHOD_JIT_START, 0);
	add_events_with_ids(MPROF_EVENT_METHOD_JIT_END, 0);
	add_events_with_ids(MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FLAG_FAILED);
	add_events_with_ids(MPROF_EVENT_METHOD_FREED, 0);
	add_events_with_ids(MPROF_EVENT_CLASS_LOAD_START, 0);
	add_events_with_ids(MPROF_EVENT_CLASS_LOAD_END, 0);
	add_events_with_ids(MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FLAG_FAILED);
	add_events_with_ids(MPROF_EVENT_CLASS_UNLOAD_START, 0);
	add_events_with_ids(MPROF_EVENT_CLASS_UNLOAD_END, 0);
	add_events_with_ids(MPROF_EVENT_EXCEPTION, 0);
	for (uint32_t kind = MPROF_EVENT_THREAD_START; kind <= MPROF_EVENT_GC_RESIZE; kind++)
		add_events_with_values(kind);
	add_allocations(has_details);
	add_events_with_ids(MPROF_EVENT_METHOD_ENTER, 0);
}

static void add_events_of_mprof2(void)
{
	add_events_of_the_mail(1);
	add_events_with_ids(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0);
	add_events_with_ids(MPROF_EVENT_METHOD_LEAVE_TAIL, 0);
	for (size_t i = 0; i < COUNT_OF(edge_values); i++)
		add_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 0);
	for (uint32_t kind = MPROF_EVENT_GC_STOP_WORLD_START; kind <= MPROF_EVENT_GC_START_WORLD_END; kind++)
		add_events_with_values(kind);
	for (uint32_t kind = MPROF_EVENT_FINALIZATION_START; kind <= MPROF_EVENT_RECORDING_RESUMED; kind++)
		add_events_with_values(kind);
	add_allocations_of_fixed_size();
	add_detailed_events();
}

static uint32_t kind_in_log(const mprof_event *event)
{
	return (event->flags & MPROF_EVENT_FLAG_IMPLICIT) != 0 ? MPROF_EVENT_METHOD_LEAVE_IMPLICIT : event->kind;
}

static void expect_event(const mprof_event *read, size_t i, uint64_t *last_counter, int has_details)
{
	const mprof_event *event = &written[i];

	if (event->kind != MPROF_EVENT_ALLOCATION)
		*last_counter = event->counter;
	cr_assert_eq(kind_in_log(read), event->kind, "event %zu", i);
	cr_assert_eq(read->flags & ~MPROF_EVENT_FLAG_IMPLICIT, event->flags, "event %zu", i);
	if (event->kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
		cr_assert_eq(read->id, event->id, "event %zu", i);
	cr_assert_eq(read->value, event->value, "event %zu", i);
	cr_assert_eq(read->counter, *last_counter, "event %zu", i);
	if (!has_details || (event->kind != MPROF_EVENT_ALLOCATION && event->more.detail == NULL)) {
		cr_assert_eq(read->more.detail_bits, 0, "event %zu", i);
		return;
	}
	cr_assert_not_null(read->more.detail, "event %zu", i);
	cr_assert_eq(memcmp(read->more.detail, &details[i], sizeof(details[i])), 0, "event %zu", i);
}

static void expect_events(round_trip *trip, uint64_t base_counter, int has_details)
{
	uint64_t last_counter = base_counter;
	mprof_event read[100];
	size_t done = 0;
	size_t count;
	mprof_status status;

	while ((status = mprof_reader_next_events(trip->reader, read, 1 + done % 100, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			expect_event(&read[i], done + i, &last_counter, has_details);
		done += count;
	}
	cr_assert_eq(status, MPROF_END);
	cr_assert_eq(done, written_count);
}

static void round_trip_events(uint32_t dialect, uint64_t directives)
{
	round_trip trip;

	begin(&trip, dialect, directives);
	define_edge_ids(&trip);
	if (directives != 0)
		define_stacks(&trip);
	for (size_t i = 0; i < COUNT_OF(edge_values); i++) {
		cr_assert_eq(mprof_writer_begin_events(trip.writer, edge_values[i], edge_values[i]), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(trip.writer, written, written_count, NULL), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(trip.writer), MPROF_OK);
	}
	turn(&trip);
	next(&trip, MPROF_BLOCK_MAPPING);
	if (directives != 0)
		next(&trip, MPROF_BLOCK_STACKS);
	for (size_t i = 0; i < COUNT_OF(edge_values); i++) {
		next(&trip, MPROF_BLOCK_EVENTS);
		cr_assert_eq(trip.block.thread, edge_values[i]);
		cr_assert_eq(trip.block.as.events.base_counter, edge_values[i]);
		cr_assert_eq(trip.block.has_clocks, 1);
		expect_events(&trip, edge_values[i], directives != 0);
	}
	finish(&trip);
}

Test(round_trip, events)
{
	add_events_of_the_mail(0);
	round_trip_events(MPROF_DIALECT_MAIL, 0);
	round_trip_events(MPROF_DIALECT_MPROF2, 0);
	add_events_of_mprof2();
	round_trip_events(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);
}

static mprof_element make_element(size_t i, mprof_assembly_name *split)
{
	static const uint32_t types[] = {MPROF_ELEMENT_MODULE, MPROF_ELEMENT_ASSEMBLY, MPROF_ELEMENT_DOMAIN};
	mprof_element element = {.struct_size = sizeof(element)};
	size_t length;

	element.kind = types[i % 3] | (i % 2 ? MPROF_ELEMENT_FLAG_FAILURE : MPROF_ELEMENT_FLAG_SUCCESS);
	element.id = i % 7 == 0 ? 0 : edge_ids[i % COUNT_OF(edge_ids)];
	element.start_counter = edge_values[i % COUNT_OF(edge_values)];
	element.end_counter = edge_values[(i + 1) % COUNT_OF(edge_values)];
	element.thread = edge_values[(i + 2) % COUNT_OF(edge_values)];
	element.name = edge_name(i, &element.name_length);
	element.assembly = split;
	split->struct_size = sizeof(*split);
	split->base_name = edge_name(i + 1, &length);
	split->culture = edge_name(i + 2, &length);
	split->public_key_token = edge_name(i + 3, &length);
	split->major = edge_ids[(i + 1) % COUNT_OF(edge_ids)];
	split->minor = edge_ids[(i + 2) % COUNT_OF(edge_ids)];
	split->build = 0;
	split->revision = edge_ids[(i + 3) % COUNT_OF(edge_ids)];
	split->retargetable = i % 2;
	return element;
}

static void expect_element(round_trip *trip, const mprof_element *element, int is_loaded)
{
	const mprof_block *block = &trip->block;
	const mprof_assembly_name *split = element->assembly;
	uint32_t has_split = trip->has_directives && is_loaded && (element->kind & MPROF_ELEMENT_ASSEMBLY) != 0;

	next(trip, is_loaded ? MPROF_BLOCK_LOADED : MPROF_BLOCK_UNLOADED);
	cr_assert_eq(block->as.element.kind, is_loaded ? element->kind : element->kind & 7U);
	cr_assert_eq(block->as.element.id, trip->has_directives ? element->id : 0);
	cr_assert_eq(block->as.element.start_counter, element->start_counter);
	cr_assert_eq(block->as.element.end_counter, element->end_counter);
	cr_assert_eq(block->thread, element->thread);
	cr_assert_eq(block->as.element.name_length, element->name_length);
	cr_assert_eq(memcmp(block->as.element.name, element->name, element->name_length), 0);
	cr_assert_eq(block->as.element.assembly != NULL, has_split);
	if (!has_split)
		return;
	cr_assert_str_eq(block->as.element.assembly->base_name, split->base_name);
	cr_assert_str_eq(block->as.element.assembly->culture, split->culture);
	cr_assert_str_eq(block->as.element.assembly->public_key_token, split->public_key_token);
	cr_assert_eq(block->as.element.assembly->major, split->major);
	cr_assert_eq(block->as.element.assembly->minor, split->minor);
	cr_assert_eq(block->as.element.assembly->build, split->build);
	cr_assert_eq(block->as.element.assembly->revision, split->revision);
	cr_assert_eq(block->as.element.assembly->retargetable, split->retargetable);
}

static void round_trip_elements(uint32_t dialect, uint64_t directives)
{
	mprof_assembly_name split;
	mprof_element element;
	round_trip trip;

	begin(&trip, dialect, directives);
	for (size_t i = 0; i < 60; i++) {
		element = make_element(i, &split);
		cr_assert_eq(mprof_writer_write_loaded(trip.writer, &element), MPROF_OK);
		cr_assert_eq(mprof_writer_write_unloaded(trip.writer, &element), MPROF_OK);
	}
	turn(&trip);
	for (size_t i = 0; i < 60; i++) {
		element = make_element(i, &split);
		expect_element(&trip, &element, 1);
		expect_element(&trip, &element, 0);
	}
	finish(&trip);
}

Test(round_trip, elements)
{
	round_trip_elements(MPROF_DIALECT_MAIL, 0);
	round_trip_elements(MPROF_DIALECT_MPROF2, 0);
	round_trip_elements(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);
}

static mprof_mapping make_mapping(size_t i, int is_method)
{
	mprof_mapping mapping;

	memset(&mapping, 0, sizeof(mapping));
	mapping.is_method = (uint32_t)is_method;
	mapping.id = edge_ids[i];
	mapping.name = edge_name(i + (is_method ? 3 : 0), &mapping.name_length);
	if (is_method) {
		mapping.class_id = i % 3 == 0 ? 0 : edge_ids[i / 2];
		mapping.flags = i % 2 ? MPROF_METHOD_FLAG_WRAPPER : 0;
	} else {
		mapping.assembly_id = i % 4 == 0 ? 0 : edge_ids[(i + 1) % COUNT_OF(edge_ids)];
		mapping.size = edge_size(i);
	}
	return mapping;
}

static void expect_mapping(round_trip *trip, const mprof_mapping *read, size_t i, int is_method)
{
	mprof_mapping expected = make_mapping(i, is_method);

	cr_assert_eq(read->is_method, expected.is_method);
	cr_assert_eq(read->id, expected.id);
	cr_assert_eq(read->class_id, expected.class_id);
	cr_assert_eq(read->assembly_id, trip->has_directives ? expected.assembly_id : 0);
	cr_assert_eq(read->flags, trip->has_directives ? expected.flags : 0);
	cr_assert_eq(read->size, trip->has_directives ? expected.size : 0);
	cr_assert_eq(read->name_length, expected.name_length);
	cr_assert_eq(memcmp(read->name, expected.name, expected.name_length + 1), 0);
}

static void round_trip_definitions(uint32_t dialect, uint64_t directives)
{
	mprof_mapping read[3];
	round_trip trip;
	size_t done = 0;
	size_t count = 0;

	begin(&trip, dialect, directives);
	for (size_t i = 0; i < COUNT_OF(edge_ids); i++) {
		mprof_mapping from = make_mapping(i, 0);
		mprof_class_definition definition = {sizeof(mprof_class_definition),
						     from.id,
						     from.assembly_id,
						     from.name,
						     from.name_length,
						     from.size,
						     0};

		cr_assert_eq(mprof_writer_define_class(trip.writer, &definition), MPROF_OK);
	}
	for (size_t i = 0; i < COUNT_OF(edge_ids); i++) {
		mprof_mapping from = make_mapping(i, 1);
		mprof_method_definition definition = {sizeof(mprof_method_definition),
						      from.id,
						      from.class_id,
						      from.flags,
						      0,
						      from.name,
						      from.name_length,
						      NULL,
						      0,
						      0,
						      0};

		cr_assert_eq(mprof_writer_define_method(trip.writer, &definition), MPROF_OK);
	}
	turn(&trip);
	next(&trip, MPROF_BLOCK_MAPPING);
	while (mprof_reader_next_mappings(trip.reader, read, sizeof(*read), 3, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++, done++)
			expect_mapping(&trip, &read[i], done % COUNT_OF(edge_ids), done >= COUNT_OF(edge_ids));
	}
	cr_assert_eq(done, 2 * COUNT_OF(edge_ids));
	for (size_t i = 0; i < COUNT_OF(edge_ids); i++) {
		cr_assert_eq(mprof_reader_lookup_class(trip.reader, edge_ids[i], read, sizeof(*read)), MPROF_OK);
		expect_mapping(&trip, read, i, 0);
		cr_assert_eq(mprof_reader_lookup_method(trip.reader, edge_ids[i], read, sizeof(*read)), MPROF_OK);
		expect_mapping(&trip, read, i, 1);
	}
	finish(&trip);
}

Test(round_trip, definitions)
{
	round_trip_definitions(MPROF_DIALECT_MAIL, 0);
	round_trip_definitions(MPROF_DIALECT_MPROF2, 0);
	round_trip_definitions(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);
}

/* The function of a hit, whose name is its ID, since these dialects have no names of functions. */
static void expect_function(const mprof_reader *reader, const mprof_event *event, uint32_t id)
{
	char expected[16];
	char name[16];
	mprof_stack_frame frame;
	uint32_t caller;

	cr_assert_eq(event->id, 0);
	cr_assert_eq(mprof_reader_lookup_caller(reader, (uint32_t)event->value, &frame, sizeof(frame), &caller),
		     MPROF_OK);
	cr_assert_eq(frame.is_native, 1);
	cr_assert_eq(caller, 0);
	snprintf(expected, sizeof(expected), "#%u", (unsigned)id);
	mprof_reader_format_location(reader, frame.id, name, sizeof(name));
	cr_assert_str_eq(name, expected);
}

static void expect_samples(round_trip *trip, size_t method_count, size_t function_count)
{
	mprof_event read[4];
	size_t done = 0;
	size_t count;

	while (mprof_reader_next_events(trip->reader, read, 4, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++, done++) {
			size_t position = done < method_count ? done : done - method_count;

			cr_assert_eq(read[i].kind, MPROF_EVENT_SAMPLE);
			cr_assert_eq(read[i].flags, done < method_count ? 0 : MPROF_EVENT_FLAG_NATIVE);
			if (done < method_count)
				cr_assert_eq(read[i].id, edge_ids[position]);
			else
				expect_function(trip->reader, &read[i], edge_ids[position]);
		}
	}
	cr_assert_eq(done, method_count + function_count);
}

static void round_trip_samples(uint32_t dialect)
{
	round_trip trip;
	size_t most = COUNT_OF(edge_ids);

	begin(&trip, dialect, 0);
	define_edge_ids(&trip);
	for (size_t i = 0; i <= most; i++)
		cr_assert_eq(mprof_writer_write_statistical(trip.writer, edge_values[i], edge_ids, i, edge_ids,
							    most - i, edge_values[i + 1]),
			     MPROF_OK);
	cr_assert_eq(mprof_writer_write_statistical(trip.writer, 0, NULL, 0, NULL, 0, 0), MPROF_OK);
	turn(&trip);
	next(&trip, MPROF_BLOCK_MAPPING);
	for (size_t i = 0; i <= most; i++) {
		next(&trip, MPROF_BLOCK_STATISTICAL);
		cr_assert_eq(trip.block.as.statistical.start_counter, edge_values[i]);
		cr_assert_eq(trip.block.as.statistical.end_counter, edge_values[i + 1]);
		expect_samples(&trip, i, most - i);
	}
	next(&trip, MPROF_BLOCK_STATISTICAL);
	expect_samples(&trip, 0, 0);
	finish(&trip);
}

Test(round_trip, samples)
{
	round_trip_samples(MPROF_DIALECT_MAIL);
	round_trip_samples(MPROF_DIALECT_MPROF2);
}

Test(round_trip, facts)
{
	mprof_property properties[8];
	const char *key;
	const char *value;
	round_trip trip;
	size_t length;

	for (size_t i = 0; i < COUNT_OF(properties); i++) {
		properties[i].key = edge_name(i + 1, &length);
		properties[i].value = edge_name(i * 3, &length);
		if (properties[i].key[0] == 0)
			properties[i].key = "key";
	}
	begin(&trip, MPROF_DIALECT_MPROF2, 0);
	for (size_t count = 0; count <= COUNT_OF(properties); count++)
		cr_assert_eq(mprof_writer_write_session(trip.writer, properties, sizeof(*properties), count), MPROF_OK);
	turn(&trip);
	for (size_t count = 0; count <= COUNT_OF(properties); count++) {
		next(&trip, MPROF_BLOCK_SESSION);
		for (size_t i = 0; i < count; i++) {
			cr_assert_eq(mprof_reader_next_property(trip.reader, &key, &value), MPROF_OK);
			cr_assert_str_eq(key, properties[i].key);
			cr_assert_str_eq(value, properties[i].value);
		}
		cr_assert_eq(mprof_reader_next_property(trip.reader, &key, &value), MPROF_END);
	}
	finish(&trip);
}

Test(round_trip, threads_and_losses)
{
	round_trip trip;
	uint64_t counts[LOSS_CAUSE_COUNT + 2] = {0};
	const char *name;
	size_t length;

	begin(&trip, MPROF_DIALECT_MPROF2, 0);
	for (size_t i = 0; i < COUNT_OF(edge_values); i++) {
		name = edge_name(i, &length);
		cr_assert_eq(mprof_writer_write_thread_name(trip.writer, edge_values[i], name, length), MPROF_OK);
		counts[MPROF_LOSS_NO_BUFFER] = edge_values[i];
		counts[MPROF_LOSS_WRITE_FAILED] = edge_values[i] / 2;
		counts[LOSS_CAUSE_COUNT] = 3;
		counts[LOSS_CAUSE_COUNT + 1] = 4;
		cr_assert_eq(mprof_writer_write_losses(trip.writer, edge_values[i], counts, COUNT_OF(counts)),
			     MPROF_OK);
	}
	turn(&trip);
	for (size_t i = 0; i < COUNT_OF(edge_values); i++) {
		next(&trip, MPROF_BLOCK_THREAD);
		name = edge_name(i, &length);
		cr_assert_eq(trip.block.thread, edge_values[i]);
		cr_assert_eq(trip.block.as.thread_name.name_length, length);
		cr_assert_eq(memcmp(trip.block.as.thread_name.name, name, length), 0);
		next(&trip, MPROF_BLOCK_LOST);
		cr_assert_eq(trip.block.thread, edge_values[i]);
		cr_assert_eq(trip.block.as.lost.counts[MPROF_LOSS_NO_BUFFER], edge_values[i]);
		cr_assert_eq(trip.block.as.lost.counts[MPROF_LOSS_NO_MEMORY], 0);
		cr_assert_eq(trip.block.as.lost.counts[MPROF_LOSS_WRITE_FAILED], edge_values[i] / 2);
		/* Causes of a later version. */
		cr_assert_eq(trip.block.as.lost.counts[0], 7);
	}
	finish(&trip);
}

Test(round_trip, clocks)
{
	round_trip trip;

	begin(&trip, MPROF_DIALECT_MPROF2, 0);
	for (uint64_t i = 0; i < 2 * COUNT_OF(edge_values); i++) {
		cr_assert_eq(mprof_writer_begin_events(trip.writer, 1, 0), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(trip.writer), MPROF_OK);
	}
	turn(&trip);
	for (uint64_t i = 0; i < 2 * COUNT_OF(edge_values); i++) {
		mprof_clock start = clock_at(1 + 2 * i);
		mprof_clock end = clock_at(2 + 2 * i);

		next(&trip, MPROF_BLOCK_EVENTS);
		cr_assert_eq(trip.block.start.counter, start.counter);
		cr_assert_eq(trip.block.start.time, start.time);
		cr_assert_eq(trip.block.end.counter, end.counter);
		cr_assert_eq(trip.block.end.time, end.time);
	}
	finish(&trip);
}

static uint64_t fold_event(uint64_t folded, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	folded = folded * 31 + event->kind + event->id + event->counter + event->value;
	if (detail != NULL)
		folded = folded * 31 + detail->object + detail->caller + detail->stack * 3 + detail->handle_type;
	return folded;
}

/* Reads events from a parser that is fed pieces of a given length, and returns a hash of them. */
static uint64_t fold_log(const uint8_t *bytes, size_t length, size_t piece)
{
	uint64_t folded = 0;
	size_t fed = 0;
	mprof_parser *parser;
	mprof_block block;
	mprof_event events[16];
	mprof_status status;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		size_t part = length - fed < piece ? length - fed : piece;

		if (status == MPROF_OK) {
			folded = folded * 31 + block.kind + block.thread;
			while (block.kind == MPROF_BLOCK_EVENTS &&
			       mprof_parser_next_events(parser, events, COUNT_OF(events), &count) == MPROF_OK) {
				for (size_t i = 0; i < count; i++)
					folded = fold_event(folded, &events[i]);
			}
			continue;
		}
		cr_assert_eq(status, MPROF_AGAIN, "%s", mprof_status_get_text(status));
		cr_assert_eq(mprof_parser_feed(parser, bytes + fed, part), MPROF_OK);
		fed += part;
		if (fed == length)
			mprof_parser_finish(parser);
	}
	cr_assert_eq(mprof_parser_is_complete(parser), 1);
	mprof_parser_destroy(parser);
	return folded;
}

Test(round_trip, pieces_of_any_length)
{
	static const size_t pieces[] = {1, 2, 3, 5, 6, 7, 64, 1000};
	const uint8_t *bytes;
	round_trip trip;
	uint64_t whole;
	size_t length;

	add_events_of_mprof2();
	begin(&trip, MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);
	define_edge_ids(&trip);
	define_stacks(&trip);
	for (uint64_t thread = 1; thread <= 3; thread++) {
		cr_assert_eq(mprof_writer_begin_events(trip.writer, thread, 0), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(trip.writer, written, written_count, NULL), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(trip.writer), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_close(trip.writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(trip.writer, &bytes, &length), MPROF_OK);
	whole = fold_log(bytes, length, length);
	for (size_t i = 0; i < COUNT_OF(pieces); i++)
		cr_assert_eq(fold_log(bytes, length, pieces[i]), whole, "pieces of %zu bytes", pieces[i]);
	cr_assert_eq(mprof_writer_destroy(trip.writer), MPROF_OK);
}
