/* SPDX-License-Identifier: MIT */
/* A snapshot with the names of its classes. */
#include "heap/view.h"

#include "common/arguments.h"
#include "common/name_cut.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Prints what is missing, and makes the command return 1. */
static void note_missing(heap_view *view, const char *what)
{
	progress_hide(&view->input.progress);
	text_begin_message(view->input.name);
	fprintf(stderr, "%s\n", what);
	view->status = STATUS_DAMAGED;
}

static int fail(heap_view *view, mprof_status status)
{
	progress_hide(&view->input.progress);
	text_begin_message(view->input.name);
	fprintf(stderr, "%s for the heap graph\n", mprof_status_get_text(status));
	return STATUS_NOTHING;
}

static int create_graph(heap_view *view)
{
	mprof_heap_graph_options options;
	mprof_status status;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = (uint32_t)view->options.at;
	options.list_only = view->options.is_list != 0;
	options.max_memory = view->options.memory << 20;
	status = mprof_heap_graph_create(&options, &view->graph);
	return status == MPROF_OK ? STATUS_OK : fail(view, status);
}

static void read_totals(heap_view *view)
{
	view->totals.struct_size = sizeof(view->totals);
	mprof_heap_graph_get_totals(view->graph, &view->totals);
}

/* Whether the log has the requested snapshot. */
static int check_number(heap_view *view)
{
	size_t count = mprof_heap_graph_get_snapshot_count(view->graph);

	if (view->options.at == 0 || view->totals.snapshot != 0 || view->totals.limited)
		return STATUS_OK;
	text_begin_message(view->input.name);
	fprintf(stderr, "--at=%" PRIu64 ": the log has %zu heap snapshot%s\n", view->options.at, count,
		count == 1 ? "" : "s");
	return STATUS_NOTHING;
}

static void analyse(heap_view *view)
{
	mprof_status status = mprof_heap_graph_build_dominators(view->graph);

	if (status == MPROF_OK)
		status = mprof_heap_graph_build_paths(view->graph);
	view->has_retained = status == MPROF_OK;
	if (status == MPROF_ERR_LIMIT)
		note_missing(view, "retained sizes are not known: they need more memory than --memory allows");
	else if (status != MPROF_OK)
		note_missing(view, "retained sizes are not known: out of memory");
}

static int read_graph(heap_view *view)
{
	mprof_status status = mprof_heap_graph_read(view->graph, view->input.reader, input_damage, &view->input);

	progress_hide(&view->input.progress);
	read_totals(view);
	if (status == MPROF_ERR_MEMORY)
		return fail(view, status);
	/* Messages about the log were printed when it was read first. */
	if (view->options.is_read_again && input_failure(&view->input) != MPROF_OK)
		return fail(view, input_failure(&view->input));
	if (view->totals.limited)
		note_missing(view, "the heap snapshot needs more memory than --memory allows: its objects are missing");
	else if (view->totals.incomplete)
		note_missing(view, "the heap snapshot is incomplete: objects or references are missing");
	return check_number(view);
}

int heap_view_selects_origins(const heap_view *view)
{
	return view->options.allocated_pattern != NULL || view->options.has_min_age || view->options.has_max_age;
}

/* Reads the log once more, up to the snapshot. */
static void read_origins(heap_view *view, const char *path)
{
	if ((!heap_view_selects_origins(view) && !view->options.has_address) || view->totals.snapshot == 0)
		return;
	view->origins.path = path;
	view->origins.snapshot = (uint32_t)view->totals.snapshot;
	view->origins.memory = view->options.memory;
	if (heap_origins_read(&view->origins, 0) == STATUS_NOTHING || view->origins.stats.untracked > 0)
		note_missing(view, "the origins of objects are not known: out of memory");
	else if (input_failure(&view->origins.input) != MPROF_OK)
		note_missing(view, "the origins of objects are not known: the log could not be read once more");
	else if (heap_origins_read_native(&view->origins) == STATUS_NOTHING || view->origins.blocks.is_limited)
		note_missing(view, "the native memory of objects is not known: out of memory");
}

/* The exit status: whether anything is missing. */
static int heap_view_status(const heap_view *view)
{
	return view->input.status != STATUS_OK ? view->input.status : view->status;
}

int heap_view_read(heap_view *view, const char *path, const heap_options *options)
{
	int status;

	memset(view, 0, sizeof(*view));
	view->options = *options;
	status = options->is_read_again ? input_open_quietly(&view->input, path) : input_open(&view->input, path, 0);
	if (status != STATUS_OK) {
		if (options->is_read_again) {
			text_begin_message(view->input.name);
			fputs("cannot read the log once more\n", stderr);
		}
		return STATUS_NOTHING;
	}
	status = create_graph(view);
	if (status == STATUS_OK)
		status = read_graph(view);
	if (status != STATUS_OK)
		return status;
	if (view->totals.has_roots)
		analyse(view);
	read_totals(view);
	read_origins(view, path);
	return heap_view_status(view);
}

void heap_view_release(heap_view *view)
{
	mprof_heap_graph_destroy(view->graph);
	heap_origins_release(&view->origins);
	input_close(&view->input);
}

void heap_view_title(const char *title, size_t shown, size_t count)
{
	printf("\n%s", title);
	if (shown < count)
		printf(" (%zu of %zu)", shown, count);
	putchar('\n');
}

size_t heap_view_rows(const heap_view *view, size_t count, size_t usual)
{
	uint64_t most = view->options.has_top ? view->options.top : usual;

	return most != 0 && most < count ? (size_t)most : count;
}

int heap_view_has_retained(const void *view)
{
	return ((const heap_view *)view)->has_retained;
}

mprof_heap_object heap_view_object(const heap_view *view, uint32_t object)
{
	mprof_heap_object stats = {.struct_size = sizeof(stats)};

	mprof_heap_graph_get_object(view->graph, object, &stats);
	return stats;
}

void heap_view_dominator_json(const heap_view *view, json_writer *json, const char *key,
			      const mprof_heap_object *object)
{
	if (object->dominator != MPROF_HEAP_NO_OBJECT)
		json_hexadecimal(json, key, heap_view_object(view, object->dominator).address);
	else
		json_null(json, key);
}

mprof_heap_class heap_view_class(const heap_view *view, size_t index)
{
	mprof_heap_class stats = {.struct_size = sizeof(stats)};

	mprof_heap_graph_get_class(view->graph, index, &stats);
	return stats;
}

const char *label_class(const heap_view *view, size_t class_index, class_name *name)
{
	const char *found = names_class_or_none(view->input.reader, heap_view_class(view, class_index).class_id, name);

	return found != NULL ? found : "(unknown)";
}

const char *label_field(const heap_view *view, uint32_t class_id, const mprof_heap_reference *reference)
{
	mprof_record field;
	uint64_t index;

	if (reference->name[0] != '\0')
		return reference->name;
	if (!reference->has_offset || mprof_reader_lookup_field(view->input.reader, class_id, reference->offset, &field,
								sizeof(field), &index) != MPROF_OK)
		return NULL;
	return field.as.field.name;
}

const char *label_area(const heap_view *view, uint32_t area)
{
	mprof_record record;

	if (area == 0 || mprof_reader_lookup_record(view->input.reader, MPROF_RECORD_ROOT, area, &record,
						    sizeof(record)) != MPROF_OK)
		return "";
	return record.as.root.name;
}

const char *label_root(const heap_view *view, const mprof_heap_root *root)
{
	return root->holder != MPROF_HEAP_NO_OBJECT ? heap_view_object(view, root->holder).label
						    : label_area(view, root->area);
}

void label_print_object(const heap_view *view, const mprof_heap_object *object)
{
	char address[NAMES_OBJECT_SIZE];
	class_name name;

	name_print(label_class(view, object->class_index, &name));
	if (object->label[0] != '\0') {
		fputs(" \"", stdout);
		text_name(stdout, object->label);
		putchar('"');
	}
	printf(" %s", names_object(view->input.reader, object->address, address));
}
