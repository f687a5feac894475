/* SPDX-License-Identifier: MIT */
/* Writes folded call stacks: the frames, outermost first, with semicolons between them, a space, and the value. */
#include "export/targets.h"

#include "common/arguments.h"
#include "export/single_tree.h"

#include <inttypes.h>
#include <string.h>

/* Above this size, programs that draw flame graphs take long to read a file. */
#define LARGE_FILE UINT64_C(500000000)

/* Writes a name. It must not contain the separator. Returns 0 if out of memory. */
static int write_name(FILE *stream, plain_buffer *plain, const char *name)
{
	const char *text = plain_text(plain, name);

	if (text == NULL)
		return 0;
	while (*text != '\0') {
		size_t length = strcspn(text, ";");

		fwrite(text, 1, length, stream);
		text += length;
		if (*text != '\0') {
			putc(':', stream);
			text++;
		}
	}
	return 1;
}

/* Returns 0 if out of memory. */
static int write_node(FILE *stream, const stack_tree *tree, uint32_t node, single_stack *stack, plain_buffer *plain)
{
	int is_written = single_tree_stack(tree, node, stack);

	if (node == 0)
		fputs(SINGLE_TREE_NO_FRAME, stream);
	for (size_t i = 0; is_written && i < stack->count; i++) {
		if (i > 0)
			putc(';', stream);
		is_written = write_name(stream, plain, tree->frames[stack->frames[i]].name);
		if (tree->frames[stack->frames[i]].at_line != 0)
			fprintf(stream, ":%" PRIu32, tree->frames[stack->frames[i]].at_line);
	}
	fprintf(stream, " %" PRIu64 "\n", tree->nodes[node].self);
	return is_written;
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	single_stack stack = {0};
	plain_buffer plain = {0};
	stack_tree *tree;
	int status = single_tree_create(job, report, job->value, stack_size_name, &tree);
	int is_written;

	if (tree == NULL)
		return status;
	is_written = single_tree_check(job, report, tree, stack_size_name, file);
	for (size_t i = 0; i < tree->node_count && is_written && !export_file_has_failed(file); i++) {
		if (tree->nodes[i].self > 0)
			is_written = write_node(file->stream, tree, (uint32_t)i, &stack, &plain);
	}
	single_stack_release(&stack);
	plain_text_release(&plain);
	stack_tree_destroy(tree);
	return is_written ? status : single_tree_lack_memory(report);
}

const export_target export_folded = {
	.name = "folded",
	.extension = ".folded",
	.description = "a line for each call stack with its value, for flame graph programs",
	.lacks = "folded stacks hold one value; files, lines and modules are left out, and ';' in a name becomes ':'",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT | EXPORT_HAS_MAX_DEPTH |
		   EXPORT_HAS_CLASS | EXPORT_HAS_LINES,
	.values = EXPORT_ALL_VALUES,
	.file_flags = EXPORT_FILE_TEXT,
	.stack_limit = LARGE_FILE,
	.write_report = write_report,
};
