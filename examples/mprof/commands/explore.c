/* SPDX-License-Identifier: MIT */
/* mprof explore: writes one HTML file that shows a log in any browser, or serves it while the log grows. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "explore/page.h"
#include "explore/server.h"
#include "export/export_file.h"
#include "shared/text.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Opens a page in the browser of the user.
 */

/* The arguments of a program of BROWSER, with the link and the end of the list. */
#define MAX_ARGUMENTS 16

/* The file:// link of an existing file. The caller frees it; NULL with errno set if that failed. */
static char *browser_file_link(const char *path)
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
static int start_browser(char *const *arguments, int waits)
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
	return start_browser(arguments, waits);
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

static int is_variable_set(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0';
}

/*
 * Starts the program of the environment variable BROWSER, or xdg-open if that is not set. \p waits: a program of
 * BROWSER, which may use the terminal, is waited for. Returns NULL, or why no program was started, such as that there
 * is no display.
 */
static const char *browser_open(const char *link, int waits)
{
	static char program[] = "xdg-open";
	char *copy = strdup(link);
	char *arguments[] = {program, copy, NULL};
	const char *problem = NULL;
	int error;

	if (copy == NULL)
		return strerror(ENOMEM);
	if (is_variable_set("BROWSER")) {
		error = start_listed(getenv("BROWSER"), copy, waits);
		problem = error != 0 ? "the program of the environment variable BROWSER cannot be run" : NULL;
	} else if (!is_variable_set("DISPLAY") && !is_variable_set("WAYLAND_DISPLAY")) {
		problem = "there is no display, and the environment variable BROWSER is not set";
	} else {
		error = start_browser(arguments, 0);
		problem = error != 0 ? "xdg-open cannot be run (install xdg-utils, or set the variable BROWSER)" : NULL;
	}
	free(copy);
	return problem;
}

/*
 * The command.
 */

static const char help[] =
	"Usage: mprof explore [-o OUT.html] [--open] [FILE]\n"
	"       mprof explore --serve[=PORT] [--open] [FILE]\n\n"
	"Writes one HTML file that contains a log and everything to view it: an overview, methods, a flame\n"
	"graph, allocations, and what else the log has, and prints its link. It needs only a browser, no network\n"
	"and no installation. The figures are those of mprof report. Without FILE, the page opens any log that is\n"
	"dropped onto it. FILE may be '-' and may be compressed with gzip.\n\n"
	"With --serve, the page gets the log from this program, on the address 127.0.0.1 alone, and shows more of\n"
	"it while the program that is recorded writes it. The link that is printed has a random part: without it,\n"
	"nothing is served. Ctrl-C ends this.\n\n"
	"  -o, --output=OUT  the file to write, '-' for standard output (default: in the current directory, the name\n"
	"                    of the log with the extension .html; for FILE '-', standard output; without FILE,\n"
	"                    explore.html)\n"
	"  --open            open the page, with the program of the environment variable BROWSER or with xdg-open\n"
	"  --serve[=PORT]    write no file, serve the page and the log until Ctrl-C (default: any free port)\n"
	"  --threads=N       threads that decode events (default: 1)\n"
	"  --help            this text\n"
	"  --version         the version\n\n"
	"An existing file is replaced only by a complete one.\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (the page shows what can be read), or the\n"
	"page cannot be written or served, 2 wrong usage, 3 not a log, or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof explore --open app.mprof\n"
	"  mprof explore -o /tmp/app.html app.mprof\n"
	"  mprof explore --serve --open app.mprof\n";

enum { OPTION_OPEN = OPTION_OWN, OPTION_SERVE };

typedef struct explore_arguments {
	const char *file; /* NULL: none. */
	const char *out;  /* NULL: the default. */
	int is_opened;
	int is_served;
	unsigned int port;
} explore_arguments;

static const struct option options[] = {
	COMMON_OPTIONS,
	THREADS_OPTION,
	{"output", required_argument, NULL, 'o'},
	{"open", no_argument, NULL, OPTION_OPEN},
	{"serve", optional_argument, NULL, OPTION_SERVE},
	{NULL, 0, NULL, 0},
};

static int apply_option(void *user, int option, const char *value)
{
	explore_arguments *arguments = user;
	uint64_t port = 0;

	switch (option) {
	case 'o':
		arguments->out = value;
		return 1;
	case OPTION_OPEN:
		arguments->is_opened = 1;
		return 1;
	default:
		arguments->is_served = 1;
		if (value != NULL && !arguments_number("--serve", value, 0, UINT16_MAX, &port))
			return 0;
		arguments->port = (unsigned int)port;
		return 1;
	}
}

/* Reads the whole log, so that damage is reported now, and collects names. Returns an exit status. */
static int check_log(const char *path, readable_names *names)
{
	static log_input input;
	mprof_block block;
	int status;

	readable_names_begin(names);
	if (input_open(&input, path, 0) == STATUS_OK) {
		while (input_next_block(&input, &block))
			readable_names_add(names, &input, &block);
		readable_names_add_lines(names, input.reader);
	}
	status = input.status;
	input_close(&input);
	return status;
}

static int ends_with(const char *name, size_t length, const char *extension)
{
	size_t size = strlen(extension);

	return length > size && memcmp(name + length - size, extension, size) == 0;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The default output. The caller frees it; NULL if out of memory. */
static char *default_output(const char *file)
{
	const char *name;
	size_t length;
	char *created;

	if (file == NULL)
		return strdup("explore.html");
	if (strcmp(file, "-") == 0)
		return strdup("-");
	name = name_of(file);
	length = strlen(name);
	length -= ends_with(name, length, ".gz") ? strlen(".gz") : 0;
	length -= ends_with(name, length, ".mprof") ? strlen(".mprof") : 0;
	return asprintf(&created, "%.*s.html", (int)length, name) >= 0 ? created : NULL;
}

static int is_same_file(const char *file, const char *out)
{
	struct stat input;
	struct stat output;

	return file != NULL && strcmp(out, "-") != 0 && stat(file, &input) == 0 && stat(out, &output) == 0 &&
	       S_ISREG(output.st_mode) && input.st_dev == output.st_dev && input.st_ino == output.st_ino;
}

static int report_problem(const char *path, const char *problem, int status)
{
	text_begin_message(path);
	fprintf(stderr, "%s\n", problem);
	return status;
}

/* Writes the page. log is NULL if it is to have none. */
static int write_page(const explore_page *page, const explore_log *log, const char *out)
{
	export_file file;
	char size[TEXT_NUMBER_SIZE];
	const char *log_problem;
	const char *problem = export_file_open(&file, out, EXPORT_FILE_TEXT,
					       whole_file_mode(log != NULL ? &log->path : NULL, log != NULL ? 1 : 0));

	if (problem != NULL)
		return report_problem(out, problem, STATUS_DAMAGED);
	log_problem = explore_page_write(page, log, file.stream);
	problem = export_file_close(&file, log_problem == NULL);
	if (log_problem != NULL)
		return report_problem(log->path, log_problem, STATUS_NOTHING);
	if (problem != NULL)
		return report_problem(out, problem, STATUS_DAMAGED);
	if (strcmp(out, "-") != 0) {
		text_begin_message(out);
		fprintf(stderr, "%s\n", text_bytes(size, file.size));
	}
	return STATUS_OK;
}

/* Prints a link, which takes the whole line, and opens it if that is wanted. Returns an exit status. */
static int show_link(const explore_arguments *arguments, char *link)
{
	const char *problem;

	if (link == NULL)
		return report_problem("explore", strerror(errno), STATUS_DAMAGED);
	puts(link);
	fflush(stdout);
	problem = arguments->is_opened ? browser_open(link, !arguments->is_served) : NULL;
	if (problem != NULL)
		fprintf(stderr, "mprof: explore: %s: open the link in a browser\n", problem);
	free(link);
	return STATUS_OK;
}

static int write_log_page(const explore_arguments *arguments, const char *out)
{
	const char *file = arguments->file;
	explore_log log = {.path = file != NULL ? spooled_path(file) : NULL};
	readable_names names = {0};
	explore_page page;
	int status = STATUS_OK;
	int written;

	if (file != NULL && log.path == NULL)
		return STATUS_NOTHING;
	if (!explore_page_read(&page))
		return STATUS_NOTHING;
	if (file != NULL) {
		status = check_log(log.path, &names);
		if (!readable_names_end(&names))
			status = report_problem("explore", mprof_status_get_text(MPROF_ERR_MEMORY), STATUS_NOTHING);
		log.name = name_of(file);
		log.readable_names = names.text;
	}
	if (status != STATUS_NOTHING) {
		written = write_page(&page, file != NULL ? &log : NULL, out);
		if (written == STATUS_OK && strcmp(out, "-") != 0)
			written = show_link(arguments, browser_file_link(out));
		status = written > status ? written : status;
	}
	readable_names_release(&names);
	explore_page_release(&page);
	return status;
}

static int write_file(const explore_arguments *arguments)
{
	char *out = arguments->out != NULL ? strdup(arguments->out) : default_output(arguments->file);
	int status;

	if (out == NULL)
		return report_problem("explore", mprof_status_get_text(MPROF_ERR_MEMORY), STATUS_NOTHING);
	if (arguments->is_opened && strcmp(out, "-") == 0) {
		fputs("mprof: explore: --open needs a file: give its name with --output\n", stderr);
		status = arguments_refuse("explore");
	} else if (is_same_file(arguments->file, out)) {
		status = report_problem(out, "the output file is the log itself", STATUS_USAGE);
	} else {
		status = write_log_page(arguments, out);
	}
	free(out);
	return status;
}

/* Serves the page, and the log if there is one, until Ctrl-C. */
static int serve_page(const explore_arguments *arguments, const explore_page *page, growing_log *log)
{
	const char *name = arguments->file != NULL ? name_of(arguments->file) : NULL;
	explore_server server = {.log = log};
	char *text = explore_page_serve(page, name, &server.page_length);
	char address[40];
	const char *problem = text != NULL ? NULL : strerror(ENOMEM);
	int status = STATUS_OK;

	server.page = text;
	server.listener = -1;
	snprintf(address, sizeof(address), "127.0.0.1:%u", arguments->port);
	if (problem == NULL)
		problem = explore_server_open(&server, arguments->port);
	if (problem == NULL) {
		status = show_link(arguments, explore_server_link(&server));
		fputs("mprof: explore: serving the page until Ctrl-C\n", stderr);
	}
	if (problem == NULL && status == STATUS_OK)
		problem = explore_server_run(&server);
	explore_server_close(&server);
	free(text);
	return problem != NULL ? report_problem(address, problem, STATUS_DAMAGED) : status;
}

static int serve(const explore_arguments *arguments)
{
	static growing_log log;
	const char *path = arguments->file != NULL ? spooled_path(arguments->file) : NULL;
	explore_page page;
	int status = STATUS_OK;

	if ((arguments->file != NULL && path == NULL) || !explore_page_read(&page))
		return STATUS_NOTHING;
	growing_log_catch_signals();
	if (path != NULL)
		status = growing_log_open(&log, path, 0);
	if (status == STATUS_OK && path != NULL && !log.input.is_file)
		status = report_problem(path, "only a file can be served", STATUS_NOTHING);
	if (status == STATUS_OK)
		status = serve_page(arguments, &page, path != NULL ? &log : NULL);
	if (path != NULL)
		growing_log_close(&log);
	explore_page_release(&page);
	return status;
}

int command_explore(int argc, char **argv)
{
	explore_arguments arguments = {0};
	int status = arguments_parse_optional(argc, argv, options, help, apply_option, &arguments, &arguments.file);

	if (status >= 0)
		return status;
	if (!arguments.is_served)
		return write_file(&arguments);
	if (arguments.out == NULL)
		return serve(&arguments);
	fputs("mprof: explore: --serve writes no file: leave out --output\n", stderr);
	return arguments_refuse("explore");
}
