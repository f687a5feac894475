/* SPDX-License-Identifier: MIT */
/* Opens logs, shows progress, and reads definitions. */
#include "common/input.h"

#include <mprof/profile.h>
#include <mprof/reader.h>

#include "common/arguments.h"
#include "common/names.h"
#include "common/output.h"
#include "shared/salvage.h"
#include "shared/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int is_reached(const struct timespec *now, const struct timespec *deadline)
{
	return now->tv_sec > deadline->tv_sec || (now->tv_sec == deadline->tv_sec && now->tv_nsec >= deadline->tv_nsec);
}

/* Starts to measure. name is borrowed. total: size of the file in bytes, 0 if unknown. */
static void progress_start(progress_line *progress, const char *name, uint64_t total)
{
	progress->name = name;
	progress->total = total;
	progress->done = 0;
	progress->is_wanted = isatty(STDERR_FILENO);
	progress->is_shown = 0;
	clock_gettime(CLOCK_MONOTONIC, &progress->next);
	progress->next.tv_sec++;
}

/* Reports that bytes more bytes were read. */
static void progress_add(progress_line *progress, uint64_t bytes)
{
	const long interval = 200000000;
	struct timespec now;

	progress->done += bytes;
	if (!progress->is_wanted)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!is_reached(&now, &progress->next))
		return;
	progress->next = now;
	progress->next.tv_nsec += interval;
	if (progress->next.tv_nsec >= 1000000000) {
		progress->next.tv_nsec -= 1000000000;
		progress->next.tv_sec++;
	}
	fputc('\r', stderr);
	text_begin_message(progress->name);
	if (progress->total > 0)
		fprintf(stderr, "%" PRIu64 " %% read\033[K", progress->done * 100 / progress->total);
	else
		fprintf(stderr, "%" PRIu64 " MB read\033[K", progress->done / 1000000);
	progress->is_shown = 1;
}

void progress_hide(progress_line *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = 0;
}

/* Maximum number of problems that are kept, and of those that are printed unless all are requested. */
#define MAX_PROBLEMS_KEPT 1000
#define MAX_PROBLEMS_PRINTED 10

static int read_source(void *user, void *bytes, size_t length, size_t *got)
{
	log_input *input = user;
	struct pollfd source = {input->fd, POLLIN, 0};
	ssize_t result;

	/* Reading from a pipe must not wait: the caller has other things to do meanwhile. */
	if (input->is_growing && !input->is_file && poll(&source, 1, 0) == 0) {
		*got = 0;
		return 0;
	}
	do {
		result = read(input->fd, bytes, length);
	} while (result < 0 && errno == EINTR);
	if (result < 0)
		return errno;
	*got = (size_t)result;
	if (result == 0 && !input->is_file)
		input->is_source_over = 1;
	progress_add(&input->progress, (uint64_t)result);
	return 0;
}

static int seek_source(void *user, uint64_t offset)
{
	log_input *input = user;

	if (lseek(input->fd, (off_t)offset, SEEK_SET) < 0)
		return errno;
	/* Skipped bytes count as read. */
	input->progress.done = offset;
	return 0;
}

/* Called on several threads. The log of a regular file starts at its beginning, see open_file(). */
static int read_source_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	const log_input *input = user;

	*got = 0;
	while (*got < length) {
		const ssize_t result = pread(input->fd, (char *)bytes + *got, length - *got, (off_t)(offset + *got));

		if (result == 0)
			break;
		if (result > 0)
			*got += (size_t)result;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

static void print_message(const log_input *input, const char *what)
{
	if (input->is_quiet)
		return;
	text_begin_message(input->name);
	fprintf(stderr, "%s\n", what);
}

static void print_problem(const log_input *input, const log_problem *problem, int32_t system_error)
{
	if (input->is_quiet)
		return;
	text_begin_message(input->name);
	fprintf(stderr, "offset %" PRIu64 ": %s", problem->offset, problem->what);
	if (system_error != 0)
		fprintf(stderr, ": %s", strerror(system_error));
	fputc('\n', stderr);
}

static void keep_problem(log_input *input, const log_problem *added)
{
	if (input->problem_count >= MAX_PROBLEMS_KEPT)
		return;
	if (input->problems == NULL)
		input->problems = calloc(MAX_PROBLEMS_KEPT, sizeof(*input->problems));
	if (input->problems == NULL)
		output_out_of_memory();
	else
		input->problems[input->problem_count] = *added;
}

/* Whether the error is damage of the log, not a failure of this machine or a limit. */
static int is_of_log(uint32_t status)
{
	return status != MPROF_ERR_MEMORY && status != MPROF_ERR_IO && status != MPROF_ERR_LIMIT;
}

static void note_failure(log_input *input, uint32_t status)
{
	if ((status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO) && input->failure == MPROF_OK)
		input->failure = (mprof_status)status;
}

static void add_problem(log_input *input, const log_problem *added, int32_t system_error)
{
	if (input->is_again)
		return;
	note_failure(input, added->status);
	if (is_of_log(added->status) && added->offset < input->first_fault)
		input->first_fault = added->offset;
	progress_hide(&input->progress);
	if (input->lists_all || input->problem_count < MAX_PROBLEMS_PRINTED)
		print_problem(input, added, system_error);
	else if (input->problem_count == MAX_PROBLEMS_PRINTED)
		print_message(input, "there is more damage; 'mprof check' lists all");
	keep_problem(input, added);
	input->problem_count++;
	if (input->status == STATUS_OK)
		input->status = STATUS_DAMAGED;
}

size_t input_kept_problems(const log_input *input)
{
	if (input->problems == NULL)
		return 0;
	return input->problem_count < MAX_PROBLEMS_KEPT ? input->problem_count : MAX_PROBLEMS_KEPT;
}

mprof_status input_failure(const log_input *input)
{
	return input->failure;
}

int input_check_again(const log_input *input)
{
	if (input->failure == MPROF_OK)
		return STATUS_OK;
	text_begin_message(input->name);
	fprintf(stderr, "the log could not be read once more: %s\n", mprof_status_get_text(input->failure));
	return STATUS_NOTHING;
}

static mprof_error reader_error(const log_input *input)
{
	mprof_error error;

	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	mprof_reader_get_error(input->reader, &error);
	return error;
}

static log_problem make_problem(uint64_t offset, uint32_t status, const char *what)
{
	log_problem created = {offset, status, ""};

	snprintf(created.what, sizeof(created.what), "%s", what);
	return created;
}

/*
 * Converts an error of the reader to a problem, at the most useful offset. A block that is truncated, or whose checksum
 * does not match, is reported at its start: the damage is somewhere in it, and the reader detects it only at its end.
 */
static log_problem problem_of(log_input *input, const mprof_error *error)
{
	log_problem found = make_problem(error->offset, error->status, error->what);

	if (error->offset < input->begun)
		return found;
	if (error->status == MPROF_ERR_CHECKSUM) {
		found.offset = input->begun;
		snprintf(found.what, sizeof(found.what), "the block that starts here does not match its checksum");
	} else if (error->status == MPROF_ERR_TRUNCATED && error->offset > input->begun) {
		found.offset = input->begun;
		snprintf(found.what, sizeof(found.what),
			 "the block that starts here is truncated: the log ends at byte %" PRIu64, error->offset);
		input->reached = error->offset;
	}
	return found;
}

static int refuse_log(const log_input *input, const char *why)
{
	print_message(input, why);
	return 0;
}

/* Opens the file. Returns 0 after a message. */
static int open_file(log_input *input, const char *path)
{
	struct stat status;

	input->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (input->fd < 0 || fstat(input->fd, &status) != 0)
		return refuse_log(input, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return refuse_log(input, strerror(EISDIR));
	/* Standard input may be a file at any position; the log starts there. */
	if (S_ISREG(status.st_mode) && lseek(input->fd, 0, SEEK_CUR) == 0) {
		input->is_file = 1;
		input->file_size = (uint64_t)status.st_size;
	}
	return 1;
}

static void init_input(log_input *input, const char *path)
{
	memset(input, 0, sizeof(*input));
	input->name = path;
	input->fd = -1;
	input->first_fault = UINT64_MAX;
}

/*
 * Reports why the log could not be opened. Returns 1 if it can be read nevertheless: only its INTRO block is damaged.
 */
static int explain_open(log_input *input, mprof_status status)
{
	mprof_error error;
	log_problem found;

	progress_hide(&input->progress);
	note_failure(input, status);
	if (input->reader == NULL)
		return refuse_log(input, mprof_status_get_text(status));
	error = reader_error(input);
	if (error.severity == MPROF_SEVERITY_BLOCK) {
		input_fetch_failed(input);
		return 1;
	}
	found = make_problem(error.offset, error.status, error.what);
	print_problem(input, &found, error.system_error);
	return 0;
}

/* Returns whether there is a readable log. */
static int open_log(log_input *input, const char *path, uint64_t wanted)
{
	mprof_reader_options options;
	mprof_source source = {sizeof(mprof_source), read_source, NULL, NULL, input, NULL};
	mprof_status status;

	if (!open_file(input, path))
		return 0;
	if (input->is_file) {
		source.seek = seek_source;
		source.read_at = read_source_at;
	}
	progress_start(&input->progress, path, input->file_size);
	if (input->is_growing)
		input->progress.is_wanted = 0;
	mprof_reader_options_init(&options, sizeof(options));
	for (uint32_t kind = 0; kind < 64; kind++) {
		if ((wanted & MPROF_BLOCK_BIT(kind)) != 0)
			mprof_number_set_add(&options.wanted, kind);
	}
	/* Commands show and count events as they are in the log; the profile resolves implicit leaves itself. */
	options.keep_implicit_leaves = 1;
	options.follow = (uint32_t)input->is_growing;
	options.threads = arguments_threads();
	status = mprof_reader_open_source(&source, &options, &input->reader);
	if (status != MPROF_OK && status != MPROF_AGAIN && !explain_open(input, status))
		return 0;
	input->names = names_create(input->reader);
	return input->names != NULL || refuse_log(input, mprof_status_get_text(MPROF_ERR_MEMORY));
}

static int open_prepared(log_input *input, const char *path, uint64_t wanted)
{
	if (open_log(input, path, wanted))
		return STATUS_OK;
	input->status = STATUS_NOTHING;
	return STATUS_NOTHING;
}

/*
 * Of a log without its end, which may be that of a program that was killed, or one that is still written. A salvage
 * file beside a complete log is not needed any more.
 */
static void mention_salvage_file(log_input *input)
{
	char salvage[SALVAGE_PATH_MAX];

	if (!input->may_be_salvaged || !input->is_file || strcmp(input->name, "-") == 0 ||
	    !salvage_path_of(input->name, salvage) || access(salvage, F_OK) != 0)
		return;
	input->may_be_salvaged = 0;
	progress_hide(&input->progress);
	fprintf(stderr,
		"mprof: %s: there is a salvage file: if the program was killed, 'mprof recover %s' completes the log\n",
		input->name, input->name);
}

int input_open(log_input *input, const char *path, uint64_t wanted)
{
	init_input(input, path);
	input->may_be_salvaged = 1;
	if (open_prepared(input, path, wanted) != STATUS_OK)
		mention_salvage_file(input);
	return input->status == STATUS_NOTHING ? STATUS_NOTHING : STATUS_OK;
}

int input_open_again(log_input *input, const char *path, uint64_t wanted)
{
	init_input(input, path);
	return open_prepared(input, path, wanted);
}

int input_open_part(log_input *input, const char *path, uint64_t wanted)
{
	init_input(input, path);
	input->is_quiet = 1;
	return open_prepared(input, path, wanted);
}

int input_open_quietly(log_input *input, const char *path)
{
	return input_open_part(input, path, 0);
}

int input_open_growing(log_input *input, const char *path)
{
	init_input(input, path);
	input->is_growing = 1;
	return open_prepared(input, path, 0);
}

void input_close(log_input *input)
{
	progress_hide(&input->progress);
	names_destroy(input->names);
	mprof_reader_destroy(input->reader);
	free(input->problems);
	if (input->fd > STDIN_FILENO)
		close(input->fd);
}

void input_problem(log_input *input, uint64_t offset, mprof_status status, const char *what)
{
	log_problem copy = make_problem(offset, status, what);

	add_problem(input, &copy, 0);
}

void input_failed(log_input *input, uint64_t offset, mprof_status status, const char *what)
{
	input_problem(input, offset, status, what);
	input->is_over = 1;
}

static void add_error(log_input *input, const mprof_error *error)
{
	log_problem copy = problem_of(input, error);

	if (error->status == MPROF_ERR_TRUNCATED)
		mention_salvage_file(input);
	add_problem(input, &copy, error->system_error);
	if (error->severity != MPROF_SEVERITY_BLOCK)
		input->is_over = 1;
	/* A log in an unsupported form is not just incomplete: nothing of it can be read. */
	if (error->severity == MPROF_SEVERITY_FATAL && error->status == MPROF_ERR_UNSUPPORTED)
		input->status = STATUS_NOTHING;
}

void input_fetch_failed(log_input *input)
{
	mprof_error error = reader_error(input);

	add_error(input, &error);
}

void input_damage(void *user, const mprof_error *error)
{
	log_input *input = user;

	input->begun = error->block_offset;
	add_error(input, error);
}

int input_is_being_written(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int is_locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_locked;
}

/* The log ended between two blocks: checks whether it was closed. */
static void check_end(log_input *input)
{
	mprof_session session;

	input->is_over = 1;
	session.struct_size = sizeof(session);
	mprof_reader_get_session(input->reader, &session);
	if (!session.complete)
		mention_salvage_file(input);
	if (!session.complete && input->problem_count == 0)
		input_failed(input, session.valid_bytes, MPROF_ERR_TRUNCATED,
			     input_is_being_written(input->name)
				     ? "still being recorded: what follows is not in the log yet"
				     : "incomplete: the log ends without an END block");
}

/* The dialect of the log, an mprof_dialect. */
static uint32_t input_dialect(const log_input *input)
{
	mprof_session session = {.struct_size = sizeof(session)};

	mprof_reader_get_session(input->reader, &session);
	return session.dialect;
}

int input_block_has_events(const mprof_block *block)
{
	const uint64_t kinds = MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES) | MPROF_BLOCK_BIT(MPROF_BLOCK_TYPED) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA);

	return (MPROF_BLOCK_BIT(block->kind) & kinds) != 0;
}

int input_block_has_records(const mprof_block *block)
{
	const uint64_t kinds = MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) | MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_SUMMARY) | MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) | MPROF_BLOCK_BIT(MPROF_BLOCK_TYPES) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_TEXTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCKS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES) | MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCK_PAIRS) | MPROF_BLOCK_BIT(MPROF_BLOCK_POSITIONS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_REFERENCE_NAMES) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE_RANGES) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_REACHABILITY);

	return (MPROF_BLOCK_BIT(block->kind) & kinds) != 0;
}

/*
 * Whether the block is truncated or damaged at its end: events before the error can still be fetched, and then the
 * fetch fails with the same error.
 */
static int lacks_end(const mprof_block *block, mprof_status status)
{
	if (status == MPROF_ERR_MALFORMED)
		return block->loaded && block->kind == MPROF_BLOCK_EVENTS;
	return status == MPROF_ERR_TRUNCATED && block->loaded && input_block_has_events(block);
}

int input_next_block(log_input *input, mprof_block *block)
{
	while (!input->is_over) {
		mprof_status status;

		memset(block, 0, sizeof(*block));
		mprof_block_init(block, sizeof(*block));
		status = mprof_reader_next_block(input->reader, block);
		if (status == MPROF_AGAIN)
			break;
		if (status == MPROF_END) {
			check_end(input);
			break;
		}
		/*
		 * If the header of a block is truncated, it begins where the previous block ends.
		 */
		input->begun = block->header_length > 0 ? block->offset : input->reached;
		if (block->offset + block->header_length + block->length > input->reached)
			input->reached = block->offset + block->header_length + block->length;
		if (status == MPROF_OK || lacks_end(block, status))
			return 1;
		input_fetch_failed(input);
		/*
		 * Only a definition in the block is invalid: defined before, or out of sequence. The content of the
		 * block is available.
		 */
		if (block->loaded && !input->is_over)
			return 1;
	}
	/* Clears the progress line before the command prints its results. */
	progress_hide(&input->progress);
	return 0;
}

int input_begin_again(log_input *input)
{
	if (!input->is_file || input->is_growing || input->is_again || !mprof_reader_has_late_code(input->reader) ||
	    mprof_reader_seek(input->reader, 0) != MPROF_OK)
		return 0;
	input->is_over = 0;
	input->is_again = 1;
	return 1;
}

void input_learn_code(log_input *input, const mprof_reader *other)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status;
	mprof_block block;
	mprof_query query;

	if (!input->is_file || mprof_reader_get_record_count(other, MPROF_RECORD_CODE_RANGE) == 0)
		return;
	mprof_query_init(&query, sizeof(query));
	mprof_number_set_add(&query.kinds, MPROF_BLOCK_CODE_RANGES);
	if (mprof_reader_select(input->reader, &query) != MPROF_OK)
		return;
	mprof_block_init(&block, sizeof(block));
	do {
		status = mprof_reader_next_block(input->reader, &block);
		if (status > MPROF_END)
			mprof_reader_get_error(input->reader, &error);
		/* Damage is reported when the log is read. */
	} while (status == MPROF_OK || (status > MPROF_END && error.severity == MPROF_SEVERITY_BLOCK));
	/* Should they fail, the next block cannot be read, which is reported. */
	if (mprof_reader_select(input->reader, NULL) != MPROF_OK || mprof_reader_seek(input->reader, 0) != MPROF_OK)
		input->is_over = 1;
}

int definitions_next(definition_progress *progress, const log_input *input, mprof_record *record)
{
	static const mprof_record_kind kinds[] = {MPROF_RECORD_MODULE, MPROF_RECORD_FUNCTION, MPROF_RECORD_LOCATION,
						  MPROF_RECORD_STACK};
	mprof_dialect_info dialect = {.struct_size = sizeof(dialect)};

	/* If blocks of the dialect contain these definitions, they are printed with the blocks. */
	if (mprof_dialect_get_info(input_dialect(input), &dialect) == MPROF_OK &&
	    mprof_number_set_has(&dialect.blocks, MPROF_BLOCK_STACKS))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t *taken = &progress->taken[kinds[i]];

		while (*taken < mprof_reader_get_record_count(input->reader, kinds[i])) {
			++*taken;
			if (mprof_reader_lookup_record(input->reader, kinds[i], (uint32_t)*taken, record,
						       sizeof(*record)) == MPROF_OK)
				return 1;
		}
	}
	return 0;
}

void definitions_skip_listed(definition_progress *progress, const log_input *input)
{
	progress->taken[MPROF_RECORD_MODULE] = mprof_reader_get_record_count(input->reader, MPROF_RECORD_MODULE);
	progress->taken[MPROF_RECORD_FUNCTION] = mprof_reader_get_record_count(input->reader, MPROF_RECORD_FUNCTION);
}

/*
 * Feeds the blocks of a log to a profile.
 */

/* Reports an error, either of the reader, which then has its offset, or of the profile itself. */
static void report_error(log_input *input, const mprof_block *block, mprof_status status)
{
	mprof_error error;

	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	mprof_reader_get_error(input->reader, &error);
	if (error.status == status && status != MPROF_ERR_MEMORY)
		input_fetch_failed(input);
	else
		input_failed(input, block->offset, status, mprof_status_get_text(status));
}

void profile_input_add(log_input *input, mprof_profile *profile, const mprof_block *block)
{
	mprof_status status = mprof_profile_add_block(profile, input->reader, block);

	if (status != MPROF_OK)
		report_error(input, block, status);
}

void profile_input_finish(log_input *input, mprof_profile *profile, const mprof_block *block)
{
	mprof_status status = mprof_profile_finish(profile, input->reader);
	mprof_profile_totals totals;

	if (status != MPROF_OK) {
		report_error(input, block, status);
		return;
	}
	totals.struct_size = sizeof(totals);
	mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &totals);
	if (totals.left_out > 0)
		input_failed(input, block->offset, MPROF_ERR_LIMIT,
			     "the profile exceeds its memory limit: statistics are incomplete");
	else if (totals.limited)
		input_failed(input, block->offset, MPROF_ERR_LIMIT,
			     "the profile exceeds its memory limit: call paths and call sites are incomplete");
}

/*
 * Copies standard input to a temporary file.
 */

#define BUFFER_SIZE 65536

/* Returns 0 with errno set if reading or writing failed. */
static int copy_standard_input(FILE *file)
{
	static char buffer[BUFFER_SIZE];
	ssize_t length;

	do {
		length = read(STDIN_FILENO, buffer, sizeof(buffer));
		if (length > 0 && fwrite(buffer, 1, (size_t)length, file) != (size_t)length)
			return 0;
	} while (length > 0 || (length < 0 && errno == EINTR));
	return length == 0 && fflush(file) == 0;
}

const char *spooled_path(const char *path)
{
	struct stat stats;
	FILE *file;
	int is_copied;

	if (strcmp(path, "-") != 0)
		return path;
	if (fstat(STDIN_FILENO, &stats) == 0 && S_ISREG(stats.st_mode))
		return "/dev/stdin";
	file = tmpfile();
	is_copied = file != NULL && copy_standard_input(file) && dup2(fileno(file), STDIN_FILENO) >= 0;
	if (!is_copied)
		fprintf(stderr, "mprof: -: cannot copy standard input to a temporary file: %s\n", strerror(errno));
	if (file != NULL)
		fclose(file);
	return is_copied ? "/dev/stdin" : NULL;
}
