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
	{"sample_period_ns", offsetof(sampling_facts, period_ns)},
	{"sample_hit_ns", offsetof(sampling_facts, hit_ns)},
	{"sample_short_ns", offsetof(sampling_facts, short_ns)},
	{"sample_blocked_ns", offsetof(sampling_facts, blocked_ns)},
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

/* Each sample stands for its period; of other sources, only the shares are known. */
static int is_exact(const sampling_facts *facts)
{
	return facts->period_ns != 0 && strcmp(facts->source, "perf") == 0;
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

void sampling_print_text(const sampling_facts *facts, FILE *file)
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
