/* SPDX-License-Identifier: MIT */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE_BITS 07777

/* What is to go when the program is interrupted: no more than one file is written at a time. */
static const char *volatile unfinished;

static void remove_unfinished(int signal_number)
{
	if (unfinished != NULL)
		unlink(unfinished);
	/* The handler is there for one time: now the signal does what it does without. */
	raise(signal_number);
}

static void watch_signals(void)
{
	/* SIGPIPE where messages go to a pipe that nobody reads, SIGXFSZ where files may not grow that long. */
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
	struct sigaction action = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction before;

		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static const char *open_as_it_stands(whole_file *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return file->fd < 0 ? strerror(errno) : NULL;
}

static const char *open_temporary(whole_file *file, mode_t mode)
{
	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
		file->temporary = NULL;
		return strerror(ENOMEM);
	}
	watch_signals();
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd < 0)
		return strerror(errno);
	unfinished = file->temporary;
	/* On some file systems it cannot be changed, which is no reason not to write. */
	(void)!fchmod(file->fd, mode);
	return NULL;
}

/* The file that a name leads to, which need not exist. */
static char *follow_links(const char *path)
{
	char *followed = realpath(path, NULL);

	return followed != NULL ? followed : strdup(path);
}

const char *whole_file_open(whole_file *file, const char *path)
{
	struct stat status;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	if (strcmp(path, "-") == 0) {
		file->fd = STDOUT_FILENO;
		return isatty(STDOUT_FILENO) ? "a log is not written to a terminal" : NULL;
	}
	if (*path == '\0')
		return strerror(ENOENT);
	file->path = follow_links(path);
	if (file->path == NULL)
		return strerror(ENOMEM);
	if (stat(file->path, &status) != 0)
		return errno == ENOENT ? open_temporary(file, new_mode()) : strerror(errno);
	if (S_ISREG(status.st_mode))
		return open_temporary(file, status.st_mode & MODE_BITS);
	return S_ISDIR(status.st_mode) ? strerror(EISDIR) : open_as_it_stands(file);
}

int whole_file_is(const whole_file *file, int fd)
{
	struct stat own;
	struct stat other;
	int has_own = file->path != NULL ? stat(file->path, &own) == 0 : fstat(file->fd, &own) == 0;

	return has_own && fstat(fd, &other) == 0 && S_ISREG(own.st_mode) && own.st_dev == other.st_dev &&
	       own.st_ino == other.st_ino;
}

const char *whole_file_close(whole_file *file, int is_whole)
{
	const char *problem = NULL;

	if (file->fd > STDERR_FILENO && close(file->fd) != 0 && is_whole)
		problem = strerror(errno);
	if (file->temporary != NULL && unfinished != NULL) {
		if (is_whole && problem == NULL && rename(file->temporary, file->path) != 0)
			problem = strerror(errno);
		if (!is_whole || problem != NULL)
			unlink(file->temporary);
		unfinished = NULL;
	}
	free(file->temporary);
	free(file->path);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
	return problem;
}
