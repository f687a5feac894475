/* SPDX-License-Identifier: MIT */
/* Makes frames of methods, native code and classes, with names and source lines. */
#include "export/stack_frames.h"

int stack_frames_method(stack_tree *tree, const log_report *report, uint32_t method, uint32_t flags, uint32_t *frame)
{
	stack_frame wanted = {.kind = STACK_FRAME_METHOD, .id = method, .flags = flags, .name = "(unknown)"};
	method_name name;

	if (method == 0)
		return stack_nodes_frame(tree, &wanted, frame);
	names_method(report->input.reader, method, &name);
	wanted.file = name.file;
	wanted.line = name.line;
	wanted.module = assembly_names_get(&report->assemblies, name.assembly_id);
	wanted.name = names_full_method(report->input.names, method);
	if (names_is_runtime_work(report->input.reader, method))
		wanted.flags |= STACK_FRAME_RUNTIME;
	return stack_nodes_frame(tree, &wanted, frame);
}

/* The file of the module of native code; NULL if unknown. */
static const char *file_of_module(const log_report *report, uint32_t module)
{
	mprof_record record;

	return module != 0 && mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_MODULE, module, &record,
							 sizeof(record)) == MPROF_OK
		       ? record.as.module.file
		       : NULL;
}

/* The module of a native function; 0 if unknown. */
static uint32_t module_of_function(const log_report *report, uint32_t function)
{
	mprof_record record;

	return mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_FUNCTION, function, &record,
					  sizeof(record)) == MPROF_OK
		       ? record.as.function.module
		       : 0;
}

int stack_frames_item(stack_tree *tree, const log_report *report, const sample_item *item, uint32_t *frame)
{
	stack_frame wanted = {.kind = item->kind, .id = item->id, .line = item->line, .file = item->file};
	uint32_t module = item->module;

	if (item->kind == MPROF_SAMPLE_METHOD)
		return stack_frames_method(tree, report, item->id, 0, frame);
	if (item->kind == SAMPLE_ITEM_NAMED)
		wanted.kind = STACK_FRAME_FUNCTION;
	else if (item->kind == MPROF_SAMPLE_FUNCTION)
		module = module_of_function(report, item->id);
	else if (item->kind == MPROF_SAMPLE_MODULE)
		module = item->id;
	wanted.flags = item->is_inlined ? STACK_FRAME_INLINED : 0;
	wanted.module = file_of_module(report, module);
	wanted.name = item->name != NULL ? item->name : names_sample(report->input.names, item->kind, item->id);
	if (wanted.name == NULL)
		wanted.name = "(native)";
	return stack_nodes_frame(tree, &wanted, frame);
}

int stack_frames_sampled(stack_tree *tree, const log_report *report, uint32_t kind, uint32_t id, uint32_t flags,
			 uint32_t *frame)
{
	const sample_item item = {.kind = kind, .id = id};

	if (kind == MPROF_SAMPLE_METHOD)
		return stack_frames_method(tree, report, id, flags, frame);
	return stack_frames_item(tree, report, &item, frame);
}

int stack_frames_class(stack_tree *tree, const log_report *report, uint32_t class_id, uint32_t *frame)
{
	stack_frame wanted = {.kind = STACK_FRAME_CLASS, .id = class_id, .name = "(unknown)"};
	class_name name;

	if (class_id != 0) {
		names_class(report->input.reader, class_id, &name);
		wanted.name = name.name;
		wanted.module = assembly_names_get(&report->assemblies, name.assembly_id);
	}
	return stack_nodes_frame(tree, &wanted, frame);
}

int stack_frames_note(stack_tree *tree, const char *text, uint32_t *frame)
{
	return stack_nodes_frame(tree, &(stack_frame){.kind = STACK_FRAME_NOTE, .name = text}, frame);
}

/* The item of a location without debug information: its function, its module, or itself. */
static sample_item describe_location(const log_report *report, uint32_t location)
{
	sample_item item = {.kind = MPROF_SAMPLE_LOCATION, .id = location};
	mprof_record record;

	if (location == 0)
		item.kind = MPROF_SAMPLE_TRUNCATED;
	else if (mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_LOCATION, location, &record,
					    sizeof(record)) == MPROF_OK) {
		item.module = record.as.location.module;
		if (record.as.location.function != 0) {
			item.kind = MPROF_SAMPLE_FUNCTION;
			item.id = record.as.location.function;
		} else if (item.module != 0) {
			item.kind = MPROF_SAMPLE_MODULE;
			item.id = item.module;
		}
	}
	return item;
}

static int add_item(stack_tree *tree, const log_report *report, const sample_item *item, uint32_t *node)
{
	uint32_t frame;

	return stack_frames_item(tree, report, item, &frame) && stack_nodes_child(tree, *node, frame, node);
}

int stack_frames_add_location(stack_tree *tree, const log_report *report, uint32_t location, int is_return,
			      uint32_t *node)
{
	const sample_item base = describe_location(report, location);
	const native_frame *frames = NULL;
	size_t count = location != 0 ? native_lines_find(report->lines, location, is_return, &frames) : 0;

	if (count == 0)
		return add_item(tree, report, &base, node);
	for (size_t i = count; i > 0; i--) {
		const native_frame *found = &frames[i - 1];
		sample_item item = base;

		if (found->is_inlined || (base.kind != MPROF_SAMPLE_FUNCTION && found->name != NULL)) {
			item.kind = SAMPLE_ITEM_NAMED;
			item.id = 0;
		}
		item.name = found->name;
		item.is_inlined = found->is_inlined;
		item.file = found->defined_file;
		item.line = found->defined_line;
		if (!add_item(tree, report, &item, node))
			return 0;
	}
	return 1;
}

/* Whether all further frames are part of this one. */
static int is_deepest(const stack_tree *tree, uint32_t node)
{
	return tree->max_depth != 0 && tree->nodes[node].depth > tree->max_depth;
}

int stack_frames_add_sample(stack_tree *tree, const log_report *report, const mprof_stack_frame *frames, size_t count,
			    uint32_t *node)
{
	*node = 0;
	for (size_t i = count; i > 0 && !is_deepest(tree, *node); i--) {
		const mprof_stack_frame *frame = &frames[i - 1];
		uint32_t index;

		if (frame->is_native) {
			if (!stack_frames_add_location(tree, report, frame->id, i > 1, node))
				return 0;
		} else if (!stack_frames_method(tree, report, frame->id,
						frame->is_compiling ? STACK_FRAME_COMPILING : 0, &index) ||
			   !stack_nodes_child(tree, *node, index, node)) {
			return 0;
		}
	}
	return 1;
}
