/* SPDX-License-Identifier: MIT */
/*
 * Recovers logs from changed salvage files, and beside changed logs. The checksums of most changes are corrected, so
 * that recovery reads on. It must end, without a fault of memory; whatever it refuses, it must not have changed.
 * MPROF_FUZZ_FACTOR has that many times as many inputs made, and MPROF_FUZZ_SEED other ones.
 */
#include "recorder/recover_fixture.h"

#include "base/checksum.h"
#include "recorder/queues/salvage.h"

#include "fuzz_logs.h"
#include "fuzz_mutate.h"

enum { INPUTS = 120, STATUS_DAMAGED_LOG = 60, STATUS_CHANGED = 61, MAX_SECONDS = 120 };

/* The salvage file in memory as recovery maps it. */
static salvage_area area_of(const content *salvage)
{
	salvage_area area = {.base = salvage->bytes, .capacity = (uint64_t)salvage->size};

	area.first = (offsetof(salvage_root, header) + sizeof(salvage_header) + SALVAGE_ALIGNMENT - 1) &
		     ~(uint64_t)(SALVAGE_ALIGNMENT - 1);
	return area;
}

/* Changes a word of something, or a byte. */
static void change_within(void *memory, size_t length)
{
	uint8_t *bytes = memory;
	const uint64_t number = fuzz_random_number();
	const size_t width = fuzz_random_below(2) ? 8 : 4;
	size_t offset = (size_t)fuzz_random_below(length);

	if (fuzz_random_below(4) == 0 || length < 8) {
		bytes[offset] ^= (uint8_t)(1 << fuzz_random_below(8));
		return;
	}
	offset = offset / width * width;
	memcpy(bytes + offset, &number, offset + width <= length ? width : length - offset);
}

/* A piece of a kind, or of any for 0; NULL if there is none. */
static salvage_piece *choose_piece(const salvage_area *area, uint32_t kind)
{
	salvage_piece *chosen = NULL;
	salvage_piece *piece = NULL;
	uint64_t count = 0;

	while ((piece = salvage_area_next(area, piece)) != NULL) {
		if ((kind == 0 || piece->kind == kind) && fuzz_random_below(++count) == 0)
			chosen = piece;
	}
	return chosen;
}

static void seal_progress(salvage_header *header)
{
	salvage_progress *progress = &header->progress[atomic_load(&header->current) & 1];

	progress->checksum = salvage_progress_checksum(progress);
}

/* Changes the journal, with its checksums. */
static void change_journal(const salvage_area *area, salvage_header *header)
{
	salvage_piece *piece = choose_piece(area, SALVAGE_JOURNAL);
	salvage_progress *progress = &header->progress[atomic_load(&header->current) & 1];
	journal_chunk *chunk;
	uint64_t length;

	if (piece == NULL)
		return;
	chunk = (journal_chunk *)(void *)piece->content;
	length = chunk->number == progress->journal.chunk ? progress->journal.length : chunk->length;
	if (length == 0 || length > salvage_piece_room(piece) - sizeof(*chunk))
		return;
	change_within(chunk->entries, (size_t)length);
	chunk->checksum = checksum_update(0, chunk->entries, (size_t)length);
	progress->journal.checksum = chunk->checksum;
	seal_progress(header);
}

static void change_piece(const salvage_area *area)
{
	salvage_piece *piece = choose_piece(area, (uint32_t)fuzz_random_below(SALVAGE_TAIL + 1));

	if (piece == NULL)
		return;
	/* Most of a piece is in front. */
	change_within(piece->content, fuzz_random_below(2) ? 64 : (size_t)salvage_piece_room(piece));
}

static void change_salvage(content *salvage)
{
	salvage_area area = area_of(salvage);
	salvage_header *header = salvage_area_header(&area);
	const int is_sealed = fuzz_random_below(8) != 0;

	for (uint64_t changes = 1 + fuzz_random_below(3); changes > 0; changes--) {
		switch (fuzz_random_below(6)) {
		case 0:
			change_within(header, offsetof(salvage_header, log_path));
			break;
		case 1:
			change_within(&header->progress[atomic_load(&header->current) & 1], sizeof(salvage_progress));
			break;
		case 2:
			change_journal(&area, header);
			break;
		case 3:
			change_within(salvage->bytes, salvage->length);
			break;
		default:
			change_piece(&area);
		}
		memcpy(header->magic, SALVAGE_MAGIC, sizeof(header->magic));
		header->layout = salvage_layout();
	}
	if (is_sealed) {
		header->checksum = salvage_header_checksum(header);
		seal_progress(header);
	}
}

/* In a process of its own, so that the next input is tried after a fault. */
static void recover_in_child(const content *log, const content *salvage)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0) {
		mprof_error error = {.struct_size = sizeof(error)};
		mprof_status recovered;

		alarm(MAX_SECONDS);
		recovered = mprof_recorder_recover(SALVAGE, NULL, NULL, &error);
		if (recovered == MPROF_OK)
			_exit(access(LOG, F_OK) == 0 ? 0 : STATUS_DAMAGED_LOG);
		/* These are found before anything is written; other errors may come from writing. */
		if (recovered != MPROF_ERR_MALFORMED && recovered != MPROF_ERR_NOT_MPROF &&
		    recovered != MPROF_ERR_TRUNCATED)
			_exit(0);
		if (is_unchanged(LOG, log) && is_unchanged(SALVAGE, salvage))
			_exit(0);
		fprintf(stderr, "fuzz_recover: changed although refused: %s\n", error.what);
		_exit(STATUS_CHANGED);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	fprintf(stderr, "fuzz_recover: recovery ended with %#x; the files are kept\n", (unsigned int)status);
	abort();
}

/* Makes the files; the salvage file is followed by its hole, as in a mapping. */
static void make_mapped_files(log_form form, content *log, content *salvage)
{
	unsigned char *mapped;

	make_files(form, log, salvage);
	mapped = calloc(1, (size_t)salvage->size);
	CHECK(mapped != NULL);
	memcpy(mapped, salvage->bytes, salvage->length);
	free(salvage->bytes);
	salvage->bytes = mapped;
}

/* Restores the bytes of the salvage file, of which only the first few MiB are used. */
static void restore(content *salvage, const unsigned char *whole, size_t used)
{
	memcpy(salvage->bytes, whole, used);
	salvage->length = used;
}

/* As read_content() returns it. */
static void leave_out_zeros(content *file)
{
	while (file->length > 0 && file->bytes[file->length - 1] == 0)
		file->length--;
}

static void fuzz_input(const content *log, content *salvage, int changes_log)
{
	content changed = {NULL, 0, 0};

	change_salvage(salvage);
	leave_out_zeros(salvage);
	write_content(SALVAGE, salvage);
	unlink(LOG);
	if (log->bytes != NULL) {
		changed = *log;
		changed.bytes = malloc(log->length + 1);
		CHECK(changed.bytes != NULL);
		memcpy(changed.bytes, log->bytes, log->length);
		if (changes_log) {
			changed.length = fuzz_damage(changed.bytes, log->length);
			changed.size = (off_t)changed.length;
		}
		leave_out_zeros(&changed);
		write_content(LOG, &changed);
	}
	recover_in_child(&changed, salvage);
	free(changed.bytes);
}

static void fuzz_form(log_form form, int inputs)
{
	content log;
	content salvage;
	unsigned char *whole;
	size_t used;

	make_mapped_files(form, &log, &salvage);
	used = salvage.length;
	whole = malloc(used);
	CHECK(whole != NULL);
	memcpy(whole, salvage.bytes, used);
	for (int i = 0; i < inputs; i++) {
		restore(&salvage, whole, used);
		fuzz_input(&log, &salvage, i % 7 == 0);
	}
	free(whole);
	release(&log, &salvage);
}

int main(void)
{
	char directory[] = "mprof-fuzz-recover-XXXXXX";
	int inputs = INPUTS;

	if (getenv("MPROF_SANITIZED") != NULL)
		inputs = INPUTS / 3;
	if (getenv("MPROF_FUZZ_FACTOR") != NULL)
		inputs *= atoi(getenv("MPROF_FUZZ_FACTOR"));
	if (getenv("MPROF_FUZZ_SEED") != NULL)
		fuzz_random_seed(strtoull(getenv("MPROF_FUZZ_SEED"), NULL, 10));
	CHECK(mkdtemp(directory) != NULL && chdir(directory) == 0);
	for (int form = 0; form < FORMS; form++)
		fuzz_form((log_form)form, inputs);
	unlink(LOG);
	unlink(SALVAGE);
	CHECK(chdir("..") == 0 && rmdir(directory) == 0);
	printf("%d inputs\n", FORMS * inputs);
	return 0;
}
