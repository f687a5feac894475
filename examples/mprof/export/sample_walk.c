/* SPDX-License-Identifier: MIT */
/* Reads what the arguments of a sample state, by the rules of doc/format.md, 3.25, as the profile does. */
#include "export/sample_walk.h"

#include "common/typed.h"
#include "report/filters.h"

int sample_walk_has(const event_walk *walk, const mprof_event *event)
{
	mprof_record type;

	return mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) ==
		       MPROF_OK &&
	       type.as.type.form == MPROF_TYPE_SAMPLE;
}

/* Takes what an argument states. */
static void take_argument(walk_kind_sample *sample, const typed_argument *argument)
{
	const uint64_t number = argument->value.number;
	const uint32_t encoding = argument->definition.encoding;

	switch (argument->definition.role) {
	case MPROF_ROLE_THREAD:
		sample->thread = number;
		break;
	case MPROF_ROLE_STACK:
		sample->stack = number <= UINT32_MAX ? (uint32_t)number : 0;
		break;
	case MPROF_ROLE_WEIGHT:
		sample->weight = number;
		sample->has_weight = encoding == MPROF_ENCODING_UNSIGNED ||
				     (encoding == MPROF_ENCODING_SIGNED && number <= INT64_MAX);
		break;
	case MPROF_ROLE_CPU:
		sample->cpu = number < MPROF_CPU_UNKNOWN ? (uint32_t)number : MPROF_CPU_UNKNOWN;
		break;
	case MPROF_ROLE_MODE:
		sample->mode = number;
		break;
	default:
		break;
	}
}

/* The weight of samples of a kind that state none: each counts once, unless one that is 0 was left out at the end. */
static uint64_t weight_without(const mprof_reader *reader, const mprof_type_record *type)
{
	mprof_record argument;

	for (uint32_t i = 0; i < type->argument_count; i++) {
		if (mprof_reader_lookup_record(reader, MPROF_RECORD_ARGUMENT, type->first_argument + i, &argument,
					       sizeof(argument)) == MPROF_OK &&
		    argument.as.argument.role == MPROF_ROLE_WEIGHT)
			return 0;
	}
	return 1;
}

static int is_wanted(const event_walk *walk, const walk_kind_sample *sample)
{
	return (walk->kind == 0 || walk->kind == sample->type) &&
	       filter_options_want_thread(&walk->job->options, sample->thread);
}

void sample_walk_add(const event_walk *walk, uint64_t thread, const mprof_event *event)
{
	walk_kind_sample sample = {.type = event->id, .thread = thread, .cpu = MPROF_CPU_UNKNOWN, .has_weight = 1};
	typed_arguments arguments;
	typed_argument argument;

	if (walk->sink->kind_sample == NULL || !walk_has_counter(walk, event->counter) ||
	    !typed_begin(&arguments, walk->input.reader, event))
		return;
	sample.weight = weight_without(walk->input.reader, &arguments.type);
	while (typed_next(&arguments, &argument))
		take_argument(&sample, &argument);
	sample.has_weight &= !arguments.is_damaged;
	sample.time = walk_time(walk, event->counter);
	sample.counter = event->counter;
	if (is_wanted(walk, &sample))
		walk->sink->kind_sample(walk->user, &sample);
}
