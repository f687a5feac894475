/* SPDX-License-Identifier: MIT */
/*
 * Selects which calls are recorded.
 *
 * Whether a method reports its calls is decided when the runtime compiles it, and cannot change later. So the gate
 * leaves out calls that are reported. If the program was started without calls, it also decides which methods are
 * compiled to report them.
 */
#include "call_gate.h"

#include "filters.h"

#include "shared/hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { GATE_OPEN, GATE_CLOSED, GATE_FILTERED };

/*
 * Owner: the control thread. It stores the filters with relaxed order and then the number of the change with release;
 * a thread that calls loads that with acquire, so it uses filters that are at least as new.
 */
static struct {
	_Atomic int mode;
	_Atomic(const filters *) admitted;
	_Atomic unsigned changes;
} gate;

/* Used by the control thread alone. */
static char selection_text[256] = "on";

static int is_admitted(MonoProfiler *profiler, thread_state *state, MonoMethod *method, unsigned changes)
{
	known_gate *known = &state->known_gates[hash_key((uintptr_t)method) & (KNOWN_METHODS - 1)];
	unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);

	if (known->method != method || known->unloads != unloads || known->changes != changes) {
		const filters *admitted = atomic_load_explicit(&gate.admitted, memory_order_relaxed);

		*known = (known_gate){method, unloads, changes, filters_admit(admitted, method)};
	}
	return known->is_admitted;
}

int call_gate_admits(MonoProfiler *profiler, thread_state *state, MonoMethod *method)
{
	/* Acquire: pairs with the release in change_gate(). */
	unsigned changes = atomic_load_explicit(&gate.changes, memory_order_acquire);
	int mode = atomic_load_explicit(&gate.mode, memory_order_relaxed);

	/* Calls may have been entered under one setting and left under another, so counting starts again. */
	if (state->gate_changes != changes) {
		state->gate_changes = changes;
		state->call_depth = 0;
	}
	if (mode != GATE_FILTERED)
		return mode == GATE_OPEN;
	return is_admitted(profiler, state, method, changes);
}

int call_gate_selects(MonoMethod *method)
{
	/* Acquire: pairs with the release in change_gate(). */
	(void)atomic_load_explicit(&gate.changes, memory_order_acquire);
	switch (atomic_load_explicit(&gate.mode, memory_order_relaxed)) {
	case GATE_OPEN:
		return 1;
	case GATE_CLOSED:
		return 0;
	default:
		return filters_admit(atomic_load_explicit(&gate.admitted, memory_order_relaxed), method);
	}
}

/*
 * Disables recording for a short time, so that the log shows that calls may be missing: the next event of each thread
 * is preceded by one that marks its call stack as unknown. A call that is being recorded on another thread at this time
 * may still be recorded by the old setting.
 */
static void change_gate(MonoProfiler *profiler, int mode, const filters *admitted)
{
	int was_enabled = mprof_recorder_is_enabled(profiler->recorder);

	(void)mprof_recorder_set_enabled(profiler->recorder, 0);
	/* Earlier filters are not freed: a thread may be using them. */
	if (admitted != NULL)
		atomic_store_explicit(&gate.admitted, admitted, memory_order_relaxed);
	atomic_store_explicit(&gate.mode, mode, memory_order_relaxed);
	atomic_fetch_add_explicit(&gate.changes, 1, memory_order_release);
	if (was_enabled)
		(void)mprof_recorder_set_enabled(profiler->recorder, 1);
}

const char *call_gate_set(MonoProfiler *profiler, const char *selection)
{
	filters *admitted = NULL;

	if ((profiler->options.kinds & RECORD_CALLS) == 0 && !options_allow_changes(&profiler->options))
		return "older formats have calls only from the start: start the program with --calls";
	if (strlen(selection) >= sizeof(selection_text))
		return "the pattern is longer than 255 bytes";
	if (strcmp(selection, "on") == 0) {
		change_gate(profiler, GATE_OPEN, NULL);
	} else if (strcmp(selection, "off") == 0) {
		change_gate(profiler, GATE_CLOSED, NULL);
	} else {
		if (!filters_add(&admitted, FILTER_ONLY, selection))
			return errno == ENOMEM ? strerror(ENOMEM) : "the pattern is empty";
		change_gate(profiler, GATE_FILTERED, admitted);
	}
	snprintf(selection_text, sizeof(selection_text), "%s", selection);
	return NULL;
}

const char *call_gate_selection(void)
{
	return selection_text;
}
