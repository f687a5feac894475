/* SPDX-License-Identifier: MIT */
/* Writes a heap snapshot object by object. */
#include "import/heap_log.h"

#include <stdlib.h>
#include <string.h>

/* The only snapshot of a log. */
#define SHOT 1

/* References of one block: a log is readable by default if no block has more than 64 MiB. */
#define MAX_REFERENCES ((size_t)1 << 20)

typedef struct text_entry {
	uint64_t address, id;
} text_entry;

static mprof_record *add_record(heap_log *heap, mprof_record **records, size_t *count, size_t *capacity)
{
	*records = import_job_grow(heap->job, *records, *count, capacity, sizeof(**records));
	return memset(&(*records)[(*count)++], 0, sizeof(**records));
}

const char *heap_log_keep_text(heap_log *heap, const char *text)
{
	pooled_text *found = text_pool_get(&heap->texts, text);

	if (found != NULL)
		return found->text;
	import_job_fail(heap->job, "out of memory");
}

/* The ID of a text in the log; 0 for NULL. */
static uint32_t text_id(heap_log *heap, const char *text)
{
	const char *kept = text != NULL ? heap_log_keep_text(heap, text) : NULL;
	text_entry *entry;
	mprof_record *record;

	if (kept == NULL)
		return 0;
	entry = import_job_put(heap->job, &heap->text_ids, (uintptr_t)kept);
	if (entry->id == 0) {
		entry->id = heap->text_ids.count;
		record = add_record(heap, &heap->new_texts, &heap->new_text_count, &heap->new_text_capacity);
		record->kind = MPROF_RECORD_TEXT;
		record->id = (uint32_t)entry->id;
		record->as.text.text = kept;
	}
	return (uint32_t)entry->id;
}

/* Writes all that is collected. Names and labels need the first block of the snapshot before them. */
static void write_blocks(heap_log *heap, uint32_t flags)
{
	import_job *job = heap->job;
	size_t at = 0;

	for (size_t i = 0; i < heap->event_count; i++) {
		mprof_event_detail *detail = &heap->details[i];

		heap->events[i].more.detail = detail;
		detail->offsets = detail->offsets != NULL ? heap->offsets + at : NULL;
		detail->references = detail->reference_count > 0 ? heap->references + at : NULL;
		at += detail->reference_count;
	}
	import_job_expect(job, mprof_writer_write_heap(job->writer, SHOT, heap->flags | flags, heap->time, heap->events,
						       heap->event_count));
	heap->flags = 0;
	heap->event_count = heap->reference_count = 0;
	import_job_write_records(job, MPROF_BLOCK_TEXTS, 0, heap->new_texts, heap->new_text_count);
	import_job_write_records(job, MPROF_BLOCK_OBJECT_LABELS, SHOT, heap->labels, heap->label_count);
	import_job_write_records(job, MPROF_BLOCK_REFERENCE_NAMES, SHOT, heap->names, heap->name_count);
	heap->new_text_count = heap->label_count = heap->name_count = 0;
}

void heap_log_begin(heap_log *heap, import_job *job, uint64_t time)
{
	heap->job = job;
	heap->time = time;
	heap->flags = MPROF_HEAP_FLAG_FIRST;
	heap->text_ids.value_size = sizeof(uint64_t);
	text_pool_init(&heap->texts);
}

static mprof_event_detail *add_event(heap_log *heap, uint8_t kind, uint32_t id, uint64_t value, uint64_t object)
{
	mprof_event_detail *detail;

	if (heap->event_count == HEAP_LOG_EVENTS || heap->reference_count >= MAX_REFERENCES ||
	    heap->name_count >= MAX_REFERENCES)
		write_blocks(heap, 0);
	detail = &heap->details[heap->event_count];
	*detail = (mprof_event_detail){.struct_size = sizeof(*detail), .object = object};
	heap->events[heap->event_count++] =
		(mprof_event){.kind = kind, .id = id, .counter = heap->time, .value = value};
	return detail;
}

void heap_log_add_object(heap_log *heap, uint32_t class_id, uint64_t address, uint64_t size, int has_offsets)
{
	add_event(heap, MPROF_EVENT_HEAP_OBJECT, class_id, size, address);
	heap->object = address;
	heap->index = 0;
	heap->has_offsets = has_offsets;
	heap->objects++;
}

void heap_log_add_reference(heap_log *heap, uint64_t target, uint64_t offset, const char *name)
{
	mprof_event_detail *detail;
	mprof_record *record;

	if (heap->reference_count >= MAX_REFERENCES)
		add_event(heap, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0);
	heap->references = import_job_grow(heap->job, heap->references, heap->reference_count,
					   &heap->reference_capacity, sizeof(*heap->references));
	heap->offsets = import_job_grow(heap->job, heap->offsets, heap->reference_count, &heap->offset_capacity,
					sizeof(*heap->offsets));
	heap->offsets[heap->reference_count] = offset;
	heap->references[heap->reference_count++] = target;
	detail = &heap->details[heap->event_count - 1];
	detail->reference_count++;
	/* The array may move: write_blocks() sets the place. */
	detail->offsets = heap->has_offsets ? heap->offsets : NULL;
	if (name != NULL) {
		record = add_record(heap, &heap->names, &heap->name_count, &heap->name_capacity);
		record->kind = MPROF_RECORD_REFERENCE_NAME;
		record->id = text_id(heap, name);
		record->as.reference_name.object = heap->object;
		record->as.reference_name.index = heap->index;
	}
	heap->index++;
}

void heap_log_add_weak_reference(heap_log *heap, uint64_t object, uint64_t target, const char *name)
{
	mprof_record *record = add_record(heap, &heap->names, &heap->name_count, &heap->name_capacity);

	record->kind = MPROF_RECORD_WEAK_REFERENCE;
	record->id = text_id(heap, name);
	record->as.weak_reference.object = object;
	record->as.weak_reference.target = target;
}

void heap_log_add_label(heap_log *heap, uint64_t object, const char *text, int is_synthetic)
{
	mprof_record *record;

	if (text != NULL) {
		record = add_record(heap, &heap->labels, &heap->label_count, &heap->label_capacity);
		record->kind = MPROF_RECORD_LABEL;
		record->as.label.object = object;
		record->as.label.text = text;
	}
	if (is_synthetic) {
		record = add_record(heap, &heap->labels, &heap->label_count, &heap->label_capacity);
		record->kind = MPROF_RECORD_OBJECT_FLAGS;
		record->id = MPROF_OBJECT_FLAG_SYNTHETIC;
		record->as.object_flags.object = object;
	}
}

uint32_t heap_log_define_root(heap_log *heap, uint32_t kind, uint64_t thread, const char *name)
{
	mprof_record record = {.kind = MPROF_RECORD_ROOT, .id = ++heap->roots};

	record.as.root.kind = kind;
	record.as.root.thread = thread;
	record.as.root.name = name;
	import_job_write_records(heap->job, MPROF_BLOCK_ROOTS, 0, &record, 1);
	return record.id;
}

void heap_log_add_root(heap_log *heap, uint32_t kind, uint32_t root, uint64_t object)
{
	add_event(heap, MPROF_EVENT_HEAP_ROOT, root, kind, object);
}

void heap_log_end(heap_log *heap)
{
	/* The blocks of names must come before the last block of the snapshot. */
	write_blocks(heap, 0);
	write_blocks(heap, MPROF_HEAP_FLAG_LAST | (heap->is_incomplete ? MPROF_HEAP_FLAG_INCOMPLETE : 0));
	free(heap->references);
	free(heap->offsets);
	free(heap->labels);
	free(heap->names);
	free(heap->new_texts);
	text_pool_release(&heap->texts);
	key_map_clear(&heap->text_ids);
}
