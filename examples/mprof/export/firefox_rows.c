/* SPDX-License-Identifier: MIT */
/* Keeps and writes the threads of a profile of Firefox. */
#include "export/firefox_rows.h"

#include "common/elements.h"

#include <inttypes.h>
#include <stdlib.h>

firefox_row *firefox_rows_add(firefox_rows *rows, uint64_t thread, uint64_t time)
{
	firefox_row *row = calloc(1, sizeof(*row));

	if (row == NULL) {
		rows->has_failed = 1;
		return NULL;
	}
	row->thread = thread;
	row->first = time;
	row->last = time;
	row->since = time;
	row->stack = FIREFOX_NONE;
	*rows->last = row;
	rows->last = &row->next;
	return row;
}

void firefox_rows_release(firefox_rows *rows)
{
	while (rows->first != NULL) {
		firefox_row *row = rows->first;

		rows->first = row->next;
		for (size_t i = 0; i < FIREFOX_MARKER_KINDS; i++)
			free(row->opens[i].starts);
		spool_stream_release(&row->samples);
		spool_stream_release(&row->allocations);
		spool_stream_release(&row->markers);
		free(row);
	}
	spool_release(&rows->spool);
}

static inline void pass_time(firefox_row *row, uint64_t time)
{
	if (time > row->last)
		row->last = time;
	if (time < row->first)
		row->first = time;
}

void firefox_row_add_sample(firefox_rows *rows, firefox_row *row, const firefox_sample *sample)
{
	spool_add(&rows->spool, &row->samples, sample, sizeof(*sample));
	row->sample_count++;
	pass_time(row, sample->time);
}

/* Adds the time since the last call began or ended. Time outside of all calls has no weight. */
static void add_time(firefox_rows *rows, firefox_row *row, uint64_t time)
{
	const firefox_sample sample = {
		.time = row->since, .weight = row->stack != FIREFOX_NONE ? time - row->since : 0, .stack = row->stack};

	firefox_row_add_sample(rows, row, &sample);
	row->has_new_call = 0;
}

void firefox_row_call(firefox_rows *rows, firefox_row *row, uint64_t time, uint32_t stack, int is_enter)
{
	/* A call that takes no time and calls nothing has a sample nevertheless, so that the tree contains it. */
	if (time > row->since || (row->has_new_call && !is_enter))
		add_time(rows, row, time);
	row->since = time;
	row->stack = stack;
	row->has_new_call = is_enter;
	pass_time(row, time);
}

void firefox_row_finish(firefox_rows *rows, firefox_row *row)
{
	const firefox_sample end = {.time = row->last, .stack = FIREFOX_NONE};

	/* The viewer draws a sample until the next one, and ignores allocations after the last one. */
	if (row->sample_count > 0 || row->allocation_count > 0)
		firefox_row_add_sample(rows, row, &end);
}

void firefox_row_add_allocation(firefox_rows *rows, firefox_row *row, const firefox_sample *allocation)
{
	spool_add(&rows->spool, &row->allocations, allocation, sizeof(*allocation));
	row->allocation_count++;
	pass_time(row, allocation->time);
}

void firefox_row_add_marker(firefox_rows *rows, firefox_row *row, const firefox_marker *marker)
{
	spool_add(&rows->spool, &row->markers, marker, sizeof(*marker));
	row->marker_count++;
	pass_time(row, marker->end != FIREFOX_OPEN ? marker->end : marker->start);
}

void firefox_row_open(firefox_rows *rows, firefox_row *row, firefox_marker_kind kind, uint64_t time)
{
	firefox_open *open = &row->opens[kind];

	if (!elements_reserve((void **)&open->starts, &open->capacity, open->count, sizeof(*open->starts))) {
		rows->has_failed = 1;
		return;
	}
	open->starts[open->count++] = time;
}

int firefox_row_close(firefox_row *row, firefox_marker_kind kind, uint64_t *start)
{
	firefox_open *open = &row->opens[kind];

	if (open->count == 0)
		return 0;
	*start = open->starts[--open->count];
	return 1;
}

int firefox_row_is_used(const firefox_row *row)
{
	return row->is_process || row->sample_count > 0 || row->allocation_count > 0 || row->marker_count > 0;
}

/* What the functions that write a column share. */
typedef struct column_writer {
	text_stream *out;
	const firefox_tables *tables;
	json_writer *json;
	int is_first;
} column_writer;

static inline void begin_number(column_writer *writer)
{
	if (!writer->is_first)
		text_stream_character(writer->out, ',');
	writer->is_first = 0;
}

static void write_stack(void *user, const void *record)
{
	column_writer *writer = user;
	const firefox_sample *sample = record;

	begin_number(writer);
	if (sample->stack != FIREFOX_NONE)
		text_stream_unsigned(writer->out, sample->stack);
	else
		text_stream_string(writer->out, "null");
}

static void write_time(void *user, const void *record)
{
	column_writer *writer = user;
	const firefox_sample *sample = record;

	begin_number(writer);
	text_stream_milliseconds(writer->out, sample->time);
}

static void write_time_weight(void *user, const void *record)
{
	column_writer *writer = user;
	const firefox_sample *sample = record;

	begin_number(writer);
	text_stream_milliseconds(writer->out, sample->weight);
}

static void write_weight(void *user, const void *record)
{
	column_writer *writer = user;
	const firefox_sample *sample = record;

	begin_number(writer);
	text_stream_unsigned(writer->out, sample->weight);
}

static void write_class(void *user, const void *record)
{
	const column_writer *writer = user;
	const firefox_sample *sample = record;

	firefox_write_string(writer->tables, writer->json, NULL, sample->class_name);
}

static void write_object(void *user, const void *record)
{
	const column_writer *writer = user;

	(void)record;
	json_string(writer->json, NULL, "Object");
}

static void write_false(void *user, const void *record)
{
	const column_writer *writer = user;

	(void)record;
	json_boolean(writer->json, NULL, 0);
}

/* Writes a column, either with the writer of JSON or with the buffer of numbers. */
static void write_column(firefox_rows *rows, const spool_stream *stream, column_writer *writer, const char *key,
			 void (*write)(void *user, const void *record))
{
	writer->is_first = 1;
	json_begin_array(writer->json, key);
	spool_read(&rows->spool, stream, sizeof(firefox_sample), write, writer);
	text_stream_flush(writer->out);
	json_end_array(writer->json);
}

static void write_samples(firefox_rows *rows, const firefox_row *row, column_writer *writer,
			  const firefox_row_format *format)
{
	json_begin_object(writer->json, "samples");
	write_column(rows, &row->samples, writer, "stack", write_stack);
	write_column(rows, &row->samples, writer, "time", write_time);
	write_column(rows, &row->samples, writer, "weight", format->is_time ? write_time_weight : write_weight);
	json_string(writer->json, "weightType", format->weight_type);
	json_unsigned(writer->json, "length", row->sample_count);
	json_end_object(writer->json);
}

static void write_allocations(firefox_rows *rows, const firefox_row *row, column_writer *writer)
{
	json_begin_object(writer->json, "jsAllocations");
	write_column(rows, &row->allocations, writer, "time", write_time);
	write_column(rows, &row->allocations, writer, "className", write_class);
	write_column(rows, &row->allocations, writer, "typeName", write_object);
	write_column(rows, &row->allocations, writer, "coarseType", write_object);
	write_column(rows, &row->allocations, writer, "weight", write_weight);
	json_string(writer->json, "weightType", "bytes");
	write_column(rows, &row->allocations, writer, "inNursery", write_false);
	write_column(rows, &row->allocations, writer, "stack", write_stack);
	json_unsigned(writer->json, "length", row->allocation_count);
	json_end_object(writer->json);
}

static void write_names(const firefox_row *row, firefox_tables *tables, json_writer *json,
			const firefox_row_format *format)
{
	thread_identity identity;
	char tid[TEXT_STREAM_NUMBER];
	char number[TEXT_STREAM_NUMBER];
	const char *command;
	const char *process;
	const char *plain;

	thread_names_table_identify(format->threads, row->is_process ? 0 : row->thread, &identity);
	if (row->is_process)
		snprintf(identity.name, sizeof(identity.name), "Process");
	else if (row->thread == 0)
		snprintf(identity.name, sizeof(identity.name), "Samples without thread");
	plain = plain_text(&tables->plain, identity.name);
	tables->has_failed |= plain == NULL;
	json_string(json, "name", plain != NULL ? plain : "");
	json_boolean(json, "isMainThread", row->is_process);
	process = row->is_process || identity.process == NULL
			  ? format->process_name
			  : thread_names_table_name_process(format->threads, identity.process, &command);
	plain = plain_text(&tables->plain, process);
	tables->has_failed |= plain == NULL;
	json_string(json, "processName", plain != NULL ? plain : "");
	snprintf(number, sizeof(number), "%llu",
		 identity.process != NULL ? (unsigned long long)identity.process->pid : 0);
	json_string(json, "pid", row->is_process || identity.process == NULL ? format->pid : number);
	snprintf(tid, sizeof(tid), "%llu", (unsigned long long)identity.tid);
	json_string(json, "tid", tid);
}

void firefox_row_write(firefox_rows *rows, const firefox_row *row, firefox_tables *tables, json_writer *json,
		       text_stream *numbers, const firefox_row_format *format)
{
	column_writer writer = {.out = numbers, .tables = tables, .json = json};

	json_begin_object(json, NULL);
	json_string(json, "processType", "default");
	json_unsigned(json, "processStartupTime", 0);
	json_null(json, "processShutdownTime");
	json_fixed(json, "registerTime", row->first, 6);
	json_null(json, "unregisterTime");
	json_begin_array(json, "pausedRanges");
	json_end_array(json);
	write_names(row, tables, json, format);
	if (row->is_process)
		json_boolean(json, "showMarkersInTimeline", 1);
	write_samples(rows, row, &writer, format);
	if (row->allocation_count > 0)
		write_allocations(rows, row, &writer);
	firefox_write_markers(tables, json, &rows->spool, &row->markers);
	json_end_object(json);
}
