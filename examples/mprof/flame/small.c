/* SPDX-License-Identifier: MIT */
/* Prints the frames that only the script of a flame graph names. */
#include "flame/small.h"

#include "common/output.h"
#include "flame/colors.h"
#include "flame/markup.h"

#include <inttypes.h>
#include <stdlib.h>

/* Areas that are closer are one. */
#define MAX_GAP 0.4

static int is_small(const flame_layout *layout, const flame_box *box)
{
	return box->weight < layout->named && box->node != 0;
}

size_t flame_small_count(const flame_layout *layout)
{
	size_t count = 0;

	for (size_t i = 0; i < layout->count; i++)
		count += (size_t)is_small(layout, &layout->boxes[i]);
	return count;
}

static int compare_places(const void *left, const void *right)
{
	const flame_box *a = left;
	const flame_box *b = right;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->left > b->left) - (a->left < b->left);
}

/* The small boxes by row, from left to right. The caller frees them; NULL after a message if out of memory. */
static flame_box *sort_boxes(const flame_layout *layout, size_t count)
{
	flame_box *boxes = calloc(count + 1, sizeof(*boxes));
	size_t used = 0;

	if (boxes == NULL) {
		output_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < layout->count; i++) {
		if (is_small(layout, &layout->boxes[i]))
			boxes[used++] = layout->boxes[i];
	}
	qsort(boxes, count, sizeof(*boxes), compare_places);
	return boxes;
}

void flame_small_print_areas(FILE *file, const flame_layout *layout, double y, double pixels)
{
	size_t count = flame_small_count(layout);
	flame_box *boxes = count > 0 ? sort_boxes(layout, count) : NULL;
	size_t first = 0;

	if (boxes == NULL)
		return;
	fputs("<path class=\"small\" d=\"", file);
	for (size_t i = 0; i < count; i++) {
		double right = (double)(boxes[i].left + boxes[i].weight) * pixels;
		double left = (double)boxes[first].left * pixels;

		if (i + 1 < count && boxes[i + 1].depth == boxes[first].depth &&
		    (double)boxes[i + 1].left * pixels - right < MAX_GAP)
			continue;
		fprintf(file, "M%.1f %.0fh%.1fv%dH%.1fz", FLAME_MARGIN + left, y + boxes[first].depth * FLAME_ROW,
			right - left, FLAME_HEIGHT, FLAME_MARGIN + left);
		first = i + 1;
	}
	fputs("\"/>\n", file);
	free(boxes);
}

/* Prints a number with the digits 0 to 9 and a to z. */
static void print_digits(FILE *file, uint64_t number)
{
	char text[16];
	char *digit = text + sizeof(text);

	*--digit = '\0';
	do {
		*--digit = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36];
		number /= 36;
	} while (number > 0);
	fputs(digit, file);
}

/* Numbers of the nodes that are drawn and of the names of frames, from 1; 0 if there is none. */
typedef struct small_numbers {
	uint32_t *nodes;
	uint32_t *names;
	uint32_t drawn; /* Number of elements. */
} small_numbers;

static void number_elements(small_numbers *numbers, const stack_tree *tree, const flame_layout *layout)
{
	uint32_t count;

	for (size_t i = 0; i < layout->count; i++) {
		const flame_box *box = &layout->boxes[i];

		if (is_small(layout, box))
			continue;
		numbers->nodes[box->node] = ++numbers->drawn;
		if (numbers->names[tree->nodes[box->node].frame] == 0)
			numbers->names[tree->nodes[box->node].frame] = numbers->drawn;
	}
	count = numbers->drawn;
	for (size_t i = 0; i < layout->count; i++) {
		if (is_small(layout, &layout->boxes[i]))
			numbers->nodes[layout->boxes[i].node] = ++count;
	}
}

/* Prints the names that no element has. */
static void print_names(FILE *file, small_numbers *numbers, const stack_tree *tree, const flame_layout *layout)
{
	uint32_t count = numbers->drawn;
	char style[FLAME_STYLE_SIZE];

	for (size_t i = 0; i < layout->count; i++) {
		uint32_t frame = tree->nodes[layout->boxes[i].node].frame;

		if (numbers->names[frame] != 0)
			continue;
		numbers->names[frame] = ++count;
		fprintf(file, "%s ", flame_style_of(&tree->frames[frame], style));
		flame_figures_print_name(file, &tree->frames[frame]);
		fputc('\n', file);
	}
}

static void print_frames(FILE *file, const small_numbers *numbers, const stack_tree *tree, const flame_layout *layout)
{
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < layout->count; i++) {
		const stack_node *node = &tree->nodes[layout->boxes[i].node];

		if (!is_small(layout, &layout->boxes[i]))
			continue;
		if (node->parent != last)
			print_digits(file, numbers->nodes[node->parent] - 1);
		last = node->parent;
		fputc(',', file);
		print_digits(file, numbers->names[node->frame] - 1);
		fputc(',', file);
		print_digits(file, node->total);
		fputc(',', file);
		if (node->self != node->total)
			print_digits(file, node->self);
		if (node->count > 0) {
			fputc(',', file);
			print_digits(file, node->count);
		}
		fputc('\n', file);
	}
}

void flame_small_print_list(FILE *file, const stack_tree *tree, const flame_layout *layout, const flame_scale *scale)
{
	small_numbers numbers = {.nodes = calloc(tree->node_count, sizeof(*numbers.nodes)),
				 .names = calloc(tree->frame_count, sizeof(*numbers.names))};

	if (numbers.nodes == NULL || numbers.names == NULL) {
		output_out_of_memory();
	} else if (flame_small_count(layout) > 0) {
		number_elements(&numbers, tree, layout);
		fprintf(file, "<metadata class=\"list\" data-unit=\"%s\"", export_value_unit(scale->value));
		flame_figures_print_nouns(file, scale);
		fputs(">\n", file);
		print_names(file, &numbers, tree, layout);
		fputs("\n", file);
		print_frames(file, &numbers, tree, layout);
		fputs("</metadata>\n", file);
	}
	free(numbers.nodes);
	free(numbers.names);
}
