/* SPDX-License-Identifier: MIT */
/* Reads the command line and derives the path of the log. */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Maximum number of logs of one process, which executes one program after another. */
#define MAX_LOGS 100

#define MAX_COMMAND_LINE ((size_t)1 << 20)

/* Options of mono whose value is the next argument. */
static const char *const options_with_value[] = {"--config", "--break", "--break-at-bb", "--compile", "--ncompile"};

static char *read_command_line(size_t *length)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t size = 0;

	*length = 0;
	while (fd >= 0 && *length < MAX_COMMAND_LINE) {
		ssize_t count;

		if (*length + 1 >= size) {
			char *larger = realloc(text, size + 4096);

			if (larger == NULL)
				break;
			text = larger;
			size += 4096;
		}
		/*
		 * One byte is reserved for a final NUL: a program that rewrites its command line may have removed it.
		 */
		count = read(fd, text + *length, size - *length - 1);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			break;
		*length += (size_t)count;
	}
	if (fd >= 0)
		close(fd);
	if (text != NULL)
		text[*length] = '\0';
	return text;
}

static const char *without_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static int takes_next_word(const char *option)
{
	for (size_t i = 0; i < sizeof(options_with_value) / sizeof(options_with_value[0]); i++)
		if (strcmp(option, options_with_value[i]) == 0)
			return 1;
	return 0;
}

/*
 * Finds the argument that names the program: the first argument of mono that is not an option, or the first word of all
 * if the process embeds mono.
 */
static const char *find_program(const char *words, const char *end)
{
	const char *word = words;

	if (words == end || strncmp(without_directory(words), "mono", 4) != 0)
		return words;
	for (word += strlen(word) + 1; word < end && word[0] == '-'; word += strlen(word) + 1)
		if (takes_next_word(word))
			word += strlen(word) + 1;
	return word < end ? word : words;
}

static char *join_words(const char *words, const char *end)
{
	size_t length = words < end ? (size_t)(end - words) : 0;
	char *text = malloc(length + 1);

	if (text == NULL)
		return NULL;
	memcpy(text, words, length);
	text[length] = '\0';
	for (size_t i = 0; i + 1 < length; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return text;
}

void session_read(session_info *session)
{
	const char *end;

	session->command_line = read_command_line(&session->length);
	session->program = "";
	session->arguments = NULL;
	if (session->command_line == NULL)
		return;
	end = session->command_line + session->length;
	session->program = find_program(session->command_line, end);
	session->arguments = join_words(session->program + strlen(session->program) + 1, end);
}

void session_release(session_info *session)
{
	free(session->command_line);
	free(session->arguments);
}

/* Prints the program's name without directory and last extension; "mono" if it is unknown. */
static void print_file_name(const session_info *session, FILE *out)
{
	const char *name = without_directory(session->program);
	const char *dot = strrchr(name, '.');
	size_t length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);

	if (length == 0)
		fputs("mono", out);
	else
		fwrite(name, 1, length, out);
}

static void print_file_time(FILE *out)
{
	char text[32];
	time_t now = time(NULL);
	struct tm parts;

	if (localtime_r(&now, &parts) != NULL && strftime(text, sizeof(text), "%Y%m%d%H%M%S", &parts) != 0)
		fputs(text, out);
}

static void print_host(FILE *out)
{
	char host[256];

	if (gethostname(host, sizeof(host)) == 0) {
		host[sizeof(host) - 1] = '\0';
		fputs(host, out);
	}
}

/* \p number: if it is more than 1, the number of the log among those of the process. */
static void expand_letter(const session_info *session, char letter, int number, FILE *out)
{
	switch (letter) {
	case 'n':
		print_file_name(session, out);
		break;
	case 'p':
		fprintf(out, "%ld", (long)getpid());
		if (number > 1)
			fprintf(out, "-%d", number);
		break;
	case 't':
		print_file_time(out);
		break;
	case 'h':
		print_host(out);
		break;
	case '%':
		fputc('%', out);
		break;
	default:
		fputc('%', out);
		fputc(letter, out);
	}
}

static char *expand_pattern(const session_info *session, const char *pattern, int number)
{
	char *path = NULL;
	size_t length;
	FILE *out = open_memstream(&path, &length);

	if (out == NULL)
		return NULL;
	for (const char *c = pattern == NULL ? "%n.mprof" : pattern; *c != '\0'; c++) {
		if (c[0] == '%' && c[1] != '\0')
			expand_letter(session, *++c, number, out);
		else
			fputc(*c, out);
	}
	if (fclose(out) == 0)
		return path;
	free(path);
	return NULL;
}

static int has_process(const char *pattern)
{
	for (const char *c = pattern; c != NULL && *c != '\0'; c++) {
		if (c[0] == '%' && *++c == 'p')
			return 1;
		if (*c == '\0')
			break;
	}
	return 0;
}

char *session_log_path(const session_info *session, const char *pattern)
{
	char *path = expand_pattern(session, pattern, 1);

	/* After exec(), the process runs another program, which must not overwrite the log of the first. */
	for (int number = 2; path != NULL && has_process(pattern) && number < MAX_LOGS && access(path, F_OK) == 0;
	     number++) {
		free(path);
		path = expand_pattern(session, pattern, number);
	}
	return path;
}

char *session_full_path(const char *path)
{
	char *directory = path[0] == '/' ? NULL : getcwd(NULL, 0);
	char *full = NULL;

	/*
	 * The current directory is unknown. The relative path is kept: it stays valid unless the program changes
	 * directory.
	 */
	if (directory == NULL)
		return strdup(path);
	if (asprintf(&full, "%s/%s", directory, path) < 0)
		full = NULL;
	free(directory);
	return full;
}
