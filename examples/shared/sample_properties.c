/* SPDX-License-Identifier: MIT */
/* Sets the properties of the session that describe samples. */
#include "shared/sample_properties.h"

#include "shared/sampled_threads.h"

#include <inttypes.h>
#include <stdio.h>

void sample_properties_set_number(mprof_recorder *recorder, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	(void)mprof_recorder_set_property(recorder, key, text);
}

void sample_properties_set_request(mprof_recorder *recorder, uint64_t hz, int is_real_time, uint32_t tick_hz)
{
	sample_properties_set_number(recorder, "sample_hz", hz);
	(void)mprof_recorder_set_property(recorder, "sample_clock", is_real_time ? "real" : "processor");
	if (tick_hz != 0)
		sample_properties_set_number(recorder, "tick_hz", tick_hz);
}

void sample_properties_set_period(mprof_recorder *recorder, int is_real_time)
{
	const sample_scope scope = sample_source_scope();

	(void)mprof_recorder_set_property(recorder, "sample_source", sample_source_name(sample_source_used()));
	sample_properties_set_number(recorder, "sample_period_ns", sample_source_period());
	if (!is_real_time && sample_source_used() == SAMPLE_SOURCE_PERF && scope != SAMPLE_SCOPE_NONE)
		(void)mprof_recorder_set_property(recorder, "sample_scope",
						  scope == SAMPLE_SCOPE_USER ? "user" : "all");
}

void sample_properties_set_totals(mprof_recorder *recorder)
{
	const sample_totals totals = sampled_threads_totals();

	(void)mprof_recorder_set_property(recorder, "sample_source", sample_source_name(sample_source_used()));
	sample_properties_set_number(recorder, "sample_time_ns", totals.time_ns);
	sample_properties_set_number(recorder, "sample_hits", totals.hits);
	sample_properties_set_number(recorder, "sample_hit_ns", totals.hit_ns);
	sample_properties_set_number(recorder, "sample_discarded", totals.discarded);
	sample_properties_set_number(recorder, "sample_short_ns", totals.short_ns);
	sample_properties_set_number(recorder, "sample_blocked_ns", totals.blocked_ns);
}
