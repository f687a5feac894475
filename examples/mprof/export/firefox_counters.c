/* SPDX-License-Identifier: MIT */
/* Keeps and writes the counters of a profile of Firefox. */
#include "export/firefox_counters.h"

#include <stdlib.h>
#include <string.h>

struct firefox_counter {
	uint64_t id;
	char *name;
	spool_stream values;
	uint64_t count;
	uint64_t time; /* Of the latest value. */
	uint64_t value;
	struct firefox_counter *next;
};

typedef struct counter_value {
	uint64_t time;
	int64_t change;
} counter_value;

/* There are few counters, so they are searched one after the other. */
static firefox_counter *get_counter(firefox_counters *counters, uint64_t id, const char *name)
{
	firefox_counter **last = &counters->first;
	firefox_counter *counter;

	while (*last != NULL && (*last)->id != id)
		last = &(*last)->next;
	if (*last != NULL)
		return *last;
	counter = calloc(1, sizeof(*counter));
	if (counter != NULL)
		counter->name = strdup(name);
	if (counter == NULL || counter->name == NULL) {
		free(counter);
		return NULL;
	}
	counter->id = id;
	*last = counter;
	return counter;
}

void firefox_counters_add(firefox_counters *counters, uint64_t id, const char *name, uint64_t time, uint64_t value)
{
	firefox_counter *counter = get_counter(counters, id, name);
	counter_value added;

	if (counter == NULL) {
		counters->has_failed = 1;
		return;
	}
	/* The times of a counter must not decrease; damage and the clocks of several threads can cause that. */
	if (time > counter->time)
		counter->time = time;
	added.time = counter->time;
	added.change = (int64_t)(value - counter->value);
	spool_add(&counters->spool, &counter->values, &added, sizeof(added));
	counters->has_failed |= counters->spool.has_failed;
	counter->value = value;
	counter->count++;
}

static void write_value_time(void *user, const void *record)
{
	const counter_value *value = record;

	json_fixed(user, NULL, value->time, 6);
}

static void write_change(void *user, const void *record)
{
	const counter_value *value = record;

	json_signed(user, NULL, value->change);
}

static void write_counter(firefox_counters *counters, const firefox_counter *counter, json_writer *json,
			  plain_buffer *plain, const char *pid)
{
	const char *name = plain_text(plain, counter->name);

	counters->has_failed |= name == NULL;
	json_begin_object(json, NULL);
	json_string(json, "name", name != NULL ? name : "");
	json_string(json, "category", "Memory");
	json_string(json, "description", name != NULL ? name : "");
	json_string(json, "pid", pid);
	json_unsigned(json, "mainThreadIndex", 0);
	json_begin_object(json, "samples");
	json_begin_array(json, "time");
	spool_read(&counters->spool, &counter->values, sizeof(counter_value), write_value_time, json);
	json_end_array(json);
	json_begin_array(json, "count");
	spool_read(&counters->spool, &counter->values, sizeof(counter_value), write_change, json);
	json_end_array(json);
	json_unsigned(json, "length", counter->count);
	json_end_object(json);
	json_end_object(json);
}

void firefox_counters_write(firefox_counters *counters, json_writer *json, plain_buffer *plain, const char *pid)
{
	json_begin_array(json, "counters");
	for (const firefox_counter *counter = counters->first; counter != NULL; counter = counter->next)
		write_counter(counters, counter, json, plain, pid);
	json_end_array(json);
	counters->has_failed |= counters->spool.has_failed;
}

void firefox_counters_release(firefox_counters *counters)
{
	while (counters->first != NULL) {
		firefox_counter *counter = counters->first;

		counters->first = counter->next;
		free(counter->name);
		spool_stream_release(&counter->values);
		free(counter);
	}
	spool_release(&counters->spool);
}
