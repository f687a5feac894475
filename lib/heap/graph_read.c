/* SPDX-License-Identifier: MIT */
/* Reads one heap snapshot of a log. */
#include "heap/graph_internal.h"

#include "reader/fault_report.h"

/*
 * Starts to gather a snapshot if it is the one that was chosen. If the last one is wanted, each snapshot that begins
 * replaces the one before.
 */
static int choose_snapshot(mprof_heap_graph *graph, size_t index)
{
	if (graph->is_list_only || index == SNAPSHOT_NONE)
		return 0;
	if (graph->wanted != 0 ? index + 1 == graph->wanted
			       : graph->gathered_for == SNAPSHOT_NONE || index > graph->gathered_for) {
		if (graph->gathered_for != index)
			gathered_heap_destroy(&graph->gathered);
		graph->gathered_for = index;
	}
	return graph->gathered_for == index;
}

static mprof_status add_events(mprof_heap_graph *graph, snapshot_record *record, size_t count, int is_chosen)
{
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		snapshot_record_count(record, &graph->batch[i]);
		if (is_chosen)
			status = gathered_heap_add(&graph->gathered, &graph->batch[i]);
	}
	return status;
}

/*
 * Adds a loaded HEAP_DATA block. Returns #MPROF_OK or the error of the log; sets graph->failed for an error that is not
 * of the log.
 */
static mprof_status add_heap_block(mprof_heap_graph *graph, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status;
	snapshot_record *record;
	size_t index;
	size_t count = 0;
	int is_chosen;

	graph->failed = snapshot_list_find(&graph->snapshots, block, &index);
	if (graph->failed != MPROF_OK || index == SNAPSHOT_NONE)
		return graph->failed;
	record = &graph->snapshots.records[index];
	is_chosen = choose_snapshot(graph, index);
	do {
		status = mprof_reader_next_events(reader, graph->batch, GRAPH_BATCH, &count);
		graph->failed = add_events(graph, record, count, is_chosen);
		if (graph->failed != MPROF_OK)
			return graph->failed;
	} while (status == MPROF_OK);
	snapshot_record_end_block(record, block, status == MPROF_END);
	if (status == MPROF_END)
		return MPROF_OK;
	if (is_chosen)
		graph->failed = gathered_heap_interrupt(&graph->gathered);
	return graph->failed != MPROF_OK ? graph->failed : status;
}

/* Whether all of the snapshot that was chosen by its number has been read. */
static int has_all(const mprof_heap_graph *graph)
{
	return graph->wanted != 0 && graph->wanted <= graph->snapshots.count &&
	       graph->snapshots.records[graph->wanted - 1].is_ended;
}

/* Reading a block failed. Unless it is of another kind, it may belong to any of the snapshots that have not ended. */
static void note_damage(mprof_heap_graph *graph, const mprof_block *block)
{
	if (block->kind != MPROF_BLOCK_HEAP_DATA && block->loaded)
		return;
	graph->damaged_blocks += block->kind == MPROF_BLOCK_HEAP_DATA;
	snapshot_list_note_damage(&graph->snapshots);
	if (graph->failed == MPROF_OK)
		graph->failed = gathered_heap_interrupt(&graph->gathered);
}

/*
 * Reads up to the end. Returns #MPROF_AGAIN or #MPROF_ERR_INTERRUPTED if there may be more; otherwise the first error
 * of the log, or #MPROF_OK.
 */
static mprof_status read_blocks(mprof_heap_graph *graph, fault_report *report)
{
	mprof_status status;
	mprof_block block;

	do {
		if (has_all(graph))
			return report->first;
		memset(&block, 0, sizeof(block));
		mprof_block_init(&block, sizeof(block));
		status = mprof_reader_next_block(report->reader, &block);
		if (status == MPROF_AGAIN || status == MPROF_ERR_INTERRUPTED)
			return status;
		if (status == MPROF_END) {
			fault_report_end(report);
			return report->first;
		}
		/* Fetching the events of a truncated block returns the same error as loading it. */
		if ((status == MPROF_OK || fault_is_at_end(status, &block)) && block.loaded &&
		    block.kind == MPROF_BLOCK_HEAP_DATA)
			status = add_heap_block(graph, report->reader, &block);
		if (graph->failed == MPROF_OK && status != MPROF_OK)
			note_damage(graph, &block);
		if (graph->failed != MPROF_OK)
			return graph->failed;
	} while (status == MPROF_OK || fault_report_error(report));
	return report->first;
}

/* Snapshots whose end was not read are incomplete; and their times are known now as well as they can be. */
static void finish_snapshots(mprof_heap_graph *graph, const mprof_reader *reader)
{
	for (size_t i = 0; i < graph->snapshots.count; i++) {
		snapshot_record *record = &graph->snapshots.records[i];

		record->is_incomplete |= !record->is_ended;
		(void)mprof_reader_get_time(reader, record->counter, &record->time_ns);
	}
}

/*
 * Makes the graph of what was gathered. Returns #MPROF_OK; #MPROF_ERR_INTERRUPTED; #MPROF_ERR_LIMIT;
 * #MPROF_ERR_MEMORY.
 */
static mprof_status link_gathered(mprof_heap_graph *graph)
{
	mprof_status status = gathered_heap_interrupt(&graph->gathered);
	snapshot_record *record;
	progress going;

	if (status != MPROF_OK || graph->gathered_for == SNAPSHOT_NONE)
		return status;
	record = &graph->snapshots.records[graph->gathered_for];
	record->orphan_references = graph->gathered.orphan_references;
	record->is_incomplete |= record->orphan_references != 0;
	progress_init(&going, graph->progress, graph->progress_user,
		      object_graph_steps(&graph->linked, &graph->gathered));
	if (!progress_begin(&going, going.total) || !object_graph_link(&graph->linked, &graph->gathered, &going))
		return progress_status(&going, memory_budget_status(&graph->budget));
	graph->objects = graph->linked;
	object_graph_init(&graph->linked, &graph->budget.allocator);
	return MPROF_OK;
}

/* Reading has ended. */
static void end_reading(mprof_heap_graph *graph, const mprof_reader *reader, mprof_status status)
{
	if (graph->failed == MPROF_OK && status == MPROF_ERR_MEMORY)
		graph->failed = MPROF_ERR_MEMORY;
	finish_snapshots(graph, reader);
}

mprof_status mprof_heap_graph_read(mprof_heap_graph *graph, mprof_reader *reader, mprof_damage_function damage,
				   void *user)
{
	fault_report report = {reader, damage, user, MPROF_OK};
	mprof_status status;

	if (graph == NULL || reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (graph->failed != MPROF_OK)
		return graph->failed;
	if (graph->is_read)
		return MPROF_ERR_STATE;
	report.first = graph->first_fault;
	status = graph->is_linking ? graph->first_fault : read_blocks(graph, &report);
	graph->first_fault = report.first;
	if (status == MPROF_AGAIN || status == MPROF_ERR_INTERRUPTED)
		return status;
	if (!graph->is_linking)
		end_reading(graph, reader, status);
	if (graph->failed == MPROF_OK) {
		const mprof_status linked = link_gathered(graph);

		graph->is_linking = linked == MPROF_ERR_INTERRUPTED;
		if (graph->is_linking)
			return linked;
		graph->failed = linked;
	}
	graph->is_read = 1;
	object_graph_destroy(&graph->linked);
	gathered_heap_destroy(&graph->gathered);
	return graph->failed != MPROF_OK ? graph->failed : status;
}
