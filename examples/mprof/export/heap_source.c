/* SPDX-License-Identifier: MIT */
/* Reads the heap snapshot that an export of objects writes. */
#include "export/heap_source.h"

#include "common/arguments.h"
#include "shared/text.h"

#include <inttypes.h>

/* The number of the snapshot, and references that lead to no object: the file cannot have them. */
static void note_contents(const heap_view *view)
{
	char missing[TEXT_NUMBER_SIZE];

	text_begin_message(view->input.name);
	fprintf(stderr, "heap snapshot %u of %zu\n", (unsigned)view->totals.snapshot,
		mprof_heap_graph_get_snapshot_count(view->graph));
	if (view->totals.missing_references + view->totals.missing_roots > 0) {
		text_begin_message(view->input.name);
		fprintf(stderr, "%s references and roots lead to objects that are not in the snapshot\n",
			text_count(missing, view->totals.missing_references + view->totals.missing_roots));
	}
	if (!view->totals.has_roots) {
		text_begin_message(view->input.name);
		fputs("the snapshot has no roots: what keeps an object alive is not known\n", stderr);
	}
}

int heap_source_read(const export_job *job, heap_view *view)
{
	const heap_options options = {.at = job->heap_shot};
	int status = heap_view_read(view, job->paths[0], &options);

	if (status != STATUS_OK && status != STATUS_DAMAGED)
		return status;
	if (view->totals.limited)
		return STATUS_NOTHING;
	if (view->totals.snapshot == 0) {
		text_begin_message(view->input.name);
		fputs("the log has no heap snapshot\n", stderr);
		return STATUS_NOTHING;
	}
	note_contents(view);
	return status;
}

mprof_heap_root heap_source_root(const heap_view *view, size_t index)
{
	mprof_heap_root root = {.struct_size = sizeof(root)};

	mprof_heap_graph_get_root(view->graph, index, &root);
	if (root.kind >= HEAP_ROOT_KINDS)
		root.kind = MPROF_ROOT_OTHER;
	return root;
}

size_t heap_source_references(const heap_view *view, uint32_t object, uint32_t first, mprof_heap_reference *references,
			      size_t capacity)
{
	size_t count = 0;

	mprof_heap_graph_get_references(view->graph, object, first, references, sizeof(*references), capacity, &count);
	return count;
}
