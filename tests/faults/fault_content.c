/* SPDX-License-Identifier: MIT */
#include "fault_content.h"

#define BATCH 64

/* IDs that are looked up at the end: those that small logs define, and some that no log defines. */
#define LAST_ID 64

#define MAX_FRAMES 32

void fault_hash_block(fault_run *run, const mprof_block *block)
{
	fault_hash_number(run, block->kind | (uint64_t)block->loaded << 32);
	fault_hash_number(run, block->offset);
	fault_hash_number(run, block->length);
	fault_hash_number(run, block->thread);
	if (block->has_clocks) {
		fault_hash_bytes(run, &block->start, sizeof(block->start));
		fault_hash_bytes(run, &block->end, sizeof(block->end));
	}
}

static void hash_event(fault_run *run, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	fault_hash_number(run, event->kind | (uint64_t)event->flags << 16 | (uint64_t)event->id << 32);
	fault_hash_number(run, event->value);
	fault_hash_number(run, event->counter);
	if (detail == NULL)
		return;
	fault_hash_number(run, detail->stack | (uint64_t)detail->caller << 32);
	fault_hash_number(run, detail->object);
	fault_hash_number(run, detail->samples);
	fault_hash_number(run, detail->handle_type);
	fault_hash_number(run, detail->size);
	fault_hash_number(run, detail->started);
	fault_hash_bytes(run, detail->references, detail->reference_count * sizeof(*detail->references));
	if (detail->offsets != NULL)
		fault_hash_bytes(run, detail->offsets, detail->reference_count * sizeof(*detail->offsets));
}

static mprof_status fetch_events(fault_run *run, const log_input *input)
{
	mprof_event events[BATCH];
	mprof_status status;
	size_t count;

	while ((status = log_input_events(input, events, BATCH, &count)) == MPROF_OK) {
		fault_step(run);
		for (size_t i = 0; i < count; i++)
			hash_event(run, &events[i]);
	}
	return status;
}

static mprof_status fetch_mappings(fault_run *run, const log_input *input)
{
	mprof_mapping mappings[BATCH];
	mprof_status status;
	size_t count;

	while ((status = log_input_mappings(input, mappings, BATCH, &count)) == MPROF_OK) {
		fault_step(run);
		for (size_t i = 0; i < count; i++) {
			fault_hash_number(run, mappings[i].id);
			fault_hash_text(run, mappings[i].name);
		}
	}
	return status;
}

static mprof_status fetch_records(fault_run *run, const log_input *input)
{
	mprof_record records[BATCH];
	mprof_status status;
	size_t count;

	while ((status = log_input_records(input, records, BATCH, &count)) == MPROF_OK) {
		fault_step(run);
		for (size_t i = 0; i < count; i++)
			fault_hash_number(run, records[i].kind | (uint64_t)records[i].id << 32);
	}
	return status;
}

static mprof_status fetch_properties(fault_run *run, const log_input *input)
{
	const char *key;
	const char *value;
	mprof_status status;

	while ((status = log_input_property(input, &key, &value)) == MPROF_OK) {
		fault_step(run);
		fault_hash_text(run, key);
		fault_hash_text(run, value);
	}
	return status;
}

mprof_status fault_fetch(fault_run *run, const log_input *input, const mprof_block *block)
{
	mprof_status status = MPROF_END;

	switch (block->kind) {
	case MPROF_BLOCK_STATISTICAL:
		status = fetch_records(run, input);
		return status == MPROF_END ? fetch_events(run, input) : status;
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_HEAP_DATA:
		return fetch_events(run, input);
	case MPROF_BLOCK_STACKS:
	case MPROF_BLOCK_CODE:
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_ROOTS:
	case MPROF_BLOCK_FIELDS:
	case MPROF_BLOCK_TYPES:
	case MPROF_BLOCK_TEXTS:
	case MPROF_BLOCK_CLOCKS:
	case MPROF_BLOCK_TIMELINES:
	case MPROF_BLOCK_PROCESSES:
	case MPROF_BLOCK_CLOCK_PAIRS:
	case MPROF_BLOCK_POSITIONS:
	case MPROF_BLOCK_CODE_RANGES:
	case MPROF_BLOCK_HEAP_SUMMARY:
	case MPROF_BLOCK_OBJECT_LABELS:
	case MPROF_BLOCK_REFERENCE_NAMES:
		return fetch_records(run, input);
	case MPROF_BLOCK_MAPPING:
		return fetch_mappings(run, input);
	case MPROF_BLOCK_SESSION:
		return fetch_properties(run, input);
	default:
		return status;
	}
}

int fault_process_block(fault_run *run, const log_input *input, const mprof_block *block, mprof_status *status)
{
	mprof_error error;

	fault_step(run);
	if (*status == MPROF_END || *status == MPROF_AGAIN)
		return 0;
	if (*status == MPROF_OK) {
		fault_hash_block(run, block);
		if (block->loaded)
			*status = fault_fetch(run, input, block);
		if (*status <= MPROF_END)
			return 1;
	}
	error = log_input_error(input);
	fault_hash_error(run, &error);
	return error.severity == MPROF_SEVERITY_BLOCK;
}

static void hash_stack(fault_run *run, const mprof_reader *reader, uint32_t stack)
{
	mprof_stack_frame frames[MAX_FRAMES];
	size_t count = 0;

	(void)!mprof_reader_lookup_stack(reader, stack, frames, sizeof(frames[0]), MAX_FRAMES, &count);
	fault_hash_number(run, count);
	fault_hash_bytes(run, frames, (count < MAX_FRAMES ? count : MAX_FRAMES) * sizeof(frames[0]));
}

mprof_status fault_read_blocks(fault_run *run, mprof_reader *reader)
{
	const log_input input = {NULL, reader};
	mprof_block block;
	mprof_status status;

	do {
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		status = mprof_reader_next_block(reader, &block);
	} while (fault_process_block(run, &input, &block, &status));
	return status;
}

void fault_hash_dictionary(fault_run *run, const mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};
	char text[200];

	mprof_reader_get_session(reader, &session);
	fault_hash_number(run, session.dialect);
	fault_hash_number(run, session.complete);
	fault_hash_number(run, session.valid_bytes);
	fault_hash_number(run, session.lost_events);
	fault_hash_text(run, session.runtime);
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++)
		fault_hash_number(run, mprof_reader_get_record_count(reader, kind));
	for (uint32_t id = 0; id <= LAST_ID; id++) {
		hash_stack(run, reader, id);
		mprof_reader_format_method(reader, id, text, sizeof(text));
		fault_hash_text(run, text);
		mprof_reader_format_location(reader, id, text, sizeof(text));
		fault_hash_text(run, text);
	}
}

mprof_reader_options fault_reader_options(const fault_run *run)
{
	mprof_reader_options options;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &run->allocator;
	return options;
}
