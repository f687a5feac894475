/* SPDX-License-Identifier: MIT */
/* Reads the events of a log and passes them, with the calls of each thread, to a sink. */
#include "export/event_walk.h"

#include "common/exit_status.h"
#include "export/walk_calls.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 2048
#define RECORD_BATCH 256

/* An entry of event_walk::threads. */
typedef struct thread_entry {
	uint64_t id;
	walk_thread *thread;
} thread_entry;

walk_thread *event_walk_thread(const event_walk *walk, uint64_t id)
{
	const thread_entry *entry = key_map_find(&walk->threads, id);

	return entry != NULL ? entry->thread : NULL;
}

static walk_thread *get_thread(event_walk *walk, uint64_t id)
{
	thread_entry *entry = key_map_put(&walk->threads, id);

	if (entry == NULL)
		return NULL;
	if (entry->thread == NULL) {
		entry->thread = calloc(1, sizeof(*entry->thread));
		if (entry->thread == NULL)
			return NULL;
		entry->thread->id = id;
		entry->thread->stack = &entry->thread->own;
		*walk->last_thread = entry->thread;
		walk->last_thread = &entry->thread->next;
	}
	return entry->thread;
}

static int has_time(const mprof_event *event)
{
	mprof_event_info info = {.struct_size = sizeof(info)};

	if (mprof_event_get_info((mprof_event_kind)event->kind, &info) != MPROF_OK)
		return 1;
	return info.time == MPROF_EVENT_TIME_OWN || (info.time == MPROF_EVENT_TIME_UNNUMBERED && event->id == 0);
}

/* The clock of a thread may go back from one block to the next, but not inside a block. */
static void begin_block(event_walk *walk, walk_thread *thread, const mprof_event *events, size_t count)
{
	size_t first = 0;

	while (first < count && !has_time(&events[first]))
		first++;
	if (first == count) {
		/* No event has a time: that of the block is in all of them. */
		if (thread->has_counter || count == 0)
			return;
		first = 0;
	}
	if (!thread->has_counter || (int64_t)(events[first].counter - thread->counter) < 0)
		walk_begin_row(walk, thread, events[first].counter);
}

/* Damage was reported when the log was read first; a failure to read it once more has to be known. */
static void end_fetch(event_walk *walk, mprof_status status)
{
	if (status != MPROF_END && status != MPROF_OK)
		input_fetch_failed(&walk->input);
}

/* An event about another thread. It may be from before or after the events of that thread that have been read. */
static void note_thread_end(const event_walk *walk, const walk_thread *thread, const mprof_event *event)
{
	walk_thread *ended = NULL;

	if (event->kind == MPROF_EVENT_THREAD_END && event->value != thread->id)
		ended = event_walk_thread(walk, event->value);
	if (ended == NULL)
		return;
	ended->is_reported = 1;
	ended->reported_end = event->counter;
}

static void walk_events(event_walk *walk, const mprof_block *block)
{
	static mprof_event events[BATCH];
	walk_thread *thread = get_thread(walk, block->thread);
	mprof_status status;
	size_t count = 0;
	int is_first = 1;

	if (thread == NULL) {
		walk->has_failed = 1;
		return;
	}
	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		if (is_first)
			begin_block(walk, thread, events, count);
		is_first = 0;
		for (size_t i = 0; i < count && !walk->has_failed; i++) {
			note_thread_end(walk, thread, &events[i]);
			walk_add_event(walk, thread, &events[i]);
		}
		if (thread->time > walk->time)
			walk->time = thread->time;
		if ((int64_t)(thread->counter - walk->end) > 0)
			walk->end = thread->counter;
	} while (status == MPROF_OK && !walk->has_failed);
	end_fetch(walk, status);
}

/* What has not ended lasts until the end of the log, whichever threads are exported. */
static void note_end(event_walk *walk)
{
	static mprof_event events[BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		if (count > 0 && (int64_t)(events[count - 1].counter - walk->end) > 0)
			walk->end = events[count - 1].counter;
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

static int has_counter(const event_walk *walk, uint64_t counter)
{
	return !walk->is_bounded || (counter >= walk->window_start && counter < walk->window_end);
}

static void walk_samples(event_walk *walk, const mprof_block *block)
{
	static mprof_event events[BATCH];
	const uint64_t thread = block->kind == MPROF_BLOCK_SAMPLES ? block->thread : 0;
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		for (size_t i = 0; i < count && walk->sink->sample != NULL; i++) {
			if (has_counter(walk, events[i].counter))
				walk->sink->sample(walk->user, thread, &events[i], walk_time(walk, events[i].counter));
		}
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

static void walk_metrics(event_walk *walk, const mprof_block *block)
{
	static mprof_record records[RECORD_BATCH];
	const uint64_t time = walk_time(walk, block->start.counter);
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_records(walk->input.reader, records, sizeof(*records), RECORD_BATCH, &count);
		for (size_t i = 0; i < count && walk->sink->metric != NULL; i++) {
			if (records[i].kind == MPROF_RECORD_METRIC || has_counter(walk, block->start.counter))
				walk->sink->metric(walk->user, &records[i], time);
		}
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

static void walk_losses(const event_walk *walk, const mprof_block *block)
{
	const walk_thread *thread = block->thread != 0 ? event_walk_thread(walk, block->thread) : NULL;
	uint64_t count = 0;

	for (size_t i = 0; i < block->as.lost.count; i++)
		count += block->as.lost.counts[i];
	if (thread != NULL && thread->row == NULL)
		thread = NULL;
	if (count > 0 && walk->sink->lost != NULL)
		walk->sink->lost(walk->user, thread, count, thread != NULL ? thread->time : walk->time);
}

static int is_wanted(const event_walk *walk, const mprof_block *block)
{
	return !walk->job->options.has_thread || block->thread == walk->job->options.thread;
}

static void walk_block(event_walk *walk, const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
		if (is_wanted(walk, block))
			walk_events(walk, block);
		else
			note_end(walk);
		break;
	case MPROF_BLOCK_STATISTICAL:
		if (!walk->job->options.has_thread)
			walk_samples(walk, block);
		break;
	case MPROF_BLOCK_SAMPLES:
		if (is_wanted(walk, block))
			walk_samples(walk, block);
		break;
	case MPROF_BLOCK_METRICS:
		walk_metrics(walk, block);
		break;
	case MPROF_BLOCK_LOST:
		walk_losses(walk, block);
		break;
	default:
		break;
	}
}

static void finish_threads(event_walk *walk)
{
	for (walk_thread *thread = walk->first_thread; thread != NULL; thread = thread->next) {
		if (thread->row != NULL)
			walk_finish_thread(walk, thread);
	}
}

static void set_clock(event_walk *walk, const log_report *report)
{
	const mprof_session *session = &report->summary.session;
	mprof_profile_window window = {.struct_size = sizeof(window)};

	(void)mprof_profile_get_window(report->profile, &window);
	walk->origin = session->start.counter;
	walk->end = session->last.counter;
	walk->nanoseconds_per_count = session->counters_per_second > 0 ? 1e9 / session->counters_per_second : 1;
	walk->is_bounded = report->options.window.is_bounded;
	walk->window_start = window.start_counter;
	walk->window_end = window.end_counter;
}

int event_walk_run(event_walk *walk, const export_job *job, const log_report *report, const walk_sink *sink, void *user)
{
	mprof_block block;

	memset(walk, 0, sizeof(*walk));
	walk->threads.value_size = sizeof(walk_thread *);
	walk->stacks.value_size = sizeof(walk_stack *);
	walk->last_thread = &walk->first_thread;
	walk->job = job;
	walk->sink = sink;
	walk->user = user;
	set_clock(walk, report);
	if (input_open_quietly(&walk->input, job->log) != STATUS_OK) {
		text_begin_message(report->input.name);
		fputs("cannot read the log once more\n", stderr);
		return STATUS_NOTHING;
	}
	while (!walk->has_failed && input_next_block(&walk->input, &block)) {
		if (block.loaded)
			walk_block(walk, &block);
	}
	finish_threads(walk);
	if (!walk->has_failed)
		return input_check_again(&walk->input);
	text_begin_message(report->input.name);
	fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
	return STATUS_NOTHING;
}

void event_walk_release(event_walk *walk)
{
	while (walk->first_thread != NULL) {
		walk_thread *thread = walk->first_thread;

		walk->first_thread = thread->next;
		free(thread->own.frames);
		free(thread);
	}
	walk_release_stacks(walk);
	key_map_clear(&walk->threads);
	input_close(&walk->input);
}

void event_walk_print_left_out(const event_walk *walk)
{
	if (walk->short_calls > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " shorter calls were left out\n", walk->short_calls);
	if (walk->deep_calls > 0)
		fprintf(stderr,
			"mprof: export: %" PRIu64
			" calls deeper than %zu were left out: readers of this format show no "
			"more\n",
			walk->deep_calls, walk->sink->max_open);
	if (walk->folded_calls > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " calls on stacks of more than %d frames were left out\n",
			walk->folded_calls, WALK_MAX_DEPTH);
}
