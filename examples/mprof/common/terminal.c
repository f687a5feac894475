/* SPDX-License-Identifier: MIT */
/* Collects the text of a command, then prints it with names as wide as the terminal allows, with colour, in a pager. */
#include "common/terminal.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "shared/utf8.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80
#define MIN_WIDTH 40
/* Names are not shortened to less than this; such lines are wider than the terminal. */
#define MIN_NAME_WIDTH 16

#define COLOR_TITLE "\033[1m"
#define COLOR_HEADINGS "\033[2m"
#define COLOR_NOTE "\033[33m"
#define COLOR_LARGE "\033[1;31m"
#define COLOR_MEDIUM "\033[33m"
#define COLOR_NONE "\033[0m"

/* Shares from which a percentage has a colour. */
#define LARGE_PERCENT 20
#define MEDIUM_PERCENT 5

/* The output of the process: there is one standard output. */
static struct {
	FILE *text; /* The collected text; NULL if it is not collected. */
	int output; /* A copy of the descriptor of standard output. */
	int is_terminal;
	int has_color;
	int has_pager;
	size_t width; /* SIZE_MAX if lines are not limited. */
} terminal;

/* The names of a line beyond these have the width of the last one. */
#define NAMES_MAX 8

/* What a line consists of, in characters. */
typedef struct line_widths {
	size_t others; /* All that is not a name. */
	size_t names[NAMES_MAX];
	size_t name_count;
} line_widths;

/* Where a line is in the text. */
typedef struct line_context {
	size_t blocks;   /* Empty lines before it. */
	size_t position; /* Lines since the last empty one. */
	size_t lines;    /* All lines before it. */
} line_context;

int terminal_parse_color(terminal_options *options, const char *value)
{
	static const char *const names[] = {"auto", "always", "never"};
	static const color_mode modes[] = {COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			options->color = modes[i];
			return 1;
		}
	}
	fprintf(stderr, "mprof: --color: '%s' is not one of auto, always, never\n", value);
	return 0;
}

/* COLUMNS is not an environment variable by default: if it is one, the user has set it. */
static size_t find_width(void)
{
	const char *columns = getenv("COLUMNS");
	unsigned long width = columns != NULL ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width == 0 || width > INT_MAX)
		width = DEFAULT_WIDTH;
	return width < MIN_WIDTH ? MIN_WIDTH : width;
}

/* An empty variable is the same as none, as https://no-color.org specifies for NO_COLOR. */
static int is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && value[0] != '\0';
}

static int wants_color(const terminal_options *options, int is_terminal)
{
	const char *type = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return is_terminal && !is_set("NO_COLOR") && type != NULL && strcmp(type, "dumb") != 0;
}

void terminal_begin(const terminal_options *options)
{
	terminal.is_terminal = isatty(STDOUT_FILENO);
	terminal.has_color = wants_color(options, terminal.is_terminal);
	terminal.has_pager = terminal.is_terminal && !options->no_pager;
	terminal.width = SIZE_MAX;
	if ((terminal.is_terminal || options->limits_width) && !options->full_names)
		terminal.width = find_width();
	if (!terminal.is_terminal && !terminal.has_color && !options->limits_width)
		return;
	terminal.text = tmpfile();
	/* Without room for a file, lines are not fitted. */
	if (terminal.text == NULL) {
		if (errno == ENOMEM)
			output_out_of_memory();
		return;
	}
	fflush(stdout);
	terminal.output = dup(STDOUT_FILENO);
	if (terminal.output < 0 || dup2(fileno(terminal.text), STDOUT_FILENO) < 0) {
		fclose(terminal.text);
		terminal.text = NULL;
		return;
	}
	name_print_use_marks(1);
}

static int is_in_path(const char *program)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	while (path != NULL && *path != '\0') {
		size_t length = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)length, path, program);
		if (access(file, X_OK) == 0)
			return 1;
		path += length + (path[length] == ':');
	}
	return 0;
}

/* The command of the pager; NULL for none. */
static const char *find_pager(void)
{
	const char *pager = getenv("PAGER");

	if (!terminal.has_pager)
		return NULL;
	if (pager == NULL)
		return is_in_path("less") ? "less -FRX" : NULL;
	if (pager[0] == '\0' || strcmp(pager, "cat") == 0)
		return NULL;
	/* less shows colour, and ends at once if the text fits on the screen, only with these options. */
	setenv("LESS", "FRX", 0);
	return pager;
}

/* Measures the parts of a line. */
static void measure_line(const char *line, line_widths *widths)
{
	size_t name = 0;
	int is_name = 0;

	memset(widths, 0, sizeof(*widths));
	while (*line != '\0') {
		size_t bytes = utf8_sequence(line);

		if (*line == NAME_START || *line == NAME_END) {
			is_name = *line == NAME_START;
			if (is_name && widths->name_count < NAMES_MAX)
				name = widths->name_count++;
		} else if (is_name) {
			widths->names[name]++;
		} else {
			widths->others++;
		}
		line += bytes > 0 ? bytes : 1;
	}
}

/* The greatest width to which the names of a line can be limited so that it fits: short names leave room for others. */
static size_t width_of_names(const line_widths *widths, size_t line_width)
{
	size_t room = line_width > widths->others ? line_width - widths->others : 0;
	size_t width = 0;
	size_t remaining = widths->name_count;
	int is_done = remaining == 0;

	while (!is_done) {
		const size_t last = width;
		size_t used = 0;

		remaining = 0;
		for (size_t i = 0; i < widths->name_count; i++) {
			if (widths->names[i] <= last)
				used += widths->names[i];
			else
				remaining++;
		}
		width = remaining > 0 && room > used ? (room - used) / remaining : last;
		is_done = remaining == 0 || width <= last;
		width = width > last ? width : last;
	}
	return remaining == 0 ? SIZE_MAX : width < MIN_NAME_WIDTH ? MIN_NAME_WIDTH : width;
}

/* Prints a name of a line; returns the rest of the line after it. */
static const char *print_marked_name(FILE *out, const char *start, size_t width)
{
	size_t length = strcspn(start, (const char[]){NAME_END, '\0'});
	char *name = width != SIZE_MAX ? strndup(start, length) : NULL;
	char *shorter = name != NULL ? name_cut(name, width) : NULL;

	if (width != SIZE_MAX && name == NULL)
		output_out_of_memory();
	if (shorter != NULL)
		fputs(shorter, out);
	else
		fwrite(start, 1, length, out);
	free(shorter);
	free(name);
	return start + length + (start[length] == NAME_END);
}

/* The color of a line; NULL for none. */
static const char *color_of_line(const char *line, const line_context *context)
{
	if (context->blocks == 0)
		return context->lines > 0 ? COLOR_NOTE : COLOR_TITLE;
	if (context->position == 0 && line[0] != ' ')
		return COLOR_TITLE;
	if (context->position == 1 && strpbrk(line, "0123456789\001") == NULL)
		return COLOR_HEADINGS;
	return NULL;
}

/* If a percentage begins here, prints it in a color that depends on its size. Returns its length in bytes. */
static size_t print_percentage(FILE *out, const char *text)
{
	char *end;
	size_t digits = strspn(text, "0123456789");
	double percent;

	if (digits == 0 || text[digits] != '.')
		return 0;
	percent = strtod(text, &end);
	if (strncmp(end, " %", 2) != 0 || percent < MEDIUM_PERCENT)
		return 0;
	fprintf(out, "%s%.*s%s", percent < LARGE_PERCENT ? COLOR_MEDIUM : COLOR_LARGE, (int)(end + 2 - text), text,
		COLOR_NONE);
	return (size_t)(end + 2 - text);
}

/* Columns by which the lines that follow the first one of a note are indented. */
#define NOTE_INDENT 13

/* Whether a line is a sentence about the log or about a table, which can be continued on the next line. */
static int is_note(const char *line, const line_context *context)
{
	return context->blocks == 0 || (line[0] == ' ' && line[1] == ' ' && line[2] >= 'A' && line[2] <= 'z');
}

/* Prints a note on as many lines as it needs. */
static void print_note(FILE *out, const char *line, size_t indent)
{
	size_t column = 0;

	while (*line != '\0') {
		const size_t blanks = strspn(line, " ");
		const size_t length = blanks + strcspn(line + blanks, " ");
		char *word = strndup(line, length);
		const size_t width = word != NULL ? utf8_length(word) : length;

		if (column > indent && column + width > terminal.width) {
			fprintf(out, "\n%*s%.*s", (int)indent, "", (int)(length - blanks), line + blanks);
			column = indent + width - blanks;
		} else {
			fwrite(line, 1, length, out);
			column += width;
		}
		free(word);
		line += length;
	}
}

static void print_line(FILE *out, const char *line, const line_context *context)
{
	const char *color = terminal.has_color && line[0] != '\0' ? color_of_line(line, context) : NULL;
	size_t width = SIZE_MAX;
	int is_wrapped = 0;
	char previous = ' ';

	if (terminal.width != SIZE_MAX) {
		line_widths widths;

		measure_line(line, &widths);
		width = width_of_names(&widths, terminal.width);
		is_wrapped = widths.name_count == 0 && widths.others > terminal.width && is_note(line, context);
	}
	if (color != NULL)
		fputs(color, out);
	if (is_wrapped) {
		print_note(out, line, context->blocks == 0 ? NOTE_INDENT : 2);
		line += strlen(line);
	}
	while (*line != '\0') {
		size_t length = 0;

		if (*line == NAME_START) {
			line = print_marked_name(out, line + 1, width);
			continue;
		}
		if (terminal.has_color && color == NULL && previous == ' ')
			length = print_percentage(out, line);
		previous = *line;
		if (length == 0)
			putc(*line, out);
		line += length > 0 ? length : 1;
	}
	if (color != NULL)
		fputs(COLOR_NONE, out);
	putc('\n', out);
}

static void print_text(FILE *out)
{
	line_context context = {0, 0, 0};
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	rewind(terminal.text);
	/* A reader that closes the pager has seen enough. */
	while (!ferror(out) && (length = getline(&line, &capacity, terminal.text)) >= 0) {
		if (length > 0 && line[length - 1] == '\n')
			line[length - 1] = '\0';
		print_line(out, line, &context);
		context.lines++;
		context.position++;
		if (line[0] == '\0') {
			context.blocks++;
			context.position = 0;
		}
	}
	if (!ferror(out) && !feof(terminal.text))
		output_out_of_memory();
	free(line);
}

void terminal_end(void)
{
	const char *pager = find_pager();
	FILE *out = NULL;

	if (terminal.text == NULL)
		return;
	name_print_use_marks(0);
	fflush(stdout);
	dup2(terminal.output, STDOUT_FILENO);
	close(terminal.output);
	if (pager != NULL) {
		/* The pager handles Ctrl-C; if it ends early, writing fails. */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
		out = popen(pager, "w");
	}
	print_text(out != NULL ? out : stdout);
	if (out != NULL)
		pclose(out);
	fclose(terminal.text);
	terminal.text = NULL;
}
