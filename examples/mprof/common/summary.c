/* SPDX-License-Identifier: MIT */
/* Collects and prints the summary of a log: its session, and the numbers of blocks and events. */
#include "common/summary.h"

#include "common/exit_status.h"
#include "shared/key_map.h"
#include "shared/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 2048

static void count_events(log_summary *summary, log_input *input)
{
	static mprof_event events[BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(input->reader, events, BATCH, &count);
		for (size_t i = 0; i < count; i++)
			summary_count_event(summary, &events[i]);
	} while (status == MPROF_OK);
	if (status != MPROF_END)
		input_fetch_failed(input);
}

static int has_thread(const mprof_block *block)
{
	return block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES ||
	       block->kind == MPROF_BLOCK_THREAD || (block->kind == MPROF_BLOCK_LOST && block->thread != 0);
}

void summary_count_block(log_summary *summary, const mprof_block *block)
{
	if (block->kind < SUMMARY_BLOCK_KINDS)
		summary->block_counts[block->kind]++;
	block_storage_add(&summary->storage, block);
	if (!block->loaded)
		return;
	if (block->kind == MPROF_BLOCK_LOST) {
		for (size_t cause = 0; cause < block->as.lost.count; cause++)
			summary->lost[cause] += block->as.lost.counts[cause];
	}
	if (block->kind == MPROF_BLOCK_LOADED)
		precompiled_add(&summary->precompiled, block);
	if (block->kind == MPROF_BLOCK_HEAP_DATA) {
		summary->heap_shots += (block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) != 0;
		summary->ended_shots += (block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST) != 0;
		if ((block->as.heap_data.flags & MPROF_HEAP_FLAG_INCOMPLETE) &&
		    block->as.heap_summary.collection != summary->incomplete_shot) {
			summary->incomplete_shot = block->as.heap_summary.collection;
			summary->incomplete_shots++;
		}
	}
}

void summary_take_property(log_summary *summary, const char *key, const char *value)
{
	ring_span_read(&summary->ring, key, value);
	sampling_take(&summary->sampling, key, value);
	recording_filters_take(&summary->filters, key, value);
	if (strcmp(key, "running_threads_at_end") == 0)
		summary->running_threads = strtoull(value, NULL, 10);
	if (strcmp(key, "program") == 0)
		snprintf(summary->program, sizeof(summary->program), "%s", value);
	if (strcmp(key, "unrecorded_children") == 0)
		summary->unrecorded_children = strtoull(value, NULL, 10);
	if (strcmp(key, "write-error") == 0)
		snprintf(summary->write_error, sizeof(summary->write_error), "%s", value);
	if (strcmp(key, "memory_unrecorded") == 0)
		snprintf(summary->unrecorded_memory, sizeof(summary->unrecorded_memory), "%s", value);
}

void summary_read_properties(log_summary *summary, log_input *input)
{
	const char *key;
	const char *value;
	mprof_status status;

	while ((status = mprof_reader_next_property(input->reader, &key, &value)) == MPROF_OK)
		summary_take_property(summary, key, value);
	if (status != MPROF_END)
		input_fetch_failed(input);
}

int summary_lacks_calls(const log_summary *summary)
{
	return (summary->session.flags & MPROF_INTRO_FLAG_ENTER_LEAVE) != 0 && summary->precompiled.length > 0;
}

int summary_read(log_summary *summary, log_input *input)
{
	key_map threads = {0};
	mprof_block block;
	int is_done = 1;

	memset(summary, 0, sizeof(*summary));
	while (is_done && input_next_block(input, &block)) {
		summary_count_block(summary, &block);
		if (block.loaded && has_thread(&block))
			is_done = key_map_add(&threads, block.thread) >= 0;
		if (block.loaded && block.kind == MPROF_BLOCK_SESSION)
			summary_read_properties(summary, input);
		if (block.loaded && input_block_has_events(&block))
			count_events(summary, input);
	}
	if (!is_done)
		input_failed(input, block.offset, MPROF_ERR_MEMORY, mprof_status_get_text(MPROF_ERR_MEMORY));
	summary->threads = threads.count;
	key_map_clear(&threads);
	summary_complete(summary, input);
	return is_done;
}

void summary_complete(log_summary *summary, const log_input *input)
{
	summary->session.struct_size = sizeof(summary->session);
	mprof_reader_get_session(input->reader, &summary->session);
	summary->classes = mprof_reader_get_class_count(input->reader);
	summary->methods = mprof_reader_get_method_count(input->reader);
	summary->stacks = mprof_reader_get_record_count(input->reader, MPROF_RECORD_STACK);
	summary->modules = mprof_reader_get_record_count(input->reader, MPROF_RECORD_MODULE);
	summary->functions = mprof_reader_get_record_count(input->reader, MPROF_RECORD_FUNCTION);
	summary->locations = mprof_reader_get_record_count(input->reader, MPROF_RECORD_LOCATION);
	summary->roots = mprof_reader_get_record_count(input->reader, MPROF_RECORD_ROOT);
	summary->metrics = mprof_reader_get_record_count(input->reader, MPROF_RECORD_METRIC);
	/* This includes problems that are not errors for the reader, such as an undefined ID. */
	if (input->first_fault < summary->session.valid_bytes)
		summary->session.valid_bytes = input->first_fault;
	if (input->first_fault != UINT64_MAX)
		summary->session.complete = 0;
	summary->is_growing = !summary->session.complete && input_is_being_written(input->name);
	if (input->is_file && !summary->session.compressed)
		summary->size = input->file_size;
	else if (summary->session.complete || input->reached < summary->session.valid_bytes)
		summary->size = summary->session.valid_bytes;
	else
		summary->size = input->reached;
}

/* Kinds without a name are counted together. */
static void print_block_counts(const log_summary *summary, json_writer *json)
{
	uint64_t unknown = summary->block_counts[MPROF_BLOCK_UNKNOWN];
	const char *unknown_name = mprof_block_get_name(MPROF_BLOCK_UNKNOWN);

	json_begin_object(json, "blocks");
	for (uint32_t kind = 1; kind < SUMMARY_BLOCK_KINDS; kind++) {
		const char *name = mprof_block_get_name((mprof_block_kind)kind);

		if (strcmp(name, unknown_name) != 0)
			json_unsigned(json, name, summary->block_counts[kind]);
		else
			unknown += summary->block_counts[kind];
	}
	json_unsigned(json, unknown_name, unknown);
	json_end_object(json);
}

static void print_losses(const log_summary *summary, json_writer *json)
{
	json_begin_object(json, "lost_by_cause");
	for (uint32_t cause = 0; cause < KIND_ROOM; cause++) {
		if (summary->lost[cause] > 0)
			json_unsigned(json, mprof_loss_get_name((mprof_loss_cause)cause), summary->lost[cause]);
	}
	json_end_object(json);
}

/* Length of a unit of the counter; not a number if it is not known. */
static double resolution_ns(const mprof_session *session)
{
	return session->counters_per_second > 0 ? 1e9 / session->counters_per_second : NAN;
}

static void print_reason(json_writer *json, const char *key, const char *reason)
{
	if (reason[0] != '\0')
		json_string(json, key, reason);
	else
		json_null(json, key);
}

void summary_print_json(const log_summary *summary, const log_input *input, json_writer *json)
{
	const mprof_session *session = &summary->session;

	json_string(json, "file", input->name);
	json_string(json, "dialect", mprof_dialect_get_name((mprof_dialect)session->dialect));
	json_unsigned(json, "version", session->version);
	json_string(json, "runtime", session->runtime);
	json_unsigned(json, "flags", session->flags);
	json_boolean(json, "complete", session->complete != 0);
	json_unsigned(json, "valid_bytes", session->valid_bytes);
	json_unsigned(json, "size", summary->size);
	json_boolean(json, "compressed", session->compressed != 0);
	json_unsigned(json, "file_size", input->is_file ? input->file_size : summary->size);
	block_storage_print_json(&summary->storage, json);
	json_unsigned(json, "start_time_us", session->start.time);
	json_unsigned(json, "end_time_us", session->last.time);
	json_double(json, "counters_per_second", session->counters_per_second);
	json_double(json, "resolution_ns", resolution_ns(session));
	json_unsigned(json, "duration_ns", session->duration_ns);
	json_unsigned(json, "clock_steps", session->clock_steps);
	json_signed(json, "clock_step_us", session->clock_step_us);
	json_unsigned(json, "threads", summary->threads);
	json_unsigned(json, "classes", summary->classes);
	json_unsigned(json, "methods", summary->methods);
	json_unsigned(json, "lost_events", session->lost_events);
	print_losses(summary, json);
	print_reason(json, "write_error", summary->write_error);
	print_reason(json, "memory_unrecorded", summary->unrecorded_memory);
	json_unsigned(json, "unrecorded_children", summary->unrecorded_children);
	ring_span_print_json(&summary->ring, json);
	json_unsigned(json, "running_threads_at_end", summary->running_threads);
	precompiled_print_json(&summary->precompiled, json);
	sampling_print_json(&summary->sampling, json);
	recording_filters_print_json(&summary->filters, json);
	json_unsigned(json, "event_count", summary->events);
	json_unsigned(json, "stacks", summary->stacks);
	json_unsigned(json, "modules", summary->modules);
	json_unsigned(json, "functions", summary->functions);
	json_unsigned(json, "locations", summary->locations);
	json_unsigned(json, "roots", summary->roots);
	json_unsigned(json, "metrics", summary->metrics);
	json_unsigned(json, "heap_shots", summary->heap_shots);
	print_block_counts(summary, json);
	json_begin_object(json, "events");
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		if (kind_is_event(kind))
			json_unsigned(json, mprof_event_get_name((mprof_event_kind)kind), summary->event_counts[kind]);
	}
	json_end_object(json);
	json_begin_array(json, "damage");
	for (size_t i = 0; i < input_kept_problems(input); i++) {
		json_begin_object(json, NULL);
		json_unsigned(json, "offset", input->problems[i].offset);
		json_string(json, "what", input->problems[i].what);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_line(FILE *file, const char *label, const char *value)
{
	fprintf(file, "%-12s ", label);
	text_name(file, value);
	fputc('\n', file);
}

/* Prints a line only if the number is not 0. */
static void print_some(FILE *file, const char *label, uint64_t number)
{
	char text[TEXT_NUMBER_SIZE];

	if (number > 0)
		print_line(file, label, text_count(text, number));
}

/* Prints what was not recorded, or is no longer there. */
static void print_missing(const log_summary *summary, FILE *file)
{
	char count[TEXT_NUMBER_SIZE];

	if (summary->session.lost_events > 0)
		fprintf(file, "%-12s %s events were not recorded%s%s\n", "lost",
			text_count(count, summary->session.lost_events),
			summary->write_error[0] != '\0' ? ": the log could not be written whole: " : "",
			summary->write_error);
	ring_span_print(&summary->ring, file);
	if (summary->running_threads > 0)
		fprintf(file,
			"%-12s %s other threads still ran when recording ended: what they did after it is missing\n",
			"end", text_count(count, summary->running_threads));
	if (summary->unrecorded_memory[0] != '\0')
		print_line(file, "memory", summary->unrecorded_memory);
	if (summary->incomplete_shots > 0)
		fprintf(file, "%-12s incomplete snapshots: %s\n", "heap", text_count(count, summary->incomplete_shots));
}

static void print_state(const log_summary *summary, FILE *file)
{
	int is_closed = summary->block_counts[MPROF_BLOCK_END] > 0;

	if (summary->session.complete)
		print_line(file, "state", "complete");
	else if (summary->is_growing)
		print_line(file, "state", "still being recorded: what is printed is what was written so far");
	else if (summary->session.valid_bytes < summary->size || is_closed)
		fprintf(file, "%-12s %s: valid up to byte %" PRIu64 " of %" PRIu64 "\n", "state",
			is_closed ? "closed, but has faults" : "damaged or truncated", summary->session.valid_bytes,
			summary->size);
	else
		print_line(file, "state", "incomplete: not closed");
	print_missing(summary, file);
}

/* Precompiled code does not report its calls. */
static void print_precompiled(const log_summary *summary, FILE *file)
{
	if (!summary_lacks_calls(summary))
		return;
	fprintf(file, "%-12s calls in precompiled code are missing (", "calls");
	precompiled_print(&summary->precompiled, file);
	fputs("): use 'mprof record --no-aot', or --sample\n", file);
}

/* The intro block lists what was recorded from the start; calls and samples can be switched on later. */
static uint32_t recorded_flags(const log_summary *summary)
{
	uint32_t flags = summary->session.flags;

	flags |= summary->event_counts[MPROF_EVENT_METHOD_ENTER] > 0 ? MPROF_INTRO_FLAG_ENTER_LEAVE : 0;
	flags |= summary->event_counts[MPROF_EVENT_SAMPLE] > 0 ? MPROF_INTRO_FLAG_STATISTICAL : 0;
	return flags;
}

static void print_flags(uint32_t flags, FILE *file)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{MPROF_INTRO_FLAG_ENTER_LEAVE, "calls"},
		{MPROF_INTRO_FLAG_ALLOCATION, "allocations"},
		{MPROF_INTRO_FLAG_JIT, "jit"},
		{MPROF_INTRO_FLAG_GC, "collections"},
		{MPROF_INTRO_FLAG_EXCEPTION, "exceptions"},
		{MPROF_INTRO_FLAG_THREAD, "threads"},
		{MPROF_INTRO_FLAG_CLASS, "classes"},
		{MPROF_INTRO_FLAG_STATISTICAL, "samples"},
		{MPROF_INTRO_FLAG_MONITOR, "monitors"},
		{MPROF_INTRO_FLAG_ASSEMBLY, "assemblies"},
		{MPROF_INTRO_FLAG_MODULE, "modules"},
		{MPROF_INTRO_FLAG_DOMAIN, "domains"},
		{MPROF_INTRO_FLAG_METHOD, "methods-freed"},
		{MPROF_INTRO_FLAG_HEAP, "heap"},
		{MPROF_INTRO_FLAG_HANDLE, "handles"},
		{MPROF_INTRO_FLAG_FINALIZER, "finalizers"},
		{MPROF_INTRO_FLAG_METRIC, "metrics"},
		{MPROF_INTRO_FLAG_MEMORY, "memory"},
	};

	fprintf(file, "%-12s", "recorded");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (flags & names[i].flag)
			fprintf(file, " %s", names[i].name);
	}
	fputc('\n', file);
}

void summary_print_steps(const mprof_session *session, FILE *file)
{
	char text[TEXT_NUMBER_SIZE];
	const int is_back = session->clock_step_us < 0;
	const uint64_t amount = is_back ? 0 - (uint64_t)session->clock_step_us : (uint64_t)session->clock_step_us;

	if (session->clock_steps == 0)
		return;
	fprintf(file, "%-12s the wall clock moved %s by %s while the log was recorded; ", "note",
		is_back ? "back" : "forward", text_duration(text, amount < UINT64_MAX / 1000 ? amount * 1000 : amount));
	fputs(session->states_rate ? "durations do not depend on it\n" : "durations are estimated without the step\n",
	      file);
}

static void print_times(const mprof_session *session, FILE *file)
{
	char text[TEXT_NUMBER_SIZE];

	print_line(file, "started", text_date(text, session->start.time));
	if (session->duration_ns > 0)
		print_line(file, "duration", text_duration(text, session->duration_ns));
	if (session->counters_per_second > 0)
		fprintf(file, "%-12s %.6g counters per second, resolution %.6g ns\n", "clock",
			session->counters_per_second, resolution_ns(session));
	summary_print_steps(session, file);
}

void summary_print_text(const log_summary *summary, const log_input *input, FILE *file)
{
	const mprof_session *session = &summary->session;
	char text[TEXT_NUMBER_SIZE];

	print_line(file, "file", input->name);
	fprintf(file, "%-12s %s, version %" PRIu32 "%s\n", "dialect",
		mprof_dialect_get_name((mprof_dialect)session->dialect), session->version,
		session->compressed ? ", gzip" : "");
	print_line(file, "runtime", session->runtime != NULL ? session->runtime : "");
	print_flags(recorded_flags(summary), file);
	print_state(summary, file);
	print_precompiled(summary, file);
	recording_filters_print_text(&summary->filters, recorded_flags(summary), file);
	sampling_print_text(&summary->sampling, file);
	print_line(file, "size", text_bytes(text, summary->size));
	if (session->compressed && input->is_file)
		print_line(file, "on disk", text_bytes(text, input->file_size));
	block_storage_print_text(&summary->storage, file);
	print_times(session, file);
	print_line(file, "threads", text_count(text, summary->threads));
	print_line(file, "classes", text_count(text, summary->classes));
	print_line(file, "methods", text_count(text, summary->methods));
	print_line(file, "events", text_count(text, summary->events));
	print_some(file, "stacks", summary->stacks);
	print_some(file, "locations", summary->locations);
	print_some(file, "functions", summary->functions);
	print_some(file, "modules", summary->modules);
	print_some(file, "metrics", summary->metrics);
	print_some(file, "snapshots", summary->heap_shots);
}

void summary_print_header(const log_summary *summary, const log_input *input, const char *program, FILE *file)
{
	const mprof_session *session = &summary->session;
	char text[TEXT_NUMBER_SIZE];

	text_name(file, input->name);
	fputs(": ", file);
	if (program != NULL) {
		text_name(file, program);
		fputs(", ", file);
	}
	if (session->runtime != NULL && session->runtime[0] != '\0') {
		text_name(file, session->runtime);
		fputs(", ", file);
	}
	if (session->duration_ns > 0)
		fprintf(file, "%s, ", text_duration(text, session->duration_ns));
	fprintf(file, "%s thread%s, ", text_count(text, summary->threads), summary->threads == 1 ? "" : "s");
	fprintf(file, "%s events, ", text_count(text, summary->events));
	fprintf(file, "%s, %s\n", text_bytes(text, summary->size),
		session->complete     ? "complete"
		: summary->is_growing ? "still being recorded"
				      : "incomplete or damaged");
	if (!session->complete)
		print_state(summary, file);
	else
		print_missing(summary, file);
	summary_print_steps(session, file);
	print_precompiled(summary, file);
	recording_filters_print_text(&summary->filters, recorded_flags(summary), file);
	sampling_print_text(&summary->sampling, file);
}
