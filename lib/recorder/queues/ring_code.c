/* SPDX-License-Identifier: MIT */
/*
 * Finds the ranges of code that are needed. A range is, if it begins after the first event, or if it holds an address
 * then. What holds an address is the range that began last at it, even if that one was freed, so one that was freed is
 * also needed as long as an earlier one, which was not, would hold an address in its place.
 */
#include "recorder/queues/ring_code.h"

#include "base/allocator.h"
#include "base/sort.h"
#include "dictionary/code_ranges.h"
#include "format/blocks/block_encode.h"
#include "format/blocks/records.h"

#include <string.h>

#define MIN_BYTES ((uint64_t)64 << 10)

typedef struct code_search {
	block_ring *ring;
	memory_budget budget;
	uint64_t counter;  /* That of the first event. */
	code_ranges all;   /* All ranges. */
	code_ranges found; /* Those that were found to be needed so far, in the order of the log. */
	hash_map needed;   /* The IDs of ranges that are needed. */
	uint64_t *bounds;  /* The addresses at which a range begins, or after which one ends, ascending. */
	size_t bound_count;
	mprof_record *records; /* Those of a block that are kept. */
	size_t record_capacity;
	int has_failed; /* There is no memory. */
} code_search;

int ring_code_is_due(const block_ring *ring)
{
	return ring->code_bytes > MIN_BYTES && ring->code_bytes / 2 > ring->code_kept;
}

/* Starts at the first record of a block. Returns the clock of the block. */
static mprof_clock begin_records(const block_ring *ring, const ring_block *block, record_cursor *cursor)
{
	content_cursor content;
	mprof_clock start;

	content_cursor_init(&content, block->bytes + ring->rules->header_length,
			    block->length - ring->rules->header_length - ring->rules->checksum_length, UINT64_MAX);
	content_cursor_clock(&content, &start);
	record_cursor_init(cursor, &content, MPROF_BLOCK_CODE_RANGES, 0, start.counter);
	return start;
}

/* Adds the ranges of all blocks, with \p needed_only those that are needed. */
static void add_ranges(code_search *search, code_ranges *ranges, int needed_only)
{
	for (const ring_block *block = search->ring->retained.oldest; block != NULL; block = block->next) {
		record_cursor cursor;
		mprof_record record;

		if (block->kind != MPROF_BLOCK_CODE_RANGES)
			continue;
		(void)begin_records(search->ring, block, &cursor);
		while (record_cursor_next(&cursor, &record)) {
			if (record.kind != MPROF_RECORD_CODE_LINE &&
			    (!needed_only || hash_map_get(&search->needed, record.id) != NULL))
				search->has_failed |= code_ranges_add(ranges, &record) != MPROF_OK;
		}
	}
}

static int compare_bounds(const void *first, const void *second)
{
	const uint64_t one = *(const uint64_t *)first;
	const uint64_t other = *(const uint64_t *)second;

	return (one > other) - (one < other);
}

static void find_bounds(code_search *search)
{
	const code_ranges *all = &search->all;
	size_t count = 0;

	search->bounds = allocator_allocate(&search->budget.allocator, 2 * all->claim_count * sizeof(*search->bounds));
	if (search->bounds == NULL) {
		search->has_failed = 1;
		return;
	}
	for (size_t i = 0; i < all->claim_count; i++) {
		search->bounds[count++] = all->claims[i].first;
		if (all->claims[i].last != UINT64_MAX)
			search->bounds[count++] = all->claims[i].last + 1;
	}
	sort_in_place(search->bounds, count, sizeof(*search->bounds), compare_bounds);
	for (size_t i = 0; i < count; i++) {
		if (search->bound_count == 0 || search->bounds[i] != search->bounds[search->bound_count - 1])
			search->bounds[search->bound_count++] = search->bounds[i];
	}
}

/* The range that holds an address at the time of the first event; 0 if none. */
static uint32_t holder_of(code_search *search, code_ranges *ranges, uint64_t address)
{
	code_answer answer;

	search->has_failed |=
		code_ranges_find(ranges, (code_address){0, address}, search->counter, &answer) != MPROF_OK;
	return answer.range;
}

/* The index of the first bound that is not below an address. */
static size_t bound_from(const code_search *search, uint64_t address)
{
	size_t low = 0;
	size_t high = search->bound_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (search->bounds[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Between two bounds the holder is the same. */
static int holds_something(code_search *search, const code_claim *claim)
{
	for (size_t i = bound_from(search, claim->first); i < search->bound_count && search->bounds[i] <= claim->last;
	     i++) {
		if (holder_of(search, &search->all, search->bounds[i]) == claim->range)
			return 1;
	}
	return 0;
}

/* Whether another range would hold an address of a claim if the claim were not there. */
static int hides_something(code_search *search, const code_claim *claim)
{
	for (size_t i = bound_from(search, claim->first); i < search->bound_count && search->bounds[i] <= claim->last;
	     i++) {
		if (holder_of(search, &search->found, search->bounds[i]) !=
		    holder_of(search, &search->all, search->bounds[i]))
			return 1;
	}
	return 0;
}

static void need(code_search *search, uint32_t range)
{
	search->has_failed |= !hash_map_put(&search->needed, range, 1);
}

static void find_needed(code_search *search)
{
	const code_ranges *all = &search->all;

	for (size_t i = 0; i < all->claim_count && !search->has_failed; i++) {
		const code_claim *claim = &all->claims[i];

		if (claim->start > search->counter || (claim->end > search->counter && holds_something(search, claim)))
			need(search, claim->range);
	}
	add_ranges(search, &search->found, 1);
	for (size_t i = 0; i < all->claim_count && !search->has_failed; i++) {
		const code_claim *claim = &all->claims[i];

		if (hash_map_get(&search->needed, claim->range) == NULL && hides_something(search, claim))
			need(search, claim->range);
	}
}

/* Fetches the records of a block that are needed. Returns how many the block has. */
static size_t fetch_needed(code_search *search, record_cursor *cursor, size_t *kept)
{
	mprof_record record;
	size_t count = 0;

	for (*kept = 0; record_cursor_next(cursor, &record); count++) {
		void *records = search->records;

		if (hash_map_get(&search->needed, record.id) == NULL)
			continue;
		search->has_failed |= !array_reserve(&search->budget.allocator, &records, &search->record_capacity,
						     *kept + 1, sizeof(record));
		search->records = records;
		if (search->has_failed)
			break;
		search->records[(*kept)++] = record;
	}
	return count;
}

/* Replaces a block by one with the records that are needed. Returns whether there still is a block. */
static int shorten_block(code_search *search, ring_block *before, const ring_block *block)
{
	const block_encoding encoding = {.rules = search->ring->rules};
	record_encoding of_records = {0};
	encode_buffer buffer;
	record_cursor cursor;
	mprof_clock start = begin_records(search->ring, block, &cursor);
	mprof_clock end;
	size_t kept;
	const size_t count = fetch_needed(search, &cursor, &kept);
	int error = 0;

	if (search->has_failed || kept == count)
		return 1;
	if (kept == 0)
		return block_ring_replace(search->ring, before, NULL, 0) != 0;
	content_cursor_clock(&cursor.content, &end);
	of_records.counter = start.counter;
	encode_buffer_init(&buffer, &search->budget.allocator, SIZE_MAX);
	block_encode_records_start(&buffer, &encoding, MPROF_BLOCK_CODE_RANGES, &start, 0);
	records_encode(&buffer, MPROF_BLOCK_CODE_RANGES, &of_records, search->records, kept);
	block_encode_records_end(&buffer, &end);
	if (block_encode_end(&buffer, &encoding) == MPROF_OK)
		error = block_ring_replace(search->ring, before, buffer.bytes, buffer.length);
	search->has_failed |= buffer.status != MPROF_OK || error != 0;
	encode_buffer_destroy(&buffer);
	return 1;
}

static void shorten_blocks(code_search *search)
{
	ring_block *before = NULL;
	ring_block *block = search->ring->retained.oldest;

	while (block != NULL && !search->has_failed) {
		ring_block *next = block->next;

		if (block->kind != MPROF_BLOCK_CODE_RANGES || shorten_block(search, before, block))
			before = before != NULL ? before->next : search->ring->retained.oldest;
		block = next;
	}
}

void ring_code_drop(block_ring *ring, uint64_t counter)
{
	code_search search = {.ring = ring, .counter = block_ring_first_counter(ring)};

	if (counter < search.counter)
		search.counter = counter;
	memory_budget_init(&search.budget, &ring->allocator, UINT64_MAX);
	code_ranges_init(&search.all, &search.budget);
	code_ranges_init(&search.found, &search.budget);
	hash_map_init(&search.needed, &search.budget.allocator);
	add_ranges(&search, &search.all, 0);
	if (search.all.claim_count > 0)
		find_bounds(&search);
	find_needed(&search);
	shorten_blocks(&search);
	ring->code_kept = ring->code_bytes;
	allocator_release(&search.budget.allocator, search.records, search.record_capacity * sizeof(*search.records));
	allocator_release(&search.budget.allocator, search.bounds, 2 * search.all.claim_count * sizeof(*search.bounds));
	hash_map_destroy(&search.needed);
	code_ranges_destroy(&search.found);
	code_ranges_destroy(&search.all);
}
