/* SPDX-License-Identifier: MIT */
/* Adds the rows about memory. */
#include "export/table_rows_memory.h"

#include "export/table_cells.h"
#include "shared/kinds.h"

static void add_classes(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < report->class_count; i++) {
		const mprof_class_stats *stats = &report->classes[i];
		class_name name;

		names_class(report->input.reader, stats->id, &name);
		table_begin_row(sink, TABLE_CLASSES);
		table_unsigned(sink, stats->id);
		table_text(sink, name.name);
		table_text(sink, assembly_names_get(&report->assemblies, name.assembly_id));
		table_unsigned(sink, stats->allocations);
		table_unsigned(sink, stats->bytes);
		table_unsigned(sink, stats->freed);
		table_unsigned(sink, stats->freed_bytes);
		table_unsigned(sink, stats->exceptions);
		table_unsigned(sink, stats->load_ns);
		table_end_row(sink);
	}
}

static void add_allocation_sites(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES); i++) {
		mprof_allocation_site site = {.struct_size = sizeof(site)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_ALLOCATION_SITES, i, &site);
		table_begin_row(sink, TABLE_ALLOCATION_SITES);
		table_unsigned(sink, site.class_id);
		table_class(sink, report, site.class_id);
		table_method(sink, report, site.caller);
		table_stack(sink, report, site.stack);
		table_unsigned(sink, site.allocations);
		table_unsigned(sink, site.bytes);
		table_unsigned(sink, site.samples);
		table_unsigned(sink, site.allocations_error);
		table_unsigned(sink, site.bytes_error);
		table_end_row(sink);
	}
}

static void add_memory_sites(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SITES); i++) {
		mprof_memory_site site = {.struct_size = sizeof(site)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY_SITES, i, &site);
		table_begin_row(sink, TABLE_MEMORY_SITES);
		table_stack(sink, report, site.stack);
		table_unsigned(sink, site.allocations);
		table_unsigned(sink, site.bytes);
		table_unsigned(sink, site.frees);
		table_unsigned(sink, site.live);
		table_unsigned(sink, site.live_bytes);
		table_unsigned(sink, site.peak_bytes);
		table_unsigned(sink, site.temporaries);
		table_unsigned(sink, site.lifetime_ns);
		table_end_row(sink);
	}
}

static void add_collections(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_COLLECTIONS); i++) {
		mprof_collection collection = {.struct_size = sizeof(collection)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_COLLECTIONS, i, &collection);
		table_begin_row(sink, TABLE_COLLECTIONS);
		table_unsigned(sink, collection.number);
		table_unsigned(sink, collection.generation);
		table_signed(sink, collection.start_ns);
		table_unsigned(sink, collection.duration_ns);
		table_unsigned(sink, collection.mark_ns);
		table_unsigned(sink, collection.sweep_ns);
		table_unsigned(sink, collection.pause_ns);
		table_boolean(sink, !collection.unfinished);
		table_end_row(sink);
	}
}

static void add_snapshot_classes(table_sink *sink, const log_report *report, size_t snapshot, uint64_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_heap_shot_class stats = {.struct_size = sizeof(stats)};

		if (mprof_profile_get_heap_shot_class(report->profile, snapshot, i, &stats) != MPROF_OK)
			continue;
		table_begin_row(sink, TABLE_HEAP_SNAPSHOT_CLASSES);
		table_unsigned(sink, snapshot + 1);
		table_unsigned(sink, stats.class_id);
		table_class(sink, report, stats.class_id);
		table_unsigned(sink, stats.objects);
		table_unsigned(sink, stats.bytes);
		table_end_row(sink);
	}
}

static void add_heap_snapshots(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS); i++) {
		mprof_heap_shot shot = {.struct_size = sizeof(shot)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, i, &shot);
		table_begin_row(sink, TABLE_HEAP_SNAPSHOTS);
		table_unsigned(sink, i + 1);
		table_unsigned(sink, shot.number);
		table_signed(sink, shot.time_ns);
		table_boolean(sink, !shot.incomplete);
		table_unsigned(sink, shot.objects);
		table_unsigned(sink, shot.bytes);
		table_unsigned(sink, shot.references);
		table_unsigned(sink, shot.roots);
		table_end_row(sink);
		add_snapshot_classes(sink, report, i, shot.classes);
	}
}

static void add_handles(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HANDLES); i++) {
		mprof_handle_stats stats = {.struct_size = sizeof(stats)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_HANDLES, i, &stats);
		table_begin_row(sink, TABLE_HANDLES);
		table_unsigned(sink, stats.class_id);
		table_class(sink, report, stats.class_id);
		table_text(sink, kind_of_handle(stats.type));
		table_unsigned(sink, stats.created);
		table_unsigned(sink, stats.alive);
		table_unsigned(sink, stats.deleted);
		table_end_row(sink);
	}
}

void table_rows_add_memory(table_sink *sink, const log_report *report)
{
	add_classes(sink, report);
	add_allocation_sites(sink, report);
	add_memory_sites(sink, report);
	add_collections(sink, report);
	add_heap_snapshots(sink, report);
	add_handles(sink, report);
}
