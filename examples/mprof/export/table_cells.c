/* SPDX-License-Identifier: MIT */
/* Adds names of a log to rows. */
#include "export/table_cells.h"

void table_class(table_sink *sink, const log_report *report, uint32_t id)
{
	class_name name;

	table_text(sink, names_class_or_none(report->input.reader, id, &name));
}

void table_method(table_sink *sink, const log_report *report, uint32_t id)
{
	table_text(sink, id != 0 ? names_full_method(report->input.names, id) : NULL);
}

void table_stack(table_sink *sink, const log_report *report, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	const size_t shown = sink->max_depth != 0 && count > sink->max_depth ? sink->max_depth : count;

	if (count == 0)
		table_null(sink);
	for (size_t i = 0; i < shown; i++) {
		const char *name = names_frame(report->input.names, &frames[i]);

		table_frame(sink, name != NULL ? name : "(unknown)", i == 0);
	}
	/* The innermost frame is the first. */
	if (shown < count)
		table_frame(sink, "(outer frames)", 0);
}
