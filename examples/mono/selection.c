/* SPDX-License-Identifier: MIT */
/*
 * Holds the present filters.
 *
 * All caches of whether a method passes compare MonoProfiler::unloads, which is incremented when the filters change.
 */
#include "selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Owner: the control thread. It stores the filters before it increments MonoProfiler::unloads with release; a thread
 * that finds its cache out of date loads the filters after an acquire fence, so they are at least as new.
 */
static struct {
	_Atomic(const filters *) filters;
	_Atomic int is_filtered; /* There are filters. */
	_Atomic int has_only;    /* One of them is a FILTER_ONLY. */
} selection;

int selection_is_filtered(void)
{
	return atomic_load_explicit(&selection.is_filtered, memory_order_relaxed);
}

stack_choice selection_begin_choice(void)
{
	return (stack_choice){
		.is_open = atomic_load_explicit(&selection.is_filtered, memory_order_relaxed),
		.is_selected = !atomic_load_explicit(&selection.has_only, memory_order_relaxed),
	};
}

unsigned selection_of_method(MonoMethod *method)
{
	const filters *present;

	atomic_thread_fence(memory_order_acquire);
	present = atomic_load_explicit(&selection.filters, memory_order_relaxed);
	if (present == NULL)
		return FRAME_ADMITTED;
	if (filters_match(present, FILTER_NOT, method))
		return FRAME_EXCLUDED;
	return filters_admit(present, method) ? FRAME_ADMITTED : 0;
}

static void state_patterns(MonoProfiler *profiler, const char *key, filter_action action)
{
	char *text = selection_text(action);

	if (text != NULL)
		(void)mprof_recorder_set_property(profiler->recorder, key, text);
	free(text);
}

static void use_filters(MonoProfiler *profiler, const filters *list)
{
	atomic_store_explicit(&selection.filters, list, memory_order_relaxed);
	atomic_store_explicit(&selection.has_only, filters_have(list, FILTER_ONLY), memory_order_relaxed);
	atomic_store_explicit(&selection.is_filtered, list != NULL, memory_order_relaxed);
	atomic_fetch_add_explicit(&profiler->unloads, 1, memory_order_release);
	state_patterns(profiler, "only", FILTER_ONLY);
	state_patterns(profiler, "not", FILTER_NOT);
}

void selection_begin(MonoProfiler *profiler)
{
	if (profiler->options.filters != NULL)
		use_filters(profiler, profiler->options.filters);
}

const char *selection_change(MonoProfiler *profiler, filter_action action, const char *pattern)
{
	const filters *before = atomic_load_explicit(&selection.filters, memory_order_relaxed);
	const filter_action other = action == FILTER_ONLY ? FILTER_NOT : FILTER_ONLY;
	filters *changed = NULL;

	if (!options_allow_changes(&profiler->options))
		return "older formats have no filters that change: use only and not at the start";
	if (!filters_copy(&changed, other, before) ||
	    (strcmp(pattern, "off") != 0 && !filters_add(&changed, action, pattern))) {
		const char *reason = errno == ENOMEM ? strerror(ENOMEM) : "the pattern is empty";

		filters_release(changed);
		return reason;
	}
	(void)mprof_recorder_set_property(profiler->recorder, "filters_changed", "1");
	/* Earlier filters are not freed: a thread may be using them. */
	use_filters(profiler, changed);
	return NULL;
}

char *selection_text(filter_action action)
{
	return filters_text(atomic_load_explicit(&selection.filters, memory_order_relaxed), action);
}
