/* SPDX-License-Identifier: MIT */
/*
 * The bounds of a window are times; a profile that is read in one pass finds the same counters for them as a reader
 * that has read the whole log.
 */
#include "logs/log_fixture.h"

#include <mprof/profile.h>

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of the log at which windows are bounded. */
#define PARTS 3

/* A log whose source may lack read_at, and may end earlier than the log. */
typedef struct slow_log {
	log_bytes bytes;
	size_t position;
	size_t available;
} slow_log;

static int read_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	const slow_log *log = user;
	const size_t remaining = offset < log->available ? log->available - (size_t)offset : 0;

	*got = remaining < length ? remaining : length;
	memcpy(bytes, log->bytes.bytes + (remaining > 0 ? offset : 0), *got);
	return 0;
}

static int read_on(void *user, void *bytes, size_t length, size_t *got)
{
	slow_log *log = user;
	const int fault = read_at(user, log->position, bytes, length, got);

	log->position += *got;
	return fault;
}

static int seek_to(void *user, uint64_t offset)
{
	((slow_log *)user)->position = (size_t)offset;
	return 0;
}

static mprof_reader *open_slow(slow_log *log, int can_read_at, uint32_t follow)
{
	const mprof_source source = {sizeof(source), read_on, seek_to, NULL, log, can_read_at ? read_at : NULL};
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.follow = follow;
	log->position = 0;
	log->available = follow ? 0 : log->bytes.length;
	cr_assert_neq(mprof_reader_open_source(&source, &options, &reader), MPROF_ERR_MEMORY);
	return reader;
}

static mprof_profile *create(int64_t start_ns, int64_t end_ns)
{
	mprof_profile_options options;
	mprof_profile *profile;

	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = start_ns;
	options.window_end_ns = end_ns;
	cr_assert_eq(mprof_profile_create(&options, &profile), MPROF_OK);
	return profile;
}

static mprof_profile_window window_of(const mprof_profile *profile)
{
	mprof_profile_window window = {.struct_size = sizeof(window)};

	cr_assert_eq(mprof_profile_get_window(profile, &window), MPROF_OK);
	return window;
}

static mprof_profile_totals totals_of(const mprof_profile *profile)
{
	mprof_profile_totals totals;

	memset(&totals, 0, sizeof(totals));
	totals.struct_size = sizeof(totals);
	cr_assert_eq(mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &totals), MPROF_OK);
	return totals;
}

/* The counters of times by the clock of the whole log. */
typedef struct known_clock {
	uint64_t counters[PARTS + 1];
	int64_t times[PARTS + 1];
	int states_rate;
} known_clock;

/* Returns 0 if the log has no time that passes. */
static int find_clock(slow_log *log, known_clock *clock)
{
	mprof_reader *reader = open_slow(log, 0, 0);
	mprof_profile *profile = create(0, 0);
	mprof_session session = {.struct_size = sizeof(session)};

	if (reader == NULL) {
		mprof_profile_destroy(profile);
		return 0;
	}
	cr_assert_neq(mprof_profile_read(profile, reader, NULL, NULL), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	for (int part = 0; part <= PARTS; part++) {
		clock->times[part] = (int64_t)session.duration_ns / PARTS * part + (part == PARTS);
		(void)mprof_reader_get_counter(reader, clock->times[part], &clock->counters[part]);
	}
	clock->states_rate = session.states_rate != 0;
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return session.duration_ns > PARTS;
}

static void expect_window(const char *name, const known_clock *clock, int part, mprof_profile *profile)
{
	const mprof_profile_window window = window_of(profile);

	cr_expect_eq(window.start_counter, part > 0 ? clock->counters[part] : 0, "%s: start of part %d", name, part);
	cr_expect_eq(window.end_counter, clock->counters[part + 1], "%s: end of part %d", name, part);
	cr_expect_eq(window.is_final, 1, "%s", name);
}

static mprof_profile *create_part(const known_clock *clock, int part)
{
	return create(clock->times[part], clock->times[part + 1]);
}

/* Adds each block, as clients with a loop of their own do. */
static void add_blocks(mprof_profile *profile, mprof_reader *reader)
{
	mprof_block block;
	mprof_status status;

	do {
		mprof_error error = {.struct_size = sizeof(error)};

		memset(&block, 0, sizeof(block));
		mprof_block_init(&block, sizeof(block));
		status = mprof_reader_next_block(reader, &block);
		if (status == MPROF_OK || (status == MPROF_ERR_TRUNCATED && block.loaded))
			cr_assert_neq(mprof_profile_add_block(profile, reader, &block), MPROF_ERR_MEMORY);
		if (status > MPROF_AGAIN) {
			cr_assert_eq(mprof_reader_get_error(reader, &error), MPROF_OK);
			status = error.severity == MPROF_SEVERITY_BLOCK ? MPROF_OK : status;
		}
	} while (status == MPROF_OK);
	cr_assert_eq(mprof_profile_finish(profile, reader), MPROF_OK);
}

static void check_log(const char *name, log_bytes bytes)
{
	slow_log log = {.bytes = bytes};
	known_clock clock;

	if (!find_clock(&log, &clock))
		return;
	for (int part = 0; part < PARTS; part++) {
		mprof_profile *profile = create_part(&clock, part);
		mprof_profile *other = create_part(&clock, part);
		mprof_reader *reader = open_slow(&log, 1, 0);
		mprof_profile_totals expected;
		mprof_status status;

		cr_assert_eq(mprof_profile_get_window(
				     profile, &(mprof_profile_window){.struct_size = sizeof(mprof_profile_window)}),
			     MPROF_ERR_STATE);
		status = mprof_profile_read(profile, reader, NULL, NULL);
		cr_assert_neq(status, MPROF_ERR_MEMORY);
		expect_window(name, &clock, part, profile);
		expected = totals_of(profile);
		mprof_reader_destroy(reader);
		/* Also in memory, and block by block. */
		cr_assert_neq(mprof_reader_open_memory(bytes.bytes, bytes.length, NULL, &reader), MPROF_ERR_MEMORY);
		add_blocks(other, reader);
		expect_window(name, &clock, part, other);
		/* The loop leaves out blocks that are damaged. */
		cr_expect(status != MPROF_OK || totals_of(other).calls == expected.calls, "%s", name);
		cr_expect(status != MPROF_OK || totals_of(other).wall_ns == expected.wall_ns, "%s", name);
		mprof_reader_destroy(reader);
		mprof_profile_destroy(other);
		mprof_profile_destroy(profile);
	}
}

static void check_folder(const char *path, const char *ending, log_bytes (*load)(const char *path, const char *name))
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	size_t count = 0;

	cr_assert_not_null(directory, "cannot open %s", path);
	while ((entry = readdir(directory)) != NULL) {
		const char *found = strrchr(entry->d_name, '.');
		char name[256];
		log_bytes log;

		if (found == NULL || strcmp(found, ending) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(found - entry->d_name), entry->d_name);
		log = load(path, name);
		check_log(name, log);
		log_free(&log);
		count++;
	}
	closedir(directory);
	cr_assert_gt(count, 0);
}

static log_bytes load_description(const char *path, const char *name)
{
	(void)path;
	return log_from_data(name);
}

static log_bytes load_sample(const char *path, const char *name)
{
	char file[4096];

	snprintf(file, sizeof(file), "%s/%s.mprof", path, name);
	return log_from_file(file);
}

Test(window_times, are_those_of_the_whole_log)
{
	const char *source = getenv("srcdir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data", source != NULL ? source : ".");
	check_folder(path, ".desc", load_description);
}

Test(window_times, are_those_of_the_whole_log_if_it_is_compressed)
{
	const mprof_dialect dialects[] = {MPROF_DIALECT_MPROF2, MPROF_DIALECT_MAIL};

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		log_bytes log = log_make_compressed(dialects[i], 0);
		check_log("log_make_compressed", log);
		log_free(&log);
	}
}

Test(window_times, are_those_of_the_whole_log_of_real_programs)
{
	const char *samples = getenv("MPROF_SAMPLES");

	if (samples == NULL)
		cr_skip_test("MPROF_SAMPLES names no folder of logs");
	check_folder(samples, ".mprof", load_sample);
}

/* A log of calls, each of which lasts a microsecond. The counter advances by 3 in a nanosecond. */
#define CALLS 2000
#define COUNTERS_IN_CALL 3000

typedef struct own_clock {
	uint64_t counter;
} own_clock;

static void read_clock(void *user, mprof_clock *clock)
{
	clock->counter = ((own_clock *)user)->counter;
	clock->time = clock->counter / COUNTERS_IN_CALL;
}

static log_bytes write_calls(mprof_dialect dialect, double rate)
{
	own_clock clock = {COUNTERS_IN_CALL};
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.clock = read_clock;
	options.clock_user = &clock;
	options.counters_per_second = rate;
	options.runtime = "test";
	options.lossy = 1;
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (uint64_t i = 0; i < CALLS; i += 10) {
		cr_assert_eq(mprof_writer_begin_events(writer, 7, clock.counter), MPROF_OK);
		for (uint64_t call = i; call < i + 10; call++) {
			mprof_event events[2];

			memset(events, 0, sizeof(events));
			events[0].kind = MPROF_EVENT_METHOD_ENTER;
			events[0].id = 1;
			events[0].counter = clock.counter;
			events[1] = events[0];
			events[1].kind = MPROF_EVENT_METHOD_LEAVE;
			events[1].counter += COUNTERS_IN_CALL / 2;
			cr_assert_eq(mprof_writer_write_events(writer, events, 2, NULL), MPROF_OK);
			clock.counter += COUNTERS_IN_CALL;
		}
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	}
	return log_take(writer);
}

static void follow_calls(mprof_dialect dialect, double rate, size_t step)
{
	slow_log log = {.bytes = write_calls(dialect, rate)};
	mprof_reader *reader = open_slow(&log, 1, 1);
	mprof_profile *profile = create(500000, 1500000);
	mprof_status status = MPROF_AGAIN;
	uint64_t counter;

	while (log.available < log.bytes.length) {
		log.available += log.bytes.length - log.available < step ? log.bytes.length - log.available : step;
		status = mprof_profile_read(profile, reader, NULL, NULL);
		cr_assert(status == MPROF_AGAIN || log.available == log.bytes.length, "%d", (int)status);
	}
	cr_assert_eq(status, MPROF_OK);
	/* The first call begins at 0, the others a microsecond after the one before. */
	cr_expect_eq(totals_of(profile).calls, 1000, "dialect %d, rate %g, step %zu: %d calls", (int)dialect, rate,
		     step, (int)totals_of(profile).calls);
	cr_expect_eq(totals_of(profile).method_ns, 500000);
	cr_assert_eq(mprof_reader_get_counter(reader, 500000, &counter), MPROF_OK);
	cr_expect_eq(window_of(profile).start_counter, counter);
	cr_assert_eq(mprof_reader_get_counter(reader, 1500000, &counter), MPROF_OK);
	cr_expect_eq(window_of(profile).end_counter, counter);
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	log_free(&log.bytes);
}

Test(window_times, of_a_growing_log_are_those_of_its_clock)
{
	const size_t steps[] = {1, 7, 100, 4096, 1 << 20};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		follow_calls(MPROF_DIALECT_MPROF2, 1e9 * COUNTERS_IN_CALL / 1000, steps[i]);
		follow_calls(MPROF_DIALECT_MONO, 0, steps[i]);
	}
}

Test(window_times, are_found_in_spite_of_interruptions)
{
	slow_log log = {.bytes = write_calls(MPROF_DIALECT_MPROF2, 0)};
	mprof_reader *reader = open_slow(&log, 1, 0);
	mprof_profile *profile = create(500000, 1500000);
	mprof_status status;
	unsigned interruptions = 0;

	mprof_reader_interrupt(reader);
	while ((status = mprof_profile_read(profile, reader, NULL, NULL)) == MPROF_ERR_INTERRUPTED) {
		if (++interruptions < 3)
			mprof_reader_interrupt(reader);
	}
	cr_assert_eq(status, MPROF_OK);
	cr_expect_eq(interruptions, 3);
	cr_expect_eq(totals_of(profile).calls, 1000);
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	log_free(&log.bytes);
}

Test(window_times, shorter_than_a_counter_have_one)
{
	slow_log log = {.bytes = log_make(MPROF_DIALECT_MPROF2, 0)};
	mprof_reader *reader = open_slow(&log, 1, 0);
	mprof_profile *profile = create(1, 2);

	cr_assert_eq(mprof_profile_read(profile, reader, NULL, NULL), MPROF_OK);
	cr_expect_geq(window_of(profile).end_counter, window_of(profile).start_counter + 1);
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	log_free(&log.bytes);
}
