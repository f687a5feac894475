/* SPDX-License-Identifier: MIT */
/* Runs the tool. */
#include "fuzz_command.h"

#include "fuzz_logs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* That of sanitizers, which fuzz_command_tool() has them use. */
enum { SANITIZER_STATUS = 99, MAX_SECONDS = 120 };

/* What a command may write, in bytes. */
#define MAX_OUTPUT ((rlim_t)256 << 20)

const char *fuzz_command_tool(void)
{
	const char *tool = getenv("MPROF");

	fuzz_require(tool != NULL && tool[0] == '/');
	setenv("ASAN_OPTIONS", "exitcode=99:detect_leaks=0", 0);
	return tool;
}

static void run(const char *const *arguments)
{
	const struct rlimit output = {MAX_OUTPUT, MAX_OUTPUT};
	const struct rlimit seconds = {MAX_SECONDS, MAX_SECONDS + 1};
	int null = open("/dev/null", O_RDWR);
	int messages = open(FUZZ_MESSAGES, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	setrlimit(RLIMIT_FSIZE, &output);
	setrlimit(RLIMIT_CPU, &seconds);
	signal(SIGXFSZ, SIG_IGN);
	execv(arguments[0], (char *const *)(uintptr_t)arguments);
	_exit(SANITIZER_STATUS - 1);
}

static int has_report(void)
{
	static char text[65536];
	FILE *file = fopen(FUZZ_MESSAGES, "rb");
	size_t length;

	fuzz_require(file != NULL);
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	return strstr(text, "runtime error: ") != NULL || strstr(text, "Sanitizer") != NULL;
}

int fuzz_command_run(const char *const *arguments, int highest)
{
	pid_t child = fork();
	int status;

	fuzz_require(child >= 0);
	if (child == 0)
		run(arguments);
	fuzz_require(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) <= highest && !has_report())
		return WEXITSTATUS(status);
	for (; *arguments != NULL; arguments++)
		fprintf(stderr, "%s ", *arguments);
	fprintf(stderr, "ended with %#x\n", (unsigned int)status);
	abort();
}
