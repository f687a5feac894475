/* SPDX-License-Identifier: MIT */
/* Reads and prints how samples were taken. */
#include "common/sampling.h"

#include "shared/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Advice is printed if the achieved rate is less than this percentage of the requested one. */
#define EXPECTED_PERCENT 80

static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{"sample_hz", offsetof(sampling_facts, requested_hz)},
	{"sample_time_ns", offsetof(sampling_facts, time_ns)},
	{"sample_hits", offsetof(sampling_facts, hits)},
	{"sample_discarded", offsetof(sampling_facts, discarded)},
	{"tick_hz", offsetof(sampling_facts, tick_hz)},
};

static void copy_text(char copy[SAMPLING_TEXT], const char *text)
{
	snprintf(copy, SAMPLING_TEXT, "%s", text);
}

void sampling_take(sampling_facts *facts, const char *key, const char *value)
{
	if (strcmp(key, "sample_clock") == 0)
		copy_text(facts->clock, value);
	if (strcmp(key, "sample_source") == 0)
		copy_text(facts->source, value);
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

int sampling_has_time(const sampling_facts *facts)
{
	return facts->is_measured && facts->hits > 0 && facts->time_ns > 0;
}

uint64_t sampling_time_of(const sampling_facts *facts, uint64_t hits)
{
	if (!sampling_has_time(facts))
		return 0;
	return (uint64_t)((double)hits * ((double)facts->time_ns / (double)facts->hits) + 0.5);
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

	return facts->is_measured && !facts->is_filtered && due >= 10 &&
	       (double)facts->hits * 100 < due * EXPECTED_PERCENT;
}

static int is_by_tick(const sampling_facts *facts)
{
	return facts->tick_hz != 0 && facts->requested_hz > facts->tick_hz && strcmp(facts->clock, "processor") == 0 &&
	       strcmp(facts->source, "perf") != 0;
}

void sampling_print_json(const sampling_facts *facts, json_writer *json)
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
		json_double(json, "ms_per_hit", (double)facts->time_ns / (double)facts->hits / 1e6);
	else
		json_null(json, "ms_per_hit");
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
	if (facts->is_measured && facts->time_ns > 0)
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
			"%-12s the kernel's tick of %s Hz (CONFIG_HZ) limits the rate; allow perf events "
			"(kernel.perf_event_paranoid=1), or use --sample-real\n",
			"", text_count(hz, facts->tick_hz));
	else
		fprintf(file, "%-12s the threads could not be interrupted as often; use a lower rate\n", "");
}

void sampling_print_text(const sampling_facts *facts, FILE *file)
{
	char count[TEXT_NUMBER_SIZE];

	if (facts->requested_hz == 0)
		return;
	fprintf(file, "%-12s ", "sampling");
	print_rates(facts, file);
	fputc('\n', file);
	print_advice(facts, file);
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
