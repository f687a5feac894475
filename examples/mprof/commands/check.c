/* SPDX-License-Identifier: MIT */
/* mprof check: reads a log and reports every damage. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "common/json.h"
#include "common/summary.h"
#include "common/typed.h"
#include "dump/dump.h"
#include "shared/key_map.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

typedef enum reference_kind {
	REFERENCE_METHOD,
	REFERENCE_CLASS,
	REFERENCE_STACK,
	REFERENCE_MODULE,
	REFERENCE_FUNCTION,
	REFERENCE_LOCATION,
	REFERENCE_ROOT,
	REFERENCE_METRIC,
	REFERENCE_TYPE,
	REFERENCE_ARGUMENT,
	REFERENCE_TEXT,
	REFERENCE_CLOCK,
	REFERENCE_POSITION,
	REFERENCE_CODE,
	REFERENCE_KIND_COUNT
} reference_kind;

/* Entries of the cache of used IDs. A power of two. */
#define REFERENCE_RECENT 4096

/* IDs of one kind. */
typedef struct reference_use {
	uint64_t recent[REFERENCE_RECENT]; /* By its low bits: an ID that was checked, plus 1; 0 if none. */
	key_map used;
	key_map undefined; /* IDs that were not defined when they were first used. */
} reference_use;

typedef struct reference_check {
	reference_use kinds[REFERENCE_KIND_COUNT];
	uint8_t subjects[UINT8_MAX + 1]; /* By event kind: a mprof_event_id. */
	int out_of_memory;
} reference_check;

/* Messages about the first use of an undefined ID. */
static const char *const complaints[REFERENCE_KIND_COUNT] = {
	[REFERENCE_METHOD] = "the block uses a method that is not defined",
	[REFERENCE_CLASS] = "the block uses a class that is not defined",
	[REFERENCE_STACK] = "the block uses a call stack that is not defined",
	[REFERENCE_MODULE] = "the block uses a module that is not defined",
	[REFERENCE_FUNCTION] = "the block uses a function that is not defined",
	[REFERENCE_LOCATION] = "the block uses a location that is not defined",
	[REFERENCE_ROOT] = "the block uses a root that is not defined",
	[REFERENCE_METRIC] = "the block uses a metric that is not defined",
	[REFERENCE_TYPE] = "the block uses a type of events that is not defined",
	[REFERENCE_ARGUMENT] = "the block uses an argument that is not defined",
	[REFERENCE_TEXT] = "the block uses a text that is not defined",
	[REFERENCE_CLOCK] = "the block uses a clock that is not defined",
	[REFERENCE_POSITION] = "the block uses a position that is not defined",
	[REFERENCE_CODE] = "the block uses a range of code that is not defined",
};

static int is_defined(const log_input *input, reference_kind kind, uint32_t id)
{
	static const mprof_record_kind records[REFERENCE_KIND_COUNT] = {
		[REFERENCE_STACK] = MPROF_RECORD_STACK,       [REFERENCE_MODULE] = MPROF_RECORD_MODULE,
		[REFERENCE_FUNCTION] = MPROF_RECORD_FUNCTION, [REFERENCE_LOCATION] = MPROF_RECORD_LOCATION,
		[REFERENCE_ROOT] = MPROF_RECORD_ROOT,         [REFERENCE_METRIC] = MPROF_RECORD_METRIC,
		[REFERENCE_TYPE] = MPROF_RECORD_TYPE,         [REFERENCE_ARGUMENT] = MPROF_RECORD_ARGUMENT,
		[REFERENCE_TEXT] = MPROF_RECORD_TEXT,         [REFERENCE_CLOCK] = MPROF_RECORD_CLOCK,
		[REFERENCE_POSITION] = MPROF_RECORD_POSITION, [REFERENCE_CODE] = MPROF_RECORD_CODE_RANGE,
	};
	mprof_mapping mapping;
	mprof_record record;

	if (kind == REFERENCE_METHOD)
		return mprof_reader_lookup_method(input->reader, id, &mapping, sizeof(mapping)) == MPROF_OK;
	if (kind == REFERENCE_CLASS)
		return mprof_reader_lookup_class(input->reader, id, &mapping, sizeof(mapping)) == MPROF_OK;
	return mprof_reader_lookup_record(input->reader, records[kind], id, &record, sizeof(record)) == MPROF_OK;
}

/* Initializes a check whose bytes are 0. */
static void references_init(reference_check *check)
{
	mprof_event event = {.kind = 0};

	/* Looked up once and not for each event, which would take longer than decoding it. */
	for (int kind = 0; kind <= UINT8_MAX; kind++) {
		event.kind = (uint8_t)kind;
		check->subjects[kind] = (uint8_t)dump_subject_of(&event);
	}
}

/* Checks an ID that is not in the cache. */
static void check_slow(reference_check *check, log_input *input, const mprof_block *block, reference_kind kind,
		       uint32_t id)
{
	reference_use *use = &check->kinds[kind];
	int is_new = key_map_add(&use->used, id);

	use->recent[id % REFERENCE_RECENT] = (uint64_t)id + 1;
	if (is_new < 0)
		check->out_of_memory = 1;
	if (is_new <= 0 || is_defined(input, kind, id))
		return;
	if (key_map_add(&use->undefined, id) < 0)
		check->out_of_memory = 1;
	input_problem(input, block->offset, MPROF_ERR_UNDEFINED_ID, complaints[kind]);
}

/* Checks an ID that a block uses; reports the first use of an undefined ID. */
/* An ID must be defined when it is first used. Each ID is checked only once. */
static void references_check(reference_check *check, log_input *input, const mprof_block *block, reference_kind kind,
			     uint32_t id)
{
	if (check->kinds[kind].recent[id % REFERENCE_RECENT] != (uint64_t)id + 1)
		check_slow(check, input, block, kind, id);
}

/* Checks an optional ID; 0 means that it is absent. */
static void check_optional(reference_check *check, log_input *input, const mprof_block *block, reference_kind kind,
			   uint32_t id)
{
	if (id != 0)
		references_check(check, input, block, kind, id);
}

/* Whether the class of the event's object may be unknown, or its code may belong to no method. */
static int may_lack_subject(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_METHOD_CODE || event->kind == MPROF_EVENT_MONITOR ||
	       event->kind == MPROF_EVENT_MONITOR_HOLDER || event->kind == MPROF_EVENT_HEAP_OBJECT ||
	       event->kind == MPROF_EVENT_EXCEPTION_CLAUSE || event->kind == MPROF_EVENT_HANDLE_CREATED ||
	       event->kind == MPROF_EVENT_FINALIZER_START || event->kind == MPROF_EVENT_FINALIZER_END;
}

/* The kind of the ID that an argument is; REFERENCE_KIND_COUNT if it is not an ID. */
static reference_kind reference_of_argument(uint32_t kind)
{
	switch (kind) {
	case MPROF_ARGUMENT_TEXT_ID:
		return REFERENCE_TEXT;
	case MPROF_ARGUMENT_METHOD:
		return REFERENCE_METHOD;
	case MPROF_ARGUMENT_CLASS:
		return REFERENCE_CLASS;
	case MPROF_ARGUMENT_STACK:
		return REFERENCE_STACK;
	case MPROF_ARGUMENT_LOCATION:
		return REFERENCE_LOCATION;
	default:
		return REFERENCE_KIND_COUNT;
	}
}

/* Checks that the arguments of an event are those that its type describes, and all IDs among them. */
static void check_arguments(reference_check *check, log_input *input, const mprof_block *block,
			    const mprof_event *event)
{
	typed_arguments arguments;
	typed_argument argument;

	if (!typed_begin(&arguments, input->reader, event))
		return;
	while (typed_next(&arguments, &argument)) {
		const reference_kind kind = reference_of_argument(argument.definition.kind);

		if (kind != REFERENCE_KIND_COUNT && argument.definition.encoding == MPROF_ENCODING_UNSIGNED &&
		    argument.value.number <= UINT32_MAX)
			check_optional(check, input, block, kind, (uint32_t)argument.value.number);
	}
	if (arguments.is_damaged)
		input_problem(input, block->offset, MPROF_ERR_MALFORMED,
			      "the arguments of an event are not those that its type describes");
}

/* Checks all IDs of an event. */
static void references_check_event(reference_check *check, log_input *input, const mprof_block *block,
				   const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	switch (check->subjects[event->kind]) {
	case MPROF_EVENT_ID_METHOD:
		if (event->id != 0 || !may_lack_subject(event))
			references_check(check, input, block, REFERENCE_METHOD, event->id);
		break;
	case MPROF_EVENT_ID_CLASS:
		if (event->id != 0 || !may_lack_subject(event))
			references_check(check, input, block, REFERENCE_CLASS, event->id);
		break;
	case MPROF_EVENT_ID_ROOT:
		check_optional(check, input, block, REFERENCE_ROOT, event->id);
		break;
	case MPROF_EVENT_ID_TYPE:
		references_check(check, input, block, REFERENCE_TYPE, event->id);
		check_arguments(check, input, block, event);
		break;
	default:
		break;
	}
	if (dump_has_stack(event))
		references_check(check, input, block, REFERENCE_STACK, (uint32_t)event->value);
	if (detail != NULL) {
		check_optional(check, input, block, REFERENCE_METHOD, detail->caller);
		check_optional(check, input, block, REFERENCE_STACK, detail->stack);
	}
}

/* Checks all IDs that a record of a CODE_RANGES block uses. */
static void check_code_record(reference_check *check, log_input *input, const mprof_block *block,
			      const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_CODE_RANGE:
		check_optional(check, input, block, REFERENCE_METHOD, record->as.code_range.method);
		check_optional(check, input, block, REFERENCE_MODULE, record->as.code_range.module);
		break;
	case MPROF_RECORD_CODE_LINE:
		references_check(check, input, block, REFERENCE_CODE, record->id);
		references_check(check, input, block, REFERENCE_POSITION, record->as.code_line.position);
		break;
	case MPROF_RECORD_CODE_END:
		references_check(check, input, block, REFERENCE_CODE, record->id);
		break;
	default:
		break;
	}
}

/* Checks all IDs that a record uses. */
static void references_check_record(reference_check *check, log_input *input, const mprof_block *block,
				    const mprof_record *record)
{

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		check_optional(check, input, block, REFERENCE_STACK, record->as.stack.caller);
		check_optional(check, input, block, REFERENCE_POSITION, record->as.stack.position);
		if (record->as.stack.is_native)
			check_optional(check, input, block, REFERENCE_LOCATION, record->as.stack.target);
		else
			check_optional(check, input, block, REFERENCE_METHOD, record->as.stack.target);
		break;
	case MPROF_RECORD_POSITION:
		check_optional(check, input, block,
			       record->as.position.is_native ? REFERENCE_LOCATION : REFERENCE_METHOD,
			       record->as.position.target);
		check_optional(check, input, block, REFERENCE_TEXT, record->as.position.file);
		break;
	case MPROF_RECORD_LOCATION:
		check_optional(check, input, block, REFERENCE_MODULE, record->as.location.module);
		check_optional(check, input, block, REFERENCE_FUNCTION, record->as.location.function);
		break;
	case MPROF_RECORD_FUNCTION:
		check_optional(check, input, block, REFERENCE_MODULE, record->as.function.module);
		break;
	case MPROF_RECORD_ROOT:
		check_optional(check, input, block, REFERENCE_CLASS, record->as.root.class_id);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		references_check(check, input, block, REFERENCE_METRIC, record->id);
		break;
	case MPROF_RECORD_FIELD:
		references_check(check, input, block, REFERENCE_CLASS, record->id);
		check_optional(check, input, block, REFERENCE_CLASS, record->as.field.class_id);
		break;
	case MPROF_RECORD_SUMMARY:
		references_check(check, input, block, REFERENCE_CLASS, record->id);
		break;
	case MPROF_RECORD_TYPE:
		check_optional(check, input, block, REFERENCE_TEXT, record->as.type.category);
		check_optional(check, input, block, REFERENCE_TYPE, record->as.type.pair);
		for (uint32_t i = 0; i < record->as.type.argument_count; i++)
			references_check(check, input, block, REFERENCE_ARGUMENT, record->as.type.first_argument + i);
		break;
	case MPROF_RECORD_TIMELINE:
		check_optional(check, input, block, REFERENCE_CLOCK, record->as.timeline.clock);
		break;
	case MPROF_RECORD_CLOCK_PAIR:
		references_check(check, input, block, REFERENCE_CLOCK, record->id);
		break;
	case MPROF_RECORD_LABEL:
	case MPROF_RECORD_REFERENCE_NAME:
	case MPROF_RECORD_WEAK_REFERENCE:
		check_optional(check, input, block, REFERENCE_TEXT, record->id);
		break;
	default:
		check_code_record(check, input, block, record);
		break;
	}
}

/* Number of IDs that were used but not defined. */
static uint64_t references_undefined(const reference_check *check, reference_kind kind)
{
	return check->kinds[kind].undefined.count;
}

/* Number of the defined IDs that were not used. */
static uint64_t references_unused(const reference_check *check, reference_kind kind, uint64_t defined)
{
	uint64_t used = check->kinds[kind].used.count - check->kinds[kind].undefined.count;

	return defined > used ? defined - used : 0;
}

static void references_release(reference_check *check)
{
	for (size_t kind = 0; kind < REFERENCE_KIND_COUNT; kind++) {
		key_map_clear(&check->kinds[kind].used);
		key_map_clear(&check->kinds[kind].undefined);
	}
}

#define BATCH 2048

static const char help[] =
	"Usage: mprof check [--json] FILE\n\n"
	"Reads every byte of a log. Lists all damage on standard error, with its offset: blocks that do not\n"
	"match their checksum or their grammar, IDs used before they are defined, a missing end. Ends with\n"
	"one line on standard output. Lost events, incomplete heap snapshots and times that go back are\n"
	"listed as notes; they are not damage.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  --json       the findings as one JSON document\n"
	"  --threads=N  threads that decode events (default: 1)\n"
	"  --help       this text\n"
	"  --version    the version\n\n"
	"Exit status: 0 sound and complete, 1 damaged or incomplete, 2 wrong usage, 3 not a log or nothing could be "
	"read.\n\n"
	"Examples:\n"
	"  mprof check app.mprof\n"
	"  mprof check --json app.mprof\n";

typedef struct findings {
	log_summary summary;
	key_map threads;
	reference_check references;
	definition_progress definitions;
	uint64_t backward_steps;       /**< Number of events whose time is before that of the preceding event. */
	uint64_t first_backward_block; /**< Offset of the block of the first such event. */
	uint64_t unknown_events;
	uint64_t unknown_blocks;
	int out_of_memory;
} findings;

static void check_event(findings *found, log_input *input, const mprof_block *block, const mprof_event *event)
{
	summary_count_event(&found->summary, event);
	references_check_event(&found->references, input, block, event);
	if (event->kind == MPROF_EVENT_UNKNOWN)
		found->unknown_events++;
}

static void check_time(findings *found, const mprof_block *block, uint64_t before, uint64_t now)
{
	if ((int64_t)(now - before) >= 0)
		return;
	if (found->backward_steps++ == 0)
		found->first_backward_block = block->offset;
}

static void check_events(findings *found, log_input *input, const mprof_block *block)
{
	static mprof_event events[BATCH];
	uint64_t counter = block->as.events.base_counter;
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(input->reader, events, BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			check_event(found, input, block, &events[i]);
			if (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES)
				check_time(found, block, counter, events[i].counter);
			counter = events[i].counter;
		}
	} while (status == MPROF_OK);
	if (status != MPROF_END)
		input_fetch_failed(input);
}

/* Checks the definitions that the reader made itself: call stacks and locations in native code. */
static void check_definitions(findings *found, log_input *input, const mprof_block *block)
{
	mprof_record record;

	while (definitions_next(&found->definitions, input, &record))
		references_check_record(&found->references, input, block, &record);
}

static void check_mappings(log_input *input)
{
	static mprof_mapping mappings[256];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_mappings(input->reader, mappings, sizeof(*mappings), 256, &count);
	} while (status == MPROF_OK);
	if (status != MPROF_END)
		input_fetch_failed(input);
}

static void check_records(findings *found, log_input *input, const mprof_block *block)
{
	static mprof_record records[256];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_records(input->reader, records, sizeof(*records), 256, &count);
		for (size_t i = 0; i < count; i++)
			references_check_record(&found->references, input, block, &records[i]);
	} while (status == MPROF_OK);
	if (status != MPROF_END)
		input_fetch_failed(input);
}

static void check_block(findings *found, log_input *input, const mprof_block *block)
{
	summary_count_block(&found->summary, block);
	if (block->kind == MPROF_BLOCK_UNKNOWN)
		found->unknown_blocks++;
	if (!block->loaded)
		return;
	if (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES ||
	    (block->kind == MPROF_BLOCK_TYPED && block->thread != 0))
		found->out_of_memory |= key_map_add(&found->threads, block->thread) < 0;
	if (input_block_has_records(block))
		check_records(found, input, block);
	if (input_block_has_events(block)) {
		check_events(found, input, block);
		check_definitions(found, input, block);
	}
	if (block->kind == MPROF_BLOCK_MAPPING)
		check_mappings(input);
	else if (block->kind == MPROF_BLOCK_SESSION)
		summary_read_properties(&found->summary, input);
	found->out_of_memory |= found->references.out_of_memory;
}

static void check_all(findings *found, log_input *input)
{
	mprof_block block;

	input->lists_all = 1;
	while (!found->out_of_memory && input_next_block(input, &block))
		check_block(found, input, &block);
	if (found->out_of_memory)
		input_failed(input, block.offset, MPROF_ERR_MEMORY, mprof_status_get_text(MPROF_ERR_MEMORY));
	found->summary.threads = found->threads.count;
	summary_complete(&found->summary, input);
}

static void print_references(const reference_check *check, const log_summary *summary, json_writer *json)
{
	json_unsigned(json, "undefined_methods", references_undefined(check, REFERENCE_METHOD));
	json_unsigned(json, "undefined_classes", references_undefined(check, REFERENCE_CLASS));
	json_unsigned(json, "undefined_stacks", references_undefined(check, REFERENCE_STACK));
	json_unsigned(json, "undefined_modules", references_undefined(check, REFERENCE_MODULE));
	json_unsigned(json, "undefined_functions", references_undefined(check, REFERENCE_FUNCTION));
	json_unsigned(json, "undefined_locations", references_undefined(check, REFERENCE_LOCATION));
	json_unsigned(json, "undefined_roots", references_undefined(check, REFERENCE_ROOT));
	json_unsigned(json, "undefined_metrics", references_undefined(check, REFERENCE_METRIC));
	json_unsigned(json, "undefined_types", references_undefined(check, REFERENCE_TYPE));
	json_unsigned(json, "undefined_arguments", references_undefined(check, REFERENCE_ARGUMENT));
	json_unsigned(json, "undefined_texts", references_undefined(check, REFERENCE_TEXT));
	json_unsigned(json, "undefined_clocks", references_undefined(check, REFERENCE_CLOCK));
	json_unsigned(json, "undefined_positions", references_undefined(check, REFERENCE_POSITION));
	json_unsigned(json, "undefined_code_ranges", references_undefined(check, REFERENCE_CODE));
	json_unsigned(json, "unused_methods", references_unused(check, REFERENCE_METHOD, summary->methods));
	json_unsigned(json, "unused_classes", references_unused(check, REFERENCE_CLASS, summary->classes));
}

static void print_json(const findings *found, const log_input *input)
{
	const log_summary *summary = &found->summary;
	json_writer json;

	json_init(&json, stdout, 0);
	json_begin_document(&json);
	json_boolean(&json, "sound", input->status == STATUS_OK);
	summary_print_json(summary, input, &json);
	json_unsigned(&json, "damage_count", input->problem_count);
	print_references(&found->references, summary, &json);
	json_unsigned(&json, "incomplete_heap_shots", summary->incomplete_shots);
	json_unsigned(&json, "backward_steps", found->backward_steps);
	json_unsigned(&json, "unknown_blocks", found->unknown_blocks);
	json_unsigned(&json, "unknown_events", found->unknown_events);
	json_end_object(&json);
}

static void print_note(const char *what, uint64_t count)
{
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		printf("note: %s: %s\n", what, text_count(text, count));
}

static void print_notes(const findings *found)
{
	const log_summary *summary = &found->summary;
	char text[TEXT_NUMBER_SIZE];

	print_note("events lost while recording", summary->session.lost_events);
	for (uint32_t cause = 0; cause < KIND_ROOM; cause++) {
		if (summary->lost[cause] > 0)
			printf("note: %s of them for the cause %s\n", text_count(text, summary->lost[cause]),
			       mprof_loss_get_name(cause));
	}
	print_note("incomplete heap snapshots", summary->incomplete_shots);
	if (summary->heap_shots > summary->ended_shots)
		print_note("heap snapshots without an end", summary->heap_shots - summary->ended_shots);
	print_note("methods defined and not used",
		   references_unused(&found->references, REFERENCE_METHOD, summary->methods));
	print_note("blocks of unknown kinds", found->unknown_blocks);
	print_note("events of unknown kinds", found->unknown_events);
	summary_print_steps(&summary->session, stdout);
	print_note("times the clock goes back", found->backward_steps);
	if (found->backward_steps > 0)
		printf("note: first in the block at offset %" PRIu64 "\n", found->first_backward_block);
}

static void print_verdict(const findings *found, const log_input *input)
{
	const log_summary *summary = &found->summary;
	uint64_t blocks = 0;
	char count[TEXT_NUMBER_SIZE];
	char events[TEXT_NUMBER_SIZE];

	for (size_t kind = 0; kind < SUMMARY_BLOCK_KINDS; kind++)
		blocks += summary->block_counts[kind];
	text_name(stdout, input->name);
	printf(": %s blocks, %s events", text_count(count, blocks), text_count(events, summary->events));
	if (input->status == STATUS_OK)
		printf(", complete: all %" PRIu64 " bytes are sound\n", summary->size);
	else
		printf(", %zu fault%s: sound up to byte %" PRIu64 " of %" PRIu64 "\n", input->problem_count,
		       input->problem_count == 1 ? "" : "s", summary->session.valid_bytes, summary->size);
}

int command_check(int argc, char **argv)
{
	static findings found;
	read_arguments arguments;
	log_input input;
	int status = arguments_parse_simple(&arguments, argc, argv, help);

	if (status >= 0)
		return status;
	references_init(&found.references);
	if (input_open(&input, arguments.file, 0) == STATUS_OK) {
		check_all(&found, &input);
		if (arguments.as_json) {
			print_json(&found, &input);
		} else {
			print_notes(&found);
			print_verdict(&found, &input);
		}
	}
	status = input.status;
	input_close(&input);
	key_map_clear(&found.threads);
	references_release(&found.references);
	return status;
}
