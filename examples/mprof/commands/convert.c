/* SPDX-License-Identifier: MIT */
/* mprof convert: copies a log to another dialect, compression or resolution. */
#include <mprof/convert.h>
#include <mprof/writer.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "common/json.h"
#include "common/whole_file.h"
#include "shared/codec_names.h"
#include "shared/dialects.h"
#include "shared/losses.h"
#include "shared/resolution.h"
#include "shared/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Prints an object with the key "left_out". */
static void losses_print_json(const mprof_writer_stats *stats, json_writer *json)
{
	loss_list lists[LOSS_LISTS];

	losses_list(stats, lists);
	json_begin_object(json, "left_out");
	json_unsigned(json, "total", stats->left_out);
	for (size_t i = 0; i < LOSS_LISTS; i++) {
		json_begin_object(json, lists[i].key);
		for (size_t kind = 0; kind < lists[i].count; kind++) {
			if (lists[i].counts[kind] > 0)
				json_unsigned(json, lists[i].name((uint32_t)kind), lists[i].counts[kind]);
		}
		json_end_object(json);
	}
	json_unsigned(json, "others", losses_of_no_kind(stats, lists));
	json_end_object(json);
}

/* The times of clock pairs are in microseconds, so the error is then a few parts in a million. */
#define ENOUGH_MICROSECONDS 1000000

/*
 * Measures the counters per second of a log, by the clock pairs of its first second; 0 if there are too few of them.
 * Damage is skipped and not reported. path is not standard input: the log is read from its start. Returns
 * STATUS_OK, or STATUS_NOTHING after a message if the log could be opened, but not be read.
 */
static int counter_rate_measure(const char *path, double *counters_per_second)
{
	mprof_session session = {.struct_size = sizeof(session)};
	log_input input;
	int status = STATUS_OK;

	if (input_open_quietly(&input, path) == STATUS_OK) {
		mprof_block block;

		do {
			mprof_reader_get_session(input.reader, &session);
		} while (session.last.time - session.start.time < ENOUGH_MICROSECONDS &&
			 input_next_block(&input, &block));
		mprof_reader_get_session(input.reader, &session);
		status = input_check_again(&input);
	}
	input_close(&input);
	*counters_per_second = session.counters_per_second;
	return status;
}

#define DEFAULT_LEVEL 6
#define MAX_LEVEL 9

static const char help[] =
	"Usage: mprof convert [--dialect=DIALECT] [--compress[=HOW]] [--columns] [--index]\n"
	"                     [--resolution=TIME] FILE OUT\n\n"
	"Copies a log to another dialect of the format, or compresses it. What the dialect cannot represent is\n"
	"left out, and listed by kind on standard error. Of a damaged log, all sound parts are written.\n"
	"FILE may be '-' and may be compressed with gzip; OUT may be '-'. OUT is replaced once all is written.\n\n"
	"  --dialect=DIALECT   mprof2 (the default), mono, unity, drop or mail\n"
	"  --compress[=HOW]    gzip the file, from 1 (fast) to 9 (small); or, as zstd[:LEVEL] or deflate[:LEVEL],\n"
	"                      compress block by block, so that any part can be read, with --columns; mprof2 only\n"
	"  --columns           store events by field, which makes a compressed log smaller; mprof2 only\n"
	"  --resolution=TIME   store times in units of at most TIME, such as 100ns or 1us, which makes the log\n"
	"                      smaller; shorter calls take no time or one unit; full (the default) keeps all\n"
	"  --index             store where the blocks are, so that a part of OUT is found quickly; mprof2 only\n"
	"  --close             end OUT as a complete log even if FILE is truncated: older programs reject such logs\n"
	"  --json              print what was written and what was left out as one JSON document\n"
	"  --threads=N         threads that decode events (default: 1)\n"
	"  --help              this text\n"
	"  --version           the version\n\n"
	"mono is for the programs that came with Mono 2: mprof-decoder, mprof-heap-viewer, emveepee.\n\n"
	"Exit status: 0 success, 1 FILE is damaged or incomplete or OUT could not be written, 2 wrong usage,\n"
	"3 FILE is not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof convert --compress app.mprof app.mprof.gz\n"
	"  mprof convert --dialect=mono app.mprof old.mprof\n";

enum { OPTION_DIALECT = OPTION_OWN, OPTION_COMPRESS, OPTION_CLOSE, OPTION_COLUMNS, OPTION_RESOLUTION, OPTION_INDEX };

typedef struct conversion {
	mprof_writer_options options;
	uint32_t resolution_ns;     /**< Unit of the counters of the copy; 0: that of the log. */
	double counters_per_second; /**< Of the log, with resolution_ns; 0 if not known. */
	int closes;
	const char *out;
	int as_json;
	whole_file file;
	mprof_writer *writer;
	log_input input;
} conversion;

static int parse_dialect(conversion *job, const char *name)
{
	char dialects[DIALECTS_LIST_SIZE];

	job->options.dialect = dialects_find(name);
	if (job->options.dialect != MPROF_DIALECT_DEFAULT)
		return 1;
	fprintf(stderr, "mprof: --dialect: '%s' is not one of %s\n", name, dialects_list(dialects));
	return 0;
}

static int parse_compression(conversion *job, const char *text)
{
	uint64_t level = DEFAULT_LEVEL;

	if (text != NULL && codec_names_parse(text, &job->options.codec, &job->options.codec_level)) {
		job->options.has_columns = 1;
		return 1;
	}
	if (text != NULL && (*text < '0' || *text > '9')) {
		fprintf(stderr, "mprof: --compress: '%s' is not a level from 1 to 9, " CODEC_VALUES "\n", text);
		return 0;
	}
	if (text != NULL && !arguments_number("--compress", text, 1, MAX_LEVEL, &level))
		return 0;
	job->options.gzip_level = (uint32_t)level;
	return 1;
}

static int parse_resolution(conversion *job, const char *text)
{
	if (resolution_parse(text, &job->resolution_ns))
		return 1;
	fprintf(stderr, "mprof: --resolution: '%s' is not " RESOLUTION_VALUES "\n", text);
	return 0;
}

static int apply_option(void *user, int option, const char *value)
{
	conversion *job = user;

	switch (option) {
	case OPTION_DIALECT:
		return parse_dialect(job, value);
	case OPTION_COMPRESS:
		return parse_compression(job, value);
	case OPTION_COLUMNS:
		job->options.has_columns = 1;
		return 1;
	case OPTION_RESOLUTION:
		return parse_resolution(job, value);
	case OPTION_INDEX:
		job->options.has_index = 1;
		return 1;
	default:
		job->closes = 1;
		return 1;
	}
}

static void print_output_problem(const conversion *job, const char *why)
{
	text_begin_message(job->out);
	fprintf(stderr, "%s\n", why);
}

/* Reports that memory was exhausted: in the reader, whose error has the offset, or elsewhere. */
static int report_exhausted_memory(conversion *job)
{
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_reader_get_error(job->input.reader, &error);
	if (error.status == MPROF_ERR_MEMORY)
		input_fetch_failed(&job->input);
	else
		print_output_problem(job, mprof_status_get_text(MPROF_ERR_MEMORY));
	return STATUS_DAMAGED;
}

static int report_write_error(conversion *job)
{
	mprof_error error = {.struct_size = sizeof(error)};

	if (job->writer != NULL)
		mprof_writer_get_error(job->writer, &error);
	if (error.status == MPROF_OK)
		return report_exhausted_memory(job);
	text_begin_message(job->out);
	fprintf(stderr, "offset %" PRIu64 ": %s", error.offset, error.what);
	if (error.system_error != 0)
		fprintf(stderr, ": %s", strerror(error.system_error));
	fputc('\n', stderr);
	return STATUS_DAMAGED;
}

/* Reports damage. The error is the reader's, except one that the converter finds at the end. */
static void report_damage(void *user, const mprof_error *error)
{
	conversion *job = user;

	if (error->status == MPROF_ERR_TRUNCATED)
		input_problem(&job->input, error->offset, MPROF_ERR_TRUNCATED, error->what);
	else
		input_fetch_failed(&job->input);
}

static void report_result(const conversion *job)
{
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	mprof_session session = {.struct_size = sizeof(session)};
	json_writer json;

	mprof_writer_get_stats(job->writer, &stats);
	mprof_reader_get_session(job->input.reader, &session);
	losses_print(&stats, job->out, (mprof_dialect)job->options.dialect);
	if (!job->as_json)
		return;
	json_init(&json, stdout, 0);
	json_begin_document(&json);
	json_string(&json, "from", mprof_dialect_get_name(session.dialect));
	json_string(&json, "to", mprof_dialect_get_name(job->options.dialect));
	json_boolean(&json, "complete", job->input.status == STATUS_OK);
	json_unsigned(&json, "blocks", stats.blocks);
	json_unsigned(&json, "events", stats.events);
	json_unsigned(&json, "bytes", stats.bytes);
	json_unsigned(&json, "written_bytes", stats.sink_bytes);
	losses_print_json(&stats, &json);
	json_end_object(&json);
}

/* Copies all blocks and ends the log. Returns the exit status, without regard to damage of the input. */
static int copy_log(conversion *job, mprof_converter *converter)
{
	mprof_status status = mprof_converter_run(converter, job->writer, report_damage, job);

	progress_hide(&job->input.progress);
	if (mprof_converter_has_failed(converter))
		return report_write_error(job);
	if (status != MPROF_OK && job->input.status == STATUS_OK)
		job->input.status = STATUS_DAMAGED;
	if (!job->closes)
		return STATUS_OK;
	status = mprof_writer_close(job->writer);
	/* MPROF_ERR_STATE means that the copy of END has closed the writer already. */
	return status == MPROF_OK || status == MPROF_ERR_STATE ? STATUS_OK : report_write_error(job);
}

static mprof_status create_converter(conversion *job, mprof_converter **converter)
{
	mprof_converter_options options;
	mprof_status status;

	mprof_converter_options_init(&options, sizeof(options));
	options.writer = &job->options;
	if (job->counters_per_second > 0) {
		options.resolution_ns = job->resolution_ns;
		options.counters_per_second = job->counters_per_second;
	}
	status = mprof_converter_create(job->input.reader, &options, converter);
	return status == MPROF_OK ? mprof_converter_get_writer_options(*converter, &job->options) : status;
}

/* Returns the exit status, without regard to damage of the input. */
static int write_log(conversion *job)
{
	mprof_converter *converter = NULL;
	mprof_status status = create_converter(job, &converter);
	int result;

	if (status != MPROF_OK) {
		print_output_problem(job,
				     status == MPROF_ERR_STATE
					     ? "neither INTRO nor the block after it contains the start time of the log"
					     : mprof_status_get_text(status));
		return STATUS_DAMAGED;
	}
	status = mprof_writer_open_fd(job->file.fd, &job->options, &job->writer);
	result = status == MPROF_OK ? copy_log(job, converter) : report_write_error(job);
	if (result == STATUS_OK)
		report_result(job);
	if (mprof_writer_destroy(job->writer) != MPROF_OK && result == STATUS_OK) {
		print_output_problem(job, strerror(EIO));
		result = STATUS_DAMAGED;
	}
	job->writer = NULL;
	mprof_converter_destroy(converter);
	return result;
}

/* Converts with both files open. */
static int convert_open(conversion *job)
{
	const char *problem;
	int result;

	if (whole_file_is(&job->file, job->input.fd)) {
		print_output_problem(job, "output and input are the same file; choose another name");
		whole_file_close(&job->file, 0);
		return STATUS_USAGE;
	}
	result = write_log(job);
	problem = whole_file_close(&job->file, result == STATUS_OK && job->input.status != STATUS_NOTHING);
	if (problem != NULL && result == STATUS_OK) {
		print_output_problem(job, problem);
		return STATUS_DAMAGED;
	}
	return result != STATUS_OK ? result : job->input.status;
}

/* The log is read twice: the unit of its counter has to be known before the first block is copied. */
static const char *measure_clock(conversion *job, const char *file)
{
	file = spooled_path(file);
	if (file == NULL)
		return NULL;
	return counter_rate_measure(file, &job->counters_per_second) == STATUS_OK ? file : NULL;
}

static int convert_file(conversion *job, const char *file)
{
	const char *problem;
	int result;

	if (job->resolution_ns > 0)
		file = measure_clock(job, file);
	if (file == NULL)
		return STATUS_NOTHING;
	result = input_open(&job->input, file, 0);
	if (result == STATUS_OK && job->resolution_ns > 0 && job->counters_per_second <= 0) {
		text_begin_message(file);
		fputs("--resolution has no effect: the clock pairs do not determine the unit of times\n", stderr);
	}
	if (result == STATUS_OK) {
		problem = whole_file_open(&job->file, job->out, whole_file_mode(&file, 1));
		if (problem == NULL) {
			result = convert_open(job);
		} else {
			print_output_problem(job, problem);
			whole_file_close(&job->file, 0);
			result = STATUS_DAMAGED;
		}
	}
	input_close(&job->input);
	return result;
}

int command_convert(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		THREADS_OPTION,
		{"json", no_argument, NULL, OPTION_JSON},
		{"dialect", required_argument, NULL, OPTION_DIALECT},
		{"compress", optional_argument, NULL, OPTION_COMPRESS},
		{"close", no_argument, NULL, OPTION_CLOSE},
		{"columns", no_argument, NULL, OPTION_COLUMNS},
		{"resolution", required_argument, NULL, OPTION_RESOLUTION},
		{"index", no_argument, NULL, OPTION_INDEX},
		{NULL, 0, NULL, 0},
	};
	static conversion job;
	read_arguments arguments;
	int status;

	mprof_writer_options_init(&job.options, sizeof(job.options));
	job.options.dialect = MPROF_DIALECT_MPROF2;
	job.options.lossy = 1;
	status = arguments_parse_pair(&arguments, argc, argv, options, help, apply_option, &job);
	if (status >= 0)
		return status;
	job.out = arguments.out;
	job.as_json = arguments.as_json;
	if (job.as_json && strcmp(job.out, "-") == 0) {
		fprintf(stderr, "mprof: convert: --json and OUT '-' both use standard output; give a file name\n");
		return arguments_refuse(argv[0]);
	}
	if (job.options.codec != MPROF_CODEC_NONE && job.options.dialect != MPROF_DIALECT_MPROF2) {
		fputs("mprof: convert: --compress: only mprof2 has compressed blocks\n", stderr);
		return arguments_refuse(argv[0]);
	}
	if (job.options.has_columns && job.options.dialect != MPROF_DIALECT_MPROF2) {
		fputs("mprof: convert: --columns: only mprof2 has columns\n", stderr);
		return arguments_refuse(argv[0]);
	}
	if (job.options.has_index && job.options.dialect != MPROF_DIALECT_MPROF2) {
		fputs("mprof: convert: --index: only mprof2 has an index\n", stderr);
		return arguments_refuse(argv[0]);
	}
	return convert_file(&job, arguments.file);
}
