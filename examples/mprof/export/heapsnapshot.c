/* SPDX-License-Identifier: MIT */
/*
 * Writes a heap snapshot in the format of V8.
 *
 * Nodes are in the order of their edges: the root, "(GC roots)", "(unreachable)", a node that names the snapshot, a
 * node for each kind of root, and the objects in the order of the graph. References of unreachable objects to reachable
 * ones are weak, so that they do not change what other objects retain.
 */
#include "export/targets.h"

#include "common/exit_status.h"
#include "common/output.h"
#include "export/heap_ids.h"
#include "export/heapsnapshot_file.h"
#include "export/heapsnapshot_top.h"
#include "heap/labels.h"
#include "shared/text.h"

#include <string.h>

#define BATCH 256U

/* Chrome DevTools needs minutes for more objects, or fails. */
#define MANY_OBJECTS UINT64_C(10000000)
#define LARGE_FILE UINT64_C(1000000000)
#define SMALLER "--top=1000000 collapses objects that retain little"

typedef struct snapshot_writer {
	snapshot_file file;
	heap_view view;
	heap_ids ids;
	snapshot_edges first;
	uint64_t edges;     /* Of objects. */
	uint64_t saturated; /* Objects whose size does not fit. */
} snapshot_writer;

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
	for (size_t i = 0; i < writer->view.totals.roots; i++)
		writer->first.roots[heap_source_root(&writer->view, i).kind]++;
	for (uint32_t i = 0; i < writer->view.totals.objects; i++) {
		mprof_heap_object object = heap_view_object(&writer->view, i);

		writer->first.unreachable += (uint64_t)snapshot_is_unreachable(&writer->view, &object);
		writer->saturated += object.bytes > UINT32_MAX;
		writer->edges += edges_of(writer, i, &object);
	}
}

static void write_nodes(snapshot_writer *writer)
{
	snapshot_begin_nodes(&writer->file, &writer->first, "");
	for (uint32_t i = 0; i < writer->view.totals.objects; i++) {
		mprof_heap_object object = heap_view_object(&writer->view, i);
		class_name name;

		snapshot_put_node(&writer->file,
				  snapshot_string(&writer->file, label_class(&writer->view, object.class_index, &name)),
				  heap_ids_get(&writer->ids, i, object.address), object.bytes,
				  edges_of(writer, i, &object));
	}
}

/* The edges of the nodes that are no objects, in the order of these. */
static void write_root_edges(snapshot_writer *writer)
{
	uint32_t element = 0;

	snapshot_begin_edges(&writer->file);
	for (uint32_t i = 0; i < writer->view.totals.objects && writer->first.unreachable > 0; i++) {
		mprof_heap_object object = heap_view_object(&writer->view, i);

		if (snapshot_is_unreachable(&writer->view, &object))
			snapshot_put_edge(&writer->file, EDGE_ELEMENT, ++element, NODE_FIRST_OBJECT + i);
	}
	for (uint32_t kind = 0; kind < HEAP_ROOT_KINDS; kind++) {
		element = 0;
		for (size_t i = 0; i < writer->view.totals.roots && writer->first.roots[kind] > 0; i++) {
			mprof_heap_root root = heap_source_root(&writer->view, i);

			if (root.kind == kind)
				snapshot_put_root(&writer->file, &root, ++element, NODE_FIRST_OBJECT + root.object);
		}
	}
}

static void write_references(snapshot_writer *writer, uint32_t index)
{
	const mprof_heap_object object = heap_view_object(&writer->view, index);
	int is_from_unreachable = snapshot_is_unreachable(&writer->view, &object);
	mprof_heap_reference references[BATCH];
	uint32_t first = 0;
	size_t count;

	do {
		count = heap_source_references(&writer->view, index, first, references, BATCH);
		for (size_t i = 0; i < count; i++) {
			mprof_heap_object target;
			uint32_t type = EDGE_PROPERTY;

			if (references[i].object == MPROF_HEAP_NO_OBJECT)
				continue;
			target = heap_view_object(&writer->view, references[i].object);
			if (is_from_unreachable && !snapshot_is_unreachable(&writer->view, &target))
				type = EDGE_WEAK;
			snapshot_put_reference(&writer->file, &object, &references[i], type,
					       NODE_FIRST_OBJECT + references[i].object);
		}
		first += (uint32_t)count;
	} while (count == BATCH);
}

static void write_snapshot(snapshot_writer *writer)
{
	count_all(writer);
	snapshot_begin(&writer->file, writer->view.totals.objects, writer->edges, &writer->first);
	write_nodes(writer);
	write_root_edges(writer);
	for (uint32_t i = 0; i < writer->view.totals.objects; i++)
		write_references(writer, i);
	snapshot_end(&writer->file);
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

/* Returns 0 if the snapshot cannot be written. */
static int write_all(snapshot_writer *writer)
{
	if (writer->view.totals.objects > SNAPSHOT_MAX_NODES - NODE_FIRST_OBJECT) {
		note(writer, writer->view.totals.objects, "objects: the format holds at most 715,827,882; " SMALLER);
		return 0;
	}
	/* Before writing, which takes some time, so that the user can choose the smaller form. */
	note(writer, writer->view.totals.objects > MANY_OBJECTS ? writer->view.totals.objects : 0,
	     "objects: Chrome DevTools is slow or fails above 10,000,000; " SMALLER);
	write_snapshot(writer);
	return 1;
}

static int write_objects(snapshot_writer *writer, const export_job *job, int status)
{
	int is_written;

	writer->file.view = &writer->view;
	heap_ids_init(&writer->ids, &writer->view);
	if (job->options.has_top)
		is_written = heapsnapshot_top_write(&writer->file, &writer->ids, job->options.top, &writer->saturated);
	else
		is_written = write_all(writer);
	if (writer->file.has_failed)
		output_out_of_memory();
	return is_written && !writer->file.has_failed ? note_limits(writer, status) : STATUS_NOTHING;
}

static int write_logs(const export_job *job, export_file *file)
{
	static snapshot_writer writer;
	int status;

	memset(&writer, 0, sizeof(writer));
	writer.file.stream = file->stream;
	status = heap_source_read(job, &writer.view);
	if (status == STATUS_OK || status == STATUS_DAMAGED)
		status = write_objects(&writer, job, status);
	snapshot_release(&writer.file);
	heap_view_release(&writer.view);
	return status;
}

const export_target export_heapsnapshot = {
	.name = "heapsnapshot",
	.extension = ".heapsnapshot",
	.description = "the objects of a heap snapshot, for Chrome DevTools and memlab",
	.lacks = "weak references are not in the log, and an ephemeron's value is a root of the runtime, not a "
		 "reference "
		 "of its key; an object that the collector moved between two snapshots appears as a new one",
	.kind = EXPORT_OBJECTS,
	.options = EXPORT_HAS_AT | EXPORT_HAS_TOP,
	.file_flags = EXPORT_FILE_TEXT,
	.viewer_limit = LARGE_FILE,
	.smaller = SMALLER,
	.write_logs = write_logs,
};
