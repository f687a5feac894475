/* SPDX-License-Identifier: MIT */
/* Opens a page in the browser of the user: $BROWSER, or the one of the desktop. */
#include "explore/browser.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The arguments of a program of BROWSER, with the link and the end of the list. */
#define MAX_ARGUMENTS 16

char *browser_file_link(const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	static const char scheme[] = "file://";
	static const char kept[] = "/-._~";
	char *absolute = realpath(path, NULL);
	char *link = absolute != NULL ? malloc(sizeof(scheme) + 3 * strlen(absolute)) : NULL;
	char *end = link;

	if (link != NULL) {
		end = stpcpy(link, scheme);
		for (const char *from = absolute; *from != '\0'; from++) {
			const unsigned char byte = (unsigned char)*from;
			const int is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
					      (byte >= '0' && byte <= '9');

			if (is_letter || strchr(kept, byte) != NULL) {
				*end++ = *from;
			} else {
				*end++ = '%';
				*end++ = digits[byte >> 4];
				*end++ = digits[byte & 15];
			}
		}
		*end = '\0';
	}
	free(absolute);
	return link;
}

/* Returns 0, or an error number. */
static int start(char *const *arguments, int waits)
{
	posix_spawnattr_t attributes;
	pid_t process;
	int status;
	int error = posix_spawnattr_init(&attributes);

	if (error != 0)
		return error;
	/* Ctrl-C, which ends a server, is not for the browser. */
	if (!waits)
		(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	error = posix_spawnp(&process, arguments[0], NULL, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	while (error == 0 && waits && waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	return error;
}

/* Starts one of the programs of BROWSER, as "firefox" or "w3m -T text/html %s". The link replaces %s or comes last. */
static int start_command(char *command, char *link, int waits)
{
	char *arguments[MAX_ARGUMENTS];
	size_t count = 0;
	int has_link = 0;
	char *argument;

	while ((argument = strsep(&command, " ")) != NULL) {
		if (argument[0] == '\0')
			continue;
		if (count + 2 == MAX_ARGUMENTS)
			return E2BIG;
		has_link |= strcmp(argument, "%s") == 0;
		arguments[count++] = strcmp(argument, "%s") == 0 ? link : argument;
	}
	if (count == 0)
		return ENOENT;
	if (!has_link)
		arguments[count++] = link;
	arguments[count] = NULL;
	return start(arguments, waits);
}

/* BROWSER is a list separated by colons: the first one that can be run is used. */
static int start_listed(const char *list, char *link, int waits)
{
	char *copy = strdup(list);
	char *rest = copy;
	int error = copy != NULL ? ENOENT : ENOMEM;

	while (error != 0 && rest != NULL)
		error = start_command(strsep(&rest, ":"), link, waits);
	free(copy);
	return error;
}

static int is_set(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0';
}

const char *browser_open(const char *link, int waits)
{
	static char program[] = "xdg-open";
	char *copy = strdup(link);
	char *arguments[] = {program, copy, NULL};
	const char *problem = NULL;
	int error;

	if (copy == NULL)
		return strerror(ENOMEM);
	if (is_set("BROWSER")) {
		error = start_listed(getenv("BROWSER"), copy, waits);
		problem = error != 0 ? "the program of the environment variable BROWSER cannot be run" : NULL;
	} else if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
		problem = "there is no display, and the environment variable BROWSER is not set";
	} else {
		error = start(arguments, 0);
		problem = error != 0 ? "xdg-open cannot be run (install xdg-utils, or set the variable BROWSER)" : NULL;
	}
	free(copy);
	return problem;
}
