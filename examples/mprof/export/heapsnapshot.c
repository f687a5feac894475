/* SPDX-License-Identifier: MIT */
/*
 * Writes a heap snapshot in the format of V8.
 *
 * Nodes are in the order of their edges: the root, "(GC roots)", "(unreachable)", a node that names the snapshot, a
 * node for each kind of root, and the objects in the order of the graph. References of unreachable objects to reachable
 * ones are weak, so that they do not change what other objects retain.
 */
#include "export/heapsnapshot.h"

#include "common/exit_status.h"
#include "common/json.h"
#include "common/output.h"
#include "export/heap_ids.h"
#include "export/heap_source.h"
#include "export/intern.h"
#include "heap/labels.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

/* Numbers of the types in META. */
enum { NODE_OBJECT = 3, NODE_SYNTHETIC = 9 };
enum { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_WEAK = 6 };

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

#define NODE_FIELDS 6U
#define BATCH 256U

/* The viewers number nodes times fields with 32 bits. */
#define MAX_NODES (UINT32_MAX / NODE_FIELDS)

/* Chrome DevTools needs minutes for more objects, or fails. */
#define MANY_OBJECTS UINT64_C(10000000)
#define LARGE_FILE UINT64_C(1000000000)
#define SMALLER "'mprof export --to=pprof' writes the paths of classes instead of single objects"

/* Synthetic nodes; those of kinds of roots are from NODE_FIRST_KIND on. */
enum {
	NODE_ROOT,
	NODE_GC_ROOTS,
	NODE_UNREACHABLE,
	NODE_NOTE,
	NODE_FIRST_KIND,
	NODE_FIRST_OBJECT = NODE_FIRST_KIND + HEAP_ROOT_KINDS
};

typedef struct snapshot_writer {
	FILE *stream;
	heap_view view;
	heap_ids ids;
	intern_table strings;
	uint64_t roots[HEAP_ROOT_KINDS];
	uint64_t unreachable; /* Objects. */
	uint64_t edges;
	uint64_t saturated; /* Objects whose size does not fit. */
	const char *separator;
	int has_failed; /* Out of memory. */
} snapshot_writer;

/* The number of a text in the table of strings. */
static uint32_t string_of(snapshot_writer *writer, const char *text)
{
	uint32_t index = 0;

	if (intern_add(&writer->strings, text, strlen(text) + 1, &index) < 0)
		writer->has_failed = 1;
	return index;
}

/* fprintf() is slow, and the file consists of numbers. */
static void put_number(snapshot_writer *writer, uint32_t number)
{
	char text[12];
	char *first = text + sizeof(text);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	fwrite(first, 1, (size_t)(text + sizeof(text) - first), writer->stream);
}

static void put_row(snapshot_writer *writer, const uint32_t *numbers, size_t count)
{
	fputs(writer->separator, writer->stream);
	writer->separator = ",\n";
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			putc_unlocked(',', writer->stream);
		put_number(writer, numbers[i]);
	}
}

static void put_node(snapshot_writer *writer, uint32_t type, uint32_t name, uint32_t id, uint32_t size, uint64_t edges)
{
	const uint32_t node[NODE_FIELDS] = {type, name, id, size, (uint32_t)edges, 0};

	put_row(writer, node, NODE_FIELDS);
}

/* Objects have odd IDs. */
static void put_synthetic(snapshot_writer *writer, uint32_t node, const char *name, uint64_t edges)
{
	put_node(writer, NODE_SYNTHETIC, string_of(writer, name), (node + 1) * 2, 0, edges);
}

static void put_edge(snapshot_writer *writer, uint32_t type, uint32_t name_or_index, uint32_t node)
{
	const uint32_t edge[] = {type, name_or_index, node * NODE_FIELDS};

	put_row(writer, edge, 3);
}

static int is_unreachable(const snapshot_writer *writer, const mprof_heap_object *object)
{
	return (writer->view.has_retained || !writer->view.totals.has_roots) && !object->is_reachable;
}

/* The number of references to objects of the snapshot. */
static uint32_t count_edges(const snapshot_writer *writer, uint32_t index)
{
	mprof_heap_reference references[BATCH];
	uint32_t first = 0;
	uint32_t edges = 0;
	size_t count;

	do {
		count = heap_source_references(&writer->view, index, first, references, BATCH);
		for (size_t i = 0; i < count; i++)
			edges += references[i].object != MPROF_HEAP_NO_OBJECT;
		first += (uint32_t)count;
	} while (count == BATCH);
	return edges;
}

static uint32_t edges_of(const snapshot_writer *writer, uint32_t index, const mprof_heap_object *object)
{
	return writer->view.totals.missing_references > 0 ? count_edges(writer, index) : object->references;
}

/* Counts what the head of the file states. */
static void count_all(snapshot_writer *writer)
{
	writer->edges = 3 + HEAP_ROOT_KINDS + writer->view.totals.roots;
	for (size_t i = 0; i < writer->view.totals.roots; i++)
		writer->roots[heap_source_root(&writer->view, i).kind]++;
	for (uint32_t i = 0; i < writer->view.totals.objects; i++) {
		mprof_heap_object object = heap_view_object(&writer->view, i);

		writer->unreachable += (uint64_t)is_unreachable(writer, &object);
		writer->saturated += object.bytes > UINT32_MAX;
		writer->edges += edges_of(writer, i, &object);
	}
	writer->edges += writer->unreachable;
}

static void put_synthetic_nodes(snapshot_writer *writer)
{
	static const char *const names[HEAP_ROOT_KINDS] = {
		"(other roots)",     "(static fields)", "(thread-static fields)", "(stacks)", "(handles)",
		"(finalizer queue)", "(runtime)",
	};

	char note[128];

	snprintf(note, sizeof(note), "(heap snapshot %u of the log%s)", (unsigned)writer->view.totals.snapshot,
		 writer->view.totals.incomplete ? ", incomplete: objects or references are missing" : "");
	put_synthetic(writer, NODE_ROOT, "", 3);
	put_synthetic(writer, NODE_GC_ROOTS, "(GC roots)", HEAP_ROOT_KINDS);
	put_synthetic(writer, NODE_UNREACHABLE,
		      writer->view.totals.has_roots ? "(unreachable)" : "(no roots in the log)", writer->unreachable);
	put_synthetic(writer, NODE_NOTE, note, 0);
	for (uint32_t i = 0; i < HEAP_ROOT_KINDS; i++)
		put_synthetic(writer, NODE_FIRST_KIND + i, names[i], writer->roots[i]);
}

static void write_nodes(snapshot_writer *writer)
{
	fputs("\"nodes\":[", writer->stream);
	writer->separator = "";
	put_synthetic_nodes(writer);
	for (uint32_t i = 0; i < writer->view.totals.objects; i++) {
		mprof_heap_object object = heap_view_object(&writer->view, i);
		class_name name;

		put_node(writer, NODE_OBJECT, string_of(writer, label_class(&writer->view, object.class_index, &name)),
			 heap_ids_get(&writer->ids, i, object.address),
			 object.bytes < UINT32_MAX ? (uint32_t)object.bytes : UINT32_MAX, edges_of(writer, i, &object));
	}
	fputs("],\n", writer->stream);
}

/* The edges of the synthetic nodes, in the order of these. */
static void put_root_edges(snapshot_writer *writer)
{
	uint32_t element;

	put_edge(writer, EDGE_ELEMENT, 1, NODE_GC_ROOTS);
	put_edge(writer, EDGE_ELEMENT, 2, NODE_UNREACHABLE);
	put_edge(writer, EDGE_ELEMENT, 3, NODE_NOTE);
	for (uint32_t i = 0; i < HEAP_ROOT_KINDS; i++)
		put_edge(writer, EDGE_ELEMENT, i + 1, NODE_FIRST_KIND + i);
	element = 0;
	for (uint32_t i = 0; i < writer->view.totals.objects && writer->unreachable > 0; i++) {
		mprof_heap_object object = heap_view_object(&writer->view, i);

		if (is_unreachable(writer, &object))
			put_edge(writer, EDGE_ELEMENT, ++element, NODE_FIRST_OBJECT + i);
	}
	for (uint32_t kind = 0; kind < HEAP_ROOT_KINDS; kind++) {
		element = 0;
		for (size_t i = 0; i < writer->view.totals.roots && writer->roots[kind] > 0; i++) {
			mprof_heap_root root = heap_source_root(&writer->view, i);
			const char *name = label_root(&writer->view, root.area);

			if (root.kind != kind)
				continue;
			element++;
			put_edge(writer, name[0] != '\0' ? EDGE_PROPERTY : EDGE_ELEMENT,
				 name[0] != '\0' ? string_of(writer, name) : element, NODE_FIRST_OBJECT + root.object);
		}
	}
}

/* An element of an array has its index, any other reference the name of its field. */
static void put_reference(snapshot_writer *writer, const mprof_heap_object *object, int is_from_unreachable,
			  const mprof_heap_reference *reference)
{
	const mprof_heap_object target = heap_view_object(&writer->view, reference->object);
	uint32_t type = is_from_unreachable && !is_unreachable(writer, &target) ? EDGE_WEAK : EDGE_PROPERTY;
	const char *name = NULL;
	mprof_record field;
	uint64_t index;

	if (reference->has_offset &&
	    mprof_reader_lookup_field(writer->view.input.reader, object->class_id, reference->offset, &field,
				      sizeof(field), &index) == MPROF_OK)
		name = field.as.field.name;
	if (name != NULL && type == EDGE_PROPERTY && strcmp(name, "[]") == 0 && index <= INT32_MAX)
		put_edge(writer, EDGE_ELEMENT, (uint32_t)index, NODE_FIRST_OBJECT + reference->object);
	else
		put_edge(writer, type, string_of(writer, name != NULL ? name : "(unknown field)"),
			 NODE_FIRST_OBJECT + reference->object);
}

static void write_edges(snapshot_writer *writer)
{
	mprof_heap_reference references[BATCH];

	fputs("\"edges\":[", writer->stream);
	writer->separator = "";
	put_root_edges(writer);
	for (uint32_t i = 0; i < writer->view.totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(&writer->view, i);
		int is_from_unreachable = is_unreachable(writer, &object);
		uint32_t first = 0;
		size_t count;

		do {
			count = heap_source_references(&writer->view, i, first, references, BATCH);
			for (size_t j = 0; j < count; j++) {
				if (references[j].object != MPROF_HEAP_NO_OBJECT)
					put_reference(writer, &object, is_from_unreachable, &references[j]);
			}
			first += (uint32_t)count;
		} while (count == BATCH);
	}
	fputs("],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n",
	      writer->stream);
}

static void write_strings(snapshot_writer *writer)
{
	json_writer json;

	json_init(&json, writer->stream, 0);
	fputs("\"strings\":", writer->stream);
	json_begin_array(&json, NULL);
	for (size_t i = 0; i < writer->strings.count; i++)
		json_string(&json, NULL, writer->strings.bytes + writer->strings.entries[i].offset);
	json_end_array(&json);
	fputs("}\n", writer->stream);
}

static void write_snapshot(snapshot_writer *writer)
{
	string_of(writer, "<dummy>");
	heap_ids_init(&writer->ids, &writer->view);
	count_all(writer);
	fprintf(writer->stream,
		META "\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64
		     ",\"trace_function_count\":0,\"extra_native_bytes\":0},\n",
		writer->view.totals.objects + NODE_FIRST_OBJECT, writer->edges);
	write_nodes(writer);
	write_edges(writer);
	write_strings(writer);
}

static void note(const snapshot_writer *writer, uint64_t count, const char *text)
{
	char number[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	text_begin_message(writer->view.input.name);
	fprintf(stderr, "%s %s\n", text_count(number, count), text);
}

/* What the viewers would get wrong. Returns the exit status. */
static int note_limits(const snapshot_writer *writer, int status)
{
	note(writer, writer->saturated,
	     "objects have more than 4294967295 bytes, the most that the format can state: their sizes are too small");
	if (!writer->ids.is_stable) {
		text_begin_message(writer->view.input.name);
		fputs("the IDs of objects differ between snapshots: viewers cannot compare them\n", stderr);
	}
	return writer->saturated > 0 ? STATUS_DAMAGED : status;
}

static int write_objects(snapshot_writer *writer, int status)
{
	if (writer->view.totals.objects > MAX_NODES - NODE_FIRST_OBJECT) {
		note(writer, writer->view.totals.objects, "objects: the format holds at most 715,827,882");
		return STATUS_NOTHING;
	}
	/* Before writing, which takes some time, so that the user can choose the smaller form. */
	note(writer, writer->view.totals.objects > MANY_OBJECTS ? writer->view.totals.objects : 0,
	     "objects: Chrome DevTools is slow or fails above 10,000,000; " SMALLER);
	write_snapshot(writer);
	if (writer->has_failed) {
		output_out_of_memory();
		return STATUS_NOTHING;
	}
	return note_limits(writer, status);
}

static int write_logs(const export_job *job, export_file *file)
{
	static snapshot_writer writer;
	int status;

	memset(&writer, 0, sizeof(writer));
	writer.stream = file->stream;
	status = heap_source_read(job, &writer.view);
	if (status == STATUS_OK || status == STATUS_DAMAGED)
		status = write_objects(&writer, status);
	intern_release(&writer.strings);
	heap_view_release(&writer.view);
	return status;
}

const export_target export_heapsnapshot = {
	.name = "heapsnapshot",
	.extension = ".heapsnapshot",
	.description = "the objects of a heap snapshot, for Chrome DevTools and memlab",
	.lacks = "weak references are not in the log; an object that the collector moved between two snapshots appears "
		 "as "
		 "a new one",
	.kind = EXPORT_OBJECTS,
	.options = EXPORT_HAS_AT,
	.file_flags = EXPORT_FILE_TEXT,
	.viewer_limit = LARGE_FILE,
	.smaller = SMALLER,
	.write_logs = write_logs,
};
