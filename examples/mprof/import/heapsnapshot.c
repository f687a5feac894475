/* SPDX-License-Identifier: MIT */
/*
 * Reads heap snapshots of V8, which Node.js (v8.writeHeapSnapshot()) and Chromium's DevTools write: numbers of nodes
 * and edges, whose names come at the end of the file.
 */
#include "import/heap_log.h"
#include "import/import.h"
#include "import/json_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of V8 are doubles; an address is an ID of V8 times the unit of addresses. */
#define MAX_INTEGER (INT64_C(1) << 53)

enum { MAX_FIELDS = 32, MAX_TYPES = 64, TYPE_SIZE = 32, ADDRESS_SHIFT = 3, MAX_LABEL = 200, KEY_SIZE = 32 };

static const char out_of_memory[] = "out of memory";
static const char not_described[] = "the snapshot does not describe its nodes and edges before them";

typedef struct node {
	uint64_t id, size;
	uint32_t name, edge_count, class_id;
	uint8_t type, is_synthetic;
} node;

typedef struct edge {
	uint32_t name, target; /* The name is an index of an element, or a text. */
	uint8_t type;
} edge;

/* Fields and types of nodes or of edges. */
typedef struct layout {
	char fields[MAX_FIELDS][TYPE_SIZE], types[MAX_TYPES][TYPE_SIZE];
	size_t field_count, type_count;
} layout;

typedef struct class_entry {
	uint64_t key, id;
} class_entry;

/* What an edge is, by the name of its type. */
typedef enum edge_kind { EDGE_NAMED, EDGE_ELEMENT, EDGE_UNNAMED, EDGE_WEAK } edge_kind;

static import_job *job;
static json_reader json;
static layout nodes_layout, edges_layout;
static struct {
	node *nodes;
	edge *edges;
	char **texts;
	size_t node_count, node_capacity, edge_count, edge_capacity, text_count, text_capacity;
	int has_edges, has_texts;
} snapshot;
static heap_log heap;
static key_map classes = {.value_size = sizeof(uint64_t)};
static uint64_t into_groups, weak_of_groups, without_target, locations, detached;

/* Reads a list of texts, which are cut. Lists inside of it are read as far as the first one. */
static size_t read_names(char names[][TYPE_SIZE], size_t most)
{
	size_t count = 0;
	json_token token;

	while ((token = json_reader_next(&json)) == JSON_STRING) {
		if (count == most) {
			json_reader_refuse(&json, "too many fields or types");
			return 0;
		}
		snprintf(names[count++], TYPE_SIZE, "%.*s", TYPE_SIZE - 1, json.text);
	}
	if (token != JSON_ARRAY_END)
		json_reader_refuse(&json, "not a list of texts");
	return count;
}

/* "node_types": [["hidden", ...], "string", ...]: the first field is the type. */
static size_t read_types(char types[][TYPE_SIZE])
{
	size_t count = 0;
	json_token token = json_reader_next(&json);

	if (token == JSON_ARRAY_BEGIN)
		count = read_names(types, MAX_TYPES);
	while (json.problem == NULL && (token = json_reader_next(&json)) != JSON_ARRAY_END)
		json_reader_skip(&json, token);
	return count;
}

static void read_meta(void)
{
	json_token token;

	while (json_reader_next(&json) == JSON_KEY) {
		char key[KEY_SIZE];

		snprintf(key, sizeof(key), "%s", json.text);
		token = json_reader_next(&json);
		if (token != JSON_ARRAY_BEGIN)
			json_reader_skip(&json, token);
		else if (strcmp(key, "node_fields") == 0)
			nodes_layout.field_count = read_names(nodes_layout.fields, MAX_FIELDS);
		else if (strcmp(key, "edge_fields") == 0)
			edges_layout.field_count = read_names(edges_layout.fields, MAX_FIELDS);
		else if (strcmp(key, "node_types") == 0)
			nodes_layout.type_count = read_types(nodes_layout.types);
		else if (strcmp(key, "edge_types") == 0)
			edges_layout.type_count = read_types(edges_layout.types);
		else
			json_reader_skip(&json, token);
	}
}

/* "snapshot": {"meta": {...}, ...} */
static void read_description(void)
{
	while (json_reader_next(&json) == JSON_KEY) {
		const int is_meta = strcmp(json.text, "meta") == 0;
		const json_token token = json_reader_next(&json);

		if (is_meta && token == JSON_OBJECT_BEGIN)
			read_meta();
		else
			json_reader_skip(&json, token);
	}
}

/* The index of a field; MAX_FIELDS if there is none. */
static size_t field_of(const layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->field_count; i++) {
		if (strcmp(layout->fields[i], name) == 0)
			return i;
	}
	return MAX_FIELDS;
}

/* Reads the numbers of a row. Returns 0 at the end of the list. */
static int read_row(const layout *layout, int64_t row[MAX_FIELDS + 1])
{
	for (size_t i = 0; i < layout->field_count; i++) {
		const json_token token = json_reader_next(&json);

		if (token == JSON_ARRAY_END && i == 0)
			return 0;
		if (token != JSON_NUMBER) {
			json_reader_refuse(&json, "a list of numbers ends within a row");
			return 0;
		}
		if (!json_reader_integer(&json, 0, MAX_INTEGER, &row[i]))
			return 0;
	}
	return 1;
}

static int has_fields(const layout *layout, const char *const *names, size_t count, size_t *indexes)
{
	for (size_t i = 0; i < count; i++) {
		indexes[i] = field_of(layout, names[i]);
		if (indexes[i] == MAX_FIELDS) {
			json_reader_refuse(&json, not_described);
			return 0;
		}
	}
	return 1;
}

static void read_nodes(void)
{
	static const char *const names[] = {"type", "name", "id", "self_size", "edge_count"};
	const size_t detachedness = field_of(&nodes_layout, "detachedness");
	int64_t row[MAX_FIELDS + 1] = {0};
	size_t at[sizeof(names) / sizeof(names[0])];

	if (!has_fields(&nodes_layout, names, sizeof(names) / sizeof(names[0]), at))
		return;
	while (read_row(&nodes_layout, row)) {
		node *added;

		if (row[at[0]] >= (int64_t)nodes_layout.type_count || row[at[1]] > UINT32_MAX ||
		    row[at[4]] > UINT32_MAX) {
			json_reader_refuse(&json, "a type, a name or a number of edges is out of range");
			return;
		}
		snapshot.nodes = import_job_grow(job, snapshot.nodes, snapshot.node_count, &snapshot.node_capacity,
						 sizeof(*snapshot.nodes));
		added = &snapshot.nodes[snapshot.node_count++];
		*added = (node){.id = (uint64_t)row[at[2]], .size = (uint64_t)row[at[3]]};
		added->type = (uint8_t)row[at[0]];
		added->name = (uint32_t)row[at[1]];
		added->edge_count = (uint32_t)row[at[4]];
		added->is_synthetic = strcmp(nodes_layout.types[added->type], "synthetic") == 0;
		detached += detachedness < MAX_FIELDS && row[detachedness] != 0;
	}
}

static void read_edges(void)
{
	static const char *const names[] = {"type", "name_or_index", "to_node"};
	int64_t row[MAX_FIELDS + 1] = {0};
	size_t at[sizeof(names) / sizeof(names[0])];

	if (!has_fields(&edges_layout, names, sizeof(names) / sizeof(names[0]), at))
		return;
	/* Targets are numbers of fields of nodes. */
	if (nodes_layout.field_count == 0) {
		json_reader_refuse(&json, not_described);
		return;
	}
	snapshot.has_edges = 1;
	while (read_row(&edges_layout, row)) {
		const int64_t target = row[at[2]] / (int64_t)nodes_layout.field_count;

		if (row[at[0]] >= (int64_t)edges_layout.type_count || row[at[1]] > UINT32_MAX || target >= UINT32_MAX) {
			json_reader_refuse(&json, "a type, a name or a target of an edge is out of range");
			return;
		}
		snapshot.edges = import_job_grow(job, snapshot.edges, snapshot.edge_count, &snapshot.edge_capacity,
						 sizeof(*snapshot.edges));
		snapshot.edges[snapshot.edge_count++] =
			(edge){(uint32_t)row[at[1]], (uint32_t)target, (uint8_t)row[at[0]]};
	}
}

static void read_texts(void)
{
	json_token token;

	while ((token = json_reader_next(&json)) == JSON_STRING) {
		char *text = strdup(json.text);

		if (text == NULL)
			import_job_fail(job, out_of_memory);
		snapshot.texts = import_job_grow(job, snapshot.texts, snapshot.text_count, &snapshot.text_capacity,
						 sizeof(*snapshot.texts));
		snapshot.texts[snapshot.text_count++] = text;
	}
	if (token != JSON_ARRAY_END)
		json_reader_refuse(&json, "not a list of texts");
	else
		snapshot.has_texts = 1;
}

/* Counts the rows of a list of numbers that is left out. */
static uint64_t count_rows(size_t fields)
{
	uint64_t count = 0;

	while (json_reader_next(&json) == JSON_NUMBER)
		count++;
	return count / fields;
}

/* Script, line and column of functions: four numbers each. */
enum { LOCATION_FIELDS = 4 };

static void read_snapshot(void)
{
	if (json_reader_next(&json) != JSON_OBJECT_BEGIN)
		json_reader_refuse(&json, "not a heap snapshot of V8");
	while (json_reader_next(&json) == JSON_KEY) {
		char key[KEY_SIZE];
		json_token token;

		snprintf(key, sizeof(key), "%s", json.text);
		token = json_reader_next(&json);
		if (strcmp(key, "snapshot") == 0 && token == JSON_OBJECT_BEGIN)
			read_description();
		else if (token != JSON_ARRAY_BEGIN)
			json_reader_skip(&json, token);
		else if (strcmp(key, "nodes") == 0)
			read_nodes();
		else if (strcmp(key, "edges") == 0)
			read_edges();
		else if (strcmp(key, "strings") == 0)
			read_texts();
		else if (strcmp(key, "locations") == 0)
			locations = count_rows(LOCATION_FIELDS);
		else
			json_reader_skip(&json, token);
	}
	if (json.problem == NULL)
		json_reader_next(&json);
	if (json.problem != NULL)
		import_job_report_damage(job, json.offset, json.problem);
}

/* What a text is; NULL if the file lacks it. */
static const char *text_of(uint32_t index)
{
	return index < snapshot.text_count ? snapshot.texts[index] : NULL;
}

/* The name of a node's class, as in DevTools. */
static const char *class_name(const node *node, char name[TYPE_SIZE + 2])
{
	static const struct {
		const char *type, *name;
	} known[] = {
		{"hidden", "(system)"}, {"code", "(compiled code)"}, {"closure", "Function"}, {"regexp", "RegExp"}};
	const char *type = nodes_layout.types[node->type], *text = text_of(node->name);

	if ((strcmp(type, "object") == 0 || strcmp(type, "native") == 0) && text != NULL && *text != '\0')
		return text;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(type, known[i].type) == 0)
			return known[i].name;
	}
	snprintf(name, TYPE_SIZE + 2, "(%s)", type);
	return name;
}

static void define_classes(void)
{
	mprof_class_definition definition = {.struct_size = sizeof(definition)};
	char buffer[TYPE_SIZE + 2];

	for (size_t i = 0; i < snapshot.node_count; i++) {
		const char *name = heap_log_keep_text(&heap, class_name(&snapshot.nodes[i], buffer));
		class_entry *entry = import_job_put(job, &classes, (uintptr_t)name);

		if (entry->id == 0) {
			entry->id = classes.count;
			definition.id = (uint32_t)entry->id;
			definition.name = name;
			definition.name_length = strlen(name);
			import_job_expect(job, mprof_writer_define_class(job->writer, &definition));
		}
		snapshot.nodes[i].class_id = (uint32_t)entry->id;
	}
}

static uint64_t address_of(const node *node)
{
	return node->id << ADDRESS_SHIFT;
}

/* The text of a node that distinguishes it from others of its class: a string's is its start. */
static const char *label_of(const node *node)
{
	const char *type = nodes_layout.types[node->type], *text = text_of(node->name);
	char start[MAX_LABEL + 1];
	size_t length;

	if (node->is_synthetic)
		return text != NULL && *text != '\0' ? text : "(root)";
	if (text == NULL || *text == '\0' || strcmp(type, "object") == 0 || strcmp(type, "native") == 0)
		return NULL;
	length = strlen(text);
	if (length <= MAX_LABEL)
		return text;
	/* Not within a character. */
	for (length = MAX_LABEL; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
		length--;
	memcpy(start, text, length);
	start[length] = '\0';
	return heap_log_keep_text(&heap, start);
}

/* What keeps the objects alive that a group of roots has; #MPROF_ROOT_RUNTIME if it has no kind of its own. */
static uint32_t root_kind(const char *label)
{
	static const struct {
		const char *label;
		uint32_t kind;
	} kinds[] = {{"(Stack roots)", MPROF_ROOT_STACK},
		     {"(Handle scope)", MPROF_ROOT_LOCAL},
		     {"(Global handles)", MPROF_ROOT_GLOBAL},
		     {"(Traced handles)", MPROF_ROOT_GLOBAL},
		     {"(Eternal handles)", MPROF_ROOT_GLOBAL},
		     {"(Internalized strings)", MPROF_ROOT_INTERNED},
		     {"(External strings)", MPROF_ROOT_INTERNED},
		     {"C++ Persistent roots", MPROF_ROOT_NATIVE},
		     {"C++ CrossThreadPersistent roots", MPROF_ROOT_NATIVE},
		     {"C++ native stack roots", MPROF_ROOT_STACK}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(label, kinds[i].label) == 0)
			return kinds[i].kind;
	}
	return MPROF_ROOT_RUNTIME;
}

static edge_kind kind_of(const edge *edge)
{
	const char *type = edges_layout.types[edge->type];

	if (strcmp(type, "weak") == 0)
		return EDGE_WEAK;
	if (strcmp(type, "element") == 0)
		return EDGE_ELEMENT;
	return strcmp(type, "hidden") == 0 ? EDGE_UNNAMED : EDGE_NAMED;
}

/*
 * A synthetic node has no references to others of its kind: each object that one leads to is a root of its own. Nothing
 * refers to a synthetic node.
 */
static void add_edge(const node *from, const edge *edge)
{
	const node *target = edge->target < snapshot.node_count ? &snapshot.nodes[edge->target] : NULL;
	const edge_kind kind = kind_of(edge);
	const char *name = kind == EDGE_NAMED || kind == EDGE_WEAK ? text_of(edge->name) : NULL;
	char element[16];

	if (target == NULL) {
		without_target++;
		return;
	}
	if (target->is_synthetic) {
		into_groups += !from->is_synthetic;
		return;
	}
	if (kind == EDGE_ELEMENT && !from->is_synthetic) {
		snprintf(element, sizeof(element), "[%" PRIu32 "]", edge->name);
		name = heap_log_keep_text(&heap, element);
	}
	if (kind != EDGE_WEAK)
		heap_log_add_reference(&heap, address_of(target), 0, name);
	else if (from->is_synthetic)
		weak_of_groups++;
	else
		heap_log_add_weak_reference(&heap, address_of(from), address_of(target), name);
}

static void write_nodes(void)
{
	size_t edge = 0;

	for (size_t i = 0; i < snapshot.node_count; i++) {
		const node *node = &snapshot.nodes[i];
		const char *label = label_of(node);

		heap_log_add_object(&heap, node->class_id, address_of(node), node->size, 0);
		for (uint32_t k = 0; k < node->edge_count && edge < snapshot.edge_count; k++)
			add_edge(node, &snapshot.edges[edge++]);
		if (label != NULL || node->is_synthetic)
			heap_log_add_label(&heap, address_of(node), label, node->is_synthetic);
		if (node->is_synthetic && root_kind(label) != MPROF_ROOT_RUNTIME)
			heap_log_add_root(&heap, root_kind(label), 0, address_of(node));
	}
	if (edge < snapshot.edge_count)
		import_job_report_damage(job, import_source_offset(&job->source), "more edges than the nodes have");
}

/* The snapshot has no time: it is placed at that of the file. */
static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = clock->time = job->source.file_time;
}

static void write_log(void)
{
	const mprof_property properties[] = {{"recorder", "mprof import"},
					     {"counter", "microseconds since 1970"},
					     {"clock_placed", "snapshot at the time of the file"}};
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "v8";
	options.clock = read_clock;
	options.counters_per_second = 1e6;
	import_job_begin_log(job, &options);
	import_job_expect(job, mprof_writer_write_session(job->writer, properties, sizeof(properties[0]),
							  sizeof(properties) / sizeof(properties[0])));
	heap_log_begin(&heap, job, job->source.file_time);
	heap.is_incomplete = job->status != 0;
	define_classes();
	write_nodes();
	heap_log_end(&heap);
	import_job_end_log(job);
}

static void release(void)
{
	json_reader_release(&json);
	key_map_clear(&classes);
	for (size_t i = 0; i < snapshot.text_count; i++)
		free(snapshot.texts[i]);
	free(snapshot.texts);
	free(snapshot.nodes);
	free(snapshot.edges);
}

static void convert_snapshot(import_job *started)
{
	job = started;
	json_reader_init(&json, &job->source);
	read_snapshot();
	if (snapshot.node_count == 0)
		import_job_fail(job, "no nodes");
	if (job->status == 0 && (!snapshot.has_edges || !snapshot.has_texts))
		import_job_report_damage(job, import_source_offset(&job->source), "no edges, or no texts");
	write_log();
	if (without_target > 0)
		import_job_report_damage(job, import_source_offset(&job->source), "edges to nodes that are missing");
	import_job_report_left_out(job, locations, "source locations of functions");
	import_job_report_left_out(job, detached, "states of elements of a document (attached or detached)");
	import_job_report_left_out(job, weak_of_groups, "weak references of groups of roots");
	import_job_report_left_out(job, into_groups, "references to groups of roots");
	release();
}

static int recognizes(const uint8_t *start, size_t length)
{
	return length > 0 && *start == '{' && memmem(start, length, "\"snapshot\"", 10) != NULL &&
	       memmem(start, length, "\"node_fields\"", 13) != NULL;
}

const import_format import_heapsnapshot = {
	.name = "heapsnapshot",
	.description = "a heap snapshot of V8 (Node.js, Chromium's DevTools)",
	.lacks = "traces of allocations, source locations of functions and states of elements of a document are left "
		 "out",
	.next = "heap",
	.recognizes = recognizes,
	.convert = convert_snapshot,
};
