/* SPDX-License-Identifier: MIT */
/*
 * Writes the objects that retain the most in the format of V8.
 *
 * The kept objects have the dominators and the retained sizes of the whole graph: they have all references between
 * them, and an edge from the immediate dominator if none of these begins there. A collapsed object belongs to a node
 * that only its owner refers to.
 */
#include "export/heapsnapshot_top.h"

#include "export/heap_collapse.h"
#include "heap/labels.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 256U

/* A kept object to which its dominator has no reference. */
typedef struct hidden_edge {
	uint32_t dominator; /* By number, or COLLAPSE_ROOTS. */
	uint32_t target;
} hidden_edge;

typedef struct top_writer {
	snapshot_file *file;
	const heap_view *view;
	const heap_ids *ids;
	heap_collapse collapse;
	unsigned char *is_direct; /* By kept object: its dominator refers to it. */
	hidden_edge *hidden;      /* In the order of dominators. */
	size_t hidden_count;
} top_writer;

static uint32_t kept_node(uint32_t number)
{
	return NODE_FIRST_OBJECT + number;
}

static uint32_t group_node(const top_writer *writer, size_t group)
{
	return NODE_FIRST_OBJECT + writer->collapse.kept_count + (uint32_t)group;
}

/* What is done with each reference of a kept object to another one. */
typedef void visit_function(top_writer *writer, const mprof_heap_object *from, const mprof_heap_reference *reference,
			    uint32_t target);

/* Visits the references between kept objects, and returns their number. */
static uint32_t visit_references(top_writer *writer, uint32_t number, visit_function *visit)
{
	uint32_t index = writer->collapse.kept[number];
	const mprof_heap_object object = heap_view_object(writer->view, index);
	mprof_heap_reference references[BATCH];
	uint32_t visited = 0;
	uint32_t first = 0;
	size_t count;

	do {
		count = heap_source_references(writer->view, index, first, references, BATCH);
		for (size_t i = 0; i < count; i++) {
			uint32_t target = references[i].object != MPROF_HEAP_NO_OBJECT
						  ? heap_collapse_find(&writer->collapse, references[i].object)
						  : UINT32_MAX;

			if (target == UINT32_MAX)
				continue;
			visited++;
			if (visit != NULL)
				visit(writer, &object, &references[i], target);
		}
		first += (uint32_t)count;
	} while (count == BATCH);
	return visited;
}

static void mark_direct(top_writer *writer, const mprof_heap_object *from, const mprof_heap_reference *reference,
			uint32_t target)
{
	const mprof_heap_object object = heap_view_object(writer->view, reference->object);

	if (object.dominator != MPROF_HEAP_NO_OBJECT &&
	    heap_view_object(writer->view, object.dominator).address == from->address)
		writer->is_direct[target] = 1;
}

static int compare_hidden(const void *left, const void *right)
{
	const hidden_edge *a = left;
	const hidden_edge *b = right;

	if (a->dominator != b->dominator)
		return a->dominator < b->dominator ? -1 : 1;
	return a->target < b->target ? -1 : a->target > b->target;
}

/* Finds the objects to which only collapsed objects lead. Returns 0 if out of memory. */
static int find_hidden(top_writer *writer)
{
	uint32_t kept = writer->collapse.kept_count;

	writer->is_direct = calloc((size_t)kept + 1, sizeof(*writer->is_direct));
	writer->hidden = calloc((size_t)kept + 1, sizeof(*writer->hidden));
	if (writer->is_direct == NULL || writer->hidden == NULL)
		return 0;
	for (uint32_t i = 0; i < kept; i++)
		visit_references(writer, i, mark_direct);
	for (uint32_t i = 0; i < kept; i++) {
		const mprof_heap_object object = heap_view_object(writer->view, writer->collapse.kept[i]);
		hidden_edge edge = {COLLAPSE_ROOTS, i};

		if (object.dominator != MPROF_HEAP_NO_OBJECT)
			edge.dominator = heap_collapse_find(&writer->collapse, object.dominator);
		if (object.dominator != MPROF_HEAP_NO_OBJECT ? !writer->is_direct[i] : !object.is_root)
			writer->hidden[writer->hidden_count++] = edge;
	}
	qsort(writer->hidden, writer->hidden_count, sizeof(*writer->hidden), compare_hidden);
	return 1;
}

static size_t first_hidden(const top_writer *writer, uint32_t dominator)
{
	size_t low = 0;
	size_t high = writer->hidden_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (writer->hidden[middle].dominator < dominator)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The number of edges of an owner, apart from references. */
static uint64_t count_owned(const top_writer *writer, uint32_t owner)
{
	const heap_collapse *collapse = &writer->collapse;
	size_t hidden = first_hidden(writer, owner);
	size_t group = heap_collapse_first_group(collapse, owner);
	uint64_t count = 0;

	for (; hidden < writer->hidden_count && writer->hidden[hidden].dominator == owner; hidden++)
		count++;
	for (; group < collapse->group_count && collapse->groups[group].owner == owner; group++)
		count++;
	return count;
}

static void put_owned(top_writer *writer, uint32_t owner)
{
	const heap_collapse *collapse = &writer->collapse;
	size_t hidden = first_hidden(writer, owner);
	size_t group = heap_collapse_first_group(collapse, owner);
	char name[TEXT_NUMBER_SIZE + 16];
	char number[TEXT_NUMBER_SIZE];

	for (; hidden < writer->hidden_count && writer->hidden[hidden].dominator == owner; hidden++)
		snapshot_put_edge(writer->file, EDGE_PROPERTY,
				  snapshot_string(writer->file, "(through collapsed objects)"),
				  kept_node(writer->hidden[hidden].target));
	for (; group < collapse->group_count && collapse->groups[group].owner == owner; group++) {
		snprintf(name, sizeof(name), "%s objects", text_count(number, collapse->groups[group].objects));
		snapshot_put_edge(writer->file, EDGE_PROPERTY, snapshot_string(writer->file, name),
				  group_node(writer, group));
	}
}

/* Counts the edges, and the objects whose size does not fit. Returns the edges of nodes that are objects. */
static uint64_t count_edges(top_writer *writer, snapshot_edges *first, uint64_t *saturated)
{
	const heap_collapse *collapse = &writer->collapse;
	uint64_t edges = 0;

	for (size_t i = 0; i < writer->view->totals.roots; i++) {
		mprof_heap_root root = heap_source_root(writer->view, i);

		first->roots[root.kind] += heap_collapse_find(collapse, root.object) != UINT32_MAX;
	}
	first->gc_roots = count_owned(writer, COLLAPSE_ROOTS);
	first->unreachable = count_owned(writer, COLLAPSE_UNREACHABLE);
	for (uint32_t i = 0; i < collapse->kept_count; i++) {
		edges += visit_references(writer, i, NULL) + count_owned(writer, i);
		*saturated += heap_view_object(writer->view, collapse->kept[i]).bytes > UINT32_MAX;
	}
	for (size_t i = 0; i < collapse->group_count; i++)
		*saturated += collapse->groups[i].bytes > UINT32_MAX;
	return edges;
}

/* The name of a node for objects of a class. */
static uint32_t group_name(top_writer *writer, uint32_t class_index)
{
	class_name buffer;
	char *text;
	uint32_t name;

	if (asprintf(&text, "%s (collapsed)", label_class(writer->view, class_index, &buffer)) < 0) {
		writer->file->has_failed = 1;
		return 0;
	}
	name = snapshot_string(writer->file, text);
	free(text);
	return name;
}

static void write_nodes(top_writer *writer, const snapshot_edges *first)
{
	const heap_collapse *collapse = &writer->collapse;

	snapshot_begin_nodes(writer->file, first, ", of which objects that retain little are collapsed");
	for (uint32_t i = 0; i < collapse->kept_count; i++) {
		const mprof_heap_object object = heap_view_object(writer->view, collapse->kept[i]);
		class_name name;

		snapshot_put_node(writer->file,
				  snapshot_string(writer->file, label_class(writer->view, object.class_index, &name)),
				  heap_ids_get(writer->ids, collapse->kept[i], object.address), object.bytes,
				  visit_references(writer, i, NULL) + count_owned(writer, i));
	}
	for (size_t i = 0; i < collapse->group_count; i++)
		snapshot_put_node(writer->file, group_name(writer, collapse->groups[i].class_index),
				  (group_node(writer, i) + 1) * 2, collapse->groups[i].bytes, 0);
}

static void put_reference(top_writer *writer, const mprof_heap_object *from, const mprof_heap_reference *reference,
			  uint32_t target)
{
	snapshot_put_reference(writer->file, from, reference, EDGE_PROPERTY, kept_node(target));
}

static void write_edges(top_writer *writer, const snapshot_edges *first)
{
	snapshot_begin_edges(writer->file);
	put_owned(writer, COLLAPSE_ROOTS);
	put_owned(writer, COLLAPSE_UNREACHABLE);
	for (uint32_t kind = 0; kind < HEAP_ROOT_KINDS; kind++) {
		uint32_t element = 0;

		for (size_t i = 0; i < writer->view->totals.roots && first->roots[kind] > 0; i++) {
			mprof_heap_root root = heap_source_root(writer->view, i);
			uint32_t target = heap_collapse_find(&writer->collapse, root.object);

			if (root.kind == kind && target != UINT32_MAX)
				snapshot_put_root(writer->file, &root, ++element, kept_node(target));
		}
	}
	for (uint32_t i = 0; i < writer->collapse.kept_count; i++) {
		visit_references(writer, i, put_reference);
		put_owned(writer, i);
	}
}

static void note_collapsed(const top_writer *writer)
{
	const heap_collapse *collapse = &writer->collapse;
	char number[TEXT_NUMBER_SIZE];

	text_begin_message(writer->view->input.name);
	fprintf(stderr, "%s objects, which retain at least ", text_count(number, collapse->kept_count));
	fprintf(stderr, "%s, are written; ", text_bytes(number, collapse->threshold));
	fprintf(stderr, "%s others are collapsed, ",
		text_count(number, writer->view->totals.objects - collapse->kept_count));
	fprintf(stderr, "into %s nodes, without the references between them\n",
		text_count(number, collapse->group_count));
}

static int write_nodes_and_edges(top_writer *writer, uint64_t *saturated)
{
	const heap_collapse *collapse = &writer->collapse;
	snapshot_edges first = {.gc_roots = 0};
	uint64_t nodes = collapse->kept_count + (uint64_t)collapse->group_count;
	uint64_t edges;

	if (nodes > SNAPSHOT_MAX_NODES - NODE_FIRST_OBJECT) {
		text_begin_message(writer->view->input.name);
		fputs("the format holds at most 715,827,882 objects: --top is too large\n", stderr);
		return 0;
	}
	note_collapsed(writer);
	edges = count_edges(writer, &first, saturated);
	snapshot_begin(writer->file, nodes, edges, &first);
	write_nodes(writer, &first);
	write_edges(writer, &first);
	snapshot_end(writer->file);
	return 1;
}

int heapsnapshot_top_write(snapshot_file *file, const heap_ids *ids, uint64_t top, uint64_t *saturated)
{
	top_writer writer = {.file = file, .view = file->view, .ids = ids};
	int is_written = 0;

	if (!writer.view->has_retained) {
		text_begin_message(writer.view->input.name);
		fputs("--top: what objects retain is not known\n", stderr);
		return 0;
	}
	if (heap_collapse_build(&writer.collapse, writer.view, top) && find_hidden(&writer))
		is_written = write_nodes_and_edges(&writer, saturated);
	else
		file->has_failed = 1;
	heap_collapse_release(&writer.collapse);
	free(writer.is_direct);
	free(writer.hidden);
	return is_written;
}
