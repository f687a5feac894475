/* SPDX-License-Identifier: MIT */
/* mprof record: runs a program and records it. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/modules.h"
#include "common/summary.h"
#include "common/time_window.h"
#include "explore/page.h"
#include "record/leaks.h"
#include "record/log_output.h"
#include "record/memory_limit.h"
#include "record/options.h"
#include "record/record.h"
#include "record/target.h"
#include "shared/codec_names.h"
#include "shared/control_paths.h"
#include "shared/dialects.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Checks before a native program starts whether what was requested can be recorded of it.
 */

/* The list of libraries that a program is linked with is longer only for very large programs. */
#define MAX_LIST 65536

/*
 * Whether any library is in the list of the dynamic linker. Its lines are such as "libm.so.6 => /lib/libm.so.6
 * (0x...)", or "./libown.so (0x...)" where the program names a path.
 */
static int is_any_instrumented(char *list)
{
	char *rest = list;
	char *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *arrow = strstr(line, " => ");
		const char *path = arrow != NULL ? arrow + 4 : line + strspn(line, " \t");
		char *end = strstr(line, " (0x");
		program_file library;

		if (end == NULL || end < path)
			continue;
		*end = '\0';
		/* The C library has these functions, for programs that do not bring their own. */
		if (strchr(path, '/') == NULL || strstr(path, "/libc.so.") != NULL)
			continue;
		program_file_read(&library, path);
		if (library.is_instrumented)
			return 1;
	}
	return 0;
}

/* Whether a library is instrumented with which the program is linked. */
static int has_instrumented_library(const record_target *target)
{
	static const child_variable list_only = {"LD_TRACE_LOADED_OBJECTS", "1"};
	char *const arguments[] = {target->path, NULL};
	child_program child = {.arguments = arguments, .variables = &list_only, .variable_count = 1};
	char *list = malloc(MAX_LIST);
	int is_found = 0;

	if (list == NULL)
		return 1;
	if (child_capture(&child, list, MAX_LIST) == 0)
		is_found = is_any_instrumented(list);
	free(list);
	return is_found;
}

/* Returns 0 after a message if calls are asked for and no code can report them. */
static int check_calls(const record_target *target, const record_request *request, int is_quiet)
{
	const program_file *file = &target->file;

	if ((request->kinds & RECORD_CALLS) == 0 || file->is_instrumented || file->contains_mono ||
	    has_instrumented_library(target))
		return 1;
	if (!file->can_reach_others) {
		fprintf(stderr,
			"mprof: record: --calls: neither %s nor its libraries are built with -finstrument-functions; "
			"--sample samples any native program that is linked dynamically\n",
			target->subject);
		return 0;
	}
	if (!is_quiet)
		fprintf(stderr,
			"mprof: record: --calls: %s is not built with -finstrument-functions: calls are recorded only "
			"of code that is, or of Mono programs that it runs\n",
			target->subject);
	return 1;
}

/*
 * Returns -1 if the program can be recorded, possibly after a line about what cannot; otherwise an exit status, after a
 * message. Only for TARGET_BINARY.
 */
static int native_target_check(const record_target *target, const record_request *request, int has_children,
			       int is_quiet)
{
	const program_file *file = &target->file;

	/* Programs that a static one starts inherit its environment; the others would not even run with it. */
	if (file->obstacle != OBSTACLE_NONE && !(file->obstacle == OBSTACLE_STATIC && has_children)) {
		fputs("mprof: no log was written: ", stderr);
		program_file_explain(file, target->subject);
		fputs("; it was not started\n", stderr);
		return STATUS_NOTHING;
	}
	if (file->obstacle != OBSTACLE_NONE || (request->kinds & RECORD_MEMORY) != 0)
		return -1;
	/* Programs that contain Mono or could run it accept all options. */
	if (file->is_instrumented || (!file->contains_mono && !file->can_reach_others)) {
		if (!record_request_check_reader(request, RECORD_OF_NATIVE))
			return STATUS_USAGE;
	} else if (!file->contains_mono && !is_quiet) {
		record_request_explain_others(request, target->subject);
	}
	if (!record_request_check_native_samples(request) || !check_calls(target, request, is_quiet))
		return STATUS_USAGE;
	return -1;
}

/*
 * The file in memory by which processes find out whether mprof record still collects logs: shared/late_log.h.
 */

/* Size of the module's option, with the comma before it. */
#define COLLECTOR_OPTION_SIZE 64

/* Creates the file. option receives the option for the module, or "" on failure. Returns a descriptor. */
static int collector_create(char option[COLLECTOR_OPTION_SIZE])
{
	int fd = memfd_create("mprof-collector", MFD_CLOEXEC);

	option[0] = '\0';
	if (fd >= 0)
		snprintf(option, COLLECTOR_OPTION_SIZE, ",collector=/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

/* From here on processes name their logs themselves. Waits for those that do so now or that create a log. */
static void collector_end(int fd)
{
	if (fd < 0)
		return;
	while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	/* Processes find a size other than 0. */
	while (ftruncate(fd, 1) != 0 && errno == EINTR)
		continue;
	(void)flock(fd, LOCK_UN);
}

static void descriptor_release(int fd)
{
	if (fd >= 0)
		close(fd);
}

/*
 * The file in memory in which the module for Mono notes that a log could not be written whole. A log in a pipe cannot
 * be read again to find that out.
 */

static int failures_create(char option[COLLECTOR_OPTION_SIZE])
{
	int fd = memfd_create("mprof-failures", MFD_CLOEXEC);

	option[0] = '\0';
	if (fd >= 0)
		snprintf(option, COLLECTOR_OPTION_SIZE, ",failures=/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

static int failures_are_noted(int fd)
{
	return fd >= 0 && lseek(fd, 0, SEEK_END) > 0;
}

/*
 * The command.
 */

static const char help_of_command[] =
	"Usage: mprof record [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
	"       mprof record [OPTIONS] --pid=PID\n\n"
	"Runs a program and records it to a log. PROGRAM may be\n"
	"  mono [OPTIONS OF MONO] program.exe    a program run by Mono\n"
	"  program.exe                           the same\n"
	"  a script or program that runs Mono    such as mcs\n"
	"  a native program                      sampled; with --calls, one built with -finstrument-functions; with\n"
	"                                        --malloc, the memory of any of these programs\n\n"
	"  -o, --output=FILE  the log (default: PROGRAM.mprof in the current directory, or PROGRAM.2.mprof and so on "
	"if\n"
	"                     that exists); may be a FIFO, or - for standard output; %p becomes the process, %n the\n"
	"                     program's name, %t the time, %h the host, %% a percent sign\n"
	"  --force            replace the file given by --output if it exists\n"
	"  --children[=HOW]   record the programs that the program starts as well, each to a log of its own; with "
	"one,\n"
	"                     make one log of them at the end\n"
	"  -q, --quiet        print no line at the end\n"
	"  --pid=PID          record a process that runs already, in place of PROGRAM: samples of all its threads,\n"
	"                     until it ends or Ctrl-C; one started with --start-disabled records itself\n"
	"  --duration=TIME    with --pid: end after TIME, such as 10s or 500ms\n"
	"  --no-aot           run Mono without precompiled code, whose calls cannot be recorded; slower start\n"
	"  --help             this text\n"
	"  --version          the version\n";

static const char help_of_status[] =
	"\n"
	"Exit status: that of the program, 128 + N if signal N ended it. If the program ended with 0 and no log was\n"
	"written, or not to its path: 3; if a log could not be written whole, as on a full disk: 1. 2 if the command\n"
	"line is wrong, 127 if the program (or Mono, for one that needs it) was not found, 126 if it could not be run."
	"\n\n"
	"Examples:\n"
	"  mprof record -- mono app.exe\n"
	"  mprof record --sample --alloc=stack -o app.mprof -- mono app.exe\n"
	"  mprof record --heap=ondemand -- mono app.exe\n"
	"  mprof record --malloc -- ./program\n"
	"  mprof record --pid=1234 --duration=10s -o app.mprof\n";

static void print_help(void)
{
	static const struct {
		record_group group;
		const char *title;
	} groups[] = {
		{RECORD_GROUP_KINDS,
		 "What to record of a Mono program (default: --sample --alloc --jit --gc --exceptions "
		 "--threads --monitor):"},
		{RECORD_GROUP_DETAIL,
		 "How much of it (--only, --not and --depth without any of the options above add calls "
		 "to the default):"},
		{RECORD_GROUP_LOG, "The log:"},
		{RECORD_GROUP_CONTROL, "Control, see 'mprof control --help':"},
		{RECORD_GROUP_OTHERS,
		 "Names of compiled methods for other profilers (with one of these alone nothing else "
		 "is recorded):"},
	};

	fputs(help_of_command, stdout);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		printf("\n%s\n", groups[i].title);
		record_options_print(stdout, groups[i].group, RECORD_OF_TOOL, "--");
	}
	fputs(help_of_status, stdout);
}

enum { OPTION_MODULE = OPTION_OWN, OPTION_NO_AOT, OPTION_FORCE, OPTION_CHILDREN, OPTION_PID, OPTION_DURATION };

static const struct option own_options[] = {
	COMMON_OPTIONS,
	{"output", required_argument, NULL, 'o'},
	{"force", no_argument, NULL, OPTION_FORCE},
	{"children", optional_argument, NULL, OPTION_CHILDREN},
	{"no-aot", no_argument, NULL, OPTION_NO_AOT},
	{"quiet", no_argument, NULL, 'q'},
	{"pid", required_argument, NULL, OPTION_PID},
	{"duration", required_argument, NULL, OPTION_DURATION},
};

#define OWN_COUNT (sizeof(own_options) / sizeof(own_options[0]))

/* The exit status of Mono if there is no such program. */
#define MONO_FOUND_NOTHING 2

typedef struct recording_plan {
	const char *output;
	attach_request attached; /**< With --pid: what is recorded in place of a program. */
	record_request request;
	int is_quiet;
	int without_aot;
	int samples_by_default; /**< Native programs are sampled, since no option selects what is recorded. */
	int replaces;           /**< An existing file may be replaced. */
	int has_children;       /**< Programs that the program starts are recorded. */
	int is_merged;          /**< The logs of all processes become one. */
	int is_inherited;       /**< Options and modules are set in the environment, which children inherit. */
	int has_memory;         /**< Native memory is recorded, and nothing else. */
	int number_of_program;  /**< Index of the program in argv. */
	record_target target;
	log_output log;
	char *module_options; /**< "mprof:..." */
	char *mono_options;   /**< Value of MONO_ENV_OPTIONS, for programs that start Mono themselves. */
	char *preload;
	char *native_options; /**< Value of MPROF_INSTRUMENT_OPTIONS, or of MPROF_MALLOC_OPTIONS. */
	char *library_path;
	size_t log_count;
	one_log merged; /**< With is_merged: the logs of the processes. */
	child_program child;
	salvaged_logs salvaged;
	int collector;                                /**< Descriptor of collector_create(); -1 if there is none. */
	char collector_option[COLLECTOR_OPTION_SIZE]; /**< The option of the native module. */
	int failures;                                 /**< Descriptor of failures_create(); -1 if there is none. */
	char failures_option[COLLECTOR_OPTION_SIZE];  /**< The option of the module for Mono. */
	const char *salvage_file;                     /**< Named by the user; NULL if none. */
	char salvage[SALVAGE_OPTION_SIZE];            /**< The option, if the user gives none. */
	int is_cut;                                   /**< A log could not be written whole. */
	int child_status;                             /**< Exit status of the program. */
	leak_searches leaks;
	leaks_form logs_form;
	char leaks_option[LEAKS_OPTION_SIZE]; /**< The option of the native module; "" without --leaks. */
} recording_plan;

static int apply_option(recording_plan *recording, int option, const char *name, const char *value)
{
	switch (option) {
	case 'o':
		recording->output = value;
		if (value[0] != '\0')
			return 1;
		fprintf(stderr, "mprof: --output: the name is empty\n");
		return 0;
	case 'q':
		recording->is_quiet = 1;
		return 1;
	case OPTION_FORCE:
		recording->replaces = 1;
		return 1;
	case OPTION_CHILDREN:
		recording->has_children = 1;
		recording->is_merged = value != NULL && strcmp(value, "one") == 0;
		if (value == NULL || recording->is_merged || strcmp(value, "each") == 0)
			return 1;
		fprintf(stderr, "mprof: --children: '%s' is not each or one\n", value);
		return 0;
	case OPTION_NO_AOT:
		recording->without_aot = 1;
		return 1;
	case OPTION_PID:
		recording->attached.process = value;
		return 1;
	case OPTION_DURATION:
		return time_window_parse_duration("--duration", value, &recording->attached.duration_ns);
	default:
		/* A value that is wrong is refused below. */
		if (strcmp(name, "compress") == 0)
			(void)codec_names_parse(value, &recording->merged.codec, &recording->merged.level);
		if (strcmp(name, "gzip") == 0)
			recording->logs_form.gzip_level = value != NULL ? (uint32_t)strtoul(value, NULL, 10) : 1;
		return record_request_add(&recording->request, name, value);
	}
}

/* Returns 0 after a message if there is not one thing to record, a program or a process. */
static int check_subject(const recording_plan *recording, int argc)
{
	const int has_process = recording->attached.process != NULL;

	if (has_process && optind < argc)
		fputs("mprof: record: --pid and PROGRAM exclude each other\n", stderr);
	else if (!has_process && optind >= argc)
		fputs("mprof: record: no PROGRAM\n", stderr);
	else if (!has_process && recording->attached.duration_ns > 0)
		fputs("mprof: record: --duration needs --pid\n", stderr);
	else
		return 1;
	return 0;
}

/* Records a process that runs already. Returns the exit status. */
static int record_process(recording_plan *recording)
{
	recording->attached.output = recording->output;
	recording->attached.replaces = recording->replaces;
	recording->attached.is_quiet = recording->is_quiet;
	if (recording->has_children || recording->without_aot) {
		fputs("mprof: record: --children and --no-aot are for programs that 'mprof record' starts\n", stderr);
		return arguments_refuse("record");
	}
	return attach_record(&recording->attached, &recording->request);
}

/*
 * The options of mprof end at the program: arguments after it are its own. Returns -1 to continue, or an exit status.
 */
static int parse_options(recording_plan *recording, int argc, char **argv, const struct option *options)
{
	int option;
	int index = 0;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "+:ho:q", options, &index)) != -1) {
		if (option == 'h' || option == OPTION_HELP) {
			print_help();
			return STATUS_OK;
		}
		if (option == OPTION_VERSION) {
			printf("mprof %s\n", mprof_version_get_string());
			return STATUS_OK;
		}
		if (option == '?' || option == ':')
			return arguments_refuse_option(argc, argv, options, option);
		if (!apply_option(recording, option, options[index].name, optarg))
			return arguments_refuse("record");
	}
	if (!check_subject(recording, argc))
		return arguments_refuse("record");
	if (!record_request_check(&recording->request) || !record_request_check_memory(&recording->request))
		return arguments_refuse("record");
	recording->has_memory = (recording->request.kinds & RECORD_MEMORY) != 0;
	if (!record_request_check_ring(&recording->request, memory_limit_get("")))
		return STATUS_USAGE;
	if (recording->request.salvage != NULL && strcmp(recording->request.salvage, "no") != 0)
		recording->salvage_file = recording->request.salvage;
	recording->number_of_program = optind;
	return -1;
}

/* Returns -1 to continue, or an exit status. */
static int parse_command_line(recording_plan *recording, int argc, char **argv)
{
	struct option *options = calloc(OWN_COUNT + record_options_count + 1, sizeof(*options));
	int status;

	if (options == NULL) {
		fprintf(stderr, "mprof: record: %s\n", strerror(ENOMEM));
		return STATUS_NOTHING;
	}
	memcpy(options, own_options, sizeof(own_options));
	record_request_list(options + OWN_COUNT, OPTION_MODULE);
	status = parse_options(recording, argc, argv, options);
	free(options);
	return status;
}

/* Mono splits MONO_ENV_OPTIONS at spaces; a backslash quotes the next character. */
static char *escape_for_mono(const char *text)
{
	char *escaped = malloc(strlen(text) * 2 + 1);
	char *out = escaped;

	if (escaped == NULL)
		return NULL;
	for (; *text != '\0'; text++) {
		if (strchr(" \t\n\\'\"", *text) != NULL)
			*out++ = '\\';
		*out++ = *text;
	}
	*out = '\0';
	return escaped;
}

static char *make_mono_options(const recording_plan *recording)
{
	const char *inherited = getenv("MONO_ENV_OPTIONS");
	char *escaped = escape_for_mono(recording->module_options);
	char *ours = NULL;
	char *whole = NULL;

	if (escaped != NULL)
		ours = modules_join(recording->without_aot ? "-O=-aot " : "", "--profile=", escaped);
	if (ours != NULL)
		whole = modules_join(inherited != NULL ? inherited : "", inherited != NULL ? " " : "", ours);
	free(escaped);
	free(ours);
	return whole;
}

static int out_of_memory(void)
{
	fprintf(stderr, "mprof: record: %s\n", strerror(ENOMEM));
	return STATUS_NOTHING;
}

/* Prints why the module is not found, and what to do. */
static int missing_module(const char *file_name)
{
	char *directories = modules_directories(file_name);

	fprintf(stderr, "mprof: record: the module %s is not in %s; 'mprof doctor' prints what to do\n", file_name,
		directories != NULL ? directories : "its directory");
	free(directories);
	return STATUS_NOTHING;
}

static int is_native(const recording_plan *recording)
{
	return recording->target.kind == TARGET_BINARY || recording->target.kind == TARGET_SCRIPT;
}

/* Whether native programs are sampled: by default, those that do not report their calls. */
static int has_native_samples(const recording_plan *recording)
{
	if ((!is_native(recording) && !recording->has_children) || recording->has_memory ||
	    !record_request_can_sample_native())
		return 0;
	return recording->samples_by_default || (recording->request.kinds & RECORD_SAMPLES) != 0;
}

/*
 * Without --children, only the program is sampled or its memory recorded, and no program that it starts; calls are
 * recorded in all that are instrumented. NULL if out of memory.
 */
static char *make_native_options(const recording_plan *recording)
{
	const char *sample = recording->samples_by_default ? ",sample" : "";
	char word[48 + COLLECTOR_OPTION_SIZE + LEAKS_OPTION_SIZE] = ",quiet,children";
	char *final = log_output_final_pattern(&recording->log);
	char *kept;
	char *words;
	char *options;

	if (recording->has_memory && recording->has_children)
		strcpy(word, ",quiet");
	else if (!recording->has_memory && !has_native_samples(recording))
		snprintf(word, sizeof(word), ",quiet,no-samples%s", recording->has_children ? ",children" : "");
	else if (!recording->has_children)
		snprintf(word, sizeof(word), ",quiet,parent=%ld", (long)getpid());
	strcat(word, recording->collector_option);
	strcat(word, recording->leaks_option);
	kept = strdup(recording->request.words);
	if (kept != NULL)
		record_request_keep(kept, recording->has_memory ? RECORD_OF_MEMORY : RECORD_OF_NATIVE);
	words = kept != NULL ? modules_join(kept, sample, word) : NULL;
	free(kept);
	options =
		words != NULL ? modules_join(words, final != NULL ? ",final=" : "", final != NULL ? final : "") : NULL;
	free(words);
	free(final);
	return options;
}

/*
 * Native programs get both modules: they may be instrumented, or run Mono. preloaded is the file name of the one in
 * native_directory. Returns 0 if out of memory.
 */
static int set_paths(recording_plan *recording, const char *mono_directory, const char *native_directory,
		     const char *preloaded)
{
	const char *inherited = getenv("LD_PRELOAD");
	char *both = NULL;

	if (mono_directory != NULL && native_directory != NULL)
		both = modules_join(native_directory, ":", mono_directory);
	else
		both = strdup(mono_directory != NULL ? mono_directory : native_directory);
	if (both != NULL)
		recording->library_path = modules_library_path(both);
	/*
	 * Preloaded by file name only: a directory could contain a space or a colon, which separate names in
	 * LD_PRELOAD.
	 */
	if (native_directory != NULL) {
		recording->preload =
			modules_join(preloaded, inherited != NULL ? " " : "", inherited != NULL ? inherited : "");
	}
	free(both);
	return recording->library_path != NULL && (native_directory == NULL || recording->preload != NULL);
}

/* Finds the modules to load into the program. Returns -1 to continue, or an exit status. */
static int find_modules(recording_plan *recording)
{
	const char *preloaded = recording->has_memory ? MEMORY_MODULE : INSTRUMENT_MODULE;
	int needs_native = is_native(recording) || recording->has_memory;
	char *mono_directory = recording->has_memory ? NULL : modules_find(MONO_MODULE);
	char *native_directory = needs_native || recording->has_children ? modules_find(preloaded) : NULL;
	int status = -1;

	if (modules_lacked_memory())
		status = out_of_memory();
	else if (needs_native && native_directory == NULL &&
		 (recording->target.file.is_instrumented || mono_directory == NULL))
		status = missing_module(preloaded);
	else if (!needs_native && mono_directory == NULL)
		status = missing_module(MONO_MODULE);
	else if (!set_paths(recording, mono_directory, native_directory, preloaded))
		status = out_of_memory();
	free(mono_directory);
	free(native_directory);
	return status;
}

/* What is recorded of any program that may run: each may be native or run Mono. */
static uint32_t recorded_kinds(const recording_plan *recording)
{
	const record_request *request = &recording->request;

	if (request->kinds != 0)
		return request->kinds;
	if (recording->samples_by_default && is_native(recording))
		return RECORD_SAMPLES;
	if (is_native(recording) && recording->target.file.is_instrumented)
		return RECORD_CALLS;
	return request->writes_names ? 0 : RECORD_DEFAULT | RECORD_CALLS;
}

/* Returns -1 to continue, or an exit status after a message. program[-1] is an argument of mprof. */
static int find_program(recording_plan *recording, char *const *program)
{
	int failure = target_find(&recording->target, program);
	int runs_mono = recording->target.kind == TARGET_MONO || recording->target.kind == TARGET_ASSEMBLY;

	if (failure != 0) {
		fprintf(stderr, "mprof: %s: %s\n", program[0],
			failure != ENOENT                 ? strerror(failure)
			: strcmp(program[0], "mono") == 0 ? "mono is not installed: install mono-runtime"
							  : "not found");
		return failure == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUNNABLE;
	}
	if (!recording->is_quiet && strcmp(program[-1], "--") != 0)
		record_request_explain_arguments(
			program + (recording->target.kind == TARGET_MONO ? target_mono_program(program) : 1));
	/* Mono gets --profile in its arguments or in its environment, not in both: it would load the module twice. */
	recording->is_inherited = !runs_mono || recording->has_children || recording->has_memory;
	recording->samples_by_default =
		(runs_mono ? recording->has_children : !recording->target.file.is_instrumented) &&
		!recording->has_memory && recording->request.kinds == 0 && !recording->request.writes_names;
	if (recording->target.kind == TARGET_BINARY) {
		int status = native_target_check(&recording->target, &recording->request, recording->has_children,
						 recording->is_quiet);

		if (status >= 0)
			return status;
	}
	if (runs_mono && !recording->has_memory && !record_request_check_reader(&recording->request, RECORD_OF_MONO))
		return STATUS_USAGE;
	if (!recording->is_quiet)
		record_request_explain_unused(&recording->request, recorded_kinds(recording));
	return find_modules(recording);
}

/* Makes the options of the modules. Returns 0 if out of memory. */
static int make_module_options(recording_plan *recording)
{
	/* A log written to a stream cannot be read again, so the module itself prints the line at the end. */
	const char *quiet = recording->is_quiet || recording->log.part != NULL || !recording->log.is_stream
				    ? ",quiet"
				    : ",quiet-start";
	char *words;
	char *output;

	if (recording->preload != NULL)
		recording->native_options = make_native_options(recording);
	if (recording->preload != NULL && recording->native_options == NULL)
		return 0;
	words = strdup(recording->request.words);
	if (words != NULL)
		record_request_keep(words, RECORD_OF_MONO);
	output = words != NULL ? modules_join(recording->log.pattern, quiet, words) : NULL;
	free(words);
	words = output;
	output = words != NULL ? modules_join(words, recording->failures_option, "") : NULL;
	free(words);

	if (output != NULL)
		recording->module_options = modules_join("mprof:", "output=", output);
	free(output);
	if (recording->module_options == NULL || !recording->is_inherited || recording->has_memory)
		return recording->module_options != NULL;
	recording->mono_options = make_mono_options(recording);
	return recording->mono_options != NULL;
}

/* Prints what is lost if the program is killed, where the log cannot be completed by another process. */
static void explain_limits(const recording_plan *recording)
{
	const char *lost = recording->request.combination.has_ring ? "there is no log" : "its last events are lost";

	if (recording->is_quiet || (recording->request.salvage != NULL && recording->salvage_file == NULL))
		return;
	if (recording->request.combination.is_older)
		fprintf(stderr, "mprof: logs in older dialects cannot be salvaged: if the program is killed, %s\n",
			lost);
	else if (recording->log.is_stream)
		fprintf(stderr, "mprof: logs in pipes cannot be salvaged: if the program is killed, %s\n", lost);
}

/* Begins to search the memory of processes that end, if that is wanted. Returns -1 to continue, or an exit status. */
static int begin_leaks(recording_plan *recording)
{
	const char *problem = NULL;

	if (!recording->request.has_leaks || !recording->has_memory)
		return -1;
	if (recording->log.is_stream)
		problem = "--output must be a file, since the result is added to the log";
	else if (recording->request.combination.is_older)
		problem = "only mprof2 has the result";
	else if (recording->request.salvage != NULL && strcmp(recording->request.salvage, "no") == 0)
		problem =
			"not with --salvage=no: the search must distinguish buffers of the recorder from the program's "
			"memory";
	if (problem != NULL) {
		fprintf(stderr, "mprof: record: --leaks: %s\n", problem);
		return arguments_refuse("record");
	}
	recording->logs_form.codec = recording->merged.codec;
	recording->logs_form.level = recording->merged.level;
	recording->logs_form.salvage = recording->request.salvage;
	return leaks_begin(&recording->leaks, &recording->logs_form, recording->leaks_option) ? -1 : STATUS_NOTHING;
}

/* Returns -1 to continue, or an exit status. */
static int prepare_recording(recording_plan *recording, char *const *program)
{
	log_output_options log_options = {0, recording->replaces};
	int status;

	recording->salvaged.fd = -1;
	recording->collector = -1;
	recording->failures = -1;
	status = find_program(recording, program);
	if (status >= 0)
		return status;
	log_options.for_processes = recording->is_inherited;
	status = log_output_init(&recording->log, recording->output, recording->target.subject, &log_options);
	if (status >= 0)
		return status;
	if (recording->is_merged && recording->log.is_stream) {
		fputs("mprof: record: --children=one: --output must be a file, since the log is written at the end\n",
		      stderr);
		return arguments_refuse("record");
	}
	status = begin_leaks(recording);
	if (status >= 0)
		return status;
	explain_limits(recording);
	/* No salvage for a stream: to complete a log, bytes at its end may have to be removed. */
	if (recording->log.part != NULL && !recording->log.is_stream)
		recording->collector = collector_create(recording->collector_option);
	if (recording->log.is_stream)
		recording->failures = failures_create(recording->failures_option);
	strcpy(recording->salvage, "no");
	if (!recording->log.is_stream)
		salvaged_create(&recording->salvaged, recording->salvage);
	if (recording->salvage[0] != '\0' && recording->request.salvage == NULL &&
	    !record_request_add(&recording->request, "salvage", recording->salvage))
		return STATUS_USAGE;
	return make_module_options(recording) ? -1 : out_of_memory();
}

/* Builds the program's arguments; the option that makes Mono record comes before those of the program. */
static char **make_arguments(const recording_plan *recording, char *const *program, int count, char *profile_option)
{
	static char mono[] = "mono";
	static char without_aot[] = "-O=-aot";
	char **arguments = calloc((size_t)count + 4, sizeof(*arguments));
	int is_mono = recording->target.kind == TARGET_MONO;
	int out = 0;

	if (arguments == NULL)
		return NULL;
	if (is_mono)
		arguments[out++] = program[0];
	else if (recording->target.kind == TARGET_ASSEMBLY)
		arguments[out++] = mono;
	if (out > 0 && recording->without_aot && !recording->is_inherited)
		arguments[out++] = without_aot;
	if (out > 0 && !recording->is_inherited)
		arguments[out++] = profile_option;
	for (int i = is_mono; i < count; i++)
		arguments[out++] = program[i];
	/* The assembly may have been found in PATH: pass the path that was found. */
	if (recording->target.kind == TARGET_ASSEMBLY)
		arguments[out - count] = recording->target.path;
	return arguments;
}

/* Why the log of a program that was killed lacks its last events. */
static const char *missing_end(const recording_plan *recording)
{
	if (recording->request.combination.is_older)
		return "; its last events are lost, since logs in older dialects cannot be salvaged";
	if (recording->log.is_stream)
		return "; its last events are lost, since logs in pipes cannot be salvaged";
	return "; its last events are lost";
}

/* Prints why a log is incomplete. \p path: the log, or NULL. */
static void explain_incomplete(const recording_plan *recording, const char *path)
{
	if (path != NULL && claim_is_busy(path))
		fputs("not complete yet: a process that is still running writes it", stderr);
	else if (recording->child.signal != 0)
		fprintf(stderr, "incomplete: the program was killed by signal %d (%s)%s", recording->child.signal,
			strsignal(recording->child.signal), missing_end(recording));
	else
		fputs("incomplete: the program crashed or was killed, or the end of the log could not be written",
		      stderr);
}

/* Prints what a log lacks. */
static void explain_missing_part(const recording_plan *recording, const log_summary *summary, const char *path)
{
	if (summary->write_error[0] != '\0')
		fprintf(stderr, ", not whole: %s", summary->write_error);
	if (summary->session.complete)
		return;
	fputs(", ", stderr);
	explain_incomplete(recording, path);
}

/* Whether the log lacks what the filters select, which are calls if these were recorded. */
static int filters_left_nothing(const log_summary *summary)
{
	const uint64_t flags = summary->session.flags;

	if ((flags & MPROF_INTRO_FLAG_ENTER_LEAVE) != 0)
		return summary->event_counts[MPROF_EVENT_METHOD_ENTER] == 0;
	return (flags & (MPROF_INTRO_FLAG_ALLOCATION | MPROF_INTRO_FLAG_STATISTICAL)) != 0 &&
	       summary->event_counts[MPROF_EVENT_ALLOCATION] == 0 && summary->event_counts[MPROF_EVENT_SAMPLE] == 0;
}

/* With a filter that matches nothing, the log looks like that of a program without calls. */
static void explain_filters(const recording_plan *recording, const log_summary *summary, const log_input *input,
			    const char *name)
{
	const char *only = recording->request.only;
	const char *others = recording->request.has_several_only ? " or another --only" : "";

	if (only == NULL || !filters_left_nothing(summary) || recording->request.starts_disabled)
		return;
	if ((summary->session.flags & MPROF_INTRO_FLAG_ENTER_LEAVE) != 0)
		fprintf(stderr, "mprof: %s: no calls: no method that was called matches --only=%s%s%s", name, only,
			others,
			recording->target.file.is_instrumented
				? ""
				: "; calls of precompiled code are recorded only with --no-aot");
	else
		fprintf(stderr,
			"mprof: %s: no allocations or samples: no method on their call stacks matches --only=%s%s",
			name, only, others);
	filter_hint_print(input->reader, only);
	fputc('\n', stderr);
}

/* Much of a program may be code that does not report its calls. */
static void explain_precompiled(const recording_plan *recording, const log_summary *summary, const char *name)
{
	if (!summary_lacks_calls(summary) || recording->request.only != NULL)
		return;
	fprintf(stderr, "mprof: %s: calls in precompiled code are missing (", name);
	precompiled_print(&summary->precompiled, stderr);
	fputs("); --no-aot records them, --sample shows where such code spends its time\n", stderr);
}

/* A shell, for instance, only waits for the programs that it starts, and a server has workers. */
static void explain_children(const recording_plan *recording, const log_summary *summary, const char *name)
{
	if (!(is_native(recording) || recording->has_memory) || recording->has_children ||
	    recording->request.starts_disabled)
		return;
	if (has_native_samples(recording) && (summary->session.flags & MPROF_INTRO_FLAG_STATISTICAL) != 0 &&
	    summary->events == 0) {
		fprintf(stderr, "mprof: %s: no samples: ", name);
		sampling_explain_none(&summary->sampling, recording->target.subject, stderr);
	} else if (summary->unrecorded_children > 0) {
		fprintf(stderr, "mprof: %s: not recorded: %" PRIu64 " child processes; --children records them\n", name,
			summary->unrecorded_children);
	}
}

/* Whether a shell or Mono found nothing to run: what was recorded is not the program. */
static int has_run_nothing(const recording_plan *recording)
{
	const int runs_mono = recording->target.kind == TARGET_MONO || recording->target.kind == TARGET_ASSEMBLY;

	if (runs_mono)
		return recording->child_status == MONO_FOUND_NOTHING && access(recording->target.subject, F_OK) != 0;
	return recording->child_status == STATUS_NOT_FOUND;
}

/* Prints the command that reads the log, once and only if it is at its final path. */
static void suggest_command(const recording_plan *recording, const log_summary *summary, const char *path,
			    const char *name)
{
	char *page;

	if (recording->log_count != 1 || strcmp(path, name) != 0 || has_run_nothing(recording))
		return;
	page = explore_page_find();
	next_command_print(&recording->request, summary, name, page != NULL);
	free(page);
}

/* The module describes a log that it writes to a stream, unless the program is killed before the end. */
static void describe_stream(const recording_plan *recording, const char *name)
{
	if (recording->child.signal == 0)
		return;
	fprintf(stderr, "mprof: %s: ", name);
	explain_incomplete(recording, NULL);
	fputc('\n', stderr);
}

static void describe_log(void *user, const char *path, const char *name)
{
	static log_summary summary;
	recording_plan *recording = user;
	log_input input;

	recording->log_count++;
	recording->is_cut |= path != NULL && cut_log_is(path);
	if (recording->is_quiet)
		return;
	if (path == NULL) {
		describe_stream(recording, name);
		return;
	}
	if (input_open_quietly(&input, path) == STATUS_NOTHING) {
		fprintf(stderr, "mprof: %s: the log cannot be read\n", name);
	} else {
		summary_read(&summary, &input);
		fprintf(stderr, "mprof: %s: %" PRIu64 " bytes, %" PRIu64 " events, %" PRIu64 " lost", name,
			input.file_size, summary.events, summary.session.lost_events);
		explain_missing_part(recording, &summary, path);
		if ((recording->log_count > 1 || recording->has_children) && summary.program[0] != '\0') {
			fputs(", of ", stderr);
			text_name(stderr, summary.program);
		}
		fputc('\n', stderr);
		explain_precompiled(recording, &summary, name);
		explain_filters(recording, &summary, &input, name);
		explain_children(recording, &summary, name);
		suggest_command(recording, &summary, path, name);
	}
	input_close(&input);
}

static void explain_missing_log(const recording_plan *recording, int status)
{
	const missing_log missing = {&recording->target,      status,
				     recording->child.signal, recording->request.combination.has_ring,
				     is_native(recording),    has_native_samples(recording),
				     recording->has_memory};

	missing_log_explain(&missing);
}

/* Completes logs that processes of the program left without an end, and prints how they ended. */
static void complete_logs(recording_plan *recording)
{
	salvaged_logs *salvaged = &recording->salvaged;

	salvaged_complete(salvaged, &recording->log, recording->salvage_file);
	if (salvaged->logs == 0 || recording->is_quiet || (recording->child.signal == 0 && salvaged->lost == 0))
		return;
	fprintf(stderr, "mprof: %s: ", recording->target.subject);
	if (recording->child.signal != 0)
		fprintf(stderr, "killed by signal %d (%s)", recording->child.signal,
			strsignal(recording->child.signal));
	else
		fputs("ended without closing its log", stderr);
	fprintf(stderr, "; %" PRIu64 " events salvaged, %" PRIu64 " lost\n", salvaged->events, salvaged->lost);
}

/* Prints why the program could not be run. */
static void explain_failure(const recording_plan *recording, const char *program)
{
	const record_target *target = &recording->target;
	char interpreter[256];

	fprintf(stderr, "mprof: %s: ", program);
	if (recording->child.failure != ENOENT)
		fprintf(stderr, "%s\n", strerror(recording->child.failure));
	else if (target->kind == TARGET_ASSEMBLY)
		fputs("mono is not installed: install mono-runtime\n", stderr);
	else if (target->kind == TARGET_SCRIPT && target_read_interpreter(target, interpreter, sizeof(interpreter)))
		fprintf(stderr, "its interpreter %s was not found\n", interpreter);
	else
		fprintf(stderr, "%s\n", strerror(ENOENT));
}

/* Finds the logs of the run, and merges them if that is wanted. Returns their number. */
static size_t collect_logs(recording_plan *recording)
{
	const pid_t process = recording->child.process;
	one_log *merged = &recording->merged;
	size_t count;

	if (!recording->is_merged)
		return log_output_collect(&recording->log, process, describe_log, recording);
	count = log_output_collect(&recording->log, process, one_log_add, merged);
	recording->is_cut |= one_log_merge(merged, process) != STATUS_OK;
	for (size_t i = 0; i < merged->count; i++)
		describe_log(recording, merged->paths[i], merged->paths[i]);
	return count;
}

/* Runs the program. Returns the exit status. */
static int run_recorded_program(recording_plan *recording, char *const *program, int count)
{
	char *profile_option = modules_join("--profile=", recording->module_options, "");
	char **arguments = make_arguments(recording, program, count, profile_option);
	child_variable variables[5];
	child_program *child = &recording->child;
	int status = STATUS_NOT_RUNNABLE;

	child->joins_outputs = recording->log.stdout_fd >= 0;
	child->arguments = arguments;
	child->variables = variables;
	variables[child->variable_count++] = (child_variable){"LD_LIBRARY_PATH", recording->library_path};
	if (recording->mono_options != NULL)
		variables[child->variable_count++] = (child_variable){"MONO_ENV_OPTIONS", recording->mono_options};
	if (recording->preload != NULL) {
		variables[child->variable_count++] = (child_variable){"LD_PRELOAD", recording->preload};
		variables[child->variable_count++] =
			(child_variable){recording->has_memory ? "MPROF_MALLOC_OUTPUT" : "MPROF_INSTRUMENT_OUTPUT",
					 recording->log.pattern};
		variables[child->variable_count++] =
			(child_variable){recording->has_memory ? "MPROF_MALLOC_OPTIONS" : "MPROF_INSTRUMENT_OPTIONS",
					 recording->native_options};
	}
	if (arguments != NULL && profile_option != NULL)
		status = child_run(child);
	else
		child->failure = ENOMEM;
	recording->child_status = status;
	leaks_end(&recording->leaks);
	if (child->failure == 0) {
		collector_end(recording->collector);
		control_paths_clean_after(recording->request.control_path);
		complete_logs(recording);
	}
	if (child->failure != 0) {
		explain_failure(recording, arguments != NULL ? arguments[0] : program[0]);
	} else if (collect_logs(recording) == 0) {
		if (!recording->log.is_misplaced)
			explain_missing_log(recording, status);
		status = status != 0 ? status : STATUS_NOTHING;
	}
	if (recording->log.is_misplaced && status == 0)
		status = STATUS_NOTHING;
	recording->is_cut |= failures_are_noted(recording->failures);
	if (recording->is_cut && status == 0)
		status = STATUS_DAMAGED;
	free(arguments);
	free(profile_option);
	return status;
}

int command_record(int argc, char **argv)
{
	recording_plan recording = {0};
	int status = parse_command_line(&recording, argc, argv);
	char **program;

	if (status >= 0)
		return status;
	if (recording.attached.process != NULL)
		return record_process(&recording);
	program = argv + recording.number_of_program;
	status = prepare_recording(&recording, program);
	if (status < 0)
		status = run_recorded_program(&recording, program, argc - recording.number_of_program);
	descriptor_release(recording.collector);
	descriptor_release(recording.failures);
	salvaged_release(&recording.salvaged);
	one_log_release(&recording.merged);
	log_output_release(&recording.log);
	target_release(&recording.target);
	free(recording.module_options);
	free(recording.mono_options);
	free(recording.preload);
	free(recording.native_options);
	free(recording.library_path);
	return status;
}
