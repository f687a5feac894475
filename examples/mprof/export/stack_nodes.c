/* SPDX-License-Identifier: MIT */
/* Builds a tree of frames with values. */
#include "export/stack_nodes.h"

#include "common/elements.h"
#include "shared/hash.h"

#include <inttypes.h>
#include <stdio.h>
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

/* Room for ":" and a line. */
#define LINE_SIZE 12

static int ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text);
	const size_t size = strlen(end);

	return length >= size && strcmp(text + length - size, end) == 0;
}

static char *shorten_name(const stack_frame *frame)
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

/*
 * A name of a method or class without its namespaces and arguments, but with a line; other names as they are. The
 * caller frees it.
 */
static char *make_short_name(const stack_frame *frame)
{
	char *name = shorten_name(frame);
	char line[LINE_SIZE];
	char *text = NULL;

	snprintf(line, sizeof(line), ":%" PRIu32, frame->at_line);
	if (name == NULL || frame->at_line == 0 || !ends_with(frame->name, line) || ends_with(name, line))
		return name;
	if (asprintf(&text, "%s%s", name, line) < 0)
		text = NULL;
	free(name);
	return text;
}

static int copy_text(const char **copy, const char *text)
{
	*copy = text != NULL ? strdup(text) : NULL;
	return text == NULL || *copy != NULL;
}

static void release_frame(const stack_frame *frame)
{
	free((char *)frame->name);
	free((char *)frame->symbol);
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
	is_copied &= copy_text(&frame->symbol, wanted->symbol);
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
	if (a->kind != b->kind || a->id != b->id || a->flags != b->flags || a->at_line != b->at_line)
		return 0;
	return (!is_named(a) && a->at_line == 0) ||
	       (a->line == b->line && is_same_text(a->name, b->name) && is_same_text(a->symbol, b->symbol) &&
		is_same_text(a->file, b->file) && is_same_text(a->module, b->module));
}

/* Colliding hashes get the following numbers. */
static int find_or_add_frame(stack_tree *tree, const stack_frame *wanted, uint32_t *frame)
{
	uint64_t hash = hash_mix(hash_mix(hash_mix(0, wanted->kind), wanted->id), wanted->flags);
	index_entry *entry;

	hash = hash_mix(hash, wanted->at_line);
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

int stack_nodes_frame(stack_tree *tree, const stack_frame *wanted, uint32_t *frame)
{
	stack_frame named = *wanted;
	char *name;
	int is_added;

	if (!tree->names_lines || wanted->at_line == 0)
		return find_or_add_frame(tree, wanted, frame);
	if (asprintf(&name, "%s:%" PRIu32, wanted->name, wanted->at_line) < 0)
		return 0;
	named.name = name;
	is_added = find_or_add_frame(tree, &named, frame);
	free(name);
	return is_added;
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
	free(tree->kind);
	free(tree->kind_unit);
	key_map_clear(&tree->frame_indexes);
	key_map_clear(&tree->node_indexes);
}

/* Makes frames of methods, native code and classes, with names and source lines. */

/* A method. flags: 0 or STACK_FRAME_COMPILING. */
static int stack_frames_method_at(stack_tree *tree, const log_report *report, uint32_t method, uint32_t flags,
				  uint32_t line, const char *file, uint32_t *frame)
{
	stack_frame wanted = {
		.kind = STACK_FRAME_METHOD, .id = method, .flags = flags, .at_line = line, .name = "(unknown)"};
	method_name name;

	if (method == 0)
		return stack_nodes_frame(tree, &wanted, frame);
	names_method(report->input.reader, method, &name);
	wanted.file = file != NULL ? file : name.file;
	wanted.line = name.line;
	wanted.module = assembly_names_get(&report->assemblies, name.assembly_id);
	wanted.name = names_full_method(report->input.names, method);
	wanted.symbol = names_symbol(report->input.names, MPROF_SAMPLE_METHOD, method);
	if (names_is_runtime_work(report->input.reader, method))
		wanted.flags |= STACK_FRAME_RUNTIME;
	return stack_nodes_frame(tree, &wanted, frame);
}

static int stack_frames_method(stack_tree *tree, const log_report *report, uint32_t method, uint32_t flags,
			       uint32_t *frame)
{
	return stack_frames_method_at(tree, report, method, flags, 0, NULL, frame);
}

/* The file of the module of native code; NULL if unknown. */
static const char *file_of_module(const log_report *report, uint32_t module)
{
	mprof_record record;

	return module != 0 && mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_MODULE, module, &record,
							 sizeof(record)) == MPROF_OK
		       ? record.as.module.file
		       : NULL;
}

/* The module of a native function; 0 if unknown. */
static uint32_t module_of_function(const log_report *report, uint32_t function)
{
	mprof_record record;

	return mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_FUNCTION, function, &record,
					  sizeof(record)) == MPROF_OK
		       ? record.as.function.module
		       : 0;
}

static int stack_frames_item_at(stack_tree *tree, const log_report *report, const sample_item *item, uint32_t line,
				uint32_t *frame)
{
	stack_frame wanted = {
		.kind = item->kind, .id = item->id, .line = item->line, .at_line = line, .file = item->file};
	uint32_t module = item->module;

	if (item->kind == MPROF_SAMPLE_METHOD)
		return stack_frames_method(tree, report, item->id, 0, frame);
	if (item->kind == SAMPLE_ITEM_NAMED)
		wanted.kind = STACK_FRAME_FUNCTION;
	else if (item->kind == MPROF_SAMPLE_FUNCTION)
		module = module_of_function(report, item->id);
	else if (item->kind == MPROF_SAMPLE_MODULE)
		module = item->id;
	wanted.flags = item->is_inlined ? STACK_FRAME_INLINED : 0;
	wanted.module = file_of_module(report, module);
	wanted.name = item->name;
	wanted.symbol = item->symbol;
	if (item->name == NULL) {
		wanted.name = names_sample(report->input.names, item->kind, item->id);
		wanted.symbol = names_symbol(report->input.names, item->kind, item->id);
	}
	if (wanted.name == NULL)
		wanted.name = "(native)";
	return stack_nodes_frame(tree, &wanted, frame);
}

int stack_frames_item(stack_tree *tree, const log_report *report, const sample_item *item, uint32_t *frame)
{
	return stack_frames_item_at(tree, report, item, 0, frame);
}

/* The item of a location without debug information: its function, its module, or itself. */
static sample_item describe_location(const log_report *report, uint32_t location)
{
	sample_item item = {.kind = MPROF_SAMPLE_LOCATION, .id = location};
	mprof_record record;

	if (location == 0)
		item.kind = MPROF_SAMPLE_TRUNCATED;
	else if (mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_LOCATION, location, &record,
					    sizeof(record)) == MPROF_OK) {
		item.module = record.as.location.module;
		if (record.as.location.function != 0) {
			item.kind = MPROF_SAMPLE_FUNCTION;
			item.id = record.as.location.function;
		} else if (item.module != 0) {
			item.kind = MPROF_SAMPLE_MODULE;
			item.id = item.module;
		}
	}
	return item;
}

int stack_frames_positioned(stack_tree *tree, const log_report *report, uint32_t kind, uint32_t id, uint32_t position,
			    uint32_t *frame)
{
	const mprof_reader *reader = report->input.reader;
	sample_item item = {.kind = kind, .id = id};
	mprof_record found;
	mprof_record text;
	const char *file = NULL;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_POSITION, position, &found, sizeof(found)) == MPROF_OK &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, found.as.position.file, &text, sizeof(text)) ==
		    MPROF_OK)
		file = text.as.text.text;
	if (kind == MPROF_SAMPLE_METHOD)
		return stack_frames_method_at(tree, report, id, found.as.position.is_inlined ? STACK_FRAME_INLINED : 0,
					      found.as.position.line, file, frame);
	if (kind == MPROF_SAMPLE_LOCATION)
		item = describe_location(report, id);
	item.is_inlined = (int)found.as.position.is_inlined;
	item.file = file;
	return stack_frames_item_at(tree, report, &item, found.as.position.line, frame);
}

int stack_frames_sampled(stack_tree *tree, const log_report *report, uint32_t kind, uint32_t id, uint32_t flags,
			 uint32_t *frame)
{
	const sample_item item = {.kind = kind, .id = id};

	if (kind == MPROF_SAMPLE_METHOD)
		return stack_frames_method(tree, report, id, flags, frame);
	return stack_frames_item(tree, report, &item, frame);
}

int stack_frames_class(stack_tree *tree, const log_report *report, uint32_t class_id, uint32_t *frame)
{
	stack_frame wanted = {.kind = STACK_FRAME_CLASS, .id = class_id, .name = "(unknown)"};
	class_name name;

	if (class_id != 0) {
		names_class(report->input.reader, class_id, &name);
		wanted.name = name.name;
		wanted.module = assembly_names_get(&report->assemblies, name.assembly_id);
	}
	return stack_nodes_frame(tree, &wanted, frame);
}

int stack_frames_note(stack_tree *tree, const char *text, uint32_t *frame)
{
	return stack_nodes_frame(tree, &(stack_frame){.kind = STACK_FRAME_NOTE, .name = text}, frame);
}

static int add_item(stack_tree *tree, const log_report *report, const sample_item *item, uint32_t *node)
{
	uint32_t frame;

	return stack_frames_item(tree, report, item, &frame) && stack_nodes_child(tree, *node, frame, node);
}

int stack_frames_add_location(stack_tree *tree, const log_report *report, uint32_t location, int is_return,
			      uint32_t *node)
{
	const sample_item base = describe_location(report, location);
	const native_frame *frames = NULL;
	size_t count = location != 0 ? native_lines_find(report->lines, location, is_return, &frames) : 0;

	if (count == 0)
		return add_item(tree, report, &base, node);
	for (size_t i = count; i > 0; i--) {
		const native_frame *found = &frames[i - 1];
		sample_item item = base;

		if (found->is_inlined || (base.kind != MPROF_SAMPLE_FUNCTION && found->name != NULL)) {
			item.kind = SAMPLE_ITEM_NAMED;
			item.id = 0;
		}
		item.name = found->name;
		item.symbol = found->symbol;
		item.is_inlined = found->is_inlined;
		item.file = found->defined_file;
		item.line = found->defined_line;
		if (!add_item(tree, report, &item, node))
			return 0;
	}
	return 1;
}

/* Whether all further frames are part of this one. */
static int is_deepest(const stack_tree *tree, uint32_t node)
{
	return tree->max_depth != 0 && tree->nodes[node].depth > tree->max_depth;
}

int stack_frames_add_sample(stack_tree *tree, const log_report *report, const mprof_stack_frame *frames, size_t count,
			    uint32_t *node)
{
	*node = 0;
	for (size_t i = count; i > 0 && !is_deepest(tree, *node); i--) {
		const mprof_stack_frame *frame = &frames[i - 1];
		uint32_t index;

		if (tree->by_line && frame->position != 0) {
			if (!stack_frames_positioned(tree, report,
						     frame->is_native ? MPROF_SAMPLE_LOCATION : MPROF_SAMPLE_METHOD,
						     frame->id, frame->position, &index) ||
			    !stack_nodes_child(tree, *node, index, node))
				return 0;
		} else if (frame->is_native) {
			if (!stack_frames_add_location(tree, report, frame->id, i > 1, node))
				return 0;
		} else if (!stack_frames_method(tree, report, frame->id,
						frame->is_compiling ? STACK_FRAME_COMPILING : 0, &index) ||
			   !stack_nodes_child(tree, *node, index, node)) {
			return 0;
		}
	}
	return 1;
}
