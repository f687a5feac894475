/* SPDX-License-Identifier: MIT */
/* Writes what the recorder itself states in SESSION blocks: the clocks at the start, and the counter's frequency. */
#include "recorder/drain/session.h"

#include "format/values/rate_text.h"
#include "writer/writer.h"

#include <mprof/base.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

/* The clocks at the start of the log, for its first SESSION block: a client's counter is read once, as for a block. */
static void read_first_instant(recorder_drain *drain, counter_instant *now)
{
	const counter_source *source = &drain->shared->counter;

	if (source->read != NULL)
		counter_read_instant(source, now);
	else
		counter_wait_calibrated(source, &drain->rate.start, now);
}

/* Writes a SESSION block whose clock pair is that of an instant. */
static mprof_status write_session_at(recorder_output *output, const counter_instant *instant,
				     const mprof_property *properties, size_t count)
{
	mprof_status status;

	output->next_clock = (mprof_clock){output_counter(output, instant->counter), instant->time_us};
	output->has_next_clock = 1;
	status = mprof_writer_write_session(output->writer, properties, sizeof(*properties), count);
	output->has_next_clock = 0;
	return status;
}

#define OWN_PROPERTIES 8
#define NUMBER_SIZE 32

static int gives_property(const mprof_recorder_options *options, const char *key)
{
	for (size_t i = 0; i < options->property_count; i++) {
		/* Elements may be larger than this version's. */
		const mprof_property *property =
			(const void *)((const char *)options->properties + i * options->property_size);

		if (property->key != NULL && strcmp(property->key, key) == 0)
			return 1;
	}
	return 0;
}

/* Which process this is, unless the client states it: viewers name it, and relate its threads to other records. */
static size_t add_process(const mprof_recorder_options *options, char number[NUMBER_SIZE], mprof_property *own)
{
	size_t count = 0;

#ifndef _WIN32
	if (!gives_property(options, "pid")) {
		snprintf(number, NUMBER_SIZE, "%ld", (long)getpid());
		own[count++] = (mprof_property){"pid", number};
	}
#endif
#ifdef __linux__
	if (!gives_property(options, "program") && program_invocation_name != NULL && *program_invocation_name != '\0')
		own[count++] = (mprof_property){"program", program_invocation_name};
#endif
	return count;
}

mprof_status session_begin(recorder_drain *drain, const mprof_recorder_options *options)
{
	const counter_source *source = &drain->shared->counter;
	counter_rate *rate = &drain->rate;
	mprof_property own[OWN_PROPERTIES];
	char counter[64], numbers[5][NUMBER_SIZE];
	counter_instant now;
	size_t count = 0;

	read_first_instant(drain, &now);
	counter_rate_begin(rate, source, options->counters_per_second, &now);
	counter_describe(source, counter, sizeof(counter));
	own[count++] = (mprof_property){"recorder", "libmprof " MPROF_VERSION_STRING};
	own[count++] = (mprof_property){"counter", counter};
	if (rate_is_valid(rate->stated)) {
		rate_text_format(rate->stated, numbers[0], NUMBER_SIZE);
		own[count++] = (mprof_property){RATE_KEY, numbers[0]};
	}
	snprintf(numbers[1], NUMBER_SIZE, "%" PRIu64, now.monotonic_ns);
	own[count++] = (mprof_property){"monotonic_ns", numbers[1]};
	if (now.boottime_ns != 0) {
		snprintf(numbers[2], NUMBER_SIZE, "%" PRIu64, now.boottime_ns);
		own[count++] = (mprof_property){"boottime_ns", numbers[2]};
	}
	if (options->resolution_ns > 0) {
		snprintf(numbers[3], NUMBER_SIZE, "%" PRIu32, options->resolution_ns);
		own[count++] = (mprof_property){"resolution", numbers[3]};
	}
	count += add_process(options, numbers[4], own + count);
	return write_session_at(drain->output, &now, own, count);
}

void session_state_rate(recorder_drain *drain, int is_last)
{
	recorder_output *output = drain->output;
	char text[RATE_TEXT_SIZE];
	const mprof_property property = {RATE_KEY, text};
	counter_instant now;

	if (!output->has_session || !output_is_writing(output) || !counter_rate_update(&drain->rate, is_last, &now))
		return;
	rate_text_format(drain->rate.stated, text, sizeof(text));
	output_note_status(output, write_session_at(output, &now, &property, 1));
}
