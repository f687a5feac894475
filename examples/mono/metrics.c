/* SPDX-License-Identifier: MIT */
/* Counters of the runtime and the process. */
#include "metrics.h"

#include <mono/metadata/threads.h>
#include <mono/utils/mono-counters.h>

#include "shared/own_thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The function that the thread calls. */
typedef void (*helper_function)(MonoProfiler *profiler);

static struct {
	MonoProfiler *profiler;
	helper_function function;
	uint32_t interval_ms;
	pthread_mutex_t lock; /* Held while the thread works; guards the fields below. */
	pthread_cond_t wake;
	int is_known; /* The thread is attached to the runtime. */
	int is_over;
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_milliseconds(struct timespec *time, uint32_t milliseconds)
{
	time->tv_sec += (time_t)(milliseconds / 1000);
	time->tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (time->tv_nsec >= 1000000000) {
		time->tv_sec++;
		time->tv_nsec -= 1000000000;
	}
}

static void *run_helper(void *argument)
{
	struct timespec next;

	(void)argument;
	mono_threads_attach_tools_thread();
	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&helper.lock);
	helper.is_known = 1;
	pthread_cond_signal(&helper.wake);
	while (!helper.is_over) {
		helper.function(helper.profiler);
		add_milliseconds(&next, helper.interval_ms);
		while (!helper.is_over && pthread_cond_timedwait(&helper.wake, &helper.lock, &next) == 0)
			continue;
	}
	pthread_mutex_unlock(&helper.lock);
	return NULL;
}

/*
 * It is attached to the runtime as a tool thread: it may read counters, is not stopped with the world, and does not
 * delay the end of the program. It blocks all signals.
 */

/* Starts the thread once the runtime is ready for it. Returns 0 if no thread could be created. */
static int helper_start(MonoProfiler *profiler, helper_function function, uint32_t interval_ms)
{
	pthread_condattr_t attributes;

	helper.profiler = profiler;
	helper.function = function;
	helper.interval_ms = interval_ms;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&helper.wake, &attributes);
	pthread_condattr_destroy(&attributes);
	if (own_thread_start("mprof helper", 0, run_helper, NULL) != 0)
		return 0;
	/*
	 * A collection that began while the thread attaches itself would wait for the thread to stop, and the thread
	 * for the end of the collection. None can begin while this thread waits.
	 */
	pthread_mutex_lock(&helper.lock);
	while (!helper.is_known)
		pthread_cond_wait(&helper.wake, &helper.lock);
	pthread_mutex_unlock(&helper.lock);
	return 1;
}

/* Stops the thread: it does nothing any more when this returns. Call it before the runtime ends. */
static void helper_stop(void)
{
	pthread_mutex_lock(&helper.lock);
	helper.is_over = 1;
	pthread_cond_signal(&helper.wake);
	pthread_mutex_unlock(&helper.lock);
}

/* A counter of the runtime and its metric in the log. Counters are never removed. */
typedef struct known_counter {
	MonoCounter *counter;
	uint32_t metric; /* 0 if its values are not numbers, or it could not be defined. */
	uint32_t scale;  /* Factor from the counter's unit to the log's. */
} known_counter;

static struct {
	known_counter *counters; /* In the runtime's order, followed by counters registered later. */
	size_t count;
	size_t room;
	mprof_metric_value *values;
	size_t value_count; /* Entries used in values, which has the same capacity as counters. */
} state;

typedef struct section_name {
	int section;
	const char *name;
} section_name;

static const section_name section_names[] = {
	{MONO_COUNTER_JIT, "JIT"},           {MONO_COUNTER_GC, "GC"},
	{MONO_COUNTER_METADATA, "Metadata"}, {MONO_COUNTER_GENERICS, "Generics"},
	{MONO_COUNTER_SECURITY, "Security"}, {MONO_COUNTER_RUNTIME, "Runtime"},
	{MONO_COUNTER_SYSTEM, "System"},     {MONO_COUNTER_PERFCOUNTERS, "Performance counters"},
	{MONO_COUNTER_PROFILER, "Profiler"}, {MONO_COUNTER_INTERP, "Interpreter"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_of_section(int section)
{
	for (size_t i = 0; i < COUNT_OF(section_names); i++)
		if (section_names[i].section == section)
			return section_names[i].name;
	return "";
}

static uint32_t unit_of(MonoCounter *counter)
{
	if (mono_counter_get_type(counter) == MONO_COUNTER_TIME_INTERVAL)
		return MPROF_METRIC_UNIT_TIME;
	switch (mono_counter_get_unit(counter)) {
	case MONO_COUNTER_BYTES:
		return MPROF_METRIC_UNIT_BYTES;
	case MONO_COUNTER_TIME:
		return MPROF_METRIC_UNIT_TIME;
	case MONO_COUNTER_COUNT:
		return MPROF_METRIC_UNIT_COUNT;
	case MONO_COUNTER_PERCENTAGE:
		return MPROF_METRIC_UNIT_RATIO;
	default:
		return MPROF_METRIC_UNIT_RAW;
	}
}

static uint32_t flags_of(MonoCounter *counter)
{
	uint32_t flags = unit_of(counter);
	int variance = mono_counter_get_variance(counter);

	flags |= mono_counter_get_type(counter) == MONO_COUNTER_DOUBLE ? MPROF_METRIC_FLAG_DOUBLE : 0;
	flags |= variance == MONO_COUNTER_MONOTONIC ? MPROF_METRIC_FLAG_MONOTONIC : 0;
	flags |= variance == MONO_COUNTER_CONSTANT ? MPROF_METRIC_FLAG_CONSTANT : 0;
	return flags;
}

/* The log stores nanoseconds. The runtime uses microseconds for one type, and units of 100 ns for the others. */
static uint32_t scale_of(MonoCounter *counter)
{
	if (mono_counter_get_type(counter) == MONO_COUNTER_TIME_INTERVAL)
		return 1000;
	return mono_counter_get_unit(counter) == MONO_COUNTER_TIME ? 100 : 1;
}

static known_counter *add_counter(MonoProfiler *profiler, MonoCounter *counter)
{
	known_counter added = {counter, 0, scale_of(counter)};

	if (state.count == state.room) {
		size_t room = state.room == 0 ? 256 : state.room * 2;
		known_counter *counters = realloc(state.counters, room * sizeof(*counters));
		mprof_metric_value *values;

		if (counters == NULL)
			return NULL;
		state.counters = counters;
		values = realloc(state.values, room * sizeof(*values));
		if (values == NULL)
			return NULL;
		state.values = values;
		state.room = room;
	}
	if (mono_counter_get_type(counter) != MONO_COUNTER_STRING &&
	    mprof_recorder_define_metric(profiler->recorder, name_of_section(mono_counter_get_section(counter)),
					 mono_counter_get_name(counter), flags_of(counter), &added.metric) != MPROF_OK)
		added.metric = 0;
	state.counters[state.count] = added;
	return &state.counters[state.count++];
}

/* The runtime lists counters in the same order each time, with new ones at the end. */
static const known_counter *find_counter(MonoProfiler *profiler, MonoCounter *counter, size_t index)
{
	if (index < state.count && state.counters[index].counter == counter)
		return &state.counters[index];
	for (size_t i = 0; i < state.count; i++)
		if (state.counters[i].counter == counter)
			return &state.counters[i];
	return add_counter(profiler, counter);
}

/* Returns 1 if the counter has a numeric value. */
static int read_value(const known_counter *known, uint64_t *value)
{
	union {
		int32_t small;
		uint32_t small_unsigned;
		intptr_t word;
		int64_t whole;
		double real;
	} read;

	memset(&read, 0, sizeof(read));
	if (mono_counters_sample(known->counter, &read, sizeof(read)) <= 0)
		return 0;
	switch (mono_counter_get_type(known->counter)) {
	case MONO_COUNTER_INT:
		*value = (uint64_t)(int64_t)read.small * known->scale;
		return 1;
	case MONO_COUNTER_UINT:
		*value = (uint64_t)read.small_unsigned * known->scale;
		return 1;
	case MONO_COUNTER_WORD:
		*value = (uint64_t)(int64_t)read.word * known->scale;
		return 1;
	case MONO_COUNTER_LONG:
	case MONO_COUNTER_ULONG:
	case MONO_COUNTER_TIME_INTERVAL:
		*value = (uint64_t)read.whole * known->scale;
		return 1;
	case MONO_COUNTER_DOUBLE:
		read.real *= known->scale;
		memcpy(value, &read.real, sizeof(*value));
		return 1;
	default:
		return 0;
	}
}

typedef struct listing {
	MonoProfiler *profiler;
	size_t index;
} listing;

static mono_bool add_value(MonoCounter *counter, void *data)
{
	listing *list = data;
	const known_counter *known = find_counter(list->profiler, counter, list->index++);
	uint64_t value;

	if (known != NULL && known->metric != 0 && read_value(known, &value))
		state.values[state.value_count++] = (mprof_metric_value){.metric = known->metric, .value = value};
	return 1;
}

static void record_metrics(MonoProfiler *profiler)
{
	listing list = {profiler, 0};

	if (profiler_has_ended(profiler))
		return;
	state.value_count = 0;
	mono_counters_foreach(add_value, &list);
	if (state.value_count > 0)
		(void)mprof_recorder_record_metrics(profiler->recorder, state.values, sizeof(mprof_metric_value),
						    state.value_count);
}

void metrics_start(MonoProfiler *profiler)
{
	if ((profiler->options.kinds & RECORD_METRICS) != 0 &&
	    !helper_start(profiler, record_metrics, profiler->options.metrics_milliseconds))
		fprintf(stderr,
			"mprof: counters are recorded at the end only: cannot create a thread for their intervals\n");
}

void metrics_end(MonoProfiler *profiler)
{
	if ((profiler->options.kinds & RECORD_METRICS) == 0)
		return;
	helper_stop();
	record_metrics(profiler);
}
