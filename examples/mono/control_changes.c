/* SPDX-License-Identifier: MIT */
/* Changes what is recorded while the program runs. */
#include "control_changes.h"

#include "allocations.h"
#include "call_gate.h"
#include "control_actions.h"
#include "method_search.h"
#include "methods.h"
#include "samples.h"
#include "selection.h"

#include "shared/sample_rate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const allocation_words[] = {
	[ALLOCATIONS_OFF] = "off", [ALLOCATIONS_PLAIN] = "on", [ALLOCATIONS_WITH_STACKS] = "stack"};

/* An allocations_mode; -1 as long as it is that of the options. Owned by the control thread. */
static int allocation_mode = -1;

static int present_allocation_mode(const MonoProfiler *profiler)
{
	if (allocation_mode >= 0)
		return allocation_mode;
	return (profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) != 0 ? ALLOCATIONS_WITH_STACKS
										  : ALLOCATIONS_PLAIN;
}

static void describe_samples(MonoProfiler *profiler, command_reply *reply)
{
	control_reply_add(reply, "sample_hz=%" PRIu32, samples_rate(profiler));
}

static void describe_allocations(MonoProfiler *profiler, command_reply *reply)
{
	const allocations_mode mode = (allocations_mode)present_allocation_mode(profiler);
	const uint64_t interval = atomic_load_explicit(&profiler->allocation_interval, memory_order_relaxed);

	if (mode == ALLOCATIONS_WITH_STACKS && interval != 0)
		control_reply_add(reply, "alloc=stack:%" PRIu64, interval);
	else
		control_reply_add(reply, "alloc=%s", allocation_words[mode]);
}

static void describe_calls(MonoProfiler *profiler, command_reply *reply)
{
	(void)profiler;
	control_reply_add(reply, "calls=%s", call_gate_selection());
}

static void describe_patterns(command_reply *reply, const char *name, filter_action action)
{
	char *text = selection_text(action);

	/* One line for all patterns */
	for (char *c = text; c != NULL && *c != '\0'; c++)
		if (*c == '\n')
			*c = ' ';
	control_reply_add(reply, "%s=%s", name, text == NULL || text[0] == '\0' ? "off" : text);
	free(text);
}

static void describe_only(MonoProfiler *profiler, command_reply *reply)
{
	(void)profiler;
	describe_patterns(reply, "only", FILTER_ONLY);
}

static void describe_not(MonoProfiler *profiler, command_reply *reply)
{
	(void)profiler;
	describe_patterns(reply, "not", FILTER_NOT);
}

static const char *change_patterns(MonoProfiler *profiler, filter_action action, const char *pattern)
{
	const char *failure = selection_change(profiler, action, pattern);

	if (failure == NULL) {
		method_search_update(profiler);
		allocations_use_filters(profiler);
	}
	return failure;
}

static const char *change_only(MonoProfiler *profiler, const char *value)
{
	return change_patterns(profiler, FILTER_ONLY, value);
}

static const char *change_not(MonoProfiler *profiler, const char *value)
{
	return change_patterns(profiler, FILTER_NOT, value);
}

static const char *change_samples(MonoProfiler *profiler, const char *value)
{
	uint32_t hz;
	const char *failure = sample_rate_parse(value, profiler->options.sample_hz, &hz);

	return failure != NULL ? failure : samples_set_rate(profiler, hz);
}

static const char *set_allocation_mode(MonoProfiler *profiler, allocations_mode mode, uint64_t interval)
{
	const char *failure = allocations_set_mode(profiler, mode, interval);

	if (failure == NULL)
		allocation_mode = (int)mode;
	return failure;
}

_Static_assert(MIN_ALLOCATION_INTERVAL == 1 << 10 && MAX_ALLOCATION_INTERVAL == 1 << 30, "the message states them");

static const char *change_allocations(MonoProfiler *profiler, const char *value)
{
	record_allocation allocation = {0};
	uint64_t interval = 0;

	if (strcmp(value, "stack") == 0)
		interval = profiler->options.allocation.interval;
	else if (strcmp(value, "off") == 0 || strcmp(value, "on") == 0)
		return set_allocation_mode(profiler, value[1] == 'f' ? ALLOCATIONS_OFF : ALLOCATIONS_PLAIN, 0);
	else if (strcmp(value, "stack:all") != 0) {
		if (strchr(value, '+') != NULL || !record_values_allocation(value, &allocation) ||
		    allocation.interval == 0)
			return "alloc takes on, off, stack, stack:BYTES from 1k to 1g, or stack:all";
		interval = allocation.interval;
	}
	return set_allocation_mode(profiler, ALLOCATIONS_WITH_STACKS, interval);
}

static const char *change_calls(MonoProfiler *profiler, const char *value)
{
	const char *failure;

	/* The gate is open initially, so using it changes nothing by itself. */
	if ((profiler->options.kinds & RECORD_CALLS) != 0) {
		methods_use_gate(profiler);
		return call_gate_set(profiler, value);
	}
	/* Here, it selects what will be compiled to report calls, so it is set first. */
	failure = call_gate_set(profiler, value);
	if (failure == NULL && (profiler_kinds(profiler) & RECORD_CALLS) == 0) {
		methods_use_gate(profiler);
		profiler_add_kind(profiler, RECORD_CALLS);
	}
	return failure;
}

static const struct {
	const char *name;
	uint32_t kind;
	const char *(*change)(MonoProfiler *profiler, const char *value);
	void (*describe)(MonoProfiler *profiler, command_reply *reply);
} changes[] = {
	{"sample", RECORD_SAMPLES, change_samples, describe_samples},
	{"alloc", RECORD_ALLOCATIONS, change_allocations, describe_allocations},
	{"calls", RECORD_CALLS, change_calls, describe_calls},
	{"only", RECORD_ALLOCATIONS | RECORD_SAMPLES, change_only, describe_only},
	{"not", RECORD_ALLOCATIONS | RECORD_SAMPLES, change_not, describe_not},
};

#define CHANGE_COUNT (sizeof(changes) / sizeof(changes[0]))

/* Writes a marker: without it, a reader could not explain why the rate or the kinds of events change. */
static void mark_change(MonoProfiler *profiler, const char *line)
{
	char text[MAX_COMMAND + 32];

	snprintf(text, sizeof(text), "mprof control: %s", line);
	(void)control_mark(profiler, text);
}

int control_change(MonoProfiler *profiler, const char *line, command_reply *reply, const char **failure)
{
	for (size_t i = 0; i < CHANGE_COUNT; i++) {
		size_t length = strlen(changes[i].name);

		if (strncmp(line, changes[i].name, length) != 0 || line[length] != ' ')
			continue;
		*failure = changes[i].change(profiler, line + length + 1);
		if (*failure == NULL) {
			changes[i].describe(profiler, reply);
			mark_change(profiler, line);
		}
		return 1;
	}
	return 0;
}

void control_changes_describe(MonoProfiler *profiler, command_reply *reply)
{
	for (size_t i = 0; i < CHANGE_COUNT; i++)
		if ((profiler_kinds(profiler) & changes[i].kind) != 0)
			changes[i].describe(profiler, reply);
}
