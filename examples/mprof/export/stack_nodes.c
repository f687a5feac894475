/* SPDX-License-Identifier: MIT */
/* Builds a tree of frames with values. */
#include "export/stack_nodes.h"

#include "common/elements.h"
#include "shared/hash.h"

#include <stdlib.h>
#include <string.h>

/* An entry of the maps. */
typedef struct index_entry {
	uint64_t hash;
	uint64_t next; /* 1 + the index; 0 for a new entry. */
} index_entry;

static uint64_t mix_text(uint64_t hash, const char *text)
{
	if (text == NULL)
		return hash_mix(hash, 1);
	for (; *text != '\0'; text++)
		hash = hash_mix(hash, (unsigned char)*text);
	return hash_mix(hash, 0);
}

/*
 * The start of the last component of a name, which is a class, or of the last but one, so that it is a class and a
 * method. What is in brackets does not count.
 */
static const char *skip_namespaces(const char *name, const char *end, int is_class)
{
	const char *last = name;
	const char *last_but_one = name;
	int depth = 0;

	for (const char *at = name; at < end; at++) {
		if (*at == '<' || *at == '[' || *at == '(')
			depth++;
		else if (*at == '>' || *at == ']' || *at == ')')
			depth--;
		else if (*at == '.' && depth == 0 && at > name && at[-1] != '.') {
			last_but_one = last;
			last = at + 1;
		}
	}
	return is_class ? last : last_but_one;
}

/* A name of a method or class without its namespaces and arguments; other names as they are. The caller frees it. */
static char *make_short_name(const stack_frame *frame)
{
	const char *start = frame->name;
	const char *end = start + strlen(start);
	const char *slash = strrchr(start, '/');

	if (frame->kind == STACK_FRAME_MODULE && slash != NULL)
		return strdup(slash + 1);
	if ((frame->kind != STACK_FRAME_METHOD && frame->kind != STACK_FRAME_FIELD &&
	     frame->kind != STACK_FRAME_CLASS) ||
	    start[0] == '(')
		return strdup(start);
	if (frame->kind == STACK_FRAME_METHOD && strstr(start, " (") != NULL)
		end = strstr(start, " (");
	start = skip_namespaces(start, end, frame->kind == STACK_FRAME_CLASS);
	return strndup(start, (size_t)(end - start));
}

static int copy_text(const char **copy, const char *text)
{
	*copy = text != NULL ? strdup(text) : NULL;
	return text == NULL || *copy != NULL;
}

static void release_frame(const stack_frame *frame)
{
	free((char *)frame->name);
	free((char *)frame->short_name);
	free((char *)frame->file);
	free((char *)frame->module);
}

static int add_frame(stack_tree *tree, const stack_frame *wanted)
{
	void *frames = tree->frames;
	stack_frame *frame;
	int is_copied;

	if (!elements_reserve(&frames, &tree->frame_capacity, tree->frame_count, sizeof(*tree->frames)))
		return 0;
	tree->frames = frames;
	frame = &tree->frames[tree->frame_count];
	*frame = *wanted;
	is_copied = copy_text(&frame->name, wanted->name);
	is_copied &= copy_text(&frame->file, wanted->file);
	is_copied &= copy_text(&frame->module, wanted->module);
	frame->short_name = make_short_name(wanted);
	if (!is_copied || frame->short_name == NULL) {
		release_frame(frame);
		return 0;
	}
	tree->frame_count++;
	return 1;
}

static int is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static int is_named(const stack_frame *frame)
{
	return frame->id == 0 || frame->kind >= STACK_FRAME_HEAP_ROOT;
}

static int is_same_frame(const stack_frame *a, const stack_frame *b)
{
	if (a->kind != b->kind || a->id != b->id || a->flags != b->flags)
		return 0;
	return !is_named(a) || (a->line == b->line && is_same_text(a->name, b->name) &&
				is_same_text(a->file, b->file) && is_same_text(a->module, b->module));
}

/* Colliding hashes get the following numbers. */
int stack_nodes_frame(stack_tree *tree, const stack_frame *wanted, uint32_t *frame)
{
	uint64_t hash = hash_mix(hash_mix(hash_mix(0, wanted->kind), wanted->id), wanted->flags);
	index_entry *entry;

	if (is_named(wanted))
		hash = mix_text(hash_mix(hash, wanted->line), wanted->name);
	for (;; hash++) {
		entry = key_map_put(&tree->frame_indexes, hash);
		if (entry == NULL)
			return 0;
		if (entry->next == 0)
			break;
		*frame = (uint32_t)(entry->next - 1);
		if (is_same_frame(&tree->frames[*frame], wanted))
			return 1;
	}
	if (!add_frame(tree, wanted))
		return 0;
	entry->next = tree->frame_count;
	*frame = (uint32_t)(tree->frame_count - 1);
	return 1;
}

static int add_node(stack_tree *tree, uint32_t parent, uint32_t frame)
{
	void *nodes = tree->nodes;

	if (!elements_reserve(&nodes, &tree->node_capacity, tree->node_count, sizeof(*tree->nodes)))
		return 0;
	tree->nodes = nodes;
	tree->nodes[tree->node_count] = (stack_node){.frame = frame, .parent = parent};
	if (tree->node_count > 0)
		tree->nodes[tree->node_count].depth = tree->nodes[parent].depth + 1;
	tree->node_count++;
	return 1;
}

static int is_too_deep(const stack_tree *tree, uint32_t parent, uint32_t frame)
{
	return tree->max_depth != 0 && tree->nodes[parent].depth >= tree->max_depth &&
	       tree->frames[frame].kind != STACK_FRAME_CLASS;
}

int stack_nodes_child(stack_tree *tree, uint32_t parent, uint32_t frame, uint32_t *child)
{
	index_entry *entry;

	if (is_too_deep(tree, parent, frame)) {
		tree->is_folded = 1;
		if (!stack_nodes_frame(tree, &(stack_frame){.kind = STACK_FRAME_NOTE, .name = "(deeper frames)"},
				       &frame))
			return 0;
		if (tree->nodes[parent].depth > tree->max_depth) {
			*child = parent;
			return 1;
		}
	}
	entry = key_map_put(&tree->node_indexes, (uint64_t)parent << 32 | frame);
	if (entry == NULL)
		return 0;
	if (entry->next == 0) {
		if (!add_node(tree, parent, frame))
			return 0;
		entry->next = tree->node_count;
		tree->nodes[entry->next - 1].next_sibling = tree->nodes[parent].first_child;
		tree->nodes[parent].first_child = (uint32_t)(entry->next - 1);
	}
	*child = (uint32_t)(entry->next - 1);
	return 1;
}

int stack_nodes_init(stack_tree *tree, export_value value, uint32_t max_depth)
{
	uint32_t root;

	memset(tree, 0, sizeof(*tree));
	tree->value = value;
	tree->max_depth = max_depth;
	tree->unit = export_value_unit(value);
	tree->frame_indexes.value_size = sizeof(index_entry) - sizeof(uint64_t);
	tree->node_indexes.value_size = sizeof(index_entry) - sizeof(uint64_t);
	return stack_nodes_frame(tree, &(stack_frame){.kind = STACK_FRAME_ROOT, .name = "all"}, &root) &&
	       add_node(tree, 0, root);
}

void stack_nodes_finish(stack_tree *tree)
{
	for (size_t i = 0; i < tree->node_count; i++)
		tree->nodes[i].total = tree->nodes[i].self;
	/* A node is after its parent. */
	for (size_t i = tree->node_count; i-- > 1;)
		tree->nodes[tree->nodes[i].parent].total += tree->nodes[i].total;
	key_map_clear(&tree->frame_indexes);
	key_map_clear(&tree->node_indexes);
}

void stack_nodes_release(stack_tree *tree)
{
	for (size_t i = 0; i < tree->frame_count; i++)
		release_frame(&tree->frames[i]);
	free(tree->frames);
	free(tree->nodes);
	key_map_clear(&tree->frame_indexes);
	key_map_clear(&tree->node_indexes);
}
