/* SPDX-License-Identifier: MIT */
/* Runs a program and waits for it. */
#include "record/record.h"

#include "common/arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t running_process;

static void pass_on(int signal_number)
{
	int saved = errno;

	if (running_process > 0)
		kill((pid_t)running_process, signal_number);
	errno = saved;
}

/* The signal actions from before the program runs. They are restored in the program, and in this process at the end. */
typedef struct signal_state {
	struct sigaction interrupt;
	struct sigaction quit;
	struct sigaction terminate;
	struct sigaction hangup;
} signal_state;

static void guard_signals(signal_state *before)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction passing = {.sa_handler = pass_on, .sa_flags = SA_RESTART};

	sigaction(SIGINT, &ignore, &before->interrupt);
	sigaction(SIGQUIT, &ignore, &before->quit);
	sigaction(SIGTERM, &passing, &before->terminate);
	sigaction(SIGHUP, &passing, &before->hangup);
}

static void restore_signals(const signal_state *before)
{
	sigaction(SIGINT, &before->interrupt, NULL);
	sigaction(SIGQUIT, &before->quit, NULL);
	sigaction(SIGTERM, &before->terminate, NULL);
	sigaction(SIGHUP, &before->hangup, NULL);
}

/* Runs in the new process. Does not return; errno is written to the pipe on failure. */
static void execute_program(const child_program *child, const signal_state *before, int output, int report)
{
	int failure = 0;

	restore_signals(before);
	for (size_t i = 0; i < child->variable_count && failure == 0; i++)
		failure = setenv(child->variables[i].name, child->variables[i].value, 1) == 0 ? 0 : errno;
	if (output >= 0) {
		int nothing = open("/dev/null", O_RDONLY);

		dup2(nothing, STDIN_FILENO);
		dup2(output, STDOUT_FILENO);
		dup2(output, STDERR_FILENO);
	}
	if (child->joins_outputs)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	/* With an incomplete environment the program would run unrecorded. */
	if (failure == 0) {
		execvp(child->arguments[0], child->arguments);
		failure = errno;
	}
	if (write(report, &failure, sizeof(failure)) < 0)
		_exit(STATUS_NOT_RUNNABLE);
	_exit(failure == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUNNABLE);
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Reads all output, so that the program does not block on a full pipe, but keeps only the start that fits. */
static void read_all(int fd, char *output, size_t size)
{
	char rest[512];
	size_t length = 0;

	for (;;) {
		int has_room = length + 1 < size;
		ssize_t got = has_room ? read(fd, output + length, size - length - 1) : read(fd, rest, sizeof(rest));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (has_room)
			length += (size_t)got;
	}
	output[length] = '\0';
}

/* Starts the program; its output goes to \p output unless that is -1. Returns 0 if no process could be created. */
static int start_child(child_program *child, const signal_state *before, int output)
{
	int pipe_ends[2];

	child->failure = 0;
	if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
		child->failure = errno;
		return 0;
	}
	child->process = fork();
	if (child->process == 0)
		execute_program(child, before, output, pipe_ends[1]);
	if (child->process < 0)
		child->failure = errno;
	else
		running_process = (sig_atomic_t)child->process;
	close(pipe_ends[1]);
	/* The pipe is closed without data when exec() succeeds. */
	if (child->process > 0 && read(pipe_ends[0], &child->failure, sizeof(child->failure)) != sizeof(child->failure))
		child->failure = 0;
	close(pipe_ends[0]);
	return child->process > 0;
}

static int wait_for(child_program *child)
{
	int status = 0;

	while (waitpid(child->process, &status, 0) < 0) {
		if (errno != EINTR)
			return STATUS_NOT_RUNNABLE;
	}
	child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return exit_status(status);
}

int child_run(child_program *child)
{
	signal_state before;
	int status = STATUS_NOT_RUNNABLE;

	guard_signals(&before);
	if (start_child(child, &before, -1))
		status = wait_for(child);
	running_process = 0;
	restore_signals(&before);
	return status;
}

int child_capture(child_program *child, char *output, size_t size)
{
	signal_state before;
	int ends[2];
	int status = STATUS_NOT_RUNNABLE;

	output[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) != 0)
		return status;
	guard_signals(&before);
	if (start_child(child, &before, ends[1])) {
		close(ends[1]);
		ends[1] = -1;
		read_all(ends[0], output, size);
		status = wait_for(child);
	}
	running_process = 0;
	restore_signals(&before);
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return status;
}
