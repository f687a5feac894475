/* SPDX-License-Identifier: MIT */
/* Logs are merged into one that has all they have, whatever they have in common and whatever is wrong with them. */
#include "convert_fixture.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOGS 4

typedef struct merging {
	const log_bytes *logs;
	size_t open;
	size_t most_open;
	size_t damage[MAX_LOGS];
	uint64_t first_offset;
	int is_gone; /* The logs cannot be opened again. */
} merging;

static mprof_status open_log(void *user, size_t input, mprof_reader **reader)
{
	merging *job = user;

	if (job->is_gone)
		return MPROF_ERR_IO;
	if (++job->open > job->most_open)
		job->most_open = job->open;
	return mprof_reader_open_memory(job->logs[input].bytes, job->logs[input].length, NULL, reader);
}

static void close_log(void *user, size_t input, mprof_reader *reader)
{
	merging *job = user;

	(void)input;
	job->open--;
	mprof_reader_destroy(reader);
}

static void note_damage(void *user, size_t input, const mprof_error *error)
{
	merging *job = user;

	if (job->damage[input]++ == 0)
		job->first_offset = error->offset;
}

/* Adds the logs. Returns the first status that is not MPROF_OK. */
static mprof_status add_logs(mprof_merger *merger, const merging *job, size_t count)
{
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		mprof_reader *reader;

		status = mprof_reader_open_memory(job->logs[i].bytes, job->logs[i].length, NULL, &reader);
		if (status == MPROF_OK)
			status = mprof_merger_add(merger, reader);
		mprof_reader_destroy(reader);
	}
	return status;
}

static mprof_status get_writer_options(mprof_merger *merger, mprof_writer_options *options)
{
	const mprof_status status = mprof_merger_get_writer_options(merger, options);
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_merger_get_error(merger, &error), MPROF_OK);
	cr_assert_eq(error.status, (uint32_t)status, "%s", error.what);
	return status;
}

/* Merges logs. Returns the status of the step that failed, or of mprof_merger_run(); made has no bytes if none began. */
static mprof_status merge(merging *job, size_t count, const mprof_allocator *allocator, log_bytes *merged)
{
	mprof_writer_options writer_options;
	mprof_merger_options options;
	mprof_merger *merger;
	mprof_writer *writer = NULL;
	mprof_status status;

	memset(merged, 0, sizeof(*merged));
	mprof_writer_options_init(&writer_options, sizeof(writer_options));
	writer_options.dialect = MPROF_DIALECT_MPROF2;
	writer_options.lossy = 1;
	writer_options.allocator = allocator;
	mprof_merger_options_init(&options, sizeof(options));
	options.writer = &writer_options;
	options.open = open_log;
	options.close = close_log;
	options.damage = note_damage;
	options.user = job;
	status = mprof_merger_create(&options, &merger);
	if (status != MPROF_OK)
		return status;
	status = add_logs(merger, job, count);
	if (status == MPROF_OK)
		status = get_writer_options(merger, &writer_options);
	if (status == MPROF_OK)
		status = mprof_writer_open_memory(&writer_options, &writer);
	if (status == MPROF_OK) {
		status = mprof_merger_run(merger, writer);
		if (!mprof_merger_has_failed(merger)) {
			const uint8_t *bytes;

			cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &merged->length), MPROF_OK);
			merged->bytes = malloc(merged->length);
			memcpy(merged->bytes, bytes, merged->length);
		}
	}
	(void)mprof_writer_destroy(writer);
	mprof_merger_destroy(merger);
	cr_assert_eq(job->open, 0);
	return status;
}

typedef struct log_counts {
	uint64_t events[256];
	uint64_t lost;
	uint64_t mappings;
	uint64_t stacks;
	uint64_t snapshots;
	int has_end;
} log_counts;

static size_t count_mappings(mprof_reader *reader)
{
	mprof_mapping mappings[16];
	size_t all = 0;
	size_t count = 0;
	mprof_status status;

	do {
		status = mprof_reader_next_mappings(reader, mappings, sizeof(*mappings), 16, &count);
		all += count;
	} while (status == MPROF_OK);
	return all;
}

/* Counts what a log has. It must be sound. */
static log_counts count_log(const log_bytes *log)
{
	log_counts counts = {.lost = 0};
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_reader *reader;
	mprof_status status;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	for (;;) {
		mprof_block block = {.struct_size = sizeof(block)};
		mprof_event events[64];
		size_t count = 0;

		status = mprof_reader_next_block(reader, &block);
		if (status == MPROF_END)
			break;
		cr_assert_eq(status, MPROF_OK, "%s", reader_error_of(reader).what);
		if (block.kind == MPROF_BLOCK_HEAP_DATA)
			counts.snapshots += (block.as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) != 0;
		counts.mappings += block.kind == MPROF_BLOCK_MAPPING ? count_mappings(reader) : 0;
		if (block.kind != MPROF_BLOCK_EVENTS && block.kind != MPROF_BLOCK_SAMPLES &&
		    block.kind != MPROF_BLOCK_HEAP_DATA && block.kind != MPROF_BLOCK_TYPED)
			continue;
		do {
			status = mprof_reader_next_events(reader, events, 64, &count);
			for (size_t i = 0; i < count; i++)
				counts.events[events[i].kind]++;
		} while (status == MPROF_OK);
		cr_assert_eq(status, MPROF_END, "%s", reader_error_of(reader).what);
	}
	mprof_reader_get_session(reader, &session);
	counts.has_end = (int)session.complete;
	counts.lost = session.lost_events;
	counts.stacks = mprof_reader_get_record_count(reader, MPROF_RECORD_STACK);
	mprof_reader_destroy(reader);
	return counts;
}

static void expect_sums(const log_counts *merged, const log_counts *one, const log_counts *other)
{
	for (size_t kind = 0; kind < 256; kind++)
		cr_assert_eq(merged->events[kind], one->events[kind] + other->events[kind],
			     "%s: %llu, not %llu and %llu", mprof_event_get_name((uint32_t)kind),
			     (unsigned long long)merged->events[kind], (unsigned long long)one->events[kind],
			     (unsigned long long)other->events[kind]);
	cr_assert_eq(merged->lost, one->lost + other->lost);
	cr_assert_eq(merged->snapshots, one->snapshots + other->snapshots);
	cr_assert(merged->has_end);
}

Test(merge, has_the_events_of_all_logs)
{
	log_bytes logs[2] = {log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES),
			     log_make_more(FIXTURE_ALL_DIRECTIVES)};
	const log_counts first = count_log(&logs[0]);
	const log_counts second = count_log(&logs[1]);
	merging job = {.logs = logs};
	log_counts counts;
	log_bytes merged;

	cr_assert_eq(merge(&job, 2, NULL, &merged), MPROF_OK);
	counts = count_log(&merged);
	expect_sums(&counts, &first, &second);
	log_free(&merged);
	log_free(&logs[0]);
	log_free(&logs[1]);
}

Test(merge, writes_equal_definitions_once)
{
	log_bytes logs[2] = {log_make_more(FIXTURE_ALL_DIRECTIVES), log_make_more(FIXTURE_ALL_DIRECTIVES)};
	const log_counts single = count_log(&logs[0]);
	merging job = {.logs = logs};
	log_counts counts;
	log_bytes merged;

	cr_assert_eq(merge(&job, 2, NULL, &merged), MPROF_OK);
	counts = count_log(&merged);
	expect_sums(&counts, &single, &single);
	cr_assert_eq(counts.mappings, single.mappings);
	/* Those with frames that have only an address are not the same in two processes. */
	cr_assert(counts.stacks >= single.stacks && counts.stacks < single.stacks * 3 / 2, "%llu stacks, not %llu",
		  (unsigned long long)counts.stacks, (unsigned long long)single.stacks);
	log_free(&merged);
	log_free(&logs[0]);
	log_free(&logs[1]);
}

Test(merge, copies_a_single_log)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	merging job = {.logs = &log};
	log_bytes merged;

	cr_assert_eq(merge(&job, 1, NULL, &merged), MPROF_OK);
	expect_same_text("a single log", &merged, &log);
	log_free(&merged);
	log_free(&log);
}

Test(merge, states_that_a_log_cannot_be_opened_again)
{
	log_bytes logs[2] = {log_make_more(FIXTURE_ALL_DIRECTIVES), log_make_more(FIXTURE_ALL_DIRECTIVES)};
	merging job = {.logs = logs, .is_gone = 1};
	log_bytes merged;

	cr_assert_eq(merge(&job, 2, NULL, &merged), MPROF_ERR_IO);
	cr_assert_null(merged.bytes);
	log_free(&logs[0]);
	log_free(&logs[1]);
}

Test(merge, adds_a_log_whose_intro_is_damaged)
{
	enum { IN_INTRO = 12 };
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	merging job = {.logs = &log};
	mprof_merger_options options;
	mprof_merger *merger;
	mprof_reader *reader;

	log.bytes[IN_INTRO] ^= 1;
	mprof_merger_options_init(&options, sizeof(options));
	options.open = open_log;
	options.close = close_log;
	options.user = &job;
	cr_assert_eq(mprof_merger_create(&options, &merger), MPROF_OK);
	cr_assert_neq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	/* The other blocks state when it began. */
	cr_expect_eq(mprof_merger_add(merger, reader), MPROF_OK);
	mprof_reader_destroy(reader);
	mprof_merger_destroy(merger);
	log_free(&log);
}

Test(merge, goes_as_far_as_a_truncated_log, .timeout = 120)
{
	log_bytes logs[2] = {log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES),
			     log_make_more(FIXTURE_ALL_DIRECTIVES)};
	const size_t length = logs[1].length;

	for (size_t cut = 60; cut < length; cut += 7) {
		merging job = {.logs = logs};
		log_bytes merged;
		mprof_status status;

		logs[1].length = cut;
		status = merge(&job, 2, NULL, &merged);
		if (merged.bytes != NULL) {
			cr_assert(count_log(&merged).has_end);
			cr_assert_neq(status, MPROF_OK);
			cr_assert_gt(job.damage[1], 0);
			cr_assert_eq(job.damage[0], 0);
		}
		log_free(&merged);
	}
	logs[1].length = length;
	log_free(&logs[0]);
	log_free(&logs[1]);
}

/* What a flag of a later version means cannot be copied, as for a single log. */
Test(merge, leaves_out_flags_of_a_later_version)
{
	log_bytes logs[2] = {log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES),
			     log_from_data("good-intro-later-flags")};
	const log_counts first = count_log(&logs[0]);
	const log_counts second = count_log(&logs[1]);
	merging job = {.logs = logs};
	log_counts counts;
	log_bytes merged;

	cr_assert_eq(merge(&job, 2, NULL, &merged), MPROF_OK);
	counts = count_log(&merged);
	expect_sums(&counts, &first, &second);
	log_free(&merged);
	log_free(&logs[0]);
	log_free(&logs[1]);
}

/* A log of tests/data and a sound one, in either order: the merged log is sound, or the two are refused. */
static void merge_with(const log_bytes *sound, const char *name)
{
	log_bytes other = log_from_data(name);

	for (int i = 0; i < 2; i++) {
		log_bytes logs[2] = {i == 0 ? *sound : other, i == 0 ? other : *sound};
		merging job = {.logs = logs};
		log_bytes merged;

		(void)merge(&job, 2, NULL, &merged);
		if (merged.bytes != NULL)
			cr_assert(count_log(&merged).has_end, "%s", name);
		log_free(&merged);
	}
	log_free(&other);
}

Test(merge, makes_a_sound_log_of_any_logs, .timeout = 300)
{
	const char *source = getenv("srcdir");
	log_bytes sound = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	struct dirent *entry;
	char path[4096];
	size_t count = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "%s/tests/data", source != NULL ? source : ".");
	directory = opendir(path);
	cr_assert_not_null(directory, "cannot open %s", path);
	while ((entry = readdir(directory)) != NULL) {
		char name[256];
		char *ending;

		snprintf(name, sizeof(name), "%s", entry->d_name);
		ending = strrchr(name, '.');
		if (ending == NULL || strcmp(ending, ".desc") != 0)
			continue;
		*ending = '\0';
		merge_with(&sound, name);
		count++;
	}
	closedir(directory);
	cr_assert_gt(count, 40, "%zu logs alone", count);
	log_free(&sound);
}

Test(merge, reports_refused_memory, .timeout = 120)
{
	log_bytes logs[2] = {log_make_more(FIXTURE_ALL_DIRECTIVES), log_make_more(FIXTURE_ALL_DIRECTIVES)};

	for (size_t request = 1;; request++) {
		failing_allocator failing = {.fail_at = request};
		const mprof_allocator allocator = failing_allocator_interface(&failing);
		merging job = {.logs = logs};
		log_bytes merged;
		mprof_status status;

		status = merge(&job, 2, &allocator, &merged);
		log_free(&merged);
		cr_assert_eq(failing.blocks, 0);
		if (status == MPROF_OK)
			break;
		cr_assert_eq(status, MPROF_ERR_MEMORY, "%s", mprof_status_get_text(status));
	}
	log_free(&logs[0]);
	log_free(&logs[1]);
}

#define CODE UINT64_C(0x500000001000)

static void write_records(mprof_writer *writer, mprof_block_kind kind, const mprof_record *records, size_t count)
{
	cr_assert_eq(mprof_writer_write_records(writer, kind, 0, records, sizeof(*records), count), MPROF_OK);
}

static uint64_t code_time;

static void read_code_time(void *user, mprof_clock *clock)
{
	(void)user;
	code_time += 1000;
	*clock = (mprof_clock){.counter = code_time, .time = code_time / 1000};
}

/*
 * A log of a process with a sample at an address of generated code, a stub or a method with lines, which are in a block
 * that is written later than all others.
 */
static log_bytes make_code_log(uint32_t process, const char *method_name)
{
	const int has_method = method_name != NULL;
	char pid[16];
	const mprof_property property = {"pid", pid};
	const mprof_record location = {.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location.offset = CODE + 8};
	const mprof_record stack = {.kind = MPROF_RECORD_STACK, .id = 1, .as.stack = {.target = 1, .is_native = 1}};
	const mprof_record position = {
		.kind = MPROF_RECORD_POSITION, .id = 1, .as.position = {.target = 1, .line = 12}};
	const mprof_record ranges[] = {
		{.kind = MPROF_RECORD_CODE_RANGE,
		 .id = 1,
		 .as.code_range = {.address = CODE,
				   .size = 64,
				   .start = 1,
				   .method = has_method,
				   .name = has_method ? "" : "stub"}},
		{.kind = MPROF_RECORD_CODE_RANGE,
		 .id = 2,
		 .as.code_range = {.address = CODE + 0x1000, .size = 64, .start = 1, .name = "other"}},
		{.kind = MPROF_RECORD_CODE_END, .id = 2, .as.code_end = {5, 0}},
		{.kind = MPROF_RECORD_CODE_LINE, .id = 1, .as.code_line = {0, 1, 0}},
	};
	const mprof_event sample = {.kind = MPROF_EVENT_SAMPLE, .counter = 100, .value = 1};
	mprof_method_definition method = {.struct_size = sizeof(method), .id = 1};
	mprof_writer_options options;
	mprof_writer *writer;
	log_bytes merged;
	const uint8_t *bytes;

	snprintf(pid, sizeof(pid), "%u", process);
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = MPROF_DIALECT_MPROF2;
	options.clock = read_code_time;
	code_time = UINT64_C(1000000000);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_write_session(writer, &property, sizeof(property), 1), MPROF_OK);
	if (has_method) {
		method.name = method_name;
		method.name_length = strlen(method_name);
		cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
		write_records(writer, MPROF_BLOCK_POSITIONS, &position, 1);
	}
	write_records(writer, MPROF_BLOCK_CODE, &location, 1);
	write_records(writer, MPROF_BLOCK_STACKS, &stack, 1);
	write_records(writer, MPROF_BLOCK_CODE_RANGES, ranges, 3);
	cr_assert_eq(mprof_writer_write_samples(writer, process, 50, &sample, 1), MPROF_OK);
	/* First those of the process with the highest number. */
	code_time += UINT64_C(1000000) * (100 - process);
	if (has_method)
		write_records(writer, MPROF_BLOCK_CODE_RANGES, &ranges[3], 1);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &merged.length), MPROF_OK);
	merged.bytes = malloc(merged.length);
	memcpy(merged.bytes, bytes, merged.length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	return merged;
}

/* The name of the innermost frame of a sample of a thread. */
static void read_name(mprof_reader *reader, uint64_t thread, uint32_t stack, uint64_t counter, char *name, size_t size)
{
	mprof_stack_frame frame;
	uint32_t named;
	uint32_t caller;

	cr_assert_eq(mprof_reader_name_stack(reader, thread, stack, counter, &named), MPROF_OK);
	cr_assert_eq(mprof_reader_lookup_caller(reader, named, &frame, sizeof(frame), &caller), MPROF_OK);
	if (frame.is_native)
		(void)mprof_reader_format_location(reader, frame.id, name, size);
	else
		(void)mprof_reader_format_method(reader, frame.id, name, size);
	cr_expect_eq(frame.line, frame.is_native ? 0 : 12);
}

/* Three processes have other code at one address. In a log that is merged with another one, each keeps its own. */
Test(merge, keeps_the_generated_code_of_each_process)
{
	const log_bytes logs[] = {make_code_log(71, NULL), make_code_log(72, "work ()"), make_code_log(73, "rest ()")};
	merging first = {.logs = logs};
	merging second = {.logs = (log_bytes[2]){{0}, logs[2]}};
	log_bytes both;
	log_bytes all;
	mprof_reader *reader;
	mprof_block block;
	int found = 0;

	cr_assert_eq(merge(&first, 2, NULL, &both), MPROF_OK);
	((log_bytes *)second.logs)[0] = both;
	cr_assert_eq(merge(&second, 2, NULL, &all), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(all.bytes, all.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	cr_expect_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_CODE_RANGE), 6);
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		mprof_event sample;
		size_t count;
		char name[64];

		while (block.kind == MPROF_BLOCK_SAMPLES &&
		       mprof_reader_next_events(reader, &sample, 1, &count) == MPROF_OK) {
			read_name(reader, block.thread, (uint32_t)sample.value, sample.counter, name, sizeof(name));
			found += block.thread == 71 && strstr(name, "stub") != NULL;
			found += block.thread == 72 && strcmp(name, "work ()") == 0;
			found += block.thread == 73 && strcmp(name, "rest ()") == 0;
		}
	}
	cr_expect_eq(found, 3);
	mprof_reader_destroy(reader);
	free(both.bytes);
	free(all.bytes);
	for (size_t i = 0; i < 3; i++)
		free(logs[i].bytes);
}
