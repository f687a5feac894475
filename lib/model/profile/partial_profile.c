/* SPDX-License-Identifier: MIT */
/* Adds up the calls and allocations of a block from an unknown call stack on, and adds the sums to a profile. */
#include "model/profile/partial_profile.h"

#include "format/events/event_decode_table.h"
#include "format/events/event_kinds.h"
#include "model/profile/profile_events.h"
#include "model/profile/profile_internal.h"
#include "reader/reader.h"

#include <string.h>

/* The number of no node. */
#define PARTIAL_NONE UINT32_MAX

/* The method of a frame is not known. A leave of a method with this ID is not part of a run. */
#define PARTIAL_UNKNOWN UINT32_MAX

/*
 * A node of the tree of a run. Frames from before the run have no parent; they are in the order in which the run
 * reached them, each below the one before. Several nodes may stand for the same path, each with a part of its sums.
 */
typedef struct partial_node {
	uint32_t method; /* For a frame from before the run the method of the leave that ended it, or
	                      PARTIAL_UNKNOWN. */
	uint32_t parent; /* PARTIAL_NONE for a frame from before the run. */
	uint64_t self;   /* In counters. */
	uint32_t calls;
} partial_node;

/* Allocations of a class by a node, at one call site. There may be several with the same. */
typedef struct partial_allocation {
	uint32_t node;
	uint32_t class_id;
	uint32_t stack;
	uint32_t caller;
	uint32_t is_unsized; /* 1: their size is that of the class; bytes is 0. */
	uint64_t count;
	uint64_t bytes;
} partial_allocation;

/* Events between two that are not part of runs. */
typedef struct partial_run {
	size_t first_node; /* The first of its nodes, which is the frame on top of the stack at its start. */
	size_t node_end;   /* The number after that of its last node. */
	size_t first_allocation;
	size_t allocation_end;
	uint32_t top;           /* The node on top at its end. */
	int32_t highest;        /* The maximum number of frames above the one on top at its start. */
	uint64_t start_counter; /* The time of the thread at its start; for the first run that of the first event
	                             with a time. */
	uint64_t end_counter;
	uint64_t leaves; /* With a method. */
	uint64_t implicit_leaves;
} partial_run;

typedef struct partial_profile {
	struct partial_builder *builder; /* What builds it, until it is complete. */
	uint64_t event_count;
	uint64_t first_counter; /* Counter of the first event. */

	partial_run runs[PARTIAL_RUNS];
	size_t run_count;
	mprof_event rows[PARTIAL_RUNS]; /* The event after each run but the last one. */
	mprof_event_detail details[PARTIAL_RUNS];
	partial_node nodes[PARTIAL_NODES];
	partial_allocation allocations[PARTIAL_ALLOCATIONS];
} partial_profile;

#define PARTIAL_COLUMNS                                                                                                \
	(MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES | MPROF_COLUMN_SIZES |                       \
	 MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS)

/*
 * Events within which the first one with a time must be. A profile looks for it in the first batch of events, which has
 * more.
 */
#define MAX_UNTIMED 512

/* Sets of the caches, as a number of bits, and the entries of a set. */
enum { NODE_BITS = 13, ALLOCATION_BITS = 12, WAYS = 4 };

/* Entries of the cache of latest nodes. A power of two. */
#define LATEST 1024

/*
 * The scratch memory of a thread. Nodes and allocations are moved to the partial profile when it is complete: that was
 * last read by another thread, so changing them there at random would take longer.
 */
typedef struct partial_builder {
	partial_profile *partial;
	uint64_t base_counter;
	uint64_t counter; /* The time of the thread. */
	size_t node_count;
	size_t allocation_count;
	uint32_t block; /* Number of the block, from 1 to UINT16_MAX. */

	uint32_t latest[LATEST]; /* By the low bits of a method: the node found last. */
	/*
	 * Caches by hash: the number of the block in the high half, and that of the node or allocation in the low one.
	 * Entries of other blocks are empty.
	 */
	uint32_t node_cache[1 << NODE_BITS][WAYS];
	uint32_t allocation_cache[1 << ALLOCATION_BITS][WAYS];

	partial_node nodes[PARTIAL_NODES];
	int32_t depths[PARTIAL_NODES]; /* Of nodes: frames above the one on top of the stack at the start of the run. */
	partial_allocation allocations[PARTIAL_ALLOCATIONS];
} partial_builder;

/* Where a run is, in local variables while events are added. */
typedef struct partial_path {
	uint32_t top;     /* The node on top of the stack. */
	uint32_t below;   /* The node below the top; PARTIAL_NONE if it was not reached yet. */
	uint64_t counter; /* partial_builder::counter. */
	uint64_t leaves;  /* partial_run::leaves. */
	uint64_t implicit_leaves;
} partial_path;

/* What became of an event. */
typedef enum partial_step {
	PARTIAL_ADDED,
	PARTIAL_OTHER, /* It is not part of a run. Nothing has changed. */
	PARTIAL_FULL   /* There is no room. */
} partial_step;

static void partial_init(void *scratch)
{
	partial_builder *builder = scratch;

	builder->block = 0;
	memset(builder->node_cache, 0, sizeof(builder->node_cache));
	memset(builder->allocation_cache, 0, sizeof(builder->allocation_cache));
}

static partial_run *current_run(const partial_builder *builder)
{
	return &builder->partial->runs[builder->partial->run_count - 1];
}

/* Adds a node. Returns PARTIAL_NONE if there is no room. */
static uint32_t add_node(partial_builder *builder, uint32_t method, uint32_t parent, int32_t depth)
{
	partial_run *run = current_run(builder);
	const partial_node node = {.method = method, .parent = parent};

	if (builder->node_count == PARTIAL_NODES)
		return PARTIAL_NONE;
	run->highest = depth > run->highest ? depth : run->highest;
	builder->nodes[builder->node_count] = node;
	builder->depths[builder->node_count] = depth;
	return (uint32_t)builder->node_count++;
}

/* Returns 0 if there is no room. */
static int begin_run(partial_builder *builder)
{
	partial_profile *partial = builder->partial;
	const partial_run run = {.first_node = builder->node_count,
				 .first_allocation = builder->allocation_count,
				 .top = (uint32_t)builder->node_count,
				 .start_counter = builder->counter};

	if (partial->run_count == PARTIAL_RUNS)
		return 0;
	partial->runs[partial->run_count++] = run;
	return add_node(builder, PARTIAL_UNKNOWN, PARTIAL_NONE, 0) != PARTIAL_NONE;
}

static void partial_begin(void *state, void *scratch, uint64_t counter)
{
	partial_profile *partial = state;
	partial_builder *builder = scratch;

	if (builder->block == UINT16_MAX)
		partial_init(builder);
	builder->block++;
	/* The first node is a frame from before the run, which no search finds. */
	memset(builder->latest, 0, sizeof(builder->latest));
	builder->partial = partial;
	builder->base_counter = counter;
	builder->counter = counter;
	builder->node_count = 0;
	builder->allocation_count = 0;
	partial->builder = builder;
	partial->event_count = 0;
	partial->run_count = 0;
	(void)begin_run(builder);
}

static void partial_end(void *state)
{
	partial_profile *partial = state;
	const partial_builder *builder = partial->builder;

	memcpy(partial->nodes, builder->nodes, builder->node_count * sizeof(*partial->nodes));
	memcpy(partial->allocations, builder->allocations, builder->allocation_count * sizeof(*partial->allocations));
	partial->builder = NULL;
}

/* Weak hashes. Where many collide, there are more nodes than needed, and in the end no room. */
static inline uint32_t hash_of_call(uint32_t parent, uint32_t method)
{
	return (parent * UINT32_C(0x9e3779b1) ^ method * UINT32_C(0x85ebca6b)) >> (32 - NODE_BITS);
}

static inline uint32_t hash_of_allocation(const partial_allocation *allocation)
{
	const uint32_t site = allocation->stack * UINT32_C(0xc2b2ae35) ^ allocation->caller * UINT32_C(0x27d4eb2f);

	return (allocation->node * UINT32_C(0x9e3779b1) ^ allocation->class_id * UINT32_C(0x85ebca6b) ^ site) >>
	       (32 - ALLOCATION_BITS);
}

/* Enters a number into a set of a cache: at its first empty entry, or in place of another one. */
static void cache_number(uint32_t *set, uint32_t block, uint32_t number)
{
	size_t way = 0;

	while (way < WAYS && set[way] - block <= UINT16_MAX)
		way++;
	set[way < WAYS ? way : number % WAYS] = block + number;
}

static inline int is_child(const partial_builder *builder, uint32_t child, uint32_t parent, uint32_t method)
{
	return builder->nodes[child].method == method && builder->nodes[child].parent == parent;
}

/*
 * Finds or adds a node that is not the latest one of its method. Returns PARTIAL_NONE if there is no room. Nodes of
 * earlier runs have other parents.
 */
static __attribute__((noinline)) uint32_t search_child(partial_builder *builder, uint32_t parent, uint32_t method)
{
	const uint32_t block = builder->block << 16;
	uint32_t *set = builder->node_cache[hash_of_call(parent, method)];
	uint32_t child;

	for (size_t way = 0; way < WAYS; way++) {
		child = set[way] - block;
		if (child < PARTIAL_NODES && is_child(builder, child, parent, method)) {
			builder->latest[method % LATEST] = child;
			return child;
		}
	}
	child = add_node(builder, method, parent, builder->depths[parent] + 1);
	if (child != PARTIAL_NONE) {
		cache_number(set, block, child);
		builder->latest[method % LATEST] = child;
	}
	return child;
}

/* The node of a call, which is added if it is missing. Returns PARTIAL_NONE if there is no room. */
static inline uint32_t find_child(partial_builder *builder, uint32_t parent, uint32_t method)
{
	uint32_t child = builder->latest[method % LATEST];

	if (is_child(builder, child, parent, method))
		return child;
	/* Methods that are called on several paths in turn are usually in the first entry. */
	child = builder->node_cache[hash_of_call(parent, method)][0] - (builder->block << 16);
	return child < PARTIAL_NODES && is_child(builder, child, parent, method)
		       ? child
		       : search_child(builder, parent, method);
}

/* Adds the frame below the oldest one that was reached. */
static __attribute__((noinline)) uint32_t reach_frame(partial_builder *builder, uint32_t above)
{
	return add_node(builder, PARTIAL_UNKNOWN, PARTIAL_NONE, builder->depths[above] - 1);
}

/* Adds the time until a counter to the node on top. Time does not go backwards. */
static inline void pass_time(partial_builder *builder, partial_path *path, uint64_t counter)
{
	const uint64_t passed = counter - path->counter;

	if (__builtin_expect((int64_t)passed < 0, 0))
		return;
	builder->nodes[path->top].self += passed;
	path->counter = counter;
}

/* Returns 0 if there is no room. */
static inline int enter(partial_builder *builder, partial_path *path, uint32_t method, uint64_t counter)
{
	const uint32_t child = find_child(builder, path->top, method);

	if (__builtin_expect(child == PARTIAL_NONE, 0))
		return 0;
	pass_time(builder, path, counter);
	builder->nodes[child].calls++;
	path->below = path->top;
	path->top = child;
	return 1;
}

static inline int leave_top(partial_builder *builder, partial_path *path, uint64_t counter)
{
	if (__builtin_expect(path->below == PARTIAL_NONE, 0)) {
		path->below = reach_frame(builder, path->top);
		if (path->below == PARTIAL_NONE)
			return 0;
	}
	pass_time(builder, path, counter);
	path->top = path->below;
	path->below = builder->nodes[path->top].parent;
	return 1;
}

static inline partial_step leave_implicit(partial_builder *builder, partial_path *path, uint64_t counter)
{
	path->implicit_leaves++;
	return leave_top(builder, path, counter) ? PARTIAL_ADDED : PARTIAL_FULL;
}

static inline partial_step leave(partial_builder *builder, partial_path *path, uint32_t method, uint64_t counter)
{
	partial_node *top = &builder->nodes[path->top];

	if (__builtin_expect(top->method != method || method == PARTIAL_UNKNOWN, 0)) {
		/* Another method than that on top: what it ends depends on the stack. */
		if (top->parent != PARTIAL_NONE || method == PARTIAL_UNKNOWN)
			return PARTIAL_OTHER;
		top->method = method;
	}
	path->leaves++;
	return leave_top(builder, path, counter) ? PARTIAL_ADDED : PARTIAL_FULL;
}

static inline int is_same(const partial_allocation *one, const partial_allocation *other)
{
	return one->class_id == other->class_id && one->node == other->node && one->stack == other->stack &&
	       one->caller == other->caller && one->is_unsized == other->is_unsized;
}

/* Finds or adds sums with the node, class and site of \p wanted. Returns NULL if there is no room. */
static partial_allocation *find_allocation(partial_builder *builder, const partial_allocation *wanted)
{
	const uint32_t block = builder->block << 16;
	uint32_t *set = builder->allocation_cache[hash_of_allocation(wanted)];

	for (size_t way = 0; way < WAYS; way++) {
		const uint32_t number = set[way] - block;

		if (number < PARTIAL_ALLOCATIONS && is_same(&builder->allocations[number], wanted))
			return &builder->allocations[number];
	}
	if (builder->allocation_count == PARTIAL_ALLOCATIONS)
		return NULL;
	cache_number(set, block, (uint32_t)builder->allocation_count);
	builder->allocations[builder->allocation_count] = *wanted;
	return &builder->allocations[builder->allocation_count++];
}

/* An allocation has no time of its own, and no time passes until then. */
static inline partial_step allocate(partial_builder *builder, const partial_path *path, uint32_t class_id,
				    uint32_t stack, uint32_t caller, uint64_t size)
{
	const partial_allocation wanted = {.node = path->top,
					   .class_id = class_id,
					   .stack = stack,
					   .caller = caller,
					   .is_unsized = size == EVENT_SIZE_UNKNOWN};
	partial_allocation *found = find_allocation(builder, &wanted);

	if (found == NULL)
		return PARTIAL_FULL;
	found->count++;
	found->bytes += wanted.is_unsized ? 0 : size;
	return PARTIAL_ADDED;
}

/*
 * Sets the time of the first event that has one. Returns 0 if times depend on what was before the block: events before
 * this one have the base counter.
 */
static int begin_time(partial_builder *builder, uint64_t counter)
{
	if ((int64_t)(counter - builder->base_counter) < 0)
		return 0;
	builder->counter = counter;
	current_run(builder)->start_counter = counter;
	return 1;
}

/* As begin_time(), for an event of any kind. The time before a gap belongs to the stack, and that in it does not. */
static int begin_event_time(partial_builder *builder, const mprof_event *event)
{
	return event_has_time(event) && event->kind != MPROF_EVENT_RECORDING_RESUMED &&
	       begin_time(builder, event->counter);
}

static partial_path begin_path(const partial_builder *builder)
{
	const partial_run *run = current_run(builder);
	const partial_path path = {run->top, builder->nodes[run->top].parent, builder->counter, run->leaves,
				   run->implicit_leaves};

	return path;
}

static void end_path(partial_builder *builder, partial_path path)
{
	partial_run *run = current_run(builder);

	run->top = path.top;
	run->leaves = path.leaves;
	run->implicit_leaves = path.implicit_leaves;
	run->node_end = builder->node_count;
	run->allocation_end = builder->allocation_count;
	run->end_counter = path.counter;
	builder->counter = path.counter;
}

/*
 * Ends the run, keeps an event that is not part of it, and begins the next one. Returns 0 if there is no room. Callers
 * pass a copy of their path, which is in registers otherwise.
 */
static int add_row(partial_builder *builder, partial_path *path, const mprof_event *event)
{
	const size_t number = builder->partial->run_count - 1;

	if (event->kind == MPROF_EVENT_ALLOCATION && event->value == EVENT_SIZE_UNKNOWN)
		return 0;
	end_path(builder, *path);
	if ((int64_t)(event->counter - builder->counter) > 0)
		builder->counter = event->counter;
	if (!begin_run(builder))
		return 0;
	builder->partial->rows[number] = *event;
	if (event->more.detail != NULL) {
		builder->partial->details[number] = *event->more.detail;
		builder->partial->rows[number].more.detail = &builder->partial->details[number];
	}
	*path = begin_path(builder);
	return 1;
}

/* The next event of a batch of columns, and its values. */
typedef struct partial_cursor {
	const uint8_t *symbol;
	const uint32_t *method;
	const uint64_t *time;
	const mprof_event *row;
	size_t allocation; /* Index in the columns of allocations. */
} partial_cursor;

/* Adds an enter, a leave with a method, or a row, which is not part of a run. Returns 0 if there is no room. */
static __attribute__((noinline)) int add_column_row(partial_builder *builder, partial_path *path,
						    partial_cursor *cursor)
{
	mprof_event event;

	if (*cursor->symbol == MPROF_SYMBOL_ROW)
		return add_row(builder, path, cursor->row++);
	memset(&event, 0, sizeof(event));
	event.kind = *cursor->symbol == MPROF_SYMBOL_ENTER ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE;
	event.id = *cursor->method++;
	event.counter = *cursor->time++;
	return add_row(builder, path, &event);
}

static inline partial_step add_column_allocation(partial_builder *builder, const partial_path *path,
						 const mprof_columns *columns, size_t index)
{
	return allocate(builder, path, columns->classes[index], columns->stacks[index], columns->callers[index],
			columns->sizes[index]);
}

/* As begin_time(), for the first batch of columns of a block. Events without a time are allocations. */
static int begin_column_times(partial_builder *builder, const mprof_columns *columns)
{
	const size_t most = columns->event_count < MAX_UNTIMED ? columns->event_count : MAX_UNTIMED;

	for (size_t i = 0; i < most; i++) {
		switch (columns->symbols[i]) {
		case MPROF_SYMBOL_ALLOCATION:
			break;
		case MPROF_SYMBOL_ROW:
			builder->partial->first_counter = i == 0 ? columns->rows[0].counter : columns->start_counter;
			return begin_event_time(builder, &columns->rows[0]);
		default:
			builder->partial->first_counter = i == 0 ? columns->times[0] : columns->start_counter;
			return begin_time(builder, columns->times[0]);
		}
	}
	return 0;
}

/* Adds the event at the cursor, which advances if the event is part of the run. The symbol remains. */
static inline __attribute__((always_inline)) partial_step
add_column_event(partial_builder *builder, partial_path *path, const mprof_columns *columns, partial_cursor *cursor)
{
	const uint8_t symbol = *cursor->symbol;
	partial_step result;

	if (symbol == MPROF_SYMBOL_ENTER) {
		if (!enter(builder, path, *cursor->method, *cursor->time))
			return PARTIAL_FULL;
	} else if (symbol == MPROF_SYMBOL_LEAVE_IMPLICIT) {
		return leave_implicit(builder, path, *cursor->time++);
	} else if (symbol == MPROF_SYMBOL_LEAVE) {
		result = leave(builder, path, *cursor->method, *cursor->time);
		if (__builtin_expect(result != PARTIAL_ADDED, 0))
			return result;
	} else if (symbol == MPROF_SYMBOL_ALLOCATION) {
		return add_column_allocation(builder, path, columns, cursor->allocation++);
	} else {
		return PARTIAL_OTHER;
	}
	cursor->method++;
	cursor->time++;
	return PARTIAL_ADDED;
}

static int partial_add_columns(void *state, const mprof_columns *columns)
{
	partial_builder *builder = ((partial_profile *)state)->builder;
	partial_cursor cursor = {columns->symbols, columns->methods, columns->times, columns->rows, 0};
	const uint8_t *end = columns->symbols + columns->event_count;
	partial_path path;

	if (builder->partial->event_count == 0 && !begin_column_times(builder, columns))
		return 0;
	builder->partial->event_count += columns->event_count;
	path = begin_path(builder);
	for (; cursor.symbol < end; cursor.symbol++) {
		const partial_step result = add_column_event(builder, &path, columns, &cursor);

		if (__builtin_expect(result != PARTIAL_ADDED, 0)) {
			partial_path row_path = path;
			partial_cursor row_cursor = cursor;

			if (result == PARTIAL_FULL || !add_column_row(builder, &row_path, &row_cursor))
				return 0;
			path = row_path;
			cursor = row_cursor;
		}
	}
	end_path(builder, path);
	return 1;
}

/* Kinds are compared one by one: the branch predictor handles this better than an indirect jump through a table. */
static inline __attribute__((always_inline)) partial_step add_struct(partial_builder *builder, partial_path *path,
								     const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	if (event->kind == MPROF_EVENT_METHOD_ENTER)
		return enter(builder, path, event->id, event->counter) ? PARTIAL_ADDED : PARTIAL_FULL;
	if (event->kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
		return leave_implicit(builder, path, event->counter);
	if (event->kind == MPROF_EVENT_METHOD_LEAVE)
		return leave(builder, path, event->id, event->counter);
	if (event->kind != MPROF_EVENT_ALLOCATION)
		return PARTIAL_OTHER;
	return allocate(builder, path, event->id, detail != NULL ? detail->stack : 0,
			detail != NULL ? detail->caller : 0, event->value);
}

/* As begin_time(), for the first batch of structs of a block. */
static int begin_struct_times(partial_builder *builder, const mprof_event *events, size_t count)
{
	const size_t most = count < MAX_UNTIMED ? count : MAX_UNTIMED;

	builder->partial->first_counter = events[0].counter;
	for (size_t i = 0; i < most; i++) {
		if (events[i].kind != MPROF_EVENT_ALLOCATION)
			return begin_event_time(builder, &events[i]);
	}
	return 0;
}

static int partial_add_events(void *state, const mprof_event *events, size_t count)
{
	partial_builder *builder = ((partial_profile *)state)->builder;
	partial_path path;

	if (builder->partial->event_count == 0 && !begin_struct_times(builder, events, count))
		return 0;
	builder->partial->event_count += count;
	path = begin_path(builder);
	for (size_t i = 0; i < count; i++) {
		const partial_step result = add_struct(builder, &path, &events[i]);

		if (__builtin_expect(result != PARTIAL_ADDED, 0)) {
			partial_path row_path = path;

			if (result == PARTIAL_FULL || !add_row(builder, &row_path, &events[i]))
				return 0;
			path = row_path;
		}
	}
	end_path(builder, path);
	return 1;
}

/* Builds partial profiles, which are its states. */
static const event_visitor partial_profile_visitor = {
	.state_size = sizeof(partial_profile),
	.scratch_size = sizeof(partial_builder),
	.columns = PARTIAL_COLUMNS,
	.init = partial_init,
	.begin = partial_begin,
	.end = partial_end,
	.add_columns = partial_add_columns,
	.add_events = partial_add_events,
};

struct thread_record;

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
	state->remaining -= state->remaining > 0;
	return state->remaining == 0;
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
	state->remaining = BLOCKS_WITHOUT;
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
		const call_node *remaining = &tree[numbers[above]];

		if (nodes[i].parent != PARTIAL_NONE)
			continue;
		if (numbers[above] == CALL_TREE_ROOT ||
		    (nodes[above].method != PARTIAL_UNKNOWN && nodes[above].method != remaining->method))
			return 0;
		numbers[i] = remaining->parent;
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
