/* SPDX-License-Identifier: MIT */
/*
 * Merges any bytes, as a log, with a part of themselves and with a good log. Memory is limited and counted. What was
 * merged must be a sound log, the same whenever these logs are merged, with as many events of each kind as copies of the
 * single logs have.
 */
#include "fuzz_logs.h"
#include "fuzz_memory.h"

#include <mprof/convert.h>

#include <string.h>

enum { MAX_LOGS = 3, EVENTS = 64, KINDS = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Logs that are merged; their bytes belong to the caller. */
typedef struct merged_logs {
	fuzz_log logs[MAX_LOGS];
	size_t count;
	size_t open;
} merged_logs;

static mprof_status open_log(void *user, size_t input, mprof_reader **reader)
{
	merged_logs *all = user;

	*reader = fuzz_open_reader(all->logs[input].bytes, all->logs[input].length, 0);
	if (*reader == NULL)
		fuzz_fail("a log that was added cannot be opened");
	all->open++;
	return MPROF_OK;
}

static void close_log(void *user, size_t input, mprof_reader *reader)
{
	merged_logs *all = user;

	(void)input;
	all->open--;
	mprof_reader_destroy(reader);
}

static void note_damage(void *user, size_t input, const mprof_error *error)
{
	const merged_logs *all = user;

	if (input >= all->count || error->status == MPROF_OK || error->what == NULL)
		fuzz_fail("a fault of no log, or without a text");
}

/* Adds the logs that can be merged with those before them. Returns how many were added. */
static size_t add_logs(mprof_merger *merger, merged_logs *all)
{
	size_t added = 0;

	for (size_t i = 0; i < all->count; i++) {
		mprof_reader *reader = fuzz_open_reader(all->logs[i].bytes, all->logs[i].length, 0);

		if (reader != NULL && mprof_merger_add(merger, reader) == MPROF_OK)
			all->logs[added++] = all->logs[i];
		mprof_reader_destroy(reader);
	}
	all->count = added;
	return added;
}

/* What a merged log has. */
typedef struct merged_content {
	uint64_t sum; /* Of all events, in their order; 0: there is no log. */
	uint64_t events[KINDS];
} merged_content;

static void take_events(mprof_reader *reader, merged_content *content)
{
	mprof_event events[EVENTS];
	size_t count;

	while (mprof_reader_next_events(reader, events, EVENTS, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			content->sum += events[i].kind + events[i].id + events[i].counter + events[i].value;
			content->sum *= 31;
			content->events[events[i].kind]++;
		}
	}
}

/* What was merged is a log that is sound. */
static void read_merged(mprof_writer *writer, int has_end, merged_content *content)
{
	mprof_session session = {.struct_size = sizeof(session)};
	const uint8_t *bytes;
	size_t length;
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;

	if (mprof_writer_get_memory(writer, &bytes, &length) != MPROF_OK)
		fuzz_fail("what was merged is not there");
	reader = fuzz_open_reader(bytes, length, 1);
	if (reader == NULL)
		fuzz_fail("what was merged is no log");
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		content->sum = (content->sum + block.kind + block.length) * 31;
		take_events(reader, content);
	}
	if (status != MPROF_END)
		fuzz_fail("what was merged is damaged");
	if (has_end && (mprof_reader_get_session(reader, &session) != MPROF_OK || !session.complete))
		fuzz_fail("what was merged has no end");
	mprof_reader_destroy(reader);
}

/* Memory that is refused ends merging; nothing else may. */
static void run_merger(mprof_merger *merger, mprof_writer *writer, int has_end, merged_content *content)
{
	const mprof_status status = mprof_merger_run(merger, writer);
	mprof_error error = {.struct_size = sizeof(error)};

	if (!mprof_merger_has_failed(merger)) {
		read_merged(writer, has_end, content);
	} else if (status != MPROF_ERR_MEMORY) {
		(void)mprof_writer_get_error(writer, &error);
		fuzz_fail(error.what);
	}
}

/* Merges those of the logs that can be; the others are removed. */
static void merge(merged_logs *all, const mprof_writer_options *layout, merged_content *content)
{
	mprof_writer_options writer_options = *layout;
	mprof_merger_options options;
	mprof_merger *merger;
	mprof_writer *writer = NULL;
	mprof_status status;

	memset(content, 0, sizeof(*content));
	mprof_merger_options_init(&options, sizeof(options));
	options.writer = &writer_options;
	options.open = open_log;
	options.close = close_log;
	options.damage = note_damage;
	options.user = all;
	if (mprof_merger_create(&options, &merger) != MPROF_OK)
		fuzz_fail("no merger was made");
	if (add_logs(merger, all) > 0) {
		status = mprof_merger_get_writer_options(merger, &writer_options);
		if (status == MPROF_OK)
			status = mprof_writer_open_memory(&writer_options, &writer);
		/* A log that does not state the rate of its clock is refused when all logs are known. */
		if (status == MPROF_OK)
			run_merger(merger, writer, all->count > 1, content);
		else if (status != MPROF_ERR_MEMORY && status != MPROF_ERR_UNSUPPORTED)
			fuzz_fail("logs that were added cannot be merged");
	}
	(void)mprof_writer_destroy(writer);
	mprof_merger_destroy(merger);
	if (all->open != 0)
		fuzz_fail("logs were left open");
}

static void compare_with_copies(const merged_logs *all, const mprof_writer_options *layout,
				const merged_content *merged)
{
	uint64_t events[KINDS] = {0};
	merged_content copy;

	for (size_t i = 0; i < all->count; i++) {
		merged_logs single = {.logs = {all->logs[i]}, .count = 1};

		merge(&single, layout, &copy);
		if (copy.sum == 0)
			return;
		for (size_t kind = 0; kind < KINDS; kind++)
			events[kind] += copy.events[kind];
	}
	if (memcmp(events, merged->events, sizeof(events)) != 0)
		fuzz_fail("merging loses or adds events");
}

/* A log that is always the same. */
static fuzz_log good_log(void)
{
	static fuzz_log good;
	mprof_writer_options options;

	if (good.bytes == NULL) {
		mprof_writer_options_init(&options, sizeof(options));
		options.runtime = "good";
		options.dialect = MPROF_DIALECT_MPROF2;
		options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
		good = fuzz_log_write(&options, 0);
	}
	return good;
}

/* The logs for an input, in one of their orders. */
static merged_logs choose_logs(const uint8_t *bytes, size_t length)
{
	const fuzz_log good = good_log();
	merged_logs all = {.count = 2 + length % 2};

	for (size_t i = 0; i < all.count; i++) {
		switch ((length / 2 + i) % MAX_LOGS) {
		case 0:
			all.logs[i].bytes = (uint8_t *)(uintptr_t)bytes;
			all.logs[i].length = length;
			break;
		case 1:
			all.logs[i].bytes = (uint8_t *)(uintptr_t)bytes;
			all.logs[i].length = length - length / 4;
			break;
		default:
			all.logs[i].bytes = good.bytes;
			all.logs[i].length = good.length;
		}
	}
	return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	merged_logs all = choose_logs(bytes, length);
	mprof_writer_options layout;
	merged_content contents[2];

	mprof_writer_options_init(&layout, sizeof(layout));
	layout.allocator = &fuzz_copy_allocator;
	layout.dialect = MPROF_DIALECT_MPROF2;
	layout.lossy = 1;
	layout.max_shot_memory = 1 << 20;
	layout.has_columns = length / 6 % 2;
	layout.has_index = length / 12 % 2;
	for (int i = 0; i < 2; i++)
		merge(&all, &layout, &contents[i]);
	if (memcmp(&contents[0], &contents[1], sizeof(contents[0])) != 0)
		fuzz_fail("logs that are merged again become another log");
	if (all.count > 1 && contents[0].sum != 0)
		compare_with_copies(&all, &layout, &contents[0]);
	fuzz_check_memory("a merger did not return its memory");
	return 0;
}
