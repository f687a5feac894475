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

SIZE(mprof_allocator, 32);
FIELD(mprof_allocator, allocate, 0);
FIELD(mprof_allocator, reallocate, 8);
FIELD(mprof_allocator, release, 16);
FIELD(mprof_allocator, user, 24);

SIZE(mprof_event_detail, 40);
FIELD(mprof_event_detail, object, 0);
FIELD(mprof_event_detail, caller, 8);
FIELD(mprof_event_detail, stack, 12);
FIELD(mprof_event_detail, handle_type, 16);
FIELD(mprof_event_detail, reference_count, 20);
FIELD(mprof_event_detail, references, 24);
FIELD(mprof_event_detail, samples, 32);

SIZE(mprof_event, 32);
FIELD(mprof_event, kind, 0);
FIELD(mprof_event, flags, 1);
FIELD(mprof_event, code, 2);
FIELD(mprof_event, reserved, 3);
FIELD(mprof_event, id, 4);
FIELD(mprof_event, counter, 8);
FIELD(mprof_event, value, 16);
FIELD(mprof_event, more, 24);

SIZE(mprof_assembly_name, 48);
FIELD(mprof_assembly_name, base_name, 0);
FIELD(mprof_assembly_name, culture, 8);
FIELD(mprof_assembly_name, public_key_token, 16);
FIELD(mprof_assembly_name, major, 24);
FIELD(mprof_assembly_name, minor, 28);
FIELD(mprof_assembly_name, build, 32);
FIELD(mprof_assembly_name, revision, 36);
FIELD(mprof_assembly_name, retargetable, 40);

SIZE(mprof_record, 96);
FIELD(mprof_record, kind, 0);
FIELD(mprof_record, id, 4);
FIELD(mprof_record, parent, 8);
FIELD(mprof_record, target, 12);
FIELD(mprof_record, flags, 16);
FIELD(mprof_record, reserved, 20);
FIELD(mprof_record, start, 24);
FIELD(mprof_record, size, 32);
FIELD(mprof_record, value, 40);
FIELD(mprof_record, counts, 48);
FIELD(mprof_record, name, 80);
FIELD(mprof_record, section, 88);

SIZE(mprof_clock, 16);
FIELD(mprof_clock, counter, 0);
FIELD(mprof_clock, time, 8);

SIZE(mprof_sink, 32);
FIELD(mprof_sink, write, 0);
FIELD(mprof_sink, flush, 8);
FIELD(mprof_sink, close, 16);
FIELD(mprof_sink, user, 24);

SIZE(mprof_writer_options, 88);
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
FIELD(mprof_writer_options, reserved, 84);

SIZE(mprof_class_definition, 32);
FIELD(mprof_class_definition, id, 0);
FIELD(mprof_class_definition, assembly_id, 4);
FIELD(mprof_class_definition, name, 8);
FIELD(mprof_class_definition, name_length, 16);
FIELD(mprof_class_definition, size, 24);
FIELD(mprof_class_definition, reserved, 28);

SIZE(mprof_method_definition, 32);
FIELD(mprof_method_definition, id, 0);
FIELD(mprof_method_definition, class_id, 4);
FIELD(mprof_method_definition, flags, 8);
FIELD(mprof_method_definition, reserved, 12);
FIELD(mprof_method_definition, name, 16);
FIELD(mprof_method_definition, name_length, 24);

SIZE(mprof_element, 56);
FIELD(mprof_element, kind, 0);
FIELD(mprof_element, id, 4);
FIELD(mprof_element, start_counter, 8);
FIELD(mprof_element, end_counter, 16);
FIELD(mprof_element, thread, 24);
FIELD(mprof_element, name, 32);
FIELD(mprof_element, name_length, 40);
FIELD(mprof_element, assembly, 48);

SIZE(mprof_property, 16);
FIELD(mprof_property, key, 0);
FIELD(mprof_property, value, 8);

SIZE(mprof_writer_stats, 2224);
FIELD(mprof_writer_stats, struct_size, 0);
FIELD(mprof_writer_stats, bytes, 8);
FIELD(mprof_writer_stats, sink_bytes, 16);
FIELD(mprof_writer_stats, blocks, 24);
FIELD(mprof_writer_stats, events, 32);
FIELD(mprof_writer_stats, left_out, 40);
FIELD(mprof_writer_stats, left_out_events, 48);
FIELD(mprof_writer_stats, left_out_blocks, 560);
FIELD(mprof_writer_stats, shortened_events, 1072);
FIELD(mprof_writer_stats, left_out_records, 1584);
FIELD(mprof_writer_stats, shortened_blocks, 1712);

SIZE(mprof_parser_options, 40);
FIELD(mprof_parser_options, struct_size, 0);
FIELD(mprof_parser_options, allocator, 8);
FIELD(mprof_parser_options, max_block_length, 16);
FIELD(mprof_parser_options, max_name_length, 24);
FIELD(mprof_parser_options, ignore_checksums, 32);
FIELD(mprof_parser_options, reserved, 36);

SIZE(mprof_block, 280);
FIELD(mprof_block, struct_size, 0);
FIELD(mprof_block, kind, 8);
FIELD(mprof_block, code, 12);
FIELD(mprof_block, offset, 16);
FIELD(mprof_block, header_length, 24);
FIELD(mprof_block, length, 32);
FIELD(mprof_block, loaded, 40);
FIELD(mprof_block, has_clocks, 44);
FIELD(mprof_block, start, 48);
FIELD(mprof_block, end, 64);
FIELD(mprof_block, thread, 80);
FIELD(mprof_block, base_counter, 88);
FIELD(mprof_block, end_counter, 96);
FIELD(mprof_block, version, 104);
FIELD(mprof_block, flags, 108);
FIELD(mprof_block, id, 112);
FIELD(mprof_block, has_assembly, 116);
FIELD(mprof_block, name, 120);
FIELD(mprof_block, name_length, 128);
FIELD(mprof_block, assembly, 136);
FIELD(mprof_block, directives, 184);
FIELD(mprof_block, lost, 192);
FIELD(mprof_block, counter_delta, 240);
FIELD(mprof_block, has_shot_clocks, 244);
FIELD(mprof_block, shot_start, 248);
FIELD(mprof_block, shot_end, 264);

SIZE(mprof_mapping, 40);
FIELD(mprof_mapping, is_method, 0);
FIELD(mprof_mapping, id, 4);
FIELD(mprof_mapping, class_id, 8);
FIELD(mprof_mapping, assembly_id, 12);
FIELD(mprof_mapping, flags, 16);
FIELD(mprof_mapping, size, 20);
FIELD(mprof_mapping, name, 24);
FIELD(mprof_mapping, name_length, 32);

SIZE(mprof_source, 32);
FIELD(mprof_source, read, 0);
FIELD(mprof_source, seek, 8);
FIELD(mprof_source, close, 16);
FIELD(mprof_source, user, 24);

SIZE(mprof_reader_options, 56);
FIELD(mprof_reader_options, struct_size, 0);
FIELD(mprof_reader_options, allocator, 8);
FIELD(mprof_reader_options, max_block_length, 16);
FIELD(mprof_reader_options, max_name_length, 24);
FIELD(mprof_reader_options, max_names_memory, 32);
FIELD(mprof_reader_options, wanted, 40);
FIELD(mprof_reader_options, follow, 48);
FIELD(mprof_reader_options, ignore_checksums, 52);

SIZE(mprof_stack_frame, 12);
FIELD(mprof_stack_frame, id, 0);
FIELD(mprof_stack_frame, is_native, 4);
FIELD(mprof_stack_frame, is_compiling, 8);

SIZE(mprof_session, 96);
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
FIELD(mprof_session, reserved, 92);

SIZE(mprof_index_entry, 48);
FIELD(mprof_index_entry, offset, 0);
FIELD(mprof_index_entry, length, 8);
FIELD(mprof_index_entry, kind, 16);
FIELD(mprof_index_entry, reserved, 20);
FIELD(mprof_index_entry, thread, 24);
FIELD(mprof_index_entry, start_counter, 32);
FIELD(mprof_index_entry, end_counter, 40);

SIZE(mprof_description, 48);
FIELD(mprof_description, struct_size, 0);
FIELD(mprof_description, name, 8);
FIELD(mprof_description, name_length, 16);
FIELD(mprof_description, class_key, 24);
FIELD(mprof_description, assembly_key, 32);
FIELD(mprof_description, flags, 40);
FIELD(mprof_description, object_size, 44);

SIZE(mprof_recorder_options, 144);
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
FIELD(mprof_recorder_options, property_count, 96);
FIELD(mprof_recorder_options, allocation_detail, 104);
FIELD(mprof_recorder_options, start_disabled, 108);
FIELD(mprof_recorder_options, max_sample_bytes, 112);
FIELD(mprof_recorder_options, max_heap_bytes, 120);
FIELD(mprof_recorder_options, max_log_bytes, 128);
FIELD(mprof_recorder_options, track_objects, 136);
FIELD(mprof_recorder_options, without_symbols, 140);

SIZE(mprof_key_range, 16);
FIELD(mprof_key_range, first, 0);
FIELD(mprof_key_range, last, 8);

SIZE(mprof_metric_value, 16);
FIELD(mprof_metric_value, metric, 0);
FIELD(mprof_metric_value, reserved, 4);
FIELD(mprof_metric_value, value, 8);

SIZE(mprof_root_area, 48);
FIELD(mprof_root_area, start, 0);
FIELD(mprof_root_area, size, 8);
FIELD(mprof_root_area, kind, 16);
FIELD(mprof_root_area, reserved, 20);
FIELD(mprof_root_area, class_key, 24);
FIELD(mprof_root_area, thread, 32);
FIELD(mprof_root_area, name, 40);

SIZE(mprof_recorder_stats, 184);
FIELD(mprof_recorder_stats, struct_size, 0);
FIELD(mprof_recorder_stats, events, 8);
FIELD(mprof_recorder_stats, bytes, 16);
FIELD(mprof_recorder_stats, log_bytes, 24);
FIELD(mprof_recorder_stats, lost_events, 32);
FIELD(mprof_recorder_stats, lost, 40);
FIELD(mprof_recorder_stats, waits, 88);
FIELD(mprof_recorder_stats, unresolved_keys, 96);
FIELD(mprof_recorder_stats, left_out, 104);
FIELD(mprof_recorder_stats, threads, 112);
FIELD(mprof_recorder_stats, classes, 120);
FIELD(mprof_recorder_stats, methods, 128);
FIELD(mprof_recorder_stats, buffers, 136);
FIELD(mprof_recorder_stats, samples, 144);
FIELD(mprof_recorder_stats, stacks, 152);
FIELD(mprof_recorder_stats, heap_shots, 160);
FIELD(mprof_recorder_stats, incomplete_shots, 168);
FIELD(mprof_recorder_stats, status, 176);
FIELD(mprof_recorder_stats, system_error, 180);

SIZE(mprof_profile_options, 48);
FIELD(mprof_profile_options, struct_size, 0);
FIELD(mprof_profile_options, allocator, 8);
FIELD(mprof_profile_options, max_memory, 16);
FIELD(mprof_profile_options, without_call_tree, 24);
FIELD(mprof_profile_options, max_stack_depth, 28);
FIELD(mprof_profile_options, with_compilations, 32);
FIELD(mprof_profile_options, with_call_sites, 36);
FIELD(mprof_profile_options, with_monitor_objects, 40);
FIELD(mprof_profile_options, raw_counters, 44);

SIZE(mprof_profile_totals, 1384);
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
FIELD(mprof_profile_totals, block_counts, 648);
FIELD(mprof_profile_totals, interrupted_frames, 1160);
FIELD(mprof_profile_totals, freed_objects, 1168);
FIELD(mprof_profile_totals, freed_bytes, 1176);
FIELD(mprof_profile_totals, moved_objects, 1184);
FIELD(mprof_profile_totals, handles_alive, 1192);
FIELD(mprof_profile_totals, contentions, 1200);
FIELD(mprof_profile_totals, contended_ns, 1208);
FIELD(mprof_profile_totals, finalizers, 1216);
FIELD(mprof_profile_totals, finalizer_ns, 1224);
FIELD(mprof_profile_totals, finalizations, 1232);
FIELD(mprof_profile_totals, finalization_ns, 1240);
FIELD(mprof_profile_totals, lost_by_cause, 1248);
FIELD(mprof_profile_totals, refused_allocations, 1376);

SIZE(mprof_method_figures, 64);
FIELD(mprof_method_figures, struct_size, 0);
FIELD(mprof_method_figures, id, 8);
FIELD(mprof_method_figures, reserved, 12);
FIELD(mprof_method_figures, calls, 16);
FIELD(mprof_method_figures, total_ns, 24);
FIELD(mprof_method_figures, self_ns, 32);
FIELD(mprof_method_figures, jit_ns, 40);
FIELD(mprof_method_figures, samples, 48);
FIELD(mprof_method_figures, samples_total, 56);

SIZE(mprof_class_figures, 64);
FIELD(mprof_class_figures, struct_size, 0);
FIELD(mprof_class_figures, id, 8);
FIELD(mprof_class_figures, reserved, 12);
FIELD(mprof_class_figures, allocations, 16);
FIELD(mprof_class_figures, bytes, 24);
FIELD(mprof_class_figures, freed, 32);
FIELD(mprof_class_figures, freed_bytes, 40);
FIELD(mprof_class_figures, exceptions, 48);
FIELD(mprof_class_figures, load_ns, 56);

SIZE(mprof_call_figures, 72);
FIELD(mprof_call_figures, struct_size, 0);
FIELD(mprof_call_figures, method, 8);
FIELD(mprof_call_figures, parent, 12);
FIELD(mprof_call_figures, first_child, 16);
FIELD(mprof_call_figures, next_sibling, 20);
FIELD(mprof_call_figures, calls, 24);
FIELD(mprof_call_figures, total_ns, 32);
FIELD(mprof_call_figures, self_ns, 40);
FIELD(mprof_call_figures, allocations, 48);
FIELD(mprof_call_figures, bytes, 56);
FIELD(mprof_call_figures, flags, 64);
FIELD(mprof_call_figures, reserved, 68);

SIZE(mprof_sample_figures, 32);
FIELD(mprof_sample_figures, struct_size, 0);
FIELD(mprof_sample_figures, kind, 8);
FIELD(mprof_sample_figures, id, 12);
FIELD(mprof_sample_figures, self, 16);
FIELD(mprof_sample_figures, total, 24);

SIZE(mprof_sample_node, 48);
FIELD(mprof_sample_node, struct_size, 0);
FIELD(mprof_sample_node, kind, 8);
FIELD(mprof_sample_node, id, 12);
FIELD(mprof_sample_node, parent, 16);
FIELD(mprof_sample_node, first_child, 20);
FIELD(mprof_sample_node, next_sibling, 24);
FIELD(mprof_sample_node, reserved, 28);
FIELD(mprof_sample_node, self, 32);
FIELD(mprof_sample_node, total, 40);

SIZE(mprof_allocation_site, 48);
FIELD(mprof_allocation_site, struct_size, 0);
FIELD(mprof_allocation_site, class_id, 8);
FIELD(mprof_allocation_site, stack, 12);
FIELD(mprof_allocation_site, caller, 16);
FIELD(mprof_allocation_site, flags, 20);
FIELD(mprof_allocation_site, allocations, 24);
FIELD(mprof_allocation_site, bytes, 32);
FIELD(mprof_allocation_site, call, 40);
FIELD(mprof_allocation_site, reserved, 44);

SIZE(mprof_heap_shot, 216);
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
FIELD(mprof_heap_shot, classes, 208);

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

SIZE(mprof_handle_figures, 40);
FIELD(mprof_handle_figures, struct_size, 0);
FIELD(mprof_handle_figures, class_id, 8);
FIELD(mprof_handle_figures, type, 12);
FIELD(mprof_handle_figures, created, 16);
FIELD(mprof_handle_figures, alive, 24);
FIELD(mprof_handle_figures, deleted, 32);

SIZE(mprof_handle_site, 40);
FIELD(mprof_handle_site, struct_size, 0);
FIELD(mprof_handle_site, class_id, 8);
FIELD(mprof_handle_site, type, 12);
FIELD(mprof_handle_site, stack, 16);
FIELD(mprof_handle_site, reserved, 20);
FIELD(mprof_handle_site, created, 24);
FIELD(mprof_handle_site, alive, 32);

SIZE(mprof_monitor_figures, 48);
FIELD(mprof_monitor_figures, struct_size, 0);
FIELD(mprof_monitor_figures, class_id, 8);
FIELD(mprof_monitor_figures, reserved, 12);
FIELD(mprof_monitor_figures, contentions, 16);
FIELD(mprof_monitor_figures, acquired, 24);
FIELD(mprof_monitor_figures, failures, 32);
FIELD(mprof_monitor_figures, contended_ns, 40);

SIZE(mprof_monitor_site, 56);
FIELD(mprof_monitor_site, struct_size, 0);
FIELD(mprof_monitor_site, class_id, 8);
FIELD(mprof_monitor_site, stack, 12);
FIELD(mprof_monitor_site, contentions, 16);
FIELD(mprof_monitor_site, contended_ns, 24);
FIELD(mprof_monitor_site, failures, 32);
FIELD(mprof_monitor_site, object, 40);
FIELD(mprof_monitor_site, call, 48);
FIELD(mprof_monitor_site, reserved, 52);

SIZE(mprof_finalizer_figures, 32);
FIELD(mprof_finalizer_figures, struct_size, 0);
FIELD(mprof_finalizer_figures, class_id, 8);
FIELD(mprof_finalizer_figures, reserved, 12);
FIELD(mprof_finalizer_figures, count, 16);
FIELD(mprof_finalizer_figures, total_ns, 24);

SIZE(mprof_metric_figures, 80);
FIELD(mprof_metric_figures, struct_size, 0);
FIELD(mprof_metric_figures, id, 8);
FIELD(mprof_metric_figures, flags, 12);
FIELD(mprof_metric_figures, section, 16);
FIELD(mprof_metric_figures, name, 24);
FIELD(mprof_metric_figures, count, 32);
FIELD(mprof_metric_figures, first, 40);
FIELD(mprof_metric_figures, last, 48);
FIELD(mprof_metric_figures, minimum, 56);
FIELD(mprof_metric_figures, maximum, 64);
FIELD(mprof_metric_figures, last_ns, 72);

SIZE(mprof_mark, 32);
FIELD(mprof_mark, struct_size, 0);
FIELD(mprof_mark, time_ns, 8);
FIELD(mprof_mark, thread, 16);
FIELD(mprof_mark, text, 24);

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

SIZE(mprof_thread_figures, 56);
FIELD(mprof_thread_figures, struct_size, 0);
FIELD(mprof_thread_figures, id, 8);
FIELD(mprof_thread_figures, name, 16);
FIELD(mprof_thread_figures, events, 24);
FIELD(mprof_thread_figures, self_ns, 32);
FIELD(mprof_thread_figures, lost, 40);
FIELD(mprof_thread_figures, samples, 48);

SIZE(mprof_element_figures, 56);
FIELD(mprof_element_figures, struct_size, 0);
FIELD(mprof_element_figures, kind, 8);
FIELD(mprof_element_figures, id, 12);
FIELD(mprof_element_figures, name, 16);
FIELD(mprof_element_figures, assembly, 24);
FIELD(mprof_element_figures, loaded_ns, 32);
FIELD(mprof_element_figures, load_ns, 40);
FIELD(mprof_element_figures, unloaded_ns, 48);

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
SIZE(mprof_heap_use, 4);
SIZE(mprof_sample_kind, 4);

int main(void)
{
	puts("OK: the layout was checked by the compiler");
	return 0;
}

#else

int main(void)
{
	puts("SKIP: the layout is written down for 64-bit pointers only");
	return STATUS_SKIP;
}

#endif
