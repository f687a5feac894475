/* SPDX-License-Identifier: MIT */
/* States the properties of samples at the start, from time to time and at the end. */
#include "sample_statement.h"

#include "shared/sample_properties.h"
#include "shared/sample_totals.h"

static int states_samples(const MonoProfiler *profiler)
{
	return (profiler_kinds(profiler) & RECORD_SAMPLES) != 0 && !options_are_classic(&profiler->options);
}

void sample_statement_request(MonoProfiler *profiler, uint32_t hz, uint32_t tick_hz)
{
	if (states_samples(profiler))
		sample_properties_set_request(profiler->recorder, hz, profiler->options.sample_real != 0, tick_hz);
}

void sample_statement_period(MonoProfiler *profiler)
{
	if (states_samples(profiler))
		sample_properties_set_period(profiler->recorder, profiler->options.sample_real != 0);
}

void sample_statement_start(MonoProfiler *profiler)
{
	if (states_samples(profiler))
		sample_totals_start(profiler->recorder, NULL);
}

void sample_statement_end(MonoProfiler *profiler)
{
	if (!states_samples(profiler))
		return;
	sample_totals_end();
	sample_properties_set_totals(profiler->recorder);
}
