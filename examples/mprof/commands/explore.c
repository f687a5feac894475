/* SPDX-License-Identifier: MIT */
/* mprof explore: writes one HTML file that shows a log in any browser. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "export/export_file.h"
#include "export/gzip_stream.h"
#include "heap/spooled.h"
#include "shared/text.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * The page.
 */

/* The page: HTML, with a place for the log. */
typedef struct explore_page {
	char *text;
	size_t length;
	size_t log_offset; /* Where the log is inserted. */
} explore_page;

/* Size of the largest part before encoding: a multiple of 3, so that only the last part has padding. */
#define PART_SIZE (3 << 20)

typedef struct encoder {
	FILE *target;
	const char *before;
	const char *after;
	size_t part_length; /* Bytes of the current part. */
	unsigned char kept[3];
	size_t kept_count; /* Bytes that are not enough for four characters yet. */
} encoder;

static void encode_group(const unsigned char *bytes, size_t count, char characters[4])
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t group = (uint32_t)bytes[0] << 16 | (count > 1 ? (uint32_t)bytes[1] << 8 : 0) |
			 (count > 2 ? (uint32_t)bytes[2] : 0);

	for (size_t i = 0; i < 4; i++)
		characters[i] = i <= count ? alphabet[group >> (18 - 6 * i) & 63] : '=';
}

static void write_group(encoder *state)
{
	char characters[4];

	if (state->part_length == 0)
		fputs(state->before, state->target);
	encode_group(state->kept, state->kept_count, characters);
	fwrite(characters, 1, sizeof(characters), state->target);
	state->part_length += state->kept_count;
	state->kept_count = 0;
	if (state->part_length < PART_SIZE)
		return;
	fputs(state->after, state->target);
	state->part_length = 0;
}

static ssize_t write_encoded(void *user, const char *bytes, size_t length)
{
	encoder *state = user;

	for (size_t i = 0; i < length; i++) {
		state->kept[state->kept_count++] = (unsigned char)bytes[i];
		if (state->kept_count == sizeof(state->kept))
			write_group(state);
	}
	if (!ferror(state->target))
		return (ssize_t)length;
	errno = errno != 0 ? errno : EIO;
	return 0;
}

static int close_encoded(void *user)
{
	encoder *state = user;
	FILE *target = state->target;

	if (state->kept_count > 0)
		write_group(state);
	if (state->part_length > 0)
		fputs(state->after, target);
	free(state);
	return ferror(target) ? EOF : 0;
}

/*
 * Opens a stream whose output goes to target, which is borrowed. Every few megabytes of output are enclosed in
 * before and after, which are borrowed until the stream is closed; closing it completes the last part and leaves
 * the target open. Returns NULL with errno set if that failed.
 */
static FILE *base64_stream_open(FILE *target, const char *before, const char *after)
{
	const cookie_io_functions_t functions = {.write = write_encoded, .close = close_encoded};
	encoder *state = calloc(1, sizeof(*state));
	FILE *stream;

	if (state == NULL)
		return NULL;
	state->target = target;
	state->before = before;
	state->after = after;
	stream = fopencookie(state, "w", functions);
	if (stream == NULL)
		free(state);
	return stream;
}

#define BUFFER_SIZE 65536

#define PAGE_NAME "explore.html"

/* The page has this where the log is inserted. */
static const char log_mark[] = "<!--LOG-->";

/* The page of a program that was built and not installed. The caller frees it; NULL if it cannot be determined. */
static char *built_page(void)
{
	char *program = realpath("/proc/self/exe", NULL);
	char *path = NULL;
	char *last;

	if (program == NULL)
		return NULL;
	/* The program is mprof/mprof, or mprof/.libs/mprof if libtool made a script that starts it. */
	last = strrchr(program, '/');
	*last = '\0';
	last = strrchr(program, '/');
	if (last != NULL && strcmp(last, "/.libs") == 0) {
		*last = '\0';
		last = strrchr(program, '/');
	}
	if (last != NULL) {
		*last = '\0';
		if (asprintf(&path, "%s/explore/" PAGE_NAME, program) < 0)
			path = NULL;
	}
	free(program);
	return path;
}

static FILE *open_page(void)
{
	char *path = built_page();
	FILE *file = path != NULL ? fopen(path, "re") : NULL;

	free(path);
	return file != NULL ? file : fopen(MPROF_PKGDATADIR "/" PAGE_NAME, "re");
}

static int read_all(explore_page *page, FILE *file)
{
	size_t capacity = 0;
	size_t length;

	do {
		char *grown;

		capacity = page->length + BUFFER_SIZE + 1;
		grown = realloc(page->text, capacity);
		if (grown == NULL)
			return 0;
		page->text = grown;
		length = fread(page->text + page->length, 1, BUFFER_SIZE, file);
		page->length += length;
	} while (length > 0);
	page->text[page->length] = '\0';
	return !ferror(file);
}

static void explore_page_release(explore_page *page)
{
	free(page->text);
	memset(page, 0, sizeof(*page));
}

/* Returns 0 after a message that states what is missing. */
static int explore_page_read(explore_page *page)
{
	FILE *file;
	const char *mark;
	int is_read;

	memset(page, 0, sizeof(*page));
	file = open_page();
	if (file == NULL) {
		fputs("mprof: explore: cannot open " MPROF_PKGDATADIR "/" PAGE_NAME
		      ": the page is built if clang, lld, wasi-libc and libclang-rt-14-dev-wasm32 are installed when "
		      "this "
		      "tool is configured\n",
		      stderr);
		return 0;
	}
	is_read = read_all(page, file);
	fclose(file);
	mark = is_read ? strstr(page->text, log_mark) : NULL;
	if (mark == NULL) {
		fputs("mprof: explore: cannot read " PAGE_NAME ": it is incomplete, or out of memory\n", stderr);
		explore_page_release(page);
		return 0;
	}
	page->log_offset = (size_t)(mark - page->text);
	return 1;
}

/* Copies the rest of a file. Returns NULL, or a message if reading failed. */
static const char *copy_file(FILE *from, FILE *to)
{
	static char buffer[BUFFER_SIZE];
	size_t length;

	do {
		length = fread(buffer, 1, sizeof(buffer), from);
	} while (length > 0 && fwrite(buffer, 1, length, to) == length);
	return ferror(from) ? strerror(errno) : NULL;
}

static int is_compressed(FILE *log)
{
	unsigned char start[2];
	size_t length = fread(start, 1, sizeof(start), log);

	rewind(log);
	return length == sizeof(start) && start[0] == 0x1f && start[1] == 0x8b;
}

/* Writes a log to a stream, compressed with gzip. */
static const char *write_log(FILE *log, FILE *encoded)
{
	FILE *compressor;
	const char *problem;

	if (is_compressed(log) || !gzip_stream_is_supported())
		return copy_file(log, encoded);
	compressor = gzip_stream_open(encoded, NULL);
	if (compressor == NULL)
		return strerror(errno);
	setvbuf(compressor, NULL, _IOFBF, BUFFER_SIZE);
	problem = copy_file(log, compressor);
	/* An error of the stream below is reported when that is closed. */
	fclose(compressor);
	return problem;
}

/* Writes a text as base64 in the attribute of the log's elements. The caller frees it; NULL if out of memory. */
static char *make_start(const char *name)
{
	char *start = NULL;
	size_t size = 0;
	FILE *text = open_memstream(&start, &size);
	FILE *encoded;

	if (text == NULL)
		return NULL;
	fputs("<script type=\"application/octet-stream\" class=\"log\" data-name=\"", text);
	encoded = base64_stream_open(text, "", "");
	if (encoded != NULL) {
		fputs(name, encoded);
		fclose(encoded);
	}
	fputs("\">", text);
	if (text_of_stream(text, &start) != NULL && encoded != NULL)
		return start;
	free(start);
	return NULL;
}

static const char *write_parts(FILE *log, const char *start, FILE *output)
{
	FILE *encoded = base64_stream_open(output, start, "</script>\n");
	const char *problem;

	if (encoded == NULL)
		return strerror(errno);
	setvbuf(encoded, NULL, _IOFBF, BUFFER_SIZE);
	problem = write_log(log, encoded);
	fclose(encoded);
	return problem;
}

static const char *insert_log(const char *path, const char *name, FILE *output)
{
	FILE *log = fopen(path, "re");
	char *start;
	const char *problem;

	if (log == NULL)
		return strerror(errno);
	start = make_start(name);
	problem = start != NULL ? write_parts(log, start, output) : strerror(ENOMEM);
	free(start);
	fclose(log);
	return problem;
}

/*
 * Writes the page, with the log at path inside unless path is NULL. name is what the page shows as the name of the log.
 * Returns NULL, or a message; errors of the output are not reported.
 */
static const char *explore_page_write(const explore_page *page, const char *path, const char *name, FILE *output)
{
	size_t rest = page->log_offset + sizeof(log_mark) - 1;
	const char *problem = NULL;

	fwrite(page->text, 1, page->log_offset, output);
	if (path != NULL)
		problem = insert_log(path, name, output);
	fwrite(page->text + rest, 1, page->length - rest, output);
	return problem;
}

/*
 * The command.
 */

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
