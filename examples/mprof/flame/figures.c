/* SPDX-License-Identifier: MIT */
/* Formats the figures of frames. */
#include "flame/figures.h"

#include "flame/comparison.h"
#include "flame/markup.h"
#include "shared/text.h"

#include <string.h>

/* What an amount and what the counts of nodes are: one and several. NULL where the unit is clear, or has no counts. */
typedef struct value_nouns {
	const char *one;
	const char *many;
	const char *count_one;
	const char *count_many;
} value_nouns;

static const value_nouns nouns[EXPORT_VALUES] = {
	[EXPORT_WALL] = {NULL, NULL, "call", "calls"},        [EXPORT_CALLS] = {"call", "calls", NULL, NULL},
	[EXPORT_SAMPLES] = {"sample", "samples", NULL, NULL}, [EXPORT_ALLOCATIONS] = {"object", "objects", NULL, NULL},
	[EXPORT_BYTES] = {NULL, NULL, "object", "objects"},   [EXPORT_WAITS] = {NULL, NULL, "wait", "waits"},
	[EXPORT_HEAP] = {NULL, NULL, "object", "objects"},    [EXPORT_HANDLES] = {"handle", "handles", NULL, NULL},
};

char *flame_amount(const flame_scale *scale, char text[FIGURES_SIZE], uint64_t amount)
{
	const value_nouns *noun = &nouns[scale->value];
	size_t length;

	export_value_format(scale->value, text, amount);
	length = strlen(text);
	if (noun->one != NULL)
		snprintf(text + length, FIGURES_SIZE - length, " %s", amount == 1 ? noun->one : noun->many);
	return text;
}

uint64_t flame_before(const flame_scale *scale, uint64_t value)
{
	return scale->is_normalized ? flame_comparison_scale(value, scale->whole, scale->before_whole) : value;
}

static void print_share(FILE *file, const flame_scale *scale, uint64_t amount, uint64_t whole)
{
	char text[FIGURES_SIZE];
	char share[TEXT_NUMBER_SIZE];

	fprintf(file, "%s (%s", flame_amount(scale, text, amount), text_percent(share, amount, whole));
	if (scale->value == EXPORT_SAMPLES && sampling_has_time(&scale->sampling))
		fprintf(file, ", about %s", text_duration(text, sampling_time_of(&scale->sampling, amount)));
	fputc(')', file);
}

static void print_difference(FILE *file, const flame_scale *scale, uint64_t before, uint64_t after)
{
	uint64_t difference = before < after ? after - before : before - after;
	char text[FIGURES_SIZE];

	if (before == 0) {
		fputs("new", file);
		return;
	}
	fprintf(file, "%s%s", before < after ? "+" : difference > 0 ? "-" : "", flame_amount(scale, text, difference));
	fprintf(file, ", %+.1f %%", ((double)after - (double)before) * 100 / (double)before);
}

static void print_comparison(FILE *file, const flame_scale *scale, const flame_values *values)
{
	print_share(file, scale, values->total, scale->whole);
	fputs(", before ", file);
	print_share(file, scale, values->before_total, scale->before_whole);
	fputs(": ", file);
	if (values->total == 0)
		fputs("gone", file);
	else
		print_difference(file, scale, flame_before(scale, values->before_total), values->total);
}

void flame_figures_print(FILE *file, const flame_scale *scale, const flame_values *values)
{
	const value_nouns *noun = &nouns[scale->value];
	char text[FIGURES_SIZE];

	if (scale->has_before) {
		print_comparison(file, scale, values);
		return;
	}
	print_share(file, scale, values->total, scale->whole);
	if (values->self > 0 && values->self != values->total)
		fprintf(file, ", self %s", flame_amount(scale, text, values->self));
	if (noun->count_one != NULL && values->count > 0)
		fprintf(file, ", %s %s", text_count(text, values->count),
			values->count == 1 ? noun->count_one : noun->count_many);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The module of a native function, for its name; NULL for other frames. */
static const char *module_of(const stack_frame *frame)
{
	return frame->kind == STACK_FRAME_FUNCTION && frame->module != NULL ? file_name(frame->module) : NULL;
}

void flame_figures_print_name(FILE *file, const stack_frame *frame)
{
	const char *module = module_of(frame);

	markup_text(file, frame->name);
	if ((frame->flags & STACK_FRAME_COMPILING) != 0)
		fputs(" (compiling)", file);
	if ((frame->flags & STACK_FRAME_INLINED) != 0)
		fputs(" (inlined)", file);
	if (module != NULL) {
		fputs(" [", file);
		markup_text(file, module);
		fputc(']', file);
	}
}

void flame_figures_print_nouns(FILE *file, const flame_scale *scale)
{
	const value_nouns *noun = &nouns[scale->value];

	if (noun->one != NULL)
		fprintf(file, " data-one=\"%s\" data-many=\"%s\"", noun->one, noun->many);
	if (noun->count_one != NULL)
		fprintf(file, " data-count-one=\"%s\" data-count-many=\"%s\"", noun->count_one, noun->count_many);
	if (scale->value == EXPORT_SAMPLES && sampling_has_time(&scale->sampling))
		fprintf(file, " data-time=\"%.3f\"", (double)sampling_time_of(&scale->sampling, 1000000) / 1e6);
}
