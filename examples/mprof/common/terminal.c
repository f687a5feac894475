/* SPDX-License-Identifier: MIT */
/* Collects the text of a command, then prints it with names as wide as the terminal allows, with colour, in a pager. */
#include "common/terminal.h"

#include "common/name_cut.h"
#include "shared/utf8.h"

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
	terminal.width = terminal.is_terminal && !options->full_names ? find_width() : SIZE_MAX;
	if (!terminal.is_terminal && !terminal.has_color)
		return;
	terminal.text = tmpfile();
	if (terminal.text == NULL)
		return;
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

/* The width of a line without its names, and their number. */
static size_t measure_line(const char *line, size_t *names)
{
	size_t width = 0;
	int is_name = 0;

	*names = 0;
	while (*line != '\0') {
		size_t bytes = utf8_sequence(line);

		if (*line == NAME_START || *line == NAME_END) {
			is_name = *line == NAME_START;
			*names += (size_t)is_name;
		} else if (!is_name) {
			width++;
		}
		line += bytes > 0 ? bytes : 1;
	}
	return width;
}

/* Prints a name of a line; returns the rest of the line after it. */
static const char *print_marked_name(FILE *out, const char *start, size_t width)
{
	size_t length = strcspn(start, (const char[]){NAME_END, '\0'});
	char *name = width != SIZE_MAX ? strndup(start, length) : NULL;
	char *shorter = name != NULL ? name_cut(name, width) : NULL;

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

static void print_line(FILE *out, const char *line, const line_context *context)
{
	const char *color = terminal.has_color && line[0] != '\0' ? color_of_line(line, context) : NULL;
	size_t names;
	size_t others = measure_line(line, &names);
	size_t width = SIZE_MAX;
	char previous = ' ';

	if (terminal.width != SIZE_MAX && names > 0) {
		width = terminal.width > others ? (terminal.width - others) / names : 0;
		width = width < MIN_NAME_WIDTH ? MIN_NAME_WIDTH : width;
	}
	if (color != NULL)
		fputs(color, out);
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
