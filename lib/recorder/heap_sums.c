/* SPDX-License-Identifier: MIT */
/* Sums the objects of each class, and writes HEAP_SUMMARY blocks. */
#include "recorder/heap_sums.h"

#include "base/array.h"
#include "base/sort.h"

#include <string.h>

void heap_sums_init(heap_sums *sums, const mprof_allocator *allocator)
{
	memset(sums, 0, sizeof(*sums));
	sums->allocator = *allocator;
	id_map_init(&sums->row_numbers, allocator);
}

void heap_sums_destroy(heap_sums *sums)
{
	id_map_destroy(&sums->row_numbers);
	allocator_release(&sums->allocator, sums->rows, sums->capacity * sizeof(*sums->rows));
	sums->rows = NULL;
	sums->capacity = 0;
}

heap_sums_row *heap_sums_add_row(heap_sums *sums, uint32_t class_id)
{
	void *rows = sums->rows;
	heap_sums_row *row;

	if (!array_reserve(&sums->allocator, &rows, &sums->capacity, sums->count + 1, sizeof(*sums->rows))) {
		sums->is_short = 1;
		return NULL;
	}
	sums->rows = rows;
	if (!id_map_put(&sums->row_numbers, class_id, (uint32_t)sums->count + 1)) {
		sums->is_short = 1;
		return NULL;
	}
	row = &sums->rows[sums->count++];
	memset(row, 0, sizeof(*row));
	row->class_id = class_id;
	return row;
}

void heap_sums_clear(heap_sums *sums, heap_sum sum)
{
	for (size_t i = 0; i < sums->count; i++) {
		sums->rows[i].counts[sum] = 0;
		sums->rows[i].counts[sum + 1] = 0;
	}
	if (sum == HEAP_SUM_DEAD)
		sums->is_short = 0;
}

static int has_any(const heap_sums_row *row)
{
	return row->counts[HEAP_SUM_ALIVE] != 0 || row->counts[HEAP_SUM_DEAD] != 0;
}

static int compare_ids(const void *a, const void *b)
{
	const mprof_record *first = a;
	const mprof_record *second = b;

	return (first->id > second->id) - (first->id < second->id);
}

static void fill_records(const heap_sums *sums, mprof_record *records)
{
	for (size_t i = 0; i < sums->count; i++) {
		const uint64_t *counts = sums->rows[i].counts;

		if (!has_any(&sums->rows[i]))
			continue;
		records->kind = MPROF_RECORD_SUMMARY;
		records->id = sums->rows[i].class_id;
		records->as.summary.live_objects = counts[HEAP_SUM_ALIVE];
		records->as.summary.live_bytes = counts[HEAP_SUM_ALIVE + 1];
		records->as.summary.dead_objects = counts[HEAP_SUM_DEAD];
		records->as.summary.dead_bytes = counts[HEAP_SUM_DEAD + 1];
		records++;
	}
}

mprof_status heap_sums_write(heap_sums *sums, mprof_writer *writer, uint32_t collection)
{
	mprof_record *records;
	size_t count = 0;
	size_t size;
	mprof_status status;

	if (sums->is_short)
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < sums->count; i++)
		count += has_any(&sums->rows[i]) ? 1 : 0;
	if (count == 0)
		return mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, collection, NULL,
						  sizeof(mprof_record), 0);
	if (!checked_multiply(count, sizeof(*records), &size))
		return MPROF_ERR_MEMORY;
	records = allocator_allocate_zeroed(&sums->allocator, size);
	if (records == NULL)
		return MPROF_ERR_MEMORY;
	fill_records(sums, records);
	sort_in_place(records, count, sizeof(*records), compare_ids);
	status = mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, collection, records, sizeof(*records),
					    count);
	allocator_release(&sums->allocator, records, size);
	return status;
}
