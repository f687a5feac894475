/* SPDX-License-Identifier: MIT */
/* The calls on a stack, and their times. */
#include "model/records/call_stack.h"

#include "base/allocator.h"

#include <stddef.h>
#include <string.h>

/* After #CALL_FRAMES_MAX_SEARCHED, searches that are not those of leaves visit only this number of inner frames. */
#define NEAR_FRAMES 64

int call_model_init(call_model *model, memory_budget *budget, record_table *methods, int keeps_tree, uint32_t max_depth)
{
	memset(model, 0, sizeof(*model));
	model->methods = methods;
	model->keeps_tree = keeps_tree;
	model->max_depth = max_depth;
	model->counts = 1;
	model->allocator = budget->allocator;
	model->budget = budget;
	call_durations_init(&model->durations, budget, 0);
	/* Without a call tree, the nodes are the stacks, which cannot be folded: they may use the whole budget. */
	return call_tree_init(&model->tree, keeps_tree ? &budget->paths : &budget->allocator);
}

void call_model_destroy(call_model *model)
{
	call_tree_destroy(&model->tree);
	call_durations_destroy(&model->durations);
}

void call_stack_init(call_stack *stack, const call_model *model)
{
	memset(stack, 0, sizeof(*stack));
	stack->needs_slow_path = !model->keeps_tree;
	hash_map_init(&stack->live, &model->tree.allocator);
}

void call_stack_destroy(call_stack *stack)
{
	allocator_release(&stack->live.index.allocator, stack->frames, stack->frame_capacity * sizeof(*stack->frames));
	allocator_release(&stack->live.index.allocator, stack->open, stack->open_capacity * sizeof(*stack->open));
	call_frames_release(&stack->deeper, &stack->live.index.allocator, sizeof(uint32_t));
	stack->open = NULL;
	stack->open_capacity = 0;
	stack->frames = NULL;
	stack->frame_count = 0;
	stack->frame_capacity = 0;
	hash_map_destroy(&stack->live);
}

/* Ends a list of methods. Links are record indices plus 1. */
#define LAST_METHOD UINT32_MAX

static void link_method(const call_model *model, uint32_t *first, uint32_t *next, const method_record *record)
{
	if (*next != 0)
		return;
	*next = *first != 0 ? *first : LAST_METHOD;
	*first = (uint32_t)(record - (const method_record *)model->methods->records) + 1;
}

void call_model_mark_changed(call_model *model, method_record *record)
{
	link_method(model, &model->changed, &record->next_changed, record);
}

call_sums *call_model_open_sums(call_model *model, method_record *record)
{
	link_method(model, &model->open, &record->next_open, record);
	return &record->open;
}

/* Removes the first method from a list; NULL if it is empty. */
static method_record *unlink_method(const call_model *model, uint32_t *first, size_t link_offset)
{
	method_record *record;
	uint32_t *next;

	if (*first == 0 || *first == LAST_METHOD)
		return NULL;
	record = record_table_at(model->methods, *first - 1);
	next = (uint32_t *)((unsigned char *)record + link_offset);
	*first = *next;
	*next = 0;
	return record;
}

static void show_sums(call_sums *shown, call_sums *sums)
{
	const call_sums nothing = {0, 0, 0};

	shown->calls += sums->calls;
	shown->total += sums->total;
	shown->self += sums->self;
	*sums = nothing;
}

void call_model_show_methods(call_model *model, progress *going)
{
	const call_sums nothing = {0, 0, 0};
	method_record *record;

	while ((record = unlink_method(model, &model->open, offsetof(method_record, next_open))) != NULL) {
		(void)progress_step(going);
		record->open = nothing;
	}
	while ((record = unlink_method(model, &model->changed, offsetof(method_record, next_changed))) != NULL) {
		(void)progress_step(going);
		show_sums(&record->shown, &record->counted);
		show_sums(&record->shown, &record->closed);
		record->shown_jit += record->jit;
		record->jit = 0;
	}
	model->open = 0;
	model->changed = 0;
	model->shown_at_root = model->folded_at_root;
}

void call_model_forget_counts(call_model *model)
{
	const call_sums nothing = {0, 0, 0};

	for (uint32_t link = model->changed; link != 0 && link != LAST_METHOD;) {
		method_record *record = record_table_at(model->methods, link - 1);

		record->counted = nothing;
		record->active = 0;
		link = record->next_changed;
	}
}

/* The sums that are added to a method directly. */
static call_sums *closed_sums(call_model *model, method_record *record)
{
	call_model_mark_changed(model, record);
	return &record->closed;
}

/* Stores the method of a call above the maximum depth, so that its leave is recognized. Returns 0 if out of memory. */
static int push_deeper(const call_model *model, call_stack *stack, uint32_t method)
{
	call_frames *deeper = &stack->deeper;

	if (stack->folded > deeper->depth || deeper->depth + 1 >= CALL_FRAMES_MAX)
		return 1;
	if (!call_frames_make_room(deeper, &model->allocator, sizeof(method), CALL_FRAMES_MAX))
		return memory_budget_is_exceeded(model->budget);
	((uint32_t *)deeper->frames)[deeper->depth++] = method;
	return 1;
}

/* Enters a call that exceeds the maximum depth: the call is counted, and its time goes to the frame below it. */
static int fold_call(call_model *model, call_stack *stack, uint32_t method)
{
	method_record *record = record_table_get(model->methods, method);

	if (record == NULL && !memory_budget_is_exceeded(model->budget))
		return 0;
	if (!push_deeper(model, stack, method))
		return 0;
	if (record != NULL)
		closed_sums(model, record)->calls += model->counts;
	else
		model->left_out++;
	stack->folded++;
	stack->needs_slow_path = 1;
	return 1;
}

static void update_slow_path(const call_model *model, call_stack *stack)
{
	stack->needs_slow_path =
		!model->keeps_tree || stack->folded > 0 || stack->compilations > 0 || stack->frame_count > 0;
}

/* Whether a method has a frame on the stack. */
static int is_on_stack(const call_model *model, const call_stack *stack, uint32_t method)
{
	const call_node *nodes = model->tree.nodes;

	for (size_t i = stack->frame_count; i > 0; i--) {
		if (stack->frames[i - 1].method == method)
			return 1;
	}
	for (uint32_t node = stack->top; node != CALL_TREE_ROOT; node = nodes[node].parent) {
		if (nodes[node].method == method && !nodes[node].is_compiling)
			return 1;
	}
	return 0;
}

/* Whether the sums of a node belong to a method. */
static int has_method(const call_model *model, uint32_t node)
{
	return node != CALL_TREE_ROOT && !model->tree.nodes[node].is_compiling;
}

static method_record *method_of(const call_model *model, uint32_t node)
{
	return record_table_get(model->methods, model->tree.nodes[node].method);
}

/*
 * Enters a call for whose node there was no memory. Everything that popping needs is allocated now, so that popping
 * cannot fail.
 */
static int push_folded_frame(call_model *model, call_stack *stack, uint32_t method)
{
	void *frames = stack->frames;
	method_record *record;
	folded_frame *frame;

	if ((has_method(model, stack->top) && method_of(model, stack->top) == NULL) ||
	    !array_reserve(&model->allocator, &frames, &stack->frame_capacity, stack->frame_count + 1,
			   sizeof(*stack->frames)))
		return 0;
	stack->frames = frames;
	record = record_table_get(model->methods, method);
	if (record == NULL)
		return 0;
	frame = &stack->frames[stack->frame_count];
	frame->method = method;
	frame->is_outermost = (uint32_t)!is_on_stack(model, stack, method);
	frame->start = stack->folded_time;
	frame->open.time = stack->time;
	frame->open.counter = model->durations.counter;
	frame->inner = 0;
	stack->frame_count++;
	stack->needs_slow_path = 1;
	closed_sums(model, record)->calls += model->counts;
	model->folded_calls += model->counts;
	return 1;
}

static void pop_folded_frame(call_model *model, call_stack *stack)
{
	const folded_frame *frame = &stack->frames[--stack->frame_count];
	method_record *record = record_table_get(model->methods, frame->method);
	uint64_t duration = stack->folded_time - frame->start;

	closed_sums(model, record)->self += duration - frame->inner;
	if (frame->is_outermost)
		record->closed.total += duration;
	if (stack->frame_count > 0) {
		stack->frames[stack->frame_count - 1].inner += duration;
		return;
	}
	/* The time is in the sums of the node below, which the tree will add to that node's method. */
	if (has_method(model, stack->top))
		closed_sums(model, method_of(model, stack->top))->self -= duration;
	stack->folded_time = 0;
	update_slow_path(model, stack);
}

void call_stack_show_folded(call_model *model, const call_stack *stack)
{
	uint64_t inner = 0;
	call_sums *open;

	if (stack->frame_count == 0)
		return;
	if (stack->top == CALL_TREE_ROOT)
		model->shown_at_root += stack->extension;
	for (size_t i = stack->frame_count; i > 0; i--) {
		const folded_frame *frame = &stack->frames[i - 1];
		uint64_t duration = stack->folded_time + stack->extension - frame->start;

		open = call_model_open_sums(model, record_table_get(model->methods, frame->method));
		open->self += duration - frame->inner - inner;
		if (frame->is_outermost)
			open->total += duration;
		inner = duration;
	}
	if (has_method(model, stack->top))
		call_model_open_sums(model, method_of(model, stack->top))->self -= inner;
}

/* Pops all folded frames from index \p count on. */
static void pop_folded_frames(call_model *model, call_stack *stack, size_t count)
{
	while (stack->frame_count > count)
		pop_folded_frame(model, stack);
}

/* Pops folded frames as pop_folded_frames(), at the end of their calls: their durations count. */
static void end_folded_frames(call_model *model, call_stack *stack, size_t count)
{
	while (stack->frame_count > count) {
		const folded_frame *frame = &stack->frames[stack->frame_count - 1];
		const slow_call call = {.duration = stack->time - frame->open.time,
					.start = frame->open.counter,
					.thread = model->durations.thread,
					.node = CALL_TREE_ROOT};

		if (model->durations.is_enabled && model->counts) {
			duration_record *record = call_durations_add(&model->durations, frame->method, call.duration);

			if (record != NULL && frame->is_outermost)
				call_durations_add_slow(&model->durations, record, &call);
		}
		pop_folded_frame(model, stack);
	}
}

/* Ends the calls above the maximum depth from index \p count on. */
static void set_folded(const call_model *model, call_stack *stack, uint64_t count)
{
	if (stack->folded == count)
		return;
	stack->folded = count;
	if (stack->deeper.depth > count)
		stack->deeper.depth = (size_t)count;
	update_slow_path(model, stack);
}

/* Closes the topmost folded frame of a method, with those above it. Returns 0 if the method has no such frame. */
static int leave_folded_frame(call_model *model, call_stack *stack, uint32_t method)
{
	for (size_t i = stack->frame_count; i > 0; i--) {
		if (stack->frames[i - 1].method == method) {
			set_folded(model, stack, 0);
			end_folded_frames(model, stack, i - 1);
			return 1;
		}
	}
	return 0;
}

static uint32_t allocate_node(call_model *model, uint32_t parent, uint32_t method)
{
	uint32_t number = model->free_node;
	call_node *node;

	if (number == 0)
		return call_tree_append(&model->tree, parent, method);
	node = &model->tree.nodes[number];
	model->free_node = node->next_sibling;
	memset(node, 0, sizeof(*node));
	node->method = method;
	node->parent = parent;
	node->depth = model->tree.nodes[parent].depth + 1;
	return number;
}

static void release_node(call_model *model, uint32_t number)
{
	model->tree.nodes[number].next_sibling = model->free_node;
	model->free_node = number;
}

/*
 * Adds the node of a call if there is no call tree. Everything that popping needs is allocated now, so that popping
 * cannot fail.
 */
static uint32_t push_private_node(call_model *model, call_stack *stack, uint32_t method)
{
	uint64_t *frames = hash_map_get(&stack->live, method);
	uint32_t node;

	if (record_table_get(model->methods, method) == NULL)
		return CALL_TREE_ROOT;
	if (frames == NULL) {
		if (!hash_map_put(&stack->live, method, 0))
			return CALL_TREE_ROOT;
		frames = hash_map_get(&stack->live, method);
	}
	node = allocate_node(model, stack->top, method);
	if (node == CALL_TREE_ROOT)
		return CALL_TREE_ROOT;
	++*frames;
	/* Popping adds its sums to its method, so the node must not be linked into the tree of changed nodes. */
	model->tree.nodes[node].is_changed = 1;
	return node;
}

/* If there is no memory even for a folded frame, the call is treated as one that is too deep. */
static int enter_without_node(call_model *model, call_stack *stack, uint32_t method)
{
	if (model->keeps_tree && push_folded_frame(model, stack, method))
		return 1;
	if (!memory_budget_is_exceeded(model->budget))
		return 0;
	model->left_out++;
	return fold_call(model, stack, method);
}

/* Makes room for the open calls up to a depth, if durations are measured. Returns 0 if there is no memory. */
static int reserve_open(const call_model *model, call_stack *stack, size_t depth)
{
	void *open = stack->open;
	int is_reserved =
		!model->durations.is_enabled ||
		array_reserve(&stack->live.index.allocator, &open, &stack->open_capacity, depth, sizeof(*stack->open));

	stack->open = open;
	return is_reserved;
}

int call_stack_enter_slow(call_model *model, call_stack *stack, uint32_t method)
{
	size_t depth = model->tree.nodes[stack->top].depth;
	uint32_t node;

	if (depth + stack->frame_count >= model->max_depth)
		return fold_call(model, stack, method);
	if (stack->frame_count > 0)
		return enter_without_node(model, stack, method);
	if (!reserve_open(model, stack, depth + 1))
		return memory_budget_is_exceeded(model->budget) && enter_without_node(model, stack, method);
	if (model->keeps_tree)
		node = call_tree_child(&model->tree, stack->top, method);
	else
		node = push_private_node(model, stack, method);
	if (node == CALL_TREE_ROOT)
		return memory_budget_is_exceeded(model->budget) && enter_without_node(model, stack, method);
	if (model->keeps_tree)
		model->cached[call_model_cache_index(stack->top, method)] = node;
	call_tree_mark_changed(&model->tree, node);
	model->tree.nodes[node].calls += model->counts;
	stack->top = node;
	if (model->durations.is_enabled) {
		stack->open[depth].time = stack->time;
		stack->open[depth].counter = model->durations.counter;
	}
	return 1;
}

/* Without a call tree: adds the sums of the node to its method. */
static void close_private_node(call_model *model, call_stack *stack, uint32_t number)
{
	call_node *node = &model->tree.nodes[number];
	uint64_t *frames = hash_map_get(&stack->live, node->method);
	method_record *record = record_table_get(model->methods, node->method);

	node->total += node->self;
	model->tree.nodes[node->parent].total += node->total;
	closed_sums(model, record)->calls += node->calls;
	record->closed.self += node->self;
	if (--*frames == 0)
		record->closed.total += node->total;
	release_node(model, number);
}

static void pop_node(call_model *model, call_stack *stack)
{
	uint32_t top = stack->top;

	stack->top = model->tree.nodes[top].parent;
	if (model->tree.nodes[top].is_compiling) {
		stack->compilations--;
		update_slow_path(model, stack);
	}
	if (!model->keeps_tree)
		close_private_node(model, stack, top);
}

/* Whether the method of a node is also further down on the stack. Past the bound of searches the answer is no. */
static int is_recursive(call_model *model, uint32_t number)
{
	const call_node *nodes = model->tree.nodes;
	uint64_t steps = 0;

	for (uint32_t node = nodes[number].parent; node != CALL_TREE_ROOT; node = nodes[node].parent) {
		if (nodes[node].method == nodes[number].method && !nodes[node].is_compiling)
			return 1;
		if (++steps > NEAR_FRAMES && model->searched_otherwise > CALL_FRAMES_MAX_SEARCHED)
			return 0;
	}
	model->searched_otherwise += steps > NEAR_FRAMES ? steps : 0;
	return 0;
}

void call_stack_keep_slow(call_model *model, duration_record *record, uint32_t number, const slow_call *call)
{
	if (!is_recursive(model, number))
		call_durations_add_slow(&model->durations, record, call);
}

/* Pops a node at the end of its call. */
static void end_node(call_model *model, call_stack *stack)
{
	const call_node *node = &model->tree.nodes[stack->top];

	if (model->durations.is_enabled && model->counts && !node->is_compiling)
		call_stack_measure(model, stack->top, &stack->open[node->depth - 1], stack->time);
	pop_node(model, stack);
}

/* The topmost node of a method, the root if none. Adds the number of nodes visited. */
static uint32_t find_node(const call_model *model, const call_stack *stack, uint32_t method, uint64_t *visited)
{
	const call_node *nodes = model->tree.nodes;
	uint32_t node = stack->top;

	for (; node != CALL_TREE_ROOT && (nodes[node].method != method || nodes[node].is_compiling); ++*visited)
		node = nodes[node].parent;
	return node;
}

/* The topmost node of the compilation of a method, the root if none is found. */
static uint32_t find_compilation(call_model *model, const call_stack *stack, uint32_t method)
{
	const call_node *nodes = model->tree.nodes;
	uint32_t node = stack->top;
	uint64_t steps = 0;

	while (node != CALL_TREE_ROOT && (nodes[node].method != method || !nodes[node].is_compiling)) {
		if (++steps > NEAR_FRAMES && model->searched_otherwise > CALL_FRAMES_MAX_SEARCHED)
			return CALL_TREE_ROOT;
		node = nodes[node].parent;
	}
	if (node == CALL_TREE_ROOT)
		model->searched_otherwise += steps;
	return node;
}

/* Ends calls above the maximum depth, if there are any. Returns 0 if the method has no such call. */
static int leave_folded_call(const call_model *model, call_stack *stack, uint32_t method)
{
	size_t found;

	/* Where the methods of the innermost calls are not stored, each leave ends one of these. */
	if (stack->folded > stack->deeper.depth) {
		set_folded(model, stack, stack->folded - 1);
		return 1;
	}
	found = call_frames_find(&stack->deeper, sizeof(method), method);
	if (found > 0)
		set_folded(model, stack, found - 1);
	return found > 0;
}

/* A leave of a method that is not open changes nothing, but not for ever: see #CALL_FRAMES_MAX_SEARCHED. */
static void note_unmatched(call_model *model, call_stack *stack, uint64_t visited)
{
	model->unmatched_leaves += model->counts;
	model->searched += visited + stack->frame_count + stack->deeper.depth;
	if (model->searched > CALL_FRAMES_MAX_SEARCHED)
		model->interrupted_frames += model->counts * call_stack_clear(model, stack);
}

void call_stack_leave_slow(call_model *model, call_stack *stack, uint32_t method)
{
	uint64_t visited = 0;
	uint32_t node;

	if (leave_folded_call(model, stack, method) || leave_folded_frame(model, stack, method))
		return;
	node = find_node(model, stack, method, &visited);
	if (node == CALL_TREE_ROOT) {
		note_unmatched(model, stack, visited);
		return;
	}
	set_folded(model, stack, 0);
	end_folded_frames(model, stack, 0);
	while (stack->top != node)
		end_node(model, stack);
	end_node(model, stack);
}

int call_stack_begin_compilation(call_model *model, call_stack *stack, uint32_t method)
{
	uint32_t node;

	if (model->tree.nodes[stack->top].depth >= model->max_depth || stack->frame_count > 0)
		return 1;
	if (!reserve_open(model, stack, model->tree.nodes[stack->top].depth + 1))
		return memory_budget_is_exceeded(model->budget);
	node = call_tree_compilation(&model->tree, stack->top, method);
	if (node == CALL_TREE_ROOT)
		return memory_budget_is_exceeded(model->budget);
	call_tree_mark_changed(&model->tree, node);
	stack->top = node;
	stack->compilations++;
	stack->needs_slow_path = 1;
	return 1;
}

void call_stack_end_compilation(call_model *model, call_stack *stack, uint32_t method)
{
	uint32_t frame;

	if (stack->compilations == 0)
		return;
	frame = find_compilation(model, stack, method);
	if (frame == CALL_TREE_ROOT)
		return;
	set_folded(model, stack, 0);
	end_folded_frames(model, stack, 0);
	while (stack->top != frame)
		end_node(model, stack);
	end_node(model, stack);
}

void call_stack_leave_top_slow(call_model *model, call_stack *stack)
{
	if (stack->folded > 0) {
		set_folded(model, stack, stack->folded - 1);
		return;
	}
	if (stack->frame_count > 0) {
		end_folded_frames(model, stack, stack->frame_count - 1);
		return;
	}
	while (stack->compilations > 0 && model->tree.nodes[stack->top].is_compiling)
		end_node(model, stack);
	if (stack->top == CALL_TREE_ROOT)
		model->unmatched_leaves += model->counts;
	else
		end_node(model, stack);
}

uint64_t call_stack_clear(call_model *model, call_stack *stack)
{
	uint64_t frames = call_stack_depth(model, stack);

	set_folded(model, stack, 0);
	pop_folded_frames(model, stack, 0);
	while (stack->top != CALL_TREE_ROOT)
		pop_node(model, stack);
	update_slow_path(model, stack);
	return frames;
}

uint64_t call_stack_depth(const call_model *model, const call_stack *stack)
{
	return model->tree.nodes[stack->top].depth + stack->frame_count + stack->folded - stack->compilations;
}
