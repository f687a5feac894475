/* SPDX-License-Identifier: MIT */
#include "model/call_stack.h"

#include <string.h>

/*
 * A leave that matches no frame makes us look at the whole stack. Logs of programs stay far below this sum over the
 * log; one made to be slow to read does not: from there on only the frames near the top are looked at.
 */
#define MAX_FRUITLESS_STEPS (UINT64_C(1) << 28)
#define NEAR_FRAMES 64

int call_model_init(call_model *model, const mprof_allocator *allocator, record_table *methods, int keeps_tree,
		    uint32_t max_depth)
{
	memset(model, 0, sizeof(*model));
	model->methods = methods;
	model->keeps_tree = keeps_tree;
	model->max_depth = max_depth;
	return call_tree_init(&model->tree, allocator);
}

void call_model_destroy(call_model *model)
{
	call_tree_destroy(&model->tree);
}

void call_stack_init(call_stack *stack, const call_model *model)
{
	memset(stack, 0, sizeof(*stack));
	stack->needs_care = !model->keeps_tree;
	hash_map_init(&stack->live, &model->tree.allocator);
}

void call_stack_destroy(call_stack *stack)
{
	hash_map_destroy(&stack->live);
}

/* A call too deep to have a frame of its own: its time goes to the frame below it, the call itself is counted. */
static int fold(call_model *model, call_stack *stack, uint32_t method)
{
	method_record *record = record_table_get(model->methods, method);

	if (record == NULL)
		return 0;
	record->closed.calls++;
	stack->folded++;
	stack->needs_care = 1;
	return 1;
}

static uint32_t take_node(call_model *model, uint32_t parent, uint32_t method)
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

static void give_node_back(call_model *model, uint32_t number)
{
	model->tree.nodes[number].next_sibling = model->free_node;
	model->free_node = number;
}

/* Without a call tree. Whatever popping will need is made ready now, so that popping cannot fail. */
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
	node = take_node(model, stack->top, method);
	if (node != CALL_TREE_ROOT)
		++*frames;
	return node;
}

int call_stack_enter_carefully(call_model *model, call_stack *stack, uint32_t method)
{
	uint32_t node;

	if (model->tree.nodes[stack->top].depth >= model->max_depth)
		return fold(model, stack, method);
	if (model->keeps_tree)
		node = call_tree_child(&model->tree, stack->top, method);
	else
		node = push_private_node(model, stack, method);
	if (node == CALL_TREE_ROOT)
		return 0;
	model->tree.nodes[node].calls++;
	stack->top = node;
	return 1;
}

/* Without a call tree: what the node gathered goes to its method. */
static void close_private_node(call_model *model, call_stack *stack, uint32_t number)
{
	call_node *node = &model->tree.nodes[number];
	uint64_t *frames = hash_map_get(&stack->live, node->method);
	method_record *record = record_table_get(model->methods, node->method);

	node->total += node->self;
	model->tree.nodes[node->parent].total += node->total;
	record->closed.calls++;
	record->closed.self += node->self;
	if (--*frames == 0)
		record->closed.total += node->total;
	give_node_back(model, number);
}

static void set_care(const call_model *model, call_stack *stack)
{
	stack->needs_care = !model->keeps_tree || stack->folded > 0 || stack->compilations > 0;
}

static void pop(call_model *model, call_stack *stack)
{
	uint32_t top = stack->top;

	stack->top = model->tree.nodes[top].parent;
	if (model->tree.nodes[top].is_compiling) {
		stack->compilations--;
		set_care(model, stack);
	}
	if (!model->keeps_tree)
		close_private_node(model, stack, top);
}

/* The frame of a method, or of its compilation, nearest to the top, or the root. */
static uint32_t find_frame(call_model *model, const call_stack *stack, uint32_t method, uint32_t is_compiling)
{
	const call_node *nodes = model->tree.nodes;
	uint32_t node = stack->top;
	uint64_t steps = 0;

	while (node != CALL_TREE_ROOT && (nodes[node].method != method || nodes[node].is_compiling != is_compiling)) {
		if (++steps > NEAR_FRAMES && model->fruitless_steps > MAX_FRUITLESS_STEPS)
			return CALL_TREE_ROOT;
		node = nodes[node].parent;
	}
	if (node == CALL_TREE_ROOT)
		model->fruitless_steps += steps;
	return node;
}

/* Returns 1 if the leave was one of a frame that is folded. Which one is not known, so each leave takes one. */
static int unfold(const call_model *model, call_stack *stack)
{
	if (stack->folded == 0)
		return 0;
	stack->folded--;
	set_care(model, stack);
	return 1;
}

void call_stack_leave_carefully(call_model *model, call_stack *stack, uint32_t method)
{
	uint32_t frame;

	if (unfold(model, stack))
		return;
	frame = find_frame(model, stack, method, 0);
	if (frame == CALL_TREE_ROOT) {
		model->unmatched_leaves++;
		return;
	}
	while (stack->top != frame)
		pop(model, stack);
	pop(model, stack);
}

int call_stack_begin_compilation(call_model *model, call_stack *stack, uint32_t method)
{
	uint32_t node;

	if (model->tree.nodes[stack->top].depth >= model->max_depth)
		return 1;
	node = call_tree_compilation(&model->tree, stack->top, method);
	if (node == CALL_TREE_ROOT)
		return 0;
	stack->top = node;
	stack->compilations++;
	stack->needs_care = 1;
	return 1;
}

void call_stack_end_compilation(call_model *model, call_stack *stack, uint32_t method)
{
	uint32_t frame;

	if (stack->compilations == 0)
		return;
	frame = find_frame(model, stack, method, 1);
	if (frame == CALL_TREE_ROOT)
		return;
	stack->folded = 0;
	while (stack->top != frame)
		pop(model, stack);
	pop(model, stack);
}

void call_stack_leave_top_carefully(call_model *model, call_stack *stack)
{
	if (unfold(model, stack))
		return;
	while (stack->compilations > 0 && model->tree.nodes[stack->top].is_compiling)
		pop(model, stack);
	if (stack->top == CALL_TREE_ROOT)
		model->unmatched_leaves++;
	else
		pop(model, stack);
}

uint64_t call_stack_clear(call_model *model, call_stack *stack)
{
	uint64_t frames = call_stack_depth(model, stack);

	stack->folded = 0;
	while (stack->top != CALL_TREE_ROOT)
		pop(model, stack);
	set_care(model, stack);
	return frames;
}

uint64_t call_stack_depth(const call_model *model, const call_stack *stack)
{
	return model->tree.nodes[stack->top].depth + stack->folded - stack->compilations;
}
