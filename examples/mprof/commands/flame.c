/* SPDX-License-Identifier: MIT */
/* mprof flame: draws a flame graph as one SVG file. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "common/output.h"
#include "common/whole_file.h"
#include "export/stack_tree.h"
#include "flame/svg.h"
#include "report/filters.h"
#include "report/parts.h"
#include "shared/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The flame graph of a log, or of the difference between two.
 */

typedef struct flame_log {
	const char *name; /**< As given. Borrowed. */
	stack_tree *tree;
	char program[256];
	sampling_facts sampling;
	uint64_t idle;  /**< Samples of idle threads, which are not shown. */
	char *header;   /**< Lines about the log. */
	char *warnings; /**< Lines about what is missing or estimated; "" if nothing is. */
} flame_log;

/* What a flame graph is to show. */
typedef struct flame_options {
	const char *file;
	const char *before; /**< The earlier log; NULL if there is none. */
	const char *out;    /**< The SVG file; NULL for standard output. */
	export_value value;
	uint64_t heap_shot; /**< Which heap snapshot, from 1; 0 for the last. */
	int is_inverted;
	int is_normalized;
	uint64_t width; /**< In pixels. */
	uint64_t depth; /**< Number of rows, without the root. */
	const char *title;
	uint64_t min_share; /**< Frames with a smaller share of #REPORT_WHOLE are not drawn. */
	int has_min_share;
	int by_line; /**< Frames in different lines are different frames, with the line after their names. */
	report_options report;
} flame_options;

/* Reads a log for a flame graph. */

static void print_warnings(FILE *file, const log_report *report, const stack_tree *tree)
{
	const mprof_session *session = &report->summary.session;
	char text[TEXT_NUMBER_SIZE];

	if (!session->complete)
		fprintf(file, "The log is incomplete or damaged: it is valid up to offset %" PRIu64 ".\n",
			session->valid_bytes);
	if (session->lost_events > 0)
		fprintf(file, "%s events were lost: all figures are estimates.\n",
			text_count(text, session->lost_events));
	if (report->totals.limited)
		fputs("The log has more data than fits in memory: some of it is in no frame or missing.\n", file);
	if (tree->is_incomplete)
		fputs("The heap snapshot is incomplete: objects or references are missing.\n", file);
	if (tree->is_estimated)
		fputs("The figures are estimates from samples.\n", file);
}

static uint64_t count_idle(const log_report *report, const stack_tree *tree)
{
	mprof_sample_stats row = {.struct_size = sizeof(row)};

	if (tree->value != EXPORT_SAMPLES && tree->value != EXPORT_CPU)
		return 0;
	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLES, i, &row) == MPROF_OK; i++) {
		if (row.kind == MPROF_SAMPLE_IDLE)
			return row.self;
	}
	return 0;
}

/* Makes the texts. Returns 0 if out of memory. */
static int describe(flame_log *log, const log_report *report)
{
	size_t size;
	FILE *file = open_memstream(&log->warnings, &size);
	int is_described = file != NULL;

	log->idle = count_idle(report, log->tree);
	if (file != NULL) {
		print_warnings(file, report, log->tree);
		is_described = text_of_stream(file, &log->warnings) != NULL;
	}
	file = open_memstream(&log->header, &size);
	if (file == NULL)
		return 0;
	summary_print_header(&report->summary, &report->input,
			     report->summary.program[0] != '\0' ? report->summary.program : NULL, file);
	return text_of_stream(file, &log->header) != NULL && is_described;
}

/*
 * Reads a log and makes its tree. Returns an exit status; with STATUS_NOTHING, a message was printed. Call
 * flame_log_release() in any case.
 */
static int flame_log_read(flame_log *log, const char *path, const flame_options *options, export_value value)
{
	static log_report report;
	const stack_tree_options tree_options = {.path = path,
						 .heap_shot = options->heap_shot,
						 .by_line = options->by_line,
						 .names_lines = options->by_line,
						 .is_only = 1};
	int status = report_read(&report, path, &options->report);
	int tree_status;

	memset(log, 0, sizeof(*log));
	log->name = path;
	if (input_failure(&report.input) != MPROF_OK)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		if (options->report.readable_names)
			names_use_readable(report.input.names);
		tree_status = stack_tree_create(&report, value, &tree_options, &log->tree);
		status = tree_status != STATUS_OK ? tree_status : status;
	}
	if (log->tree != NULL) {
		log->sampling = report.summary.sampling;
		memcpy(log->program, report.summary.program, sizeof(log->program));
		if (!describe(log, &report)) {
			output_out_of_memory();
			status = STATUS_NOTHING;
		}
	}
	report_release(&report);
	return status;
}

static void flame_log_release(flame_log *log)
{
	stack_tree_destroy(log->tree);
	free(log->header);
	free(log->warnings);
}

/* Makes the inverse of a tree of call stacks. */

/* Copies the frames of a tree; \p frames receives their numbers in the copy. Returns 0 if out of memory. */
static int copy_frames(stack_tree *copy, const stack_tree *tree, uint32_t *frames)
{
	for (size_t i = 0; i < tree->frame_count; i++) {
		if (!stack_nodes_frame(copy, &tree->frames[i], &frames[i]))
			return 0;
	}
	return 1;
}

/* Adds the path from a node to the root. Returns 0 if out of memory. */
static int add_path(stack_tree *inverse, const stack_tree *tree, const uint32_t *frames, uint32_t from,
		    uint32_t max_depth)
{
	uint32_t node = 0;

	for (uint32_t i = from, depth = 0; i != 0 && depth < max_depth; i = tree->nodes[i].parent, depth++) {
		if (!stack_nodes_child(inverse, node, frames[tree->nodes[i].frame], &node))
			return 0;
		inverse->nodes[node].count += tree->nodes[from].count;
	}
	inverse->nodes[node].self += tree->nodes[from].self;
	return 1;
}

/* Adds up the own values of each frame. */
static void sum_frames(const stack_tree *tree, uint64_t *values)
{
	for (size_t i = 0; i < tree->node_count; i++)
		values[tree->nodes[i].frame] += tree->nodes[i].self;
}

/*
 * Makes the inverse of a tree: the nodes below the root are the frames with a value of their own, and the totals of
 * these are the sums of all nodes of the frame. Callers beyond max_depth frames are left out, and so are those of
 * frames whose own value is less than least. NULL after a message if out of memory. The caller frees the result with
 * stack_tree_destroy().
 */
static stack_tree *flame_invert(const stack_tree *tree, uint32_t max_depth, uint64_t least)
{
	stack_tree *inverse = malloc(sizeof(*inverse));
	uint32_t *frames = calloc(tree->frame_count, sizeof(*frames));
	uint64_t *values = calloc(tree->frame_count, sizeof(*values));
	int is_created = inverse != NULL && stack_nodes_init(inverse, tree->value, 0) && frames != NULL &&
			 values != NULL && copy_frames(inverse, tree, frames);

	if (is_created)
		sum_frames(tree, values);
	for (uint32_t i = 0; is_created && i < tree->node_count; i++) {
		uint32_t depth = values[tree->nodes[i].frame] < least ? 1 : max_depth;

		if (tree->nodes[i].self > 0)
			is_created = add_path(inverse, tree, frames, i, depth);
	}
	free(frames);
	free(values);
	if (!is_created) {
		output_out_of_memory();
		stack_tree_destroy(inverse);
		return NULL;
	}
	inverse->is_estimated = tree->is_estimated;
	inverse->is_incomplete = tree->is_incomplete;
	inverse->heap_shot = tree->heap_shot;
	stack_nodes_finish(inverse);
	return inverse;
}

/* Bytes of the frames of a document, unless a share is requested. */
#define FLAME_USUAL_LENGTH 240000

/* Frames of less than 1 / PARTS of a pixel are not drawn. */
#define PARTS 10

/* The smallest weight that is drawn. */
static flame_limits limits_of(const flame_options *options, uint64_t whole)
{
	flame_limits limits = {.max_depth = (uint32_t)options->depth + 1};

	if (options->has_min_share) {
		limits.least = report_least(options->min_share, whole);
	} else {
		limits.least = whole / (options->width * PARTS);
		/* A comparison has more figures than the script has. */
		limits.max_length = options->before != NULL ? FLAME_USUAL_LENGTH : FLAME_USUAL_LENGTH / 2;
		limits.max_small = options->before != NULL ? 0 : FLAME_USUAL_LENGTH / 2;
	}
	limits.least = limits.least > 0 ? limits.least : 1;
	return limits;
}

static void print_filter(FILE *file, const char *option, const char *value)
{
	if (value != NULL)
		fprintf(file, " --%s=%s", option, value);
}

/* Prints which part of the log is shown. */
static void print_filters(FILE *file, const report_options *options)
{
	char time[TEXT_NUMBER_SIZE];

	if (options->focus_pattern == NULL && options->ignore_pattern == NULL && options->hide_pattern == NULL &&
	    options->collapse_pattern == NULL && options->window.text == NULL && options->window.last_ns == 0 &&
	    filter_options_want_all_threads(options))
		return;
	fputs("Filtered with", file);
	print_filter(file, "focus", options->focus_pattern);
	print_filter(file, "ignore", options->ignore_pattern);
	print_filter(file, "hide", options->hide_pattern);
	print_filter(file, "collapse", options->collapse_pattern);
	print_filter(file, "time", options->window.text);
	if (options->window.last_ns != 0)
		print_filter(file, "last", text_duration(time, options->window.last_ns));
	print_filter(file, "process", options->threads.wanted_process);
	print_filter(file, "thread", options->threads.wanted);
	fputc('\n', file);
}

static void print_total(FILE *file, const flame_picture *picture, const flame_log *log, uint64_t whole)
{
	char amount[FIGURES_SIZE];

	fprintf(file, "%s: %s%s", log->name, flame_amount(&picture->scale, amount, whole),
		log->program[0] != '\0' ? ", " : "");
	fputs(log->program, file);
	if (log->idle > 0)
		fprintf(file, "; without %s samples of idle threads, which --thread shows",
			text_count(amount, log->idle));
}

/* The lines below the title. NULL if out of memory. */
static char *make_subtitle(const flame_options *options, const flame_picture *picture, const flame_log *log,
			   const flame_log *before)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file == NULL)
		return NULL;
	print_total(file, picture, log, picture->scale.whole);
	fputc('\n', file);
	if (before != NULL) {
		fputs("compared with ", file);
		print_total(file, picture, before, picture->scale.before_whole);
		fputs(picture->scale.is_normalized ? "; scaled to the same total\n" : "\n", file);
	}
	print_filters(file, &options->report);
	return text_of_stream(file, &text);
}

/* Two texts, each after what it is about. NULL if out of memory. */
static char *join(const char *first, const flame_log *before, const char *second)
{
	char *text = NULL;

	if (before == NULL || second[0] == '\0')
		return strdup(first);
	return asprintf(&text, "%s%s: %s", first, before->name, second) >= 0 ? text : NULL;
}

static int make_layouts(flame_picture *picture, const flame_options *options)
{
	const stack_tree *tree = picture->tree;
	uint64_t *weights = calloc(tree->node_count, sizeof(*weights));
	flame_limits limits = limits_of(options, picture->scale.whole);
	int is_created;

	if (weights == NULL) {
		output_out_of_memory();
		return 0;
	}
	for (size_t i = 0; i < tree->node_count; i++)
		weights[i] = tree->nodes[i].total;
	is_created = flame_layout_make(&picture->layout, tree, weights, &limits, flame_svg_length);
	/* What is left of the length is for the removed frames. */
	if (is_created && picture->comparison != NULL) {
		limits.max_length /= 8;
		is_created = flame_layout_make(&picture->removed, tree, picture->comparison->removed, &limits,
					       flame_svg_length);
	}
	free(weights);
	return is_created;
}

static char *make_title(const flame_options *options, const flame_log *log)
{
	const char *title = log->tree->kind != NULL ? "Samples of " : export_value_title(log->tree->value);
	char *text = NULL;

	if (options->title != NULL)
		return strdup(options->title);
	return asprintf(&text, "%s%s%s%s", title, log->tree->kind != NULL ? log->tree->kind : "",
			options->before != NULL ? ", compared" : "", options->is_inverted ? ", by callee" : "") >= 0
		       ? text
		       : NULL;
}

/* Prints the picture once its tree is known. */
static int print_picture(FILE *file, flame_picture *picture, const flame_options *options, const flame_log *log,
			 const flame_log *before)
{
	char *title = make_title(options, log);
	char *subtitle = make_subtitle(options, picture, log, before);
	char *warnings = join(log->warnings, before, before != NULL ? before->warnings : "");
	char *details = join(log->header, NULL, "");
	int is_created = title != NULL && subtitle != NULL && warnings != NULL && details != NULL;

	if (!is_created)
		output_out_of_memory();
	is_created = is_created && make_layouts(picture, options);
	if (is_created) {
		picture->title = title;
		picture->subtitle = subtitle;
		picture->warnings = warnings;
		picture->details = details;
		flame_svg_print(file, picture);
	}
	flame_layout_release(&picture->layout);
	flame_layout_release(&picture->removed);
	free(title);
	free(subtitle);
	free(warnings);
	free(details);
	return is_created;
}

static int print_trees(FILE *file, const flame_options *options, const flame_log *log, const flame_log *before,
		       const stack_tree *tree, const stack_tree *before_tree)
{
	flame_comparison comparison = {.tree = NULL};
	flame_picture picture = {.tree = tree, .width = (uint32_t)options->width};
	int is_created = 1;

	picture.scale = (flame_scale){.value = log->tree->value,
				      .unit = log->tree->unit,
				      .whole = log->tree->nodes[0].total,
				      .sampling = log->sampling};
	if (before_tree != NULL) {
		is_created = flame_comparison_make(&comparison, tree, before_tree);
		picture.tree = comparison.tree;
		picture.comparison = &comparison;
		picture.scale.has_before = 1;
		picture.scale.is_normalized = options->is_normalized;
		picture.scale.before_whole = before->tree->nodes[0].total;
	}
	is_created = is_created && print_picture(file, &picture, options, log, before);
	flame_comparison_release(&comparison);
	return is_created;
}

/* The inverse of a tree, in which frames that are not drawn have no callers. */
static stack_tree *invert(const flame_options *options, const stack_tree *tree)
{
	const flame_limits limits = limits_of(options, tree->nodes[0].total);

	return flame_invert(tree, limits.max_depth - 1, limits.least);
}

/*
 * Prints the flame graph of a log, which was read, and of an earlier one, unless \p before is NULL. Returns 0 after a
 * message if out of memory.
 */
static int flame_graph_print(FILE *file, const flame_options *options, const flame_log *log, const flame_log *before)
{
	stack_tree *tree;
	stack_tree *before_tree;
	int is_created;

	if (!options->is_inverted)
		return print_trees(file, options, log, before, log->tree, before != NULL ? before->tree : NULL);
	tree = invert(options, log->tree);
	before_tree = before != NULL ? invert(options, before->tree) : NULL;
	is_created = tree != NULL && (before == NULL || before_tree != NULL) &&
		     print_trees(file, options, log, before, tree, before_tree);
	stack_tree_destroy(tree);
	stack_tree_destroy(before_tree);
	return is_created;
}

/*
 * The command.
 */

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
	taken.report.folds_idle = 1;
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
