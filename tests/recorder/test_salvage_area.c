/* SPDX-License-Identifier: MIT */
/* The memory that outlives a process: pieces are found by scanning, whatever state the process left them in. */
#include "recorder/salvage_area.h"
#include "recorder/salvage_journal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_SIZE 100
#define CAPACITY ((uint64_t)64 << 20)

static char path[64];

static void create(salvage_area *area)
{
	int fd;

	strcpy(path, "mprof-test-area-XXXXXX");
	fd = mkstemp(path);
	cr_assert(fd >= 0);
	close(fd);
	cr_assert_eq(salvage_area_create(area, path, HEADER_SIZE, CAPACITY), 0);
	cr_assert(salvage_area_exists(area));
}

/* Scans the file as another process would, and returns how many pieces of a kind there are. */
static unsigned count_pieces(salvage_kind kind)
{
	salvage_area found;
	salvage_piece *piece = NULL;
	unsigned count = 0;

	cr_assert_eq(salvage_area_open(&found, path, HEADER_SIZE), 0);
	while ((piece = salvage_area_next(&found, piece)) != NULL)
		count += piece->kind == (uint32_t)kind;
	salvage_area_close(&found);
	return count;
}

Test(salvage_area, pieces_are_found_by_another_process)
{
	salvage_area area;
	char *first;
	char *second;

	create(&area);
	memcpy(salvage_area_header(&area), "header", 7);
	first = salvage_area_reserve(&area, SALVAGE_BUFFER, 1000);
	second = salvage_area_reserve(&area, SALVAGE_SAMPLES, 1);
	cr_assert(first != NULL && second != NULL);
	cr_assert_eq((uintptr_t)first % SALVAGE_ALIGNMENT, 0);
	cr_assert_eq((uintptr_t)second % SALVAGE_ALIGNMENT, 0);
	cr_assert(salvage_piece_room(salvage_piece_of(first)) >= 1000);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 1);
	cr_assert_eq(count_pieces(SALVAGE_SAMPLES), 1);
	cr_assert_eq(count_pieces(SALVAGE_THREAD), 0);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_area, a_piece_that_was_being_taken_hides_no_later_one)
{
	salvage_area area;
	void *torn;

	create(&area);
	cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, 500) != NULL);
	torn = salvage_area_reserve(&area, SALVAGE_BUFFER, 5000);
	cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, 500) != NULL);
	/* As if the process had died before it stored the check. */
	atomic_store(&salvage_piece_of(torn)->check, 0);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 2);
	/* A size that cannot be: the check is of another one. */
	salvage_piece_of(torn)->size = UINT64_MAX / 2;
	atomic_store(&salvage_piece_of(torn)->check, 12345);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 2);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_area, recycled_pieces_change_their_kind)
{
	salvage_area area;
	void *message;
	void *block;

	create(&area);
	message = salvage_area_allocate(&area, SALVAGE_MESSAGE, 300);
	salvage_piece_publish(message);
	cr_assert_eq(atomic_load(&salvage_piece_of(message)->in_use), 1);
	salvage_area_recycle(&area, message);
	cr_assert_eq(atomic_load(&salvage_piece_of(message)->in_use), 0);
	block = salvage_area_allocate(&area, SALVAGE_RING_BLOCK, 310);
	cr_assert_eq(block, message);
	cr_assert_eq(atomic_load(&salvage_piece_of(block)->in_use), 0);
	cr_assert_eq(count_pieces(SALVAGE_MESSAGE), 0);
	cr_assert_eq(count_pieces(SALVAGE_RING_BLOCK), 1);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_area, sizes_fit_and_a_full_area_refuses)
{
	salvage_area area;
	size_t taken = 0;

	create(&area);
	for (size_t size = 1; size < 200000; size = size * 9 / 8 + 1) {
		void *memory = salvage_area_allocate(&area, SALVAGE_MESSAGE, size);

		cr_assert(memory != NULL && salvage_piece_room(salvage_piece_of(memory)) >= size);
		cr_assert(salvage_piece_room(salvage_piece_of(memory)) <= size + size / 4 + 512);
		salvage_area_recycle(&area, memory);
		cr_assert_eq(salvage_area_allocate(&area, SALVAGE_MESSAGE, size), memory);
	}
	cr_assert_null(salvage_area_reserve(&area, SALVAGE_BUFFER, SIZE_MAX));
	cr_assert_null(salvage_area_reserve(&area, SALVAGE_BUFFER, (size_t)CAPACITY));
	while (salvage_area_reserve(&area, SALVAGE_BUFFER, 1 << 20) != NULL)
		taken++;
	cr_assert(taken > 32 && taken < 64);
	cr_assert_null(salvage_area_allocate(&area, SALVAGE_MESSAGE, 1 << 20));
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_area, files_that_are_in_use_or_no_areas_are_refused)
{
	salvage_area area;
	salvage_area other;
	FILE *file;

	create(&area);
	cr_assert_eq(salvage_area_create(&other, path, HEADER_SIZE, CAPACITY), EBUSY);
	cr_assert(!salvage_area_exists(&other));
	salvage_area_close(&area);
	cr_assert_eq(truncate(path, 10), 0);
	cr_assert_eq(salvage_area_open(&other, path, HEADER_SIZE), EINVAL);
	cr_assert_eq(truncate(path, 0), 0);
	cr_assert_eq(salvage_area_open(&other, path, HEADER_SIZE), ENODATA);
	cr_assert_eq(salvage_area_open(&other, "missing", HEADER_SIZE), ENOENT);
	cr_assert_eq(salvage_area_open(&other, "/dev/null", HEADER_SIZE), EINVAL);
	/* Whatever the bytes are, a scan ends. */
	file = fopen(path, "w");
	for (int i = 0; i < 100000; i++)
		fputc(i * 7 % 251, file);
	fclose(file);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 0);
	unlink(path);
}

static int visit(void *user, const journal_entry *entry)
{
	uint64_t *sum = user;
	const journal_definition *definition = (const journal_definition *)(const void *)entry;

	*sum += entry->key;
	if (entry->kind == JOURNAL_DEFINE)
		cr_assert_str_eq(journal_source_file(definition), "file.c");
	return 1;
}

Test(salvage_journal, entries_are_visited_in_order_up_to_a_length)
{
	salvage_area area;
	salvage_area found;
	salvage_journal journal = {.area = &area};
	const uint64_t entries = 20000;
	uint64_t sum = 0;

	create(&area);
	for (uint64_t i = 1; i <= entries; i++) {
		journal_definition definition = {
			.entry = {.kind = JOURNAL_DEFINE, .key = i}, .name_length = 4, .source_file_length = 6};

		if (i % 3 == 0)
			salvage_journal_append(&journal, &(journal_entry){.kind = JOURNAL_STACK, .key = i});
		else
			salvage_journal_append_definition(&journal, &definition, "name", "file.c");
		/* Between the chunks of the journal are other pieces. */
		if (i % 1000 == 0)
			cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, 4096) != NULL);
	}
	cr_assert_eq(journal.length, entries);
	cr_assert_eq(salvage_area_open(&found, path, HEADER_SIZE), 0);
	cr_assert_eq(salvage_journal_visit(&found, entries, visit, &sum), entries);
	cr_assert_eq(sum, entries * (entries + 1) / 2);
	sum = 0;
	cr_assert_eq(salvage_journal_visit(&found, 100, visit, &sum), 100);
	cr_assert_eq(sum, 5050);
	cr_assert_eq(salvage_journal_visit(&found, entries + 1, visit, &sum), entries);
	salvage_area_close(&found);
	salvage_area_close(&area);
	unlink(path);
}
