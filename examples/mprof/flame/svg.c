/* SPDX-License-Identifier: MIT */
/* Prints a flame graph as an SVG document. */
#include "flame/svg.h"

#include "common/output.h"
#include "flame/colors.h"
#include "flame/markup.h"
#include "flame/script.h"
#include "flame/small.h"
#include "shared/text.h"
#include "shared/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels; the script has the same ones. */
#define LINE 15
#define COLUMN 6.65
#define TITLE_HEIGHT 30
/* The text of a box is this far from its edges. */
#define INDENT 3

/* Bytes of a frame in the document without its names. */
#define BOX_LENGTH 190

typedef struct svg_page {
	FILE *file;
	const flame_picture *picture;
	double y; /* Where the next line or picture begins. */
} svg_page;

size_t flame_svg_length(const stack_frame *frame)
{
	return BOX_LENGTH + strlen(frame->name);
}

/* A number without needless digits. */
static void print_number(FILE *file, double number)
{
	char text[40];
	char *end = text + snprintf(text, sizeof(text), "%.3f", number);

	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		*--end = '\0';
	fputs(text, file);
}

static void print_line(svg_page *page, const char *style, const char *text)
{
	fprintf(page->file, "<text class=\"%s\" x=\"%d\" y=\"%.0f\">", style, FLAME_MARGIN, page->y + LINE - 4);
	markup_text(page->file, text);
	fputs("</text>\n", page->file);
	page->y += LINE;
}

/* Prints each line of a text. */
static void print_lines(svg_page *page, const char *style, const char *text)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);

		if (line == NULL)
			output_out_of_memory();
		else if (length > 0)
			print_line(page, style, line);
		free(line);
		text += length + (text[length] == '\n');
	}
}

/* The first characters of a text, with an ellipsis. The caller frees it. */
static char *truncate_text(const char *text, size_t columns)
{
	size_t length = 0;
	char *truncated;

	for (size_t used = 0; text[length] != '\0';) {
		size_t bytes = utf8_sequence(text + length);
		char character[5] = {0};

		bytes = bytes > 0 ? bytes : 1;
		memcpy(character, text + length, bytes);
		used += markup_columns(character);
		if (used >= columns)
			break;
		length += bytes;
	}
	return asprintf(&truncated, "%.*s\u2026", (int)length, text) >= 0 ? truncated : NULL;
}

/* The last part of a name, such as the method without its class. What is in brackets does not count. */
static const char *last_part(const char *name)
{
	const char *part = name;
	int depth = 0;

	for (const char *at = name; *at != '\0'; at++) {
		if (strchr("<[(", *at) != NULL)
			depth++;
		else if (strchr(">])", *at) != NULL)
			depth--;
		/* The name of a constructor begins with a dot. */
		else if (*at == '.' && depth == 0 && at > name && at[-1] != '.' && at[1] != '\0')
			part = at + 1;
	}
	return part;
}

/* The length of a name without its arguments. */
static size_t plain_length(const char *name)
{
	const char *arguments = strstr(name, " (");

	return arguments != NULL ? (size_t)(arguments - name) : strlen(name);
}

/*
 * A name in a number of columns: without what is not necessary, in this order: arguments, namespaces, class. The caller
 * frees it; NULL after a message if out of memory.
 */
static char *fit_name(const stack_frame *frame, size_t columns)
{
	char *full = markup_visible(frame->name);
	char *brief = markup_visible(frame->short_name);
	char *plain = full != NULL ? strndup(full, plain_length(full)) : NULL;
	char *fitted = NULL;

	if (plain != NULL && brief != NULL) {
		const char *candidates[] = {full, plain, brief, last_part(brief)};
		size_t i = 0;

		while (i < 4 && markup_columns(candidates[i]) > columns)
			i++;
		fitted = i < 4 ? strdup(candidates[i]) : truncate_text(candidates[3], columns);
	}
	if (fitted == NULL)
		output_out_of_memory();
	free(full);
	free(brief);
	free(plain);
	return fitted;
}

/* Prints the name of a frame as far as it fits. */
static void print_label(svg_page *page, const stack_frame *frame, double x, double y, double width)
{
	size_t columns = width > 2 * INDENT ? (size_t)((width - 2 * INDENT) / COLUMN) : 0;
	char *name = columns >= 3 ? fit_name(frame, columns) : NULL;

	if (name == NULL)
		return;
	fputs("<text x=\"", page->file);
	print_number(page->file, x + INDENT);
	fprintf(page->file, "\" y=\"%.0f\">", y + 12);
	markup_text(page->file, name);
	fputs("</text>", page->file);
	free(name);
}

static flame_values values_of(const flame_picture *picture, uint32_t node)
{
	const flame_comparison *comparison = picture->comparison;
	const stack_node *found = &picture->tree->nodes[node];
	flame_values values = {.count = found->count, .self = found->self, .total = found->total};

	if (comparison != NULL) {
		values.before_self = comparison->before_self[node];
		values.before_total = comparison->before_total[node];
	}
	return values;
}

static void print_style(svg_page *page, const stack_frame *frame, const flame_values *values)
{
	const flame_scale *scale = &page->picture->scale;
	char style[FLAME_STYLE_SIZE];

	fprintf(page->file, "<g class=\"%s\"",
		scale->has_before ? flame_difference_style(flame_before(scale, values->before_total), values->total)
				  : flame_style_of(frame, style));
	/* The exact figures, for programs. */
	fprintf(page->file, " data-total=\"%" PRIu64 "\"", values->total);
	if (values->self > 0)
		fprintf(page->file, " data-self=\"%" PRIu64 "\"", values->self);
	if (scale->has_before)
		fprintf(page->file, " data-before=\"%" PRIu64 "\"", values->before_total);
}

static void print_box(svg_page *page, const flame_layout *layout, const flame_box *box, double pixels)
{
	const flame_picture *picture = page->picture;
	const stack_frame *frame = &picture->tree->frames[picture->tree->nodes[box->node].frame];
	const flame_values values = values_of(picture, box->node);
	double x = FLAME_MARGIN + (double)box->left * pixels;
	double y = page->y + (double)box->depth * FLAME_ROW;
	double width = (double)box->weight * pixels;

	print_style(page, frame, &values);
	fputs("><title>", page->file);
	if (box->node == 0)
		fputs(layout == &picture->removed ? "all that is gone" : "all", page->file);
	else
		flame_figures_print_name(page->file, frame);
	fputc('\n', page->file);
	if (layout == &picture->removed && box->node == 0)
		flame_figures_print(page->file, &picture->scale, &(flame_values){.before_total = box->weight});
	else
		flame_figures_print(page->file, &picture->scale, &values);
	fputs("</title><rect x=\"", page->file);
	print_number(page->file, x);
	fprintf(page->file, "\" y=\"%.0f\" width=\"", y);
	print_number(page->file, width);
	fprintf(page->file, "\" height=\"%d\"/>", FLAME_HEIGHT);
	print_label(page, frame, x, y, width);
	fputs("</g>\n", page->file);
}

static void print_graph(svg_page *page, const flame_layout *layout)
{
	const flame_picture *picture = page->picture;
	/* Frames of both graphs have the same scale. */
	uint64_t whole = picture->layout.boxes[0].weight;
	double pixels;

	if (picture->removed.count > 0 && picture->removed.boxes[0].weight > whole)
		whole = picture->removed.boxes[0].weight;
	pixels = whole > 0 ? (double)(picture->width - 2 * FLAME_MARGIN) / (double)whole : 0;
	fputs("<g class=\"graph\">\n", page->file);
	for (size_t i = 0; i < layout->count; i++) {
		if (i == 0 || layout->boxes[i].weight >= layout->named)
			print_box(page, layout, &layout->boxes[i], pixels);
	}
	fputs("</g>\n", page->file);
	flame_small_print_areas(page->file, layout, page->y, pixels);
	page->y += (double)layout->levels * FLAME_ROW + LINE;
}

static void print_key(svg_page *page, double *x, const char *style, const char *name)
{
	fprintf(page->file, "<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"12\"/>", style, *x,
		page->y);
	fprintf(page->file, "<text class=\"key\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", *x + 16, page->y + 10, name);
	*x += 16 + 6.5 * (double)strlen(name) + 14;
}

/* Explains the colors that occur. */
static void print_keys(svg_page *page)
{
	static const char *const styles[FLAME_HUES] = {"m0", "n0", "r", "w", "c", "m0", "h", "o"};
	const flame_picture *picture = page->picture;
	int is_used[FLAME_HUES] = {0};
	double x = FLAME_MARGIN;

	if (picture->scale.has_before) {
		for (int i = 0; i < FLAME_STEPS; i++)
			print_key(page, &x, flame_step_style(i), flame_step_name(i));
	} else {
		for (size_t i = 1; i < picture->layout.count; i++) {
			const stack_node *node = &picture->tree->nodes[picture->layout.boxes[i].node];

			is_used[flame_hue_of(&picture->tree->frames[node->frame])] = 1;
		}
		for (int i = 0; i < FLAME_HUES; i++) {
			if (is_used[i])
				print_key(page, &x, styles[i], flame_hue_name((flame_hue)i));
		}
	}
	page->y += LINE + 3;
}

/* Prints which frames were not drawn. */
static void print_hidden(svg_page *page, const flame_layout *layout)
{
	const flame_picture *picture = page->picture;
	char amount[FIGURES_SIZE];
	char least[FIGURES_SIZE];
	char count[TEXT_NUMBER_SIZE];
	char *line = NULL;

	if (flame_small_count(layout) > 0 &&
	    asprintf(&line, "Gray areas: %s frames of less than %s. Scripts show them as frames.",
		     text_count(count, flame_small_count(layout)),
		     flame_amount(&picture->scale, least, layout->named)) >= 0) {
		print_line(page, "note gray", line);
		free(line);
	}
	if (layout->hidden_count == 0)
		return;
	if (asprintf(&line, "Not drawn: %s frames of less than %s%s, together %s.",
		     text_count(count, layout->hidden_count), flame_amount(&picture->scale, least, layout->least),
		     layout->is_too_deep ? " or below the last row" : "",
		     flame_amount(&picture->scale, amount, layout->hidden_weight)) < 0) {
		output_out_of_memory();
		return;
	}
	print_line(page, "note", line);
	free(line);
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text != '\0'; text++)
		lines += *text == '\n';
	return lines;
}

/* An upper bound of the height of the page. */
static double height_of(const flame_picture *picture)
{
	size_t lines = count_lines(picture->subtitle) + count_lines(picture->warnings) + count_lines(picture->details);

	return TITLE_HEIGHT + (double)(lines + 10) * LINE +
	       (double)(picture->layout.levels + picture->removed.levels) * FLAME_ROW;
}

static void print_start(svg_page *page)
{
	const flame_picture *picture = page->picture;
	double height = height_of(picture);

	fprintf(page->file,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%u\" height=\"%.0f\" "
		"viewBox=\"0 0 %u %.0f\">\n<title>",
		picture->width, height, picture->width, height);
	markup_text(page->file, picture->title);
	fprintf(page->file, "</title>\n<style>\n%s</style>\n<rect class=\"back\" width=\"100%%\" height=\"100%%\"/>\n",
		flame_style_sheet);
	fprintf(page->file, "<text class=\"title\" x=\"%u\" y=\"22\">", picture->width / 2);
	markup_text(page->file, picture->title);
	fputs("</text>\n", page->file);
	page->y = TITLE_HEIGHT;
}

/* The lines that only the script fills in. */
static void print_controls(svg_page *page)
{
	uint32_t right = page->picture->width - FLAME_MARGIN;

	fprintf(page->file, "<text class=\"button search\" x=\"%u\" y=\"22\" text-anchor=\"end\"/>\n", right);
	fprintf(page->file, "<text class=\"note matches\" x=\"%u\" y=\"%.0f\" text-anchor=\"end\"/>\n", right,
		page->y + LINE - 4);
	fprintf(page->file, "<text class=\"button reset off\" x=\"%d\" y=\"22\">Reset zoom</text>\n", FLAME_MARGIN);
}

void flame_svg_print(FILE *file, const flame_picture *picture)
{
	svg_page page = {.file = file, .picture = picture};

	print_start(&page);
	print_controls(&page);
	print_lines(&page, "note", picture->subtitle);
	print_lines(&page, "lost", picture->warnings);
	print_hidden(&page, &picture->layout);
	print_keys(&page);
	fprintf(file, "<text class=\"details\" x=\"%d\" y=\"%.0f\"/>\n", FLAME_MARGIN, page.y + LINE - 4);
	page.y += LINE + 4;
	print_graph(&page, &picture->layout);
	flame_small_print_list(file, picture->tree, &picture->layout, &picture->scale);
	if (picture->removed.count > 1) {
		print_line(&page, "lost", "Only in the earlier log, in the same scale:");
		print_hidden(&page, &picture->removed);
		print_graph(&page, &picture->removed);
	}
	print_lines(&page, "note", picture->details);
	fprintf(file, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_script);
}
