/* SPDX-License-Identifier: MIT */
/* Writes the page that opens logs, with a log inside. */
#include "explore/page.h"

#include "explore/base64_stream.h"
#include "export/gzip_stream.h"
#include "shared/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE 65536

#define PAGE_NAME "explore.html"

/* The page has this where the log is inserted. */
static const char log_mark[] = "<!--LOG-->";

/* The page of a program that was built and not installed. The caller frees it; NULL if it cannot be determined. */
static char *built_page(void)
{
	char *own = realpath("/proc/self/exe", NULL);
	char *path = NULL;
	char *last;

	if (own == NULL)
		return NULL;
	/* The program is mprof/mprof, or mprof/.libs/mprof if libtool made a script that starts it. */
	last = strrchr(own, '/');
	*last = '\0';
	last = strrchr(own, '/');
	if (last != NULL && strcmp(last, "/.libs") == 0) {
		*last = '\0';
		last = strrchr(own, '/');
	}
	if (last != NULL) {
		*last = '\0';
		if (asprintf(&path, "%s/explore/" PAGE_NAME, own) < 0)
			path = NULL;
	}
	free(own);
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

int explore_page_read(explore_page *page)
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

void explore_page_release(explore_page *page)
{
	free(page->text);
	memset(page, 0, sizeof(*page));
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

const char *explore_page_write(const explore_page *page, const char *path, const char *name, FILE *output)
{
	size_t rest = page->log_offset + sizeof(log_mark) - 1;
	const char *problem = NULL;

	fwrite(page->text, 1, page->log_offset, output);
	if (path != NULL)
		problem = insert_log(path, name, output);
	fwrite(page->text + rest, 1, page->length - rest, output);
	return problem;
}
