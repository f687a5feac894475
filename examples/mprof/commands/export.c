/* SPDX-License-Identifier: MIT */
/* mprof export: writes a log in the format of another tool. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "common/output.h"
#include "export/targets.h"
#include "report/filters.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
	"Usage: mprof export --to=FORMAT [OPTIONS] FILE...\n\n"
	"Writes a log in the format of another tool. The figures are those of mprof report. FILE may be '-' and may "
	"be\n"
	"compressed with gzip. More than one FILE is possible where the format holds several logs.\n\n"
	"  --to=FORMAT          the format; 'help' lists the formats, their values, and what they cannot represent\n"
	"  --value=VALUE        what call stacks are weighted by (default: the main content of the log):\n"
	"                       " EXPORT_VALUES_FIRST ",\n"
	"                       " EXPORT_VALUES_SECOND "\n"
	"  -o, --output=OUT     the file to write, '-' for standard output (default: in the current directory, the\n"
	"                       name of the log with the extension of the format; for FILE '-', standard output)\n"
	"  --top=N              only the N rows, frames or objects with the greatest values, in some formats\n"
	"  --events             speedscope: single calls also if the file becomes large\n"
	"  --min-duration=TIME  leave out calls that are shorter, as 10us, in formats with single calls\n"
	"  --max-depth=N        all frames of a call stack after the first N, from the outermost one, are one frame\n"
	"                       (default: 512, and fewer if all call stacks would take more than 64 MB; 0: no limit)\n"
	"  --force              the same as --max-depth=0: all frames, however large the file becomes\n"
	"  --at=N               the N-th heap snapshot, from 1 (default: the last; all for perfetto)\n"
	"  --by-thread          label call stacks with their thread also in a large log, which is read once more for "
	"each\n"
	"  --by-line            frames in different lines are different frames, where the log states lines\n"
	"  --thread=NAME        only the threads with this name, a pattern or an ID\n"
	"  --process=NAME       only the threads of processes with this name, a pattern or a number\n"
	"  --time=FROM-TO       only this time: seconds from the start, as 1.5s-2s or 200ms-, or names of markers\n"
	"  --last=TIME          only this time before the end, as 5s\n"
	"  --focus=PATTERN      only call stacks that contain a method that matches\n"
	"  --ignore=PATTERN     only call stacks that do not contain a method that matches\n"
	"  --hide=PATTERN       remove methods that match from call stacks; their own value counts for their callers\n"
	"  --collapse=PATTERN   show each run of methods that match as one frame\n"
	"  --class=PATTERN      only objects of classes that match, of allocations, waits and handles\n"
	"  --table=NAME         only this table, as one file, in formats with a file for each table\n"
	"  --host=TEXT          tables: the host of logs that do not state it\n"
	"  --build=TEXT         tables: the version of the program, for logs that do not state it\n"
	"  --compiler-names     functions of C++ and Rust as the object file names them: _ZN4shop4sellEi\n"
	"  --no-lines           do not read the debug information of native code for lines and inlined functions\n"
	"  --threads=N          threads that decode events (default: 1)\n"
	"  --help               this text\n"
	"  --version            the version\n\n"
	"Patterns are shell patterns: *, ?, [abc]. An existing file is replaced only by a complete one.\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was written), 2 wrong usage,\n"
	"3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof export --to=help\n"
	"  mprof export --to=pprof app.mprof\n"
	"  mprof export --to=pprof --value=bytes -o alloc.pb.gz app.mprof\n"
	"  mprof export --to=folded --value=wall --thread=0x7f10 -o - app.mprof\n"
	"  mprof export --to=dot --top=30 -o app.dot app.mprof\n";

enum {
	OPTION_TO = OPTION_OWN,
	OPTION_VALUE,
	OPTION_TOP,
	OPTION_MIN_DURATION,
	OPTION_EVENTS,
	OPTION_AT,
	OPTION_HOST,
	OPTION_TABLE,
	OPTION_BUILD,
	OPTION_BY_LINE,
	OPTION_BY_THREAD,
	OPTION_MAX_DEPTH,
	OPTION_FORCE,
	OPTION_COLLAPSE,
	OPTION_CLASS,
	OPTION_NO_LINES
};

static const struct option options[] = {
	COMMON_OPTIONS,
	THREADS_OPTION,
	{"to", required_argument, NULL, OPTION_TO},
	{"value", required_argument, NULL, OPTION_VALUE},
	{"output", required_argument, NULL, 'o'},
	{"top", required_argument, NULL, OPTION_TOP},
	{"events", no_argument, NULL, OPTION_EVENTS},
	{"min-duration", required_argument, NULL, OPTION_MIN_DURATION},
	{"at", required_argument, NULL, OPTION_AT},
	{"by-thread", no_argument, NULL, OPTION_BY_THREAD},
	{"by-line", no_argument, NULL, OPTION_BY_LINE},
	{"max-depth", required_argument, NULL, OPTION_MAX_DEPTH},
	{"force", no_argument, NULL, OPTION_FORCE},
	FILTER_OPTIONS_STACKS,
	{"collapse", required_argument, NULL, OPTION_COLLAPSE},
	{"class", required_argument, NULL, OPTION_CLASS},
	{"table", required_argument, NULL, OPTION_TABLE},
	{"host", required_argument, NULL, OPTION_HOST},
	{"build", required_argument, NULL, OPTION_BUILD},
	{"no-lines", no_argument, NULL, OPTION_NO_LINES},
	{NULL, 0, NULL, 0},
};

typedef struct export_command {
	export_job job;
	const char *out;
} export_command;

/* Options that choose a part of the call stacks, apart from those of several commands. */
static int apply_stack_option(export_job *job, int option, const char *value)
{
	uint64_t depth;

	switch (option) {
	case OPTION_COLLAPSE:
		job->options.collapse_pattern = value;
		return 1;
	case OPTION_CLASS:
		job->options.class_pattern = value;
		return 1;
	case OPTION_MAX_DEPTH:
		if (!arguments_number("--max-depth", value, 0, UINT32_MAX, &depth))
			return 0;
		job->max_depth = (uint32_t)depth;
		job->has_max_depth = 1;
		return 1;
	case OPTION_FORCE:
		job->is_forced = 1;
		job->max_depth = 0;
		job->has_max_depth = 1;
		return 1;
	default:
		job->options.without_lines = 1;
		return 1;
	}
}

static int apply_option(void *user, int option, const char *value)
{
	export_command *command = user;
	export_job *job = &command->job;

	if (filter_options_have(option))
		return filter_options_apply(&job->options, option, value);
	switch (option) {
	case OPTION_TO:
		job->target = targets_find(value);
		return job->target != NULL;
	case OPTION_VALUE:
		job->has_value = 1;
		return export_value_parse(&job->value, &job->options.sample_kind, value);
	case 'o':
		command->out = value;
		return 1;
	case OPTION_TOP:
		job->options.has_top = 1;
		return arguments_number("--top", value, 1, UINT64_MAX, &job->options.top);
	case OPTION_MIN_DURATION:
		return time_window_parse_duration("--min-duration", value, &job->min_duration_ns);
	case OPTION_TABLE:
		job->table = table_find(value);
		return job->table != TABLES;
	case OPTION_HOST:
		job->host = value;
		return 1;
	case OPTION_BUILD:
		job->build = value;
		return 1;
	case OPTION_EVENTS:
		job->wants_events = 1;
		return 1;
	case OPTION_AT:
		return arguments_number("--at", value, 1, UINT64_MAX, &job->heap_shot);
	case OPTION_BY_LINE:
		job->by_line = 1;
		return 1;
	case OPTION_BY_THREAD:
		job->by_thread = 1;
		return 1;
	default:
		return apply_stack_option(job, option, value);
	}
}

/* Whether an option was given that the format does not have, because it would be ignored. */
static int refuse_option(const export_job *job, uint32_t option, int is_given, const char *name)
{
	if (!is_given || (job->target->options & option))
		return 0;
	fprintf(stderr, "mprof: export: %s has no effect on %s\n", name, job->target->name);
	return 1;
}

static int has_bad_options(const export_job *job)
{
	const report_options *taken = &job->options;

	return refuse_option(job, EXPORT_HAS_TOP, taken->has_top, "--top") ||
	       refuse_option(job, EXPORT_HAS_MIN_DURATION, job->min_duration_ns > 0, "--min-duration") ||
	       refuse_option(job, EXPORT_HAS_EVENTS, job->wants_events, "--events") ||
	       refuse_option(job, EXPORT_HAS_AT, job->heap_shot > 0, "--at") ||
	       refuse_option(job, EXPORT_HAS_TABLE, job->table != TABLES, "--table") ||
	       refuse_option(job, EXPORT_HAS_ORIGIN, job->host != NULL, "--host") ||
	       refuse_option(job, EXPORT_HAS_ORIGIN, job->build != NULL, "--build") ||
	       refuse_option(job, EXPORT_HAS_MAX_DEPTH, job->has_max_depth,
			     job->is_forced ? "--force" : "--max-depth") ||
	       refuse_option(job, EXPORT_HAS_LINES, job->by_line, "--by-line") ||
	       refuse_option(job, EXPORT_HAS_BY_THREAD, job->by_thread, "--by-thread") ||
	       refuse_option(job, EXPORT_HAS_WINDOW, taken->threads.wanted != NULL, "--thread") ||
	       refuse_option(job, EXPORT_HAS_WINDOW, taken->threads.wanted_process != NULL, "--process") ||
	       refuse_option(job, EXPORT_HAS_WINDOW, taken->window.text != NULL, "--time") ||
	       refuse_option(job, EXPORT_HAS_WINDOW, taken->window.last_ns > 0, "--last") ||
	       refuse_option(job, EXPORT_HAS_WINDOW, taken->compiler_names, "--compiler-names") ||
	       refuse_option(job, EXPORT_HAS_FRAME_FILTERS, taken->focus_pattern != NULL, "--focus") ||
	       refuse_option(job, EXPORT_HAS_FRAME_FILTERS, taken->ignore_pattern != NULL, "--ignore") ||
	       refuse_option(job, EXPORT_HAS_FRAME_FILTERS, taken->hide_pattern != NULL, "--hide") ||
	       refuse_option(job, EXPORT_HAS_FRAME_FILTERS, taken->collapse_pattern != NULL, "--collapse") ||
	       refuse_option(job, EXPORT_HAS_CLASS, taken->class_pattern != NULL, "--class");
}

static int is_usable(const export_job *job)
{
	if (job->target == NULL) {
		fputs("mprof: export: no --to=FORMAT; --to=help lists the formats\n", stderr);
		return 0;
	}
	if (job->path_count > 1 && !(job->target->options & EXPORT_HAS_MANY_FILES)) {
		fprintf(stderr,
			"mprof: export: more than one FILE: '%s': %s holds one log; "
			"'mprof merge' makes one of several\n",
			job->paths[1], job->target->name);
		return 0;
	}
	if (job->value != EXPORT_VALUE_DEFAULT && !(job->target->values & EXPORT_VALUE_BIT(job->value))) {
		fprintf(stderr, "mprof: export: --value=%s has no effect on %s\n", export_value_name(job->value),
			job->target->name);
		return 0;
	}
	return !has_bad_options(job) && filter_options_check(&job->options);
}

/* Removes an extension from the end of a name. */
static size_t without_extension(const char *name, size_t length, const char *extension)
{
	size_t size = strlen(extension);

	return length > size && memcmp(name + length - size, extension, size) == 0 ? length - size : length;
}

/* The name of the log with the extension of the format. The caller frees it; NULL if out of memory. */
static char *default_output(const export_job *job)
{
	const char *path = job->paths[0];
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	size_t length;
	char *created;

	if (strcmp(path, "-") == 0)
		return strdup("-");
	length = without_extension(name, strlen(name), ".gz");
	length = without_extension(name, length, ".mprof");
	if (job->table != TABLES)
		return asprintf(&created, "%.*s-%s%s", (int)length, name, table_describe(job->table)->name,
				job->target->table_extension) >= 0
			       ? created
			       : NULL;
	return asprintf(&created, "%.*s%s", (int)length, name, job->target->extension) >= 0 ? created : NULL;
}

/* Standard output and a name with the extension of the format are one file, so for one table. */
static void choose_tables(export_job *job, const char *out)
{
	size_t length = without_extension(out, strlen(out), ".gz");

	if (job->target->table_extension == NULL || job->table != TABLES)
		return;
	if (strcmp(out, "-") != 0 && without_extension(out, length, job->target->table_extension) == length) {
		job->is_directory = 1;
		return;
	}
	job->table = TABLE_METHODS;
	fputs("mprof: export: only the table methods; --table=NAME for another, or a directory for all\n", stderr);
}

/* Whether the output would replace one of the logs. */
static int is_input(const export_job *job, const char *out)
{
	struct stat output;
	struct stat input;

	if (strcmp(out, "-") == 0 || stat(out, &output) != 0 || !S_ISREG(output.st_mode))
		return 0;
	for (size_t i = 0; i < job->path_count; i++) {
		if (strcmp(job->paths[i], "-") != 0 && stat(job->paths[i], &input) == 0 &&
		    input.st_dev == output.st_dev && input.st_ino == output.st_ino)
			return 1;
	}
	return 0;
}

static int report_problem(const char *out, const char *problem, int status)
{
	text_begin_message(out);
	fprintf(stderr, "%s\n", problem);
	return status;
}

/* The losses of a log make its figures estimates. */
static void note_losses(const log_report *report)
{
	if (report->totals.lost_events == 0)
		return;
	text_begin_message(report->input.name);
	fprintf(stderr, "%" PRIu64 " events were lost: all figures are estimates\n", report->totals.lost_events);
}

/* Samples of kinds. */
static uint64_t count_kinds(const log_report *report)
{
	mprof_sample_kind_stats kind = {.struct_size = sizeof(kind)};
	uint64_t count = 0;

	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLE_KINDS, i, &kind) == MPROF_OK; i++)
		count += kind.samples;
	return count;
}

static void note_kinds(const export_job *job, const log_report *report)
{
	const uint64_t count = count_kinds(report);
	const uint32_t values = job->target->values;

	if (count == 0 || (values & EXPORT_VALUE_BIT(EXPORT_KIND)) != 0 || job->target->kind == EXPORT_OBJECTS)
		return;
	fprintf(stderr, "mprof: export: %" PRIu64 " samples of kinds were left out: %s has none; pprof has them\n",
		count, job->target->name);
}

static void note_described(const export_job *job, const log_report *report)
{
	const uint64_t count = report->totals.event_counts[MPROF_EVENT_TYPED] - count_kinds(report);

	if (count > 0 && !job->target->has_spans && job->target->kind != EXPORT_OBJECTS)
		fprintf(stderr,
			"mprof: export: %" PRIu64 " events that the program describes were left out: %s has none\n",
			count, job->target->name);
}

/* Sums by call stack have no values at times. */
static void note_metrics(const export_job *job, const log_report *report)
{
	mprof_metric_stats metric = {.struct_size = sizeof(metric)};
	uint64_t count = 0;

	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_METRICS, i, &metric) == MPROF_OK; i++)
		count += metric.count;
	if (count > 0 && job->target->kind == EXPORT_AGGREGATED)
		fprintf(stderr, "mprof: export: %" PRIu64 " values of metrics were left out: %s has none\n", count,
			job->target->name);
}

/* Of formats with all values; those with one refuse options for others when they make its tree. */
static int lacks_snapshot(const export_job *job, const log_report *report)
{
	if (job->heap_shot == 0 || !(job->target->options & EXPORT_HAS_ALL_VALUES) ||
	    export_value_exists(report, EXPORT_HEAP))
		return 0;
	text_begin_message(report->input.name);
	fputs("--at has no effect: the log has no heap snapshot\n", stderr);
	return 1;
}

/* A heap snapshot is read in addition to the report, so standard input has to be copied. */
static int write_one_report(export_job *job, export_file *file)
{
	static log_report report;
	int status;
	int written;

	job->options.with_call_sites =
		job->target->kind == EXPORT_AGGREGATED &&
		(job->value == EXPORT_ALLOCATIONS || job->value == EXPORT_BYTES || job->value == EXPORT_WAITS ||
		 (job->target->options & EXPORT_HAS_ALL_VALUES) != 0);
	job->options.with_pauses = job->target->kind == EXPORT_EVENTS;
	job->log = spooled_path(job->paths[0]);
	if (job->log == NULL)
		return STATUS_NOTHING;
	status = thread_choice_find(&job->options.threads, job->log);
	if (status != STATUS_OK)
		return status;
	status = report_read(&report, job->log, &job->options);
	/* Not the log is incomplete, but what was read of it. The message was printed. */
	if (input_failure(&report.input) != MPROF_OK)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		note_losses(&report);
		note_described(job, &report);
		note_kinds(job, &report);
		note_metrics(job, &report);
		written = lacks_snapshot(job, &report) ? STATUS_USAGE : job->target->write_report(job, &report, file);
		status = written > status ? written : status;
	}
	report_release(&report);
	thread_choice_release(&job->options.threads);
	return status;
}

/* Warns if the viewers of the format will have difficulties with the file. */
static void check_size(const export_job *job, const export_file *file)
{
	char size[TEXT_NUMBER_SIZE];
	char limit[TEXT_NUMBER_SIZE];

	/* Viewers of a text have it as a whole in memory; others decompress what they need. */
	const uint64_t read = job->target->file_flags & EXPORT_FILE_TEXT ? file->content_size : file->size;

	if (file->is_size_noted || job->target->viewer_limit == 0 || read <= job->target->viewer_limit)
		return;
	text_begin_message(file->path);
	fprintf(stderr, "the file has %s; viewers are slow or fail above %s: %s\n", text_bytes(size, read),
		text_bytes(limit, job->target->viewer_limit), job->target->smaller);
}

static void print_result(const export_job *job, const export_file *file)
{
	char size[TEXT_NUMBER_SIZE];

	if (job->target->lacks != NULL)
		fprintf(stderr, "mprof: export: %s\n", job->target->lacks);
	check_size(job, file);
	if (strcmp(file->path, "-") == 0)
		return;
	text_begin_message(file->path);
	fprintf(stderr, "%s\n", text_bytes(size, file->size));
}

/* The format opens the files of the directory. They have no size if they were discarded. */
static int run_in_directory(const export_job *job, const char *out)
{
	export_file file = {.path = out};
	int status = job->target->write_logs(job, &file);

	if (file.size > 0)
		print_result(job, &file);
	return status;
}

static int run_job(export_job *job, const char *out)
{
	export_file file;
	const char *problem;
	int status;
	int is_whole;

	job->mode = whole_file_mode((const char *const *)job->paths, job->path_count);
	if (is_input(job, out))
		return report_problem(out, "the output file is the log itself", STATUS_USAGE);
	if (job->is_directory)
		return run_in_directory(job, out);
	problem = export_file_open(&file, out, job->target->file_flags, job->mode);
	if (problem != NULL)
		return report_problem(out, problem, STATUS_DAMAGED);
	status = job->target->write_report != NULL ? write_one_report(job, &file) : job->target->write_logs(job, &file);
	if (output_lacks_memory())
		status = STATUS_NOTHING;
	is_whole = status == STATUS_OK || status == STATUS_DAMAGED;
	problem = export_file_close(&file, is_whole);
	if (!is_whole)
		return status;
	if (problem != NULL)
		return report_problem(out, problem, STATUS_DAMAGED);
	print_result(job, &file);
	return status;
}

/* Whether the formats are to be listed, which needs no FILE. */
static int wants_list(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--to=help") == 0 ||
		    (strcmp(argv[i], "--to") == 0 && i + 1 < argc && strcmp(argv[i + 1], "help") == 0))
			return 1;
	}
	return 0;
}

int command_export(int argc, char **argv)
{
	static export_command command = {
		.job.value = EXPORT_VALUE_DEFAULT, .job.table = TABLES, .job.max_depth = EXPORT_USUAL_DEPTH};
	char *out;
	int first;
	int status;

	if (wants_list(argc, argv)) {
		targets_print_list();
		return STATUS_OK;
	}
	status = arguments_parse_files(argc, argv, options, help, apply_option, &command, &first);
	if (status >= 0)
		return status;
	command.job.paths = argv + first;
	command.job.path_count = (size_t)(argc - first);
	if (!is_usable(&command.job))
		return arguments_refuse(argv[0]);
	out = command.out != NULL ? strdup(command.out) : default_output(&command.job);
	if (out == NULL)
		return report_problem(command.job.paths[0], mprof_status_get_text(MPROF_ERR_MEMORY), STATUS_NOTHING);
	choose_tables(&command.job, out);
	status = run_job(&command.job, out);
	free(out);
	return status;
}
