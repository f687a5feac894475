/* SPDX-License-Identifier: MIT */
/**
 * \file selection.h
 * \brief Which allocations and samples the filters select: the options only=PATTERN and not=PATTERN.
 *
 * stack_record.h has the rule. Calls are selected by methods.c when code is compiled, and by call_gate.h.
 */
#ifndef MONO_SELECTION_H
#define MONO_SELECTION_H

#include "filters.h"
#include "profiler.h"
#include "stack_record.h"

/** Uses the filters of the options, and states them in the log. */
void selection_begin(MonoProfiler *profiler);

/** Whether allocations and samples are filtered now. Any thread, async-signal-safe. */
int selection_is_filtered(void);

/** The choice before the first frame. Any thread, async-signal-safe. */
stack_choice selection_begin_choice(void);

/** The #frame_flag bits of a method that the runtime did not generate. Any thread; not for signal handlers. */
unsigned selection_of_method(MonoMethod *method);

/**
 * Replaces all patterns of an action by one, or by none if \p pattern is "off". Returns NULL, or the reason of a
 * failure. The caller then updates what depends on the filters. Control thread only.
 */
const char *selection_change(MonoProfiler *profiler, filter_action action, const char *pattern);

/** The patterns of an action, separated by line feeds; "" if none. The caller frees it. NULL if out of memory. */
char *selection_text(filter_action action);

#endif
