/* SPDX-License-Identifier: MIT */
/* The page of mprof explore: finds it, and writes it with a log inside, or with the request to fetch one. */
#include "explore/page.h"

#include "common/demangle.h"
#include "export/export_file.h"
#include "shared/text.h"
#include "symbolize/native_lines.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Readable names: those that native functions of a log have in their sources; the page contains no demangler.
 */

/* Definitions that are fetched at once. */
#define BATCH 64

void readable_names_begin(readable_names *names)
{
	memset(names, 0, sizeof(*names));
	names->stream = open_memstream(&names->text, &names->length);
}

/* Control characters would end the name or the line; no symbol contains them. */
static int is_one_line(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ')
			return 0;
	return 1;
}

static void add_symbol(readable_names *names, const char *symbol)
{
	const char *shown = symbol != NULL ? demangle_shown(symbol) : NULL;

	if (shown != symbol && is_one_line(symbol) && is_one_line(shown))
		fprintf(names->stream, "%s\t%s\n", symbol, shown);
}

static void add_record(readable_names *names, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_FUNCTION)
		add_symbol(names, record->as.function.name);
}

/* Damage ends the definitions of the block: it is reported where the log is checked. */
static void add_records(readable_names *names, mprof_reader *reader)
{
	static mprof_record records[BATCH];
	size_t count = 0;

	while (mprof_reader_next_records(reader, records, sizeof(records[0]), BATCH, &count) == MPROF_OK)
		for (size_t i = 0; i < count; i++)
			add_record(names, &records[i]);
}

static void add_mappings(readable_names *names, mprof_reader *reader)
{
	static mprof_mapping mappings[BATCH];
	size_t count = 0;

	while (mprof_reader_next_mappings(reader, mappings, sizeof(mappings[0]), BATCH, &count) == MPROF_OK)
		for (size_t i = 0; i < count; i++)
			add_symbol(names, mappings[i].name);
}

void readable_names_add(readable_names *names, const log_input *input, const mprof_block *block)
{
	static mprof_record record;

	if (names->stream == NULL)
		return;
	if (input_block_has_records(block))
		add_records(names, input->reader);
	else if (block->kind == MPROF_BLOCK_MAPPING)
		add_mappings(names, input->reader);
	while (definitions_next(&names->progress, input, &record))
		add_record(names, &record);
}

/* The functions at a location, as text of one line. */
static void add_frames(FILE *stream, char kind, uint32_t location, const native_frame *frames, size_t count)
{
	fprintf(stream, "%c%u", kind, location);
	for (size_t i = 0; i < count; i++) {
		const char *name = frames[i].name != NULL && is_one_line(frames[i].name) ? frames[i].name : "";
		const char *file = frames[i].file != NULL && is_one_line(frames[i].file) ? frames[i].file : "";

		fprintf(stream, "\t%s\t%u\t%s\t%d", name, frames[i].line, file, frames[i].is_inlined != 0);
	}
	fputc('\n', stream);
}

static int are_equal(const native_frame *frames, size_t count, const native_frame *others, size_t other_count)
{
	if (count != other_count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (frames[i].line != others[i].line || frames[i].name != others[i].name ||
		    frames[i].file != others[i].file)
			return 0;
	}
	return 1;
}

static void add_location(readable_names *names, native_lines *lines, uint32_t location)
{
	const native_frame *frames;
	const native_frame *innermost;
	size_t count = native_lines_find(lines, location, 1, &frames);
	size_t innermost_count = native_lines_find(lines, location, 0, &innermost);

	if (count > 0)
		add_frames(names->stream, '@', location, frames, count);
	if (innermost_count > 0 && !are_equal(frames, count, innermost, innermost_count))
		add_frames(names->stream, '=', location, innermost, innermost_count);
}

/* IDs are numbers from 1, few of which are not used. */
void readable_names_add_lines(readable_names *names, const mprof_reader *reader)
{
	const uint64_t count = mprof_reader_get_record_count(reader, MPROF_RECORD_LOCATION);
	native_lines *lines = names->stream != NULL && count > 0 ? native_lines_create(reader, 0) : NULL;
	mprof_record record;
	uint64_t found = 0;

	for (uint32_t id = 1; lines != NULL && found < count && id < 2 * count + 1000; id++) {
		if (mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, id, &record, sizeof(record)) != MPROF_OK)
			continue;
		add_location(names, lines, id);
		found++;
	}
	native_lines_destroy(lines);
}

char *readable_names_copy(readable_names *names, size_t *length)
{
	char *copy;

	/* The text is valid until the next write. */
	if (names->stream == NULL || fflush(names->stream) != 0)
		return NULL;
	copy = malloc(names->length + 1);
	if (copy != NULL) {
		memcpy(copy, names->text, names->length);
		*length = names->length;
	}
	return copy;
}

int readable_names_end(readable_names *names)
{
	if (names->stream == NULL)
		return 0;
	names->text = text_of_stream(names->stream, &names->text);
	names->stream = NULL;
	if (names->text == NULL)
		return 0;
	if (names->length == 0) {
		free(names->text);
		names->text = NULL;
	}
	return 1;
}

void readable_names_release(readable_names *names)
{
	if (names->stream != NULL)
		fclose(names->stream);
	free(names->text);
	memset(names, 0, sizeof(*names));
}

/*
 * The page.
 */

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

char *explore_page_find(void)
{
	char *path;

	errno = 0;
	path = built_page();
	if (path == NULL && errno == ENOMEM)
		return NULL;
	if (path != NULL && access(path, R_OK) == 0)
		return path;
	free(path);
	return access(MPROF_PKGDATADIR "/" PAGE_NAME, R_OK) == 0 ? strdup(MPROF_PKGDATADIR "/" PAGE_NAME) : NULL;
}

static FILE *open_page(void)
{
	char *path = explore_page_find();
	FILE *file = path != NULL ? fopen(path, "re") : NULL;

	free(path);
	return file;
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

void explore_page_release(explore_page *page)
{
	free(page->text);
	memset(page, 0, sizeof(*page));
}

int explore_page_read(explore_page *page)
{
	FILE *file;
	const char *mark;
	int is_read;

	memset(page, 0, sizeof(*page));
	file = open_page();
	if (file == NULL) {
		fputs("mprof: explore: cannot open " MPROF_PKGDATADIR "/" PAGE_NAME ": " EXPLORE_PAGE_ADVICE "\n",
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

/*
 * The start of an element with the name of the log as base64 in an attribute. class_name is what the page looks for.
 * The caller frees it; NULL if out of memory.
 */
static char *make_start(const char *class_name, const char *name)
{
	char *start = NULL;
	size_t size = 0;
	FILE *text = open_memstream(&start, &size);
	FILE *encoded;

	if (text == NULL)
		return NULL;
	fprintf(text, "<script type=\"application/octet-stream\" class=\"%s\" data-name=\"", class_name);
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

/* Encloses base64 in elements, as many as it takes: start begins each of them. */
static FILE *open_element(FILE *output, const char *start)
{
	FILE *encoded = base64_stream_open(output, start, "</script>\n");

	if (encoded != NULL)
		setvbuf(encoded, NULL, _IOFBF, BUFFER_SIZE);
	return encoded;
}

static const char *write_parts(FILE *log, const char *start, FILE *output)
{
	FILE *encoded = open_element(output, start);
	const char *problem;

	if (encoded == NULL)
		return strerror(errno);
	problem = write_log(log, encoded);
	fclose(encoded);
	return problem;
}

static const char *write_names(const char *names, FILE *output)
{
	static const char start[] = "<script type=\"application/octet-stream\" class=\"names\">";
	FILE *encoded = open_element(output, start);
	FILE *compressor = encoded != NULL && gzip_stream_is_supported() ? gzip_stream_open(encoded, NULL) : encoded;
	const char *problem = compressor != NULL ? NULL : strerror(errno);

	if (compressor != NULL)
		fputs(names, compressor);
	if (compressor != NULL && compressor != encoded)
		fclose(compressor);
	if (encoded != NULL)
		fclose(encoded);
	return problem;
}

static const char *insert_log(const explore_log *log, FILE *output)
{
	FILE *file = fopen(log->path, "re");
	char *start;
	const char *problem;

	if (file == NULL)
		return strerror(errno);
	start = make_start("log", log->name);
	problem = start != NULL ? write_parts(file, start, output) : strerror(ENOMEM);
	if (problem == NULL && log->readable_names != NULL)
		problem = write_names(log->readable_names, output);
	free(start);
	fclose(file);
	return problem;
}

const char *explore_page_write(const explore_page *page, const explore_log *log, FILE *output)
{
	size_t rest = page->log_offset + sizeof(log_mark) - 1;
	const char *problem = NULL;

	fwrite(page->text, 1, page->log_offset, output);
	if (log != NULL)
		problem = insert_log(log, output);
	fwrite(page->text + rest, 1, page->length - rest, output);
	return problem;
}

/* The policy of the page allows no connections; that of a served page, those to its own server. */
static const char policy_start[] = "content=\"default-src 'none'; ";
static const char served_policy[] = "connect-src 'self'; ";

char *explore_page_serve(const explore_page *page, const char *name, size_t *length)
{
	const char *policy = strstr(page->text, policy_start);
	size_t policy_end = policy != NULL ? (size_t)(policy - page->text) + sizeof(policy_start) - 1 : 0;
	size_t rest = page->log_offset + sizeof(log_mark) - 1;
	char *start = name != NULL ? make_start("served", name) : NULL;
	char *text = NULL;
	FILE *output = policy_end < page->log_offset ? open_memstream(&text, length) : NULL;

	if (output != NULL) {
		fwrite(page->text, 1, policy_end, output);
		fputs(policy_end > 0 ? served_policy : "", output);
		fwrite(page->text + policy_end, 1, page->log_offset - policy_end, output);
		if (start != NULL)
			fprintf(output, "%s</script>\n", start);
		fwrite(page->text + rest, 1, page->length - rest, output);
		text = text_of_stream(output, &text);
	}
	if (name != NULL && start == NULL) {
		free(text);
		text = NULL;
	}
	free(start);
	return text;
}
