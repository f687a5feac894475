/* SPDX-License-Identifier: MIT */
/* What a log states about its recording. */
#include "common/summary.h"

#include <mprof/format.h>

#include "common/arguments.h"
#include "shared/key_map.h"
#include "shared/text.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const codec_names[BLOCK_STORAGE_OTHER + 1] = {
	[MPROF_CODEC_DEFLATE] = "deflate", [MPROF_CODEC_ZSTD] = "zstd", [BLOCK_STORAGE_OTHER] = "unknown"};

/* Counts a block. Its header is enough. */
static void block_storage_add(block_storage *storage, const mprof_block *block)
{
	const uint32_t codec = block->codec < BLOCK_STORAGE_OTHER ? block->codec : BLOCK_STORAGE_OTHER;

	storage->blocks++;
	if (codec != MPROF_CODEC_NONE) {
		storage->packed_blocks++;
		storage->codecs[codec]++;
		storage->packed_bytes += block->header_length + block->length;
		storage->unpacked_bytes += block->header_length + block->unpacked_length;
	}
	storage->index_blocks += block->kind == MPROF_BLOCK_INDEX;
	storage->has_whole_index |=
		block->kind == MPROF_BLOCK_END && block->loaded && block->as.end.index_distance != 0;
}

/* Prints the fields into an open object. */
static void block_storage_print_json(const block_storage *storage, json_writer *json)
{
	json_begin_object(json, "packed");
	json_begin_array(json, "codecs");
	for (uint32_t codec = 1; codec <= BLOCK_STORAGE_OTHER; codec++) {
		if (storage->codecs[codec] > 0)
			json_string(json, NULL, codec_names[codec]);
	}
	json_end_array(json);
	json_unsigned(json, "blocks", storage->packed_blocks);
	json_unsigned(json, "bytes", storage->packed_bytes);
	json_unsigned(json, "unpacked_bytes", storage->unpacked_bytes);
	json_end_object(json);
	json_begin_object(json, "index");
	json_unsigned(json, "blocks", storage->index_blocks);
	json_boolean(json, "complete", storage->has_whole_index);
	json_end_object(json);
}

static void print_packed(const block_storage *storage, FILE *file)
{
	const char *separator = " with ";
	char packed[TEXT_NUMBER_SIZE];
	char blocks[TEXT_NUMBER_SIZE];

	fprintf(file, "%-12s %s of %s blocks", "compressed", text_count(packed, storage->packed_blocks),
		text_count(blocks, storage->blocks));
	for (uint32_t codec = 1; codec <= BLOCK_STORAGE_OTHER; codec++) {
		if (storage->codecs[codec] == 0)
			continue;
		fprintf(file, "%s%s", separator, codec_names[codec]);
		separator = ", ";
	}
	fprintf(file, ": %s instead of %s\n", text_bytes(packed, storage->packed_bytes),
		text_bytes(blocks, storage->unpacked_bytes));
}

/* Prints lines of a label and a value; nothing if no block is compressed and there is no index. */
static void block_storage_print_text(const block_storage *storage, FILE *file)
{
	char count[TEXT_NUMBER_SIZE];

	if (storage->packed_blocks > 0)
		print_packed(storage, file);
	if (storage->index_blocks > 0)
		fprintf(file, "%-12s %s, INDEX blocks: %s\n", "index",
			storage->has_whole_index ? "complete" : "incomplete", text_count(count, storage->index_blocks));
}

#define CHANGED_KEY "filters_changed"

static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{"sample_hz", offsetof(sampling_facts, requested_hz)},
	{"sample_time_ns", offsetof(sampling_facts, time_ns)},
	{"sample_hits", offsetof(sampling_facts, hits)},
	{"sample_discarded", offsetof(sampling_facts, discarded)},
	{"tick_hz", offsetof(sampling_facts, tick_hz)},
	{"sample_period_ns", offsetof(sampling_facts, period_ns)},
	{"sample_hit_ns", offsetof(sampling_facts, hit_ns)},
	{"sample_short_ns", offsetof(sampling_facts, short_ns)},
	{"sample_blocked_ns", offsetof(sampling_facts, blocked_ns)},
};

int recording_filters_is_key(const char *key)
{
	return strcmp(key, "only") == 0 || strcmp(key, "not") == 0 || strcmp(key, CHANGED_KEY) == 0;
}

/* Takes a property of the session, if it is one of filters. */
static void recording_filters_take(recording_filters *filters, const char *key, const char *value)
{
	if (strcmp(key, "only") == 0)
		snprintf(filters->only, sizeof(filters->only), "%s", value);
	if (strcmp(key, "not") == 0)
		snprintf(filters->excluded, sizeof(filters->excluded), "%s", value);
	filters->are_changed |= strcmp(key, CHANGED_KEY) == 0;
}

/* Whether anything may be missing. */
static int recording_filters_exist(const recording_filters *filters)
{
	return filters->only[0] != '\0' || filters->excluded[0] != '\0' || filters->are_changed;
}

/* Copies the first pattern. Returns the rest. */
static const char *next_pattern(const char *patterns, char pattern[RECORDING_FILTERS_TEXT])
{
	size_t length = strcspn(patterns, "\n");

	memcpy(pattern, patterns, length);
	pattern[length] = '\0';
	return patterns[length] == '\n' ? patterns + length + 1 : patterns + length;
}

static void print_patterns(const char *option, const char *patterns, FILE *file)
{
	char pattern[RECORDING_FILTERS_TEXT];

	while (patterns[0] != '\0') {
		patterns = next_pattern(patterns, pattern);
		fprintf(file, " %s=", option);
		text_name(file, pattern);
	}
}

/* Filters that are set while the program runs do not apply to calls. */
static void print_unknown_filters(const recording_filters *filters, uint32_t flags, FILE *file)
{
	const struct {
		int is_recorded;
		const char *name;
	} kinds[] = {
		{(flags & MPROF_INTRO_FLAG_ENTER_LEAVE) != 0 && !filters->are_changed, "calls"},
		{(flags & MPROF_INTRO_FLAG_ALLOCATION) != 0, "allocations"},
		{(flags & MPROF_INTRO_FLAG_STATISTICAL) != 0, "samples"},
	};
	const char *separator = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].is_recorded)
			continue;
		fprintf(file, "%s%s", separator, kinds[i].name);
		separator = ", ";
	}
	fputs(separator[0] != '\0' ? " of other methods are missing\n" : "nothing is missing\n", file);
}

/* Prints what is missing. flags: of mprof_intro_flag, the kinds that were recorded. */
static void recording_filters_print_text(const recording_filters *filters, uint32_t flags, FILE *file)
{
	if (!recording_filters_exist(filters))
		return;
	fprintf(file, "%-12s", "filters");
	if (filters->only[0] == '\0' && filters->excluded[0] == '\0')
		fputs(" none at the end", file);
	print_patterns("only", filters->only, file);
	print_patterns("not", filters->excluded, file);
	fputs(filters->are_changed ? ", changed while the program ran: " : ": ", file);
	print_unknown_filters(filters, flags, file);
}

static void print_array(json_writer *json, const char *key, const char *patterns)
{
	char pattern[RECORDING_FILTERS_TEXT];

	json_begin_array(json, key);
	while (patterns[0] != '\0') {
		patterns = next_pattern(patterns, pattern);
		json_string(json, NULL, pattern);
	}
	json_end_array(json);
}

static void recording_filters_print_json(const recording_filters *filters, json_writer *json)
{
	if (!recording_filters_exist(filters)) {
		json_null(json, "filters");
		return;
	}
	json_begin_object(json, "filters");
	print_array(json, "only", filters->only);
	print_array(json, "not", filters->excluded);
	json_boolean(json, "changed", filters->are_changed);
	json_end_object(json);
}

/* Reads the property of a SESSION block if it is that of a ring buffer. */
static void ring_span_read(ring_span *span, const char *key, const char *value)
{
	int count;
	uint64_t seconds;
	unsigned milliseconds;

	if (strcmp(key, "ring") != 0)
		return;
	span->is_partial = 1;
	snprintf(span->text, sizeof(span->text), "%s", value);
	/*
	 * Seconds and milliseconds are two integers: the decimal point of a floating-point number depends on the
	 * locale.
	 */
	count = sscanf(value,
		       "the last %" SCNu64 ".%3u s; overwritten before: %" SCNu64 " bytes in %" SCNu64
		       " blocks with %" SCNu64 " events",
		       &seconds, &milliseconds, &span->overwritten_bytes, &span->overwritten_blocks,
		       &span->overwritten_events);
	span->is_known = count >= 4;
	span->has_events = count == 5;
	span->covered_seconds = span->is_known ? (double)seconds + milliseconds / 1000.0 : 0;
}

/* Prints a line if older events were overwritten. */
static void ring_span_print(const ring_span *span, FILE *file)
{
	if (!span->is_partial)
		return;
	fprintf(file, "%-12s ", "ring");
	text_name(file, span->text);
	fputc('\n', file);
}

/* Prints an object, null if nothing was overwritten. */
static void ring_span_print_json(const ring_span *span, json_writer *json)
{
	if (!span->is_partial) {
		json_null(json, "ring");
		return;
	}
	json_begin_object(json, "ring");
	if (span->is_known) {
		json_double(json, "covered_s", span->covered_seconds);
		json_unsigned(json, "overwritten_bytes", span->overwritten_bytes);
		json_unsigned(json, "overwritten_blocks", span->overwritten_blocks);
	} else {
		json_null(json, "covered_s");
		json_null(json, "overwritten_bytes");
		json_null(json, "overwritten_blocks");
	}
	if (span->has_events)
		json_unsigned(json, "overwritten_events", span->overwritten_events);
	else
		json_null(json, "overwritten_events");
	json_end_object(json);
}

/* Advice is printed if the achieved rate is less than this percentage of the requested one. */
#define EXPECTED_PERCENT 80

static void copy_text(char copy[SAMPLING_TEXT], const char *text)
{
	snprintf(copy, SAMPLING_TEXT, "%s", text);
}

/* Stores a property of a SESSION block; properties that do not concern samples are ignored. */
static void sampling_take(sampling_facts *facts, const char *key, const char *value)
{
	if (strcmp(key, "sample_clock") == 0)
		copy_text(facts->clock, value);
	if (strcmp(key, "sample_source") == 0)
		copy_text(facts->source, value);
	if (strcmp(key, "sample_scope") == 0)
		copy_text(facts->scope, value);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(key, numbers[i].key) == 0) {
			uint64_t number = strtoull(value, NULL, 10);

			memcpy((char *)facts + numbers[i].offset, &number, sizeof(number));
		}
	}
	/* Then few hits do not mean that threads could not be interrupted. */
	facts->is_filtered |= (strcmp(key, "only") == 0 || strcmp(key, "not") == 0) && value[0] != '\0';
	facts->is_measured |= strcmp(key, "sample_time_ns") == 0;
}

void sampling_set_unit(sampling_facts *facts, uint64_t unit_ns)
{
	facts->unit_ns = unit_ns;
}

/* Each sample stands for its period; of sources that miss samples, only the shares are known. */
static int is_exact(const sampling_facts *facts)
{
	return facts->period_ns != 0 && (strcmp(facts->source, "perf") == 0 || facts->source[0] == '\0');
}

int sampling_has_time(const sampling_facts *facts)
{
	return is_exact(facts) || (facts->is_measured && facts->hits > 0 && facts->time_ns > 0);
}

/* In nanoseconds. */
static double time_of_one(const sampling_facts *facts)
{
	const double unit = (double)(facts->unit_ns != 0 ? facts->unit_ns : facts->period_ns);

	if (is_exact(facts))
		return unit;
	if (facts->hit_ns != 0)
		return unit * ((double)facts->time_ns / (double)facts->hit_ns);
	return (double)facts->time_ns / (double)facts->hits;
}

uint64_t sampling_time_of(const sampling_facts *facts, uint64_t hits)
{
	if (!sampling_has_time(facts))
		return 0;
	return (uint64_t)((double)hits * time_of_one(facts) + 0.5);
}

/* Time without samples that has another reason than that threads were short or blocked the signal. */
static uint64_t rest_of(const sampling_facts *facts)
{
	const uint64_t known = facts->hit_ns + facts->short_ns + facts->blocked_ns;

	return is_exact(facts) && facts->is_measured && facts->time_ns > known ? facts->time_ns - known : 0;
}

/* Whether the rest is larger than chance explains: twice the standard deviation of the time of the samples. */
static int has_rest(const sampling_facts *facts)
{
	const double rest = (double)rest_of(facts);

	return rest * rest > 4 * (double)facts->hit_ns * (double)facts->period_ns;
}

static int is_user_only(const sampling_facts *facts)
{
	return strcmp(facts->scope, "user") == 0;
}

/* Samples per second of the clock. */
static double achieved_hz(const sampling_facts *facts)
{
	return facts->time_ns > 0 ? (double)facts->hits * 1e9 / (double)facts->time_ns : 0;
}

/*
 * Whether clearly fewer samples were taken than requested. If fewer than 10 were due, or samples were filtered, this
 * cannot be judged: returns 0.
 */
static int is_slow(const sampling_facts *facts)
{
	double due = (double)facts->requested_hz * ((double)facts->time_ns / 1e9);

	return facts->is_measured && !is_exact(facts) && !facts->is_filtered && due >= 10 &&
	       (double)facts->hits * 100 < due * EXPECTED_PERCENT;
}

static int is_by_tick(const sampling_facts *facts)
{
	return facts->tick_hz != 0 && facts->requested_hz > facts->tick_hz && strcmp(facts->clock, "processor") == 0 &&
	       strcmp(facts->source, "perf") != 0;
}

static void print_rest_json(const sampling_facts *facts, json_writer *json)
{
	json_string(json, "scope", facts->scope[0] != '\0' ? facts->scope : NULL);
	if (facts->is_measured && is_user_only(facts))
		json_unsigned(json, "kernel_ns", rest_of(facts));
	else
		json_null(json, "kernel_ns");
	if (facts->is_measured && facts->period_ns != 0) {
		json_unsigned(json, "short_threads_ns", facts->short_ns);
		json_unsigned(json, "blocking_threads_ns", facts->blocked_ns);
	} else {
		json_null(json, "short_threads_ns");
		json_null(json, "blocking_threads_ns");
	}
}

/* Prints the object "sampling", null if the log does not contain the rate. */
static void sampling_print_json(const sampling_facts *facts, json_writer *json)
{
	if (facts->requested_hz == 0) {
		json_null(json, "sampling");
		return;
	}
	json_begin_object(json, "sampling");
	json_unsigned(json, "requested_hz", facts->requested_hz);
	if (facts->is_measured) {
		json_double(json, "achieved_hz", achieved_hz(facts));
		json_unsigned(json, "time_ns", facts->time_ns);
		json_unsigned(json, "hits", facts->hits);
		json_unsigned(json, "discarded", facts->discarded);
	} else {
		json_null(json, "achieved_hz");
		json_null(json, "time_ns");
		json_null(json, "hits");
		json_null(json, "discarded");
	}
	if (sampling_has_time(facts))
		json_double(json, "ms_per_hit", time_of_one(facts) / 1e6);
	else
		json_null(json, "ms_per_hit");
	print_rest_json(facts, json);
	json_string(json, "clock", facts->clock[0] != '\0' ? facts->clock : NULL);
	json_string(json, "source", facts->source[0] != '\0' ? facts->source : NULL);
	if (facts->tick_hz != 0)
		json_unsigned(json, "tick_hz", facts->tick_hz);
	else
		json_null(json, "tick_hz");
	json_end_object(json);
}

static void print_rates(const sampling_facts *facts, FILE *file)
{
	char requested[TEXT_NUMBER_SIZE];
	char achieved[TEXT_NUMBER_SIZE];

	fprintf(file, "%s samples per second of %s time requested", text_count(requested, facts->requested_hz),
		strcmp(facts->clock, "real") == 0 ? "real" : "processor");
	if (facts->is_measured && facts->time_ns > 0 && !is_exact(facts))
		fprintf(file, ", %s achieved", text_count(achieved, (uint64_t)(achieved_hz(facts) + 0.5)));
	if (sampling_has_time(facts))
		fprintf(file, ", %s each", text_duration(achieved, sampling_time_of(facts, 1)));
}

void sampling_print_rate(const sampling_facts *facts, FILE *file)
{
	if (facts->requested_hz == 0)
		return;
	fputs("  ", file);
	print_rates(facts, file);
	fputc('\n', file);
}

static void print_advice(const sampling_facts *facts, FILE *file)
{
	char hz[TEXT_NUMBER_SIZE];

	if (!is_slow(facts))
		return;
	if (is_by_tick(facts))
		fprintf(file,
			"%-12s the kernel's tick of %s Hz (CONFIG_HZ) limits the rate; allow perf events, or use "
			"--sample-real\n",
			"", text_count(hz, facts->tick_hz));
	else
		fprintf(file, "%-12s the threads could not be interrupted as often; use a lower rate\n", "");
}

/* Kinds of time that no sample stands for. */
typedef struct sample_rest {
	uint64_t time_ns;
	const char *row;
	const char *reason;
} sample_rest;

enum { REST_COUNT = 3 };

/* A time of 0 is not stated. */
static void find_rest(const sampling_facts *facts, sample_rest rest[REST_COUNT])
{
	rest[0] = (sample_rest){has_rest(facts) ? rest_of(facts) : 0, "(without samples)",
				"for which there are no samples"};
	if (is_user_only(facts)) {
		rest[0].row = "(in the kernel, without samples)";
		rest[0].reason = "in the kernel, where the system allows no samples (kernel.perf_event_paranoid)";
	}
	rest[1] = (sample_rest){facts->short_ns, "(threads that ended before their first sample)",
				"in threads that ended before their first sample"};
	rest[2] = (sample_rest){facts->blocked_ns, "(threads that block the signal, without samples)",
				"in threads that block the signal of samples, and have none"};
}

static void print_rest(const sampling_facts *facts, FILE *file)
{
	sample_rest rest[REST_COUNT];
	char time[TEXT_NUMBER_SIZE];
	char share[TEXT_NUMBER_SIZE];

	find_rest(facts, rest);
	for (size_t i = 0; i < REST_COUNT; i++)
		if (rest[i].time_ns > 0)
			fprintf(file, "%-12s %s (%s of the processor time) %s\n", "",
				text_duration(time, rest[i].time_ns),
				text_percent(share, rest[i].time_ns, facts->time_ns), rest[i].reason);
}

void sampling_print_rest(const sampling_facts *facts, int indent, FILE *file)
{
	sample_rest rest[REST_COUNT];
	char time[TEXT_NUMBER_SIZE];

	if (!sampling_has_time(facts))
		return;
	find_rest(facts, rest);
	for (size_t i = 0; i < REST_COUNT; i++)
		if (rest[i].time_ns > 0)
			fprintf(file, "%*s%10s%*s  %s\n", indent, "", text_duration(time, rest[i].time_ns), indent, "",
				rest[i].row);
}

/* Prints lines that begin with the label "sampling"; nothing if the log does not contain the rate. */
static void sampling_print_text(const sampling_facts *facts, FILE *file)
{
	char count[TEXT_NUMBER_SIZE];

	if (facts->requested_hz == 0)
		return;
	fprintf(file, "%-12s ", "sampling");
	print_rates(facts, file);
	fputc('\n', file);
	print_advice(facts, file);
	print_rest(facts, file);
	if (strcmp(facts->source, "timer") == 0 && facts->tick_hz != 0)
		fprintf(file,
			"%-12s samples are taken at the kernel's tick (%s Hz); work in step with it, such as the time "
			"after a\n%-12s wake-up, may be over- or undercounted\n",
			"", text_count(count, facts->tick_hz), "");
	if (facts->source[0] != '\0') {
		fprintf(file, "%-12s source: ", "");
		text_name(file, facts->source);
		if (facts->discarded > 0)
			fprintf(file, "; %s discarded, whose threads had not run or were recording%s",
				text_count(count, facts->discarded),
				facts->is_filtered ? ", or which the filters left out" : "");
		fputc('\n', file);
	}
}

/* No sample in the time of this number of them is no accident. */
#define UNLIKELY_SAMPLES 20

void sampling_explain_none(const sampling_facts *facts, const char *subject, FILE *file)
{
	char time[TEXT_NUMBER_SIZE];

	text_duration(time, facts->time_ns);
	if (!facts->is_measured || facts->time_ns < UNLIKELY_SAMPLES * facts->period_ns)
		fprintf(file, "%s used little processor time itself; --children records the programs that it starts\n",
			subject);
	else if (2 * facts->blocked_ns > facts->time_ns)
		fprintf(file, "the threads of %s block the signal of samples (%s of processor time)\n", subject, time);
	else if (is_user_only(facts))
		fprintf(file,
			"%s spent nearly all of its processor time (%s) in the kernel, where the system allows no "
			"samples (kernel.perf_event_paranoid)\n",
			subject, time);
	else
		fprintf(file, "none of the threads of %s could be interrupted in %s of processor time\n", subject,
			time);
}

#define EXTENSION ".so"

/* Whether the library is named after an image: "mscorlib.dll.so". */
static int ends_like_image(const char *name, size_t length)
{
	static const char *const endings[] = {".dll", ".exe"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t size = strlen(endings[i]);

		if (length > size && memcmp(name + length - size, endings[i], size) == 0)
			return 1;
	}
	return 0;
}

static int has_name(const precompiled_images *images, const char *name, size_t length)
{
	for (const char *kept = images->names; kept < images->names + images->length; kept += strlen(kept) + 1) {
		if (strlen(kept) == length && memcmp(kept, name, length) == 0)
			return 1;
	}
	return 0;
}

/* Adds the image if the loaded block is that of a module with its code. */
static void precompiled_add(precompiled_images *images, const mprof_block *block)
{
	const char *path = block->as.element.name;
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	size_t length = strlen(name);

	if ((block->as.element.kind & MPROF_ELEMENT_MODULE) == 0 || length <= strlen(EXTENSION) ||
	    strcmp(name + length - strlen(EXTENSION), EXTENSION) != 0)
		return;
	length -= strlen(EXTENSION);
	if (!ends_like_image(name, length) || has_name(images, name, length))
		return;
	if (length >= PRECOMPILED_SIZE - images->length) {
		images->left_out++;
		return;
	}
	memcpy(images->names + images->length, name, length);
	images->names[images->length + length] = '\0';
	images->length += length + 1;
}

void precompiled_print(const precompiled_images *images, FILE *file)
{
	for (const char *name = images->names; name < images->names + images->length; name += strlen(name) + 1) {
		fputs(name > images->names ? ", " : "", file);
		text_name(file, name);
	}
	if (images->left_out > 0)
		fprintf(file, " and %zu others", images->left_out);
}

/* Prints the names as an array. */
static void precompiled_print_json(const precompiled_images *images, json_writer *json)
{
	json_begin_array(json, "precompiled");
	for (const char *name = images->names; name < images->names + images->length; name += strlen(name) + 1)
		json_string(json, NULL, name);
	json_end_array(json);
}

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
	       (block->kind == MPROF_BLOCK_TYPED && block->thread != 0) || block->kind == MPROF_BLOCK_THREAD ||
	       (block->kind == MPROF_BLOCK_LOST && block->thread != 0);
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
	if (strcmp(key, "recording_ended") == 0)
		snprintf(summary->recording_ended, sizeof(summary->recording_ended), "%s", value);
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
	summary->clocks = mprof_reader_get_record_count(input->reader, MPROF_RECORD_CLOCK);
	summary->timelines = mprof_reader_get_record_count(input->reader, MPROF_RECORD_TIMELINE);
	summary->processes = mprof_reader_get_record_count(input->reader, MPROF_RECORD_PROCESS);
	summary->code_ranges = mprof_reader_get_record_count(input->reader, MPROF_RECORD_CODE_RANGE);
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
		const char *name = mprof_block_get_name(kind);

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
			json_unsigned(json, mprof_loss_get_name(cause), summary->lost[cause]);
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

static void print_reasons(json_writer *json, const log_summary *summary)
{
	print_reason(json, "write_error", summary->write_error);
	print_reason(json, "recording_ended", summary->recording_ended);
	print_reason(json, "memory_unrecorded", summary->unrecorded_memory);
}

void summary_print_json(const log_summary *summary, const log_input *input, json_writer *json)
{
	const mprof_session *session = &summary->session;

	json_string(json, "file", input->name);
	json_string(json, "dialect", mprof_dialect_get_name(session->dialect));
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
	print_reasons(json, summary);
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
	json_unsigned(json, "clocks", summary->clocks);
	json_unsigned(json, "timelines", summary->timelines);
	json_unsigned(json, "processes", summary->processes);
	json_unsigned(json, "code_ranges", summary->code_ranges);
	json_unsigned(json, "heap_shots", summary->heap_shots);
	print_block_counts(summary, json);
	json_begin_object(json, "events");
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		if (kind_is_event(kind))
			json_unsigned(json, mprof_event_get_name(kind), summary->event_counts[kind]);
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

/* A program that maps its memory itself may use much, none of which the log has. */
static int has_no_memory(const log_summary *summary)
{
	return (summary->session.flags & MPROF_INTRO_FLAG_MEMORY) && summary->session.complete &&
	       summary->event_counts[MPROF_EVENT_MEMORY_ALLOCATED] +
			       summary->event_counts[MPROF_EVENT_MEMORY_RESIZED] ==
		       0;
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
	if (summary->recording_ended[0] != '\0')
		fprintf(file, "%-12s %s: what it did after that is missing\n", "end", summary->recording_ended);
	if (summary->unrecorded_memory[0] != '\0')
		print_line(file, "memory", summary->unrecorded_memory);
	else if (has_no_memory(summary))
		print_line(file, "memory",
			   "no allocations; memory that the program maps itself, as by mmap(), is not recorded");
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
static uint64_t recorded_flags(const log_summary *summary)
{
	uint64_t flags = summary->session.flags;

	flags |= summary->event_counts[MPROF_EVENT_METHOD_ENTER] > 0 ? MPROF_INTRO_FLAG_ENTER_LEAVE : 0;
	flags |= summary->event_counts[MPROF_EVENT_SAMPLE] > 0 ? MPROF_INTRO_FLAG_STATISTICAL : 0;
	return flags;
}

static void print_flags(uint64_t flags, FILE *file)
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
	fprintf(file, "%-12s %s, version %" PRIu32 "%s\n", "dialect", mprof_dialect_get_name(session->dialect),
		session->version, session->compressed ? ", gzip" : "");
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
	print_some(file, "clocks", summary->clocks);
	print_some(file, "timelines", summary->timelines);
	print_some(file, "processes", summary->processes);
	print_some(file, "code ranges", summary->code_ranges);
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
