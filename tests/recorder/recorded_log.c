/* SPDX-License-Identifier: MIT */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void rest(void)
{
	struct timespec moment = {0, 1000000};

	nanosleep(&moment, NULL);
}

static int sink_write(void *user, const void *bytes, size_t length)
{
	recorded_log *log = user;

	while (atomic_load(&log->blocked))
		rest();
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
	mprof_sink sink = {sink_write, NULL, NULL, log};

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
	return kind >= MPROF_EVENT_METHOD_ENTER && kind <= MPROF_EVENT_METHOD_FREED &&
	       kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
}

static int is_class(uint32_t kind)
{
	return kind >= MPROF_EVENT_CLASS_LOAD_START && kind <= MPROF_EVENT_ALLOCATION;
}

static void name_event(mprof_reader *reader, recorded_event *recorded)
{
	mprof_mapping mapping;
	uint32_t id = recorded->event.id;

	if (is_method(recorded->event.kind)) {
		snprintf(recorded->name, sizeof(recorded->name), "#%u", (unsigned)id);
		if (mprof_reader_method(reader, id, &mapping) != MPROF_OK)
			return;
		snprintf(recorded->name, sizeof(recorded->name), "%s", mapping.name);
		if (mprof_reader_class(reader, mapping.class_id, &mapping) == MPROF_OK)
			snprintf(recorded->class_name, sizeof(recorded->class_name), "%s", mapping.name);
	} else if (is_class(recorded->event.kind)) {
		snprintf(recorded->name, sizeof(recorded->name), "#%u", (unsigned)id);
		if (mprof_reader_class(reader, id, &mapping) == MPROF_OK)
			snprintf(recorded->name, sizeof(recorded->name), "%s", mapping.name);
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
		}
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

void recorded_log_read(recorded_log *log)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_session session;

	log->event_count = 0;
	log->status = mprof_reader_open_memory(log->bytes, log->length, NULL, &reader);
	mprof_block_init(&block);
	while (log->status == MPROF_OK) {
		log->status = mprof_reader_next_block(reader, &block);
		if (log->status != MPROF_OK)
			break;
		log->blocks[block.kind]++;
		if (block.kind == MPROF_BLOCK_EVENTS)
			log->status = read_events(log, reader, &block);
		for (int cause = 0; block.kind == MPROF_BLOCK_LOST && cause < MPROF_LOSS_CAUSE_COUNT; cause++)
			log->lost[cause] += block.lost[cause];
	}
	session.struct_size = sizeof(session);
	cr_assert_eq(mprof_reader_session(reader, &session), MPROF_OK);
	log->complete = (int)session.complete;
	log->valid_bytes = session.valid_bytes;
	mprof_reader_destroy(reader);
}

void recorded_log_free(recorded_log *log)
{
	free(log->bytes);
	free(log->events);
	memset(log, 0, sizeof(*log));
}

void define_method(mprof_recorder *recorder, mprof_key key, mprof_key class_key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description);
	description.name = name;
	description.name_length = strlen(name);
	description.class_key = class_key;
	cr_assert_eq(mprof_recorder_define_method(recorder, key, &description), MPROF_OK);
}

void define_class(mprof_recorder *recorder, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description);
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
