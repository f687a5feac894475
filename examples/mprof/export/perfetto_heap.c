/* SPDX-License-Identifier: MIT */
/*
 * Writes heap snapshots as packets of Perfetto.
 *
 * A snapshot is a series of packets with the same time, with roots and objects first: the reader assigns the names of
 * classes and fields when it has read the last one. The reader reserves 0 for objects, classes and fields that are not
 * known, so that all IDs are indexes and 1.
 */
#include "export/perfetto_heap.h"

#include "common/arguments.h"
#include "export/heap_source.h"
#include "export/intern.h"
#include "heap/view.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Finds objects from which all others can be reached. A search in depth of all objects ends with an object of a group
 * that refers to each other only after all objects that can be reached from the group. So, in the reverse order of the
 * ends, the first object that was not reached from those chosen before it is in a group to which nothing else refers.
 */

#define ROOT_BATCH 64U

/* An object on the path of the search, and its next reference. */
typedef struct search_step {
	uint32_t object;
	uint32_t next;
} search_step;

typedef struct top_search {
	const heap_view *view;
	unsigned char *seen;
	search_step *path;
	uint32_t *ended; /* Objects in the order in which the search ended with them. */
	size_t ended_count;
} top_search;

/* The first object from a reference on that was not seen; MPROF_HEAP_NO_OBJECT if there is none. */
static uint32_t next_unseen(const top_search *search, search_step *step)
{
	mprof_heap_reference references[ROOT_BATCH];
	size_t count;

	do {
		count = heap_source_references(search->view, step->object, step->next, references, ROOT_BATCH);
		for (size_t i = 0; i < count; i++) {
			step->next++;
			if (references[i].object != MPROF_HEAP_NO_OBJECT && !search->seen[references[i].object])
				return references[i].object;
		}
	} while (count == ROOT_BATCH);
	return MPROF_HEAP_NO_OBJECT;
}

/* Sees all objects that can be reached from one that was not seen. */
static void search_from(top_search *search, uint32_t object)
{
	size_t depth = 1;

	search->seen[object] = 1;
	search->path[0] = (search_step){.object = object};
	while (depth > 0) {
		const uint32_t next = next_unseen(search, &search->path[depth - 1]);

		if (next != MPROF_HEAP_NO_OBJECT) {
			search->seen[next] = 1;
			search->path[depth++] = (search_step){.object = next};
			continue;
		}
		depth--;
		search->ended[search->ended_count++] = search->path[depth].object;
	}
}

static void find_tops(top_search *search, uint32_t objects, uint32_t *tops, size_t *count)
{
	uint32_t *order;

	for (uint32_t i = 0; i < objects; i++) {
		if (!search->seen[i])
			search_from(search, i);
	}
	/* The first search has ended with every object once; the second one does not change the order that is read. */
	order = search->ended;
	memset(search->seen, 0, objects);
	for (uint32_t i = objects; i-- > 0;) {
		if (search->seen[order[i]])
			continue;
		tops[(*count)++] = order[i];
		search->ended = tops + objects;
		search->ended_count = 0;
		search_from(search, order[i]);
	}
	search->ended = order;
}

/*
 * Finds the objects to which no other one refers, and one object of each cycle to which no object outside of it refers.
 * All objects can be reached from them, and from no fewer. Takes time in proportion to the references. tops is
 * allocated, also if there are none; the caller frees it. Returns 0 if out of memory.
 */
static int heap_tops_find(const heap_view *view, uint32_t **tops, size_t *count)
{
	const uint32_t objects = view->totals.objects;
	top_search search = {
		.view = view,
		.seen = calloc((size_t)objects + 1, 1),
		.path = calloc((size_t)objects + 1, sizeof(*search.path)),
		.ended = calloc((size_t)objects + 1, sizeof(*search.ended)),
	};
	int is_found;

	*count = 0;
	/* The second half is for the order of the second search, which is not used. */
	*tops = calloc(2 * (size_t)objects + 1, sizeof(**tops));
	is_found = *tops != NULL && search.seen != NULL && search.path != NULL && search.ended != NULL;
	if (is_found)
		find_tops(&search, objects, *tops, count);
	free(search.seen);
	free(search.path);
	free(search.ended);
	return is_found;
}

/* HeapGraph */
enum {
	GRAPH_PID = 1,
	GRAPH_OBJECTS = 2,
	GRAPH_FIELD_NAMES = 4,
	GRAPH_CONTINUED = 5,
	GRAPH_INDEX = 6,
	GRAPH_ROOTS = 7,
	GRAPH_TYPES = 9
};

/* HeapGraphObject */
enum {
	OBJECT_ID = 1,
	OBJECT_TYPE = 2,
	OBJECT_SIZE = 3,
	OBJECT_FIELDS = 4,
	OBJECT_REFERENCES = 5,
	OBJECT_BASE = 6, /* Added to the IDs of references. */
	OBJECT_ID_DELTA = 7
};

enum { ROOT_OBJECTS = 1, ROOT_TYPE = 2, TYPE_ID = 1, TYPE_NAME = 3, TYPE_KIND = 7, NAME_ID = 1, NAME_TEXT = 2 };

/* Values of HeapGraphType.Kind */
enum { KIND_NORMAL = 1, KIND_ARRAY = 4 };

/* Values of HeapGraphRoot.Type */
enum {
	ROOT_UNKNOWN = 0,
	ROOT_JNI_GLOBAL = 1,
	ROOT_JAVA_FRAME = 3,
	ROOT_STICKY_CLASS = 5,
	ROOT_THREAD_OBJECT = 8,
	ROOT_FINALIZING = 10,
	ROOT_VM_INTERNAL = 13
};

/* A packet is written when it has this size. */
#define PACKET_SIZE ((size_t)1 << 18)

#define BATCH 256U

/* The log is read once for each snapshot. */
#define MAX_SNAPSHOTS 16

#define NAME_SIZE 256

typedef struct heap_packets {
	perfetto_writer *writer;
	const perfetto_heap_position *position;
	heap_view view;
	protobuf_message graph; /* The fields of the current packet. */
	protobuf_message object;
	protobuf_message fields;
	protobuf_message references;
	intern_table field_names;
	uint64_t time;
	uint64_t least_time;   /* Of the next snapshot. */
	size_t snapshot_count; /* Of the log. */
	uint64_t pid;
	uint64_t process; /* The track of the process. */
	uint64_t index;   /* Of the packet. */
	uint32_t objects; /* In the packet. */
} heap_packets;

static void write_packet(heap_packets *packets, int is_last)
{
	perfetto_writer *writer = packets->writer;

	protobuf_number(&packets->graph, GRAPH_PID, packets->pid);
	protobuf_number(&packets->graph, GRAPH_INDEX, packets->index++);
	protobuf_number(&packets->graph, GRAPH_CONTINUED, is_last ? 0 : 1);
	perfetto_begin_packet(writer, packets->time);
	protobuf_add(&writer->packet, PACKET_HEAP_GRAPH, &packets->graph);
	perfetto_end_packet(writer);
	protobuf_clear(&packets->graph);
	packets->objects = 0;
}

static void add_part(heap_packets *packets, uint32_t field, const protobuf_message *part)
{
	protobuf_add(&packets->graph, field, part);
	if (packets->graph.length >= PACKET_SIZE)
		write_packet(packets, 0);
}

/* The nearest of the kinds of roots of another runtime. */
static uint64_t type_of_root(uint32_t kind)
{
	switch (kind) {
	case MPROF_ROOT_STATIC:
		return ROOT_STICKY_CLASS;
	case MPROF_ROOT_THREAD_STATIC:
		return ROOT_THREAD_OBJECT;
	case MPROF_ROOT_STACK:
		return ROOT_JAVA_FRAME;
	case MPROF_ROOT_HANDLE:
		return ROOT_JNI_GLOBAL;
	case MPROF_ROOT_FINALIZER:
		return ROOT_FINALIZING;
	case MPROF_ROOT_RUNTIME:
		return ROOT_VM_INTERNAL;
	default:
		return ROOT_UNKNOWN;
	}
}

static void flush_roots(heap_packets *packets, uint32_t kind)
{
	if (packets->references.length == 0)
		return;
	protobuf_clear(&packets->object);
	protobuf_add(&packets->object, ROOT_OBJECTS, &packets->references);
	protobuf_number(&packets->object, ROOT_TYPE, type_of_root(kind));
	add_part(packets, GRAPH_ROOTS, &packets->object);
	protobuf_clear(&packets->references);
}

/* The reader shows only what it reaches from roots, so a snapshot without roots gets some. */
static void write_made_roots(heap_packets *packets)
{
	uint32_t *roots = NULL;
	size_t count = 0;

	if (!heap_tops_find(&packets->view, &roots, &count))
		packets->writer->has_failed = 1;
	for (size_t i = 0; i < count; i++) {
		protobuf_value(&packets->references, (uint64_t)roots[i] + 1);
		if (packets->references.length >= PACKET_SIZE)
			flush_roots(packets, MPROF_ROOT_OTHER);
	}
	flush_roots(packets, MPROF_ROOT_OTHER);
	free(roots);
}

static void write_roots(heap_packets *packets)
{
	const heap_view *view = &packets->view;

	protobuf_clear(&packets->references);
	if (!view->totals.has_roots) {
		write_made_roots(packets);
		return;
	}
	for (uint32_t kind = 0; kind < HEAP_ROOT_KINDS; kind++) {
		for (size_t i = 0; i < view->totals.roots; i++) {
			const mprof_heap_root root = heap_source_root(view, i);

			if (root.kind != kind)
				continue;
			protobuf_value(&packets->references, (uint64_t)root.object + 1);
			if (packets->references.length >= PACKET_SIZE)
				flush_roots(packets, kind);
		}
		flush_roots(packets, kind);
	}
}

/* 0 is a field that is not known. */
static uint64_t id_of_field(heap_packets *packets, uint32_t class_id, const mprof_heap_reference *reference)
{
	const char *name = label_field(&packets->view, class_id, reference);
	uint32_t index = 0;

	if (name == NULL)
		return 0;
	packets->writer->has_failed |= intern_add(&packets->field_names, name, strlen(name) + 1, &index) < 0;
	return (uint64_t)index + 1;
}

/* The least object that an object refers to. Its number is the base, which is less than the IDs. */
static uint32_t find_base(const heap_packets *packets, uint32_t object)
{
	mprof_heap_reference references[BATCH];
	uint32_t base = MPROF_HEAP_NO_OBJECT;
	uint32_t first = 0;
	size_t count;

	do {
		count = heap_source_references(&packets->view, object, first, references, BATCH);
		for (size_t i = 0; i < count; i++)
			base = references[i].object < base ? references[i].object : base;
		first += (uint32_t)count;
	} while (count == BATCH);
	return base;
}

static void add_references(heap_packets *packets, uint32_t object, uint32_t class_id)
{
	const uint32_t base = find_base(packets, object);
	mprof_heap_reference references[BATCH];
	uint32_t first = 0;
	size_t count;

	protobuf_clear(&packets->fields);
	protobuf_clear(&packets->references);
	do {
		count = heap_source_references(&packets->view, object, first, references, BATCH);
		for (size_t i = 0; i < count; i++) {
			if (references[i].object == MPROF_HEAP_NO_OBJECT)
				continue;
			protobuf_value(&packets->fields, id_of_field(packets, class_id, &references[i]));
			protobuf_value(&packets->references, (uint64_t)(references[i].object - base) + 1);
		}
		first += (uint32_t)count;
	} while (count == BATCH);
	if (packets->references.length == 0)
		return;
	protobuf_add(&packets->object, OBJECT_FIELDS, &packets->fields);
	protobuf_add(&packets->object, OBJECT_REFERENCES, &packets->references);
	protobuf_number(&packets->object, OBJECT_BASE, base);
}

static void write_objects(heap_packets *packets)
{
	for (uint32_t i = 0; i < packets->view.totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(&packets->view, i);

		protobuf_clear(&packets->object);
		if (packets->objects++ == 0)
			protobuf_number(&packets->object, OBJECT_ID, (uint64_t)i + 1);
		else
			protobuf_number(&packets->object, OBJECT_ID_DELTA, 1);
		protobuf_number(&packets->object, OBJECT_TYPE, (uint64_t)object.class_index + 1);
		protobuf_number(&packets->object, OBJECT_SIZE, object.bytes);
		if (object.references > 0)
			add_references(packets, i, object.class_id);
		add_part(packets, GRAPH_OBJECTS, &packets->object);
	}
}

static int is_array(const char *name)
{
	const size_t length = strlen(name);

	return length > 1 && name[length - 1] == ']' && (name[length - 2] == '[' || name[length - 2] == ',');
}

static void write_types(heap_packets *packets)
{
	const heap_view *view = &packets->view;
	const char *text;
	class_name name;

	for (size_t i = 0; i < view->totals.classes; i++) {
		protobuf_clear(&packets->object);
		protobuf_number(&packets->object, TYPE_ID, i + 1);
		text = label_class(view, i, &name);
		protobuf_text(&packets->object, TYPE_NAME, perfetto_text(packets->writer, text));
		protobuf_number(&packets->object, TYPE_KIND, is_array(text) ? KIND_ARRAY : KIND_NORMAL);
		add_part(packets, GRAPH_TYPES, &packets->object);
	}
}

/* The reader takes the text before the first space of a name for the type of the field. */
static void write_field_names(heap_packets *packets)
{
	for (size_t i = 0; i < packets->field_names.count; i++) {
		const char *name = packets->field_names.bytes + packets->field_names.entries[i].offset;
		const char *text = perfetto_text(packets->writer, name);
		/* The text is borrowed as the content of a message. */
		const protobuf_message borrowed = {.bytes = (unsigned char *)(uintptr_t)text, .length = strlen(text)};

		protobuf_clear(&packets->fields);
		if (strchr(text, ' ') != NULL)
			protobuf_value(&packets->fields, ' ');
		protobuf_append(&packets->fields, &borrowed);
		protobuf_clear(&packets->object);
		protobuf_number(&packets->object, NAME_ID, i + 1);
		protobuf_add(&packets->object, NAME_TEXT, &packets->fields);
		add_part(packets, GRAPH_FIELD_NAMES, &packets->object);
	}
}

/* Where the reader shows no roots and no missing objects, an event states why. */
static void write_note(heap_packets *packets)
{
	const mprof_heap_graph_totals *totals = &packets->view.totals;
	const uint64_t missing = totals->missing_references + totals->missing_roots;
	char text[NAME_SIZE];

	snprintf(text, sizeof(text), "Heap snapshot %" PRIu32 "%s%s", totals->snapshot,
		 totals->incomplete ? " (incomplete: objects or references are missing)" : "",
		 totals->has_roots ? "" : " (without roots: objects that no other one refers to are shown as roots)");
	perfetto_begin_event(packets->writer, TRACK_EVENT_INSTANT, packets->process, text);
	perfetto_annotate_number(packets->writer, "objects", totals->objects);
	perfetto_annotate_number(packets->writer, "bytes", totals->bytes);
	if (missing > 0)
		perfetto_annotate_number(packets->writer, "references to missing objects", missing);
	perfetto_end_event(packets->writer, packets->time);
}

static void write_snapshot(heap_packets *packets)
{
	write_note(packets);
	write_roots(packets);
	write_objects(packets);
	write_types(packets);
	write_field_names(packets);
	write_packet(packets, 1);
	packets->writer->has_failed |= packets->graph.has_failed || packets->object.has_failed ||
				       packets->fields.has_failed || packets->references.has_failed;
}

static int report_problem(const heap_packets *packets, const char *problem)
{
	text_begin_message(packets->view.input.name);
	fprintf(stderr, "heap snapshot: %s\n", problem);
	return STATUS_NOTHING;
}

/* Reads a snapshot, without what its roots allow to compute. Returns an exit status. */
static int read_snapshot(heap_packets *packets, const char *path, uint32_t snapshot, int list_only)
{
	heap_view *view = &packets->view;
	mprof_heap_graph_options options;
	mprof_status status;

	if (input_open_quietly(&view->input, path) != STATUS_OK)
		return report_problem(packets, "cannot read the log once more");
	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = snapshot;
	options.list_only = list_only != 0;
	status = mprof_heap_graph_create(&options, &view->graph);
	/* Damage was reported when the log was read first. */
	if (status == MPROF_OK)
		status = mprof_heap_graph_read(view->graph, view->input.reader, input_damage, &view->input);
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO)
		return report_problem(packets, mprof_status_get_text(status));
	if (input_failure(&view->input) != MPROF_OK)
		return report_problem(packets, mprof_status_get_text(input_failure(&view->input)));
	view->totals.struct_size = sizeof(view->totals);
	mprof_heap_graph_get_totals(view->graph, &view->totals);
	if (view->totals.limited && !list_only)
		return report_problem(packets, "it needs more than 4 GiB of memory");
	return STATUS_OK;
}

static void release_snapshot(heap_packets *packets)
{
	mprof_heap_graph_destroy(packets->view.graph);
	input_close(&packets->view.input);
	memset(&packets->view, 0, sizeof(packets->view));
	intern_release(&packets->field_names);
	protobuf_clear(&packets->graph);
	packets->index = 0;
	packets->objects = 0;
}

/* The reader would take two snapshots with the same time for one. */
static void set_time(heap_packets *packets)
{
	const int64_t time = packets->view.totals.time_ns;

	packets->time = time > 0 ? (uint64_t)time : 0;
	if (packets->time < packets->least_time)
		packets->time = packets->least_time;
	packets->least_time = packets->time + 1;
}

/* States on standard error what a snapshot lacks. Returns an exit status. */
static int note_missing(const heap_packets *packets)
{
	const mprof_heap_graph_totals *totals = &packets->view.totals;
	const uint64_t missing = totals->missing_references + totals->missing_roots;
	char number[TEXT_NUMBER_SIZE];

	if (missing > 0) {
		text_begin_message(packets->view.input.name);
		fprintf(stderr,
			"heap snapshot %" PRIu32 ": %s references and roots lead to objects that are not in it\n",
			totals->snapshot, text_count(number, missing));
	}
	if (!totals->has_roots && totals->objects > 0) {
		text_begin_message(packets->view.input.name);
		fprintf(stderr,
			"heap snapshot %" PRIu32
			" has no roots: objects that no other one refers to are shown as roots\n",
			totals->snapshot);
	}
	if (totals->incomplete) {
		text_begin_message(packets->view.input.name);
		fprintf(stderr, "heap snapshot %" PRIu32 " is incomplete: objects or references are missing\n",
			totals->snapshot);
	}
	return totals->incomplete ? STATUS_DAMAGED : STATUS_OK;
}

/* Writes a snapshot with a number. Returns an exit status. */
static int write_number(heap_packets *packets, const char *path, uint32_t snapshot)
{
	int status = read_snapshot(packets, path, snapshot, 0);

	if (status == STATUS_OK && packets->view.totals.snapshot != 0) {
		packets->position->find_process(packets->position->user, snapshot, packets->snapshot_count,
						&packets->pid, &packets->process);
		set_time(packets);
		write_snapshot(packets);
		status = note_missing(packets);
	}
	release_snapshot(packets);
	return status;
}

static int is_inside(const perfetto_heap_position *position, const mprof_heap_snapshot *snapshot)
{
	const uint64_t time = snapshot->time_ns > 0 ? (uint64_t)snapshot->time_ns : 0;

	return time >= position->start_ns && time < position->end_ns;
}

/* Finds the snapshots to write: those from \p first to \p last; 0 if there are none. Returns an exit status. */
static int choose_snapshots(heap_packets *packets, const export_job *job, uint32_t *first, uint32_t *last)
{
	int status = read_snapshot(packets, job->log, 0, 1);
	const size_t count = mprof_heap_graph_get_snapshot_count(packets->view.graph);

	packets->snapshot_count = count;
	*first = 0;
	*last = 0;
	if (job->heap_shot > count) {
		text_begin_message(packets->view.input.name);
		fprintf(stderr, "--at=%" PRIu64 ": the log has %zu heap snapshot%s\n", job->heap_shot, count,
			count == 1 ? "" : "s");
		status = STATUS_NOTHING;
	}
	for (size_t i = 0; i < count; i++) {
		mprof_heap_snapshot snapshot = {.struct_size = sizeof(snapshot)};

		if (job->heap_shot != 0 && i + 1 != job->heap_shot)
			continue;
		mprof_heap_graph_get_snapshot(packets->view.graph, i, &snapshot);
		if (job->heap_shot == 0 && !is_inside(packets->position, &snapshot))
			continue;
		*last = (uint32_t)i + 1;
		*first = *first == 0 ? *last : *first;
	}
	if (*last - *first >= MAX_SNAPSHOTS) {
		text_begin_message(packets->view.input.name);
		fprintf(stderr, "only the last %d of %" PRIu32 " heap snapshots; --at or --time for others\n",
			MAX_SNAPSHOTS, *last - *first + 1);
		*first = *last - MAX_SNAPSHOTS + 1;
	}
	release_snapshot(packets);
	return status;
}

int perfetto_heap_write(perfetto_writer *writer, const export_job *job, const perfetto_heap_position *position)
{
	static heap_packets packets;
	uint32_t first;
	uint32_t last;
	int status;

	memset(&packets, 0, sizeof(packets));
	packets.writer = writer;
	packets.position = position;
	status = choose_snapshots(&packets, job, &first, &last);
	for (uint32_t i = first; i != 0 && i <= last && status != STATUS_NOTHING; i++) {
		const int written = write_number(&packets, job->log, i);

		status = written > status ? written : status;
	}
	protobuf_release(&packets.graph);
	protobuf_release(&packets.object);
	protobuf_release(&packets.fields);
	protobuf_release(&packets.references);
	return status;
}
