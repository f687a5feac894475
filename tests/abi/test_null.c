/* SPDX-License-Identifier: MIT */
/**
 * \file test_null.c
 * \brief Every public function takes NULL for every pointer: what returns a status refuses it, what returns a number or
 * a text returns 0 or "", and what returns nothing does nothing. tests/abi/test_symbols.sh checks that none is left
 * out.
 */
#include <mprof.h>

#include <criterion/criterion.h>

#define REFUSES(call) cr_expect_eq((call), MPROF_ERR_ARGUMENT, #call)
#define GIVES_0(call) cr_expect_eq((call), 0, #call)
#define DOES_NOTHING(call) (call)
#define TAKES_NO_POINTER(call) (void)(call)

/* What a result is before a call that must set it to NULL. It is never followed. */
static char any_object;
#define ANY_POINTER ((void *)&any_object)

Test(null, version)
{
	TAKES_NO_POINTER(mprof_version_get_number());
	TAKES_NO_POINTER(mprof_version_get_string());
	TAKES_NO_POINTER(mprof_version_has_feature(0));
	GIVES_0(mprof_struct_get_size(NULL));
}

Test(null, status)
{
	TAKES_NO_POINTER(mprof_status_get_text((mprof_status)0));
}

Test(null, descriptor)
{
	TAKES_NO_POINTER(mprof_descriptor_move(-1));
}

Test(null, format)
{
	REFUSES(mprof_number_set_add(NULL, 0));
	GIVES_0(mprof_number_set_has(NULL, 0));
	cr_expect_eq(mprof_argument_decode(NULL, 0, NULL, NULL), -1);
	GIVES_0(mprof_argument_encode(NULL, 0, NULL, 0));
	TAKES_NO_POINTER(mprof_dialect_get_name(0));
	REFUSES(mprof_dialect_get_info(0, NULL));
	REFUSES(mprof_event_get_info(0, NULL));
	TAKES_NO_POINTER(mprof_block_get_name(0));
	TAKES_NO_POINTER(mprof_event_get_name(0));
	TAKES_NO_POINTER(mprof_loss_get_name(0));
	TAKES_NO_POINTER(mprof_metric_get_unit_name(0));
}

Test(null, parser)
{
	DOES_NOTHING(mprof_parser_options_init(NULL, 0));
	REFUSES(mprof_parser_create(NULL, NULL));
	DOES_NOTHING(mprof_parser_destroy(NULL));
	REFUSES(mprof_parser_feed(NULL, NULL, 0));
	REFUSES(mprof_parser_reserve(NULL, 0, NULL, NULL));
	REFUSES(mprof_parser_commit(NULL, 0));
	REFUSES(mprof_parser_finish(NULL));
	GIVES_0(mprof_parser_get_needed(NULL));
	GIVES_0(mprof_parser_get_skippable(NULL));
	REFUSES(mprof_parser_skip(NULL, 0));
	REFUSES(mprof_parser_restart(NULL, 0));
	DOES_NOTHING(mprof_block_init(NULL, 0));
	REFUSES(mprof_parser_next_header(NULL, NULL));
	REFUSES(mprof_parser_load(NULL, NULL));
	REFUSES(mprof_parser_next_block(NULL, NULL));
	REFUSES(mprof_parser_next_events(NULL, NULL, 0, NULL));
	REFUSES(mprof_parser_next_columns(NULL, 0, NULL));
	REFUSES(mprof_parser_next_mappings(NULL, NULL, 0, 0, NULL));
	REFUSES(mprof_parser_next_records(NULL, NULL, 0, 0, NULL));
	REFUSES(mprof_parser_next_property(NULL, NULL, NULL));
	DOES_NOTHING(mprof_parser_set_max_block_length(NULL, 0));
	GIVES_0(mprof_parser_get_dialect(NULL));
	GIVES_0(mprof_parser_is_complete(NULL));
	GIVES_0(mprof_parser_get_valid_bytes(NULL));
	REFUSES(mprof_parser_get_error(NULL, NULL));
}

Test(null, reader)
{
	mprof_reader *reader = ANY_POINTER;

	DOES_NOTHING(mprof_reader_options_init(NULL, 0));
	REFUSES(mprof_reader_open_path(NULL, NULL, NULL));
	REFUSES(mprof_reader_open_fd(0, NULL, NULL));
	REFUSES(mprof_reader_open_memory(NULL, 0, NULL, NULL));
	REFUSES(mprof_reader_open_memory(NULL, 1, NULL, &reader));
	cr_expect_null(reader);
	reader = ANY_POINTER;
	REFUSES(mprof_reader_open_path(NULL, NULL, &reader));
	cr_expect_null(reader);
	REFUSES(mprof_reader_open_source(NULL, NULL, NULL));
	DOES_NOTHING(mprof_reader_interrupt(NULL));
	DOES_NOTHING(mprof_reader_set_max_block_length(NULL, 0));
	REFUSES(mprof_reader_finish(NULL));
	DOES_NOTHING(mprof_reader_destroy(NULL));
	REFUSES(mprof_reader_next_block(NULL, NULL));
	REFUSES(mprof_reader_load(NULL, NULL));
	REFUSES(mprof_reader_next_events(NULL, NULL, 0, NULL));
	REFUSES(mprof_reader_next_columns(NULL, 0, NULL));
	REFUSES(mprof_reader_select(NULL, NULL));
	mprof_query_init(NULL, sizeof(mprof_query));
	REFUSES(mprof_reader_next_mappings(NULL, NULL, 0, 0, NULL));
	REFUSES(mprof_reader_next_property(NULL, NULL, NULL));
	REFUSES(mprof_reader_lookup_class(NULL, 0, NULL, 0));
	REFUSES(mprof_reader_lookup_method(NULL, 0, NULL, 0));
	GIVES_0(mprof_reader_format_method(NULL, 0, NULL, 0));
	GIVES_0(mprof_name_format_readable(NULL, NULL, 0));
	REFUSES(mprof_reader_next_records(NULL, NULL, 0, 0, NULL));
	REFUSES(mprof_reader_lookup_stack(NULL, 0, NULL, 0, 0, NULL));
	REFUSES(mprof_reader_lookup_caller(NULL, 0, NULL, 0, NULL));
	REFUSES(mprof_reader_lookup_field(NULL, 0, 0, NULL, 0, NULL));
	REFUSES(mprof_reader_lookup_record(NULL, 0, 0, NULL, 0));
	REFUSES(mprof_reader_lookup_code(NULL, 0, 0, 0, NULL, 0));
	REFUSES(mprof_reader_name_stack(NULL, 0, 0, 0, NULL));
	GIVES_0(mprof_reader_has_late_code(NULL));
	GIVES_0(mprof_reader_get_record_count(NULL, 0));
	GIVES_0(mprof_reader_format_location(NULL, 0, NULL, 0));
	GIVES_0(mprof_reader_get_class_count(NULL));
	GIVES_0(mprof_reader_get_method_count(NULL));
	REFUSES(mprof_reader_get_time(NULL, 0, NULL));
	REFUSES(mprof_reader_get_counter(NULL, 0, NULL));
	REFUSES(mprof_reader_get_session(NULL, NULL));
	REFUSES(mprof_reader_build_index(NULL));
	GIVES_0(mprof_reader_get_index_count(NULL));
	REFUSES(mprof_reader_get_index_entry(NULL, 0, NULL));
	REFUSES(mprof_reader_seek_time(NULL, 0, 0));
	REFUSES(mprof_reader_get_open_frames(NULL, 0, 0, NULL, 0, 0, NULL));
	REFUSES(mprof_reader_get_block_frames(NULL, 0, NULL, 0, 0, NULL));
	REFUSES(mprof_reader_seek(NULL, 0));
	REFUSES(mprof_reader_get_error(NULL, NULL));
}

Test(null, writer)
{
	DOES_NOTHING(mprof_writer_options_init(NULL, 0));
	REFUSES(mprof_writer_open_path(NULL, NULL, NULL));
	REFUSES(mprof_writer_open_fd(0, NULL, NULL));
	REFUSES(mprof_writer_open_memory(NULL, NULL));
	REFUSES(mprof_writer_open_sink(NULL, NULL, NULL));
	REFUSES(mprof_writer_get_memory(NULL, NULL, NULL));
	REFUSES(mprof_writer_define_class(NULL, NULL));
	REFUSES(mprof_writer_define_method(NULL, NULL));
	REFUSES(mprof_writer_write_loaded(NULL, NULL));
	REFUSES(mprof_writer_write_unloaded(NULL, NULL));
	REFUSES(mprof_writer_begin_events(NULL, 0, 0));
	REFUSES(mprof_writer_write_events(NULL, NULL, 0, NULL));
	REFUSES(mprof_writer_end_events(NULL));
	REFUSES(mprof_writer_write_statistical(NULL, 0, NULL, 0, NULL, 0, 0));
	REFUSES(mprof_writer_write_samples(NULL, 0, 0, NULL, 0));
	REFUSES(mprof_writer_write_typed(NULL, 0, 0, NULL, 0));
	REFUSES(mprof_writer_write_records(NULL, 0, 0, NULL, 0, 0));
	REFUSES(mprof_writer_write_heap(NULL, 0, 0, 0, NULL, 0));
	REFUSES(mprof_writer_write_mark(NULL, 0, 0, NULL, 0));
	REFUSES(mprof_writer_write_application(NULL, NULL, 0, 0, 0, NULL, 0));
	REFUSES(mprof_writer_write_watermark(NULL, 0));
	REFUSES(mprof_writer_write_session(NULL, NULL, 0, 0));
	REFUSES(mprof_writer_write_thread_name(NULL, 0, NULL, 0));
	REFUSES(mprof_writer_write_losses(NULL, 0, NULL, 0));
	REFUSES(mprof_writer_flush(NULL));
	REFUSES(mprof_writer_close(NULL));
	cr_expect_eq(mprof_writer_destroy(NULL), MPROF_OK);
	REFUSES(mprof_writer_get_stats(NULL, NULL));
	REFUSES(mprof_writer_get_error(NULL, NULL));
}

Test(null, recorder)
{
	mprof_recorder *recorder = ANY_POINTER;

	DOES_NOTHING(mprof_description_init(NULL, 0));
	TAKES_NO_POINTER(mprof_frame_make_native(0));
	TAKES_NO_POINTER(mprof_frame_make_return(0));
	TAKES_NO_POINTER(mprof_frame_make_compiling(0));
	TAKES_NO_POINTER(mprof_frame_make_line(0, 0, 0));
	TAKES_NO_POINTER(mprof_frame_make_file(0));
	DOES_NOTHING(mprof_recorder_options_init(NULL, 0));
	REFUSES(mprof_recorder_open_path(NULL, NULL, NULL, NULL));
	REFUSES(mprof_recorder_open_path(NULL, NULL, &recorder, NULL));
	cr_expect_null(recorder);
	recorder = ANY_POINTER;
	REFUSES(mprof_recorder_open_sink(NULL, NULL, &recorder, NULL));
	cr_expect_null(recorder);
	REFUSES(mprof_recorder_open_fd(0, NULL, NULL, NULL));
	REFUSES(mprof_recorder_open_sink(NULL, NULL, NULL, NULL));
	REFUSES(mprof_recorder_open_ring(0, NULL, NULL, NULL));
	REFUSES(mprof_recorder_dump_path(NULL, NULL, 0, NULL));
	DOES_NOTHING(mprof_recovery_options_init(NULL, 0));
	REFUSES(mprof_recorder_recover(NULL, NULL, NULL, NULL));
	REFUSES(mprof_recorder_close(NULL));
	cr_expect_eq(mprof_recorder_destroy(NULL), MPROF_OK);
	REFUSES(mprof_recorder_drain(NULL));
	REFUSES(mprof_recorder_retire_keys(NULL, NULL, 0, 0));
	REFUSES(mprof_recorder_update_modules(NULL));
	REFUSES(mprof_recorder_get_function_key(NULL, 0, NULL, NULL, NULL));
	REFUSES(mprof_recorder_get_function_name(NULL, 0, NULL, NULL));
	REFUSES(mprof_recorder_set_enabled(NULL, 0));
	GIVES_0(mprof_recorder_is_enabled(NULL));
	REFUSES(mprof_recorder_record_application(NULL, NULL, 0, 0, 0, NULL, 0));
	REFUSES(mprof_recorder_record_mark(NULL, 0, NULL, 0));
	REFUSES(mprof_recorder_define_metric(NULL, NULL, NULL, 0, NULL));
	REFUSES(mprof_recorder_define_metric_detailed(NULL, NULL, NULL));
	REFUSES(mprof_recorder_define_text(NULL, NULL, 0, NULL));
	REFUSES(mprof_recorder_define_arguments(NULL, NULL, 0, 1, NULL));
	REFUSES(mprof_recorder_define_type(NULL, NULL, 0, NULL));
	REFUSES(mprof_recorder_define_clock(NULL, NULL, 0, NULL));
	REFUSES(mprof_recorder_record_clock_pair(NULL, 2, 0, 0, 0));
	REFUSES(mprof_recorder_convert_time(NULL, 1, 0, NULL));
	REFUSES(mprof_recorder_define_timeline(NULL, NULL, 0));
	REFUSES(mprof_recorder_define_process(NULL, NULL, 0));
	REFUSES(mprof_recorder_define_code(NULL, NULL, NULL));
	REFUSES(mprof_recorder_move_code(NULL, 0, 0));
	REFUSES(mprof_recorder_end_code(NULL, 0));
	REFUSES(mprof_recorder_record_metrics(NULL, NULL, 0, 0));
	REFUSES(mprof_recorder_register_root(NULL, NULL));
	REFUSES(mprof_recorder_unregister_root(NULL, 0));
	GIVES_0(mprof_recorder_record_sample(NULL, 0, NULL, 0));
	GIVES_0(mprof_recorder_record_typed_sample(NULL, NULL));
	GIVES_0(mprof_recorder_begin_heap(NULL, 0, 0));
	REFUSES(mprof_recorder_add_heap_object(NULL, 0, 0, 0, NULL, NULL, 0));
	REFUSES(mprof_recorder_add_heap_references(NULL, NULL, NULL, 0));
	REFUSES(mprof_recorder_add_heap_label(NULL, NULL, 0));
	REFUSES(mprof_recorder_add_heap_names(NULL, NULL, 0));
	REFUSES(mprof_recorder_add_heap_weak_references(NULL, NULL, NULL, 0));
	REFUSES(mprof_recorder_add_heap_flags(NULL, 0));
	REFUSES(mprof_recorder_add_heap_named_root(NULL, 0, 0, NULL, 0));
	REFUSES(mprof_recorder_add_heap_root(NULL, 0, 0, 0));
	DOES_NOTHING(mprof_recorder_add_heap_free(NULL, 0, 0, 0));
	DOES_NOTHING(mprof_recorder_add_heap_move(NULL, 0, 0));
	REFUSES(mprof_recorder_end_heap(NULL));
	GIVES_0(mprof_recorder_read_counter(NULL));
	REFUSES(mprof_recorder_attach(NULL, 0, NULL));
	DOES_NOTHING(mprof_thread_detach(NULL));
	GIVES_0(mprof_thread_get_id(NULL));
	REFUSES(mprof_recorder_define_class(NULL, 0, NULL));
	REFUSES(mprof_recorder_define_fields(NULL, 0, NULL, 0, 0));
	REFUSES(mprof_recorder_define_method(NULL, 0, NULL));
	REFUSES(mprof_recorder_record_loaded(NULL, 0, NULL));
	REFUSES(mprof_recorder_record_unloaded(NULL, 0, NULL));
	REFUSES(mprof_recorder_set_thread_name(NULL, 0, NULL, 0));
	REFUSES(mprof_recorder_set_property(NULL, NULL, NULL));
	DOES_NOTHING(mprof_thread_enter_method(NULL, 0));
	DOES_NOTHING(mprof_thread_leave_method(NULL, 0));
	REFUSES(mprof_thread_record_lost(NULL, MPROF_LOSS_NO_BUFFER, 1));
	REFUSES(mprof_thread_switch_stack(NULL, 0));
	REFUSES(mprof_thread_end_stack(NULL, 0));
	DOES_NOTHING(mprof_thread_record_allocation(NULL, 0, 0));
	REFUSES(mprof_thread_record_event(NULL, 0, 0, 0));
	REFUSES(mprof_thread_record_collection(NULL, 0, 0, 0));
	DOES_NOTHING(mprof_thread_record_allocation_detailed(NULL, 0, 0, 0, NULL, 0));
	REFUSES(mprof_thread_record_monitor(NULL, 0, 0, 0, NULL, 0));
	REFUSES(mprof_thread_record_monitor_holder(NULL, 0, 0, 1));
	REFUSES(mprof_thread_record_typed(NULL, 1, NULL, 0));
	REFUSES(mprof_thread_record_span(NULL, 1, 0, NULL, 0));
	REFUSES(mprof_thread_record_typed_at(NULL, 1, 0, NULL, 0));
	REFUSES(mprof_thread_record_span_at(NULL, 1, 0, 0, NULL, 0));
	DOES_NOTHING(mprof_thread_record_exception(NULL, 0, NULL, 0));
	REFUSES(mprof_thread_record_method_code(NULL, 0, 0, 0));
	REFUSES(mprof_thread_record_exception_clause(NULL, 0, 0, 0, 0));
	REFUSES(mprof_thread_record_handle_created(NULL, 0, 0, 0, 0, NULL, 0));
	REFUSES(mprof_thread_record_handle_deleted(NULL, 0, 0, NULL, 0));
	DOES_NOTHING(mprof_thread_record_finalizer(NULL, 0, 0, 0));
	DOES_NOTHING(mprof_thread_record_memory_allocated(NULL, 0, 0, NULL, 0));
	DOES_NOTHING(mprof_thread_record_memory_freed(NULL, 0, NULL, 0));
	DOES_NOTHING(mprof_thread_record_memory_resized(NULL, 0, 0, 0, 0, NULL, 0));
	DOES_NOTHING(mprof_thread_record_object_freed(NULL, 0, 0, 0));
	DOES_NOTHING(mprof_thread_record_object_resized(NULL, 0, 0, 0, 0));
	REFUSES(mprof_recorder_get_stats(NULL, NULL));
	REFUSES(mprof_recorder_get_writer_stats(NULL, NULL));
}

Test(null, heap_diff)
{
	DOES_NOTHING(mprof_heap_diff_options_init(NULL, 0));
	REFUSES(mprof_heap_diff_create(NULL, NULL));
	DOES_NOTHING(mprof_heap_diff_destroy(NULL));
	REFUSES(mprof_heap_diff_add(NULL, NULL, NULL, 0));
	REFUSES(mprof_heap_diff_get_totals(NULL, NULL));
	REFUSES(mprof_heap_diff_get_snapshot(NULL, 0, NULL));
	REFUSES(mprof_heap_diff_get_class(NULL, 0, 0, NULL));
	REFUSES(mprof_heap_diff_get_shape(NULL, 0, 0, NULL));
	REFUSES(mprof_heap_diff_get_growth(NULL, NULL, 0, 0, NULL));
}

Test(null, heap_set)
{
	REFUSES(mprof_heap_set_create(NULL, NULL));
	DOES_NOTHING(mprof_heap_set_destroy(NULL));
	REFUSES(mprof_heap_set_add_all(NULL));
	REFUSES(mprof_heap_set_add_object(NULL, 0));
	REFUSES(mprof_heap_set_add_class(NULL, 0));
	REFUSES(mprof_heap_set_add_referencing(NULL, NULL));
	REFUSES(mprof_heap_set_add_referenced(NULL, NULL));
	REFUSES(mprof_heap_set_unite(NULL, NULL));
	REFUSES(mprof_heap_set_intersect(NULL, NULL));
	REFUSES(mprof_heap_set_subtract(NULL, NULL));
	REFUSES(mprof_heap_set_get_objects(NULL, 0, NULL, 0, NULL));
	REFUSES(mprof_heap_set_get_totals(NULL, NULL));
	REFUSES(mprof_heap_set_get_retained(NULL, NULL));
}

Test(null, heap_graph)
{
	DOES_NOTHING(mprof_heap_graph_options_init(NULL, 0));
	REFUSES(mprof_heap_graph_create(NULL, NULL));
	DOES_NOTHING(mprof_heap_graph_destroy(NULL));
	REFUSES(mprof_heap_graph_read(NULL, NULL, NULL, NULL));
	REFUSES(mprof_heap_graph_build_dominators(NULL));
	REFUSES(mprof_heap_graph_build_paths(NULL));
	REFUSES(mprof_heap_graph_build_referrers(NULL));
	REFUSES(mprof_heap_graph_get_totals(NULL, NULL));
	GIVES_0(mprof_heap_graph_get_snapshot_count(NULL));
	REFUSES(mprof_heap_graph_get_snapshot(NULL, 0, NULL));
	GIVES_0(mprof_heap_graph_get_class_count(NULL));
	REFUSES(mprof_heap_graph_get_class(NULL, 0, NULL));
	REFUSES(mprof_heap_graph_get_object(NULL, 0, NULL));
	REFUSES(mprof_heap_graph_lookup_object(NULL, 0, NULL));
	REFUSES(mprof_heap_graph_get_references(NULL, 0, 0, NULL, 0, 0, NULL));
	REFUSES(mprof_heap_graph_get_weak_references(NULL, 0, 0, NULL, 0, 0, NULL));
	REFUSES(mprof_heap_graph_get_referrers(NULL, 0, 0, NULL, 0, 0, NULL));
	REFUSES(mprof_heap_graph_get_root(NULL, 0, NULL));
	GIVES_0(mprof_heap_graph_get_row_count(NULL, MPROF_HEAP_TABLE_OBJECTS));
	REFUSES(mprof_heap_graph_get_row(NULL, MPROF_HEAP_TABLE_OBJECTS, 0, NULL));
	TAKES_NO_POINTER(mprof_heap_table_get_info(0));
	TAKES_NO_POINTER(mprof_heap_table_get_column(0, 0));
	REFUSES(mprof_heap_graph_get_dominated(NULL, 0, NULL, 0, NULL));
	REFUSES(mprof_heap_graph_get_retained(NULL, NULL, 0, NULL));
	REFUSES(mprof_heap_graph_get_path(NULL, 0, NULL, NULL, 0, 0, NULL));
	REFUSES(mprof_heap_graph_get_parent(NULL, 0, NULL, 0));
}

Test(null, profile)
{
	DOES_NOTHING(mprof_profile_options_init(NULL, 0));
	REFUSES(mprof_profile_create(NULL, NULL));
	DOES_NOTHING(mprof_profile_destroy(NULL));
	REFUSES(mprof_profile_add_block(NULL, NULL, NULL));
	REFUSES(mprof_profile_read(NULL, NULL, NULL, NULL));
	REFUSES(mprof_profile_finish(NULL, NULL));
	GIVES_0(mprof_profile_get_row_count(NULL, MPROF_TABLE_METHODS));
	REFUSES(mprof_profile_get_row(NULL, MPROF_TABLE_METHODS, 0, NULL));
	REFUSES(mprof_profile_get_rows(NULL, MPROF_TABLE_METHODS, 0, NULL, 0, 0, NULL));
	TAKES_NO_POINTER(mprof_table_get_info(0));
	TAKES_NO_POINTER(mprof_table_get_column(0, 0));
	TAKES_NO_POINTER(mprof_table_get_measure(0, 0));
	REFUSES(mprof_profile_get_window(NULL, NULL));
	DOES_NOTHING(mprof_live_window_options_init(NULL, 0));
	REFUSES(mprof_live_window_create(NULL, NULL));
	DOES_NOTHING(mprof_live_window_destroy(NULL));
	REFUSES(mprof_live_window_update(NULL, NULL, 0));
	DOES_NOTHING(mprof_live_window_restart(NULL));
	REFUSES(mprof_live_window_get_totals(NULL, NULL));
	GIVES_0(mprof_live_window_get_row_count(NULL, 0));
	REFUSES(mprof_live_window_get_row(NULL, 0, 0, NULL));
	DOES_NOTHING(mprof_profile_diff_options_init(NULL, 0));
	REFUSES(mprof_profile_diff_create(NULL, NULL, NULL, NULL, NULL, NULL));
	DOES_NOTHING(mprof_profile_diff_destroy(NULL));
	GIVES_0(mprof_profile_diff_get_row_count(NULL, MPROF_TABLE_METHODS));
	REFUSES(mprof_profile_diff_get_row(NULL, MPROF_TABLE_METHODS, 0, NULL));
	REFUSES(mprof_profile_diff_get_sum(NULL, MPROF_TABLE_METHODS, NULL));
	REFUSES(mprof_profile_diff_get_name(NULL, 0, NULL));
	REFUSES(mprof_profile_diff_get_stack(NULL, 0, NULL, 0, NULL));
	GIVES_0(mprof_profile_diff_get_node_count(NULL));
	REFUSES(mprof_profile_diff_get_node(NULL, 0, NULL));
	DOES_NOTHING(mprof_finding_list_options_init(NULL, 0));
	REFUSES(mprof_finding_list_create(NULL, NULL, NULL, NULL));
	DOES_NOTHING(mprof_finding_list_destroy(NULL));
	GIVES_0(mprof_finding_list_get_count(NULL));
	REFUSES(mprof_finding_list_get(NULL, 0, NULL));
	DOES_NOTHING(mprof_frame_tree_options_init(NULL, 0));
	REFUSES(mprof_frame_tree_create(NULL, NULL, NULL, NULL));
	DOES_NOTHING(mprof_frame_tree_destroy(NULL));
	GIVES_0(mprof_frame_tree_get_node_count(NULL));
	REFUSES(mprof_frame_tree_get_node(NULL, 0, NULL));
	GIVES_0(mprof_frame_tree_get_frame_count(NULL));
	REFUSES(mprof_frame_tree_get_frame(NULL, 0, NULL));
	REFUSES(mprof_frame_tree_get_selection(NULL, NULL));
	GIVES_0(mprof_frame_tree_get_caller_count(NULL));
	REFUSES(mprof_frame_tree_get_caller(NULL, 0, NULL));
	GIVES_0(mprof_frame_tree_get_callee_count(NULL));
	REFUSES(mprof_frame_tree_get_callee(NULL, 0, NULL));
	REFUSES(mprof_profile_get_percentile(NULL, 0, 50, NULL));
	REFUSES(mprof_profile_get_slow_call(NULL, 0, 0, NULL));
	REFUSES(mprof_profile_get_heap_shot_class(NULL, 0, 0, NULL));
	REFUSES(mprof_profile_get_age_site_frames(NULL, 0, NULL, 0, 0, NULL));
	REFUSES(mprof_profile_lookup_origin(NULL, 0, NULL));
	GIVES_0(mprof_profile_has_snapshot(NULL));
	REFUSES(mprof_profile_get_timeline_slice(NULL, 0, 0, NULL));
}

Test(null, convert)
{
	DOES_NOTHING(mprof_converter_options_init(NULL, 0));
	REFUSES(mprof_converter_create(NULL, NULL, NULL));
	REFUSES(mprof_converter_get_writer_options(NULL, NULL));
	DOES_NOTHING(mprof_converter_destroy(NULL));
	REFUSES(mprof_converter_run(NULL, NULL, NULL, NULL));
	GIVES_0(mprof_converter_has_failed(NULL));
	DOES_NOTHING(mprof_merger_options_init(NULL, 0));
	REFUSES(mprof_merger_create(NULL, NULL));
	REFUSES(mprof_merger_add(NULL, NULL));
	REFUSES(mprof_merger_get_writer_options(NULL, NULL));
	REFUSES(mprof_merger_run(NULL, NULL));
	GIVES_0(mprof_merger_has_failed(NULL));
	REFUSES(mprof_merger_get_error(NULL, NULL));
	DOES_NOTHING(mprof_merger_destroy(NULL));
}
