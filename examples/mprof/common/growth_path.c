/* SPDX-License-Identifier: MIT */
/* Prints the root, the fields and the classes of a path shape. */
#include "common/growth_path.h"

#include "common/output.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <stdio.h>
#include <stdlib.h>

mprof_heap_shape growth_shape(const mprof_heap_diff *diff, size_t snapshot, uint32_t index)
{
	mprof_heap_shape shape = {.struct_size = sizeof(shape)};

	mprof_heap_diff_get_shape(diff, index, snapshot, &shape);
	return shape;
}

/* The shapes of the steps, that of the root's object first. The caller frees the array; NULL if out of memory. */
static mprof_heap_shape *steps_of(const mprof_heap_diff *diff, size_t snapshot, uint32_t index, uint32_t depth)
{
	mprof_heap_shape *steps = calloc(depth, sizeof(*steps));

	for (uint32_t i = depth; i > 0 && steps != NULL; i--) {
		steps[i - 1] = growth_shape(diff, snapshot, index);
		index = steps[i - 1].parent;
	}
	if (steps == NULL)
		output_out_of_memory();
	return steps;
}

/* A reference without a known field is shown by the class of the object that it leads to. */
static void print_step(FILE *file, const mprof_heap_shape *step)
{
	int has_field = step->name[0] != '\0';

	fputs(has_field ? " -> " : " -> (", file);
	text_name(file, has_field ? step->name : step->class_name);
	if (!has_field)
		putc(')', file);
}

void growth_path_text(FILE *file, const mprof_heap_diff *diff, size_t snapshot, uint32_t index)
{
	mprof_heap_shape last = growth_shape(diff, snapshot, index);
	mprof_heap_shape *steps = steps_of(diff, snapshot, index, last.depth);

	fputs(kind_of_root(last.root_kind), file);
	for (uint32_t i = 0; i < last.depth && steps != NULL; i++) {
		if (i > 0) {
			print_step(file, &steps[i]);
		} else if (steps[i].name[0] != '\0') {
			putc(' ', file);
			text_name(file, steps[i].name);
		}
	}
	free(steps);
}

void growth_path_json(const mprof_heap_diff *diff, size_t snapshot, uint32_t index, json_writer *json)
{
	mprof_heap_shape last = growth_shape(diff, snapshot, index);
	mprof_heap_shape *steps = steps_of(diff, snapshot, index, last.depth);

	json_begin_object(json, "root");
	json_string(json, "kind", kind_of_root(last.root_kind));
	json_string(json, "name", steps != NULL ? steps[0].name : "");
	json_end_object(json);
	json_begin_array(json, "steps");
	for (uint32_t i = 0; i < last.depth && steps != NULL; i++) {
		const char *field = i + 1 < last.depth ? steps[i + 1].name : "";

		json_begin_object(json, NULL);
		json_string(json, "class", steps[i].class_name);
		json_string(json, "field", field[0] != '\0' ? field : NULL);
		json_hexadecimal(json, "object", steps[i].example);
		json_unsigned(json, "objects", steps[i].objects);
		json_end_object(json);
	}
	json_end_array(json);
	free(steps);
}
