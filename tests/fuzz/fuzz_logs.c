/* SPDX-License-Identifier: MIT */
#include "fuzz_logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;

uint64_t fuzz_random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

void fuzz_random_seed(uint64_t seed)
{
	random_state ^= (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	random_state += random_state == 0;
}

void fuzz_require(int is_right)
{
	if (is_right)
		return;
	fprintf(stderr, "fuzz: a good log could not be made\n");
	abort();
}

static void write_names(mprof_writer *writer, uint32_t first)
{
	for (uint32_t id = first; id < first + 10; id++) {
		const mprof_class_definition class_definition = {
			sizeof(mprof_class_definition), id, 1, "Some.Class", 10, id % 2 * 24, 0};
		const mprof_method_definition method_definition = {
			sizeof(mprof_method_definition), id * 128, id, 1, 0, "Method ()", 9, NULL, 0, 0, 0};

		fuzz_require(mprof_writer_define_class(writer, &class_definition) == MPROF_OK &&
			     mprof_writer_define_method(writer, &method_definition) == MPROF_OK);
	}
}

/* The arguments of events of type 1: a number, a text, a number. */
#define TYPED_ARGUMENTS 3

static void write_events(mprof_writer *writer, uint64_t thread, uint32_t count, int has_directives)
{
	static const uint8_t kinds[] = {
		MPROF_EVENT_METHOD_ENTER,      MPROF_EVENT_METHOD_LEAVE,     MPROF_EVENT_ALLOCATION,
		MPROF_EVENT_GC_START,          MPROF_EVENT_GC_END,           MPROF_EVENT_CLASS_LOAD_START,
		MPROF_EVENT_MONITOR,           MPROF_EVENT_HANDLE_CREATED,   MPROF_EVENT_HANDLE_DELETED,
		MPROF_EVENT_FINALIZER_START,   MPROF_EVENT_EXCEPTION_CLAUSE, MPROF_EVENT_METHOD_CODE,
		MPROF_EVENT_RECORDING_RESUMED, MPROF_EVENT_MEMORY_ALLOCATED, MPROF_EVENT_MEMORY_FREED,
		MPROF_EVENT_MEMORY_RESIZED,    MPROF_EVENT_MONITOR_HOLDER,   MPROF_EVENT_TYPED};
	const size_t plain_kinds = 6;
	uint8_t arguments[] = "\x85\x83one\x81";
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = UINT64_C(0x7f0012345740),
					   .caller = 128,
					   .stack = 2,
					   .size = 300,
					   .started = 900,
					   .arguments = arguments,
					   .argument_size = 6};
	uint64_t counter = 1000;

	fuzz_require(mprof_writer_begin_events(writer, thread, counter) == MPROF_OK);
	for (uint32_t i = 0; i < count; i++) {
		mprof_event event;

		memset(&event, 0, sizeof(event));
		event.kind = kinds[fuzz_random_below(has_directives ? sizeof(kinds) : plain_kinds)];
		/* The method and the class that are defined. */
		event.id = event.kind <= MPROF_EVENT_METHOD_LEAVE || event.kind == MPROF_EVENT_METHOD_CODE ? 128 : 1;
		counter += fuzz_random_below(100000);
		event.counter = counter;
		event.value = fuzz_random_below(2) ? fuzz_random_below(1000) : 24;
		arguments[0] = (uint8_t)(0x80 + fuzz_random_below(128));
		arguments[2] = (uint8_t)('a' + fuzz_random_below(4));
		if (has_directives)
			event.more.detail = &detail;
		fuzz_require(mprof_writer_write_events(writer, &event, 1, NULL) == MPROF_OK);
	}
	fuzz_require(mprof_writer_end_events(writer) == MPROF_OK);
	if (has_directives)
		fuzz_require(mprof_writer_write_watermark(writer, counter - fuzz_random_below(1000)) == MPROF_OK);
}

static mprof_record record_of(uint32_t kind, uint32_t id)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = kind;
	record.id = id;
	if (kind == MPROF_RECORD_MODULE)
		record.as.module.file = "name";
	else if (kind == MPROF_RECORD_FUNCTION)
		record.as.function.name = "name";
	else if (kind == MPROF_RECORD_ROOT)
		record.as.root.name = "name";
	else if (kind == MPROF_RECORD_METRIC)
		record.as.metric.name = "name";
	else if (kind == MPROF_RECORD_ARGUMENT)
		record.as.argument.name = "name";
	else if (kind == MPROF_RECORD_TYPE)
		record.as.type.name = "name";
	else if (kind == MPROF_RECORD_TEXT)
		record.as.text.text = "text";
	else if (kind == MPROF_RECORD_CLOCK)
		record.as.clock.name = "name";
	else if (kind == MPROF_RECORD_TIMELINE)
		record.as.timeline.name = "name";
	else if (kind == MPROF_RECORD_PROCESS)
		record.as.process.command = "a command";
	return record;
}

/* An argument of any kind, with an encoding that a log may give it. */
static void fill_argument(mprof_record *record)
{
	uint32_t kind = (uint32_t)fuzz_random_below(20);

	/* Those of type 1 are the arguments of events, which may then be in columns. */
	if (record->id <= TYPED_ARGUMENTS)
		kind = record->id == 2 ? MPROF_ARGUMENT_TEXT : MPROF_ARGUMENT_NUMBER;
	record->as.argument.kind = kind;
	if (kind == MPROF_ARGUMENT_TEXT || kind == MPROF_ARGUMENT_BYTES)
		record->as.argument.encoding = MPROF_ENCODING_BYTES;
	else if (kind == MPROF_ARGUMENT_DOUBLE)
		record->as.argument.encoding = MPROF_ENCODING_FIXED;
	else if (record->id > TYPED_ARGUMENTS)
		record->as.argument.encoding = (uint32_t)fuzz_random_below(MPROF_ENCODING_BYTES + 1);
	record->as.argument.role = (uint32_t)fuzz_random_below(25);
}

static void fill_description(mprof_record *record, uint64_t address, uint32_t first, uint32_t i)
{
	switch (record->kind) {
	case MPROF_RECORD_CLOCK:
		record->as.clock.kind = i;
		record->as.clock.numerator = address;
		record->as.clock.denominator = fuzz_random_below(3);
		break;
	case MPROF_RECORD_TIMELINE:
		record->as.timeline.thread = fuzz_random_below(100);
		record->as.timeline.parent = fuzz_random_below(100);
		record->as.timeline.process = fuzz_random_below(10);
		record->as.timeline.clock = (uint32_t)fuzz_random_below(first + 10);
		record->as.timeline.kind = i;
		break;
	case MPROF_RECORD_PROCESS:
		record->as.process.number = fuzz_random_below(10);
		record->as.process.parent = fuzz_random_below(10);
		record->as.process.start = address;
		break;
	default:
		record->as.clock_pair.value = address;
		record->as.clock_pair.counter = fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);
		record->as.clock_pair.uncertainty = fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);
		break;
	}
}
static void fill_code(mprof_record *record, uint64_t address, uint32_t first)
{
	switch (record->kind) {
	case MPROF_RECORD_CODE_RANGE:
		record->as.code_range.kind = (uint32_t)fuzz_random_below(7);
		record->as.code_range.address = address;
		record->as.code_range.size = address >> fuzz_random_below(64);
		record->as.code_range.start = address << fuzz_random_below(64);
		record->as.code_range.process = fuzz_random_below(3);
		record->as.code_range.method = 128 * (uint32_t)fuzz_random_below(first + 10);
		break;
	case MPROF_RECORD_CODE_LINE:
		record->id = 1 + (uint32_t)fuzz_random_below(first + 9);
		record->as.code_line.offset = address >> fuzz_random_below(64);
		record->as.code_line.position = 1 + (uint32_t)fuzz_random_below(first + 9);
		break;
	default:
		record->id = 1 + (uint32_t)fuzz_random_below(first + 9);
		record->as.code_end.counter = address >> fuzz_random_below(64);
		record->as.code_end.address = fuzz_random_below(2) * address;
		break;
	}
}

/* Frames of the log may have positions. */
static int has_positions;
static int has_sized_metrics;

static void fill_position(mprof_record *record, uint64_t address, uint32_t first)
{
	record->as.position.is_native = (uint32_t)fuzz_random_below(2);
	record->as.position.target = 1 + (uint32_t)fuzz_random_below(first + 9);
	if (!record->as.position.is_native)
		record->as.position.target *= 128;
	record->as.position.is_inlined = (uint32_t)fuzz_random_below(2);
	record->as.position.line = (uint32_t)(address >> fuzz_random_below(64));
	record->as.position.offset = (uint32_t)(address >> 32);
	record->as.position.file = (uint32_t)fuzz_random_below(first + 10);
}

/* Fills what only directive 38 can represent. */
static void fill_sized_metric(mprof_record *record, uint64_t address)
{
	if (has_sized_metrics && record->kind == MPROF_RECORD_METRIC) {
		record->as.metric.flags |= (uint32_t)address & (MPROF_METRIC_FLAG_HISTOGRAM | MPROF_METRIC_UNIT_MASK);
		record->as.metric.unit = "kg";
	} else if (has_sized_metrics && record->kind == MPROF_RECORD_METRIC_VALUE) {
		record->as.metric_value.counter = fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);
		record->as.metric_value.count = address >> fuzz_random_below(64);
		record->as.metric_value.lower = address - fuzz_random_below(100);
	}
}

static void fill_record(mprof_record *record, uint32_t first, uint32_t i)
{
	uint64_t address = fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		record->as.stack.caller = (uint32_t)fuzz_random_below(record->id);
		if (has_positions && fuzz_random_below(2) != 0)
			record->as.stack.position = 1 + (uint32_t)fuzz_random_below(first + 9);
		break;
	case MPROF_RECORD_MODULE:
		record->as.module.address = address;
		record->as.module.size = fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);
		break;
	case MPROF_RECORD_FUNCTION:
		record->as.function.module = (uint32_t)fuzz_random_below(first + 10);
		record->as.function.offset = address;
		break;
	case MPROF_RECORD_LOCATION:
		record->as.location.module = (uint32_t)fuzz_random_below(first + 10);
		record->as.location.offset = address;
		break;
	case MPROF_RECORD_ROOT:
		record->as.root.address = address;
		record->as.root.thread = fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);
		break;
	case MPROF_RECORD_METRIC:
		record->as.metric.flags = i % 2;
		fill_sized_metric(record, address);
		break;
	case MPROF_RECORD_ARGUMENT:
		fill_argument(record);
		break;
	case MPROF_RECORD_TYPE:
		record->as.type.form = (uint32_t)fuzz_random_below(MPROF_TYPE_SAMPLE + 1);
		record->as.type.period = address;
		record->as.type.source = i % 2 == 0 ? "source" : "";
		record->as.type.category = (uint32_t)fuzz_random_below(first + 10);
		record->as.type.first_argument = first;
		record->as.type.argument_count = record->id == 1 ? TYPED_ARGUMENTS : (uint32_t)fuzz_random_below(11);
		break;
	case MPROF_RECORD_CLOCK:
	case MPROF_RECORD_TIMELINE:
	case MPROF_RECORD_PROCESS:
	case MPROF_RECORD_CLOCK_PAIR:
		fill_description(record, address, first, i);
		break;
	case MPROF_RECORD_POSITION:
		fill_position(record, address, first);
		break;
	case MPROF_RECORD_CODE_RANGE:
	case MPROF_RECORD_CODE_LINE:
	case MPROF_RECORD_CODE_END:
		fill_code(record, address, first);
		break;
	case MPROF_RECORD_TEXT:
		break;
	default:
		record->as.metric_value.value = address;
		fill_sized_metric(record, address);
		break;
	}
}

/* That many records of a kind, from an id on; those of a list that has more than one kind follow each other. */
static void write_records(mprof_writer *writer, mprof_block_kind block, const uint8_t *kinds, uint32_t first)
{
	mprof_record records[30];
	size_t count = 0;

	for (; *kinds != 0; kinds++) {
		for (uint32_t i = 0; i < 10; i++) {
			records[count] = record_of(*kinds, first + i);
			fill_record(&records[count++], first, i);
		}
	}
	fuzz_require(mprof_writer_write_records(writer, block, 0, records, sizeof(*records), count) == MPROF_OK);
}

static void write_definitions(mprof_writer *writer, uint32_t first)
{
	static const uint8_t code[] = {MPROF_RECORD_MODULE, MPROF_RECORD_FUNCTION, MPROF_RECORD_LOCATION, 0};
	static const uint8_t stacks[] = {MPROF_RECORD_STACK, 0};
	static const uint8_t metrics[] = {MPROF_RECORD_METRIC, MPROF_RECORD_METRIC_VALUE, 0};
	static const uint8_t roots[] = {MPROF_RECORD_ROOT, 0};
	static const uint8_t texts[] = {MPROF_RECORD_TEXT, 0};
	static const uint8_t positions[] = {MPROF_RECORD_POSITION, 0};
	static const uint8_t ranges[] = {MPROF_RECORD_CODE_RANGE, MPROF_RECORD_CODE_LINE, MPROF_RECORD_CODE_END, 0};
	static const uint8_t types[] = {MPROF_RECORD_ARGUMENT, MPROF_RECORD_TYPE, 0};
	static const uint8_t clocks[] = {MPROF_RECORD_CLOCK, 0};
	static const uint8_t timelines[] = {MPROF_RECORD_TIMELINE, 0};
	static const uint8_t processes[] = {MPROF_RECORD_PROCESS, 0};
	static const uint8_t pairs[] = {MPROF_RECORD_CLOCK_PAIR, 0};
	static const uint8_t reachability[] = {MPROF_RECORD_MEMORY_SEARCH, MPROF_RECORD_MEMORY_BLOCK, 0};

	write_records(writer, MPROF_BLOCK_CODE, code, first);
	write_records(writer, MPROF_BLOCK_TEXTS, texts, first);
	write_records(writer, MPROF_BLOCK_POSITIONS, positions, first);
	write_records(writer, MPROF_BLOCK_CODE_RANGES, ranges, first);
	write_records(writer, MPROF_BLOCK_STACKS, stacks, first);
	write_records(writer, MPROF_BLOCK_METRICS, metrics, first);
	write_records(writer, MPROF_BLOCK_ROOTS, roots, first);
	write_records(writer, MPROF_BLOCK_TYPES, types, first);
	write_records(writer, MPROF_BLOCK_CLOCKS, clocks, first);
	write_records(writer, MPROF_BLOCK_TIMELINES, timelines, first);
	write_records(writer, MPROF_BLOCK_PROCESSES, processes, first);
	write_records(writer, MPROF_BLOCK_CLOCK_PAIRS, pairs, first);
	write_records(writer, MPROF_BLOCK_REACHABILITY, reachability, first);
}

static void write_samples(mprof_writer *writer)
{
	static const uint8_t summary[] = {MPROF_RECORD_SUMMARY, 0};
	mprof_event samples[20];

	for (size_t i = 0; i < 20; i++) {
		memset(&samples[i], 0, sizeof(samples[i]));
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].value = 1 + fuzz_random_below(10);
		samples[i].counter = i * fuzz_random_below(1000);
	}
	fuzz_require(mprof_writer_write_samples(writer, 77, 5, samples, 20) == MPROF_OK);
	fuzz_require(mprof_writer_write_mark(writer, 77, 5, "a marker", 8) == MPROF_OK);
	fuzz_require(mprof_writer_write_application(writer, "org.example", 11, 7, 3, "data", 4) == MPROF_OK);
	write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, summary, 1);
}

/* Events of any types, whose arguments are any bytes, in no order. */
static void write_typed(mprof_writer *writer)
{
	mprof_event events[20];
	mprof_event_detail details[20];
	uint8_t bytes[40];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)fuzz_random_below(256) | (uint8_t)(fuzz_random_below(2) << 7);
	for (size_t i = 0; i < 20; i++) {
		memset(&events[i], 0, sizeof(events[i]));
		memset(&details[i], 0, sizeof(details[i]));
		details[i].struct_size = sizeof(details[i]);
		details[i].argument_size = (size_t)fuzz_random_below(20);
		details[i].arguments = bytes + fuzz_random_below(20);
		events[i].kind = MPROF_EVENT_TYPED;
		events[i].id = 1 + (uint32_t)fuzz_random_below(10);
		events[i].counter = fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);
		events[i].more.detail = &details[i];
	}
	fuzz_require(mprof_writer_write_typed(writer, 77, 5, events, 20) == MPROF_OK);
}

#define HEAP_EVENTS 40

static void write_heap(mprof_writer *writer)
{
	mprof_event events[HEAP_EVENTS];
	mprof_event_detail details[HEAP_EVENTS];
	uint64_t references[8];
	uint64_t offsets[8];

	for (size_t i = 0; i < 8; i++)
		offsets[i] = 16 + 8 * i + 8 * fuzz_random_below(3);
	for (size_t i = 0; i < 8; i++)
		references[i] = 0x7f0012340000 + fuzz_random_below(1000) * 8;
	for (size_t i = 0; i < HEAP_EVENTS; i++) {
		memset(&events[i], 0, sizeof(events[i]));
		memset(&details[i], 0, sizeof(details[i]));
		details[i].struct_size = sizeof(details[i]);
		events[i].kind = (uint8_t)(MPROF_EVENT_HEAP_OBJECT + fuzz_random_below(5));
		events[i].id = 1 + (uint32_t)fuzz_random_below(10);
		events[i].value = fuzz_random_below(2) ? 24 : 8 * fuzz_random_below(1000);
		events[i].more.detail = &details[i];
		details[i].object = 0x7f0012340000 + fuzz_random_below(1000) * 8;
		details[i].references = references;
		details[i].offsets = fuzz_random_below(3) != 0 ? offsets : NULL;
		details[i].reference_count = (uint32_t)fuzz_random_below(8);
	}
	fuzz_require(mprof_writer_write_heap(writer, 1, 0, 5, events, HEAP_EVENTS) == MPROF_OK);
}

#define HEAP_NOTES 20

/* Labels, flags, names and weak references of objects that the snapshot may have. */
static void write_heap_notes(mprof_writer *writer)
{
	mprof_record labels[HEAP_NOTES];
	mprof_record names[HEAP_NOTES];

	memset(labels, 0, sizeof(labels));
	memset(names, 0, sizeof(names));
	for (size_t i = 0; i < HEAP_NOTES; i++) {
		const uint64_t object = 0x7f0012340000 + fuzz_random_below(1000) * 8;

		labels[i].kind = i % 3 != 0 ? MPROF_RECORD_LABEL : MPROF_RECORD_OBJECT_FLAGS;
		labels[i].id = i % 3 != 0 ? (uint32_t)fuzz_random_below(10) : MPROF_OBJECT_FLAG_SYNTHETIC;
		labels[i].as.label.object = object;
		if (labels[i].id == 0)
			labels[i].as.label.text = "label";
		names[i].kind = i % 2 != 0 ? MPROF_RECORD_REFERENCE_NAME : MPROF_RECORD_WEAK_REFERENCE;
		names[i].id = 1 + (uint32_t)fuzz_random_below(10);
		names[i].as.reference_name.object = object;
		if (i % 2 != 0)
			names[i].as.reference_name.index = (uint32_t)fuzz_random_below(8);
		else
			names[i].as.weak_reference.target = object + 8;
	}
	fuzz_require(mprof_writer_write_records(writer, MPROF_BLOCK_OBJECT_LABELS, 1, labels, sizeof(*labels),
						HEAP_NOTES) == MPROF_OK &&
		     mprof_writer_write_records(writer, MPROF_BLOCK_REFERENCE_NAMES, 1, names, sizeof(*names),
						HEAP_NOTES) == MPROF_OK);
}

fuzz_log fuzz_log_write(const mprof_writer_options *options, int event_blocks)
{
	const mprof_assembly_name assembly = {sizeof(mprof_assembly_name), "base", "neutral", "null", 1, 2, 3, 4, 0, 0};
	const mprof_element element = {sizeof(mprof_element),
				       MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS,
				       1,
				       5,
				       6,
				       77,
				       "base",
				       4,
				       &assembly};
	const mprof_property properties[] = {{"pid", "1"}, {"program", "x"}};
	const uint64_t losses[] = {0, 3, 1};
	const uint32_t hits[] = {128, 256, 128};
	const uint32_t dialect = options->dialect;
	const int has_directives = (options->directives.bits[0] & ~MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE)) != 0;
	mprof_writer *writer;
	const uint8_t *bytes;
	fuzz_log log;

	has_positions = mprof_number_set_has(&options->directives, MPROF_DIRECTIVE_POSITIONS);
	has_sized_metrics = mprof_number_set_has(&options->directives, MPROF_DIRECTIVE_SIZED_METRICS);
	fuzz_require(mprof_writer_open_memory(options, &writer) == MPROF_OK);
	fuzz_require(mprof_writer_write_loaded(writer, &element) == MPROF_OK);
	write_names(writer, 1);
	if (dialect == MPROF_DIALECT_MPROF2)
		write_definitions(writer, 1);
	write_events(writer, 77, 60, has_directives);
	fuzz_require(mprof_writer_write_statistical(writer, 5, hits, 3, hits, 2, 9) == MPROF_OK);
	write_names(writer, 11);
	write_events(writer, 77, 60, has_directives);
	for (int i = 0; i < event_blocks; i++)
		write_events(writer, 77 + (uint64_t)i % 2, 500, has_directives);
	if (dialect == MPROF_DIALECT_MPROF2) {
		write_definitions(writer, 11);
		write_samples(writer);
		write_typed(writer);
		write_heap(writer);
		write_heap_notes(writer);
		write_heap(writer);
		fuzz_require(mprof_writer_write_session(writer, properties, sizeof(*properties), 2) == MPROF_OK &&
			     mprof_writer_write_thread_name(writer, 77, "main", 4) == MPROF_OK &&
			     mprof_writer_write_losses(writer, 77, losses, 3) == MPROF_OK);
	}
	fuzz_require(mprof_writer_write_unloaded(writer, &element) == MPROF_OK);
	fuzz_require(mprof_writer_close(writer) == MPROF_OK);
	fuzz_require(mprof_writer_get_memory(writer, &bytes, &log.length) == MPROF_OK);
	log.bytes = malloc(log.length);
	fuzz_require(log.bytes != NULL);
	memcpy(log.bytes, bytes, log.length);
	(void)mprof_writer_destroy(writer);
	return log;
}
