/* SPDX-License-Identifier: MIT */
/* Adds the objects of a heap snapshot, with their paths from roots as call stacks. */
#include "export/stack_heap.h"

#include "common/exit_status.h"
#include "common/output.h"
#include "heap/labels.h"
#include "heap/shapes.h"
#include "shared/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct heap_source {
	stack_tree *tree;
	heap_view view;
	path_shapes shapes;
	uint32_t *prefixes; /* By shape: the node that the class of the shape and its fields are below. */
} heap_source;

/* Finds or adds a child of a node; for a field, \p field is its name, else NULL. */
static int add_frame(heap_source *source, uint32_t kind, uint32_t id, const char *name, const char *field,
		     uint32_t *node)
{
	stack_frame wanted = {.kind = kind, .id = id, .name = name};
	char *text = NULL;
	uint32_t frame;
	int is_added;

	if (field != NULL && field[0] != '\0') {
		if (asprintf(&text, kind == STACK_FRAME_HEAP_ROOT ? "%s %s" : "%s.%s", name, field) < 0)
			return 0;
		wanted.name = text;
	}
	is_added =
		stack_nodes_frame(source->tree, &wanted, &frame) && stack_nodes_child(source->tree, *node, frame, node);
	free(text);
	return is_added;
}

/* The name of the class with an index; \p id receives its ID. */
static const char *class_of(const heap_source *source, size_t class_index, class_name *name, uint32_t *id)
{
	*id = heap_view_class(&source->view, class_index).class_id;
	return label_class(&source->view, class_index, name);
}

/* Finds the node that the class of a shape is below: of a root, or of the class before and the field. */
static int find_prefix(heap_source *source, uint32_t index)
{
	const path_shape *shape = &source->shapes.shapes[index];
	class_name name;
	uint32_t id;

	if (shape->parent == SHAPE_NONE)
		return add_frame(source, STACK_FRAME_HEAP_ROOT, shape->root_kind, kind_of_root(shape->root_kind),
				 shape->root_name, &source->prefixes[index]);
	source->prefixes[index] = source->prefixes[shape->parent];
	return add_frame(source, STACK_FRAME_FIELD, 0,
			 class_of(source, source->shapes.shapes[shape->parent].class_index, &name, &id),
			 shape->field != NULL ? shape->field : "?", &source->prefixes[index]);
}

static int add_class(heap_source *source, uint32_t node, size_t class_index, uint64_t objects, uint64_t bytes)
{
	class_name name;
	uint32_t id;
	const char *text = class_of(source, class_index, &name, &id);

	if (!add_frame(source, STACK_FRAME_CLASS, id, text, NULL, &node))
		return 0;
	source->tree->nodes[node].count += objects;
	source->tree->nodes[node].self += bytes;
	return 1;
}

/* Adds the shapes; one is after the shape without its last step. */
static int add_shapes(heap_source *source)
{
	source->prefixes = calloc(source->shapes.count + 1, sizeof(*source->prefixes));
	if (source->prefixes == NULL)
		return 0;
	for (uint32_t i = 1; i < source->shapes.count; i++) {
		const path_shape *shape = &source->shapes.shapes[i];

		if (!find_prefix(source, i))
			return 0;
		if (shape->objects > 0 &&
		    !add_class(source, source->prefixes[i], shape->class_index, shape->objects, shape->bytes))
			return 0;
	}
	return 1;
}

static int add_objects(heap_source *source)
{
	const char *missing = source->view.totals.has_roots ? "(unreachable)" : "(no roots in the log)";

	for (uint32_t i = 0; i < source->view.totals.objects; i++) {
		mprof_heap_object object = heap_view_object(&source->view, i);
		uint32_t node = 0;

		if (object.is_reachable) {
			if (!path_shapes_add(&source->shapes, i))
				return 0;
		} else if (!add_frame(source, STACK_FRAME_NOTE, 0, missing, NULL, &node) ||
			   !add_class(source, node, object.class_index, 1, object.bytes)) {
			return 0;
		}
	}
	return add_shapes(source);
}

int stack_heap_add(stack_tree *tree, const char *path, uint64_t shot, uint64_t memory)
{
	const heap_options options = {.at = shot, .memory = memory, .is_read_again = 1};
	heap_source source = {.tree = tree};
	int status = heap_view_read(&source.view, path, &options);

	/* The message was printed. Without the paths, all objects would seem to be unreachable. */
	if (source.view.totals.has_roots && !source.view.has_retained)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		tree->heap_shot = source.view.totals.snapshot;
		tree->is_incomplete = source.view.totals.incomplete != 0 || source.view.totals.limited != 0;
		if (!path_shapes_init(&source.shapes, &source.view) || !add_objects(&source)) {
			output_out_of_memory();
			status = STATUS_NOTHING;
		}
		path_shapes_release(&source.shapes);
	}
	free(source.prefixes);
	heap_view_release(&source.view);
	return status;
}
