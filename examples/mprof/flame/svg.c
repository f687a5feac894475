/* SPDX-License-Identifier: MIT */
/* Prints a flame graph as an SVG document. */
#include "flame/svg.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "shared/text.h"
#include "shared/utf8.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Chooses the colors of a flame graph. */

/* Kinds of frames that have a hue. */
typedef enum flame_hue {
#define LOOK(id, title) FLAME_##id,
#include "flame/looks.def"
	FLAME_HUES
} flame_hue;

/* A color of a hue, by its style class. */
typedef struct flame_shade {
	flame_hue hue;
	const char *style;
} flame_shade;

/* The number of steps of differences, and the style class and meaning of each. */
#define FLAME_STEPS 9

/* The style sheet. */
static const char flame_style_sheet[] =
	".flame{--back:#fff;--ink:#222;--faint:#666;font:11px 'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
	"@media (prefers-color-scheme:dark){.flame{--back:#1b1d21;--ink:#e8e8e8;--faint:#a0a0a0}}\n"
	".flame .back{fill:#fff;fill:var(--back)}\n"
	".flame text{fill:#222;fill:var(--ink);unicode-bidi:isolate}\n"
	".flame .title{font-size:16px;font-family:sans-serif;text-anchor:middle}\n"
	".flame .note,.flame .key{font-family:sans-serif;fill:#666;fill:var(--faint)}\n"
	".flame .lost{font-family:sans-serif;font-weight:bold}\n"
	".flame .button{font-family:sans-serif;cursor:pointer;text-decoration:underline}\n"
	".flame .button.off{visibility:hidden}\n"
	".flame .graph text{fill:#111;pointer-events:none}\n"
	".flame .graph rect{stroke:#fff;stroke:var(--back);stroke-width:.3;cursor:pointer}\n"
	".flame .graph g:hover rect{stroke:#000;stroke-width:1}\n"
	".flame .small{fill:#c4c4c4}\n"
	".flame .graph .parent{opacity:.6}\n"
	".flame .graph .found rect{fill:#e040fb}\n"
	".flame .graph .current rect{stroke:#000;stroke-width:2}\n"
#define COLOR(id, style, color) ".flame ." style "{fill:" color "}\n"
#include "flame/looks.def"
	".flame .l4{fill:#2166ac}.flame .l3{fill:#5fa0cf}.flame .l2{fill:#9ccae4}.flame .l1{fill:#d1e5f0}\n"
	".flame .z{fill:#ededed}.flame .g1{fill:#fee0b6}.flame .g2{fill:#fdb863}.flame .g3{fill:#e8902a}\n"
	".flame .g4{fill:#b35806}\n"
	".flame .graph .l4 text,.flame .graph .g4 text{fill:#fff}\n";

static const char *const hue_names[FLAME_HUES] = {
#define LOOK(id, title) title,
#include "flame/looks.def"
};

static const flame_shade shades[] = {
#define COLOR(id, style, color) {FLAME_##id, style},
#include "flame/looks.def"
};

static int begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Methods and native functions in which a thread waits. */
static int is_waiting(const stack_frame *frame)
{
	static const char *const methods[] = {
#define WAITING_METHOD(name) name,
#include "flame/looks.def"
	};
	static const char *const functions[] = {
#define WAITING_FUNCTION(name) name,
#include "flame/looks.def"
	};

	if (frame->kind == STACK_FRAME_METHOD) {
		for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
			if (begins_with(frame->name, methods[i]))
				return 1;
		}
		return 0;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		size_t length = strlen(functions[i]);
		const char *name = frame->name + strspn(frame->name, "_");

		/* Symbols may have a version: pthread_cond_wait@@GLIBC_2.3.2. */
		if (strncmp(name, functions[i], length) == 0 && (name[length] == '\0' || name[length] == '@'))
			return 1;
	}
	return 0;
}

static flame_hue hue_of_method(const stack_frame *frame)
{
	if ((frame->flags & STACK_FRAME_RUNTIME) != 0 && begins_with(frame->name, "[GC]"))
		return FLAME_COLLECTOR;
	if ((frame->flags & STACK_FRAME_RUNTIME) != 0 && begins_with(frame->name, "[waiting"))
		return FLAME_WAITING;
	if ((frame->flags & (STACK_FRAME_RUNTIME | STACK_FRAME_COMPILING)) != 0)
		return FLAME_RUNTIME;
	if (is_waiting(frame))
		return FLAME_WAITING;
	return (frame->flags & STACK_FRAME_INLINED) != 0 ? FLAME_INLINED : FLAME_MANAGED;
}

static flame_hue hue_of_native_code(const stack_frame *frame)
{
	if (frame->module != NULL && begins_with(frame->module, "[kernel"))
		return FLAME_KERNEL;
	if (is_waiting(frame))
		return FLAME_WAITING;
	return (frame->flags & STACK_FRAME_INLINED) != 0 ? FLAME_INLINED : FLAME_NATIVE;
}

static flame_hue flame_hue_of(const stack_frame *frame)
{
	switch (frame->kind) {
	case STACK_FRAME_METHOD:
		return hue_of_method(frame);
	case STACK_FRAME_FUNCTION:
	case STACK_FRAME_MODULE:
	case STACK_FRAME_LOCATION:
		return hue_of_native_code(frame);
	case STACK_FRAME_CLASS:
		return FLAME_CLASS;
	case STACK_FRAME_FIELD:
		return FLAME_FIELD;
	case STACK_FRAME_HEAP_ROOT:
		return FLAME_ROOT;
	default:
		return FLAME_OTHER;
	}
}

/* A number that is the same for all methods of a class, and for all functions of a module. */
static unsigned int shade_of(const stack_frame *frame)
{
	const char *text = frame->module != NULL ? frame->module : frame->name;
	size_t length = strlen(text);
	unsigned int hash = 2166136261u;

	if (frame->kind == STACK_FRAME_METHOD || frame->kind == STACK_FRAME_FIELD)
		text = name_class(frame->name, &length);
	else if (frame->kind == STACK_FRAME_CLASS)
		text = frame->name, length = strlen(text);
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash >> 8;
}

/* The style class of a hue, in one of its shades. */
static const char *style_of_hue(flame_hue hue, unsigned int shade)
{
	size_t first = 0;
	size_t count = 1;

	while (shades[first].hue != hue)
		first++;
	while (first + count < sizeof(shades) / sizeof(shades[0]) && shades[first + count].hue == hue)
		count++;
	return shades[first + shade % count].style;
}

/* The style class of a frame: its hue in a shade by its class or module. */
static const char *flame_style_of(const stack_frame *frame)
{
	return style_of_hue(flame_hue_of(frame), shade_of(frame));
}

static const char *const step_styles[FLAME_STEPS] = {"l4", "l3", "l2", "l1", "z", "g1", "g2", "g3", "g4"};
static const char *const step_names[FLAME_STEPS] = {
	"less than a third", "-67 %", "-40 %", "-20 %", "+-5 %", "+25 %", "+67 %", "+200 %", "more, or new",
};

static const char *flame_step_style(int step)
{
	return step_styles[step];
}

static const char *flame_step_name(int step)
{
	return step_names[step];
}

/* The style class of a difference: from blue for less to orange for more. */
static const char *flame_difference_style(uint64_t before, uint64_t after)
{
	/* The smaller one of the larger one. Equal ratios have equal distances from the middle. */
	static const double ratios[] = {0.95, 0.80, 0.60, 1.0 / 3};
	double less = (double)(before < after ? before : after);
	double more = (double)(before < after ? after : before);
	int step = 0;

	while (step < 4 && less < more * ratios[step])
		step++;
	return step_styles[before < after ? 4 + step : 4 - step];
}

/* Prints text of a log as XML character data. */

/* The character of a valid sequence. */
static uint32_t decode(const char *text, size_t length)
{
	const unsigned char *bytes = (const unsigned char *)text;
	uint32_t character = bytes[0];

	if (length > 1)
		character &= (1u << (7 - length)) - 1;
	for (size_t i = 1; i < length; i++)
		character = character << 6 | (bytes[i] & 0x3f);
	return character;
}

/* Characters that change the direction of text or separate lines, and those that XML excludes. */
static int is_hidden(uint32_t character)
{
	return character == 0x061c || character == 0x200e || character == 0x200f ||
	       (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069) ||
	       character == 0xfeff || character == 0xfffe || character == 0xffff;
}

/*
 * The same text without control characters and invalid UTF-8, as markup_text() prints it but without XML escapes. The
 * caller frees it; NULL if out of memory.
 */
static char *markup_visible(const char *text)
{
	/* The longest replacement of one byte has four bytes. */
	char *visible = malloc(strlen(text) * 4 + 1);
	char *to = visible;

	if (visible == NULL)
		return NULL;
	while (*text != '\0') {
		size_t length = utf8_sequence(text);

		if (length == 0 || utf8_is_control(text)) {
			length = length == 0 ? 1 : length;
			for (size_t i = 0; i < length; i++)
				to += sprintf(to, "\\x%02x", (unsigned char)text[i]);
		} else if (is_hidden(decode(text, length))) {
			to += sprintf(to, "\\u%04x", decode(text, length));
		} else {
			memcpy(to, text, length);
			to += length;
		}
		text += length;
	}
	*to = '\0';
	return visible;
}

static void print_byte(FILE *file, char byte)
{
	switch (byte) {
	case '&':
		fputs("&amp;", file);
		break;
	case '<':
		fputs("&lt;", file);
		break;
	case '>':
		fputs("&gt;", file);
		break;
	case '"':
		fputs("&quot;", file);
		break;
	default:
		fputc(byte, file);
	}
}

/*
 * Prints text as XML character data. Control characters and invalid UTF-8 are printed as \xNN; characters that change
 * the direction of text or that XML does not allow, as \uNNNN.
 */
static void markup_text(FILE *file, const char *text)
{
	char *visible = markup_visible(text);

	if (visible == NULL)
		output_out_of_memory();
	for (const char *at = visible; at != NULL && *at != '\0'; at++)
		print_byte(file, *at);
	free(visible);
}

/* Whether a character takes two columns: Hangul, CJK and full-width forms. */
static int is_wide(uint32_t character)
{
	return (character >= 0x1100 && character <= 0x115f) || (character >= 0x2e80 && character <= 0xa4cf) ||
	       (character >= 0xac00 && character <= 0xd7a3) || (character >= 0xf900 && character <= 0xfaff) ||
	       (character >= 0xfe30 && character <= 0xfe6f) || (character >= 0xff00 && character <= 0xff60) ||
	       (character >= 0x1f300 && character <= 0x1faff) || (character >= 0x20000 && character <= 0x3fffd);
}

/* The number of columns of a text in a font of fixed width; characters of East Asian scripts have two. */
static size_t markup_columns(const char *text)
{
	size_t columns = 0;

	while (*text != '\0') {
		size_t length = utf8_sequence(text);

		columns += length > 1 && is_wide(decode(text, length)) ? 2 : 1;
		text += length == 0 ? 1 : length;
	}
	return columns;
}

/* Formats the figures of frames. */

/* The values of a frame. */
typedef struct flame_values {
	uint64_t count;
	uint64_t self;
	uint64_t total;
	uint64_t before_self;
	uint64_t before_total;
} flame_values;

/* What an amount and what the counts of nodes are: one and several. NULL where the unit is clear, or has no counts. */
typedef struct value_nouns {
	const char *one;
	const char *many;
	const char *count_one;
	const char *count_many;
} value_nouns;

static const value_nouns nouns[EXPORT_VALUES] = {
	[EXPORT_WALL] = {NULL, NULL, "call", "calls"},
	[EXPORT_CALLS] = {"call", "calls", NULL, NULL},
	[EXPORT_SAMPLES] = {"sample", "samples", NULL, NULL},
	[EXPORT_ALLOCATIONS] = {"object", "objects", NULL, NULL},
	[EXPORT_BYTES] = {NULL, NULL, "object", "objects"},
	[EXPORT_WAITS] = {NULL, NULL, "wait", "waits"},
	[EXPORT_HEAP] = {NULL, NULL, "object", "objects"},
	[EXPORT_HANDLES] = {"handle", "handles", NULL, NULL},
	[EXPORT_MEMORY] = {NULL, NULL, "block", "blocks"},
	[EXPORT_MEMORY_LIVE] = {NULL, NULL, "block", "blocks"},
	[EXPORT_MEMORY_PEAK] = {NULL, NULL, "block", "blocks"},
	[EXPORT_MEMORY_TEMPORARY] = {"allocation", "allocations", NULL, NULL},
};

/* Formats what samples of a kind stand for: another unit than these is that of the whole picture. */
static void format_weight(const char *unit, char text[FIGURES_SIZE], uint64_t amount)
{
	if (strcmp(unit, "nanoseconds") == 0)
		text_duration(text, amount);
	else if (strcmp(unit, "bytes") == 0)
		text_bytes(text, amount);
	else
		text_count(text, amount);
}

char *flame_amount(const flame_scale *scale, char text[FIGURES_SIZE], uint64_t amount)
{
	const value_nouns *noun = &nouns[scale->value];
	size_t length;

	if (scale->value == EXPORT_KIND)
		format_weight(scale->unit, text, amount);
	else
		export_value_format(scale->value, text, amount);
	length = strlen(text);
	if (noun->one != NULL)
		snprintf(text + length, FIGURES_SIZE - length, " %s", amount == 1 ? noun->one : noun->many);
	return text;
}

/* A value of the earlier log as it is compared: scaled if that is requested. */
static uint64_t flame_before(const flame_scale *scale, uint64_t value)
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

/* Prints the figures of a frame: total, self and count, or both totals and their difference. */
static void flame_figures_print(FILE *file, const flame_scale *scale, const flame_values *values)
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

/* Prints the full name of a frame as XML: with the module of a native function. */
static void flame_figures_print_name(FILE *file, const stack_frame *frame)
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

/* The unit that the script formats: others are numbers of something. */
static const char *script_unit(const flame_scale *scale)
{
	return strcmp(scale->unit, "nanoseconds") == 0 || strcmp(scale->unit, "bytes") == 0 ? scale->unit : "count";
}

/* Prints what the script needs to format figures, as attributes. */
static void flame_figures_print_nouns(FILE *file, const flame_scale *scale)
{
	const value_nouns *noun = &nouns[scale->value];

	if (scale->value == EXPORT_KIND)
		fputs(" data-one=\"\" data-many=\"\"", file);
	else if (noun->one != NULL)
		fprintf(file, " data-one=\"%s\" data-many=\"%s\"", noun->one, noun->many);
	if (noun->count_one != NULL)
		fprintf(file, " data-count-one=\"%s\" data-count-many=\"%s\"", noun->count_one, noun->count_many);
	if (scale->value == EXPORT_SAMPLES && sampling_has_time(&scale->sampling))
		fprintf(file, " data-time=\"%.3f\"", (double)sampling_time_of(&scale->sampling, 1000000) / 1e6);
}

/* Prints the frames that only the script of a flame graph names. */

/* Areas that are closer are one. */
#define MAX_GAP 0.4

static int is_small(const flame_layout *layout, const flame_box *box)
{
	return box->weight < layout->named && box->node != 0;
}

/* The number of small frames. */
static size_t flame_small_count(const flame_layout *layout)
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

/* Prints the areas of small frames. y: of the first row; pixels: of one unit of the weights. */
static void flame_small_print_areas(FILE *file, const flame_layout *layout, double y, double pixels)
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

	for (size_t i = 0; i < layout->count; i++) {
		uint32_t frame = tree->nodes[layout->boxes[i].node].frame;

		if (numbers->names[frame] != 0)
			continue;
		numbers->names[frame] = ++count;
		fprintf(file, "%s ", flame_style_of(&tree->frames[frame]));
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

/*
 * Prints the list of small frames: a line for each name that no other frame has, with a style class; then a line for
 * each frame. Its fields are separated by commas and have the base 36: the number of the caller, empty if it is that of
 * the line before; the number of the name; the total; the own value, empty if it is the total; the count, empty for 0.
 * Numbers of callers and names begin with the frames that are elements of the document.
 */
static void flame_small_print_list(FILE *file, const stack_tree *tree, const flame_layout *layout,
				   const flame_scale *scale)
{
	small_numbers numbers = {.nodes = calloc(tree->node_count, sizeof(*numbers.nodes)),
				 .names = calloc(tree->frame_count, sizeof(*numbers.names))};

	if (numbers.nodes == NULL || numbers.names == NULL) {
		output_out_of_memory();
	} else if (flame_small_count(layout) > 0) {
		number_elements(&numbers, tree, layout);
		fprintf(file, "<metadata class=\"list\" data-unit=\"%s\"", script_unit(scale));
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

/* Prints the name of a frame as far as it fits. */
static void print_label(svg_page *page, const stack_frame *frame, double x, double y, double width)
{
	size_t columns = width > 2 * INDENT ? (size_t)((width - 2 * INDENT) / COLUMN) : 0;
	char *full = columns >= 3 ? markup_visible(frame->name) : NULL;
	char *name = full != NULL ? name_fit(full, columns, markup_columns) : NULL;

	free(full);
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

	fprintf(page->file, "<g class=\"%s\"",
		scale->has_before ? flame_difference_style(flame_before(scale, values->before_total), values->total)
				  : flame_style_of(frame));
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
				print_key(page, &x, style_of_hue((flame_hue)i, 0), hue_names[i]);
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
