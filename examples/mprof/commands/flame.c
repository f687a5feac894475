/* SPDX-License-Identifier: MIT */
/* mprof flame: draws a flame graph as one SVG file. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "common/output.h"
#include "common/whole_file.h"
#include "flame/graph.h"
#include "report/filters.h"
#include "shared/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: mprof flame [OPTIONS] FILE [BEFORE]\n\n"
	"Draws a flame graph of a log as one SVG file, which any browser shows: each frame is as wide as the share of\n"
	"the value that it has with what it calls. A click enlarges a frame, and / searches; without scripts, the\n"
	"picture and the figures in the tooltips are complete.\n"
	"With BEFORE, an earlier log, the frames have the widths of FILE and the colors of the difference: blue for\n"
	"less, orange for more. Frames that only BEFORE has are drawn below. Frames are matched by name.\n"
	"FILE may be '-' and may be compressed with gzip, and so may BEFORE.\n\n"
	"  -o, --output=OUT   the SVG file; '-' or none means standard output\n"
	"  --value=VALUE      " EXPORT_VALUES_FIRST ",\n"
	"                     " EXPORT_VALUES_SECOND ";\n"
	"                     default: what the log has first of samples, wall, samples:KIND, bytes, heap, waits,\n"
	"                     handles, memory\n"
	"  --by-line          frames in different lines are different frames, with the line after their names\n"
	"  --inverted         from the methods with the most own value to their callers\n"
	"  --normalize        compare shares of the total instead of amounts\n"
	"  --at=N             the N-th heap snapshot, from 1, for --value=heap (default: the last)\n"
	"  --min-share=P      leave out frames with a smaller share in percent; by default, those of less than a\n"
	"                     tenth of a pixel, and more if the file would exceed about 300 kB\n"
	"  --depth=N          rows of frames (default 200)\n"
	"  --width=N          width in pixels (default 1200)\n"
	"  --title=TEXT       the title\n"
	"  --thread=NAME      only the threads with this name, a pattern or an ID\n"
	"  --process=NAME     only the threads of processes with this name, a pattern or a number\n"
	"  --time=FROM-TO     only this time: seconds from the start, as 1.5s-2s or 200ms-, or names of markers\n"
	"  --last=TIME        only this time before the end, as 5s\n"
	"  --focus=PATTERN    only call stacks that contain a method that matches\n"
	"  --ignore=PATTERN   only call stacks that do not contain a method that matches\n"
	"  --hide=PATTERN     remove methods that match from call stacks; their own value counts for their callers\n"
	"  --collapse=PATTERN show each run of methods that match as one frame\n"
	"  --class=PATTERN    only objects of classes that match, of allocations, waits and handles\n"
	"  --compiler-names   methods as the compiler names them: <Work>d__1.MoveNext for the async method Work; and\n"
	"                     functions as the object file does: _ZN4shop4sellEi for shop::sell(int)\n"
	"  --no-lines         do not read the debug information of native code for inlined functions\n"
	"  --threads=N        threads that decode events (default: 1)\n"
	"  --help             this text\n"
	"  --version          the version\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was drawn) or OUT could not\n"
	"be written, 2 wrong usage, 3 not a log, or the log has no such value.\n\n"
	"Examples:\n"
	"  mprof flame -o app.svg app.mprof\n"
	"  mprof flame --value=bytes --inverted -o app.svg app.mprof\n"
	"  mprof flame -o difference.svg new.mprof old.mprof\n";

enum {
	OPTION_VALUE = OPTION_OWN,
	OPTION_BY_LINE,
	OPTION_INVERTED,
	OPTION_NORMALIZE,
	OPTION_AT,
	OPTION_MIN_SHARE,
	OPTION_DEPTH,
	OPTION_WIDTH,
	OPTION_TITLE,
	OPTION_COLLAPSE,
	OPTION_CLASS,
	OPTION_NO_LINES
};

#define USUAL_WIDTH 1200
#define USUAL_DEPTH 200
#define MAX_DEPTH 65535

static const struct option options[] = {
	COMMON_OPTIONS,
	THREADS_OPTION,
	{"output", required_argument, NULL, 'o'},
	{"value", required_argument, NULL, OPTION_VALUE},
	{"by-line", no_argument, NULL, OPTION_BY_LINE},
	{"inverted", no_argument, NULL, OPTION_INVERTED},
	{"normalize", no_argument, NULL, OPTION_NORMALIZE},
	{"at", required_argument, NULL, OPTION_AT},
	{"min-share", required_argument, NULL, OPTION_MIN_SHARE},
	{"depth", required_argument, NULL, OPTION_DEPTH},
	{"width", required_argument, NULL, OPTION_WIDTH},
	{"title", required_argument, NULL, OPTION_TITLE},
	FILTER_OPTIONS_STACKS,
	{"collapse", required_argument, NULL, OPTION_COLLAPSE},
	{"class", required_argument, NULL, OPTION_CLASS},
	{"no-lines", no_argument, NULL, OPTION_NO_LINES},
	{NULL, 0, NULL, 0},
};

static int parse_share(flame_options *taken, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (end != value && *end == '\0' && percent >= 0 && percent <= 100) {
		taken->min_share = (uint64_t)(percent * (double)REPORT_PERCENT + 0.5);
		taken->has_min_share = 1;
		return 1;
	}
	fprintf(stderr, "mprof: --min-share: '%s' is not a number from 0 to 100\n", value);
	return 0;
}

static int apply_option(void *user, int option, const char *value)
{
	flame_options *taken = user;

	if (filter_options_have(option))
		return filter_options_apply(&taken->report, option, value);
	switch (option) {
	case 'o':
		taken->out = value;
		return 1;
	case OPTION_VALUE:
		return export_value_parse(&taken->value, &taken->report.sample_kind, value);
	case OPTION_BY_LINE:
		taken->by_line = 1;
		return 1;
	case OPTION_INVERTED:
		taken->is_inverted = 1;
		return 1;
	case OPTION_NORMALIZE:
		taken->is_normalized = 1;
		return 1;
	case OPTION_AT:
		return arguments_number("--at", value, 1, UINT32_MAX, &taken->heap_shot);
	case OPTION_MIN_SHARE:
		return parse_share(taken, value);
	case OPTION_DEPTH:
		return arguments_number("--depth", value, 1, MAX_DEPTH, &taken->depth);
	case OPTION_WIDTH:
		return arguments_number("--width", value, 200, 20000, &taken->width);
	case OPTION_TITLE:
		taken->title = value;
		return 1;
	case OPTION_COLLAPSE:
		taken->report.collapse_pattern = value;
		return 1;
	case OPTION_CLASS:
		taken->report.class_pattern = value;
		return 1;
	default:
		taken->report.without_lines = 1;
		return 1;
	}
}

static void print_problem(const flame_options *taken, const char *problem)
{
	text_begin_message(taken->out);
	fprintf(stderr, "%s\n", problem);
}

/* Whether the output is one of the logs. */
static int is_log(const whole_file *file, const char *path)
{
	int fd = path != NULL && strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int is_same = fd >= 0 && whole_file_is(file, fd);

	if (fd >= 0)
		close(fd);
	return is_same;
}

/* A file, and why the first write to it that failed did: a stream of the C library forgets it. */
typedef struct noted_file {
	int fd;
	int error;
} noted_file;

static ssize_t write_noted(void *user, const char *bytes, size_t length)
{
	noted_file *noted = user;
	size_t done = 0;

	while (done < length) {
		const ssize_t written = write(noted->fd, bytes + done, length - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			noted->error = noted->error != 0 ? noted->error : written < 0 ? errno : EIO;
			return 0;
		}
		done += (size_t)written;
	}
	return (ssize_t)length;
}

/* Prints the graph into an open file. Returns NULL, or a message. */
static const char *write_graph(whole_file *created, const flame_options *taken, const flame_log *log,
			       const flame_log *before, int *is_drawn)
{
	const cookie_io_functions_t functions = {.write = write_noted};
	noted_file noted = {created->fd, 0};
	FILE *file = fopencookie(&noted, "w", functions);
	int has_failed;

	*is_drawn = 0;
	if (file == NULL)
		return strerror(errno);
	*is_drawn = flame_graph_print(file, taken, log, before);
	has_failed = fflush(file) != 0 || ferror(file);
	has_failed |= fclose(file) != 0;
	return has_failed ? strerror(noted.error != 0 ? noted.error : EIO) : NULL;
}

static int save(const flame_options *taken, const flame_log *log, const flame_log *before, int status)
{
	whole_file file;
	const char *const logs[] = {taken->file, taken->before};
	const char *problem = whole_file_open(&file, taken->out, whole_file_mode(logs, taken->before != NULL ? 2 : 1));
	const char *closing;
	int is_drawn = 0;

	if (problem == NULL && (is_log(&file, taken->file) || is_log(&file, taken->before))) {
		print_problem(taken, "output and input are the same file; choose another name");
		whole_file_close(&file, 0);
		return STATUS_USAGE;
	}
	if (problem == NULL)
		problem = write_graph(&file, taken, log, before, &is_drawn);
	is_drawn = is_drawn && !output_lacks_memory();
	closing = whole_file_close(&file, problem == NULL && is_drawn);
	problem = problem != NULL ? problem : closing;
	if (problem != NULL)
		print_problem(taken, problem);
	return problem != NULL || !is_drawn ? STATUS_DAMAGED : status;
}

static int draw(const flame_options *taken)
{
	flame_log logs[2] = {{.name = NULL}, {.name = NULL}};
	int before_status = STATUS_OK;
	int status = flame_log_read(&logs[0], taken->file, taken, taken->value);

	/* The earlier log has the same value, whatever its own main content is. */
	if (status != STATUS_NOTHING && taken->before != NULL && logs[0].tree != NULL)
		before_status = flame_log_read(&logs[1], taken->before, taken, logs[0].tree->value);
	if (logs[0].tree == NULL || status == STATUS_NOTHING || before_status == STATUS_NOTHING)
		status = status == STATUS_USAGE ? status : STATUS_NOTHING;
	else
		status = save(taken, &logs[0], taken->before != NULL ? &logs[1] : NULL,
			      status != STATUS_OK ? status : before_status);
	flame_log_release(&logs[0]);
	flame_log_release(&logs[1]);
	return status;
}

/* Returns -1, or the exit status after a message if options do not fit together. */
static int check_options(const flame_options *taken)
{
	if (!filter_options_check(&taken->report))
		return arguments_refuse("flame");
	if (taken->is_normalized && taken->before == NULL) {
		fputs("mprof: flame: --normalize without BEFORE\n", stderr);
		return arguments_refuse("flame");
	}
	if (taken->before != NULL && strcmp(taken->file, "-") == 0 && strcmp(taken->before, "-") == 0) {
		fputs("mprof: flame: only one of the logs can be standard input\n", stderr);
		return arguments_refuse("flame");
	}
	return -1;
}

int command_flame(int argc, char **argv)
{
	flame_options taken = {.out = "-", .value = EXPORT_VALUE_DEFAULT, .width = USUAL_WIDTH, .depth = USUAL_DEPTH};
	read_arguments arguments;
	int status = arguments_parse_one_or_two(&arguments, argc, argv, options, help, apply_option, &taken);

	if (status >= 0)
		return status;
	taken.file = arguments.file;
	taken.before = arguments.out;
	status = check_options(&taken);
	if (status >= 0)
		return status;
	taken.report.with_call_sites =
		taken.value == EXPORT_ALLOCATIONS || taken.value == EXPORT_BYTES || taken.value == EXPORT_WAITS;
	taken.report.readable_names = !taken.report.compiler_names;
	/* A heap snapshot takes a second pass, and processes are found in one before. */
	if (taken.value == EXPORT_HEAP || taken.value == EXPORT_VALUE_DEFAULT ||
	    thread_choice_reads_log(&taken.report.threads)) {
		taken.file = spooled_path(taken.file);
		taken.before = taken.before != NULL ? spooled_path(taken.before) : NULL;
		if (taken.file == NULL || (arguments.out != NULL && taken.before == NULL))
			return STATUS_NOTHING;
	}
	return draw(&taken);
}
