/* SPDX-License-Identifier: MIT */
/* mprof import: makes a log from the file of another profiler. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "import/import.h"
#include "shared/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The list of formats.
 */

/* A text is looked at last: any could be meant by it. */
static const import_format *const formats[] = {&import_mlpd, &import_hprof, &import_heapsnapshot, &import_cpuprofile,
					       &import_perf_script};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

/* The format with a name. Returns NULL after a message. */
static const import_format *formats_find(const char *name)
{
	nearest_name nearest;

	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	nearest_init(&nearest, name);
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		nearest_offer_word(&nearest, formats[i]->name, formats[i]->name);
	fprintf(stderr, "mprof: --from: unknown format '%s'; ", name);
	if (nearest.found != NULL)
		fprintf(stderr, "did you mean '%s'?\n", nearest.found);
	else
		fputs("'mprof import --from=help' lists the formats\n", stderr);
	nearest_release(&nearest);
	return NULL;
}

/* The format of a file that begins with these bytes; NULL if it is in no format. */
static const import_format *formats_recognize(const uint8_t *start, size_t length)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (formats[i]->recognizes(start, length))
			return formats[i];
	}
	return NULL;
}

static void formats_print_list(void)
{
	puts("Formats of mprof import --from=FORMAT:");
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		printf("  %-12s %s\n", formats[i]->name, formats[i]->description);
		printf("  %-12s %s\n", "", formats[i]->lacks);
	}
}

/*
 * The command.
 */

static const char help[] =
	"Usage: mprof import [--from=FORMAT] [-o OUT] FILE\n\n"
	"Makes a log from the file of another profiler, for all commands that read logs. What a log cannot\n"
	"represent is left out and counted on standard error. Of a damaged file, all sound parts are written.\n"
	"FILE may be '-' and may be compressed with gzip; OUT may be '-'. OUT is replaced once all is written.\n\n"
	"  --from=FORMAT       mlpd, perf-script, cpuprofile, heapsnapshot or hprof (default: what FILE is);\n"
	"                      --from=help lists what they are\n"
	"  -o, --output=OUT    the log (default: the name of FILE with .mprof in place of its extension)\n"
	"  --event=NAME        perf-script: the only event whose samples are converted; without it, samples of\n"
	"                      several events become kinds of samples, whose weights are their periods\n"
	"  --help              this text\n"
	"  --version           the version\n\n"
	"Exit status: 0 success, 1 FILE is damaged or incomplete (what could be read was written), 2 wrong usage,\n"
	"3 FILE is in none of the formats, or there is no log.\n\n"
	"Examples:\n"
	"  mprof import -o app.mprof perf.txt\n"
	"  mprof import app.cpuprofile && mprof report app.mprof\n"
	"  mprof import --from=hprof -o app.mprof java_pid1234.hprof\n";

enum { OPTION_FROM = OPTION_OWN, OPTION_EVENT };

typedef struct import_arguments {
	const import_format *format;
	const char *out, *event;
	int lists_formats;
} import_arguments;

static int apply_option(void *user, int option, const char *value)
{
	import_arguments *arguments = user;

	switch (option) {
	case OPTION_FROM:
		if (strcmp(value, "help") == 0) {
			arguments->lists_formats = 1;
			return 1;
		}
		arguments->format = formats_find(value);
		return arguments->format != NULL;
	case OPTION_EVENT:
		arguments->event = value;
		return 1;
	default:
		arguments->out = value;
		return 1;
	}
}

/* The name of a file without its directory and extensions, with that of logs. NULL if out of memory. */
static char *default_name(const char *path)
{
	static const char *const extensions[] = {".gz",           ".mlpd",  ".txt",  ".perf", ".cpuprofile",
						 ".heapsnapshot", ".hprof", ".json", ".bin"};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	size_t length = strcmp(path, "-") == 0 ? 0 : strlen(name);
	char *out;

	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		const size_t extension = strlen(extensions[i]);

		if (length > extension && memcmp(name + length - extension, extensions[i], extension) == 0)
			length -= extension;
	}
	if (length == 0)
		return strdup("import.mprof");
	return asprintf(&out, "%.*s.mprof", (int)length, name) >= 0 ? out : NULL;
}

static int print_result(const import_job *job, const import_format *format)
{
	if (strcmp(job->log_path, "-") == 0)
		return job->status;
	text_begin_message(job->log_path);
	fprintf(stderr, "written from %s; next: mprof %s %s\n", format->name, format->next, job->log_path);
	return job->status;
}

static int refuse_file(const import_job *job, const char *why)
{
	text_begin_message(job->path);
	fprintf(stderr, "%s\n", why);
	return STATUS_NOTHING;
}

static int import_file(import_job *job, const import_arguments *arguments)
{
	const import_format *format = arguments->format;
	const char *problem = import_source_open(&job->source, job->path);
	const uint8_t *start;
	size_t length;

	if (problem != NULL)
		return refuse_file(job, problem);
	length = import_source_peek(&job->source, &start);
	if (length == 0)
		return refuse_file(job, job->source.problem != NULL ? job->source.problem : "the file is empty");
	if (format == NULL)
		format = formats_recognize(start, length);
	if (format == NULL)
		return refuse_file(job,
				   "not a file that can be imported; 'mprof import --from=help' lists the formats");
	if (arguments->event != NULL && !format->has_event) {
		fprintf(stderr, "mprof: import: --event: %s has no events to choose from\n", format->name);
		return arguments_refuse("import");
	}
	format->convert(job);
	return print_result(job, format);
}

int command_import(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		{"from", required_argument, NULL, OPTION_FROM},
		{"output", required_argument, NULL, 'o'},
		{"event", required_argument, NULL, OPTION_EVENT},
		{NULL, 0, NULL, 0},
	};
	static import_job job;
	import_arguments arguments = {0};
	char *name = NULL;
	const char *file;
	int status = arguments_parse_optional(argc, argv, options, help, apply_option, &arguments, &file);

	if (status >= 0)
		return status;
	if (arguments.lists_formats) {
		formats_print_list();
		return STATUS_OK;
	}
	if (file == NULL) {
		fprintf(stderr, "mprof: %s: no FILE\n", argv[0]);
		return arguments_refuse(argv[0]);
	}
	job.path = file;
	job.event = arguments.event;
	job.source.fd = job.file.fd = -1;
	job.log_path = arguments.out != NULL ? arguments.out : (name = default_name(file));
	status = job.log_path != NULL ? import_file(&job, &arguments) : refuse_file(&job, "out of memory");
	import_source_close(&job.source);
	free(name);
	return status;
}
