/* SPDX-License-Identifier: MIT */
/*
 * Writes a heap snapshot in the format of V8.
 *
 * Nodes are in the order of their edges: the root, "(GC roots)", "(unreachable)", a node that names the snapshot, a
 * node for each kind of root, and the objects in the order of the graph. References of unreachable objects to reachable
 * ones are weak, so that they do not change what other objects retain.
 */
#include "common/elements.h"
#include "common/arguments.h"
#include "common/json.h"
#include "common/output.h"
#include "export/heap_source.h"
#include "export/intern.h"
#include "export/targets.h"
#include "heap/view.h"
#include "shared/key_map.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Chooses the objects that retain the most, and collapses the others.
 *
 * The objects that are kept are those that retain at least a number of bytes, so the dominators of a kept object are
 * kept. The owner of another object is the nearest of its dominators that is kept.
 */

/* Owners that are no kept object: only the roots together, or nothing, keep an object alive. */
#define COLLAPSE_ROOTS (UINT32_MAX - 1)
#define COLLAPSE_UNREACHABLE UINT32_MAX

/* Objects that are collapsed. The bytes fit 32 bits unless the group is one object. */
typedef struct collapse_group {
	uint32_t owner; /* A kept object by number, COLLAPSE_ROOTS or COLLAPSE_UNREACHABLE. */
	uint32_t class_index;
	uint64_t objects;
	uint64_t bytes;
} collapse_group;

typedef struct heap_collapse {
	uint64_t threshold; /* A kept object retains at least this number of bytes. */
	uint32_t *kept;     /* Objects that are kept, in their order. */
	uint32_t kept_count;
	uint32_t *owners;       /* By object: its number in kept, or its owner. */
	collapse_group *groups; /* In the order of owners and classes. */
	size_t group_count;
} heap_collapse;

/* Sizes are counted in buckets that are exact below 2^10 and have 10 significant bits above. */
#define BUCKET_BITS 10
#define BUCKET_STEPS (UINT64_C(1) << BUCKET_BITS)
#define BUCKETS ((64 - BUCKET_BITS + 1) << BUCKET_BITS)

static size_t bucket_of(uint64_t bytes)
{
	unsigned int exponent = 0;

	while (bytes >> exponent >= 2 * BUCKET_STEPS)
		exponent++;
	return bytes < BUCKET_STEPS ? (size_t)bytes
				    : (size_t)(((uint64_t)exponent << BUCKET_BITS) + (bytes >> exponent));
}

/* The least size of a bucket. */
static uint64_t bucket_bytes(size_t bucket)
{
	size_t exponent = bucket < 2 * BUCKET_STEPS ? 0 : (bucket >> BUCKET_BITS) - 1;

	return (uint64_t)(bucket - (exponent << BUCKET_BITS)) << exponent;
}

/* The least threshold that keeps at most \p top objects. Returns 0 if out of memory. */
static int choose_threshold(heap_collapse *collapse, const heap_view *view, uint64_t top)
{
	uint64_t *counts = calloc(BUCKETS, sizeof(*counts));
	uint64_t kept = 0;
	size_t bucket = BUCKETS;

	if (counts == NULL)
		return 0;
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(view, i);

		if (object.is_reachable)
			counts[bucket_of(object.retained_bytes)]++;
	}
	while (bucket > 0 && kept + counts[bucket - 1] <= top)
		kept += counts[--bucket];
	free(counts);
	collapse->threshold = bucket < BUCKETS ? bucket_bytes(bucket) : UINT64_MAX;
	collapse->kept_count = (uint32_t)kept;
	return 1;
}

static int keep_objects(heap_collapse *collapse, const heap_view *view)
{
	uint32_t count = 0;

	collapse->kept = calloc((size_t)collapse->kept_count + 1, sizeof(*collapse->kept));
	collapse->owners = calloc((size_t)view->totals.objects + 1, sizeof(*collapse->owners));
	if (collapse->kept == NULL || collapse->owners == NULL)
		return 0;
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(view, i);

		if (!object.is_reachable || object.retained_bytes < collapse->threshold ||
		    count == collapse->kept_count)
			continue;
		collapse->owners[i] = count;
		collapse->kept[count++] = i;
	}
	collapse->kept_count = count;
	return 1;
}

/* The number of an object in heap_collapse::kept, or UINT32_MAX if it is collapsed. */
static uint32_t heap_collapse_find(const heap_collapse *collapse, uint32_t object)
{
	uint32_t number = collapse->owners[object];

	return number < collapse->kept_count && collapse->kept[number] == object ? number : UINT32_MAX;
}

/* The owner of a collapsed object. \p known: by object, whether its owner has been found. */
static uint32_t find_owner(const heap_collapse *collapse, const heap_view *view, const unsigned char *known,
			   uint32_t object)
{
	for (;;) {
		const mprof_heap_object found = heap_view_object(view, object);

		if (!found.is_reachable)
			return COLLAPSE_UNREACHABLE;
		if (found.dominator == MPROF_HEAP_NO_OBJECT)
			return COLLAPSE_ROOTS;
		object = found.dominator;
		if (known[object])
			return collapse->owners[object];
	}
}

/* Finds the owners of all collapsed objects, each object once. Returns 0 if out of memory. */
static int find_owners(heap_collapse *collapse, const heap_view *view)
{
	unsigned char *known = calloc((size_t)view->totals.objects + 1, 1);

	if (known == NULL)
		return 0;
	for (uint32_t i = 0; i < collapse->kept_count; i++)
		known[collapse->kept[i]] = 1;
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		uint32_t owner;

		if (known[i])
			continue;
		owner = find_owner(collapse, view, known, i);
		for (uint32_t object = i; object != MPROF_HEAP_NO_OBJECT && !known[object];) {
			known[object] = 1;
			collapse->owners[object] = owner;
			object = heap_view_object(view, object).dominator;
		}
	}
	free(known);
	return 1;
}

typedef struct group_entry {
	uint64_t key;
	size_t index;
} group_entry;

static int compare_groups(const void *left, const void *right)
{
	const collapse_group *a = left;
	const collapse_group *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return a->class_index < b->class_index ? -1 : a->class_index > b->class_index;
}

/* Begins a group. Returns 0 if out of memory. */
static int begin_group(heap_collapse *collapse, size_t *capacity, uint32_t owner, uint32_t class_index)
{
	void *groups = collapse->groups;

	if (!elements_reserve(&groups, capacity, collapse->group_count, sizeof(collapse_group)))
		return 0;
	collapse->groups = groups;
	collapse->groups[collapse->group_count++] = (collapse_group){.owner = owner, .class_index = class_index};
	return 1;
}

/* Adds an object to its group, or to one more if that would exceed 32 bits. Returns 0 if out of memory. */
static int add_object(heap_collapse *collapse, key_map *indexes, size_t *capacity, uint32_t owner,
		      const mprof_heap_object *object)
{
	size_t known = indexes->count;
	group_entry *entry = key_map_put(indexes, (uint64_t)owner << 32 | object->class_index);
	collapse_group *group;

	if (entry == NULL)
		return 0;
	if (indexes->count > known || (collapse->groups[entry->index].objects > 0 &&
				       object->bytes > UINT32_MAX - collapse->groups[entry->index].bytes)) {
		entry->index = collapse->group_count;
		if (!begin_group(collapse, capacity, owner, object->class_index))
			return 0;
	}
	group = &collapse->groups[entry->index];
	group->objects++;
	/* Only an object alone in its group exceeds it. */
	group->bytes += object->bytes;
	return 1;
}

static int make_groups(heap_collapse *collapse, const heap_view *view)
{
	key_map indexes = {.value_size = sizeof(group_entry) - sizeof(uint64_t)};
	size_t capacity = 0;
	int is_complete = 1;

	for (uint32_t i = 0; i < view->totals.objects && is_complete; i++) {
		const mprof_heap_object object = heap_view_object(view, i);

		if (heap_collapse_find(collapse, i) == UINT32_MAX)
			is_complete = add_object(collapse, &indexes, &capacity, collapse->owners[i], &object);
	}
	key_map_clear(&indexes);
	if (collapse->group_count > 0)
		qsort(collapse->groups, collapse->group_count, sizeof(*collapse->groups), compare_groups);
	return is_complete;
}

/* Collapses a snapshot with dominators to at most top objects. Returns 0 if out of memory. */
static int heap_collapse_build(heap_collapse *collapse, const heap_view *view, uint64_t top)
{
	memset(collapse, 0, sizeof(*collapse));
	return choose_threshold(collapse, view, top) && keep_objects(collapse, view) && find_owners(collapse, view) &&
	       make_groups(collapse, view);
}

static void heap_collapse_release(heap_collapse *collapse)
{
	free(collapse->kept);
	free(collapse->owners);
	free(collapse->groups);
	memset(collapse, 0, sizeof(*collapse));
}

/* The index of the first group of an owner. */
static size_t heap_collapse_first_group(const heap_collapse *collapse, uint32_t owner)
{
	size_t low = 0;
	size_t high = collapse->group_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (collapse->groups[middle].owner < owner)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Makes 32-bit IDs from the addresses of the objects of a heap snapshot.
 *
 * Viewers that compare two snapshots recognize an object by its ID. An object that stays at its address has the same ID
 * in all snapshots of a log, as long as #heap_ids::is_stable is 1.
 */

/* The upper 10 bits of a number are the slot of a segment of 16 MiB, the lower 21 the position in units of 8 bytes. */
#define HEAP_IDS_SLOTS 1024

typedef struct heap_ids {
	uint64_t segments[HEAP_IDS_SLOTS]; /* By slot: the number of the segment and 1; 0 if unused. */
	int is_by_order;                   /* The addresses cannot be used: the IDs are the numbers of the objects. */
	int is_stable;
} heap_ids;

#define SEGMENT_BITS 24
#define UNIT_BITS 3
#define SEGMENT_UNITS_BITS (SEGMENT_BITS - UNIT_BITS)

/*
 * The slot that a segment has, or would get. Neighbouring segments have neighbouring slots, so only a heap that is
 * spread over more than 16 GiB of addresses has two segments that want the same one; the second one then takes the next
 * that is free, which depends on the other segments. Returns HEAP_IDS_SLOTS if no slot is free.
 */
static size_t find_slot(const heap_ids *ids, uint64_t segment)
{
	size_t first = segment % HEAP_IDS_SLOTS;

	for (size_t i = 0; i < HEAP_IDS_SLOTS; i++) {
		size_t slot = (first + i) % HEAP_IDS_SLOTS;

		if (ids->segments[slot] == 0 || ids->segments[slot] == segment + 1)
			return slot;
	}
	return HEAP_IDS_SLOTS;
}

static void use_order(heap_ids *ids)
{
	ids->is_by_order = 1;
	ids->is_stable = 0;
}

/* Assigns slots to the addresses of a snapshot. */
static void heap_ids_init(heap_ids *ids, const heap_view *view)
{
	memset(ids, 0, sizeof(*ids));
	ids->is_stable = 1;
	for (uint32_t i = 0; i < view->totals.objects && !ids->is_by_order; i++) {
		uint64_t address = heap_view_object(view, i).address;
		uint64_t segment = address >> SEGMENT_BITS;
		size_t slot = find_slot(ids, segment);

		if (slot == HEAP_IDS_SLOTS || (address & ((1U << UNIT_BITS) - 1)) != 0) {
			use_order(ids);
		} else {
			ids->segments[slot] = segment + 1;
			if (slot != segment % HEAP_IDS_SLOTS)
				ids->is_stable = 0;
		}
	}
}

/* The ID of an object, an odd number. The number of the object is index. */
static uint32_t heap_ids_get(const heap_ids *ids, uint32_t index, uint64_t address)
{
	uint32_t number = index;

	if (!ids->is_by_order) {
		uint32_t unit = (uint32_t)(address >> UNIT_BITS) & ((UINT32_C(1) << SEGMENT_UNITS_BITS) - 1);

		number = (uint32_t)find_slot(ids, address >> SEGMENT_BITS) << SEGMENT_UNITS_BITS | unit;
	}
	return number * 2 + 1;
}

/*
 * Writes the parts of a heap snapshot in the format of V8.
 *
 * The nodes begin with those of #snapshot_node. The edges are in the order of the nodes that they begin at.
 */

/* Numbers of the types of nodes and edges that are used. */
enum { NODE_OBJECT = 3 };
enum { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_WEAK = 6 };

/* Kinds of roots that have a node. */
#define SNAPSHOT_ROOT_KINDS (MPROF_ROOT_RUNTIME + 1)

/* Gets a root. Kinds without a node are with those that are most like them. */
static mprof_heap_root snapshot_root(const heap_view *view, size_t index)
{
	static const uint8_t kinds[HEAP_ROOT_KINDS] = {
		[MPROF_ROOT_OTHER] = MPROF_ROOT_OTHER,
		[MPROF_ROOT_STATIC] = MPROF_ROOT_STATIC,
		[MPROF_ROOT_THREAD_STATIC] = MPROF_ROOT_THREAD_STATIC,
		[MPROF_ROOT_STACK] = MPROF_ROOT_STACK,
		[MPROF_ROOT_HANDLE] = MPROF_ROOT_HANDLE,
		[MPROF_ROOT_FINALIZER] = MPROF_ROOT_FINALIZER,
		[MPROF_ROOT_RUNTIME] = MPROF_ROOT_RUNTIME,
		[MPROF_ROOT_NATIVE] = MPROF_ROOT_RUNTIME,
		[MPROF_ROOT_MONITOR] = MPROF_ROOT_STACK,
		[MPROF_ROOT_THREAD] = MPROF_ROOT_OTHER,
		[MPROF_ROOT_CLASS] = MPROF_ROOT_STATIC,
		[MPROF_ROOT_INTERNED] = MPROF_ROOT_RUNTIME,
		[MPROF_ROOT_SYMBOL] = MPROF_ROOT_RUNTIME,
		[MPROF_ROOT_LOCAL] = MPROF_ROOT_STACK,
		[MPROF_ROOT_GLOBAL] = MPROF_ROOT_HANDLE,
	};
	mprof_heap_root root = heap_source_root(view, index);

	root.kind = kinds[root.kind];
	return root;
}

/* Nodes that are no objects; those of kinds of roots are from NODE_FIRST_KIND on. */
enum snapshot_node {
	NODE_ROOT,
	NODE_GC_ROOTS,
	NODE_UNREACHABLE,
	NODE_NOTE,
	NODE_FIRST_KIND,
	NODE_FIRST_OBJECT = NODE_FIRST_KIND + SNAPSHOT_ROOT_KINDS
};

/* The viewers number nodes times fields with 32 bits. */
#define SNAPSHOT_MAX_NODES (UINT32_MAX / 6)

typedef struct snapshot_file {
	FILE *stream;
	const heap_view *view;
	intern_table strings;
	const char *separator;
	int has_failed; /* Out of memory. */
} snapshot_file;

/* Numbers of edges from the nodes that are no objects. */
typedef struct snapshot_edges {
	uint64_t gc_roots; /* In addition to those to the kinds of roots. */
	uint64_t unreachable;
	uint64_t roots[SNAPSHOT_ROOT_KINDS];
} snapshot_edges;

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

/* Whether no root keeps an object alive. */
static int snapshot_is_unreachable(const heap_view *view, const mprof_heap_object *object)
{
	return (view->has_retained || !view->totals.has_roots) && !object->is_reachable;
}

/* The number of a text. */
static uint32_t snapshot_string(snapshot_file *file, const char *text)
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

/* The number of the name of an object's node: its class, and its label. */
static uint32_t snapshot_object_name(snapshot_file *file, const mprof_heap_object *object)
{
	class_name buffer;
	const char *name = label_class(file->view, object->class_index, &buffer);
	uint32_t index;
	char *text;

	if (object->label[0] == '\0')
		return snapshot_string(file, name);
	if (asprintf(&text, "%s \"%s\"", name, object->label) < 0) {
		file->has_failed = 1;
		return 0;
	}
	index = snapshot_string(file, text);
	free(text);
	return index;
}

/* Begins a file whose numbers of objects and edges are known; the edges of the first nodes are added. */
static void snapshot_begin(snapshot_file *file, uint64_t objects, uint64_t edges, const snapshot_edges *first)
{
	uint64_t all = edges + 3 + SNAPSHOT_ROOT_KINDS + first->gc_roots + first->unreachable;

	for (size_t i = 0; i < SNAPSHOT_ROOT_KINDS; i++)
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

/* Begins the nodes with those that are no objects. \p what is added to the note about the snapshot. */
static void snapshot_begin_nodes(snapshot_file *file, const snapshot_edges *edges, const char *what)
{
	static const char *const names[SNAPSHOT_ROOT_KINDS] = {
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
	put_synthetic(file, NODE_GC_ROOTS, "(GC roots)", SNAPSHOT_ROOT_KINDS + edges->gc_roots);
	put_synthetic(file, NODE_UNREACHABLE, totals->has_roots ? "(unreachable)" : "(no roots in the log)",
		      edges->unreachable);
	put_synthetic(file, NODE_NOTE, note, 0);
	for (uint32_t i = 0; i < SNAPSHOT_ROOT_KINDS; i++)
		put_synthetic(file, NODE_FIRST_KIND + i, names[i], edges->roots[i]);
}

/* Writes a node. Objects have odd IDs. A size that does not fit 32 bits is replaced by the greatest that does. */
static void snapshot_put_node(snapshot_file *file, uint32_t name, uint32_t id, uint64_t bytes, uint64_t edges)
{
	const uint32_t node[NODE_FIELDS] = {
		NODE_OBJECT, name, id, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, (uint32_t)edges, 0};

	put_row(file, node, NODE_FIELDS);
}

static void snapshot_put_edge(snapshot_file *file, uint32_t type, uint32_t name_or_index, uint32_t node)
{
	const uint32_t edge[] = {type, name_or_index, node * NODE_FIELDS};

	put_row(file, edge, 3);
}

/* Ends the nodes, and writes the edges of the first two nodes except snapshot_edges::gc_roots. */
static void snapshot_begin_edges(snapshot_file *file)
{
	fputs("],\n\"edges\":[", file->stream);
	file->separator = "";
	snapshot_put_edge(file, EDGE_ELEMENT, 1, NODE_GC_ROOTS);
	snapshot_put_edge(file, EDGE_ELEMENT, 2, NODE_UNREACHABLE);
	snapshot_put_edge(file, EDGE_ELEMENT, 3, NODE_NOTE);
	for (uint32_t i = 0; i < SNAPSHOT_ROOT_KINDS; i++)
		snapshot_put_edge(file, EDGE_ELEMENT, i + 1, NODE_FIRST_KIND + i);
}

/* Writes the edge of a root. element is its number among the roots of its kind. */
static void snapshot_put_root(snapshot_file *file, const mprof_heap_root *root, uint32_t element, uint32_t node)
{
	const char *name = label_root(file->view, root);

	if (name[0] != '\0')
		snapshot_put_edge(file, EDGE_PROPERTY, snapshot_string(file, name), node);
	else
		snapshot_put_edge(file, EDGE_ELEMENT, element, node);
}

/* Writes the edge of a reference: an element of an array with its index, any other with the name of its field. */
static void snapshot_put_reference(snapshot_file *file, const mprof_heap_object *object,
				   const mprof_heap_reference *reference, uint32_t type, uint32_t node)
{
	const char *name = reference->name[0] != '\0' ? reference->name : NULL;
	mprof_record field;
	uint64_t index = 0;

	if (name == NULL && reference->has_offset &&
	    mprof_reader_lookup_field(file->view->input.reader, object->class_id, reference->offset, &field,
				      sizeof(field), &index) == MPROF_OK)
		name = field.as.field.name;
	if (name != NULL && name != reference->name && type == EDGE_PROPERTY && strcmp(name, "[]") == 0 &&
	    index <= INT32_MAX)
		snapshot_put_edge(file, EDGE_ELEMENT, (uint32_t)index, node);
	else
		snapshot_put_edge(file, type, snapshot_string(file, name != NULL ? name : "(unknown field)"), node);
}

/* Ends the edges, and writes the texts. */
static void snapshot_end(snapshot_file *file)
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

static void snapshot_release(snapshot_file *file)
{
	intern_release(&file->strings);
}

/*
 * Writes the objects that retain the most in the format of V8.
 *
 * The kept objects have the dominators and the retained sizes of the whole graph: they have all references between
 * them, and an edge from the immediate dominator if none of these begins there. A collapsed object belongs to a node
 * that only its owner refers to.
 */

#define TOP_BATCH 256U

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
	mprof_heap_reference references[TOP_BATCH];
	uint32_t visited = 0;
	uint32_t first = 0;
	size_t count;

	do {
		count = heap_source_references(writer->view, index, first, references, TOP_BATCH);
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
	} while (count == TOP_BATCH);
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
static uint64_t count_top_edges(top_writer *writer, snapshot_edges *first, uint64_t *saturated)
{
	const heap_collapse *collapse = &writer->collapse;
	uint64_t edges = 0;

	for (size_t i = 0; i < writer->view->totals.roots; i++) {
		mprof_heap_root root = snapshot_root(writer->view, i);

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

static void write_top_nodes(top_writer *writer, const snapshot_edges *first)
{
	const heap_collapse *collapse = &writer->collapse;

	snapshot_begin_nodes(writer->file, first, ", of which objects that retain little are collapsed");
	for (uint32_t i = 0; i < collapse->kept_count; i++) {
		const mprof_heap_object object = heap_view_object(writer->view, collapse->kept[i]);

		snapshot_put_node(writer->file, snapshot_object_name(writer->file, &object),
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
	for (uint32_t kind = 0; kind < SNAPSHOT_ROOT_KINDS; kind++) {
		uint32_t element = 0;

		for (size_t i = 0; i < writer->view->totals.roots && first->roots[kind] > 0; i++) {
			mprof_heap_root root = snapshot_root(writer->view, i);
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
	edges = count_top_edges(writer, &first, saturated);
	snapshot_begin(writer->file, nodes, edges, &first);
	write_top_nodes(writer, &first);
	write_edges(writer, &first);
	snapshot_end(writer->file);
	return 1;
}

/*
 * Writes at most top objects, those that retain the most. The others are nodes for each object that retains them and
 * class. saturated: adds the objects whose size does not fit. Returns 0 after a message if nothing can be written,
 * or if out of memory, then snapshot_file::has_failed is 1.
 */
static int heapsnapshot_top_write(snapshot_file *file, const heap_ids *ids, uint64_t top, uint64_t *saturated)
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

/* What is done with a weak reference to an object of the snapshot. */
typedef void weak_function(snapshot_writer *writer, const mprof_heap_object *object,
			   const mprof_heap_reference *reference);

/* Visits the weak references of an object to objects of the snapshot, and returns their number. */
static uint32_t visit_weak(snapshot_writer *writer, uint32_t index, const mprof_heap_object *object,
			   weak_function *visit)
{
	mprof_heap_reference references[BATCH];
	uint32_t visited = 0;
	uint32_t first = 0;
	size_t count;

	while (first < object->weak_references) {
		mprof_heap_graph_get_weak_references(writer->view.graph, index, first, references, sizeof(*references),
						     BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			if (references[i].object == MPROF_HEAP_NO_OBJECT)
				continue;
			visited++;
			if (visit != NULL)
				visit(writer, object, &references[i]);
		}
		first += (uint32_t)count;
	}
	return visited;
}

static uint32_t edges_of(snapshot_writer *writer, uint32_t index, const mprof_heap_object *object)
{
	const mprof_heap_graph_totals *totals = &writer->view.totals;
	const int is_counted = totals->missing_references > 0 || totals->synthetic_objects > 0;

	return (is_counted ? count_edges(writer, index) : object->references) + visit_weak(writer, index, object, NULL);
}

static void put_weak(snapshot_writer *writer, const mprof_heap_object *object, const mprof_heap_reference *reference)
{
	snapshot_put_reference(&writer->file, object, reference, EDGE_WEAK, NODE_FIRST_OBJECT + reference->object);
}

/* Counts what the head of the file states. */
static void count_all(snapshot_writer *writer)
{
	for (size_t i = 0; i < writer->view.totals.roots; i++)
		writer->first.roots[snapshot_root(&writer->view, i).kind]++;
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

		snapshot_put_node(&writer->file, snapshot_object_name(&writer->file, &object),
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
	for (uint32_t kind = 0; kind < SNAPSHOT_ROOT_KINDS; kind++) {
		element = 0;
		for (size_t i = 0; i < writer->view.totals.roots && writer->first.roots[kind] > 0; i++) {
			mprof_heap_root root = snapshot_root(&writer->view, i);

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
	(void)visit_weak(writer, index, &object, put_weak);
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
