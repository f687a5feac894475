/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder_samples.h
 * \brief Records values at the current time into a recorder: call stacks of threads (samples), metrics and markers.
 * Included by mprof/recorder.h.
 *
 * NULL is refused as in mprof/recorder.h: functions that return a status return #MPROF_ERR_ARGUMENT, others do nothing
 * or return 0.
 *
 * Example: examples/tutorial/09_sample.c.
 */
#ifndef MPROF_RECORDER_SAMPLES_H
#define MPROF_RECORDER_SAMPLES_H

#include <mprof/recorder_types.h>
#include <mprof/status.h>
#include <mprof/format.h>

MPROF_BEGIN_DECLS

/**
 * \brief Records a sample: the call stack of a thread at the current time. Meant for signal handlers.
 *
 * Takes no lock, allocates nothing, does not wait, and keeps errno. If there is no room, the sample is counted as lost
 * (#MPROF_LOSS_NO_SAMPLE_ROOM). The writer thread converts native addresses to modules, functions and offsets.
 *
 * Thread-safe, and async-signal-safe if the counter function of the options is.
 * \param recorder The recorder.
 * \param thread ID of the thread in the log.
 * \param frames The call stack, the innermost frame first. Copied.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks. 0 records nothing.
 * \return 1 if the sample was recorded, 0 if not.
 * \since 0.1
 */
MPROF_API int mprof_recorder_record_sample(mprof_recorder *recorder, uint64_t thread, const mprof_frame *frames,
					   size_t count);

/**
 * \brief Defines a metric, a number that the runtime maintains.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param section The group that it belongs to, UTF-8, NUL-terminated. Copied.
 * \param name Its name, UTF-8, NUL-terminated. Copied.
 * \param flags Bits of #mprof_metric_flag, except #MPROF_METRIC_FLAG_THREAD: the metrics of threads are those of
 * mprof_recorder_options::thread_times, and a client has no other.
 * \param metric Receives its ID.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p flags has unknown bits or #MPROF_METRIC_FLAG_THREAD.
 * - #MPROF_ERR_NAME if a text is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_metric(mprof_recorder *recorder, const char *section, const char *name,
						    uint32_t flags, uint32_t *metric);

/**
 * \brief The value of a metric. Passed together with its size, so that it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_metric_value {
	uint32_t metric;   /**< ID of the metric. */
	uint32_t reserved; /**< 0. */
	uint64_t value;    /**< A signed number, or the bits of a double, depending on the flags of the metric. */
} mprof_metric_value;

/**
 * \brief Records values of metrics with the current time. Values that did not change are not written.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param values The values. Copied.
 * \param value_size sizeof (mprof_metric_value) as the caller was compiled: the distance in bytes from one element to
 * the next. Bytes beyond the library's own size must be 0.
 * \param count Number of elements in \p values.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a metric is not defined, or \p value_size is invalid.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if more markers, metric values and changes of roots than
 *   mprof_recorder_options::max_message_bytes wait to be written: this one is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_metrics(mprof_recorder *recorder, const mprof_metric_value *values,
						     size_t value_size, size_t count);

/**
 * \brief Records a marker with the current time.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param thread ID of the thread in the log, 0 for none.
 * \param text UTF-8. Copied.
 * \param text_length Length of \p text in bytes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_NAME if the text contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if more markers, metric values and changes of roots than
 *   mprof_recorder_options::max_message_bytes wait to be written: this one is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_mark(mprof_recorder *recorder, uint64_t thread, const char *text,
						  size_t text_length);

MPROF_END_DECLS

#endif
