/* SPDX-License-Identifier: MIT */
/*
 * Runs the commands of the tool on changed logs: each must end by itself, with one of its exit statuses, and without a
 * report of a sanitizer. The environment variable MPROF names the tool; the other ones are those of fuzz_main.c.
 */
#include "fuzz_logs.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 8, MAX_STATUS = 3, SANITIZER_STATUS = 99, MAX_SECONDS = 120 };

/* What a command may write, in bytes. */
#define MAX_OUTPUT ((rlim_t)256 << 20)

#define INPUT "in.mprof"
#define BEFORE "before.mprof"
#define OUTPUT "out"
#define MESSAGES "messages"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char *const commands[][MAX_ARGUMENTS] = {
	{"info", INPUT},
	{"info", "--json", INPUT},
	{"check", INPUT},
	{"report", INPUT},
	{"report", "--json", "--timeline=40", "--pauses", "--percentiles", "--slowest=3", INPUT},
	{"report", "--timeline=2", "--ages", "--history", "--types", "--backtraces", INPUT},
	{"report", "--json", "--ages", "--alive-at=0.001", INPUT},
	{"report", "--tree", "--inverted", "--csv", INPUT},
	{"report", "--time=0.0005-0.002", "--timeline=30", "--compiler-names", INPUT},
	{"report", "--all", INPUT},
	{"report", "--process=1", "--callers=*", INPUT},
	{"report", "--json", "--inverted", "--callees=*", INPUT},
	{"report", "--tree", "--collapse=M*", "--focus=*", "--temporaries", INPUT},
	{"heap", INPUT},
	{"heap", "--json", "--paths=*", INPUT},
	{"heap", "--referrers=*", "--unreachable", INPUT},
	{"heap", "--leaks", INPUT},
	{"heap", "--csv", "--class=*", "--allocated-by=*", INPUT},
	{"diff", BEFORE, INPUT},
	{"diff", "--json", "--sites", "--tree", INPUT, BEFORE},
	{"diff", "--csv", "--shots=1,2", INPUT},
	{"flame", "-o", OUTPUT, INPUT},
	{"flame", "--value=samples", "--inverted", "-o", OUTPUT, INPUT},
	{"flame", "--value=allocations", "-o", OUTPUT, INPUT},
	{"handles", INPUT},
	{"handles", "--json", INPUT},
	{"dump", INPUT},
	{"dump", "--json", INPUT},
	{"decode", INPUT},
	{"follow", INPUT},
	{"follow", "--json", INPUT},
	{"top", "--once", INPUT},
	{"explore", "-o", OUTPUT, INPUT},
	{"convert", INPUT, OUTPUT},
	{"convert", "--dialect=mono", INPUT, OUTPUT},
	{"convert", "--dialect=drop", INPUT, OUTPUT},
	{"convert", "--dialect=mail", INPUT, OUTPUT},
	{"convert", "--columns", "--index", "--resolution=1us", "--close", INPUT, OUTPUT},
	{"merge", "-o", OUTPUT, BEFORE, INPUT},
	{"merge", "--compress=deflate", "-o", OUTPUT, INPUT, BEFORE, INPUT},
	{"export", "--to=chrome", "-o", OUTPUT, INPUT},
	{"export", "--to=clickhouse", "-o", OUTPUT, INPUT},
	{"export", "--to=csv", "-o", OUTPUT, INPUT},
	{"export", "--to=dot", "-o", OUTPUT, INPUT},
	{"export", "--to=firefox", "-o", OUTPUT, INPUT},
	{"export", "--to=folded", "-o", OUTPUT, INPUT},
	{"export", "--to=heapsnapshot", "-o", OUTPUT, INPUT},
	{"export", "--to=hprof", "-o", OUTPUT, INPUT},
	{"export", "--to=otlp", "-o", OUTPUT, INPUT},
	{"export", "--to=parquet", "-o", OUTPUT, INPUT},
	{"export", "--to=perfetto", "-o", OUTPUT, INPUT},
	{"export", "--to=pprof", "-o", OUTPUT, INPUT},
	{"export", "--to=speedscope", "-o", OUTPUT, INPUT},
	{"export", "--to=sqlite", "-o", OUTPUT, INPUT},
	{"export", "--to=callgrind", "-o", OUTPUT, INPUT},
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void write_file(const char *path, const uint8_t *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	fuzz_require(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static void run_command(const char *tool, const char *const *command)
{
	const struct rlimit output = {MAX_OUTPUT, MAX_OUTPUT};
	const struct rlimit seconds = {MAX_SECONDS, MAX_SECONDS + 1};
	char *arguments[MAX_ARGUMENTS + 2] = {(char *)(uintptr_t)tool};
	int null = open("/dev/null", O_RDWR);
	int messages = open(MESSAGES, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < MAX_ARGUMENTS && command[i] != NULL; i++)
		arguments[i + 1] = (char *)(uintptr_t)command[i];
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	setrlimit(RLIMIT_FSIZE, &output);
	setrlimit(RLIMIT_CPU, &seconds);
	signal(SIGXFSZ, SIG_IGN);
	execv(tool, arguments);
	_exit(SANITIZER_STATUS - 1);
}

static int has_report(void)
{
	static char text[65536];
	FILE *file = fopen(MESSAGES, "rb");
	size_t length;

	fuzz_require(file != NULL);
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	return strstr(text, "runtime error: ") != NULL || strstr(text, "Sanitizer") != NULL;
}

static void try_command(const char *tool, const char *const *command)
{
	pid_t child = fork();
	int status;

	fuzz_require(child >= 0);
	if (child == 0)
		run_command(tool, command);
	fuzz_require(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) <= MAX_STATUS && !has_report())
		return;
	fprintf(stderr, "fuzz_tool: mprof");
	for (int i = 0; i < MAX_ARGUMENTS && command[i] != NULL; i++)
		fprintf(stderr, " %s", command[i]);
	fprintf(stderr, ": ended with %#x\n", (unsigned int)status);
	abort();
}

/* Some exports make a directory. */
static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position)
{
	(void)status;
	(void)kind;
	(void)position;
	return remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static unsigned long inputs;
	const char *tool = getenv("MPROF");
	const int start = open(".", O_RDONLY | O_DIRECTORY);
	char directory[] = "/tmp/mprof-fuzz-tool.XXXXXX";

	fuzz_require(start >= 0 && tool != NULL && tool[0] == '/');
	setenv("ASAN_OPTIONS", "exitcode=99:detect_leaks=0", 0);
	fuzz_require(mkdtemp(directory) != NULL && chdir(directory) == 0);
	write_file(INPUT, bytes, length);
	write_file(BEFORE, bytes, length - length / 5);
	try_command(tool, commands[inputs++ % COMMANDS]);
	fuzz_require(fchdir(start) == 0 && close(start) == 0);
	fuzz_require(nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
	return 0;
}
