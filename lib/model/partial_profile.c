/* SPDX-License-Identifier: MIT */
/* Adds up the calls and allocations of a block from an unknown call stack on. */
#include "model/partial_profile.h"

#include "format/event_decode_table.h"
#include "format/event_kinds.h"

#include <string.h>

#define PARTIAL_COLUMNS                                                                                                \
	(MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES | MPROF_COLUMN_SIZES |                       \
	 MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS)

/*
 * Events within which the first one with a time must be. A profile looks for it in the first batch of events, which has
 * more.
 */
#define MOST_UNTIMED 512

/* Where a run is, in local variables while events are added. */
typedef struct partial_path {
	uint32_t top;     /* The node on top of the stack. */
	uint32_t below;   /* The node below the top; PARTIAL_NONE if it was not reached yet. */
	uint64_t counter; /* partial_profile::counter. */
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
	memset(scratch, 0, sizeof(partial_scratch));
}

static partial_run *current_run(partial_profile *partial)
{
	return &partial->runs[partial->run_count - 1];
}

/* Adds a node. Returns PARTIAL_NONE if there is no room. */
static uint32_t add_node(partial_profile *partial, uint32_t method, uint32_t parent, int32_t depth)
{
	partial_run *run = current_run(partial);
	const partial_node node = {.method = method, .parent = parent, .depth = depth};

	if (partial->node_count == PARTIAL_NODES)
		return PARTIAL_NONE;
	run->highest = depth > run->highest ? depth : run->highest;
	partial->nodes[partial->node_count] = node;
	return (uint32_t)partial->node_count++;
}

/* Returns 0 if there is no room. */
static int begin_run(partial_profile *partial)
{
	const partial_run run = {.first_node = partial->node_count,
				 .first_allocation = partial->allocation_count,
				 .top = (uint32_t)partial->node_count,
				 .start_counter = partial->counter};

	if (partial->run_count == PARTIAL_RUNS)
		return 0;
	partial->runs[partial->run_count++] = run;
	return add_node(partial, PARTIAL_UNKNOWN, PARTIAL_NONE, 0) != PARTIAL_NONE;
}

static void partial_begin(void *state, void *memory, uint64_t counter)
{
	partial_profile *partial = state;
	partial_scratch *scratch = memory;

	if (scratch->block == UINT16_MAX)
		partial_init(scratch);
	scratch->block++;
	/* The first node is a frame from before the run, which no search finds. */
	memset(scratch->latest, 0, sizeof(scratch->latest));
	partial->scratch = scratch;
	partial->base_counter = counter;
	partial->counter = counter;
	partial->event_count = 0;
	partial->run_count = 0;
	partial->node_count = 0;
	partial->allocation_count = 0;
	(void)begin_run(partial);
}

/* Weak hashes. Where many collide, there are more nodes than needed, and in the end no room. */
static inline uint32_t hash_of_call(uint32_t parent, uint32_t method)
{
	return (parent * UINT32_C(0x9e3779b1) ^ method * UINT32_C(0x85ebca6b)) >> (32 - PARTIAL_NODE_BITS);
}

static inline uint32_t hash_of_allocation(const partial_allocation *allocation)
{
	const uint32_t site = allocation->stack * UINT32_C(0xc2b2ae35) ^ allocation->caller * UINT32_C(0x27d4eb2f);

	return (allocation->node * UINT32_C(0x9e3779b1) ^ allocation->class_id * UINT32_C(0x85ebca6b) ^ site) >>
	       (32 - PARTIAL_ALLOCATION_BITS);
}

/* Enters a number into a set of a cache: at its first empty entry, or in place of another one. */
static void cache_number(uint32_t *set, uint32_t block, uint32_t number)
{
	size_t way = 0;

	while (way < PARTIAL_WAYS && set[way] - block <= UINT16_MAX)
		way++;
	set[way < PARTIAL_WAYS ? way : number % PARTIAL_WAYS] = block + number;
}

static inline int is_child(const partial_profile *partial, uint32_t child, uint32_t parent, uint32_t method)
{
	return partial->nodes[child].method == method && partial->nodes[child].parent == parent;
}

/*
 * Finds or adds a node that is not the latest one of its method. Returns PARTIAL_NONE if there is no room. Nodes of
 * earlier runs have other parents.
 */
static __attribute__((noinline)) uint32_t search_child(partial_profile *partial, uint32_t parent, uint32_t method)
{
	partial_scratch *scratch = partial->scratch;
	const uint32_t block = scratch->block << 16;
	uint32_t *set = scratch->node_cache[hash_of_call(parent, method)];
	uint32_t child;

	for (size_t way = 0; way < PARTIAL_WAYS; way++) {
		child = set[way] - block;
		if (child <= UINT16_MAX && is_child(partial, child, parent, method)) {
			scratch->latest[method % PARTIAL_LATEST] = child;
			return child;
		}
	}
	child = add_node(partial, method, parent, partial->nodes[parent].depth + 1);
	if (child != PARTIAL_NONE) {
		cache_number(set, block, child);
		scratch->latest[method % PARTIAL_LATEST] = child;
	}
	return child;
}

/* The node of a call, which is added if it is missing. Returns PARTIAL_NONE if there is no room. */
static inline uint32_t find_child(partial_profile *partial, uint32_t parent, uint32_t method)
{
	const partial_scratch *scratch = partial->scratch;
	uint32_t child = scratch->latest[method % PARTIAL_LATEST];

	if (is_child(partial, child, parent, method))
		return child;
	/* Methods that are called on several paths in turn are usually in the first entry. */
	child = scratch->node_cache[hash_of_call(parent, method)][0] - (scratch->block << 16);
	return child <= UINT16_MAX && is_child(partial, child, parent, method) ? child
									       : search_child(partial, parent, method);
}

/* Adds the frame below the oldest one that was reached. */
static __attribute__((noinline)) uint32_t reach_frame(partial_profile *partial, uint32_t above)
{
	return add_node(partial, PARTIAL_UNKNOWN, PARTIAL_NONE, partial->nodes[above].depth - 1);
}

/* Adds the time until a counter to the node on top. Time does not go backwards. */
static inline void pass_time(partial_profile *partial, partial_path *path, uint64_t counter)
{
	const uint64_t passed = counter - path->counter;

	if (__builtin_expect((int64_t)passed < 0, 0))
		return;
	partial->nodes[path->top].self += passed;
	path->counter = counter;
}

/* Returns 0 if there is no room. */
static inline int enter(partial_profile *partial, partial_path *path, uint32_t method, uint64_t counter)
{
	const uint32_t child = find_child(partial, path->top, method);

	if (__builtin_expect(child == PARTIAL_NONE, 0))
		return 0;
	pass_time(partial, path, counter);
	partial->nodes[child].calls++;
	path->below = path->top;
	path->top = child;
	return 1;
}

static inline int leave_top(partial_profile *partial, partial_path *path, uint64_t counter)
{
	if (__builtin_expect(path->below == PARTIAL_NONE, 0)) {
		path->below = reach_frame(partial, path->top);
		if (path->below == PARTIAL_NONE)
			return 0;
	}
	pass_time(partial, path, counter);
	path->top = path->below;
	path->below = partial->nodes[path->top].parent;
	return 1;
}

static inline partial_step leave_implicit(partial_profile *partial, partial_path *path, uint64_t counter)
{
	path->implicit_leaves++;
	return leave_top(partial, path, counter) ? PARTIAL_ADDED : PARTIAL_FULL;
}

static inline partial_step leave(partial_profile *partial, partial_path *path, uint32_t method, uint64_t counter)
{
	partial_node *top = &partial->nodes[path->top];

	if (__builtin_expect(top->method != method || method == PARTIAL_UNKNOWN, 0)) {
		/* Another method than that on top: what it ends depends on the stack. */
		if (top->parent != PARTIAL_NONE || method == PARTIAL_UNKNOWN)
			return PARTIAL_OTHER;
		top->method = method;
	}
	path->leaves++;
	return leave_top(partial, path, counter) ? PARTIAL_ADDED : PARTIAL_FULL;
}

static inline int is_same(const partial_allocation *one, const partial_allocation *other)
{
	return one->class_id == other->class_id && one->node == other->node && one->stack == other->stack &&
	       one->caller == other->caller && one->is_unsized == other->is_unsized;
}

/* Finds or adds sums with the node, class and site of \p wanted. Returns NULL if there is no room. */
static partial_allocation *find_allocation(partial_profile *partial, const partial_allocation *wanted)
{
	const uint32_t block = partial->scratch->block << 16;
	uint32_t *set = partial->scratch->allocation_cache[hash_of_allocation(wanted)];

	for (size_t way = 0; way < PARTIAL_WAYS; way++) {
		const uint32_t number = set[way] - block;

		if (number <= UINT16_MAX && is_same(&partial->allocations[number], wanted))
			return &partial->allocations[number];
	}
	if (partial->allocation_count == PARTIAL_ALLOCATIONS)
		return NULL;
	cache_number(set, block, (uint32_t)partial->allocation_count);
	partial->allocations[partial->allocation_count] = *wanted;
	return &partial->allocations[partial->allocation_count++];
}

/* An allocation has no time of its own, and no time passes until then. */
static inline partial_step allocate(partial_profile *partial, const partial_path *path, uint32_t class_id,
				    uint32_t stack, uint32_t caller, uint64_t size)
{
	const partial_allocation wanted = {.node = path->top,
					   .class_id = class_id,
					   .stack = stack,
					   .caller = caller,
					   .is_unsized = size == EVENT_SIZE_UNKNOWN};
	partial_allocation *found = find_allocation(partial, &wanted);

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
static int begin_time(partial_profile *partial, uint64_t counter)
{
	if ((int64_t)(counter - partial->base_counter) < 0)
		return 0;
	partial->counter = counter;
	current_run(partial)->start_counter = counter;
	return 1;
}

/* As begin_time(), for an event of any kind. The time before a gap belongs to the stack, and that in it does not. */
static int begin_event_time(partial_profile *partial, const mprof_event *event)
{
	return event_has_time(event) && event->kind != MPROF_EVENT_RECORDING_RESUMED &&
	       begin_time(partial, event->counter);
}

static partial_path begin_path(const partial_profile *partial)
{
	const partial_run *run = &partial->runs[partial->run_count - 1];
	const partial_path path = {run->top, partial->nodes[run->top].parent, partial->counter, run->leaves,
				   run->implicit_leaves};

	return path;
}

static void end_path(partial_profile *partial, partial_path path)
{
	partial_run *run = current_run(partial);

	run->top = path.top;
	run->leaves = path.leaves;
	run->implicit_leaves = path.implicit_leaves;
	run->node_end = partial->node_count;
	run->allocation_end = partial->allocation_count;
	run->end_counter = path.counter;
	partial->counter = path.counter;
}

/*
 * Ends the run, keeps an event that is not part of it, and begins the next one. Returns 0 if there is no room. Callers
 * pass a copy of their path, which is in registers otherwise.
 */
static int add_row(partial_profile *partial, partial_path *path, const mprof_event *event)
{
	const size_t number = partial->run_count - 1;

	if (event->kind == MPROF_EVENT_ALLOCATION && event->value == EVENT_SIZE_UNKNOWN)
		return 0;
	end_path(partial, *path);
	if ((int64_t)(event->counter - partial->counter) > 0)
		partial->counter = event->counter;
	if (!begin_run(partial))
		return 0;
	partial->rows[number] = *event;
	if (event->more.detail != NULL) {
		partial->details[number] = *event->more.detail;
		partial->rows[number].more.detail = &partial->details[number];
	}
	*path = begin_path(partial);
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
static __attribute__((noinline)) int add_column_row(partial_profile *partial, partial_path *path,
						    partial_cursor *cursor)
{
	mprof_event event;

	if (*cursor->symbol == MPROF_SYMBOL_ROW)
		return add_row(partial, path, cursor->row++);
	memset(&event, 0, sizeof(event));
	event.kind = *cursor->symbol == MPROF_SYMBOL_ENTER ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE;
	event.id = *cursor->method++;
	event.counter = *cursor->time++;
	return add_row(partial, path, &event);
}

static inline partial_step add_column_allocation(partial_profile *partial, const partial_path *path,
						 const mprof_columns *columns, size_t index)
{
	return allocate(partial, path, columns->classes[index], columns->stacks[index], columns->callers[index],
			columns->sizes[index]);
}

/* As begin_time(), for the first batch of columns of a block. Events without a time are allocations. */
static int begin_column_times(partial_profile *partial, const mprof_columns *columns)
{
	const size_t most = columns->event_count < MOST_UNTIMED ? columns->event_count : MOST_UNTIMED;

	for (size_t i = 0; i < most; i++) {
		switch (columns->symbols[i]) {
		case MPROF_SYMBOL_ALLOCATION:
			break;
		case MPROF_SYMBOL_ROW:
			partial->first_counter = i == 0 ? columns->rows[0].counter : columns->start_counter;
			return begin_event_time(partial, &columns->rows[0]);
		default:
			partial->first_counter = i == 0 ? columns->times[0] : columns->start_counter;
			return begin_time(partial, columns->times[0]);
		}
	}
	return 0;
}

/* Adds the event at the cursor, which advances if the event is part of the run. The symbol remains. */
static inline __attribute__((always_inline)) partial_step
add_column_event(partial_profile *partial, partial_path *path, const mprof_columns *columns, partial_cursor *cursor)
{
	const uint8_t symbol = *cursor->symbol;
	partial_step result;

	if (symbol == MPROF_SYMBOL_ENTER) {
		if (!enter(partial, path, *cursor->method, *cursor->time))
			return PARTIAL_FULL;
	} else if (symbol == MPROF_SYMBOL_LEAVE_IMPLICIT) {
		return leave_implicit(partial, path, *cursor->time++);
	} else if (symbol == MPROF_SYMBOL_LEAVE) {
		result = leave(partial, path, *cursor->method, *cursor->time);
		if (__builtin_expect(result != PARTIAL_ADDED, 0))
			return result;
	} else if (symbol == MPROF_SYMBOL_ALLOCATION) {
		return add_column_allocation(partial, path, columns, cursor->allocation++);
	} else {
		return PARTIAL_OTHER;
	}
	cursor->method++;
	cursor->time++;
	return PARTIAL_ADDED;
}

static int partial_add_columns(void *state, const mprof_columns *columns)
{
	partial_profile *partial = state;
	partial_cursor cursor = {columns->symbols, columns->methods, columns->times, columns->rows, 0};
	const uint8_t *end = columns->symbols + columns->event_count;
	partial_path path;

	if (partial->event_count == 0 && !begin_column_times(partial, columns))
		return 0;
	partial->event_count += columns->event_count;
	path = begin_path(partial);
	for (; cursor.symbol < end; cursor.symbol++) {
		const partial_step result = add_column_event(partial, &path, columns, &cursor);

		if (__builtin_expect(result != PARTIAL_ADDED, 0)) {
			partial_path row_path = path;
			partial_cursor row_cursor = cursor;

			if (result == PARTIAL_FULL || !add_column_row(partial, &row_path, &row_cursor))
				return 0;
			path = row_path;
			cursor = row_cursor;
		}
	}
	end_path(partial, path);
	return 1;
}

/* Kinds are compared one by one: the branch predictor handles this better than an indirect jump through a table. */
static inline __attribute__((always_inline)) partial_step add_struct(partial_profile *partial, partial_path *path,
								     const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	if (event->kind == MPROF_EVENT_METHOD_ENTER)
		return enter(partial, path, event->id, event->counter) ? PARTIAL_ADDED : PARTIAL_FULL;
	if (event->kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
		return leave_implicit(partial, path, event->counter);
	if (event->kind == MPROF_EVENT_METHOD_LEAVE)
		return leave(partial, path, event->id, event->counter);
	if (event->kind != MPROF_EVENT_ALLOCATION)
		return PARTIAL_OTHER;
	return allocate(partial, path, event->id, detail != NULL ? detail->stack : 0,
			detail != NULL ? detail->caller : 0, event->value);
}

/* As begin_time(), for the first batch of structs of a block. */
static int begin_struct_times(partial_profile *partial, const mprof_event *events, size_t count)
{
	const size_t most = count < MOST_UNTIMED ? count : MOST_UNTIMED;

	partial->first_counter = events[0].counter;
	for (size_t i = 0; i < most; i++) {
		if (events[i].kind != MPROF_EVENT_ALLOCATION)
			return begin_event_time(partial, &events[i]);
	}
	return 0;
}

static int partial_add_events(void *state, const mprof_event *events, size_t count)
{
	partial_profile *partial = state;
	partial_path path;

	if (partial->event_count == 0 && !begin_struct_times(partial, events, count))
		return 0;
	partial->event_count += count;
	path = begin_path(partial);
	for (size_t i = 0; i < count; i++) {
		const partial_step result = add_struct(partial, &path, &events[i]);

		if (__builtin_expect(result != PARTIAL_ADDED, 0)) {
			partial_path row_path = path;

			if (result == PARTIAL_FULL || !add_row(partial, &row_path, &events[i]))
				return 0;
			path = row_path;
		}
	}
	end_path(partial, path);
	return 1;
}

const event_visitor partial_profile_visitor = {
	.state_size = sizeof(partial_profile),
	.scratch_size = sizeof(partial_scratch),
	.columns = PARTIAL_COLUMNS,
	.init = partial_init,
	.begin = partial_begin,
	.add_columns = partial_add_columns,
	.add_events = partial_add_events,
};
