/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/fast_path.h
 * \brief The fast path of calls and allocations, for the loops over events as structs and as columns.
 *
 * Both loops depend on the event before: what each event changes is kept in local variables, which is why these
 * functions are inlined. They add an event entirely, or change nothing and leave it to the slow path.
 *
 * \p mode is a constant, so that each combination of its bits has a loop of its own.
 */
#ifndef MODEL_PROFILE_FAST_PATH_H
#define MODEL_PROFILE_FAST_PATH_H

#include "model/profile/profile_internal.h"

#define FAST_PATH_INLINE static inline __attribute__((always_inline))

/** What is done with events. Bits. */
typedef enum fast_path_mode {
	FAST_PATH_COUNTS = 1, /**< They are inside the window. Otherwise calls are followed, but nothing is counted. */
	FAST_PATH_TIMED = 2   /**< Durations of calls are measured. */
} fast_path_mode;

/** The state of a thread while its events take the fast path. */
typedef struct fast_path {
	uint32_t top; /**< The node on top of the stack. */
	/**
	 * The node below the top: a leave then does not wait for the node that is left, which is often not in the
	 * processor's caches, and the search for the next call can begin.
	 */
	uint32_t below;
	uint64_t counter; /**< thread_record::last_counter. */

	/* Only if durations of calls are measured. */
	uint64_t time;             /**< call_stack::time. */
	open_call *open;           /**< The open call above the top. */
	const open_call *open_end; /**< The end of the open calls that there is room for. */
} fast_path;

/** A call or return. */
typedef struct fast_call {
	uint32_t kind; /**< An #mprof_event_kind. */
	uint32_t id;   /**< The method. */
	uint64_t counter;
	uint32_t is_implicit; /**< A leave has no method in the log. */
} fast_call;

/** Starts with the state of a thread. Returns 0 if all events need the slow path. */
FAST_PATH_INLINE int fast_path_begin(fast_path *path, mprof_profile *profile, thread_record *thread, const int mode)
{
	const call_node *nodes = profile->calls.tree.nodes;
	call_stack *stack = thread_stack(thread);
	const int has_open = (mode & FAST_PATH_TIMED) != 0 && stack->open != NULL;

	path->top = stack->top;
	path->below = nodes[stack->top].parent;
	path->counter = thread->last_counter;
	path->time = stack->time;
	path->open = has_open ? stack->open + nodes[stack->top].depth : NULL;
	path->open_end = has_open ? stack->open + stack->open_capacity : NULL;
	if (stack->frame_count > 0)
		return 0;
	/*
	 * From here on the top is always marked: a node that is entered is marked, and the parent of a marked node is
	 * marked.
	 */
	call_tree_mark_changed(&profile->calls.tree, stack->top);
	return 1;
}

/** Stores the state in the thread. */
FAST_PATH_INLINE void fast_path_end(const fast_path *path, thread_record *thread, const int mode)
{
	call_stack *stack = thread_stack(thread);

	stack->top = path->top;
	if (mode & FAST_PATH_TIMED)
		stack->time = path->time;
	thread->last_counter = path->counter;
}

/** Whether \p counter is not before that of the event before. Otherwise the slow path is required. */
FAST_PATH_INLINE int fast_path_is_next(const fast_path *path, uint64_t counter)
{
	return __builtin_expect((int64_t)(counter - path->counter) >= 0, 1) != 0;
}

/** Adds the time until \p counter, which is not before fast_path::counter, to the method on top. */
FAST_PATH_INLINE void fast_path_pass(fast_path *path, mprof_profile *profile, uint64_t counter, const int mode)
{
	const uint64_t passed = counter - path->counter;

	if (mode & FAST_PATH_TIMED)
		path->time += passed;
	if (mode & FAST_PATH_COUNTS)
		profile->calls.tree.nodes[path->top].self += passed;
	path->counter = counter;
}

/*
 * The new top of the stack after a call or return, or CALL_STACK_SLOW_PATH. Counts the event and the call of an enter.
 * Each kind is counted here, where it is known, since looking up a counter by kind costs as much as the rest.
 */
FAST_PATH_INLINE uint32_t fast_path_top_after(fast_path *path, mprof_profile *profile, const call_stack *stack,
					      const fast_call *call, const int mode)
{
	const uint32_t counted = mode & FAST_PATH_COUNTS;
	uint64_t *counts = profile->totals.event_counts;
	call_model *calls = &profile->calls;
	uint32_t next = CALL_STACK_SLOW_PATH;

	/* Compared one by one: the branch predictor handles this better than an indirect jump through a table. */
	if (call->kind == MPROF_EVENT_METHOD_ENTER) {
		next = call_stack_after_enter(calls, path->top, call->id);
		if (__builtin_expect(next == CALL_STACK_SLOW_PATH, 0))
			return next;
		calls->tree.nodes[next].calls += counted;
		counts[MPROF_EVENT_METHOD_ENTER] += counted;
		path->below = path->top;
	} else if (call->kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT) {
		next = call_stack_after_leave_top(stack, path->top, path->below);
		if (__builtin_expect(next == CALL_STACK_SLOW_PATH, 0))
			return next;
		counts[MPROF_EVENT_METHOD_LEAVE_IMPLICIT] += counted;
		path->below = calls->tree.nodes[next].parent;
	} else if (call->kind == MPROF_EVENT_METHOD_LEAVE) {
		next = call_stack_after_leave(calls, stack, path->top, path->below, call->id);
		if (__builtin_expect(next == CALL_STACK_SLOW_PATH, 0))
			return next;
		counts[call->is_implicit ? MPROF_EVENT_METHOD_LEAVE_IMPLICIT : MPROF_EVENT_METHOD_LEAVE] += counted;
		path->below = calls->tree.nodes[next].parent;
	}
	return next;
}

/**
 * Adds a call or return, which is not before fast_path::counter. Returns 0 if the event needs the slow path, or is of
 * another kind.
 */
FAST_PATH_INLINE int fast_path_call(fast_path *path, mprof_profile *profile, const call_stack *stack,
				    const fast_call *call, const int mode)
{
	const int is_enter = call->kind == MPROF_EVENT_METHOD_ENTER;
	const int is_timed = (mode & FAST_PATH_TIMED) != 0;
	const uint32_t top = path->top;
	uint32_t next;

	/* If the array of open calls is full, the slow path grows it. */
	if (is_timed && is_enter && __builtin_expect(path->open >= path->open_end, 0))
		return 0;
	next = fast_path_top_after(path, profile, stack, call, mode);
	if (__builtin_expect(next == CALL_STACK_SLOW_PATH, 0))
		return 0;
	fast_path_pass(path, profile, call->counter, mode);
	if (is_timed && is_enter) {
		path->open->time = path->time;
		path->open->counter = call->counter;
		path->open++;
	} else if (is_timed) {
		path->open--;
		if (mode & FAST_PATH_COUNTS)
			call_stack_measure(&profile->calls, top, path->open, path->time);
	}
	path->top = next;
	return 1;
}

/** As fast_path_count_allocation(), where the allocation stands for others that are not in the log. */
static __attribute__((noinline)) void fast_path_estimate_allocation(mprof_profile *profile, class_record *record,
								    call_node *node, uint64_t size)
{
	const allocation_estimate before = record->estimate;
	const uint64_t bytes_before = allocation_estimate_round(profile->estimates.whole.bytes);
	uint64_t bytes;

	node->allocations += allocation_estimates_next(&profile->estimates, &record->estimate, size, &bytes);
	node->bytes += bytes;
	/* Differences of rounded sums: allocations before the property was set are exact. */
	record->allocations +=
		allocation_estimate_round(record->estimate.objects) - allocation_estimate_round(before.objects);
	record->bytes += allocation_estimate_round(record->estimate.bytes) - allocation_estimate_round(before.bytes);
	profile->totals.allocated_bytes += allocation_estimate_round(profile->estimates.whole.bytes) - bytes_before;
}

/** Counts an allocation of a class by the method on top, apart from its call site. */
FAST_PATH_INLINE void fast_path_count_allocation(mprof_profile *profile, class_record *record, uint32_t top,
						 uint64_t size)
{
	call_node *node = &profile->calls.tree.nodes[top];

	call_tree_mark_changed(&profile->calls.tree, top);
	if (__builtin_expect(profile->estimates.has_chosen_only, 0)) {
		fast_path_estimate_allocation(profile, record, node, size);
		return;
	}
	record->allocations++;
	record->bytes += size;
	profile->totals.allocated_bytes += size;
	node->allocations++;
	node->bytes += size;
}

#endif
