/* SPDX-License-Identifier: MIT */
/* Prints call stacks, with inlined functions and lines of native code, and merges rows by them. */
#include "report/findings.h"
#include "report/stacks.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "report/filters.h"
#include "report/parts.h"
#include "symbolize/native_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of frames of a call stack that are printed as text. */
#define STACK_ROWS 12

/* A frame of a call stack as it is shown, which for native code may be an inlined function. */
typedef struct shown_frame {
	const char *name; /* NULL if unknown. */
	const char *file; /* Of the call; NULL if unknown. */
	uint32_t line;
	int is_inlined;
	int is_compiling;
} shown_frame;

/* Called for each frame, the innermost first. Returns 0 to stop. */
typedef int (*visit_frame)(void *user, const shown_frame *frame);

static int visit_native(const log_report *report, uint32_t location, visit_frame visit, void *user)
{
	const native_frame *frames;
	/*
	 * In these stacks, all addresses are return addresses. An innermost one may be in the call before it instead:
	 * the byte before that belongs to the call as well.
	 */
	size_t count = native_lines_find(report->lines, location, 1, &frames);
	const mprof_stack_frame native = {.id = location, .is_native = 1};

	if (count == 0)
		return visit(user, &(shown_frame){.name = names_frame(report->input.names, &native)});
	for (size_t i = 0; i < count; i++) {
		const char *name = frames[i].name;

		if (name == NULL)
			name = names_frame(report->input.names, &native);
		if (!visit(user, &(shown_frame){.name = name,
						.file = frames[i].file,
						.line = frames[i].line,
						.is_inlined = frames[i].is_inlined}))
			return 0;
	}
	return 1;
}

/* The source file of a frame with a position: its own, or that of the method. NULL if it is not known. */
static const char *file_of_frame(const log_report *report, const mprof_stack_frame *frame)
{
	const mprof_reader *reader = report->input.reader;
	mprof_record position;
	mprof_record text;
	method_name name;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_POSITION, frame->position, &position, sizeof(position)) !=
	    MPROF_OK)
		return NULL;
	if (mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, position.as.position.file, &text, sizeof(text)) ==
	    MPROF_OK)
		return text.as.text.text;
	if (frame->is_native || frame->id == 0)
		return NULL;
	names_method(reader, frame->id, &name);
	return name.file;
}

/* A frame of which the log states all that is known. */
static int visit_frame_of_log(const log_report *report, const mprof_stack_frame *frame, visit_frame visit, void *user)
{
	return visit(user, &(shown_frame){.name = names_frame(report->input.names, frame),
					  .file = frame->line != 0 ? file_of_frame(report, frame) : NULL,
					  .line = frame->line,
					  .is_inlined = (int)frame->is_inlined,
					  .is_compiling = (int)frame->is_compiling});
}

static int matches(const log_report *report, const char *pattern, const mprof_stack_frame *frame)
{
	return pattern != NULL && report_matches_stack_frame(report, pattern, frame);
}

/* How a frame is shown. */
typedef enum frame_use { FRAME_SHOWN, FRAME_HIDDEN, FRAME_COLLAPSED } frame_use;

static frame_use use_of(const log_report *report, const mprof_stack_frame *frame)
{
	if (matches(report, report->options.hide_pattern, frame))
		return FRAME_HIDDEN;
	return matches(report, report->options.collapse_pattern, frame) ? FRAME_COLLAPSED : FRAME_SHOWN;
}

/* Leaves out hidden frames, and visits one frame for each run of collapsed ones. */
static void visit_frames(const log_report *report, const mprof_stack_frame *frames, size_t count, visit_frame visit,
			 void *user)
{
	frame_use before = FRAME_SHOWN;
	int is_wanted = 1;

	for (size_t i = 0; i < count && is_wanted; i++) {
		frame_use use = use_of(report, &frames[i]);

		if (use == FRAME_HIDDEN)
			continue;
		if (use == FRAME_COLLAPSED && before != FRAME_COLLAPSED)
			is_wanted = visit(user, &(shown_frame){.name = names_sample(report->input.names,
										    MPROF_SAMPLE_COLLAPSED, 0)});
		before = use;
		if (use == FRAME_COLLAPSED)
			continue;
		if (frames[i].is_native && frames[i].position == 0)
			is_wanted = visit_native(report, frames[i].id, visit, user);
		else
			is_wanted = visit_frame_of_log(report, &frames[i], visit, user);
	}
}

static void visit_stack(const log_report *report, uint32_t stack, visit_frame visit, void *user)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	visit_frames(report, frames, count, visit, user);
}

size_t report_stack_shape(const log_report *report, const mprof_stack_frame *frames, size_t count, uint64_t *shape)
{
	frame_use before = FRAME_SHOWN;
	size_t length = 0;

	for (size_t i = 0; i < count; i++) {
		frame_use use = use_of(report, &frames[i]);

		if (use == FRAME_HIDDEN)
			continue;
		/* An odd number is no other frame. */
		if (use == FRAME_COLLAPSED && before != FRAME_COLLAPSED)
			shape[length++] = 1;
		else if (use == FRAME_SHOWN)
			shape[length++] = (uint64_t)frames[i].line << 35 | (uint64_t)frames[i].id << 3 |
					  (frames[i].is_native ? 4 : 0) | (frames[i].is_compiling ? 2 : 0);
		before = use;
	}
	return length;
}

/* The frames of a call stack that are printed. */
typedef struct frame_rows {
	size_t printed; /* Frames, also those beyond the most. */
	size_t most;
} frame_rows;

static int print_shown_frame(void *user, const shown_frame *frame)
{
	frame_rows *rows = user;

	if (rows->printed++ >= rows->most)
		return 1;
	printf("  %28s", "");
	name_print(frame->name != NULL ? frame->name : "(unknown)");
	fputs(frame->is_compiling ? " (compiling)" : frame->is_inlined ? " (inlined)" : "", stdout);
	if (frame->file != NULL && frame->line != 0) {
		fputs(" at ", stdout);
		name_print(report_file_name(frame->file));
		printf(":%" PRIu32, frame->line);
	}
	putchar('\n');
	return 1;
}

void report_frame_list(const log_report *report, const mprof_stack_frame *frames, size_t count)
{
	frame_rows rows = {.most = report_is_first_screen(report) ? FIRST_SCREEN_FRAMES : STACK_ROWS};

	visit_frames(report, frames, count, print_shown_frame, &rows);
	if (rows.printed > rows.most)
		printf("  %28s(%zu more)\n", "", rows.printed - rows.most);
}

void report_stack(const log_report *report, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	report_frame_list(report, frames, count);
}

typedef struct stack_measure {
	uint64_t size;
	uint64_t most;
} stack_measure;

static int measure_frame(void *user, const shown_frame *frame)
{
	stack_measure *measure = user;

	measure->size += frame->name != NULL ? strlen(frame->name) + 3 : 5;
	if (frame->file != NULL)
		measure->size += strlen(frame->file) + 6;
	return measure->size <= measure->most;
}

uint64_t report_json_stack_size(const log_report *report, uint32_t stack, uint64_t most)
{
	stack_measure measure = {.most = most};

	if (most == UINT64_MAX)
		return 0;
	visit_stack(report, stack, measure_frame, &measure);
	return measure.size;
}

typedef struct stack_writer {
	json_writer *json;
	int has_lines;
} stack_writer;

static int write_frame_name(void *user, const shown_frame *frame)
{
	stack_writer *writer = user;
	char *inlined = NULL;

	if (frame->is_inlined && frame->name != NULL && asprintf(&inlined, "%s (inlined)", frame->name) < 0) {
		output_out_of_memory();
		inlined = NULL;
	}
	json_string(writer->json, NULL, inlined != NULL ? inlined : frame->name);
	free(inlined);
	writer->has_lines |= frame->file != NULL;
	return 1;
}

static int write_frame_line(void *user, const shown_frame *frame)
{
	stack_writer *writer = user;
	char *line = NULL;

	if (frame->file != NULL && frame->line != 0 && asprintf(&line, "%s:%" PRIu32, frame->file, frame->line) < 0) {
		output_out_of_memory();
		line = NULL;
	}
	json_string(writer->json, NULL, line);
	free(line);
	return 1;
}

void report_json_frame_list(const log_report *report, json_writer *json, const char *key,
			    const mprof_stack_frame *frames, size_t count)
{
	stack_writer writer = {.json = json};
	char lines_key[32];

	json_begin_array(json, key);
	visit_frames(report, frames, count, write_frame_name, &writer);
	json_end_array(json);
	snprintf(lines_key, sizeof(lines_key), "%s_lines", key);
	if (!writer.has_lines) {
		json_null(json, lines_key);
		return;
	}
	json_begin_array(json, lines_key);
	visit_frames(report, frames, count, write_frame_line, &writer);
	json_end_array(json);
}

void report_json_stack(const log_report *report, json_writer *json, const char *key, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	report_json_frame_list(report, json, key, frames, count);
}

/* A row with the frames of its call stack that are shown. */
typedef struct merged_row {
	const site_merge *merge;
	unsigned char *row;
	uint64_t *shape;
	size_t length;
	size_t index; /* Rows of one site stay in their order. */
} merged_row;

static int compare_shapes(const merged_row *a, const merged_row *b)
{
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->length > 0 ? memcmp(a->shape, b->shape, a->length * sizeof(*a->shape)) : 0;
}

static int is_same_site(const merged_row *a, const merged_row *b)
{
	return a->merge->compare(a->merge->fields, a->row, b->row) == 0 && compare_shapes(a, b) == 0;
}

static int compare_merged(const void *left, const void *right)
{
	const merged_row *a = left;
	const merged_row *b = right;
	int order = a->merge->compare(a->merge->fields, a->row, b->row);

	order = order != 0 ? order : compare_shapes(a, b);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int get_shape(const log_report *report, merged_row *merged)
{
	int is_owned = 0;
	size_t count = 0;
	const mprof_stack_frame *frames =
		merged->merge->frames(report, merged->merge->user, merged->row, &count, &is_owned);

	merged->shape = calloc(count + 1, sizeof(*merged->shape));
	if (merged->shape != NULL)
		merged->length = report_stack_shape(report, frames, count, merged->shape);
	if (is_owned)
		free((void *)frames);
	return merged->shape != NULL;
}

/* Adds up the rows of each site. Returns their number. */
static size_t add_rows(const site_merge *merge, const merged_row *sorted, size_t count, unsigned char *sums)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (i > 0 && is_same_site(&sorted[i - 1], &sorted[i]))
			merge->add(merge->user, sums + (kept - 1) * merge->size, sorted[i].row);
		else
			memcpy(sums + kept++ * merge->size, sorted[i].row, merge->size);
	}
	return kept;
}

static size_t merge_rows(const log_report *report, const site_merge *merge, unsigned char *rows, size_t count,
			 merged_row *sorted, unsigned char *sums)
{
	size_t kept;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = (merged_row){.merge = merge, .row = rows + i * merge->size, .index = i};
		if (!get_shape(report, &sorted[i])) {
			output_out_of_memory();
			return count;
		}
	}
	qsort(sorted, count, sizeof(*sorted), compare_merged);
	kept = add_rows(merge, sorted, count, sums);
	memcpy(rows, sums, kept * merge->size);
	return kept;
}

void report_merge_sites(const log_report *report, const site_merge *merge, void *rows, size_t *count)
{
	const report_options *options = &report->options;
	size_t all = *count;
	merged_row *sorted;
	unsigned char *sums;

	if (all < 2 || (options->hide_pattern == NULL && options->collapse_pattern == NULL))
		return;
	sorted = calloc(all, sizeof(*sorted));
	sums = calloc(all, merge->size);
	if (sorted != NULL && sums != NULL)
		*count = merge_rows(report, merge, rows, all, sorted, sums);
	else
		output_out_of_memory();
	for (size_t i = 0; sorted != NULL && i < all; i++)
		free(sorted[i].shape);
	free(sorted);
	free(sums);
}

const mprof_stack_frame *report_site_frames(const log_report *report, uint32_t stack, uint32_t caller,
					    uint32_t is_compiling, size_t *count, int *is_owned)
{
	const mprof_stack_frame *frames = NULL;
	mprof_stack_frame *frame;

	*is_owned = 0;
	*count = 0;
	if (stack != 0 || caller == 0) {
		*count = names_stack(report->input.names, stack, &frames);
		return frames;
	}
	frame = calloc(1, sizeof(*frame));
	if (frame == NULL)
		return NULL;
	*frame = (mprof_stack_frame){.id = caller, .is_compiling = is_compiling};
	*count = 1;
	*is_owned = 1;
	return frame;
}

/* The square root, rounded down. */
static uint64_t square_root(uint64_t number)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1) {
		if ((root | bit) * (root | bit) <= number)
			root |= bit;
	}
	return root;
}

uint64_t report_add_error(uint64_t left, uint64_t right)
{
	uint64_t larger = left > right ? left : right;

	/* The variances of independent samples add up. A sum of squares that overflows is approximated. */
	if (larger >= UINT64_C(1) << 31)
		return larger;
	return square_root(left * left + right * right);
}
