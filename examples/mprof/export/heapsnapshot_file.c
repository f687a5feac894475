/* SPDX-License-Identifier: MIT */
/* Writes the parts of a heap snapshot in the format of V8. */
#include "export/heapsnapshot_file.h"

#include "common/json.h"
#include "heap/labels.h"

#include <inttypes.h>
#include <string.h>

/* The type of the nodes that are no objects. */
#define NODE_SYNTHETIC 9
#define NODE_FIELDS 6U

/* memlab looks for the keys "snapshot" and "nodes" without a space after the colon. */
#define META                                                                                                           \
	"{\"snapshot\":{\"meta\":{"                                                                                    \
	"\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"detachedness\"],\n"                  \
	"\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\","      \
	"\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\",\"object shape\"],"  \
	"\"string\",\"number\",\"number\",\"number\",\"number\"],\n"                                                   \
	"\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\n"                                                  \
	"\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],"        \
	"\"string_or_number\",\"node\"],\n"                                                                            \
	"\"trace_function_info_fields\":[],\"trace_node_fields\":[],\"sample_fields\":[],"                             \
	"\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},\n"

int snapshot_is_unreachable(const heap_view *view, const mprof_heap_object *object)
{
	return (view->has_retained || !view->totals.has_roots) && !object->is_reachable;
}

uint32_t snapshot_string(snapshot_file *file, const char *text)
{
	uint32_t index = 0;

	if (intern_add(&file->strings, text, strlen(text) + 1, &index) < 0)
		file->has_failed = 1;
	return index;
}

/* fprintf() is slow, and the file consists of numbers. */
static void put_number(snapshot_file *file, uint32_t number)
{
	char text[12];
	char *first = text + sizeof(text);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	fwrite(first, 1, (size_t)(text + sizeof(text) - first), file->stream);
}

static void put_row(snapshot_file *file, const uint32_t *numbers, size_t count)
{
	fputs(file->separator, file->stream);
	file->separator = ",\n";
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			putc_unlocked(',', file->stream);
		put_number(file, numbers[i]);
	}
}

void snapshot_begin(snapshot_file *file, uint64_t objects, uint64_t edges, const snapshot_edges *first)
{
	uint64_t all = edges + 3 + HEAP_ROOT_KINDS + first->gc_roots + first->unreachable;

	for (size_t i = 0; i < HEAP_ROOT_KINDS; i++)
		all += first->roots[i];
	snapshot_string(file, "<dummy>");
	fprintf(file->stream,
		META "\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64
		     ",\"trace_function_count\":0,\"extra_native_bytes\":0},\n",
		objects + NODE_FIRST_OBJECT, all);
}

static void put_synthetic(snapshot_file *file, uint32_t node, const char *name, uint64_t edges)
{
	const uint32_t fields[NODE_FIELDS] = {
		NODE_SYNTHETIC, snapshot_string(file, name), (node + 1) * 2, 0, (uint32_t)edges, 0};

	put_row(file, fields, NODE_FIELDS);
}

void snapshot_begin_nodes(snapshot_file *file, const snapshot_edges *edges, const char *what)
{
	static const char *const names[HEAP_ROOT_KINDS] = {
		"(other roots)",     "(static fields)", "(thread-static fields)", "(stacks)", "(handles)",
		"(finalizer queue)", "(runtime)",
	};
	const mprof_heap_graph_totals *totals = &file->view->totals;
	char note[256];

	snprintf(note, sizeof(note), "(heap snapshot %u of the log%s%s)", (unsigned)totals->snapshot, what,
		 totals->incomplete ? ", incomplete: objects or references are missing" : "");
	fputs("\"nodes\":[", file->stream);
	file->separator = "";
	put_synthetic(file, NODE_ROOT, "", 3);
	put_synthetic(file, NODE_GC_ROOTS, "(GC roots)", HEAP_ROOT_KINDS + edges->gc_roots);
	put_synthetic(file, NODE_UNREACHABLE, totals->has_roots ? "(unreachable)" : "(no roots in the log)",
		      edges->unreachable);
	put_synthetic(file, NODE_NOTE, note, 0);
	for (uint32_t i = 0; i < HEAP_ROOT_KINDS; i++)
		put_synthetic(file, NODE_FIRST_KIND + i, names[i], edges->roots[i]);
}

void snapshot_put_node(snapshot_file *file, uint32_t name, uint32_t id, uint64_t bytes, uint64_t edges)
{
	const uint32_t node[NODE_FIELDS] = {
		NODE_OBJECT, name, id, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, (uint32_t)edges, 0};

	put_row(file, node, NODE_FIELDS);
}

void snapshot_begin_edges(snapshot_file *file)
{
	fputs("],\n\"edges\":[", file->stream);
	file->separator = "";
	snapshot_put_edge(file, EDGE_ELEMENT, 1, NODE_GC_ROOTS);
	snapshot_put_edge(file, EDGE_ELEMENT, 2, NODE_UNREACHABLE);
	snapshot_put_edge(file, EDGE_ELEMENT, 3, NODE_NOTE);
	for (uint32_t i = 0; i < HEAP_ROOT_KINDS; i++)
		snapshot_put_edge(file, EDGE_ELEMENT, i + 1, NODE_FIRST_KIND + i);
}

void snapshot_put_edge(snapshot_file *file, uint32_t type, uint32_t name_or_index, uint32_t node)
{
	const uint32_t edge[] = {type, name_or_index, node * NODE_FIELDS};

	put_row(file, edge, 3);
}

void snapshot_put_root(snapshot_file *file, const mprof_heap_root *root, uint32_t element, uint32_t node)
{
	const char *name = label_root(file->view, root->area);

	if (name[0] != '\0')
		snapshot_put_edge(file, EDGE_PROPERTY, snapshot_string(file, name), node);
	else
		snapshot_put_edge(file, EDGE_ELEMENT, element, node);
}

void snapshot_put_reference(snapshot_file *file, const mprof_heap_object *object, const mprof_heap_reference *reference,
			    uint32_t type, uint32_t node)
{
	const char *name = NULL;
	mprof_record field;
	uint64_t index;

	if (reference->has_offset &&
	    mprof_reader_lookup_field(file->view->input.reader, object->class_id, reference->offset, &field,
				      sizeof(field), &index) == MPROF_OK)
		name = field.as.field.name;
	if (name != NULL && type == EDGE_PROPERTY && strcmp(name, "[]") == 0 && index <= INT32_MAX)
		snapshot_put_edge(file, EDGE_ELEMENT, (uint32_t)index, node);
	else
		snapshot_put_edge(file, type, snapshot_string(file, name != NULL ? name : "(unknown field)"), node);
}

void snapshot_end(snapshot_file *file)
{
	json_writer json;

	fputs("],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n",
	      file->stream);
	json_init(&json, file->stream, 0);
	fputs("\"strings\":", file->stream);
	json_begin_array(&json, NULL);
	for (size_t i = 0; i < file->strings.count; i++)
		json_string(&json, NULL, file->strings.bytes + file->strings.entries[i].offset);
	json_end_array(&json);
	fputs("}\n", file->stream);
}

void snapshot_release(snapshot_file *file)
{
	intern_release(&file->strings);
}
