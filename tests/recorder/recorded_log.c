/* SPDX-License-Identifier: MIT */
#include "recorded_log.h"

#include "format/blocks/records.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void rest(void)
{
	struct timespec pause = {0, 1000000};

	nanosleep(&pause, NULL);
}

static int sink_write(void *user, const void *bytes, size_t length)
{
	recorded_log *log = user;

	while (atomic_load(&log->blocked)) {
		atomic_store(&log->waits, 1);
		rest();
	}
	if (log->fail_after != 0 && log->length + length > log->fail_after)
		return ENOSPC;
	if (log->length + length > log->capacity) {
		log->capacity = (log->length + length) * 2;
		log->bytes = realloc(log->bytes, log->capacity);
		if (log->bytes == NULL)
			return ENOMEM;
	}
	memcpy(log->bytes + log->length, bytes, length);
	log->length += length;
	return 0;
}

mprof_sink recorded_log_sink(recorded_log *log)
{
	mprof_sink sink = {sizeof(mprof_sink), sink_write, NULL, NULL, log};

	return sink;
}

mprof_recorder *recorded_log_open(recorded_log *log, const mprof_recorder_options *options)
{
	mprof_sink sink = recorded_log_sink(log);
	mprof_recorder *recorder;
	mprof_error error;

	error.struct_size = sizeof(error);
	cr_assert_eq(mprof_recorder_open_sink(&sink, options, &recorder, &error), MPROF_OK, "%s", error.what);
	return recorder;
}

static int is_method(uint32_t kind)
{
	return (kind >= MPROF_EVENT_METHOD_ENTER && kind <= MPROF_EVENT_METHOD_FREED &&
		kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT) ||
	       kind == MPROF_EVENT_METHOD_CODE;
}

static int is_class(uint32_t kind)
{
	return (kind >= MPROF_EVENT_CLASS_LOAD_START && kind <= MPROF_EVENT_ALLOCATION_AT_JIT) ||
	       kind == MPROF_EVENT_MONITOR || kind == MPROF_EVENT_MONITOR_HOLDER ||
	       kind == MPROF_EVENT_HANDLE_CREATED || kind == MPROF_EVENT_EXCEPTION_CLAUSE ||
	       kind == MPROF_EVENT_FINALIZER_START || kind == MPROF_EVENT_FINALIZER_END;
}

static void name_method(mprof_reader *reader, uint32_t id, char *name, size_t size)
{
	mprof_mapping mapping;

	if (mprof_reader_lookup_method(reader, id, &mapping, sizeof(mapping)) == MPROF_OK)
		snprintf(name, size, "%s", mapping.name);
	else
		snprintf(name, size, "#%u", (unsigned)id);
}

static void name_class(mprof_reader *reader, uint32_t id, char *name, size_t size)
{
	mprof_mapping mapping;

	if (mprof_reader_lookup_class(reader, id, &mapping, sizeof(mapping)) == MPROF_OK)
		snprintf(name, size, "%s", mapping.name);
	else
		snprintf(name, size, "#%u", (unsigned)id);
}

static void name_stack(mprof_reader *reader, uint32_t stack, char *text, size_t size)
{
	mprof_stack_frame frames[MPROF_STACK_MAX];
	size_t count;

	if (mprof_reader_lookup_stack(reader, stack, frames, sizeof(*frames), MPROF_STACK_MAX, &count) != MPROF_OK) {
		snprintf(text, size, "#%u", (unsigned)stack);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(text);

		if (i > 0 && length + 4 < size)
			length += (size_t)snprintf(text + length, size - length, " < ");
		if (frames[i].is_native)
			snprintf(text + length, size - length, "native");
		else if (frames[i].id == 0)
			snprintf(text + length, size - length, "?");
		else
			name_method(reader, frames[i].id, text + length, size - length);
		length = strlen(text);
		if (frames[i].is_compiling)
			snprintf(text + length, size - length, " compiled");
	}
}

static void take_detail(mprof_reader *reader, recorded_event *recorded)
{
	const mprof_event_detail *detail = recorded->event.more.detail;

	if (detail == NULL)
		return;
	recorded->detail = *detail;
	if (detail->caller != 0)
		name_method(reader, detail->caller, recorded->caller, sizeof(recorded->caller));
	if (detail->stack != 0)
		name_stack(reader, detail->stack, recorded->stack, sizeof(recorded->stack));
}

static void name_event(mprof_reader *reader, recorded_event *recorded)
{
	mprof_mapping mapping;
	uint32_t id = recorded->event.id;

	if (is_method(recorded->event.kind) && (id != 0 || recorded->event.kind != MPROF_EVENT_METHOD_CODE)) {
		name_method(reader, id, recorded->name, sizeof(recorded->name));
		if (mprof_reader_lookup_method(reader, id, &mapping, sizeof(mapping)) == MPROF_OK &&
		    mapping.class_id != 0)
			name_class(reader, mapping.class_id, recorded->class_name, sizeof(recorded->class_name));
	} else if (is_class(recorded->event.kind) && (id != 0 || recorded->event.kind == MPROF_EVENT_ALLOCATION)) {
		name_class(reader, id, recorded->name, sizeof(recorded->name));
	}
}

static mprof_status read_events(recorded_log *log, mprof_reader *reader, const mprof_block *block)
{
	mprof_event events[64];
	mprof_status status;
	size_t count;

	do {
		status = mprof_reader_next_events(reader, events, 64, &count);
		if (log->event_count + count > log->event_capacity) {
			log->event_capacity = (log->event_count + count) * 2;
			log->events = realloc(log->events, log->event_capacity * sizeof(*log->events));
			cr_assert_not_null(log->events);
		}
		for (size_t i = 0; i < count; i++) {
			recorded_event *recorded = &log->events[log->event_count++];

			memset(recorded, 0, sizeof(*recorded));
			recorded->thread = block->thread;
			recorded->event = events[i];
			name_event(reader, recorded);
			take_detail(reader, recorded);
		}
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

static recorded_record *add_record(recorded_log *log, const mprof_block *block)
{
	recorded_record *recorded;

	if (log->record_count == log->record_capacity) {
		log->record_capacity = log->record_capacity * 2 + 16;
		log->records = realloc(log->records, log->record_capacity * sizeof(*log->records));
		cr_assert_not_null(log->records);
	}
	recorded = &log->records[log->record_count++];
	memset(recorded, 0, sizeof(*recorded));
	recorded->block = (mprof_block_kind)block->kind;
	recorded->counter = block->start.counter;
	return recorded;
}

static mprof_status read_records(recorded_log *log, mprof_reader *reader, const mprof_block *block, uint64_t position)
{
	mprof_record records[16];
	mprof_status status;
	size_t count;

	do {
		status = mprof_reader_next_records(reader, records, sizeof(*records), 16, &count);
		for (size_t i = 0; i < count; i++) {
			recorded_record *recorded = add_record(log, block);

			recorded->position = position;
			recorded->record = records[i];
			snprintf(recorded->name, sizeof(recorded->name), "%s", record_get_name(&records[i]));
			snprintf(recorded->section, sizeof(recorded->section), "%s",
				 record_get_second_text(&records[i]));
			if (records[i].kind == MPROF_RECORD_ROOT && records[i].as.root.class_id != 0)
				name_class(reader, records[i].as.root.class_id, recorded->class_name,
					   sizeof(recorded->class_name));
		}
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

static void read_mark(recorded_log *log, const mprof_block *block)
{
	recorded_record *recorded = add_record(log, block);

	recorded->counter = block->as.mark.counter;
	recorded->thread = block->thread;
	snprintf(recorded->name, sizeof(recorded->name), "%s", block->as.mark.text);
}

static void read_losses(recorded_log *log, const mprof_block *block)
{
	for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++) {
		log->lost[cause] += block->as.lost.counts[cause];
		if (block->thread == 0)
			log->losses_of_nobody += block->as.lost.counts[cause];
	}
}

static mprof_status read_block(recorded_log *log, mprof_reader *reader, const mprof_block *block, uint64_t position)
{
	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
		return read_events(log, reader, block);
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_ROOTS:
		return read_records(log, reader, block, position);
	case MPROF_BLOCK_MARK:
		read_mark(log, block);
		return MPROF_OK;
	case MPROF_BLOCK_LOST:
		read_losses(log, block);
		return MPROF_OK;
	default:
		return MPROF_OK;
	}
}

void recorded_log_read(recorded_log *log)
{
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	mprof_session session;
	uint64_t position = 0;

	log->event_count = 0;
	log->record_count = 0;
	mprof_reader_options_init(&options, sizeof(options));
	options.keep_implicit_leaves = 1;
	log->status = mprof_reader_open_memory(log->bytes, log->length, &options, &reader);
	mprof_block_init(&block, sizeof(block));
	while (log->status == MPROF_OK) {
		log->status = mprof_reader_next_block(reader, &block);
		if (log->status != MPROF_OK)
			break;
		log->blocks[block.kind]++;
		log->status = read_block(log, reader, &block, ++position);
	}
	session.struct_size = sizeof(session);
	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	log->complete = (int)session.complete;
	log->valid_bytes = session.valid_bytes;
	log->class_count = mprof_reader_get_class_count(reader);
	log->method_count = mprof_reader_get_method_count(reader);
	mprof_reader_destroy(reader);
}

void recorded_log_free(recorded_log *log)
{
	free(log->bytes);
	free(log->events);
	free(log->records);
	memset(log, 0, sizeof(*log));
}

void define_method(mprof_recorder *recorder, mprof_key key, mprof_key class_key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	description.class_key = class_key;
	cr_assert_eq(mprof_recorder_define_method(recorder, key, &description), MPROF_OK);
}

void define_class(mprof_recorder *recorder, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	cr_assert_eq(mprof_recorder_define_class(recorder, key, &description), MPROF_OK);
}

uint64_t counting_counter(void *user)
{
	static _Atomic uint64_t counter;

	(void)user;
	return atomic_fetch_add(&counter, 1) + 1;
}
