/* SPDX-License-Identifier: MIT */
/* Keeps the values of clocks until they can be written in the order of time. */
#include "export/perfetto_clocks.h"

#include "common/elements.h"

#include <inttypes.h>
#include <stdlib.h>

#define NANOSECONDS UINT64_C(1000000000)

typedef struct clock_value {
	uint64_t time;   /* Nanoseconds from the start of the log. */
	uint64_t number; /* In the order of the log. */
	uint64_t value;
	uint64_t unit; /* Nanoseconds of a tick. */
	uint32_t clock;
} clock_value;

/*
 * States a value in ticks if these are whole nanoseconds, the only units of a trace, or of unknown length; else in
 * nanoseconds. Returns 0 if these do not fit 64 bits.
 */
static int convert(clock_value *value, const mprof_clock_record *clock, uint64_t ticks)
{
	const uint64_t numerator = clock->numerator;
	const uint64_t denominator = clock->denominator;
	double nanoseconds;

	value->value = ticks;
	value->unit = 1;
	if (numerator == 0 || denominator == 0)
		return 1;
	if (denominator <= UINT64_MAX / NANOSECONDS && denominator * NANOSECONDS % numerator == 0) {
		value->unit = denominator * NANOSECONDS / numerator;
		return 1;
	}
	/* A double has 53 bits: whole seconds and the rest are converted apart. */
	if (denominator == 1) {
		if (ticks / numerator >= UINT64_MAX / NANOSECONDS)
			return 0;
		value->value = ticks / numerator * NANOSECONDS +
			       (uint64_t)((double)(ticks % numerator) * 1e9 / (double)numerator + 0.5);
		return 1;
	}
	nanoseconds = (double)ticks * 1e9 * (double)denominator / (double)numerator;
	value->value = nanoseconds < 1e19 ? (uint64_t)nanoseconds : 0;
	return nanoseconds < 1e19;
}

void perfetto_clocks_add(perfetto_clocks *clocks, perfetto_writer *writer, const event_walk *walk,
			 const mprof_record *pair)
{
	const mprof_clock_pair_record *read = &pair->as.clock_pair;
	clock_value value = {
		.time = walk_time(walk, read->counter), .number = clocks->count, .unit = 1, .clock = pair->id};
	mprof_record clock;

	if (pair->id == MPROF_CLOCK_LOG || (int64_t)(read->counter - walk->origin) < 0 ||
	    mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_CLOCK, pair->id, &clock, sizeof(clock)) !=
		    MPROF_OK ||
	    !convert(&value, &clock.as.clock, read->value)) {
		clocks->left_out++;
		return;
	}
	if (!elements_reserve((void **)&clocks->values, &clocks->capacity, clocks->count, sizeof(*clocks->values))) {
		writer->has_failed = 1;
		return;
	}
	clocks->values[clocks->count++] = value;
}

static int compare_values(const void *one, const void *other)
{
	const clock_value *left = one;
	const clock_value *right = other;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

void perfetto_clocks_write(perfetto_clocks *clocks, perfetto_writer *writer)
{
	if (clocks->count > 0)
		qsort(clocks->values, clocks->count, sizeof(*clocks->values), compare_values);
	for (size_t i = 0; i < clocks->count; i++) {
		const clock_value *value = &clocks->values[i];

		perfetto_relate_clock(writer, value->time, value->clock, value->value, value->unit);
	}
	if (clocks->left_out > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " values of clocks were left out\n", clocks->left_out);
}

void perfetto_clocks_release(perfetto_clocks *clocks)
{
	free(clocks->values);
}
