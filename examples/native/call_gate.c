/* SPDX-License-Identifier: MIT */
/* Selects which calls are recorded while the program runs. */
#include "call_gate.h"

#include "function_filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Atomic uint32_t call_gate;

/* Used by the control thread alone. */
static char selection_text[256] = "on";

void call_gate_begin_closed(void)
{
	atomic_store_explicit(&call_gate, CALL_GATE_CLOSED, memory_order_relaxed);
	snprintf(selection_text, sizeof(selection_text), "off");
}

/*
 * Disables recording for a short time, so that the log shows that calls may be missing: the next event of each thread
 * is preceded by one that marks its call stack as unknown. A call that is being recorded on another thread at this time
 * may still be recorded by the old setting.
 */
static const char *change_gate(mprof_recorder *recorder, const char *pattern, uint32_t closed)
{
	const int was_enabled = mprof_recorder_is_enabled(recorder);
	const uint32_t before = atomic_load_explicit(&call_gate, memory_order_relaxed);
	int is_selected;

	(void)mprof_recorder_set_enabled(recorder, 0);
	is_selected = closed || function_filter_select(pattern);
	/* Release: pairs with the acquire of threads that call. */
	if (is_selected)
		atomic_store_explicit(&call_gate, ((before | CALL_GATE_CLOSED) + 1) | closed, memory_order_release);
	if (was_enabled)
		(void)mprof_recorder_set_enabled(recorder, 1);
	return is_selected ? NULL : strerror(ENOMEM);
}

const char *call_gate_set(mprof_recorder *recorder, const char *selection)
{
	const char *failure;

	if (strlen(selection) >= sizeof(selection_text))
		return "the pattern is longer than 255 bytes";
	if (selection[0] == '\0')
		return "the pattern is empty";
	if (strcmp(selection, "off") == 0)
		failure = change_gate(recorder, NULL, CALL_GATE_CLOSED);
	else
		failure = change_gate(recorder, strcmp(selection, "on") == 0 ? NULL : selection, 0);
	if (failure == NULL)
		snprintf(selection_text, sizeof(selection_text), "%s", selection);
	return failure;
}

const char *call_gate_selection(void)
{
	return selection_text;
}

void call_gate_renew(void)
{
	const uint32_t before = atomic_load_explicit(&call_gate, memory_order_relaxed);

	/* Release: pairs with the acquire of threads that call. */
	atomic_store_explicit(&call_gate, ((before | CALL_GATE_CLOSED) + 1) | (before & CALL_GATE_CLOSED),
			      memory_order_release);
}
