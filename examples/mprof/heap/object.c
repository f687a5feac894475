/* SPDX-License-Identifier: MIT */
/* Prints one object with its references and referrers. */
#include "heap/object.h"

#include "common/arguments.h"
#include "common/output.h"
#include "common/table_view.h"
#include "heap/view.h"
#include "heap/paths.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_ROWS 20
#define BATCH 256

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
	mprof_heap_reference references[BATCH];
	size_t done = 0;
	size_t count;

	do {
		size_t capacity = most - done < BATCH ? most - done : BATCH;

		get(view->graph, object, (uint32_t)done, references, sizeof(references[0]), capacity, &count);
		for (size_t i = 0; i < count; i++) {
			uint32_t owner = own_class;

			if (get == mprof_heap_graph_get_referrers)
				owner = heap_view_object(view, references[i].object).class_id;
			print(view, user, owner, &references[i]);
		}
		done += count;
	} while (count == BATCH && done < most);
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

static void print_text(const heap_view *view, void *user, uint32_t owner, const mprof_heap_reference *reference)
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
	size_t shown = heap_view_rows(view, count, USUAL_ROWS);

	if (count == 0)
		return;
	printf("  %s", title);
	if (shown < count)
		printf(" (%zu of %" PRIu32 ")", shown, count);
	putchar('\n');
	visit(view, object, get, shown, print_text, NULL);
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

static void print_json(const heap_view *view, void *user, uint32_t owner, const mprof_heap_reference *reference)
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
	visit(view, object, get, heap_view_rows(view, count, 0), print_json, json);
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
			{.field = "retained_bytes", .is_known = heap_view_has_retained},
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
