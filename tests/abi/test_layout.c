/* SPDX-License-Identifier: MIT */
/**
 * \file test_layout.c
 * \brief The layout of every public structure where pointers have 64 bits: programs that are compiled depend on it.
 *
 * A structure may grow at its end; what stands here may not move.
 */
#include <mprof.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Automake takes it for a test that was skipped. */
#define STATUS_SKIP 77

#if UINTPTR_MAX == UINT64_MAX

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define FIELD(type, name, place) _Static_assert(offsetof(type, name) == (place), #name " of " #type)

SIZE(mprof_error, 56);
FIELD(mprof_error, struct_size, 0);
FIELD(mprof_error, status, 8);
FIELD(mprof_error, severity, 12);
FIELD(mprof_error, system_error, 16);
FIELD(mprof_error, block_code, 20);
FIELD(mprof_error, offset, 24);
FIELD(mprof_error, block_offset, 32);
FIELD(mprof_error, offset_in_block, 40);
FIELD(mprof_error, what, 48);

SIZE(mprof_allocator, 40);
FIELD(mprof_allocator, struct_size, 0);
FIELD(mprof_allocator, allocate, 8);
FIELD(mprof_allocator, reallocate, 16);
FIELD(mprof_allocator, release, 24);
FIELD(mprof_allocator, user, 32);

SIZE(mprof_block_set, 32);
FIELD(mprof_block_set, bits, 0);

SIZE(mprof_event_detail, 72);
FIELD(mprof_event_detail, struct_size, 0);
FIELD(mprof_event_detail, object, 8);
FIELD(mprof_event_detail, caller, 16);
FIELD(mprof_event_detail, stack, 20);
FIELD(mprof_event_detail, handle_type, 24);
FIELD(mprof_event_detail, reference_count, 28);
FIELD(mprof_event_detail, references, 32);
FIELD(mprof_event_detail, samples, 40);
FIELD(mprof_event_detail, size, 48);
FIELD(mprof_event_detail, started, 56);
FIELD(mprof_event_detail, offsets, 64);

SIZE(mprof_event_info, 32);
FIELD(mprof_event_info, struct_size, 0);
FIELD(mprof_event_info, name, 8);
FIELD(mprof_event_info, id, 16);
FIELD(mprof_event_info, value, 20);
FIELD(mprof_event_info, time, 24);
FIELD(mprof_event_info, category, 28);

SIZE(mprof_dialect_info, 72);
FIELD(mprof_dialect_info, struct_size, 0);
FIELD(mprof_dialect_info, name, 8);
FIELD(mprof_dialect_info, directives, 16);
FIELD(mprof_dialect_info, blocks, 24);
FIELD(mprof_dialect_info, version, 56);
FIELD(mprof_dialect_info, can_write, 60);
FIELD(mprof_dialect_info, has_stack_sections, 64);
FIELD(mprof_dialect_info, counts_collections, 68);

SIZE(mprof_event, 32);
FIELD(mprof_event, kind, 0);
FIELD(mprof_event, flags, 1);
FIELD(mprof_event, code, 2);
FIELD(mprof_event, reserved, 3);
FIELD(mprof_event, id, 4);
FIELD(mprof_event, counter, 8);
FIELD(mprof_event, value, 16);
FIELD(mprof_event, more, 24);

SIZE(mprof_assembly_name, 56);
FIELD(mprof_assembly_name, struct_size, 0);
FIELD(mprof_assembly_name, base_name, 8);
FIELD(mprof_assembly_name, culture, 16);
FIELD(mprof_assembly_name, public_key_token, 24);
FIELD(mprof_assembly_name, major, 32);
FIELD(mprof_assembly_name, minor, 36);
FIELD(mprof_assembly_name, build, 40);
FIELD(mprof_assembly_name, revision, 44);
FIELD(mprof_assembly_name, retargetable, 48);
FIELD(mprof_assembly_name, reserved, 52);

SIZE(mprof_stack_record, 16);
FIELD(mprof_stack_record, caller, 0);
FIELD(mprof_stack_record, target, 4);
FIELD(mprof_stack_record, is_native, 8);
FIELD(mprof_stack_record, is_compiling, 12);

SIZE(mprof_module_record, 48);
FIELD(mprof_module_record, address, 0);
FIELD(mprof_module_record, size, 8);
FIELD(mprof_module_record, file_offset, 16);
FIELD(mprof_module_record, file, 24);
FIELD(mprof_module_record, build_id, 32);
FIELD(mprof_module_record, is_removed, 40);
FIELD(mprof_module_record, reserved, 44);

SIZE(mprof_function_record, 32);
FIELD(mprof_function_record, module, 0);
FIELD(mprof_function_record, reserved, 4);
FIELD(mprof_function_record, offset, 8);
FIELD(mprof_function_record, size, 16);
FIELD(mprof_function_record, name, 24);

SIZE(mprof_location_record, 16);
FIELD(mprof_location_record, module, 0);
FIELD(mprof_location_record, function, 4);
FIELD(mprof_location_record, offset, 8);

SIZE(mprof_root_record, 40);
FIELD(mprof_root_record, kind, 0);
FIELD(mprof_root_record, class_id, 4);
FIELD(mprof_root_record, thread, 8);
FIELD(mprof_root_record, address, 16);
FIELD(mprof_root_record, size, 24);
FIELD(mprof_root_record, name, 32);

SIZE(mprof_metric_record, 32);
FIELD(mprof_metric_record, flags, 0);
FIELD(mprof_metric_record, reserved, 4);
FIELD(mprof_metric_record, section, 8);
FIELD(mprof_metric_record, name, 16);
FIELD(mprof_metric_record, thread, 24);

SIZE(mprof_metric_value_record, 16);
FIELD(mprof_metric_value_record, value, 0);
FIELD(mprof_metric_value_record, is_double, 8);
FIELD(mprof_metric_value_record, reserved, 12);

SIZE(mprof_summary_record, 32);
FIELD(mprof_summary_record, live_objects, 0);
FIELD(mprof_summary_record, live_bytes, 8);
FIELD(mprof_summary_record, dead_objects, 16);
FIELD(mprof_summary_record, dead_bytes, 24);

SIZE(mprof_field_record, 24);
FIELD(mprof_field_record, offset, 0);
FIELD(mprof_field_record, stride, 4);
FIELD(mprof_field_record, class_id, 8);
FIELD(mprof_field_record, reserved, 12);
FIELD(mprof_field_record, name, 16);

SIZE(mprof_record, 104);
FIELD(mprof_record, kind, 0);
FIELD(mprof_record, id, 4);
FIELD(mprof_record, as, 8);

SIZE(mprof_clock, 16);
FIELD(mprof_clock, counter, 0);
FIELD(mprof_clock, time, 8);

SIZE(mprof_codec, 32);
FIELD(mprof_codec, struct_size, 0);
FIELD(mprof_codec, number, 8);
FIELD(mprof_codec, reserved, 12);
FIELD(mprof_codec, decompress, 16);
FIELD(mprof_codec, user, 24);

SIZE(mprof_parser_options, 56);
FIELD(mprof_parser_options, struct_size, 0);
FIELD(mprof_parser_options, allocator, 8);
FIELD(mprof_parser_options, max_block_length, 16);
FIELD(mprof_parser_options, max_name_length, 24);
FIELD(mprof_parser_options, ignore_checksums, 32);
FIELD(mprof_parser_options, reserved, 36);
FIELD(mprof_parser_options, codecs, 40);
FIELD(mprof_parser_options, codec_count, 48);

SIZE(mprof_intro_block, 24);
FIELD(mprof_intro_block, version, 0);
FIELD(mprof_intro_block, flags, 4);
FIELD(mprof_intro_block, runtime, 8);
FIELD(mprof_intro_block, runtime_length, 16);

SIZE(mprof_end_block, 16);
FIELD(mprof_end_block, version, 0);
FIELD(mprof_end_block, reserved, 4);
FIELD(mprof_end_block, index_distance, 8);

SIZE(mprof_element_block, 48);
FIELD(mprof_element_block, kind, 0);
FIELD(mprof_element_block, id, 4);
FIELD(mprof_element_block, start_counter, 8);
FIELD(mprof_element_block, end_counter, 16);
FIELD(mprof_element_block, name, 24);
FIELD(mprof_element_block, name_length, 32);
FIELD(mprof_element_block, assembly, 40);

SIZE(mprof_events_block, 8);
FIELD(mprof_events_block, base_counter, 0);

SIZE(mprof_samples_block, 8);
FIELD(mprof_samples_block, base_counter, 0);

SIZE(mprof_statistical_block, 16);
FIELD(mprof_statistical_block, start_counter, 0);
FIELD(mprof_statistical_block, end_counter, 8);

SIZE(mprof_heap_data_block, 56);
FIELD(mprof_heap_data_block, number, 0);
FIELD(mprof_heap_data_block, flags, 4);
FIELD(mprof_heap_data_block, counter, 8);
FIELD(mprof_heap_data_block, has_clocks, 16);
FIELD(mprof_heap_data_block, reserved, 20);
FIELD(mprof_heap_data_block, start, 24);
FIELD(mprof_heap_data_block, end, 40);

SIZE(mprof_heap_summary_block, 8);
FIELD(mprof_heap_summary_block, collection, 0);
FIELD(mprof_heap_summary_block, reserved, 4);

SIZE(mprof_directives_block, 8);
FIELD(mprof_directives_block, declared, 0);

SIZE(mprof_thread_block, 16);
FIELD(mprof_thread_block, name, 0);
FIELD(mprof_thread_block, name_length, 8);

SIZE(mprof_lost_block, 16);
FIELD(mprof_lost_block, counts, 0);
FIELD(mprof_lost_block, count, 8);

SIZE(mprof_mark_block, 24);
FIELD(mprof_mark_block, counter, 0);
FIELD(mprof_mark_block, text, 8);
FIELD(mprof_mark_block, text_length, 16);

SIZE(mprof_watermark_block, 8);
FIELD(mprof_watermark_block, counter, 0);
SIZE(mprof_index_block, 16);
FIELD(mprof_index_block, previous_distance, 0);
FIELD(mprof_index_block, count, 8);

SIZE(mprof_block, 360);
FIELD(mprof_block, struct_size, 0);
FIELD(mprof_block, kind, 8);
FIELD(mprof_block, code, 12);
FIELD(mprof_block, offset, 16);
FIELD(mprof_block, header_length, 24);
FIELD(mprof_block, length, 32);
FIELD(mprof_block, loaded, 40);
FIELD(mprof_block, has_clocks, 44);
FIELD(mprof_block, counter_delta, 48);
FIELD(mprof_block, codec, 52);
FIELD(mprof_block, start, 56);
FIELD(mprof_block, end, 72);
FIELD(mprof_block, thread, 88);
FIELD(mprof_block, as, 96);
FIELD(mprof_block, unpacked_length, 352);

SIZE(mprof_query, 64);
FIELD(mprof_query, struct_size, 0);
FIELD(mprof_query, kinds, 8);
FIELD(mprof_query, thread, 40);
FIELD(mprof_query, start_ns, 48);
FIELD(mprof_query, end_ns, 56);

SIZE(mprof_columns, 128);
FIELD(mprof_columns, struct_size, 0);
FIELD(mprof_columns, event_count, 8);
FIELD(mprof_columns, method_count, 16);
FIELD(mprof_columns, time_count, 24);
FIELD(mprof_columns, allocation_count, 32);
FIELD(mprof_columns, row_count, 40);
FIELD(mprof_columns, start_counter, 48);
FIELD(mprof_columns, symbols, 56);
FIELD(mprof_columns, methods, 64);
FIELD(mprof_columns, times, 72);
FIELD(mprof_columns, classes, 80);
FIELD(mprof_columns, sizes, 88);
FIELD(mprof_columns, callers, 96);
FIELD(mprof_columns, stacks, 104);
FIELD(mprof_columns, objects, 112);
FIELD(mprof_columns, rows, 120);

SIZE(mprof_mapping, 64);
FIELD(mprof_mapping, is_method, 0);
FIELD(mprof_mapping, id, 4);
FIELD(mprof_mapping, class_id, 8);
FIELD(mprof_mapping, assembly_id, 12);
FIELD(mprof_mapping, flags, 16);
FIELD(mprof_mapping, size, 20);
FIELD(mprof_mapping, name, 24);
FIELD(mprof_mapping, name_length, 32);
FIELD(mprof_mapping, source_file, 40);
FIELD(mprof_mapping, source_file_length, 48);
FIELD(mprof_mapping, source_file_id, 56);
FIELD(mprof_mapping, source_line, 60);

SIZE(mprof_source, 48);
FIELD(mprof_source, struct_size, 0);
FIELD(mprof_source, read, 8);
FIELD(mprof_source, seek, 16);
FIELD(mprof_source, close, 24);
FIELD(mprof_source, user, 32);
FIELD(mprof_source, read_at, 40);

SIZE(mprof_reader_options, 128);
FIELD(mprof_reader_options, struct_size, 0);
FIELD(mprof_reader_options, allocator, 8);
FIELD(mprof_reader_options, max_block_length, 16);
FIELD(mprof_reader_options, max_name_length, 24);
FIELD(mprof_reader_options, max_names_memory, 32);
FIELD(mprof_reader_options, wanted, 40);
FIELD(mprof_reader_options, follow, 72);
FIELD(mprof_reader_options, ignore_checksums, 76);
FIELD(mprof_reader_options, keep_implicit_leaves, 80);
FIELD(mprof_reader_options, index_without_events, 84);
FIELD(mprof_reader_options, progress, 88);
FIELD(mprof_reader_options, progress_user, 96);
FIELD(mprof_reader_options, threads, 104);
FIELD(mprof_reader_options, reserved, 108);
FIELD(mprof_reader_options, codecs, 112);
FIELD(mprof_reader_options, codec_count, 120);

SIZE(mprof_stack_frame, 12);
FIELD(mprof_stack_frame, id, 0);
FIELD(mprof_stack_frame, is_native, 4);
FIELD(mprof_stack_frame, is_compiling, 8);

SIZE(mprof_heap_diff_options, 56);
FIELD(mprof_heap_diff_options, struct_size, 0);
FIELD(mprof_heap_diff_options, allocator, 8);
FIELD(mprof_heap_diff_options, max_memory, 16);
FIELD(mprof_heap_diff_options, max_shapes, 24);
FIELD(mprof_heap_diff_options, max_depth, 28);
FIELD(mprof_heap_diff_options, is_last_at_exit, 32);
FIELD(mprof_heap_diff_options, reserved, 36);
FIELD(mprof_heap_diff_options, progress, 40);
FIELD(mprof_heap_diff_options, progress_user, 48);

SIZE(mprof_heap_diff_totals, 40);
FIELD(mprof_heap_diff_totals, struct_size, 0);
FIELD(mprof_heap_diff_totals, snapshots, 8);
FIELD(mprof_heap_diff_totals, classes, 16);
FIELD(mprof_heap_diff_totals, shapes, 24);
FIELD(mprof_heap_diff_totals, used_memory, 32);

SIZE(mprof_heap_diff_snapshot, 88);
FIELD(mprof_heap_diff_snapshot, struct_size, 0);
FIELD(mprof_heap_diff_snapshot, log, 8);
FIELD(mprof_heap_diff_snapshot, snapshot, 12);
FIELD(mprof_heap_diff_snapshot, number, 16);
FIELD(mprof_heap_diff_snapshot, incomplete, 20);
FIELD(mprof_heap_diff_snapshot, has_roots, 24);
FIELD(mprof_heap_diff_snapshot, has_retained, 28);
FIELD(mprof_heap_diff_snapshot, time_ns, 32);
FIELD(mprof_heap_diff_snapshot, objects, 40);
FIELD(mprof_heap_diff_snapshot, bytes, 48);
FIELD(mprof_heap_diff_snapshot, reachable_objects, 56);
FIELD(mprof_heap_diff_snapshot, reachable_bytes, 64);
FIELD(mprof_heap_diff_snapshot, inexact_objects, 72);
FIELD(mprof_heap_diff_snapshot, missing_references, 80);

SIZE(mprof_heap_diff_class, 64);
FIELD(mprof_heap_diff_class, struct_size, 0);
FIELD(mprof_heap_diff_class, name, 8);
FIELD(mprof_heap_diff_class, has_name, 16);
FIELD(mprof_heap_diff_class, reserved, 20);
FIELD(mprof_heap_diff_class, objects, 24);
FIELD(mprof_heap_diff_class, bytes, 32);
FIELD(mprof_heap_diff_class, reachable_objects, 40);
FIELD(mprof_heap_diff_class, reachable_bytes, 48);
FIELD(mprof_heap_diff_class, retained_bytes, 56);

SIZE(mprof_heap_shape, 88);
FIELD(mprof_heap_shape, struct_size, 0);
FIELD(mprof_heap_shape, parent, 8);
FIELD(mprof_heap_shape, class_index, 12);
FIELD(mprof_heap_shape, root_kind, 16);
FIELD(mprof_heap_shape, depth, 20);
FIELD(mprof_heap_shape, is_recursive, 24);
FIELD(mprof_heap_shape, reserved, 28);
FIELD(mprof_heap_shape, class_name, 32);
FIELD(mprof_heap_shape, name, 40);
FIELD(mprof_heap_shape, objects, 48);
FIELD(mprof_heap_shape, bytes, 56);
FIELD(mprof_heap_shape, held_objects, 64);
FIELD(mprof_heap_shape, held_bytes, 72);
FIELD(mprof_heap_shape, example, 80);

SIZE(mprof_heap_growth, 48);
FIELD(mprof_heap_growth, shape, 0);
FIELD(mprof_heap_growth, snapshots, 4);
FIELD(mprof_heap_growth, is_by_size, 8);
FIELD(mprof_heap_growth, grown_snapshots, 12);
FIELD(mprof_heap_growth, objects_first, 16);
FIELD(mprof_heap_growth, objects_last, 24);
FIELD(mprof_heap_growth, bytes_first, 32);
FIELD(mprof_heap_growth, bytes_last, 40);

SIZE(mprof_heap_graph_options, 48);
FIELD(mprof_heap_graph_options, struct_size, 0);
FIELD(mprof_heap_graph_options, allocator, 8);
FIELD(mprof_heap_graph_options, max_memory, 16);
FIELD(mprof_heap_graph_options, snapshot, 24);
FIELD(mprof_heap_graph_options, list_only, 28);
FIELD(mprof_heap_graph_options, progress, 32);
FIELD(mprof_heap_graph_options, progress_user, 40);

SIZE(mprof_heap_set_totals, 40);
FIELD(mprof_heap_set_totals, struct_size, 0);
FIELD(mprof_heap_set_totals, objects, 8);
FIELD(mprof_heap_set_totals, bytes, 16);
FIELD(mprof_heap_set_totals, reachable_objects, 24);
FIELD(mprof_heap_set_totals, reachable_bytes, 32);

SIZE(mprof_heap_graph_totals, 2208);
FIELD(mprof_heap_graph_totals, struct_size, 0);
FIELD(mprof_heap_graph_totals, snapshot, 8);
FIELD(mprof_heap_graph_totals, number, 12);
FIELD(mprof_heap_graph_totals, time_ns, 16);
FIELD(mprof_heap_graph_totals, incomplete, 24);
FIELD(mprof_heap_graph_totals, limited, 28);
FIELD(mprof_heap_graph_totals, has_roots, 32);
FIELD(mprof_heap_graph_totals, has_offsets, 36);
FIELD(mprof_heap_graph_totals, has_dominators, 40);
FIELD(mprof_heap_graph_totals, has_paths, 44);
FIELD(mprof_heap_graph_totals, has_referrers, 48);
FIELD(mprof_heap_graph_totals, reserved, 52);
FIELD(mprof_heap_graph_totals, objects, 56);
FIELD(mprof_heap_graph_totals, bytes, 64);
FIELD(mprof_heap_graph_totals, references, 72);
FIELD(mprof_heap_graph_totals, classes, 80);
FIELD(mprof_heap_graph_totals, roots, 88);
FIELD(mprof_heap_graph_totals, roots_by_kind, 96);
FIELD(mprof_heap_graph_totals, reachable_objects, 2144);
FIELD(mprof_heap_graph_totals, reachable_bytes, 2152);
FIELD(mprof_heap_graph_totals, missing_references, 2160);
FIELD(mprof_heap_graph_totals, missing_roots, 2168);
FIELD(mprof_heap_graph_totals, orphan_references, 2176);
FIELD(mprof_heap_graph_totals, repeated_objects, 2184);
FIELD(mprof_heap_graph_totals, damaged_blocks, 2192);
FIELD(mprof_heap_graph_totals, used_memory, 2200);

SIZE(mprof_heap_snapshot, 56);
FIELD(mprof_heap_snapshot, struct_size, 0);
FIELD(mprof_heap_snapshot, number, 8);
FIELD(mprof_heap_snapshot, incomplete, 12);
FIELD(mprof_heap_snapshot, time_ns, 16);
FIELD(mprof_heap_snapshot, objects, 24);
FIELD(mprof_heap_snapshot, bytes, 32);
FIELD(mprof_heap_snapshot, references, 40);
FIELD(mprof_heap_snapshot, roots, 48);

SIZE(mprof_heap_class, 56);
FIELD(mprof_heap_class, struct_size, 0);
FIELD(mprof_heap_class, class_id, 8);
FIELD(mprof_heap_class, reserved, 12);
FIELD(mprof_heap_class, objects, 16);
FIELD(mprof_heap_class, bytes, 24);
FIELD(mprof_heap_class, reachable_objects, 32);
FIELD(mprof_heap_class, reachable_bytes, 40);
FIELD(mprof_heap_class, retained_bytes, 48);

SIZE(mprof_heap_object, 64);
FIELD(mprof_heap_object, struct_size, 0);
FIELD(mprof_heap_object, address, 8);
FIELD(mprof_heap_object, bytes, 16);
FIELD(mprof_heap_object, retained_bytes, 24);
FIELD(mprof_heap_object, class_id, 32);
FIELD(mprof_heap_object, class_index, 36);
FIELD(mprof_heap_object, dominator, 40);
FIELD(mprof_heap_object, is_reachable, 44);
FIELD(mprof_heap_object, is_root, 48);
FIELD(mprof_heap_object, references, 52);
FIELD(mprof_heap_object, referrers, 56);
FIELD(mprof_heap_object, reserved, 60);

SIZE(mprof_heap_reference, 16);
FIELD(mprof_heap_reference, object, 0);
FIELD(mprof_heap_reference, has_offset, 4);
FIELD(mprof_heap_reference, offset, 8);

SIZE(mprof_heap_root, 24);
FIELD(mprof_heap_root, struct_size, 0);
FIELD(mprof_heap_root, object, 8);
FIELD(mprof_heap_root, kind, 12);
FIELD(mprof_heap_root, area, 16);
FIELD(mprof_heap_root, reserved, 20);

SIZE(mprof_heap_step, 24);
FIELD(mprof_heap_step, object, 0);
FIELD(mprof_heap_step, is_dominator, 4);
FIELD(mprof_heap_step, has_offset, 8);
FIELD(mprof_heap_step, reserved, 12);
FIELD(mprof_heap_step, offset, 16);

SIZE(mprof_session, 160);
FIELD(mprof_session, struct_size, 0);
FIELD(mprof_session, dialect, 8);
FIELD(mprof_session, version, 12);
FIELD(mprof_session, flags, 16);
FIELD(mprof_session, complete, 20);
FIELD(mprof_session, runtime, 24);
FIELD(mprof_session, start, 32);
FIELD(mprof_session, last, 48);
FIELD(mprof_session, counters_per_second, 64);
FIELD(mprof_session, valid_bytes, 72);
FIELD(mprof_session, lost_events, 80);
FIELD(mprof_session, compressed, 88);
FIELD(mprof_session, states_rate, 92);
FIELD(mprof_session, duration_ns, 96);
FIELD(mprof_session, clock_steps, 104);
FIELD(mprof_session, reserved, 108);
FIELD(mprof_session, clock_step_us, 112);
FIELD(mprof_session, monotonic_ns, 120);
FIELD(mprof_session, boottime_ns, 128);
FIELD(mprof_session, clocks, 136);
FIELD(mprof_session, snapshots_before_shutdown, 152);

SIZE(mprof_index_entry, 56);
FIELD(mprof_index_entry, struct_size, 0);
FIELD(mprof_index_entry, kind, 8);
FIELD(mprof_index_entry, reserved, 12);
FIELD(mprof_index_entry, offset, 16);
FIELD(mprof_index_entry, length, 24);
FIELD(mprof_index_entry, thread, 32);
FIELD(mprof_index_entry, start_counter, 40);
FIELD(mprof_index_entry, end_counter, 48);

SIZE(mprof_sink, 40);
FIELD(mprof_sink, struct_size, 0);
FIELD(mprof_sink, write, 8);
FIELD(mprof_sink, flush, 16);
FIELD(mprof_sink, close, 24);
FIELD(mprof_sink, user, 32);

SIZE(mprof_writer_options, 112);
FIELD(mprof_writer_options, struct_size, 0);
FIELD(mprof_writer_options, dialect, 8);
FIELD(mprof_writer_options, intro_flags, 12);
FIELD(mprof_writer_options, directives, 16);
FIELD(mprof_writer_options, runtime, 24);
FIELD(mprof_writer_options, clock, 32);
FIELD(mprof_writer_options, clock_user, 40);
FIELD(mprof_writer_options, allocator, 48);
FIELD(mprof_writer_options, lossy, 56);
FIELD(mprof_writer_options, gzip_level, 60);
FIELD(mprof_writer_options, max_name_length, 64);
FIELD(mprof_writer_options, max_shot_memory, 72);
FIELD(mprof_writer_options, allow_undefined_ids, 80);
FIELD(mprof_writer_options, file_mode, 84);
FIELD(mprof_writer_options, has_columns, 88);
FIELD(mprof_writer_options, has_index, 92);
FIELD(mprof_writer_options, codec, 96);
FIELD(mprof_writer_options, codec_level, 100);
FIELD(mprof_writer_options, counters_per_second, 104);

SIZE(mprof_class_definition, 40);
FIELD(mprof_class_definition, struct_size, 0);
FIELD(mprof_class_definition, id, 8);
FIELD(mprof_class_definition, assembly_id, 12);
FIELD(mprof_class_definition, name, 16);
FIELD(mprof_class_definition, name_length, 24);
FIELD(mprof_class_definition, size, 32);
FIELD(mprof_class_definition, reserved, 36);

SIZE(mprof_method_definition, 64);
FIELD(mprof_method_definition, struct_size, 0);
FIELD(mprof_method_definition, id, 8);
FIELD(mprof_method_definition, class_id, 12);
FIELD(mprof_method_definition, flags, 16);
FIELD(mprof_method_definition, reserved, 20);
FIELD(mprof_method_definition, name, 24);
FIELD(mprof_method_definition, name_length, 32);
FIELD(mprof_method_definition, source_file, 40);
FIELD(mprof_method_definition, source_file_length, 48);
FIELD(mprof_method_definition, source_line, 56);
FIELD(mprof_method_definition, reserved_line, 60);

SIZE(mprof_element, 64);
FIELD(mprof_element, struct_size, 0);
FIELD(mprof_element, kind, 8);
FIELD(mprof_element, id, 12);
FIELD(mprof_element, start_counter, 16);
FIELD(mprof_element, end_counter, 24);
FIELD(mprof_element, thread, 32);
FIELD(mprof_element, name, 40);
FIELD(mprof_element, name_length, 48);
FIELD(mprof_element, assembly, 56);

SIZE(mprof_property, 16);
FIELD(mprof_property, key, 0);
FIELD(mprof_property, value, 8);

SIZE(mprof_writer_stats, 10288);
FIELD(mprof_writer_stats, struct_size, 0);
FIELD(mprof_writer_stats, bytes, 8);
FIELD(mprof_writer_stats, sink_bytes, 16);
FIELD(mprof_writer_stats, blocks, 24);
FIELD(mprof_writer_stats, events, 32);
FIELD(mprof_writer_stats, left_out, 40);
FIELD(mprof_writer_stats, left_out_events, 48);
FIELD(mprof_writer_stats, left_out_blocks, 2096);
FIELD(mprof_writer_stats, shortened_events, 4144);
FIELD(mprof_writer_stats, left_out_records, 6192);
FIELD(mprof_writer_stats, shortened_blocks, 8240);

SIZE(mprof_description, 72);
FIELD(mprof_description, struct_size, 0);
FIELD(mprof_description, name, 8);
FIELD(mprof_description, name_length, 16);
FIELD(mprof_description, class_key, 24);
FIELD(mprof_description, assembly_key, 32);
FIELD(mprof_description, flags, 40);
FIELD(mprof_description, object_size, 44);
FIELD(mprof_description, source_file, 48);
FIELD(mprof_description, source_file_length, 56);
FIELD(mprof_description, source_line, 64);
FIELD(mprof_description, reserved, 68);

SIZE(mprof_recorder_options, 264);
FIELD(mprof_recorder_options, struct_size, 0);
FIELD(mprof_recorder_options, writer, 8);
FIELD(mprof_recorder_options, allocator, 16);
FIELD(mprof_recorder_options, buffer_events, 24);
FIELD(mprof_recorder_options, max_buffers, 28);
FIELD(mprof_recorder_options, overflow, 32);
FIELD(mprof_recorder_options, drain_interval_ms, 36);
FIELD(mprof_recorder_options, counter, 40);
FIELD(mprof_recorder_options, counter_user, 48);
FIELD(mprof_recorder_options, keys_are_ids, 56);
FIELD(mprof_recorder_options, machine_ticks, 60);
FIELD(mprof_recorder_options, resolve_method, 64);
FIELD(mprof_recorder_options, resolve_class, 72);
FIELD(mprof_recorder_options, resolve_user, 80);
FIELD(mprof_recorder_options, properties, 88);
FIELD(mprof_recorder_options, property_size, 96);
FIELD(mprof_recorder_options, property_count, 104);
FIELD(mprof_recorder_options, allocation_detail, 112);
FIELD(mprof_recorder_options, start_disabled, 116);
FIELD(mprof_recorder_options, max_sample_bytes, 120);
FIELD(mprof_recorder_options, max_heap_bytes, 128);
FIELD(mprof_recorder_options, max_log_bytes, 136);
FIELD(mprof_recorder_options, track_objects, 144);
FIELD(mprof_recorder_options, without_symbols, 148);
FIELD(mprof_recorder_options, thread_started, 152);
FIELD(mprof_recorder_options, thread_ended, 160);
FIELD(mprof_recorder_options, thread_user, 168);
FIELD(mprof_recorder_options, salvage_path, 176);
FIELD(mprof_recorder_options, salvage_log_path, 184);
FIELD(mprof_recorder_options, exception_stacks, 192);
FIELD(mprof_recorder_options, thread_times, 196);
FIELD(mprof_recorder_options, exception_clauses, 200);
FIELD(mprof_recorder_options, heap_offsets, 204);
FIELD(mprof_recorder_options, method_code, 208);
FIELD(mprof_recorder_options, event_rows, 212);
FIELD(mprof_recorder_options, resolution_ns, 216);
FIELD(mprof_recorder_options, drain_threads, 220);
FIELD(mprof_recorder_options, without_index, 224);
FIELD(mprof_recorder_options, max_message_bytes, 232);
FIELD(mprof_recorder_options, counters_per_second, 240);
FIELD(mprof_recorder_options, failed, 248);
FIELD(mprof_recorder_options, failed_user, 256);

SIZE(mprof_recovery, 56);
FIELD(mprof_recovery, struct_size, 0);
FIELD(mprof_recovery, process, 8);
FIELD(mprof_recovery, events, 16);
FIELD(mprof_recovery, lost_events, 24);
FIELD(mprof_recovery, log_bytes, 32);
FIELD(mprof_recovery, is_recording, 40);
FIELD(mprof_recovery, was_complete, 48);

SIZE(mprof_key_range, 16);
FIELD(mprof_key_range, first, 0);
FIELD(mprof_key_range, last, 8);

SIZE(mprof_metric_value, 16);
FIELD(mprof_metric_value, metric, 0);
FIELD(mprof_metric_value, reserved, 4);
FIELD(mprof_metric_value, value, 8);

SIZE(mprof_root_area, 56);
FIELD(mprof_root_area, struct_size, 0);
FIELD(mprof_root_area, start, 8);
FIELD(mprof_root_area, size, 16);
FIELD(mprof_root_area, kind, 24);
FIELD(mprof_root_area, reserved, 28);
FIELD(mprof_root_area, class_key, 32);
FIELD(mprof_root_area, thread, 40);
FIELD(mprof_root_area, name, 48);

SIZE(mprof_class_field, 24);
FIELD(mprof_class_field, name, 0);
FIELD(mprof_class_field, class_key, 8);
FIELD(mprof_class_field, offset, 16);
FIELD(mprof_class_field, stride, 20);

SIZE(mprof_recorder_stats, 2184);
FIELD(mprof_recorder_stats, struct_size, 0);
FIELD(mprof_recorder_stats, events, 8);
FIELD(mprof_recorder_stats, bytes, 16);
FIELD(mprof_recorder_stats, log_bytes, 24);
FIELD(mprof_recorder_stats, lost_events, 32);
FIELD(mprof_recorder_stats, lost, 40);
FIELD(mprof_recorder_stats, waits, 2088);
FIELD(mprof_recorder_stats, unresolved_keys, 2096);
FIELD(mprof_recorder_stats, left_out, 2104);
FIELD(mprof_recorder_stats, threads, 2112);
FIELD(mprof_recorder_stats, classes, 2120);
FIELD(mprof_recorder_stats, methods, 2128);
FIELD(mprof_recorder_stats, buffers, 2136);
FIELD(mprof_recorder_stats, samples, 2144);
FIELD(mprof_recorder_stats, stacks, 2152);
FIELD(mprof_recorder_stats, heap_shots, 2160);
FIELD(mprof_recorder_stats, incomplete_shots, 2168);
FIELD(mprof_recorder_stats, status, 2176);
FIELD(mprof_recorder_stats, system_error, 2180);

SIZE(mprof_pause, 80);
FIELD(mprof_pause, struct_size, 0);
FIELD(mprof_pause, kind, 8);
FIELD(mprof_pause, unfinished, 12);
FIELD(mprof_pause, start_ns, 16);
FIELD(mprof_pause, duration_ns, 24);
FIELD(mprof_pause, thread, 32);
FIELD(mprof_pause, number, 40);
FIELD(mprof_pause, generation, 48);
FIELD(mprof_pause, has_collection, 52);
FIELD(mprof_pause, object, 56);
FIELD(mprof_pause, holder, 64);
FIELD(mprof_pause, class_id, 72);
FIELD(mprof_pause, stack, 76);

SIZE(mprof_timeline, 40);
FIELD(mprof_timeline, struct_size, 0);
FIELD(mprof_timeline, start_ns, 8);
FIELD(mprof_timeline, slice_ns, 16);
FIELD(mprof_timeline, slice_count, 24);
FIELD(mprof_timeline, left_out, 32);

SIZE(mprof_timeline_slice, 72);
FIELD(mprof_timeline_slice, struct_size, 0);
FIELD(mprof_timeline_slice, start_ns, 8);
FIELD(mprof_timeline_slice, existing_ns, 16);
FIELD(mprof_timeline_slice, methods_ns, 24);
FIELD(mprof_timeline_slice, waiting_ns, 32);
FIELD(mprof_timeline_slice, stopped_ns, 40);
FIELD(mprof_timeline_slice, cpu_ns, 48);
FIELD(mprof_timeline_slice, samples, 56);
FIELD(mprof_timeline_slice, waiting_samples, 64);

SIZE(mprof_profile_options, 128);
FIELD(mprof_profile_options, struct_size, 0);
FIELD(mprof_profile_options, allocator, 8);
FIELD(mprof_profile_options, max_memory, 16);
FIELD(mprof_profile_options, without_call_tree, 24);
FIELD(mprof_profile_options, max_stack_depth, 28);
FIELD(mprof_profile_options, with_compilations, 32);
FIELD(mprof_profile_options, with_call_sites, 36);
FIELD(mprof_profile_options, with_monitor_objects, 40);
FIELD(mprof_profile_options, raw_counters, 44);
FIELD(mprof_profile_options, window_start_ns, 48);
FIELD(mprof_profile_options, window_end_ns, 56);
FIELD(mprof_profile_options, threads, 64);
FIELD(mprof_profile_options, thread_count, 72);
FIELD(mprof_profile_options, with_durations, 80);
FIELD(mprof_profile_options, slow_calls, 84);
FIELD(mprof_profile_options, with_locations, 88);
FIELD(mprof_profile_options, with_ages, 92);
FIELD(mprof_profile_options, alive_at_ns, 96);
FIELD(mprof_profile_options, timeline_slices, 104);
FIELD(mprof_profile_options, alive_at_snapshot, 108);
FIELD(mprof_profile_options, traced_object, 112);
FIELD(mprof_profile_options, ends_at_last_event, 120);
FIELD(mprof_profile_options, reserved, 124);

SIZE(mprof_profile_window, 32);
FIELD(mprof_profile_window, struct_size, 0);
FIELD(mprof_profile_window, start_counter, 8);
FIELD(mprof_profile_window, end_counter, 16);
FIELD(mprof_profile_window, is_final, 24);
FIELD(mprof_profile_window, reserved, 28);

SIZE(mprof_profile_totals, 6456);
FIELD(mprof_profile_totals, struct_size, 0);
FIELD(mprof_profile_totals, wall_ns, 8);
FIELD(mprof_profile_totals, method_ns, 16);
FIELD(mprof_profile_totals, calls, 24);
FIELD(mprof_profile_totals, unmatched_leaves, 32);
FIELD(mprof_profile_totals, unclosed_frames, 40);
FIELD(mprof_profile_totals, allocations, 48);
FIELD(mprof_profile_totals, allocated_bytes, 56);
FIELD(mprof_profile_totals, jit_methods, 64);
FIELD(mprof_profile_totals, jit_ns, 72);
FIELD(mprof_profile_totals, jit_failures, 80);
FIELD(mprof_profile_totals, exceptions, 88);
FIELD(mprof_profile_totals, collections, 96);
FIELD(mprof_profile_totals, gc_ns, 104);
FIELD(mprof_profile_totals, samples, 112);
FIELD(mprof_profile_totals, lost_events, 120);
FIELD(mprof_profile_totals, events, 128);
FIELD(mprof_profile_totals, event_counts, 136);
FIELD(mprof_profile_totals, block_counts, 2184);
FIELD(mprof_profile_totals, interrupted_frames, 4232);
FIELD(mprof_profile_totals, freed_objects, 4240);
FIELD(mprof_profile_totals, freed_bytes, 4248);
FIELD(mprof_profile_totals, moved_objects, 4256);
FIELD(mprof_profile_totals, handles_alive, 4264);
FIELD(mprof_profile_totals, contentions, 4272);
FIELD(mprof_profile_totals, contended_ns, 4280);
FIELD(mprof_profile_totals, finalizers, 4288);
FIELD(mprof_profile_totals, finalizer_ns, 4296);
FIELD(mprof_profile_totals, finalizations, 4304);
FIELD(mprof_profile_totals, finalization_ns, 4312);
FIELD(mprof_profile_totals, lost_by_cause, 4320);
FIELD(mprof_profile_totals, class_load_failures, 6368);
FIELD(mprof_profile_totals, limited, 6376);
FIELD(mprof_profile_totals, reserved, 6380);
FIELD(mprof_profile_totals, folded_calls, 6384);
FIELD(mprof_profile_totals, folded_samples, 6392);
FIELD(mprof_profile_totals, folded_sites, 6400);
FIELD(mprof_profile_totals, left_out, 6408);
FIELD(mprof_profile_totals, sample_period_ns, 6416);
FIELD(mprof_profile_totals, unfinished_waits, 6424);
FIELD(mprof_profile_totals, allocation_samples, 6432);
FIELD(mprof_profile_totals, allocations_error, 6440);
FIELD(mprof_profile_totals, bytes_error, 6448);

SIZE(mprof_method_stats, 64);
FIELD(mprof_method_stats, struct_size, 0);
FIELD(mprof_method_stats, id, 8);
FIELD(mprof_method_stats, reserved, 12);
FIELD(mprof_method_stats, calls, 16);
FIELD(mprof_method_stats, total_ns, 24);
FIELD(mprof_method_stats, self_ns, 32);
FIELD(mprof_method_stats, jit_ns, 40);
FIELD(mprof_method_stats, samples, 48);
FIELD(mprof_method_stats, samples_total, 56);

SIZE(mprof_call_durations, 88);
FIELD(mprof_call_durations, struct_size, 0);
FIELD(mprof_call_durations, method, 8);
FIELD(mprof_call_durations, slow_calls, 12);
FIELD(mprof_call_durations, calls, 16);
FIELD(mprof_call_durations, left_out, 24);
FIELD(mprof_call_durations, min_ns, 32);
FIELD(mprof_call_durations, average_ns, 40);
FIELD(mprof_call_durations, max_ns, 48);
FIELD(mprof_call_durations, sum_ns, 56);
FIELD(mprof_call_durations, p50_ns, 64);
FIELD(mprof_call_durations, p90_ns, 72);
FIELD(mprof_call_durations, p99_ns, 80);

SIZE(mprof_slow_call, 40);
FIELD(mprof_slow_call, struct_size, 0);
FIELD(mprof_slow_call, method, 8);
FIELD(mprof_slow_call, call, 12);
FIELD(mprof_slow_call, thread, 16);
FIELD(mprof_slow_call, duration_ns, 24);
FIELD(mprof_slow_call, start_ns, 32);

SIZE(mprof_live_options, 40);
FIELD(mprof_live_options, struct_size, 0);
FIELD(mprof_live_options, allocator, 8);
FIELD(mprof_live_options, max_memory, 16);
FIELD(mprof_live_options, length_ns, 24);
FIELD(mprof_live_options, start_ns, 32);

SIZE(mprof_live_totals, 128);
FIELD(mprof_live_totals, struct_size, 0);
FIELD(mprof_live_totals, length_ns, 8);
FIELD(mprof_live_totals, events, 16);
FIELD(mprof_live_totals, calls, 24);
FIELD(mprof_live_totals, samples, 32);
FIELD(mprof_live_totals, allocations, 40);
FIELD(mprof_live_totals, allocated_bytes, 48);
FIELD(mprof_live_totals, exceptions, 56);
FIELD(mprof_live_totals, collections, 64);
FIELD(mprof_live_totals, gc_ns, 72);
FIELD(mprof_live_totals, jit_methods, 80);
FIELD(mprof_live_totals, jit_ns, 88);
FIELD(mprof_live_totals, contentions, 96);
FIELD(mprof_live_totals, contended_ns, 104);
FIELD(mprof_live_totals, lost_events, 112);
FIELD(mprof_live_totals, left_out, 120);

SIZE(mprof_live_row, 48);
FIELD(mprof_live_row, struct_size, 0);
FIELD(mprof_live_row, id, 8);
FIELD(mprof_live_row, kind, 16);
FIELD(mprof_live_row, reserved, 20);
FIELD(mprof_live_row, count, 24);
FIELD(mprof_live_row, self, 32);
FIELD(mprof_live_row, total, 40);

SIZE(mprof_profile_diff_options, 40);
FIELD(mprof_profile_diff_options, struct_size, 0);
FIELD(mprof_profile_diff_options, allocator, 8);
FIELD(mprof_profile_diff_options, max_memory, 16);
FIELD(mprof_profile_diff_options, before_tree, 24);
FIELD(mprof_profile_diff_options, after_tree, 32);

SIZE(mprof_diff_values, 24);
FIELD(mprof_diff_values, count, 0);
FIELD(mprof_diff_values, self, 8);
FIELD(mprof_diff_values, total, 16);

SIZE(mprof_diff_row, 72);
FIELD(mprof_diff_row, struct_size, 0);
FIELD(mprof_diff_row, name, 8);
FIELD(mprof_diff_row, stack, 12);
FIELD(mprof_diff_row, match, 16);
FIELD(mprof_diff_row, reserved, 20);
FIELD(mprof_diff_row, before, 24);
FIELD(mprof_diff_row, after, 48);

SIZE(mprof_diff_name, 56);
FIELD(mprof_diff_name, struct_size, 0);
FIELD(mprof_diff_name, kind, 8);
FIELD(mprof_diff_name, flags, 12);
FIELD(mprof_diff_name, match, 16);
FIELD(mprof_diff_name, before_id, 20);
FIELD(mprof_diff_name, after_id, 24);
FIELD(mprof_diff_name, reserved, 28);
FIELD(mprof_diff_name, class_name, 32);
FIELD(mprof_diff_name, name, 40);
FIELD(mprof_diff_name, assembly, 48);

SIZE(mprof_diff_node, 80);
FIELD(mprof_diff_node, struct_size, 0);
FIELD(mprof_diff_node, name, 8);
FIELD(mprof_diff_node, match, 12);
FIELD(mprof_diff_node, parent, 16);
FIELD(mprof_diff_node, first_child, 20);
FIELD(mprof_diff_node, next_sibling, 24);
FIELD(mprof_diff_node, reserved, 28);
FIELD(mprof_diff_node, before, 32);
FIELD(mprof_diff_node, after, 56);

SIZE(mprof_frame_tree_options, 56);
FIELD(mprof_frame_tree_options, struct_size, 0);
FIELD(mprof_frame_tree_options, allocator, 8);
FIELD(mprof_frame_tree_options, max_memory, 16);
FIELD(mprof_frame_tree_options, source, 24);
FIELD(mprof_frame_tree_options, inverted, 28);
FIELD(mprof_frame_tree_options, max_depth, 32);
FIELD(mprof_frame_tree_options, has_focus, 36);
FIELD(mprof_frame_tree_options, choose, 40);
FIELD(mprof_frame_tree_options, user, 48);

SIZE(mprof_frame_node, 56);
FIELD(mprof_frame_node, struct_size, 0);
FIELD(mprof_frame_node, kind, 8);
FIELD(mprof_frame_node, id, 12);
FIELD(mprof_frame_node, flags, 16);
FIELD(mprof_frame_node, parent, 20);
FIELD(mprof_frame_node, first_child, 24);
FIELD(mprof_frame_node, next_sibling, 28);
FIELD(mprof_frame_node, count, 32);
FIELD(mprof_frame_node, self, 40);
FIELD(mprof_frame_node, total, 48);

SIZE(mprof_frame_stats, 48);
FIELD(mprof_frame_stats, struct_size, 0);
FIELD(mprof_frame_stats, kind, 8);
FIELD(mprof_frame_stats, id, 12);
FIELD(mprof_frame_stats, flags, 16);
FIELD(mprof_frame_stats, choice, 20);
FIELD(mprof_frame_stats, count, 24);
FIELD(mprof_frame_stats, self, 32);
FIELD(mprof_frame_stats, total, 40);

SIZE(mprof_class_stats, 88);
FIELD(mprof_class_stats, struct_size, 0);
FIELD(mprof_class_stats, id, 8);
FIELD(mprof_class_stats, reserved, 12);
FIELD(mprof_class_stats, allocations, 16);
FIELD(mprof_class_stats, bytes, 24);
FIELD(mprof_class_stats, freed, 32);
FIELD(mprof_class_stats, freed_bytes, 40);
FIELD(mprof_class_stats, exceptions, 48);
FIELD(mprof_class_stats, load_ns, 56);
FIELD(mprof_class_stats, samples, 64);
FIELD(mprof_class_stats, allocations_error, 72);
FIELD(mprof_class_stats, bytes_error, 80);

SIZE(mprof_call_stats, 72);
FIELD(mprof_call_stats, struct_size, 0);
FIELD(mprof_call_stats, method, 8);
FIELD(mprof_call_stats, parent, 12);
FIELD(mprof_call_stats, first_child, 16);
FIELD(mprof_call_stats, next_sibling, 20);
FIELD(mprof_call_stats, calls, 24);
FIELD(mprof_call_stats, total_ns, 32);
FIELD(mprof_call_stats, self_ns, 40);
FIELD(mprof_call_stats, allocations, 48);
FIELD(mprof_call_stats, bytes, 56);
FIELD(mprof_call_stats, flags, 64);
FIELD(mprof_call_stats, reserved, 68);

SIZE(mprof_sample_stats, 32);
FIELD(mprof_sample_stats, struct_size, 0);
FIELD(mprof_sample_stats, kind, 8);
FIELD(mprof_sample_stats, id, 12);
FIELD(mprof_sample_stats, self, 16);
FIELD(mprof_sample_stats, total, 24);

SIZE(mprof_sample_node, 48);
FIELD(mprof_sample_node, struct_size, 0);
FIELD(mprof_sample_node, kind, 8);
FIELD(mprof_sample_node, id, 12);
FIELD(mprof_sample_node, parent, 16);
FIELD(mprof_sample_node, first_child, 20);
FIELD(mprof_sample_node, next_sibling, 24);
FIELD(mprof_sample_node, wait, 28);
FIELD(mprof_sample_node, self, 32);
FIELD(mprof_sample_node, total, 40);

SIZE(mprof_allocation_site, 72);
FIELD(mprof_allocation_site, struct_size, 0);
FIELD(mprof_allocation_site, class_id, 8);
FIELD(mprof_allocation_site, stack, 12);
FIELD(mprof_allocation_site, caller, 16);
FIELD(mprof_allocation_site, flags, 20);
FIELD(mprof_allocation_site, allocations, 24);
FIELD(mprof_allocation_site, bytes, 32);
FIELD(mprof_allocation_site, call, 40);
FIELD(mprof_allocation_site, reserved, 44);
FIELD(mprof_allocation_site, samples, 48);
FIELD(mprof_allocation_site, allocations_error, 56);
FIELD(mprof_allocation_site, bytes_error, 64);

SIZE(mprof_heap_shot, 2136);
FIELD(mprof_heap_shot, struct_size, 0);
FIELD(mprof_heap_shot, number, 8);
FIELD(mprof_heap_shot, incomplete, 12);
FIELD(mprof_heap_shot, time_ns, 16);
FIELD(mprof_heap_shot, objects, 24);
FIELD(mprof_heap_shot, bytes, 32);
FIELD(mprof_heap_shot, references, 40);
FIELD(mprof_heap_shot, freed, 48);
FIELD(mprof_heap_shot, freed_bytes, 56);
FIELD(mprof_heap_shot, moved, 64);
FIELD(mprof_heap_shot, roots, 72);
FIELD(mprof_heap_shot, roots_by_kind, 80);
FIELD(mprof_heap_shot, classes, 2128);

SIZE(mprof_heap_shot_class, 32);
FIELD(mprof_heap_shot_class, struct_size, 0);
FIELD(mprof_heap_shot_class, class_id, 8);
FIELD(mprof_heap_shot_class, reserved, 12);
FIELD(mprof_heap_shot_class, objects, 16);
FIELD(mprof_heap_shot_class, bytes, 24);

SIZE(mprof_heap_summary, 56);
FIELD(mprof_heap_summary, struct_size, 0);
FIELD(mprof_heap_summary, collection, 8);
FIELD(mprof_heap_summary, class_id, 12);
FIELD(mprof_heap_summary, time_ns, 16);
FIELD(mprof_heap_summary, live_objects, 24);
FIELD(mprof_heap_summary, live_bytes, 32);
FIELD(mprof_heap_summary, dead_objects, 40);
FIELD(mprof_heap_summary, dead_bytes, 48);

SIZE(mprof_handle_stats, 40);
FIELD(mprof_handle_stats, struct_size, 0);
FIELD(mprof_handle_stats, class_id, 8);
FIELD(mprof_handle_stats, type, 12);
FIELD(mprof_handle_stats, created, 16);
FIELD(mprof_handle_stats, alive, 24);
FIELD(mprof_handle_stats, deleted, 32);

SIZE(mprof_handle_site, 40);
FIELD(mprof_handle_site, struct_size, 0);
FIELD(mprof_handle_site, class_id, 8);
FIELD(mprof_handle_site, type, 12);
FIELD(mprof_handle_site, stack, 16);
FIELD(mprof_handle_site, reserved, 20);
FIELD(mprof_handle_site, created, 24);
FIELD(mprof_handle_site, alive, 32);

SIZE(mprof_exception_site, 32);
FIELD(mprof_exception_site, struct_size, 0);
FIELD(mprof_exception_site, class_id, 8);
FIELD(mprof_exception_site, stack, 12);
FIELD(mprof_exception_site, exceptions, 16);
FIELD(mprof_exception_site, call, 24);
FIELD(mprof_exception_site, reserved, 28);

SIZE(mprof_method_code, 40);
FIELD(mprof_method_code, struct_size, 0);
FIELD(mprof_method_code, method, 8);
FIELD(mprof_method_code, origin, 12);
FIELD(mprof_method_code, count, 16);
FIELD(mprof_method_code, bytes, 24);
FIELD(mprof_method_code, compile_ns, 32);

SIZE(mprof_exception_clause, 32);
FIELD(mprof_exception_clause, struct_size, 0);
FIELD(mprof_exception_clause, method, 8);
FIELD(mprof_exception_clause, class_id, 12);
FIELD(mprof_exception_clause, kind, 16);
FIELD(mprof_exception_clause, number, 20);
FIELD(mprof_exception_clause, runs, 24);

SIZE(mprof_monitor_stats, 56);
FIELD(mprof_monitor_stats, struct_size, 0);
FIELD(mprof_monitor_stats, class_id, 8);
FIELD(mprof_monitor_stats, reserved, 12);
FIELD(mprof_monitor_stats, contentions, 16);
FIELD(mprof_monitor_stats, acquired, 24);
FIELD(mprof_monitor_stats, failures, 32);
FIELD(mprof_monitor_stats, contended_ns, 40);
FIELD(mprof_monitor_stats, unfinished, 48);

SIZE(mprof_monitor_site, 64);
FIELD(mprof_monitor_site, struct_size, 0);
FIELD(mprof_monitor_site, class_id, 8);
FIELD(mprof_monitor_site, stack, 12);
FIELD(mprof_monitor_site, contentions, 16);
FIELD(mprof_monitor_site, contended_ns, 24);
FIELD(mprof_monitor_site, failures, 32);
FIELD(mprof_monitor_site, object, 40);
FIELD(mprof_monitor_site, call, 48);
FIELD(mprof_monitor_site, reserved, 52);
FIELD(mprof_monitor_site, unfinished, 56);

SIZE(mprof_monitor_holder, 48);
FIELD(mprof_monitor_holder, struct_size, 0);
FIELD(mprof_monitor_holder, class_id, 8);
FIELD(mprof_monitor_holder, reserved, 12);
FIELD(mprof_monitor_holder, thread, 16);
FIELD(mprof_monitor_holder, contentions, 24);
FIELD(mprof_monitor_holder, contended_ns, 32);
FIELD(mprof_monitor_holder, unfinished, 40);

SIZE(mprof_finalizer_stats, 32);
FIELD(mprof_finalizer_stats, struct_size, 0);
FIELD(mprof_finalizer_stats, class_id, 8);
FIELD(mprof_finalizer_stats, reserved, 12);
FIELD(mprof_finalizer_stats, count, 16);
FIELD(mprof_finalizer_stats, total_ns, 24);

SIZE(mprof_age_stats, 192);
FIELD(mprof_age_stats, struct_size, 0);
FIELD(mprof_age_stats, allocations, 8);
FIELD(mprof_age_stats, bytes, 16);
FIELD(mprof_age_stats, dead, 24);
FIELD(mprof_age_stats, dead_bytes, 32);
FIELD(mprof_age_stats, live, 40);
FIELD(mprof_age_stats, live_bytes, 48);
FIELD(mprof_age_stats, peak_live, 56);
FIELD(mprof_age_stats, peak_bytes, 64);
FIELD(mprof_age_stats, peak_ns, 72);
FIELD(mprof_age_stats, temporaries, 80);
FIELD(mprof_age_stats, temporary_bytes, 88);
FIELD(mprof_age_stats, ages, 96);
FIELD(mprof_age_stats, collections, 104);
FIELD(mprof_age_stats, sample_interval, 112);
FIELD(mprof_age_stats, without_address, 120);
FIELD(mprof_age_stats, untracked, 128);
FIELD(mprof_age_stats, folded, 136);
FIELD(mprof_age_stats, deaths_read, 144);
FIELD(mprof_age_stats, unmatched_deaths, 152);
FIELD(mprof_age_stats, missing_deaths, 160);
FIELD(mprof_age_stats, unmatched_moves, 168);
FIELD(mprof_age_stats, is_estimate, 176);
FIELD(mprof_age_stats, reserved, 180);
FIELD(mprof_age_stats, uncertain_moves, 184);

SIZE(mprof_age_class, 104);
FIELD(mprof_age_class, struct_size, 0);
FIELD(mprof_age_class, class_id, 8);
FIELD(mprof_age_class, sites, 12);
FIELD(mprof_age_class, allocations, 16);
FIELD(mprof_age_class, bytes, 24);
FIELD(mprof_age_class, dead, 32);
FIELD(mprof_age_class, dead_bytes, 40);
FIELD(mprof_age_class, live, 48);
FIELD(mprof_age_class, live_bytes, 56);
FIELD(mprof_age_class, peak_live, 64);
FIELD(mprof_age_class, peak_bytes, 72);
FIELD(mprof_age_class, temporaries, 80);
FIELD(mprof_age_class, temporary_bytes, 88);
FIELD(mprof_age_class, ages, 96);

SIZE(mprof_object_origin, 32);
FIELD(mprof_object_origin, struct_size, 0);
FIELD(mprof_object_origin, identity, 8);
FIELD(mprof_object_origin, bytes, 16);
FIELD(mprof_object_origin, site, 24);
FIELD(mprof_object_origin, age, 28);

SIZE(mprof_traced_address, 32);
FIELD(mprof_traced_address, struct_size, 0);
FIELD(mprof_traced_address, address, 8);
FIELD(mprof_traced_address, time_ns, 16);
FIELD(mprof_traced_address, age, 24);
FIELD(mprof_traced_address, reserved, 28);

SIZE(mprof_age_site, 168);
FIELD(mprof_age_site, struct_size, 0);
FIELD(mprof_age_site, class_id, 8);
FIELD(mprof_age_site, stack, 12);
FIELD(mprof_age_site, caller, 16);
FIELD(mprof_age_site, flags, 20);
FIELD(mprof_age_site, samples, 24);
FIELD(mprof_age_site, allocations, 32);
FIELD(mprof_age_site, bytes, 40);
FIELD(mprof_age_site, dead, 48);
FIELD(mprof_age_site, dead_bytes, 56);
FIELD(mprof_age_site, live, 64);
FIELD(mprof_age_site, live_bytes, 72);
FIELD(mprof_age_site, peak_live, 80);
FIELD(mprof_age_site, peak_bytes, 88);
FIELD(mprof_age_site, temporaries, 96);
FIELD(mprof_age_site, temporary_bytes, 104);
FIELD(mprof_age_site, ages, 112);
FIELD(mprof_age_site, allocations_error, 120);
FIELD(mprof_age_site, bytes_error, 128);
FIELD(mprof_age_site, live_error, 136);
FIELD(mprof_age_site, live_bytes_error, 144);
FIELD(mprof_age_site, peak_bytes_error, 152);
FIELD(mprof_age_site, temporary_bytes_error, 160);

SIZE(mprof_heap_change_entry, 72);
FIELD(mprof_heap_change_entry, struct_size, 0);
FIELD(mprof_heap_change_entry, kind, 8);
FIELD(mprof_heap_change_entry, generation, 12);
FIELD(mprof_heap_change_entry, number, 16);
FIELD(mprof_heap_change_entry, time_ns, 24);
FIELD(mprof_heap_change_entry, objects_before, 32);
FIELD(mprof_heap_change_entry, bytes_before, 40);
FIELD(mprof_heap_change_entry, collected_objects, 48);
FIELD(mprof_heap_change_entry, collected_bytes, 56);
FIELD(mprof_heap_change_entry, heap_bytes, 64);

SIZE(mprof_memory_stats, 136);
FIELD(mprof_memory_stats, struct_size, 0);
FIELD(mprof_memory_stats, allocations, 8);
FIELD(mprof_memory_stats, bytes, 16);
FIELD(mprof_memory_stats, frees, 24);
FIELD(mprof_memory_stats, resizes, 32);
FIELD(mprof_memory_stats, live, 40);
FIELD(mprof_memory_stats, live_bytes, 48);
FIELD(mprof_memory_stats, peak_bytes, 56);
FIELD(mprof_memory_stats, peak_live, 64);
FIELD(mprof_memory_stats, peak_ns, 72);
FIELD(mprof_memory_stats, temporaries, 80);
FIELD(mprof_memory_stats, unmatched_frees, 88);
FIELD(mprof_memory_stats, missing_frees, 96);
FIELD(mprof_memory_stats, late_events, 104);
FIELD(mprof_memory_stats, is_estimate, 112);
FIELD(mprof_memory_stats, is_peak_estimate, 116);
FIELD(mprof_memory_stats, folded_sites, 120);
FIELD(mprof_memory_stats, untracked, 128);

SIZE(mprof_memory_site, 104);
FIELD(mprof_memory_site, struct_size, 0);
FIELD(mprof_memory_site, stack, 8);
FIELD(mprof_memory_site, is_folded, 12);
FIELD(mprof_memory_site, allocations, 16);
FIELD(mprof_memory_site, bytes, 24);
FIELD(mprof_memory_site, frees, 32);
FIELD(mprof_memory_site, live, 40);
FIELD(mprof_memory_site, live_bytes, 48);
FIELD(mprof_memory_site, peak_live, 56);
FIELD(mprof_memory_site, peak_bytes, 64);
FIELD(mprof_memory_site, temporaries, 72);
FIELD(mprof_memory_site, lifetime_ns, 80);
FIELD(mprof_memory_site, shortest_ns, 88);
FIELD(mprof_memory_site, longest_ns, 96);

SIZE(mprof_memory_size, 40);
FIELD(mprof_memory_size, struct_size, 0);
FIELD(mprof_memory_size, smallest, 8);
FIELD(mprof_memory_size, largest, 16);
FIELD(mprof_memory_size, allocations, 24);
FIELD(mprof_memory_size, bytes, 32);

SIZE(mprof_metric_stats, 88);
FIELD(mprof_metric_stats, struct_size, 0);
FIELD(mprof_metric_stats, id, 8);
FIELD(mprof_metric_stats, flags, 12);
FIELD(mprof_metric_stats, section, 16);
FIELD(mprof_metric_stats, name, 24);
FIELD(mprof_metric_stats, count, 32);
FIELD(mprof_metric_stats, first, 40);
FIELD(mprof_metric_stats, last, 48);
FIELD(mprof_metric_stats, minimum, 56);
FIELD(mprof_metric_stats, maximum, 64);
FIELD(mprof_metric_stats, last_ns, 72);
FIELD(mprof_metric_stats, thread, 80);

SIZE(mprof_mark, 32);
FIELD(mprof_mark, struct_size, 0);
FIELD(mprof_mark, time_ns, 8);
FIELD(mprof_mark, thread, 16);
FIELD(mprof_mark, text, 24);

SIZE(mprof_profile_property, 24);
FIELD(mprof_profile_property, struct_size, 0);
FIELD(mprof_profile_property, key, 8);
FIELD(mprof_profile_property, value, 16);

SIZE(mprof_table_column, 32);
FIELD(mprof_table_column, name, 0);
FIELD(mprof_table_column, type, 8);
FIELD(mprof_table_column, unit, 12);
FIELD(mprof_table_column, offset, 16);
FIELD(mprof_table_column, length, 24);

SIZE(mprof_table_info, 24);
FIELD(mprof_table_info, name, 0);
FIELD(mprof_table_info, row_size, 8);
FIELD(mprof_table_info, column_count, 16);

SIZE(mprof_collection, 72);
FIELD(mprof_collection, struct_size, 0);
FIELD(mprof_collection, number, 8);
FIELD(mprof_collection, generation, 16);
FIELD(mprof_collection, unfinished, 20);
FIELD(mprof_collection, start_ns, 24);
FIELD(mprof_collection, duration_ns, 32);
FIELD(mprof_collection, mark_ns, 40);
FIELD(mprof_collection, sweep_ns, 48);
FIELD(mprof_collection, pause_ns, 56);
FIELD(mprof_collection, is_counted, 64);
FIELD(mprof_collection, reserved, 68);

SIZE(mprof_heap_resize, 32);
FIELD(mprof_heap_resize, struct_size, 0);
FIELD(mprof_heap_resize, time_ns, 8);
FIELD(mprof_heap_resize, bytes, 16);
FIELD(mprof_heap_resize, number, 24);

SIZE(mprof_thread_stats, 96);
FIELD(mprof_thread_stats, struct_size, 0);
FIELD(mprof_thread_stats, id, 8);
FIELD(mprof_thread_stats, name, 16);
FIELD(mprof_thread_stats, events, 24);
FIELD(mprof_thread_stats, self_ns, 32);
FIELD(mprof_thread_stats, lost, 40);
FIELD(mprof_thread_stats, samples, 48);
FIELD(mprof_thread_stats, wall_ns, 56);
FIELD(mprof_thread_stats, cpu_ns, 64);
FIELD(mprof_thread_stats, ready_ns, 72);
FIELD(mprof_thread_stats, voluntary_switches, 80);
FIELD(mprof_thread_stats, involuntary_switches, 88);

SIZE(mprof_element_stats, 56);
FIELD(mprof_element_stats, struct_size, 0);
FIELD(mprof_element_stats, kind, 8);
FIELD(mprof_element_stats, id, 12);
FIELD(mprof_element_stats, name, 16);
FIELD(mprof_element_stats, assembly, 24);
FIELD(mprof_element_stats, loaded_ns, 32);
FIELD(mprof_element_stats, load_ns, 40);
FIELD(mprof_element_stats, unloaded_ns, 48);

/* Enumerations are passed as int. */
SIZE(mprof_status, 4);
SIZE(mprof_severity, 4);
SIZE(mprof_dialect, 4);
SIZE(mprof_block_kind, 4);
SIZE(mprof_event_kind, 4);
SIZE(mprof_event_flag, 4);
SIZE(mprof_element_kind, 4);
SIZE(mprof_intro_flag, 4);
SIZE(mprof_directive, 4);
SIZE(mprof_method_flag, 4);
SIZE(mprof_loss_cause, 4);
SIZE(mprof_monitor_state, 4);
SIZE(mprof_handle_type, 4);
SIZE(mprof_root_kind, 4);
SIZE(mprof_heap_flag, 4);
SIZE(mprof_metric_flag, 4);
SIZE(mprof_record_kind, 4);
SIZE(mprof_feature, 4);
SIZE(mprof_overflow, 4);
SIZE(mprof_allocation_detail, 4);
SIZE(mprof_event_id, 4);
SIZE(mprof_event_value, 4);
SIZE(mprof_event_time, 4);
SIZE(mprof_event_category, 4);
SIZE(mprof_heap_use, 4);
SIZE(mprof_sample_kind, 4);
SIZE(mprof_wait_kind, 4);

/* The size that the library returns for each structure. */
static int check_sizes(void)
{
	static const struct {
		const char *name;
		size_t size;
	} sizes[] = {
		{"mprof_error", sizeof(mprof_error)},
		{"mprof_allocator", sizeof(mprof_allocator)},
		{"mprof_block_set", sizeof(mprof_block_set)},
		{"mprof_event_info", sizeof(mprof_event_info)},
		{"mprof_dialect_info", sizeof(mprof_dialect_info)},
		{"mprof_event_detail", sizeof(mprof_event_detail)},
		{"mprof_event", sizeof(mprof_event)},
		{"mprof_assembly_name", sizeof(mprof_assembly_name)},
		{"mprof_stack_record", sizeof(mprof_stack_record)},
		{"mprof_module_record", sizeof(mprof_module_record)},
		{"mprof_function_record", sizeof(mprof_function_record)},
		{"mprof_location_record", sizeof(mprof_location_record)},
		{"mprof_root_record", sizeof(mprof_root_record)},
		{"mprof_metric_record", sizeof(mprof_metric_record)},
		{"mprof_metric_value_record", sizeof(mprof_metric_value_record)},
		{"mprof_summary_record", sizeof(mprof_summary_record)},
		{"mprof_field_record", sizeof(mprof_field_record)},
		{"mprof_record", sizeof(mprof_record)},
		{"mprof_clock", sizeof(mprof_clock)},
		{"mprof_codec", sizeof(mprof_codec)},
		{"mprof_parser_options", sizeof(mprof_parser_options)},
		{"mprof_intro_block", sizeof(mprof_intro_block)},
		{"mprof_end_block", sizeof(mprof_end_block)},
		{"mprof_element_block", sizeof(mprof_element_block)},
		{"mprof_events_block", sizeof(mprof_events_block)},
		{"mprof_samples_block", sizeof(mprof_samples_block)},
		{"mprof_statistical_block", sizeof(mprof_statistical_block)},
		{"mprof_heap_data_block", sizeof(mprof_heap_data_block)},
		{"mprof_heap_summary_block", sizeof(mprof_heap_summary_block)},
		{"mprof_directives_block", sizeof(mprof_directives_block)},
		{"mprof_thread_block", sizeof(mprof_thread_block)},
		{"mprof_lost_block", sizeof(mprof_lost_block)},
		{"mprof_mark_block", sizeof(mprof_mark_block)},
		{"mprof_watermark_block", sizeof(mprof_watermark_block)},
		{"mprof_index_block", sizeof(mprof_index_block)},
		{"mprof_query", sizeof(mprof_query)},
		{"mprof_block", sizeof(mprof_block)},
		{"mprof_mapping", sizeof(mprof_mapping)},
		{"mprof_source", sizeof(mprof_source)},
		{"mprof_reader_options", sizeof(mprof_reader_options)},
		{"mprof_stack_frame", sizeof(mprof_stack_frame)},
		{"mprof_session", sizeof(mprof_session)},
		{"mprof_index_entry", sizeof(mprof_index_entry)},
		{"mprof_sink", sizeof(mprof_sink)},
		{"mprof_writer_options", sizeof(mprof_writer_options)},
		{"mprof_class_definition", sizeof(mprof_class_definition)},
		{"mprof_method_definition", sizeof(mprof_method_definition)},
		{"mprof_element", sizeof(mprof_element)},
		{"mprof_property", sizeof(mprof_property)},
		{"mprof_writer_stats", sizeof(mprof_writer_stats)},
		{"mprof_description", sizeof(mprof_description)},
		{"mprof_recorder_options", sizeof(mprof_recorder_options)},
		{"mprof_key_range", sizeof(mprof_key_range)},
		{"mprof_metric_value", sizeof(mprof_metric_value)},
		{"mprof_root_area", sizeof(mprof_root_area)},
		{"mprof_class_field", sizeof(mprof_class_field)},
		{"mprof_recorder_stats", sizeof(mprof_recorder_stats)},
		{"mprof_profile_options", sizeof(mprof_profile_options)},
		{"mprof_profile_totals", sizeof(mprof_profile_totals)},
		{"mprof_profile_window", sizeof(mprof_profile_window)},
		{"mprof_method_stats", sizeof(mprof_method_stats)},
		{"mprof_call_durations", sizeof(mprof_call_durations)},
		{"mprof_slow_call", sizeof(mprof_slow_call)},
		{"mprof_frame_tree_options", sizeof(mprof_frame_tree_options)},
		{"mprof_frame_node", sizeof(mprof_frame_node)},
		{"mprof_frame_stats", sizeof(mprof_frame_stats)},
		{"mprof_live_options", sizeof(mprof_live_options)},
		{"mprof_live_totals", sizeof(mprof_live_totals)},
		{"mprof_live_row", sizeof(mprof_live_row)},
		{"mprof_profile_diff_options", sizeof(mprof_profile_diff_options)},
		{"mprof_diff_values", sizeof(mprof_diff_values)},
		{"mprof_diff_row", sizeof(mprof_diff_row)},
		{"mprof_diff_name", sizeof(mprof_diff_name)},
		{"mprof_diff_node", sizeof(mprof_diff_node)},
		{"mprof_class_stats", sizeof(mprof_class_stats)},
		{"mprof_call_stats", sizeof(mprof_call_stats)},
		{"mprof_sample_stats", sizeof(mprof_sample_stats)},
		{"mprof_sample_node", sizeof(mprof_sample_node)},
		{"mprof_allocation_site", sizeof(mprof_allocation_site)},
		{"mprof_heap_shot", sizeof(mprof_heap_shot)},
		{"mprof_heap_shot_class", sizeof(mprof_heap_shot_class)},
		{"mprof_heap_summary", sizeof(mprof_heap_summary)},
		{"mprof_handle_stats", sizeof(mprof_handle_stats)},
		{"mprof_handle_site", sizeof(mprof_handle_site)},
		{"mprof_exception_site", sizeof(mprof_exception_site)},
		{"mprof_method_code", sizeof(mprof_method_code)},
		{"mprof_exception_clause", sizeof(mprof_exception_clause)},
		{"mprof_monitor_stats", sizeof(mprof_monitor_stats)},
		{"mprof_monitor_site", sizeof(mprof_monitor_site)},
		{"mprof_monitor_holder", sizeof(mprof_monitor_holder)},
		{"mprof_finalizer_stats", sizeof(mprof_finalizer_stats)},
		{"mprof_age_stats", sizeof(mprof_age_stats)},
		{"mprof_age_class", sizeof(mprof_age_class)},
		{"mprof_age_site", sizeof(mprof_age_site)},
		{"mprof_object_origin", sizeof(mprof_object_origin)},
		{"mprof_traced_address", sizeof(mprof_traced_address)},
		{"mprof_heap_change_entry", sizeof(mprof_heap_change_entry)},
		{"mprof_memory_stats", sizeof(mprof_memory_stats)},
		{"mprof_memory_site", sizeof(mprof_memory_site)},
		{"mprof_memory_size", sizeof(mprof_memory_size)},
		{"mprof_metric_stats", sizeof(mprof_metric_stats)},
		{"mprof_mark", sizeof(mprof_mark)},
		{"mprof_collection", sizeof(mprof_collection)},
		{"mprof_heap_resize", sizeof(mprof_heap_resize)},
		{"mprof_thread_stats", sizeof(mprof_thread_stats)},
		{"mprof_element_stats", sizeof(mprof_element_stats)},
		{"mprof_profile_property", sizeof(mprof_profile_property)},
		{"mprof_table_column", sizeof(mprof_table_column)},
		{"mprof_table_info", sizeof(mprof_table_info)},
	};
	int result = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (mprof_struct_get_size(sizes[i].name) == sizes[i].size)
			continue;
		printf("FAIL: %s has %zu bytes, not %zu\n", sizes[i].name, sizes[i].size,
		       mprof_struct_get_size(sizes[i].name));
		result = 1;
	}
	if (mprof_struct_get_size(NULL) != 0 || mprof_struct_get_size("mprof_nothing") != 0) {
		puts("FAIL: what is no structure has a size");
		result = 1;
	}
	return result;
}

int main(void)
{
	if (check_sizes() != 0)
		return 1;
	puts("OK: the compiler checked the layout, and the library has the same sizes");
	return 0;
}

#else

int main(void)
{
	puts("SKIP: the layout is written down for 64-bit pointers only");
	return STATUS_SKIP;
}

#endif
