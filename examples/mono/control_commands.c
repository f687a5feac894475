/* SPDX-License-Identifier: MIT */
/* What requests change. */
#include "control_commands.h"

#include <mono/metadata/loader.h>

#include "allocations.h"
#include "call_gate.h"
#include "heap.h"
#include "method_search.h"
#include "methods.h"
#include "options.h"
#include "samples.h"
#include "selection.h"
#include "shared/control_reply.h"
#include "shared/record_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *result_of(mprof_status status)
{
	return status == MPROF_OK ? NULL : mprof_status_get_text(status);
}

/*
 * Each returns NULL on success, otherwise a line with the reason of the failure. All may be called at any time until
 * the process ends, on any thread except the collector's.
 */

/* Starts to record events. */
static const char *control_enable(MonoProfiler *profiler)
{
	const mprof_status status = mprof_recorder_set_enabled(profiler->recorder, 1);

	atomic_store_explicit(&profiler->is_stopped, 0, memory_order_relaxed);
	samples_enable(profiler, 1);
	return result_of(status);
}

/* Stops recording events. When it returns, all events recorded before are in the log. */
static const char *control_disable(MonoProfiler *profiler)
{
	mprof_status status = mprof_recorder_set_enabled(profiler->recorder, 0);

	atomic_store_explicit(&profiler->is_stopped, 1, memory_order_relaxed);
	samples_enable(profiler, 0);
	if (status == MPROF_OK)
		status = mprof_recorder_drain(profiler->recorder);
	return result_of(status);
}

const char *control_toggle(MonoProfiler *profiler)
{
	return mprof_recorder_is_enabled(profiler->recorder) ? control_disable(profiler) : control_enable(profiler);
}

const char *control_flush(MonoProfiler *profiler)
{
	if (profiler->options.ring_bytes == 0)
		return result_of(mprof_recorder_drain(profiler->recorder));
	return result_of(
		mprof_recorder_dump_path(profiler->recorder, profiler->full_path, profiler->options.gzip_level, NULL));
}

const char *control_heapshot(MonoProfiler *profiler)
{
	const char *failure;

	if ((profiler->options.kinds & RECORD_HEAP) == 0)
		return "no heap snapshots are recorded: the program was started without the option heap";
	failure = heap_take_shot(profiler);
	return failure != NULL ? failure : result_of(mprof_recorder_drain(profiler->recorder));
}

/* Requests heap snapshots for the next count full collections; for all if it is -1. */
static const char *control_set_heap_shots(MonoProfiler *profiler, int64_t count)
{
	if ((profiler->options.kinds & RECORD_HEAP) == 0)
		return "no heap snapshots are recorded: the program was started without the option heap";
	atomic_store(&profiler->heap_snapshots_left, count);
	return NULL;
}

/* Writes a marker to the log. */
static const char *control_mark(MonoProfiler *profiler, const char *text)
{
	return result_of(mprof_recorder_record_mark(profiler->recorder, 0, text, strlen(text)));
}

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

static const char *change_patterns(MonoProfiler *profiler, filter_action action, const char *pattern)
{
	const char *failure = selection_change(profiler, action, pattern);

	if (failure == NULL) {
		method_search_update(profiler);
		allocations_use_filters(profiler);
	}
	return failure;
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

static const char *change_only(MonoProfiler *profiler, const char *value)
{
	return change_patterns(profiler, FILTER_ONLY, value);
}

static void describe_only(MonoProfiler *profiler, command_reply *reply)
{
	(void)profiler;
	describe_patterns(reply, "only", FILTER_ONLY);
}

static const char *change_not(MonoProfiler *profiler, const char *value)
{
	return change_patterns(profiler, FILTER_NOT, value);
}

static void describe_not(MonoProfiler *profiler, command_reply *reply)
{
	(void)profiler;
	describe_patterns(reply, "not", FILTER_NOT);
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

_Static_assert(MIN_ALLOCATION_INTERVAL == 1 << 10 && MAX_ALLOCATION_INTERVAL == 1 << 30, "the message states them");

#define CHANGE_COUNT (sizeof(changes) / sizeof(changes[0]))

/* Writes a marker: without it, a reader could not explain why the rate or the kinds of events change. */
static void mark_change(MonoProfiler *profiler, const char *line)
{
	char text[MAX_COMMAND + 32];

	snprintf(text, sizeof(text), "mprof control: %s", line);
	(void)control_mark(profiler, text);
}

/*
 *   sample HZ, sample on, sample off
 *   alloc on, alloc off, alloc stack
 *   calls on, calls off, calls PATTERN
 *
 * Each is answered by a line with the new setting, and writes a marker to the log. They stop and resume the kinds of
 * data with which the program was started; others need preparation at the start.
 */

/*
 * Executes the command if it is one of these. Returns 1 if it was, and then sets failure to the reason why it
 * failed, or NULL. Control thread only.
 */
static int control_change(MonoProfiler *profiler, const char *line, command_reply *reply, const char **failure)
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

/* Adds the present settings. Control thread only. */
static void control_changes_describe(MonoProfiler *profiler, command_reply *reply)
{
	for (size_t i = 0; i < CHANGE_COUNT; i++)
		if ((profiler_kinds(profiler) & changes[i].kind) != 0)
			changes[i].describe(profiler, reply);
}

typedef struct named_action {
	const char *name;
	const char *(*act)(MonoProfiler *profiler);
} named_action;

static const named_action actions[] = {
	{"enable", control_enable},
	{"disable", control_disable},
	{"flush", control_flush},
	{"heapshot", control_heapshot},
};

static const named_action classic_actions[] = {
	{"enable", control_enable},
	{"disable", control_disable},
	{"heap-snapshot", control_heapshot},
};

static const named_action *find_action(const named_action *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, list[i].name) == 0)
			return &list[i];
	return NULL;
}

static void add_status(MonoProfiler *profiler, command_reply *reply)
{
	char kinds[OPTIONS_KINDS_SIZE];

	options_describe_kinds(profiler_kinds(profiler), kinds, sizeof(kinds));
	control_reply_add(reply, "pid=%ld", (long)getpid());
	control_reply_add(reply, "recording=%s",
			  mprof_recorder_is_enabled(profiler->recorder) ? "enabled" : "disabled");
	control_reply_add(reply, "kinds=%s", kinds);
	control_reply_add(reply, "log=%s", profiler->full_path);
	if (profiler->options.ring_bytes != 0)
		control_reply_add(reply, "ring_bytes=%" PRIu64, profiler->options.ring_bytes);
	control_changes_describe(profiler, reply);
	control_reply_add_counts(reply, profiler->recorder);
}

static void run_command(MonoProfiler *profiler, const char *line, command_reply *reply)
{
	const named_action *action = find_action(actions, sizeof(actions) / sizeof(actions[0]), line);
	const char *failure = NULL;

	reply->length = 0;
	if (atomic_load(&profiler->ended))
		failure = "the log is closed";
	else if (action != NULL)
		failure = action->act(profiler);
	else if (strcmp(line, "status") == 0)
		add_status(profiler, reply);
	else if (strcmp(line, "cost") == 0)
		control_cost_add(reply, profiler->recorder);
	else if (control_change(profiler, line, reply, &failure))
		;
	else if (strncmp(line, "mark ", 5) == 0 && line[5] != '\0')
		failure = control_mark(profiler, line + 5);
	else
		failure = "unknown command; the commands are enable, disable, flush, heapshot, status, cost, sample, "
			  "alloc, calls, only, not and mark TEXT";
	control_reply_end(reply, failure);
}

static int set_shot_counter(MonoProfiler *profiler, const char *value)
{
	char *end;
	long long count;

	if (strcmp(value, "all") == 0)
		return control_set_heap_shots(profiler, -1) == NULL;
	if (strcmp(value, "none") == 0)
		return control_set_heap_shots(profiler, 0) == NULL;
	errno = 0;
	count = strtoll(value, &end, 10);
	return value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0 &&
	       control_set_heap_shots(profiler, count) == NULL;
}

static void run_classic_command(MonoProfiler *profiler, const char *line, command_reply *reply)
{
	static const char counter[] = "heap-snapshot-counter=";
	const named_action *action =
		find_action(classic_actions, sizeof(classic_actions) / sizeof(classic_actions[0]), line);
	int done = 0;

	if (atomic_load(&profiler->ended))
		done = 0;
	else if (action != NULL)
		done = action->act(profiler) == NULL;
	else if (strncmp(line, counter, sizeof(counter) - 1) == 0)
		done = set_shot_counter(profiler, line + sizeof(counter) - 1);
	reply->length = (size_t)snprintf(reply->text, sizeof(reply->text), "%s", done ? "DONE\n" : "ERROR\n");
}

void control_command(void *profiler, const char *line, int is_classic, command_reply *reply)
{
	(is_classic ? run_classic_command : run_command)(profiler, line, reply);
}

static MonoProfiler *controlled;

/*
 * They run as internal calls of the runtime, so the collector does not stop their thread by a signal. Otherwise it
 * could stop the thread while it holds a lock that another thread needs before it can stop itself.
 */

static void enable_profiler(void)
{
	(void)control_enable(controlled);
}

static void disable_profiler(void)
{
	(void)control_disable(controlled);
}

static void take_heap_snapshot(void)
{
	(void)control_heapshot(controlled);
}

void runtime_controls_define(MonoProfiler *profiler)
{
	controlled = profiler;
	mono_dangerous_add_raw_internal_call("Mono.Profiler.RuntimeControls::EnableProfiler", enable_profiler);
	mono_dangerous_add_raw_internal_call("Mono.Profiler.RuntimeControls::DisableProfiler", disable_profiler);
	mono_dangerous_add_raw_internal_call("Mono.Profiler.RuntimeControls::TakeHeapSnapshot", take_heap_snapshot);
}
