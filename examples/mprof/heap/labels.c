/* SPDX-License-Identifier: MIT */
/* Looks up names of classes, fields and roots. */
#include "heap/labels.h"

const char *label_class(const heap_view *view, size_t class_index, class_name *name)
{
	const char *found = names_class_or_none(view->input.reader, heap_view_class(view, class_index).class_id, name);

	return found != NULL ? found : "(unknown)";
}

const char *label_field(const heap_view *view, uint32_t class_id, const mprof_heap_reference *reference)
{
	mprof_record field;
	uint64_t index;

	if (!reference->has_offset || mprof_reader_lookup_field(view->input.reader, class_id, reference->offset, &field,
								sizeof(field), &index) != MPROF_OK)
		return NULL;
	return field.as.field.name;
}

const char *label_root(const heap_view *view, uint32_t area)
{
	mprof_record record;

	if (area == 0 || mprof_reader_lookup_record(view->input.reader, MPROF_RECORD_ROOT, area, &record,
						    sizeof(record)) != MPROF_OK)
		return "";
	return record.as.root.name;
}
