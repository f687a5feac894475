/* SPDX-License-Identifier: MIT */
/* The memory that outlives a process: pieces are found by scanning, whatever state the process left them in. */
#include "recorder/queues/salvage.h"
#include "base/caller_structs.h"
#include "recorder/queues/salvage_area.h"
#include "recorder/queues/salvage_journal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

Test(salvage_area, small_pieces_share_an_allocated_part_of_the_file)
{
	salvage_area area;
	int fd;

	create(&area);
	cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, 500) != NULL);
	/* As if the program had closed all descriptors: nothing can be allocated any more. */
	fd = area.fd;
	area.fd = -1;
	cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, 500) != NULL);
	cr_assert_null(salvage_area_reserve(&area, SALVAGE_BUFFER, (size_t)4 << 20));
	area.fd = fd;
	cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, (size_t)4 << 20) != NULL);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 3);
	salvage_area_close(&area);
	unlink(path);
}

#define THREADS 4
#define PIECES 2000

static void *reserve_pieces(void *argument)
{
	salvage_area *area = argument;

	for (unsigned i = 0; i < PIECES; i++) {
		uint64_t *piece = salvage_area_reserve(area, SALVAGE_SAMPLES, 1000);

		cr_assert(piece != NULL && piece[0] == 0 && piece[124] == 0);
		piece[0] = i;
		piece[124] = ~(uint64_t)i;
	}
	return NULL;
}

Test(salvage_area, threads_allocate_at_once)
{
	salvage_area area;
	salvage_area found;
	salvage_piece *piece = NULL;
	pthread_t threads[THREADS];
	unsigned count = 0;

	create(&area);
	for (unsigned i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, reserve_pieces, &area), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(salvage_area_open(&found, path, HEADER_SIZE), 0);
	while ((piece = salvage_area_next(&found, piece)) != NULL) {
		const uint64_t *content = (const uint64_t *)(const void *)piece->content;

		cr_assert(content[0] < PIECES && content[124] == ~content[0]);
		count++;
	}
	cr_assert_eq(count, THREADS * PIECES);
	salvage_area_close(&found);
	salvage_area_close(&area);
	unlink(path);
}

/* The process's address space, in bytes. */
static uint64_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	cr_assert(file != NULL && fscanf(file, "%lu", &pages) == 1);
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t file_size(void)
{
	struct stat status;

	cr_assert_eq(stat(path, &status), 0);
	return (uint64_t)status.st_size;
}

Test(salvage_area, the_file_and_its_mapping_grow_with_what_is_used)
{
	salvage_area area;
	uint64_t before = address_space();

	create(&area);
	cr_assert(address_space() - before <= (uint64_t)2 << 20);
	cr_assert(file_size() <= (uint64_t)1 << 20);
	for (unsigned i = 0; i < 320; i++)
		cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, 100000) != NULL);
	cr_assert(address_space() - before <= (uint64_t)36 << 20);
	cr_assert(file_size() <= (uint64_t)36 << 20);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 320);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_area, limits_that_are_set_later_refuse_and_raise_no_signal)
{
	salvage_area area;
	struct rlimit before;
	struct rlimit limit;

	create(&area);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = file_size();
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert_null(salvage_area_reserve(&area, SALVAGE_BUFFER, (size_t)4 << 20));
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	cr_assert_eq(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = address_space() + ((rlim_t)2 << 20);
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	cr_assert_null(salvage_area_reserve(&area, SALVAGE_BUFFER, (size_t)4 << 20));
	/* Not as much as usual, but the piece. */
	cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, (size_t)1 << 20) != NULL);
	cr_assert_eq(setrlimit(RLIMIT_AS, &before), 0);
	cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, (size_t)4 << 20) != NULL);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 2);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_area, memory_is_told_from_that_of_others)
{
	salvage_area area;
	char *pieces[40];
	char *other = malloc(1 << 20);

	create(&area);
	for (size_t i = 0; i < 40; i++)
		pieces[i] = salvage_area_reserve(&area, SALVAGE_BUFFER, 300000);
	for (size_t i = 0; i < 40; i++)
		cr_assert(pieces[i] != NULL && salvage_area_contains(&area, pieces[i] + 299999));
	cr_assert(!salvage_area_contains(&area, other));
	cr_assert(!salvage_area_contains(&area, NULL));
	/* As in a child: zeros that are not those of the file. */
	memset(pieces[20], 1, 300000);
	salvage_area_replace(&area);
	for (size_t i = 0; i < 40; i++)
		cr_assert(pieces[i][0] == 0 && pieces[i][299999] == 0);
	cr_assert_eq(count_pieces(SALVAGE_BUFFER), 40);
	free(other);
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

static void append_entry(salvage_journal *journal, uint64_t key)
{
	journal_definition definition = {
		.entry = {.kind = JOURNAL_DEFINE, .key = key}, .name_length = 4, .source_file_length = 6};
	journal_root root = {.entry = {.kind = JOURNAL_ROOT, .key = key}, .name_length = 5};
	journal_version version = {.entry = {.kind = JOURNAL_VERSION, .key = key}};

	if (key % 4 == 0)
		salvage_journal_append(journal, &(journal_entry){.kind = JOURNAL_STACK, .key = key});
	else if (key % 4 == 1)
		salvage_journal_append_version(journal, &version);
	else if (key % 4 == 2)
		salvage_journal_append_root(journal, &root, "area5");
	else
		salvage_journal_append_definition(journal, &definition, "name", "file.c");
}

/* Returns the sum of the keys that another process visits. */
static uint64_t visit_journal(const journal_position *end, journal_damage *damage)
{
	mprof_allocator memory;
	salvage_area found;
	uint64_t sum = 0;

	(void)allocator_init(&memory, NULL);
	memset(damage, 0, sizeof(*damage));
	cr_assert_eq(salvage_area_open(&found, path, HEADER_SIZE), 0);
	cr_assert(salvage_journal_visit(&found, &memory, end, visit, &sum, damage));
	salvage_area_close(&found);
	return sum;
}

Test(salvage_journal, entries_are_visited_in_order_up_to_a_position)
{
	salvage_area area;
	salvage_journal journal;
	journal_position end;
	journal_position early = {0};
	journal_damage damage;

	create(&area);
	salvage_journal_init(&journal, &area);
	end = salvage_journal_position(&journal);
	cr_assert_eq(visit_journal(&end, &damage), 0);
	for (uint64_t i = 1; i <= 20000; i++) {
		append_entry(&journal, i);
		if (i == 100)
			early = salvage_journal_position(&journal);
		/* Between the chunks of the journal are other pieces. */
		if (i % 1000 == 0)
			cr_assert(salvage_area_reserve(&area, SALVAGE_BUFFER, 4096) != NULL);
	}
	end = salvage_journal_position(&journal);
	cr_assert(end.chunk > 2);
	cr_assert_eq(visit_journal(&end, &damage), 20000 * UINT64_C(20001) / 2);
	cr_assert_eq(damage.places, 0);
	cr_assert_eq(visit_journal(&early, &damage), 5050);
	cr_assert_eq(damage.places, 0);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_journal, the_valid_part_of_a_damaged_one_is_visited)
{
	salvage_area area;
	salvage_journal journal;
	journal_position end;
	journal_damage damage;
	uint64_t kept;

	create(&area);
	salvage_journal_init(&journal, &area);
	for (uint64_t i = 1; i <= 20000; i++)
		append_entry(&journal, i);
	end = salvage_journal_position(&journal);
	/* The second entry of the second chunk, whose rest is lost. */
	memset(journal.first->next->entries + ((journal_entry *)(void *)journal.first->next->entries)->size, 0, 4);
	kept = visit_journal(&end, &damage);
	cr_assert(kept > 0 && kept < 20000 * UINT64_C(20001) / 2);
	cr_assert_eq(damage.places, 1);
	cr_assert_eq(damage.offset, salvage_piece_of(journal.first->next)->offset + offsetof(salvage_piece, content) +
					    offsetof(journal_chunk, entries) +
					    ((journal_entry *)(void *)journal.first->next->entries)->size);
	/* A whole chunk, and what comes after the last one. */
	atomic_store(&salvage_piece_of(journal.first)->check, 0);
	cr_assert(visit_journal(&end, &damage) < kept);
	cr_assert_eq(damage.places, 2);
	end.chunk++;
	(void)visit_journal(&end, &damage);
	cr_assert_eq(damage.places, 3);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_journal, a_new_generation_takes_the_place_of_the_old_one)
{
	salvage_area area;
	salvage_journal journal;
	salvage_journal before;
	journal_position old;
	journal_position new;
	journal_damage damage;

	create(&area);
	salvage_journal_init(&journal, &area);
	for (uint64_t i = 1; !salvage_journal_is_due(&journal); i++)
		append_entry(&journal, i);
	old = salvage_journal_position(&journal);
	salvage_journal_begin(&journal, &before);
	append_entry(&journal, 7);
	salvage_journal_end(&journal, &before);
	cr_assert(!salvage_journal_is_due(&journal));
	/* Both are there until the commit. */
	new = salvage_journal_position(&journal);
	cr_assert(visit_journal(&old, &damage) > 7 && damage.places == 0);
	cr_assert(visit_journal(&new, &damage) == 7 && damage.places == 0);
	salvage_journal_release(&journal);
	cr_assert(visit_journal(&old, &damage) == 0 && damage.places == 1);
	cr_assert(visit_journal(&new, &damage) == 7 && damage.places == 0);
	salvage_area_close(&area);
	unlink(path);
}

/* However much is appended, the file does not grow; where there is no room, the old generation stays. */
Test(salvage_journal, is_bounded)
{
	salvage_area area;
	salvage_journal journal;
	salvage_journal before;
	journal_position end;
	journal_damage damage;
	unsigned pieces = 0;

	create(&area);
	salvage_journal_init(&journal, &area);
	for (int round = 0; round < 40; round++) {
		for (uint64_t i = 1; !salvage_journal_is_due(&journal); i++)
			append_entry(&journal, i);
		salvage_journal_begin(&journal, &before);
		for (uint64_t i = 1; i <= 1000; i++)
			append_entry(&journal, i);
		salvage_journal_end(&journal, &before);
		salvage_journal_release(&journal);
		if (round == 1)
			pieces = count_pieces(SALVAGE_JOURNAL);
	}
	cr_assert_eq(count_pieces(SALVAGE_JOURNAL), pieces);
	while (salvage_area_reserve(&area, SALVAGE_BUFFER, 1 << 19) != NULL)
		;
	end = salvage_journal_position(&journal);
	salvage_journal_begin(&journal, &before);
	while (!journal.has_failed)
		append_entry(&journal, 1);
	salvage_journal_end(&journal, &before);
	cr_assert_eq(journal.has_failed, 0);
	cr_assert_eq(visit_journal(&end, &damage), 500500);
	salvage_journal_release(&journal);
	append_entry(&journal, 1001);
	end = salvage_journal_position(&journal);
	cr_assert(visit_journal(&end, &damage) == 501501 && damage.places == 0);
	salvage_area_close(&area);
	unlink(path);
}

/* Compares a tail with the pattern that it was made of. */
static int compare_tail(void *user, const void *bytes, size_t length)
{
	uint64_t *offset = user;

	for (size_t i = 0; i < length; i++)
		cr_assert_eq(((const unsigned char *)bytes)[i], (unsigned char)((*offset + i) * 7 >> 3));
	*offset += length;
	return 1;
}

static uint64_t visit_tail(uint64_t member, uint64_t length)
{
	salvage_area found;
	uint64_t offset = 0;
	uint64_t visited;

	cr_assert_eq(salvage_area_open(&found, path, HEADER_SIZE), 0);
	visited = salvage_tail_visit(&found, member, length, compare_tail, &offset);
	cr_assert_eq(visited, offset);
	salvage_area_close(&found);
	return visited;
}

static void append_pattern(salvage_tail *tail, size_t length)
{
	unsigned char *bytes = malloc(length);

	for (size_t i = 0; i < length; i++)
		bytes[i] = (unsigned char)((tail->length + i) * 7 >> 3);
	salvage_tail_append(tail, bytes, length);
	free(bytes);
}

Test(salvage_tail, a_member_is_kept_until_the_commit_after_its_end)
{
	salvage_area area;
	salvage_tail tail = {.area = &area};
	uint64_t used;

	create(&area);
	salvage_tail_begin(&tail, 20);
	for (size_t length = 1; length < 1500000; length *= 3)
		append_pattern(&tail, length);
	cr_assert(!salvage_tail_is_due(&tail));
	cr_assert_eq(visit_tail(tail.member, tail.length), tail.length);
	/* What was appended after the commit is not visited. */
	cr_assert_eq(visit_tail(tail.member, 300000), 300000);
	cr_assert_eq(visit_tail(tail.member, tail.length + 1), tail.length);
	while (!salvage_tail_is_due(&tail))
		append_pattern(&tail, 100000);
	used = tail.length;
	salvage_tail_begin(&tail, 5000);
	cr_assert_eq(tail.member_start, 5000);
	append_pattern(&tail, 10);
	cr_assert_eq(visit_tail(tail.member - 1, used), used);
	cr_assert_eq(visit_tail(tail.member, 10), 10);
	salvage_tail_release(&tail);
	cr_assert_eq(visit_tail(tail.member - 1, used), 0);
	cr_assert_eq(visit_tail(tail.member, 10), 10);
	/* The chunks are used again. */
	used = count_pieces(SALVAGE_TAIL);
	for (int i = 0; i < 10; i++) {
		append_pattern(&tail, 2000000);
		salvage_tail_begin(&tail, 0);
		salvage_tail_release(&tail);
	}
	cr_assert_eq(count_pieces(SALVAGE_TAIL), used);
	salvage_area_close(&area);
	unlink(path);
}

Test(salvage_tail, a_full_area_ends_the_member)
{
	salvage_area area;
	salvage_tail tail = {.area = &area};

	create(&area);
	while (salvage_area_reserve(&area, SALVAGE_BUFFER, 1 << 20) != NULL)
		;
	while (!tail.has_failed)
		append_pattern(&tail, 1000);
	cr_assert(salvage_tail_is_due(&tail));
	cr_assert(tail.length < SALVAGE_MEMBER_BYTES);
	cr_assert(visit_tail(tail.member, tail.length - 1000) == tail.length - 1000);
	salvage_tail_begin(&tail, 0);
	cr_assert(!salvage_tail_is_due(&tail));
	salvage_area_close(&area);
	unlink(path);
}
