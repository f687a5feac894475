/* SPDX-License-Identifier: MIT */
/*
 * Runs the commands of the tool on changed logs: each must end by itself, with one of its exit statuses, and without a
 * report of a sanitizer. The environment variable MPROF names the tool; the other ones are those of fuzz_main.c.
 */
#include "fuzz_command.h"
#include "fuzz_logs.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 8 };

#define INPUT "in.mprof"
#define BEFORE "before.mprof"
#define OUTPUT "out"

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

static void try_command(const char *tool, const char *const *command)
{
	const char *arguments[MAX_ARGUMENTS + 2] = {tool};

	memcpy(arguments + 1, command, MAX_ARGUMENTS * sizeof(*command));
	(void)fuzz_command_run(arguments, FUZZ_MAX_STATUS);
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
	const char *tool = fuzz_command_tool();
	const int start = open(".", O_RDONLY | O_DIRECTORY);
	char directory[] = "/tmp/mprof-fuzz-tool.XXXXXX";

	fuzz_require(start >= 0 && mkdtemp(directory) != NULL && chdir(directory) == 0);
	write_file(INPUT, bytes, length);
	write_file(BEFORE, bytes, length - length / 5);
	try_command(tool, commands[inputs++ % COMMANDS]);
	fuzz_require(fchdir(start) == 0 && close(start) == 0);
	fuzz_require(nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
	return 0;
}
