/* SPDX-License-Identifier: MIT */
/**
 * \file unsupported.c
 * \brief The functions of mprof/recorder.h and of the headers that it includes, in a library that was built without the
 * recorder.
 *
 * They exist so that a program that calls mprof_version_has_feature() first can be linked with such a library, too.
 * Functions that return a status return #MPROF_ERR_UNSUPPORTED, and the others do nothing. Those that need no recorder
 * work.
 */
#include <mprof/recorder.h>

#include "base/caller_structs.h"
#include "base/error.h"

/* The parameters are unused. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static mprof_status set_error(mprof_error *error)
{
	mprof_error copy;

	error_set(&copy, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_FATAL, "this library was built without the recorder");
	if (error != NULL)
		error_copy(&copy, error);
	return MPROF_ERR_UNSUPPORTED;
}

/* The sink is closed, as documented for all errors. */
static mprof_status refuse_recording(const mprof_sink *sink, mprof_recorder **recorder, mprof_error *error)
{
	mprof_sink copy;

	if (sink != NULL && struct_copy_in(&copy, sink, sizeof(copy)) == MPROF_OK && copy.close != NULL)
		copy.close(copy.user);
	if (recorder != NULL)
		*recorder = NULL;
	return set_error(error);
}

mprof_status mprof_recorder_open_path(const char *path, const mprof_recorder_options *options,
				      mprof_recorder **recorder, mprof_error *error)
{
	return refuse_recording(NULL, recorder, error);
}

mprof_status mprof_recorder_open_fd(int fd, const mprof_recorder_options *options, mprof_recorder **recorder,
				    mprof_error *error)
{
	return refuse_recording(NULL, recorder, error);
}

mprof_status mprof_recorder_open_sink(const mprof_sink *sink, const mprof_recorder_options *options,
				      mprof_recorder **recorder, mprof_error *error)
{
	return refuse_recording(sink, recorder, error);
}

mprof_status mprof_recorder_open_ring(uint64_t bytes, const mprof_recorder_options *options, mprof_recorder **recorder,
				      mprof_error *error)
{
	return refuse_recording(NULL, recorder, error);
}

mprof_status mprof_recorder_recover(const char *salvage_path, const mprof_recovery_options *options,
				    mprof_recovery *recovery, mprof_error *error)
{
	return set_error(error);
}

mprof_status mprof_recorder_dump_path(mprof_recorder *recorder, const char *path, uint32_t gzip_level,
				      mprof_error *error)
{
	return set_error(error);
}

mprof_status mprof_recorder_close(mprof_recorder *recorder)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_destroy(mprof_recorder *recorder)
{
	return MPROF_OK;
}

mprof_status mprof_recorder_drain(mprof_recorder *recorder)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_retire_keys(mprof_recorder *recorder, const mprof_key_range *ranges, size_t range_size,
					size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_update_modules(mprof_recorder *recorder)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_get_function_key(mprof_recorder *recorder, uint64_t address, mprof_key *key,
					     uint64_t *first, uint64_t *last)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_get_function_name(mprof_recorder *recorder, mprof_key key, const char **name,
					      const char **module)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_set_enabled(mprof_recorder *recorder, int enabled)
{
	return MPROF_ERR_UNSUPPORTED;
}

int mprof_recorder_is_enabled(const mprof_recorder *recorder)
{
	return 0;
}

mprof_status mprof_recorder_record_application(mprof_recorder *recorder, const char *name, size_t name_length,
					       uint32_t kind, uint32_t flags, const void *bytes, size_t size)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_record_mark(mprof_recorder *recorder, uint64_t thread, const char *text, size_t text_length)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_metric(mprof_recorder *recorder, const char *section, const char *name,
					  uint32_t flags, uint32_t *metric)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_metric_detailed(mprof_recorder *recorder,
						   const mprof_metric_description *description, uint32_t *metric)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_record_metrics(mprof_recorder *recorder, const mprof_metric_value *values,
					   size_t value_size, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_text(mprof_recorder *recorder, const char *text, size_t text_length, uint32_t *id)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_arguments(mprof_recorder *recorder, const mprof_argument_record *arguments,
					     size_t argument_size, size_t count, uint32_t *first)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_type(mprof_recorder *recorder, const mprof_type_record *type, size_t type_size,
					uint32_t *id)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_clock(mprof_recorder *recorder, const mprof_clock_record *clock, size_t clock_size,
					 uint32_t *id)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_record_clock_pair(mprof_recorder *recorder, uint32_t clock, uint64_t value,
					      uint64_t counter, uint64_t uncertainty)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_convert_time(mprof_recorder *recorder, uint32_t clock, uint64_t value, uint64_t *counter)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_timeline(mprof_recorder *recorder, const mprof_timeline_record *timeline,
					    size_t timeline_size)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_process(mprof_recorder *recorder, const mprof_process_record *process,
					   size_t process_size)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_code(mprof_recorder *recorder, const mprof_code *code, uint32_t *id)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_move_code(mprof_recorder *recorder, uint32_t id, uint64_t address)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_end_code(mprof_recorder *recorder, uint32_t id)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_typed_at(mprof_thread *thread, uint32_t type, uint64_t counter,
					  const mprof_argument_value *values, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_span_at(mprof_thread *thread, uint32_t type, uint64_t started, uint64_t ended,
					 const mprof_argument_value *values, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_typed(mprof_thread *thread, uint32_t type, const mprof_argument_value *values,
				       size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_span(mprof_thread *thread, uint32_t type, uint64_t started,
				      const mprof_argument_value *values, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_register_root(mprof_recorder *recorder, const mprof_root_area *area)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_unregister_root(mprof_recorder *recorder, uint64_t start)
{
	return MPROF_ERR_UNSUPPORTED;
}

int mprof_recorder_record_sample(mprof_recorder *recorder, uint64_t thread, const mprof_frame *frames, size_t count)
{
	return 0;
}

int mprof_recorder_record_typed_sample(mprof_recorder *recorder, const mprof_sample *sample)
{
	return 0;
}

int mprof_recorder_begin_heap(mprof_recorder *recorder, uint32_t use, uint32_t collection)
{
	return 0;
}

mprof_status mprof_recorder_add_heap_label(mprof_recorder *recorder, const char *text, size_t length)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_add_heap_names(mprof_recorder *recorder, const uint32_t *texts, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_add_heap_weak_references(mprof_recorder *recorder, const uint64_t *references,
						     const uint32_t *texts, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_add_heap_flags(mprof_recorder *recorder, uint32_t flags)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_add_heap_named_root(mprof_recorder *recorder, uint32_t kind, uint64_t object,
						const char *name, size_t length)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_add_heap_root(mprof_recorder *recorder, uint32_t kind, uint64_t slot, uint64_t object)
{
	return MPROF_ERR_UNSUPPORTED;
}

void mprof_recorder_add_heap_free(mprof_recorder *recorder, uint64_t address, mprof_key class_key, uint64_t size)
{
}

void mprof_recorder_add_heap_move(mprof_recorder *recorder, uint64_t from, uint64_t to)
{
}

mprof_status mprof_recorder_end_heap(mprof_recorder *recorder)
{
	return MPROF_ERR_UNSUPPORTED;
}

uint64_t mprof_recorder_read_counter(const mprof_recorder *recorder)
{
	return 0;
}

mprof_status mprof_recorder_attach(mprof_recorder *recorder, uint64_t id, mprof_thread **thread)
{
	if (thread != NULL)
		*thread = NULL;
	return MPROF_ERR_UNSUPPORTED;
}

void mprof_thread_detach(mprof_thread *thread)
{
}

uint64_t mprof_thread_get_id(const mprof_thread *thread)
{
	return 0;
}

mprof_status mprof_recorder_define_class(mprof_recorder *recorder, mprof_key key, const mprof_description *description)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_method(mprof_recorder *recorder, mprof_key key, const mprof_description *description)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_record_loaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_record_unloaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_set_thread_name(mprof_recorder *recorder, uint64_t id, const char *name, size_t name_length)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_set_property(mprof_recorder *recorder, const char *key, const char *value)
{
	return MPROF_ERR_UNSUPPORTED;
}

void mprof_thread_enter_method(mprof_thread *thread, mprof_key method)
{
}

void mprof_thread_leave_method(mprof_thread *thread, mprof_key method)
{
}

mprof_status mprof_thread_record_lost(mprof_thread *thread, uint32_t cause, uint64_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_switch_stack(mprof_thread *thread, uint64_t stack)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_end_stack(mprof_thread *thread, uint64_t stack)
{
	return MPROF_ERR_UNSUPPORTED;
}

void mprof_thread_record_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size)
{
}

mprof_status mprof_thread_record_event(mprof_thread *thread, uint32_t kind, uint32_t flags, uint64_t subject)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_collection(mprof_thread *thread, uint32_t kind, uint32_t number, uint64_t value)
{
	return MPROF_ERR_UNSUPPORTED;
}

void mprof_thread_record_allocation_detailed(mprof_thread *thread, mprof_key class_key, uint64_t size, uint64_t object,
					     const mprof_frame *frames, size_t count)
{
}

void mprof_thread_record_exception(mprof_thread *thread, mprof_key class_key, const mprof_frame *frames, size_t count)
{
}

mprof_status mprof_thread_record_exception_clause(mprof_thread *thread, uint32_t kind, uint32_t number,
						  mprof_key class_key, mprof_key method)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_method_code(mprof_thread *thread, mprof_key method, uint32_t origin, uint32_t size)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_monitor(mprof_thread *thread, uint32_t state, mprof_key class_key, uint64_t object,
					 const mprof_frame *frames, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_monitor_holder(mprof_thread *thread, mprof_key class_key, uint64_t object,
						uint64_t holder)
{
	(void)thread, (void)class_key, (void)object, (void)holder;
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_handle_created(mprof_thread *thread, uint64_t handle, uint32_t type,
						mprof_key class_key, uint64_t object, const mprof_frame *frames,
						size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_thread_record_handle_deleted(mprof_thread *thread, uint64_t handle, uint32_t type,
						const mprof_frame *frames, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

void mprof_thread_record_finalizer(mprof_thread *thread, int is_end, mprof_key class_key, uint64_t object)
{
}

void mprof_thread_record_memory_allocated(mprof_thread *thread, uint64_t address, uint64_t size,
					  const mprof_frame *frames, size_t count)
{
}

void mprof_thread_record_memory_freed(mprof_thread *thread, uint64_t address, const mprof_frame *frames, size_t count)
{
}

void mprof_thread_record_memory_resized(mprof_thread *thread, uint64_t old_address, uint64_t started,
					uint64_t new_address, uint64_t size, const mprof_frame *frames, size_t count)
{
}

void mprof_thread_record_object_freed(mprof_thread *thread, mprof_key class_key, uint64_t object, uint64_t size)
{
}

void mprof_thread_record_object_resized(mprof_thread *thread, mprof_key class_key, uint64_t old_object,
					uint64_t new_object, uint64_t size)
{
}

mprof_status mprof_recorder_add_heap_object(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
					    uint64_t size, const uint64_t *references, const uint64_t *offsets,
					    size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_add_heap_references(mprof_recorder *recorder, const uint64_t *references,
						const uint64_t *offsets, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_define_fields(mprof_recorder *recorder, mprof_key class_key,
					  const mprof_class_field *fields, size_t field_size, size_t count)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_get_stats(mprof_recorder *recorder, mprof_recorder_stats *stats)
{
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status mprof_recorder_get_writer_stats(mprof_recorder *recorder, mprof_writer_stats *stats)
{
	return MPROF_ERR_UNSUPPORTED;
}

void mprof_recorder_options_init(mprof_recorder_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

void mprof_recovery_options_init(mprof_recovery_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

void mprof_description_init(mprof_description *description, size_t struct_size)
{
	struct_init(description, struct_size);
}

mprof_frame mprof_frame_make_native(uint64_t address)
{
	return address | MPROF_FRAME_NATIVE;
}

mprof_frame mprof_frame_make_return(uint64_t address)
{
	return address | MPROF_FRAME_RETURN;
}

mprof_frame mprof_frame_make_compiling(mprof_key method)
{
	return method | MPROF_FRAME_COMPILING;
}

mprof_frame mprof_frame_make_line(uint32_t line, uint32_t offset, uint32_t is_inlined)
{
	const uint64_t kept = offset < UINT32_C(1) << 28 ? offset : 0;

	return MPROF_FRAME_LINE | (is_inlined ? MPROF_FRAME_INLINED : 0) | kept << 32 | line;
}

mprof_frame mprof_frame_make_file(uint32_t text)
{
	return MPROF_FRAME_FILE | text;
}
