/* SPDX-License-Identifier: MIT */
/* Adds partial profiles to a profile. */
#include "model/profile/profile_partial.h"

#include "model/profile/profile_events.h"
#include "model/profile/profile_internal.h"
#include "reader/reader.h"

/* Partial profiles of no use after which no more are built, and EVENTS blocks until they are tried again. */
#define MAX_USELESS 4
#define BLOCKS_WITHOUT 64

/*
 * Part of the memory limit up to which partial profiles are added. Beyond it a table, which may double when it grows,
 * might reach the limit in the middle of a run: what is left out then depends on the order of all events.
 */
#define LIMIT_PART 4

/* The most memory that a run needs, apart from tables that double. */
#define RUN_MEMORY (UINT64_C(8) << 20)

/* Whether all that events change is part of partial profiles. */
static int is_possible(const mprof_profile *profile)
{
	return profile->calls.keeps_tree && !profile->window.is_bounded && profile->timeline.limit == 0 &&
	       !profile->ages.is_enabled && !profile->calls.durations.is_enabled && !profile->has_call_sites &&
	       profile->budget.limit / LIMIT_PART > RUN_MEMORY;
}

/* Whether it pays to build partial profiles of the next blocks. Called once for each EVENTS block. */
static int is_worth(partial_state *state)
{
	state->left -= state->left > 0;
	return state->left == 0;
}

/* Notes whether the partial profile of a block was of use. */
static void note_use(partial_state *state, int is_useful)
{
	state->used += (uint64_t)is_useful;
	state->useless = is_useful ? 0 : state->useless + 1;
	if (state->useless < MAX_USELESS)
		return;
	/* Afterwards, a single one shows whether they are of use again. */
	state->useless = MAX_USELESS - 1;
	state->left = BLOCKS_WITHOUT;
}

/* The state that a run is added to. */
typedef struct partial_target {
	mprof_profile *profile;
	const mprof_reader *reader;
	thread_record *thread;
	const partial_profile *partial;
	const partial_run *run;
	size_t number; /* Index of the run. */
} partial_target;

/* Whether the thread is where the run begins, and none of the special cases of stacks applies. */
static int is_at_run(const partial_target *target)
{
	const mprof_profile *profile = target->profile;
	const call_stack *stack = thread_stack(target->thread);
	const int64_t ahead = (int64_t)(target->run->start_counter - target->thread->last_counter);
	const int64_t depth = profile->calls.tree.nodes[stack->top].depth;

	return (target->number == 0 ? ahead >= 0 : ahead == 0) && !stack->needs_slow_path && stack->frame_count == 0 &&
	       depth + target->run->highest <= (int64_t)profile->calls.max_depth &&
	       profile->budget.used < profile->budget.limit / LIMIT_PART - RUN_MEMORY;
}

/* Finds the frames from before the run that it has reached. Returns 0 if they are not those that it has left. */
static int find_frames(const partial_target *target)
{
	const call_node *tree = target->profile->calls.tree.nodes;
	const partial_node *nodes = target->partial->nodes;
	uint32_t *numbers = target->profile->partials.numbers;
	size_t above = target->run->first_node;

	numbers[above] = thread_stack(target->thread)->top;
	for (size_t i = above + 1; i < target->run->node_end; i++) {
		const call_node *left = &tree[numbers[above]];

		if (nodes[i].parent != PARTIAL_NONE)
			continue;
		if (numbers[above] == CALL_TREE_ROOT ||
		    (nodes[above].method != PARTIAL_UNKNOWN && nodes[above].method != left->method))
			return 0;
		numbers[i] = left->parent;
		above = i;
	}
	return 1;
}

/* As call_stack_enter_slow() finds the node of a call. Returns CALL_TREE_ROOT if there is no memory. */
static uint32_t find_node(call_model *model, uint32_t parent, uint32_t method)
{
	uint32_t child = call_stack_after_enter(model, parent, method);

	if (child != CALL_STACK_SLOW_PATH)
		return child;
	child = call_tree_child(&model->tree, parent, method);
	if (child == CALL_TREE_ROOT)
		return CALL_TREE_ROOT;
	model->cached[call_model_cache_index(parent, method)] = child;
	call_tree_mark_changed(&model->tree, child);
	return child;
}

/* Finds or adds the nodes of the run, in the order in which its events reach them. Returns 0 if there is no memory. */
static int find_nodes(const partial_target *target)
{
	call_model *model = &target->profile->calls;
	const partial_node *nodes = target->partial->nodes;
	uint32_t *numbers = target->profile->partials.numbers;

	call_tree_mark_changed(&model->tree, numbers[target->run->first_node]);
	for (size_t i = target->run->first_node; i < target->run->node_end; i++) {
		if (nodes[i].parent == PARTIAL_NONE)
			continue;
		numbers[i] = find_node(model, numbers[nodes[i].parent], nodes[i].method);
		if (numbers[i] == CALL_TREE_ROOT)
			return 0;
	}
	return 1;
}

static size_t find_site(mprof_profile *profile, const partial_allocation *allocation)
{
	const site_key key = {
		.class_id = allocation->class_id, .stack = allocation->stack, .detail = allocation->caller};

	return site_table_get(&profile->allocations, &key);
}

static int has_site(const partial_allocation *allocation)
{
	return (allocation->stack | allocation->caller) != 0;
}

/* Whether the sums of the allocations follow from those of the run. Adds nothing to any table. */
static int can_add_allocations(const partial_target *target)
{
	for (size_t i = target->run->first_allocation; i < target->run->allocation_end; i++) {
		const partial_allocation *allocation = &target->partial->allocations[i];

		/* If allocations are sampled, each of them counts by its own size. */
		if ((has_site(allocation) && target->profile->estimates.interval != 0) ||
		    target->profile->estimates.has_chosen_only)
			return 0;
		/* One whose size is not known is an error in the log, and the events after it do not count. */
		if (allocation->is_unsized && reader_object_size(target->reader, allocation->class_id) == 0)
			return 0;
	}
	return 1;
}

/* Adds what is missing in the tables of classes and sites. Returns 0 if there is no memory. */
static int find_allocations(const partial_target *target)
{
	mprof_profile *profile = target->profile;

	for (size_t i = target->run->first_allocation; i < target->run->allocation_end; i++) {
		const partial_allocation *allocation = &target->partial->allocations[i];

		if (record_table_get(&profile->classes, allocation->class_id) == NULL ||
		    (has_site(allocation) && find_site(profile, allocation) == SITE_TABLE_NONE))
			return 0;
	}
	return 1;
}

/* Returns the number of calls. */
static uint64_t add_nodes(const partial_target *target)
{
	call_node *nodes = target->profile->calls.tree.nodes;
	const uint32_t *numbers = target->profile->partials.numbers;
	uint64_t calls = 0;

	/* Only the first run may begin later than the event before it. */
	nodes[numbers[target->run->first_node]].self += target->run->start_counter - target->thread->last_counter;
	for (size_t i = target->run->first_node; i < target->run->node_end; i++) {
		const partial_node *node = &target->partial->nodes[i];
		call_node *sums = &nodes[numbers[i]];

		calls += node->calls;
		sums->calls += node->calls;
		sums->self += node->self;
	}
	return calls;
}

static void add_allocation(const partial_target *target, const partial_allocation *allocation)
{
	mprof_profile *profile = target->profile;
	class_record *record = record_table_find(&profile->classes, allocation->class_id);
	call_node *node = &profile->calls.tree.nodes[profile->partials.numbers[allocation->node]];
	uint64_t bytes = allocation->bytes;

	if (allocation->is_unsized)
		bytes = allocation->count * reader_object_size(target->reader, allocation->class_id);
	profile->totals.allocated_bytes += bytes;
	record->allocations += allocation->count;
	record->bytes += bytes;
	node->allocations += allocation->count;
	node->bytes += bytes;
	if (has_site(allocation)) {
		site_record *site = &profile->allocations.records[find_site(profile, allocation)];

		site->count += allocation->count;
		site->value += bytes;
	}
}

/* Returns the number of allocations. */
static uint64_t add_allocations(const partial_target *target)
{
	uint64_t allocations = 0;

	for (size_t i = target->run->first_allocation; i < target->run->allocation_end; i++) {
		add_allocation(target, &target->partial->allocations[i]);
		allocations += target->partial->allocations[i].count;
	}
	return allocations;
}

/*
 * Adds a run and returns 1, or returns 0: its events have to be added one by one. No sums have changed then; nodes,
 * classes and sites that were added are those that its events add, in the same order.
 */
static int add_run(const partial_target *target, uint64_t *added)
{
	const partial_run *run = target->run;
	thread_record *thread = target->thread;
	uint64_t *counts = target->profile->totals.event_counts;
	uint64_t calls;
	uint64_t allocations;

	if (!is_at_run(target) || !can_add_allocations(target) || !find_frames(target) || !find_nodes(target) ||
	    !find_allocations(target))
		return 0;
	calls = add_nodes(target);
	allocations = add_allocations(target);
	thread_stack(thread)->top = target->profile->partials.numbers[run->top];
	thread->last_counter = run->end_counter;
	counts[MPROF_EVENT_METHOD_ENTER] += calls;
	counts[MPROF_EVENT_METHOD_LEAVE] += run->leaves;
	counts[MPROF_EVENT_METHOD_LEAVE_IMPLICIT] += run->implicit_leaves;
	counts[MPROF_EVENT_ALLOCATION] += allocations;
	*added += calls + run->leaves + run->implicit_leaves + allocations;
	return 1;
}

/* Adds runs and the events between them. Returns 0 if there is no memory for one of these. */
static int add_runs(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
		    const partial_profile *partial, uint64_t *added)
{
	for (size_t i = 0; i < partial->run_count; i++) {
		const partial_target target = {profile, reader, thread, partial, &partial->runs[i], i};

		if (!add_run(&target, added))
			return 1;
		if (i + 1 == partial->run_count)
			return 1;
		if (!profile_events_add_slow(profile, thread, &partial->rows[i], 0))
			return 0;
		++*added;
	}
	return 1;
}

/* The time of a thread before the events of a block, as if these were added one by one. */
static void begin_block(thread_record *thread, const partial_profile *partial)
{
	const mprof_event first = {.kind = MPROF_EVENT_METHOD_ENTER,
				   .counter = thread->has_counter ? partial->runs[0].start_counter
								  : partial->first_counter};

	profile_events_begin(thread, &first, 1);
}

static int add_partial(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
		       const partial_profile *partial, size_t *added)
{
	uint64_t events = 0;
	profile_run run;
	int is_added;

	begin_block(thread, partial);
	run = profile_events_begin_run(profile, thread);
	is_added = add_runs(profile, reader, thread, partial, &events);
	thread->events += events;
	profile->totals.events += events;
	*added = (size_t)events;
	return profile_events_end_run(profile, thread, &run) && is_added;
}

int profile_partial_add(mprof_profile *profile, mprof_reader *reader, thread_record *thread, size_t *added,
			int *is_whole)
{
	const int is_wanted = is_possible(profile) && reader_may_visit(reader) && is_worth(&profile->partials);
	const partial_profile *partial;
	int is_visited = 0;

	*added = 0;
	*is_whole = 0;
	reader_set_visitor(reader, is_wanted ? &partial_profile_visitor : NULL);
	partial = is_possible(profile) ? reader_visit(reader, &is_visited) : NULL;
	if (partial == NULL)
		return 1;
	if (is_visited && !add_partial(profile, reader, thread, partial, added))
		return 0;
	*is_whole = is_visited && *added == partial->event_count;
	note_use(&profile->partials, *is_whole);
	if (*is_whole)
		reader_pass_visited(reader);
	return 1;
}

void profile_partial_end(mprof_reader *reader)
{
	reader_set_visitor(reader, NULL);
}
