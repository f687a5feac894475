/* SPDX-License-Identifier: MIT */
/* Commits what was written to the log, and rewrites the journal. */
#include "recorder/drain/salvage_commit.h"

#include "recorder/tables/keys.h"

#include <string.h>

/*
 * So the journal of a program that defines, retires and registers for days is at most twice as long as what is still
 * valid, or 1 MiB.
 */

/* Rewrites the journal if that is due. Call it in a commit, before the position of the journal is taken. */
static void salvage_rewrite_journal(recorder_drain *drain)
{
	salvage_journal *journal = &drain->keys.journal;
	salvage_journal before;

	if (!salvage_journal_is_due(journal))
		return;
	salvage_journal_begin(journal, &before);
	keys_write_journal(&drain->keys);
	key_fields_write_journal(&drain->keys);
	stacks_write_journal(&drain->stacks);
	root_table_write_journal(&drain->roots);
	salvage_journal_end(journal, &before);
}

/* Between rounds of reading, all events of the words that were read are in blocks. */
static void collect_heap_progress(recorder_drain *drain)
{
	salvage_heap *progress = &drain->progress.heap;

	progress->chunk = drain->heap.chunk->sequence;
	progress->word = drain->heap.word_index;
	progress->next_number = drain->heap.next_number;
	progress->next_root = drain->roots.next_id;
	progress->snapshot = drain->heap.blocks.snapshot;
}

/* What the log contains: in its file, and of a compressed log in the tail. */
static void collect_length(recorder_drain *drain)
{
	salvage_progress *progress = &drain->progress;
	recorder_output *output = drain->output;
	salvage_tail *tail = &drain->tail;

	if (output->ring != NULL) {
		progress->log_length = block_ring_next_number(output->ring);
		progress->evicted = *block_ring_evicted(output->ring);
		return;
	}
	if (tail->area == NULL) {
		progress->log_length = writer_stored_length(output->writer);
		return;
	}
	if (salvage_tail_is_due(tail) && output->status == MPROF_OK) {
		output_note_status(output, writer_end_member(output->writer));
		if (output->status == MPROF_OK)
			salvage_tail_begin(tail, writer_stored_length(output->writer));
	}
	progress->log_length = tail->member_start;
	progress->tail_member = tail->member;
	progress->tail_length = tail->length;
}

/* Fills the parts of a progress record that all commits have. */
static void collect_progress(recorder_drain *drain)
{
	salvage_progress *progress = &drain->progress;
	recorder_output *output = drain->output;

	/* First write the pending definitions, so that all IDs assigned so far are in the log. */
	if (drain->stacks.pending_count > 0 || drain->stacks.code.pending_count > 0)
		stacks_write(&drain->stacks);
	field_queue_write(&drain->keys.fields, output);
	/* After an error nothing more reaches the log; past the limit only losses do. */
	if (output->status == MPROF_OK)
		output_note_status(output, writer_save(output->writer, &progress->writer));
	recorder_read_clock(drain->shared, &progress->clock);
	collect_length(drain);
	salvage_rewrite_journal(drain);
	progress->journal = salvage_journal_position(&drain->keys.journal);
	for (int subject = 0; subject < 2; subject++)
		progress->next_ids[subject] = drain->keys.tables[subject].next_id;
	progress->next_element_id = drain->keys.next_element_id;
	progress->no_class_id = drain->keys.no_class_id;
	progress->stack_count = drain->stacks.count;
	progress->module_count = drain->stacks.code.module_count;
	progress->function_count = drain->stacks.code.function_count;
	progress->location_count = drain->stacks.code.location_count;
	collect_heap_progress(drain);
	memcpy(progress->lost_unreported, output->lost_unreported, sizeof(progress->lost_unreported));
}

/*
 * Release: the record is complete before it becomes valid, in program order. That is enough: recovery runs after the
 * process has ended.
 */
static void make_valid(recorder_drain *drain)
{
	salvage_header *header = drain->shared->salvage.header;
	uint32_t other = 1 - atomic_load_explicit(&header->current, memory_order_relaxed);

	drain->progress.checksum = salvage_progress_checksum(&drain->progress);
	/* Padding, too, as the checksum includes it. */
	memcpy(&header->progress[other], &drain->progress, sizeof(drain->progress));
	atomic_store_explicit(&header->current, other, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	if (drain->tail.area != NULL)
		salvage_tail_release(&drain->tail);
	salvage_journal_release(&drain->keys.journal);
}

void salvage_commit(recorder_drain *drain)
{
	if (drain->shared->salvage.header == NULL)
		return;
	collect_progress(drain);
	drain->progress.ticket = 0;
	drain->progress.serial = 0;
	make_valid(drain);
}

void salvage_commit_buffer(recorder_drain *drain, event_buffer *buffer, uint64_t last_counter)
{
	salvage_progress *progress = &drain->progress;

	if (drain->shared->salvage.header == NULL)
		return;
	collect_progress(drain);
	progress->ticket = atomic_load_explicit(&buffer->ticket, memory_order_relaxed);
	progress->buffer = buffer->index;
	progress->drained = buffer->drained;
	progress->last_counter = last_counter;
	progress->serial = 0;
	make_valid(drain);
	/* The next commit may be of another buffer, so this one notes its progress itself. */
	buffer->committed_counter = last_counter;
	buffer->committed = buffer->drained;
	atomic_signal_fence(memory_order_seq_cst);
}

void salvage_commit_losses(recorder_drain *drain, mprof_thread *thread)
{
	salvage_progress *progress = &drain->progress;

	if (drain->shared->salvage.header == NULL)
		return;
	collect_progress(drain);
	progress->ticket = 0;
	progress->serial = thread->serial;
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		progress->reported[cause] = thread->drain.lost_seen[cause] - thread->drain.lost_unreported[cause];
	make_valid(drain);
	memcpy(thread->salvaged->reported, progress->reported, sizeof(progress->reported));
	atomic_signal_fence(memory_order_seq_cst);
}
