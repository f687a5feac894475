/* SPDX-License-Identifier: MIT */
/* mprof doctor: checks that everything recording needs is installed, and prints what to do if not. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/demangle.h"
#include "common/modules.h"
#include "explore/page.h"
#include "record/record.h"
#include "record/target.h"
#include "shared/control_paths.h"
#include "symbolize/native_lines.h"

#include <mprof/base.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char help[] =
	"Usage: mprof doctor\n\n"
	"Checks whether Mono programs and native programs can be recorded here, which optional parts there are, and\n"
	"prints what is missing and what to do.\n"
	"Removes the sockets of recorded programs that were killed.\n\n"
	"  --help     this text\n"
	"  --version  the version\n\n"
	"Modules are searched in the directories of the environment variable MPROF_MODULE_DIR "
	"(separated by colons),\n"
	"where they were built if mprof runs where it was built, and where they are installed.\n\n"
	"Exit status: 0 if Mono programs can be recorded, 1 if not, 2 wrong usage, 3 not all could be checked.\n\n"
	"Examples:\n"
	"  mprof doctor\n";

#define OUTPUT_SIZE 4096

static void print_ok(const char *what, const char *detail)
{
	printf("ok       %s: %s\n", what, detail);
}

static void print_missing(const char *what, const char *detail, const char *advice)
{
	printf("missing  %s: %s\n         %s\n", what, detail, advice);
}

static void print_optional(const char *what, const char *detail, const char *advice)
{
	printf("optional %s: %s\n         %s\n", what, detail, advice);
}

static void cut_at_line_end(char *text)
{
	text[strcspn(text, "\n")] = '\0';
}

/* Memory was exhausted: parts that could not be checked are listed as missing. */
static int is_out_of_memory;

static int capture_output(child_program *child, char *output, size_t size)
{
	int status = child_capture(child, output, size);

	is_out_of_memory |= child->failure == ENOMEM;
	return status;
}

static int check_mono(void)
{
	static char program[] = "mono";
	static char version_option[] = "--version";
	char *arguments[] = {program, version_option, NULL};
	child_program child = {.arguments = arguments};
	char output[OUTPUT_SIZE];

	if (capture_output(&child, output, sizeof(output)) == 0) {
		cut_at_line_end(output);
		print_ok("mono", output);
		return 1;
	}
	print_missing("mono", child.failure != 0 ? strerror(child.failure) : "does not run",
		      "install Mono (on Debian and Ubuntu: apt install mono-runtime), or add its directory to PATH");
	return 0;
}

/* The module's directory; NULL if it is not found. */
static char *check_module(const char *file_name, const char *advice, int is_needed)
{
	char *directory = modules_find(file_name);
	char *directories = modules_directories(file_name);
	char *where;

	if (directory != NULL) {
		where = modules_join(directory, "/", file_name);
		print_ok("module", where != NULL ? where : file_name);
	} else {
		where = modules_join(file_name, " is not in ", directories != NULL ? directories : "its directory");
		(is_needed ? print_missing : print_optional)("module", where != NULL ? where : file_name, advice);
	}
	free(where);
	free(directories);
	return directory;
}

/* An option of Mono that loads the module under one of its names, and makes it print a help text. */
static char mprof_help[] = "--profile=mprof:help";
static char logging_help[] = "--profile=logging:help";

/* Runs Mono with such an option. none.exe need not exist: Mono does not open it. Returns whether the module answers. */
static int run_module_help(char *profile_option, const child_variable *variables, size_t variable_count, char *output,
			   size_t size)
{
	static char mono[] = "mono";
	static char program[] = "none.exe";
	char *arguments[] = {mono, profile_option, program, NULL};
	child_program child = {.arguments = arguments, .variables = variables, .variable_count = variable_count};

	(void)capture_output(&child, output, size);
	return strstr(output, "--profile=mprof") != NULL && strstr(output, "output=") != NULL;
}

/* Mono reports the reason why it cannot load a module only with logging enabled. */
static void explain_load(const char *library_path)
{
	const child_variable variables[] = {
		{"LD_LIBRARY_PATH", library_path},
		{"MONO_LOG_LEVEL", "debug"},
		{"MONO_LOG_MASK", "dll"},
	};
	static char output[16 * OUTPUT_SIZE];
	char *line = output;

	(void)run_module_help(mprof_help, variables, sizeof(variables) / sizeof(variables[0]), output, sizeof(output));
	while (line != NULL) {
		const char *text = strsep(&line, "\n");

		if (strstr(text, "mprof") != NULL)
			printf("         %s\n", text);
	}
}

static int check_load(const char *directory)
{
	char *library_path = modules_library_path(directory);
	child_variable variable = {"LD_LIBRARY_PATH", library_path};
	char output[OUTPUT_SIZE];
	int is_loaded;

	if (library_path == NULL)
		return 0;
	is_loaded = run_module_help(mprof_help, &variable, 1, output, sizeof(output));
	if (is_loaded) {
		print_ok("loading", "mono loads the module and it answers");
	} else {
		print_missing("loading", "mono does not load the module",
			      "its message is below; the module must be built for this machine, and find libmprof.so");
		explain_load(library_path);
	}
	free(library_path);
	return is_loaded;
}

/* Without mprof record, Mono searches the module as the system's loader does. It ignores a name that it cannot find. */
static void check_name(char *profile_option, const char *name, const char *directory)
{
	char output[OUTPUT_SIZE];
	char *advice;

	if (run_module_help(profile_option, NULL, 0, output, sizeof(output))) {
		print_ok("name", name);
		return;
	}
	advice = modules_join(
		"mono ignores this option; run ldconfig after 'make install', or set LD_LIBRARY_PATH=", directory, "");
	print_optional("name", name, advice != NULL ? advice : directory);
	free(advice);
}

static void check_names(const char *directory)
{
	check_name(mprof_help, "mono --profile=mprof", directory);
	check_name(logging_help, "mono --profile=logging", directory);
}

static void check_compiler(void)
{
	char *path = target_search_path("mcs");

	if (path != NULL)
		print_ok("mcs", path);
	else
		print_optional("mcs", "not found",
			       "only needed to compile C# (on Debian and Ubuntu: apt install mono-mcs)");
	free(path);
}

static void check_library(void)
{
	char *text = modules_join("libmprof ", mprof_version_get_string(), "");

	print_ok("library", text != NULL ? text : mprof_version_get_string());
	free(text);
	if (mprof_version_get_number() != MPROF_VERSION_NUMBER)
		print_optional("library", "mprof was built for version " MPROF_VERSION_STRING,
			       "install both from the same release");
}

#ifdef WITH_NCURSES
#define HAS_NCURSES 1
#else
#define HAS_NCURSES 0
#endif

#ifdef WITH_SQLITE
#define HAS_SQLITE 1
#else
#define HAS_SQLITE 0
#endif

/* A part that is chosen when libmprof is built. */
typedef struct build_part {
	const char *name;
	int is_built;
	const char *effect; /* What it does. */
	const char *lack;   /* What a build without it is like. */
	const char *advice;
} build_part;

static void check_build(void)
{
	const build_part parts[] = {
		{"gzip", mprof_version_has_feature(MPROF_FEATURE_GZIP), "compressed logs can be read and written",
		 "not in this build",
		 "build libmprof with zlib (on Debian and Ubuntu: apt install zlib1g-dev) to read and write compressed "
		 "logs"},
		{"zstd", mprof_version_has_feature(MPROF_FEATURE_ZSTD),
		 "blocks that are compressed with zstd can be read and written", "not in this build",
		 "build libmprof with zstd (on Debian and Ubuntu: apt install libzstd-dev) for smaller logs"},
		{"lines", native_lines_is_supported(),
		 "reports contain source lines and inlined functions of native code", "not in this build",
		 "build mprof with libdw (on Debian and Ubuntu: apt install libdw-dev) for source lines of native "
		 "code"},
		{"names", demangle_has_rust(), "functions of C++ and Rust have the names of the source",
		 "without those of Rust in this build",
		 "build mprof with libiberty (on Debian and Ubuntu: apt install libiberty-dev) for names of Rust as in "
		 "the source"},
		{"screen", HAS_NCURSES, "mprof top uses the whole terminal", "not in this build",
		 "build mprof with ncurses (on Debian and Ubuntu: apt install libncurses-dev) for mprof top on the "
		 "whole terminal"},
		{"sqlite", HAS_SQLITE, "logs can be exported as databases of SQLite", "not in this build",
		 "build mprof with SQLite (on Debian and Ubuntu: apt install libsqlite3-dev) for mprof export "
		 "--to=sqlite"},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].is_built)
			print_ok(parts[i].name, parts[i].effect);
		else
			print_optional(parts[i].name, parts[i].lack, parts[i].advice);
	}
}

static void check_page(void)
{
	char *path = explore_page_find();

	is_out_of_memory |= path == NULL && errno == ENOMEM;
	if (path != NULL)
		print_ok("page", path);
	else
		print_optional("page", "mprof explore has no page to write", EXPLORE_PAGE_ADVICE);
	free(path);
}

/* Whether an event that samples this process is allowed, in the kernel too or in the program alone. */
static int can_sample(int without_kernel)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 10000000,
		.disabled = 1,
		.exclude_hv = 1,
		.exclude_kernel = without_kernel != 0,
	};
	const int event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (event >= 0)
		close(event);
	return event >= 0;
}

static void check_samples(void)
{
	char level[16] = "";
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	char *detail;

	is_out_of_memory |= file == NULL && errno == ENOMEM;
	if (file != NULL) {
		if (fgets(level, sizeof(level), file) == NULL)
			level[0] = '\0';
		fclose(file);
	}
	cut_at_line_end(level);
	detail = modules_join("kernel.perf_event_paranoid is ", level[0] != '\0' ? level : "not known",
			      can_sample(0) ? "" : ", which allows no samples in the kernel");
	if (can_sample(1))
		print_ok("perf", detail != NULL ? detail : level);
	else
		print_optional("perf", "the system allows no events of perf: samples are taken with timers",
			       "sysctl kernel.perf_event_paranoid=2 allows them, unless a container forbids the system "
			       "call");
	free(detail);
}

/* A program that was killed does not remove its socket. */
static void check_sockets(void)
{
	unsigned removed = control_paths_clean_all();

	if (removed > 0)
		printf("removed  sockets: %u of programs that are gone\n", removed);
}

static int check_all(void)
{
	static const char native_advice[] = "only needed to record native programs; 'make install' installs it, or set "
					    "MPROF_MODULE_DIR to its directory";
	int has_mono = check_mono();
	char *mono_module = check_module(MONO_MODULE,
					 "install it with 'make install' if it was built, or set MPROF_MODULE_DIR to "
					 "its directory;\n         to build it, install libmono-2.0-dev and "
					 "run configure and make again",
					 1);
	int is_loaded = has_mono && mono_module != NULL && check_load(mono_module);
	char *instrument_module;
	char *memory_module;

	if (is_loaded)
		check_names(mono_module);
	check_library();
	check_build();
	check_page();
	instrument_module = check_module(INSTRUMENT_MODULE, native_advice, 0);
	memory_module = check_module(MEMORY_MODULE, native_advice, 0);
	check_samples();
	check_compiler();
	check_sockets();
	printf("\n%s\n", is_loaded ? "Mono programs can be recorded: mprof record -- mono program.exe"
				   : "Mono programs cannot be recorded until the missing parts above are installed.");
	if (instrument_module != NULL)
		puts("Native programs can be sampled as they are: mprof record -- ./program; built with "
		     "-finstrument-functions, their calls can be recorded: mprof record --calls -- ./program");
	if (memory_module != NULL)
		puts("The native memory of any program can be recorded: mprof record --malloc -- ./program");
	free(mono_module);
	free(instrument_module);
	free(memory_module);
	if (is_out_of_memory || modules_lacked_memory()) {
		fprintf(stderr, "mprof: doctor: %s: not everything was checked; missing parts may be installed\n",
			strerror(ENOMEM));
		return STATUS_NOTHING;
	}
	return is_loaded ? STATUS_OK : 1;
}

int command_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		{NULL, 0, NULL, 0},
	};
	int status = arguments_parse_none(argc, argv, options, help);

	return status >= 0 ? status : check_all();
}
