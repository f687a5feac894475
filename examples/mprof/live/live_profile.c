/* SPDX-License-Identifier: MIT */
/* Reads a growing log into a profile. */
#include "live/live_profile.h"

#include "common/arguments.h"
#include "common/input.h"
#include "common/output.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_MEMORY (UINT64_C(256) << 20)
#define FLUSH_WAIT_MS 500
#define FLUSH_POLL_MS 5

#define INTERVALS_AT_START 20

/* The clock is read once for this number of blocks. */
#define BLOCKS_PER_CHECK 16

static void note_time(live_profile *live, const mprof_block *block)
{
	if (block->has_clocks && block->end.counter > live->end_counter) {
		live->end_counter = block->end.counter;
		live->end_time_us = block->end.time;
	}
}

/* Determines the part of the log that the window starts with. Returns the time where it begins. */
static int64_t find_window(live_profile *live, const mprof_reader *reader)
{
	int64_t end;

	if (mprof_reader_get_time(reader, live->end_counter, &end) != MPROF_OK || end <= 0)
		return 0;
	live->final_ns = (uint64_t)end;
	live->covered_ns = live->final_ns < live->window_ns ? live->final_ns : live->window_ns;
	return live->final_ns > live->window_ns ? end - (int64_t)live->window_ns : 0;
}

/* Reads the times of all blocks, without their events. */
static int64_t scan_times(live_profile *live, const char *path)
{
	static growing_log scanned;
	int64_t start = 0;
	mprof_block block;

	/* Messages about damage are printed when the log is read. */
	if (input_open_growing(&scanned.input, path) == STATUS_OK) {
		scanned.input.is_quiet = 1;
		while (!growing_log_is_interrupted() && input_next_block(&scanned.input, &block))
			note_time(live, &block);
		start = find_window(live, scanned.input.reader);
	}
	input_close(&scanned.input);
	return start;
}

static int create_models(live_profile *live, int64_t start_ns)
{
	mprof_profile_options options;
	mprof_live_options live_options;

	mprof_profile_options_init(&options, sizeof(options));
	options.max_memory = MAX_MEMORY;
	options.window_start_ns = start_ns;
	mprof_live_window_options_init(&live_options, sizeof(live_options));
	live_options.length_ns = live->window_ns;
	return mprof_profile_create(&options, &live->profile) == MPROF_OK &&
	       mprof_live_window_create(&live_options, &live->window) == MPROF_OK;
}

int live_profile_open(live_profile *live, const char *path, const char *name, uint64_t window_ns)
{
	int64_t start_ns = 0;

	memset(live, 0, sizeof(*live));
	live->window_ns = window_ns;
	if (growing_log_open(&live->log, path, 0) != STATUS_OK)
		return STATUS_NOTHING;
	live->log.input.name = name;
	if (live->log.input.is_file && strcmp(path, "-") != 0) {
		live_profile_flush(live);
		start_ns = scan_times(live, path);
		live->end_counter = 0;
		live->end_time_us = 0;
	}
	if (!create_models(live, start_ns)) {
		output_out_of_memory();
		return STATUS_NOTHING;
	}
	return STATUS_OK;
}

void live_profile_flush(live_profile *live)
{
	const uint64_t requested = growing_log_clock();

	growing_log_update(&live->log);
	for (unsigned waited = 0; waited < FLUSH_WAIT_MS && live->log.flushes.connection.fd >= 0 &&
				  live->log.flushes.served_ns < requested && !growing_log_is_interrupted();
	     waited += FLUSH_POLL_MS) {
		growing_log_sleep(FLUSH_POLL_MS);
		growing_log_update(&live->log);
	}
}

/* The window ends at \p time_ns, or where it ended before if that is later. */
static void update_window(live_profile *live, uint64_t time_ns)
{
	mprof_status status = mprof_profile_finish(live->profile, live->log.input.reader);

	if (time_ns > live->updated_ns)
		live->updated_ns = time_ns;
	if (status != MPROF_ERR_MEMORY)
		status = mprof_live_window_update(live->window, live->profile, live->updated_ns);
	live->is_failed |= status == MPROF_ERR_MEMORY;
}

/*
 * What was in the log at the start is read at once, but the window moves on by the time of the log, so that it does not
 * lose all of that at the same time later.
 */
static void update_at_start(live_profile *live)
{
	const uint64_t end_ns = (uint64_t)live_profile_end_ns(live);
	const uint64_t begin_ns = live->final_ns - live->covered_ns;

	if (live->started_ns == 0 && end_ns > begin_ns && end_ns < live->final_ns &&
	    end_ns - begin_ns >= live->updated_ns + live->window_ns / INTERVALS_AT_START)
		update_window(live, end_ns - begin_ns);
}

/* Reads what has arrived, at most until \p deadline. */
static void read_blocks(live_profile *live, uint64_t deadline)
{
	log_input *input = &live->log.input;
	const uint64_t served_ns = live->log.flushes.served_ns;
	mprof_block block;

	live->is_behind = 0;
	for (unsigned count = 1; !growing_log_is_interrupted() && input_next_block(input, &block); count++) {
		note_time(live, &block);
		profile_input_add(input, live->profile, &block);
		update_at_start(live);
		if (count % BLOCKS_PER_CHECK == 0 && growing_log_clock() >= deadline) {
			live->is_behind = 1;
			return;
		}
	}
	if (served_ns > live->complete_ns)
		live->complete_ns = served_ns;
}

static void get_totals(live_profile *live)
{
	live->totals.struct_size = sizeof(live->totals);
	mprof_profile_get_row(live->profile, MPROF_TABLE_TOTALS, 0, &live->totals);
	live->recent.struct_size = sizeof(live->recent);
	mprof_live_window_get_totals(live->window, &live->recent);
}

void live_profile_update(live_profile *live, unsigned milliseconds)
{
	uint64_t now = growing_log_clock();

	/* The view of a log that has ended stays as it is. */
	if (live->is_final)
		return;
	growing_log_update(&live->log);
	read_blocks(live, now + (uint64_t)milliseconds * 1000000);
	now = growing_log_clock();
	if (live->started_ns == 0 && !live->is_behind) {
		live->started_ns = now;
		/* Nothing is known about a stream before it is read: the window has all that came first. */
		if (live->final_ns == 0)
			live->covered_ns = (uint64_t)live_profile_end_ns(live);
	}
	if (live->started_ns != 0)
		update_window(live, live->covered_ns + now - live->started_ns);
	live->is_final = live->log.input.is_over && !live->is_behind;
	get_totals(live);
}

void live_profile_restart(live_profile *live)
{
	mprof_live_window_restart(live->window);
	get_totals(live);
}

live_state live_profile_state(const live_profile *live)
{
	mprof_session session = {.struct_size = sizeof(session)};

	if (!live->log.input.is_over && !live->log.is_finished)
		return LIVE_RECORDING;
	mprof_reader_get_session(live->log.input.reader, &session);
	return session.complete ? LIVE_ENDED : LIVE_STOPPED;
}

uint64_t live_profile_lag_ms(const live_profile *live)
{
	struct timespec now;
	uint64_t now_us;
	uint64_t lag_us;

	if (live_profile_state(live) != LIVE_RECORDING)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	now_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	lag_us = now_us > live->end_time_us ? now_us - live->end_time_us : 0;
	if (live->complete_ns != 0 && (growing_log_clock() - live->complete_ns) / 1000 < lag_us)
		lag_us = (growing_log_clock() - live->complete_ns) / 1000;
	return lag_us / 1000;
}

int64_t live_profile_end_ns(const live_profile *live)
{
	int64_t end = 0;

	if (live->log.input.reader == NULL ||
	    mprof_reader_get_time(live->log.input.reader, live->end_counter, &end) != MPROF_OK)
		return 0;
	return end > 0 ? end : 0;
}

void live_profile_close(live_profile *live)
{
	mprof_live_window_destroy(live->window);
	mprof_profile_destroy(live->profile);
	growing_log_close(&live->log);
}
