/* SPDX-License-Identifier: MIT */
/* mprof explore: writes one HTML file that shows a log in any browser. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "explore/page.h"
#include "export/export_file.h"
#include "heap/spooled.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
	"Usage: mprof explore [-o OUT.html] [FILE]\n\n"
	"Writes one HTML file that contains a log and everything to view it: an overview, methods, a flame graph,\n"
	"allocations, and what else the log has. It needs only a browser, no network and no installation. The figures\n"
	"are those of mprof report. Without FILE, the page opens any log that is dropped onto it.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  -o, --output=OUT  the file to write, '-' for standard output (default: in the current directory, the name\n"
	"                    of the log with the extension .html; for FILE '-', standard output; without FILE,\n"
	"                    explore.html)\n"
	"  --threads=N       threads that decode events (default: 1)\n"
	"  --help            this text\n"
	"  --version         the version\n\n"
	"An existing file is replaced only by a complete one.\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (the page shows what can be read), 2 wrong "
	"usage,\n"
	"3 not a log, or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof explore app.mprof\n"
	"  mprof explore -o /tmp/app.html app.mprof\n"
	"  mprof explore -o viewer.html\n";

static const struct option options[] = {
	COMMON_OPTIONS,
	THREADS_OPTION,
	{"output", required_argument, NULL, 'o'},
	{NULL, 0, NULL, 0},
};

static int apply_option(void *user, int option, const char *value)
{
	const char **out = user;

	if (option == 'o')
		*out = value;
	return 1;
}

/* Reads the whole log, so that damage is reported now. Returns an exit status. */
static int check_log(const char *path)
{
	static log_input input;
	mprof_block block;
	int status;

	if (input_open(&input, path, 0) == STATUS_OK) {
		while (input_next_block(&input, &block))
			;
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

/* Writes the page. \p path is where the log is read from, NULL for none; \p name is what the page shows. */
static int write_page(const explore_page *page, const char *path, const char *name, const char *out)
{
	export_file file;
	char size[TEXT_NUMBER_SIZE];
	const char *log_problem;
	const char *problem =
		export_file_open(&file, out, EXPORT_FILE_TEXT, whole_file_mode(&path, path != NULL ? 1 : 0));

	if (problem != NULL)
		return report_problem(out, problem, STATUS_DAMAGED);
	log_problem = explore_page_write(page, path, name, file.stream);
	problem = export_file_close(&file, log_problem == NULL);
	if (log_problem != NULL)
		return report_problem(path, log_problem, STATUS_NOTHING);
	if (problem != NULL)
		return report_problem(out, problem, STATUS_DAMAGED);
	if (strcmp(out, "-") != 0) {
		text_begin_message(out);
		fprintf(stderr, "%s\n", text_bytes(size, file.size));
	}
	return STATUS_OK;
}

static int write_log_page(const char *file, const char *out)
{
	const char *path = file != NULL ? spooled_path(file) : NULL;
	explore_page page;
	int status = STATUS_OK;
	int written;

	if (file != NULL && path == NULL)
		return STATUS_NOTHING;
	if (!explore_page_read(&page))
		return STATUS_NOTHING;
	if (file != NULL)
		status = check_log(path);
	if (status != STATUS_NOTHING) {
		written = write_page(&page, path, file != NULL ? name_of(file) : "", out);
		status = written > status ? written : status;
	}
	explore_page_release(&page);
	return status;
}

int command_explore(int argc, char **argv)
{
	const char *chosen = NULL;
	const char *file = NULL;
	char *out;
	int status = arguments_parse_optional(argc, argv, options, help, apply_option, &chosen, &file);

	if (status >= 0)
		return status;
	out = chosen != NULL ? strdup(chosen) : default_output(file);
	if (out == NULL)
		return report_problem("explore", mprof_status_get_text(MPROF_ERR_MEMORY), STATUS_NOTHING);
	if (is_same_file(file, out))
		status = report_problem(out, "the output file is the log itself", STATUS_USAGE);
	else
		status = write_log_page(file, out);
	free(out);
	return status;
}
