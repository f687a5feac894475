/* SPDX-License-Identifier: MIT */
/**
 * \file library.c
 * \brief What this build of the library is: its version, its features, and the sizes of its structs, for bindings.
 */
#include "config.h"

#include <mprof.h>

#include <string.h>

uint32_t mprof_version_get_number(void)
{
	return MPROF_VERSION_NUMBER;
}

const char *mprof_version_get_string(void)
{
	return MPROF_VERSION_STRING;
}

int mprof_version_has_feature(uint32_t feature)
{
	switch (feature) {
#ifdef MPROF_WITH_RECORDER
	/* Each case may be left out. NOLINTNEXTLINE(bugprone-branch-clone) */
	case MPROF_FEATURE_RECORDER:
		return 1;
#endif
#ifdef MPROF_WITH_ZLIB
	case MPROF_FEATURE_GZIP:
	case MPROF_FEATURE_DEFLATE:
		return 1;
#endif
#ifdef MPROF_WITH_ZSTD
	case MPROF_FEATURE_ZSTD:
		return 1;
#endif
	default:
		return 0;
	}
}

#define SIZE(name)                                                                                                     \
	{                                                                                                              \
#name, sizeof(name)                                                                                    \
	}

size_t mprof_struct_get_size(const char *name)
{
	static const struct {
		const char *name;
		size_t size;
	} sizes[] = {
		SIZE(mprof_error),
		SIZE(mprof_allocator),
		SIZE(mprof_number_set),
		SIZE(mprof_event_info),
		SIZE(mprof_dialect_info),
		SIZE(mprof_event_detail),
		SIZE(mprof_event),
		SIZE(mprof_assembly_name),
		SIZE(mprof_stack_record),
		SIZE(mprof_module_record),
		SIZE(mprof_function_record),
		SIZE(mprof_location_record),
		SIZE(mprof_root_record),
		SIZE(mprof_metric_record),
		SIZE(mprof_metric_value_record),
		SIZE(mprof_summary_record),
		SIZE(mprof_field_record),
		SIZE(mprof_argument_record),
		SIZE(mprof_type_record),
		SIZE(mprof_text_record),
		SIZE(mprof_clock_record),
		SIZE(mprof_timeline_record),
		SIZE(mprof_process_record),
		SIZE(mprof_clock_pair_record),
		SIZE(mprof_position_record),
		SIZE(mprof_label_record),
		SIZE(mprof_object_flags_record),
		SIZE(mprof_reference_name_record),
		SIZE(mprof_weak_reference_record),
		SIZE(mprof_code_range_record),
		SIZE(mprof_code_line_record),
		SIZE(mprof_code_end_record),
		SIZE(mprof_argument_value),
		SIZE(mprof_record),
		SIZE(mprof_clock),
		SIZE(mprof_codec),
		SIZE(mprof_parser_options),
		SIZE(mprof_intro_block),
		SIZE(mprof_end_block),
		SIZE(mprof_element_block),
		SIZE(mprof_events_block),
		SIZE(mprof_samples_block),
		SIZE(mprof_statistical_block),
		SIZE(mprof_heap_data_block),
		SIZE(mprof_heap_summary_block),
		SIZE(mprof_heap_notes_block),
		SIZE(mprof_directives_block),
		SIZE(mprof_thread_block),
		SIZE(mprof_lost_block),
		SIZE(mprof_mark_block),
		SIZE(mprof_application_block),
		SIZE(mprof_watermark_block),
		SIZE(mprof_index_block),
		SIZE(mprof_block),
		SIZE(mprof_mapping),
		SIZE(mprof_columns),
		SIZE(mprof_query),
		SIZE(mprof_source),
		SIZE(mprof_reader_options),
		SIZE(mprof_stack_frame),
		SIZE(mprof_session),
		SIZE(mprof_index_entry),
		SIZE(mprof_sink),
		SIZE(mprof_writer_options),
		SIZE(mprof_class_definition),
		SIZE(mprof_method_definition),
		SIZE(mprof_element),
		SIZE(mprof_property),
		SIZE(mprof_writer_stats),
		SIZE(mprof_description),
		SIZE(mprof_recorder_options),
		SIZE(mprof_key_range),
		SIZE(mprof_metric_description),
		SIZE(mprof_metric_value),
		SIZE(mprof_root_area),
		SIZE(mprof_code),
		SIZE(mprof_code_line),
		SIZE(mprof_class_field),
		SIZE(mprof_recorder_stats),
		SIZE(mprof_recovery_options),
		SIZE(mprof_recovery),
		SIZE(mprof_converter_options),
		SIZE(mprof_merger_options),
		SIZE(mprof_heap_diff_options),
		SIZE(mprof_heap_diff_totals),
		SIZE(mprof_heap_diff_snapshot),
		SIZE(mprof_heap_diff_class),
		SIZE(mprof_heap_shape),
		SIZE(mprof_heap_growth),
		SIZE(mprof_heap_graph_options),
		SIZE(mprof_heap_graph_totals),
		SIZE(mprof_heap_set_totals),
		SIZE(mprof_heap_snapshot),
		SIZE(mprof_heap_class),
		SIZE(mprof_heap_object),
		SIZE(mprof_heap_reference),
		SIZE(mprof_heap_root),
		SIZE(mprof_heap_step),
		SIZE(mprof_profile_options),
		SIZE(mprof_profile_totals),
		SIZE(mprof_profile_window),
		SIZE(mprof_method_stats),
		SIZE(mprof_call_durations),
		SIZE(mprof_slow_call),
		SIZE(mprof_finding),
		SIZE(mprof_finding_list_options),
		SIZE(mprof_frame_tree_options),
		SIZE(mprof_frame_node),
		SIZE(mprof_frame_stats),
		SIZE(mprof_live_options),
		SIZE(mprof_live_totals),
		SIZE(mprof_live_row),
		SIZE(mprof_profile_diff_options),
		SIZE(mprof_diff_values),
		SIZE(mprof_diff_row),
		SIZE(mprof_diff_name),
		SIZE(mprof_diff_node),
		SIZE(mprof_class_stats),
		SIZE(mprof_call_stats),
		SIZE(mprof_sample_stats),
		SIZE(mprof_sample_node),
		SIZE(mprof_allocation_site),
		SIZE(mprof_heap_shot),
		SIZE(mprof_heap_shot_class),
		SIZE(mprof_heap_summary),
		SIZE(mprof_handle_stats),
		SIZE(mprof_handle_site),
		SIZE(mprof_exception_site),
		SIZE(mprof_exception_clause),
		SIZE(mprof_method_code),
		SIZE(mprof_monitor_stats),
		SIZE(mprof_monitor_site),
		SIZE(mprof_monitor_holder),
		SIZE(mprof_pause),
		SIZE(mprof_timeline),
		SIZE(mprof_event_type_stats),
		SIZE(mprof_span),
		SIZE(mprof_process_stats),
		SIZE(mprof_timeline_stats),
		SIZE(mprof_clock_stats),
		SIZE(mprof_code_range_stats),
		SIZE(mprof_line_stats),
		SIZE(mprof_sample_kind_stats),
		SIZE(mprof_sample_group),
		SIZE(mprof_histogram_stats),
		SIZE(mprof_message_stats),
		SIZE(mprof_wait_stats),
		SIZE(mprof_gc_generation),
		SIZE(mprof_thread_state_stats),
		SIZE(mprof_sample),
		SIZE(mprof_timeline_slice),
		SIZE(mprof_finalizer_stats),
		SIZE(mprof_age_stats),
		SIZE(mprof_age_class),
		SIZE(mprof_age_site),
		SIZE(mprof_object_origin),
		SIZE(mprof_traced_address),
		SIZE(mprof_heap_change_entry),
		SIZE(mprof_memory_stats),
		SIZE(mprof_memory_site),
		SIZE(mprof_memory_size),
		SIZE(mprof_memory_block),
		SIZE(mprof_memory_block_record),
		SIZE(mprof_memory_search_record),
		SIZE(mprof_metric_stats),
		SIZE(mprof_mark),
		SIZE(mprof_collection),
		SIZE(mprof_heap_resize),
		SIZE(mprof_thread_stats),
		SIZE(mprof_element_stats),
		SIZE(mprof_profile_property),
		SIZE(mprof_table_column),
		SIZE(mprof_table_info),
	};

	for (size_t i = 0; name != NULL && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (strcmp(sizes[i].name, name) == 0)
			return sizes[i].size;
	}
	return 0;
}
