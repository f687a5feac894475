/* SPDX-License-Identifier: MIT */
/* Writes what a heap snapshot states about single objects and references. */
#include "recorder/tables/heap_notes.h"

#include <string.h>

/* Few enough for a block to stay in the second-level cache. */
#define MAX_RECORDS ((size_t)1024)
#define MAX_BYTES ((size_t)65536)

/* Labels and flags are in one block, names and weak references in the other. */
#define RECORDS_SIZE (2 * MAX_RECORDS * sizeof(mprof_record))

void heap_notes_init(heap_notes *notes, const mprof_allocator *allocator)
{
	memset(notes, 0, sizeof(*notes));
	notes->allocator = *allocator;
}

void heap_notes_destroy(heap_notes *notes)
{
	allocator_release(&notes->allocator, notes->records, RECORDS_SIZE + MAX_BYTES);
	notes->records = NULL;
}

int heap_notes_has_room(const heap_notes *notes, size_t length)
{
	return notes->label_count < MAX_RECORDS && notes->name_count < MAX_RECORDS &&
	       length < MAX_BYTES - notes->byte_count;
}

int heap_notes_add(heap_notes *notes, const mprof_record *record, const char *text, size_t length)
{
	mprof_record *added;

	if (notes->records == NULL) {
		notes->records = allocator_allocate(&notes->allocator, RECORDS_SIZE + MAX_BYTES);
		if (notes->records == NULL)
			return 0;
		notes->bytes = (char *)notes->records + RECORDS_SIZE;
	}
	added = record->kind == MPROF_RECORD_LABEL || record->kind == MPROF_RECORD_OBJECT_FLAGS
			? &notes->records[notes->label_count++]
			: &notes->records[MAX_RECORDS + notes->name_count++];
	*added = *record;
	if (text == NULL)
		return 1;
	added->as.label.text = notes->bytes + notes->byte_count;
	memcpy(notes->bytes + notes->byte_count, text, length);
	notes->byte_count += (uint32_t)length;
	notes->bytes[notes->byte_count++] = '\0';
	return 1;
}

/* Writes a block. Returns 0 if it is not in the log. */
static int write_block(recorder_output *output, mprof_block_kind block, uint32_t snapshot, const mprof_record *records,
		       uint32_t count)
{
	mprof_status status;

	if (count == 0)
		return 1;
	status = mprof_writer_write_records(output->writer, block, snapshot, records, sizeof(*records), count);
	/* The writer continues after this error, and so does the recorder. */
	if (status != MPROF_ERR_MEMORY)
		output_note_status(output, status);
	return status == MPROF_OK;
}

int heap_notes_write(heap_notes *notes, recorder_output *output, uint32_t snapshot)
{
	int is_written = output_is_writing(output) &&
			 write_block(output, MPROF_BLOCK_OBJECT_LABELS, snapshot, notes->records, notes->label_count) &&
			 write_block(output, MPROF_BLOCK_REFERENCE_NAMES, snapshot, notes->records + MAX_RECORDS,
				     notes->name_count);

	notes->label_count = 0;
	notes->name_count = 0;
	notes->byte_count = 0;
	return is_written;
}
