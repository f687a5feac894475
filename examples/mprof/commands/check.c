/* SPDX-License-Identifier: MIT */
/* mprof check: validates every byte of a log, and that all IDs it uses are defined. */
#include "common/arguments.h"
#include "commands/check_references.h"
#include "commands/commands.h"
#include "common/exit_status.h"
#include "common/definitions.h"
#include "common/json.h"
#include "shared/key_map.h"
#include "common/summary.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

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
	if (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES)
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
			       mprof_loss_get_name((mprof_loss_cause)cause));
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
