/* SPDX-License-Identifier: MIT */
/* Paths from roots, what refers to objects, and single objects. */
#include "heap/heap.h"

#include "common/arguments.h"
#include "common/name_cut.h"
#include "common/output.h"
#include "common/table_view.h"
#include "heap/shapes.h"
#include "heap/view.h"
#include "shared/key_map.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a pattern: the number of classes whose paths are printed, and of paths of each. */
#define USUAL_CLASSES 10
#define USUAL_PATHS 3
#define USUAL_ROWS 20
#define USUAL_JSON_ROWS 100

typedef struct path_table {
	path_shapes shapes;
	uint32_t *rows; /**< Shapes, the largest first. */
	size_t count;
} path_table;

static void release_table(path_table *table)
{
	free(table->rows);
	path_shapes_release(&table->shapes);
}

/* Adds the objects of the classes that are wanted. Returns 0 if out of memory. */
static int add_objects(path_table *table, const heap_view *view, const unsigned char *is_wanted)
{
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		mprof_heap_object object = heap_view_object(view, i);

		if (object.is_reachable && is_wanted[object.class_index] && !path_shapes_add(&table->shapes, i))
			return 0;
	}
	return 1;
}

static const path_shape *sorted_shapes;

static int compare_shapes(const void *left, const void *right)
{
	const path_shape *a = &sorted_shapes[*(const uint32_t *)left];
	const path_shape *b = &sorted_shapes[*(const uint32_t *)right];

	if (a->retained != b->retained)
		return a->retained < b->retained ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* Leaves out all but the first paths of each class. */
static void keep_few(path_table *table, size_t class_count, size_t most)
{
	unsigned char *seen = calloc(class_count + 1, 1);
	size_t kept = 0;

	if (seen == NULL) {
		output_out_of_memory();
		return;
	}
	for (size_t i = 0; i < table->count; i++) {
		uint32_t class_index = table->shapes.shapes[table->rows[i]].class_index;

		if (seen[class_index] < most) {
			seen[class_index]++;
			table->rows[kept++] = table->rows[i];
		}
	}
	table->count = kept;
	free(seen);
}

static int sort_rows(path_table *table)
{
	table->rows = calloc(table->shapes.count, sizeof(*table->rows));
	if (table->rows == NULL)
		return 0;
	for (uint32_t i = 1; i < table->shapes.count; i++) {
		if (table->shapes.shapes[i].objects > 0)
			table->rows[table->count++] = i;
	}
	sorted_shapes = table->shapes.shapes;
	qsort(table->rows, table->count, sizeof(*table->rows), compare_shapes);
	return 1;
}

/* The classes whose paths are printed, by class index. The caller frees the result; NULL if out of memory. */
static unsigned char *choose_classes(const heap_view *view)
{
	unsigned char *is_wanted = calloc((size_t)view->totals.classes + 1, 1);
	class_filter filter;
	heap_class_table table;

	if (is_wanted == NULL)
		return NULL;
	if (view->options.paths_pattern == NULL) {
		heap_classes_collect(view, &table, HEAP_BY_RETAINED);
		for (size_t i = 0; i < table.count && i < USUAL_CLASSES; i++)
			is_wanted[table.rows[i].index] = table.rows[i].stats.retained_bytes > 0;
		heap_classes_release(&table);
	} else if (class_filter_init(&filter, view, NULL, view->options.paths_pattern)) {
		for (size_t i = 0; i < view->totals.classes; i++)
			is_wanted[i] = class_filter_wants(&filter, i) != 0;
		class_filter_release(&filter);
	}
	return is_wanted;
}

/* Collects the paths to print. If out of memory, prints a message, and the table is empty. */
static void collect(const heap_view *view, path_table *table)
{
	unsigned char *is_wanted = choose_classes(view);

	*table = (path_table){.rows = NULL};
	if (is_wanted == NULL || !path_shapes_init(&table->shapes, view) || !add_objects(table, view, is_wanted) ||
	    !sort_rows(table)) {
		output_out_of_memory();
		table->count = 0;
	} else if (view->options.paths_pattern == NULL) {
		keep_few(table, (size_t)view->totals.classes, USUAL_PATHS);
	}
	free(is_wanted);
}

static int is_marked(const path_shape *last, uint32_t step)
{
	return step < SHAPE_MARKS && (last->marks >> step & 1) != 0;
}

/* The shapes of the steps of a path, the first one first. The caller frees the array; NULL if out of memory. */
static uint32_t *steps_of(const path_shapes *shapes, uint32_t shape)
{
	uint32_t depth = shapes->shapes[shape].depth;
	uint32_t *steps = malloc(((size_t)depth + 1) * sizeof(*steps));

	for (uint32_t i = depth + 1; i > 0 && steps != NULL; i--) {
		steps[i - 1] = shape;
		shape = shapes->shapes[shape].parent;
	}
	return steps;
}

static void print_root(uint32_t kind, const char *name)
{
	fputs(kind_of_root(kind), stdout);
	if (name[0] != '\0') {
		putchar(' ');
		text_name(stdout, name);
	}
}

/* A reference without a known field is shown by the class of the object that it leads to. */
static void print_step(const heap_view *view, const char *field, size_t class_index)
{
	class_name name;

	fputs(" -> ", stdout);
	if (field != NULL) {
		text_name(stdout, field);
		return;
	}
	putchar('(');
	text_name(stdout, label_class(view, class_index, &name));
	putchar(')');
}

static void print_shape(const heap_view *view, const path_shapes *shapes, uint32_t shape)
{
	const path_shape *last = &shapes->shapes[shape];
	uint32_t *steps = steps_of(shapes, shape);
	class_name name;

	if (steps == NULL) {
		output_out_of_memory();
		return;
	}
	print_root(last->root_kind, last->root_name);
	for (uint32_t i = 0; i <= last->depth; i++) {
		const path_shape *step = &shapes->shapes[steps[i]];

		if (i > 0)
			print_step(view, step->field, step->class_index);
		if (step->is_repeated)
			fputs("...", stdout);
		if (is_marked(last, i) && (i == 0 || is_marked(last, i - 1)))
			putchar('*');
	}
	fputs(" -> ", stdout);
	text_name(stdout, label_class(view, last->class_index, &name));
	putchar('\n');
	free(steps);
}

void heap_paths_text(const heap_view *view)
{
	path_table table;
	size_t shown;

	if (!view->has_retained)
		return;
	collect(view, &table);
	shown = heap_view_rows(view, table.count, USUAL_ROWS);
	if (table.count > 0) {
		heap_view_title("Paths from roots", shown, table.count);
		printf("  %10s %10s %14s  %s\n", "retained", "bytes", "objects", "path");
	}
	for (size_t i = 0; i < shown; i++) {
		const path_shape *shape = &table.shapes.shapes[table.rows[i]];
		char retained[TEXT_NUMBER_SIZE];
		char bytes[TEXT_NUMBER_SIZE];
		char objects[TEXT_NUMBER_SIZE];

		printf("  %10s %10s %14s  ", shape->depth < SHAPE_MARKS ? text_bytes(retained, shape->retained) : "",
		       text_bytes(bytes, shape->bytes), text_count(objects, shape->objects));
		print_shape(view, &table.shapes, table.rows[i]);
	}
	if (table.count > 0)
		puts("  *: all paths to these objects lead through this reference or another one between the same two\n"
		     "  objects; to free them, remove it. ...: the step occurs repeatedly.");
	release_table(&table);
}

/* The last object of each step in the path of the example, and the number of objects of the step. */
typedef struct example_step {
	uint32_t object;
	uint64_t objects;
} example_step;

static void fill_example(const path_shapes *shapes, const path_shape *last, const uint32_t *steps,
			 example_step *examples)
{
	uint32_t object = last->example;
	uint32_t step = last->depth;

	while (object != MPROF_HEAP_NO_OBJECT) {
		mprof_heap_reference parent = {MPROF_HEAP_NO_OBJECT, 0, 0, ""};

		while (step > 0 && shapes->of_object[object] == steps[step - 1] && examples[step].objects > 0)
			step--;
		if (shapes->of_object[object] == steps[step] && examples[step].objects++ == 0)
			examples[step].object = object;
		mprof_heap_graph_get_parent(shapes->view->graph, object, &parent, sizeof(parent));
		object = parent.object;
	}
}

/* The label of the object of a step; NULL if it has none, or stands for several objects. */
static const char *example_label(const heap_view *view, const example_step *example)
{
	const mprof_heap_object object = heap_view_object(view, example->object);

	return object.label[0] != '\0' ? object.label : NULL;
}

static void print_steps_json(const heap_view *view, json_writer *json, const path_shapes *shapes, uint32_t shape)
{
	const path_shape *last = &shapes->shapes[shape];
	uint32_t *steps = steps_of(shapes, shape);
	example_step *examples = calloc((size_t)last->depth + 1, sizeof(*examples));

	json_begin_array(json, "steps");
	if (steps != NULL && examples != NULL)
		fill_example(shapes, last, steps, examples);
	else
		output_out_of_memory();
	for (uint32_t i = 0; steps != NULL && examples != NULL && i <= last->depth; i++) {
		class_name name;

		json_begin_object(json, NULL);
		json_string(json, "class", label_class(view, shapes->shapes[steps[i]].class_index, &name));
		json_string(json, "field", i < last->depth ? shapes->shapes[steps[i + 1]].field : NULL);
		json_hexadecimal(json, "object", heap_view_object(view, examples[i].object).address);
		json_string(json, "label", example_label(view, &examples[i]));
		json_boolean(json, "dominates", is_marked(last, i));
		json_unsigned(json, "repeats", examples[i].objects);
		json_end_object(json);
	}
	json_end_array(json);
	free(steps);
	free(examples);
}

void heap_paths_json(const heap_view *view, json_writer *json)
{
	path_table table = {.rows = NULL};
	size_t shown;

	json_begin_array(json, "paths");
	if (view->has_retained)
		collect(view, &table);
	shown = heap_view_rows(view, table.count, USUAL_JSON_ROWS);
	for (size_t i = 0; i < shown; i++) {
		const path_shape *shape = &table.shapes.shapes[table.rows[i]];
		class_name name;

		json_begin_object(json, NULL);
		json_string(json, "class", label_class(view, shape->class_index, &name));
		json_unsigned(json, "objects", shape->objects);
		json_unsigned(json, "bytes", shape->bytes);
		table_view_measure_json(json, MPROF_HEAP_TABLE_OBJECTS, "@total", shape->depth < SHAPE_MARKS,
					shape->retained);
		json_begin_object(json, "root");
		json_string(json, "kind", kind_of_root(shape->root_kind));
		json_string(json, "name", shape->root_name);
		json_end_object(json);
		print_steps_json(view, json, &table.shapes, table.rows[i]);
		json_end_object(json);
	}
	json_end_array(json);
	if (view->has_retained)
		release_table(&table);
}

/* Prints the path of one object as the rest of a line. Returns 0 if no root reaches it. */
static int heap_path_text(const heap_view *view, uint32_t object)
{
	path_shapes shapes;
	int is_found = 0;

	if (!path_shapes_init(&shapes, view) || !path_shapes_add(&shapes, object))
		output_out_of_memory();
	else
		is_found = 1;
	if (is_found)
		print_shape(view, &shapes, shapes.of_object[object]);
	path_shapes_release(&shapes);
	return is_found;
}

#define BATCH 256

/* References from one field of a class, or from roots of one kind, to objects of a class. */
typedef struct referrer_row {
	int is_root;
	uint32_t source; /**< Index of the class, or kind of the root. */
	uint32_t target; /**< Index of the class. */
	const char *field;
	uint64_t references;
} referrer_row;

/* A number for the address of a field name. */
typedef struct numbered {
	uint64_t key;
	uint64_t number;
} numbered;

typedef struct referrer_table {
	const heap_view *view;
	key_map fields; /**< Numbers of fields together with the class of the target. */
	key_map index;  /**< Rows by source and number, plus 1. */
	referrer_row *rows;
	size_t count;
	size_t capacity;
} referrer_table;

/* The sources of roots are apart from classes. */
#define ROOT_SOURCE (UINT32_C(1) << 31)

static numbered *find_entry(referrer_table *table, const referrer_row *row)
{
	numbered *field = key_map_put(&table->fields, (uintptr_t)row->field);
	numbered *pair;

	if (field == NULL)
		return NULL;
	if (field->number == 0)
		field->number = table->fields.count;
	/* The names of fields are at addresses below 2^63, so that the keys differ from those above. */
	pair = key_map_put(&table->fields, UINT64_C(1) << 63 | field->number << 32 | row->target);
	if (pair == NULL)
		return NULL;
	if (pair->number == 0)
		pair->number = table->fields.count;
	return key_map_put(&table->index, pair->number << 32 | row->source | (row->is_root ? ROOT_SOURCE : 0));
}

/* Counts one reference. Returns 0 if out of memory. */
static int count_reference(referrer_table *table, const referrer_row *row)
{
	numbered *entry = find_entry(table, row);

	if (entry == NULL)
		return 0;
	if (entry->number == 0) {
		if (table->count == table->capacity) {
			size_t capacity = table->capacity * 2 + 64;
			referrer_row *grown = realloc(table->rows, capacity * sizeof(*grown));

			if (grown == NULL)
				return 0;
			table->rows = grown;
			table->capacity = capacity;
		}
		table->rows[table->count] = *row;
		table->rows[table->count++].references = 0;
		entry->number = table->count;
	}
	table->rows[entry->number - 1].references++;
	return 1;
}

static int count_object(referrer_table *table, uint32_t object)
{
	mprof_heap_object stats = heap_view_object(table->view, object);
	mprof_heap_reference references[BATCH];
	uint32_t done = 0;
	size_t count;

	do {
		mprof_heap_graph_get_referrers(table->view->graph, object, done, references, sizeof(references[0]),
					       BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			mprof_heap_object source = heap_view_object(table->view, references[i].object);
			referrer_row row = {0, source.class_index, stats.class_index,
					    label_field(table->view, source.class_id, &references[i]), 0};

			if (!count_reference(table, &row))
				return 0;
		}
		done += (uint32_t)count;
	} while (count == BATCH);
	return 1;
}

static int count_roots(referrer_table *table, const class_filter *filter)
{
	for (size_t i = 0; i < table->view->totals.roots; i++) {
		mprof_heap_root root = {.struct_size = sizeof(root)};
		referrer_row row = {1, 0, 0, NULL, 0};

		mprof_heap_graph_get_root(table->view->graph, i, &root);
		row.source = root.kind;
		row.target = heap_view_object(table->view, root.object).class_index;
		row.field = label_root(table->view, &root);
		if (class_filter_wants(filter, row.target) && !count_reference(table, &row))
			return 0;
	}
	return 1;
}

static int count_objects(referrer_table *table, const class_filter *filter)
{
	if (mprof_heap_graph_build_referrers(table->view->graph) != MPROF_OK)
		return 0;
	for (uint32_t i = 0; i < table->view->totals.objects; i++) {
		if (class_filter_wants(filter, heap_view_object(table->view, i).class_index) && !count_object(table, i))
			return 0;
	}
	return count_roots(table, filter);
}

static int compare_rows(const void *left, const void *right)
{
	const referrer_row *a = left;
	const referrer_row *b = right;

	if (a->references != b->references)
		return a->references < b->references ? 1 : -1;
	if (a->is_root != b->is_root)
		return a->is_root - b->is_root;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->target < b->target ? -1 : a->target > b->target;
}

/* If out of memory, prints a message, and the table is empty. */
static referrer_table collect_referrers(const heap_view *view)
{
	referrer_table table = {.view = view};
	class_filter filter;

	table.fields.value_size = sizeof(uint64_t);
	table.index.value_size = sizeof(uint64_t);
	if (view->totals.objects == 0)
		return table;
	if (!class_filter_init(&filter, view, NULL, view->options.referrers_pattern) ||
	    !count_objects(&table, &filter)) {
		output_out_of_memory();
		table.count = 0;
	}
	class_filter_release(&filter);
	key_map_clear(&table.fields);
	key_map_clear(&table.index);
	if (table.count > 0)
		qsort(table.rows, table.count, sizeof(*table.rows), compare_rows);
	return table;
}

static void print_source(const heap_view *view, const referrer_row *row)
{
	class_name name;

	if (row->is_root) {
		printf("(root) %s", kind_of_root(row->source));
		if (row->field[0] != '\0')
			putchar(' ');
		text_name(stdout, row->field);
		return;
	}
	text_name(stdout, label_class(view, row->source, &name));
	if (row->field != NULL) {
		putchar('.');
		text_name(stdout, row->field);
	}
}

void heap_referrers_text(const heap_view *view)
{
	referrer_table table = collect_referrers(view);
	size_t shown = heap_view_rows(view, table.count, USUAL_ROWS);

	if (table.count > 0) {
		heap_view_title("Referrers", shown, table.count);
		printf("  %14s  %s\n", "references", "from -> to");
	}
	for (size_t i = 0; i < shown; i++) {
		char references[TEXT_NUMBER_SIZE];
		class_name name;

		printf("  %14s  ", text_count(references, table.rows[i].references));
		print_source(view, &table.rows[i]);
		fputs(" -> ", stdout);
		text_name(stdout, label_class(view, table.rows[i].target, &name));
		putchar('\n');
	}
	free(table.rows);
}

static void print_row_json(const heap_view *view, json_writer *json, const referrer_row *row)
{
	class_name name;

	json_begin_object(json, NULL);
	json_string(json, "class", row->is_root ? NULL : label_class(view, row->source, &name));
	json_string(json, "field", row->is_root ? NULL : row->field);
	if (row->is_root) {
		json_begin_object(json, "root");
		json_string(json, "kind", kind_of_root(row->source));
		json_string(json, "name", row->field);
		json_end_object(json);
	} else {
		json_null(json, "root");
	}
	json_string(json, "target", label_class(view, row->target, &name));
	json_unsigned(json, "references", row->references);
	json_end_object(json);
}

void heap_referrers_json(const heap_view *view, json_writer *json)
{
	referrer_table table = {.view = view};
	size_t shown;

	if (view->options.referrers_pattern != NULL)
		table = collect_referrers(view);
	shown = heap_view_rows(view, table.count, 0);
	json_begin_array(json, "referrers");
	for (size_t i = 0; i < shown; i++)
		print_row_json(view, json, &table.rows[i]);
	json_end_array(json);
	free(table.rows);
}

/*
 * One object, with its references and referrers.
 */

#define USUAL_REFERENCES 20
#define REFERENCE_BATCH 256

/* The references of an object, or those to it. */
typedef mprof_status (*get_function)(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
				     mprof_heap_reference *references, size_t reference_size, size_t capacity,
				     size_t *count);

/* Prints the object at the other end of a reference; \p owner is the class of the object that has the reference. */
typedef void (*print_function)(const heap_view *view, void *user, uint32_t owner,
			       const mprof_heap_reference *reference);

static void visit(const heap_view *view, uint32_t object, get_function get, size_t most, print_function print,
		  void *user)
{
	uint32_t own_class = heap_view_object(view, object).class_id;
	mprof_heap_reference references[REFERENCE_BATCH];
	size_t done = 0;
	size_t count;

	do {
		size_t capacity = most - done < REFERENCE_BATCH ? most - done : REFERENCE_BATCH;

		get(view->graph, object, (uint32_t)done, references, sizeof(references[0]), capacity, &count);
		for (size_t i = 0; i < count; i++) {
			uint32_t owner = own_class;

			if (get == mprof_heap_graph_get_referrers)
				owner = heap_view_object(view, references[i].object).class_id;
			print(view, user, owner, &references[i]);
		}
		done += count;
	} while (count == REFERENCE_BATCH && done < most);
}

/* The object at the address. Returns 0 after a message. */
static int find_object(const heap_view *view, uint32_t *object)
{
	char address[NAMES_OBJECT_SIZE];

	if (mprof_heap_graph_lookup_object(view->graph, view->options.address, object) != MPROF_OK) {
		text_begin_message(view->input.name);
		fprintf(stderr, "no object of the snapshot is at %s\n",
			names_object(view->input.reader, view->options.address, address));
		return 0;
	}
	if (mprof_heap_graph_build_referrers(view->graph) == MPROF_OK)
		return 1;
	output_out_of_memory();
	return 0;
}

static void print_reference_text(const heap_view *view, void *user, uint32_t owner,
				 const mprof_heap_reference *reference)
{
	const char *field = label_field(view, owner, reference);
	char address[NAMES_OBJECT_SIZE];
	mprof_heap_object object;
	class_name name;

	(void)user;
	if (field == NULL)
		field = "?";
	if (reference->object == MPROF_HEAP_NO_OBJECT) {
		printf("    %-24s not in the snapshot\n", field);
		return;
	}
	object = heap_view_object(view, reference->object);
	fputs("    ", stdout);
	text_name(stdout, field);
	printf("%*s %s ", (int)(strlen(field) < 24 ? 24 - strlen(field) : 0), "",
	       names_object(view->input.reader, object.address, address));
	text_name(stdout, label_class(view, object.class_index, &name));
	if (object.label[0] != '\0') {
		fputs(" \"", stdout);
		text_name(stdout, object.label);
		putchar('"');
	}
	putchar('\n');
}

static void print_references(const heap_view *view, uint32_t object, get_function get, const char *title,
			     uint32_t count)
{
	size_t shown = heap_view_rows(view, count, USUAL_REFERENCES);

	if (count == 0)
		return;
	printf("  %s", title);
	if (shown < count)
		printf(" (%zu of %" PRIu32 ")", shown, count);
	putchar('\n');
	visit(view, object, get, shown, print_reference_text, NULL);
}

/* Reads the log again for the addresses of the object. Call heap_origins_release(). */
static heap_origins trace(const heap_view *view, const heap_origin *origin)
{
	heap_origins traced = {
		.path = view->origins.path, .snapshot = view->origins.snapshot, .memory = view->origins.memory};

	if (heap_origins_read(&traced, origin->object.identity) == STATUS_NOTHING)
		output_out_of_memory();
	return traced;
}

static void print_addresses(const heap_origins *traced)
{
	mprof_traced_address address = {.struct_size = sizeof(address)};

	for (size_t i = 0;
	     mprof_profile_get_row(traced->profile, MPROF_TABLE_TRACED_ADDRESSES, i, &address) == MPROF_OK; i++) {
		char text[TEXT_NUMBER_SIZE];

		printf("    0x%" PRIx64 " from %s on, age %" PRIu32 "\n", address.address,
		       text_duration(text, address.time_ns > 0 ? (uint64_t)address.time_ns : 0), address.age);
	}
}

static void print_frames(const heap_view *view, const heap_origin *origin)
{
	size_t count;
	mprof_stack_frame *frames = heap_origins_frames(&view->origins, origin, &count);

	for (size_t i = 0; i < count; i++) {
		const char *name = names_frame(view->origins.input.names, &frames[i]);

		fputs("    ", stdout);
		text_name(stdout, name != NULL ? name : "?");
		putchar('\n');
	}
	if (count == 0)
		puts("    a call stack that is not in the log");
	free(frames);
}

static void print_native_origin(const heap_view *view, const heap_origin *origin)
{
	char bytes[TEXT_NUMBER_SIZE];

	printf("  memory     in the native block 0x%" PRIx64 " of %s, allocated by\n", origin->block->address,
	       text_bytes(bytes, origin->block->size));
	print_frames(view, origin);
}

static void print_origin(const heap_view *view, const mprof_heap_object *object)
{
	heap_origins traced;
	heap_origin origin;

	if (!heap_origins_find(&view->origins, object->address, object->class_id, &origin)) {
		printf("  allocated  origin not known: %s\n", heap_origins_reason(&view->origins));
		return;
	}
	if (origin.block != NULL) {
		print_native_origin(view, &origin);
		return;
	}
	printf("  age        %" PRIu32 " collection%s\n  allocated  by\n", origin.object.age,
	       origin.object.age == 1 ? "" : "s");
	print_frames(view, &origin);
	puts("  addresses");
	traced = trace(view, &origin);
	print_addresses(&traced);
	heap_origins_release(&traced);
}

void heap_object_text(const heap_view *view)
{
	char address[NAMES_OBJECT_SIZE];
	mprof_heap_object stats;
	char text[TEXT_NUMBER_SIZE];
	class_name name;
	uint32_t object;

	if (!find_object(view, &object))
		return;
	stats = heap_view_object(view, object);
	printf("\nObject %s\n  class      ", names_object(view->input.reader, stats.address, address));
	text_name(stdout, label_class(view, stats.class_index, &name));
	if (stats.label[0] != '\0') {
		fputs("\n  label      ", stdout);
		text_name(stdout, stats.label);
	}
	if ((stats.flags & MPROF_OBJECT_FLAG_SYNTHETIC) != 0)
		fputs("\n  synthetic: no memory of the program; what it refers to is kept alive by roots", stdout);
	printf("\n  bytes      %s\n", text_bytes(text, stats.bytes));
	if (view->has_retained && stats.is_reachable) {
		printf("  retained   %s\n  path       ", text_bytes(text, stats.retained_bytes));
		heap_path_text(view, object);
	} else if (view->has_retained) {
		puts("  unreachable");
	}
	print_origin(view, &stats);
	print_references(view, object, mprof_heap_graph_get_references, "refers to", stats.references);
	print_references(view, object, mprof_heap_graph_get_weak_references, "refers weakly to", stats.weak_references);
	print_references(view, object, mprof_heap_graph_get_referrers, "referred to by", stats.referrers);
}

static void print_reference_json(const heap_view *view, void *user, uint32_t owner,
				 const mprof_heap_reference *reference)
{
	json_writer *json = user;
	class_name name;

	json_begin_object(json, NULL);
	json_string(json, "field", label_field(view, owner, reference));
	if (reference->object == MPROF_HEAP_NO_OBJECT) {
		json_null(json, "object");
		json_null(json, "class");
		json_null(json, "label");
	} else {
		mprof_heap_object object = heap_view_object(view, reference->object);

		json_hexadecimal(json, "object", object.address);
		json_string(json, "class", label_class(view, object.class_index, &name));
		json_string(json, "label", object.label[0] != '\0' ? object.label : NULL);
	}
	json_end_object(json);
}

static void print_references_json(const heap_view *view, json_writer *json, uint32_t object, get_function get,
				  const char *key, uint32_t count)
{
	json_begin_array(json, key);
	visit(view, object, get, heap_view_rows(view, count, 0), print_reference_json, json);
	json_end_array(json);
}

static void print_addresses_json(const heap_origins *traced, json_writer *json)
{
	mprof_traced_address address = {.struct_size = sizeof(address)};

	json_begin_array(json, "addresses");
	for (size_t i = 0;
	     mprof_profile_get_row(traced->profile, MPROF_TABLE_TRACED_ADDRESSES, i, &address) == MPROF_OK; i++) {
		json_begin_object(json, NULL);
		json_hexadecimal(json, "address", address.address);
		json_signed(json, "time_ns", address.time_ns);
		json_unsigned(json, "age", address.age);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_frames_json(const heap_view *view, json_writer *json, const heap_origin *origin)
{
	size_t count;
	mprof_stack_frame *frames = heap_origins_frames(&view->origins, origin, &count);

	json_begin_array(json, "stack");
	for (size_t i = 0; i < count; i++)
		json_string(json, NULL, names_frame(view->origins.input.names, &frames[i]));
	json_end_array(json);
	free(frames);
}

static void print_native_origin_json(const heap_view *view, json_writer *json, const heap_origin *origin)
{
	json_null(json, "origin");
	json_begin_object(json, "native_origin");
	json_hexadecimal(json, "address", origin->block->address);
	json_unsigned(json, "bytes", origin->block->size);
	print_frames_json(view, json, origin);
	json_end_object(json);
}

static void print_origin_json(const heap_view *view, json_writer *json, const mprof_heap_object *object)
{
	heap_origins traced;
	heap_origin origin;

	if (!heap_origins_find(&view->origins, object->address, object->class_id, &origin)) {
		json_null(json, "origin");
		json_null(json, "native_origin");
		return;
	}
	if (origin.block != NULL) {
		print_native_origin_json(view, json, &origin);
		return;
	}
	json_begin_object(json, "origin");
	json_unsigned(json, "identity", origin.object.identity);
	json_unsigned(json, "age", origin.object.age);
	print_frames_json(view, json, &origin);
	traced = trace(view, &origin);
	print_addresses_json(&traced, json);
	heap_origins_release(&traced);
	json_end_object(json);
	json_null(json, "native_origin");
}

static void print_synthetic(const void *user, json_writer *json, const char *key, const void *row)
{
	(void)user;
	json_boolean(json, key, (((const mprof_heap_object *)row)->flags & MPROF_OBJECT_FLAG_SYNTHETIC) != 0);
}

static void print_dominator(const void *user, json_writer *json, const char *key, const void *row)
{
	heap_view_dominator_json(user, json, key, row);
}

static const table_view object_view = {
	.table = MPROF_HEAP_TABLE_OBJECTS,
	.fields =
		{
			{.key = "object", .field = "address"},
			{TABLE_NAME, .key = "class", .field = "class_id"},
			{.field = "label"},
			{TABLE_PRINT, .key = "synthetic", .print = print_synthetic},
			{.field = "bytes"},
			{.field = "@total", .is_known = heap_view_has_retained},
			{TABLE_PRINT, .key = "dominator", .print = print_dominator},
		},
};

void heap_object_json(const heap_view *view, json_writer *json)
{
	const table_rows rows = {.user = view, .reader = view->input.reader};
	mprof_heap_object stats;
	uint32_t object;

	if (!view->options.has_address || !find_object(view, &object)) {
		json_null(json, "object");
		return;
	}
	stats = heap_view_object(view, object);
	json_begin_object(json, "object");
	table_view_fields(&object_view, &rows, json, &stats, 0);
	print_origin_json(view, json, &stats);
	print_references_json(view, json, object, mprof_heap_graph_get_references, "references", stats.references);
	print_references_json(view, json, object, mprof_heap_graph_get_weak_references, "weak_references",
			      stats.weak_references);
	print_references_json(view, json, object, mprof_heap_graph_get_referrers, "referrers", stats.referrers);
	json_end_object(json);
}
