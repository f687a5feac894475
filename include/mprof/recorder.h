/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder.h
 * \brief Records events of many threads into a log while the program runs.
 *
 * Each thread that records is attached and has event buffers of its own. Recording an event stores 16 bytes there, or
 * more with details and a call stack: it takes no lock, looks nothing up and allocates nothing. A thread of the
 * recorder (the writer thread) drains full buffers, and from time to time those that are not full, maps keys to IDs,
 * and writes blocks.
 *
 * An event refers to its method or class by a *key*: any number that identifies it while it exists, usually the address
 * of the runtime's own structure. Names are defined with mprof_recorder_define_method() and
 * mprof_recorder_define_class() before the first event that uses the key, or requested when the event is drained,
 * through the resolve functions of the options.
 *
 * The writer thread takes memory from mprof_recorder_options::allocator alone and never calls malloc() itself, so a
 * program may record its calls of malloc(): it provides an allocator that does not record, and uses
 * mprof_recorder_options::thread_started to mark the writer thread as one that does not record, because of its own
 * callbacks. The functions that wait for the writer thread refuse to be called on it (#MPROF_ERR_STATE), and it cannot
 * be attached; an event that is recorded on it in spite of that never waits. All of this applies to the threads of
 * mprof_recorder_options::drain_threads as well. Their stacks have 1 MiB, whatever the default is.
 *
 * These threads exist until mprof_recorder_close(). A process whose main() ends with pthread_exit() ends with its last
 * thread: it must close the recorder before, for example when its own last thread ends.
 *
 * **Cancellation**: no function of a recorder is a cancellation point of pthread_cancel(), and a thread that is
 * cancelled while it records, also asynchronously, leaves no lock held. Its handle stays attached until the program
 * detaches it, for example in a destructor of thread-specific data.
 *
 * **fork()** may be called at any time, by any thread. The child has neither the writer thread nor the other threads.
 * It must not continue to use the recorder of its parent, which records and writes nothing in the child. In the child,
 * preferably in a handler of pthread_atfork(), which runs before anything else:
 * - Any function may be called on the recorder and on the handle of the thread that forked. Functions that return a
 *   status return #MPROF_ERR_STATE, except mprof_recorder_close(), which does nothing, and the functions that only
 *   query.
 * - mprof_recorder_destroy() closes the child's descriptor of the log, if the recorder opened it, and returns buffers
 *   to the system. It writes nothing, calls no function of the client's sink, and does not touch memory from the
 *   allocator: another thread may have been in the middle of changing it.
 * - After that all handles are invalid; variables that hold them, also thread-local ones, must be set to NULL. Handles
 *   of threads that the child does not have must not be used again.
 * - A new recorder may be opened at once, for a log under another name, and threads of the child attached to it.
 *
 * The parent is not affected: its log stays locked, and recording continues. In a child of vfork() no function may be
 * called.
 *
 * Functions named mprof_thread_... may be called only by the attached thread. They keep errno, and may be called where
 * the collector has stopped all other threads only if their description permits it. None may be called in a signal
 * handler.
 *
 * This header has the functions that open, control and close a recorder, and includes the others:
 * mprof/recorder_types.h (handles, keys, frames), mprof/recorder_definitions.h (names), mprof/recorder_thread.h (events
 * of threads), mprof/recorder_samples.h (samples, metrics, markers) and mprof/recorder_heap.h (heap snapshots).
 *
 * NULL is refused everywhere: functions that return a status return #MPROF_ERR_ARGUMENT, others do nothing or return 0.
 * In a library built without the recorder (mprof_version_has_feature()) functions that return a status return
 * #MPROF_ERR_UNSUPPORTED, and the others do nothing.
 *
 * Example: examples/tutorial/03_record.c.
 */
#ifndef MPROF_RECORDER_H
#define MPROF_RECORDER_H

#include <mprof/recorder_definitions.h>
#include <mprof/recorder_heap.h>
#include <mprof/recorder_samples.h>
#include <mprof/recorder_thread.h>
#include <mprof/recorder_types.h>
#include <mprof/writer.h>

MPROF_BEGIN_DECLS

/**
 * \brief What a thread does if no event buffer is free, or too many definitions wait.
 * \since 0.1
 */
typedef enum mprof_overflow {
	MPROF_OVERFLOW_WAIT = 0, /**< Waits for the writer thread. For events that must not wait there are max_buffers
	                              more buffers; such an event is lost only if these are full, too. See
	                              #mprof_loss_cause for all causes of loss. */
	MPROF_OVERFLOW_DROP = 1  /**< Drops the event and counts it: the thread never waits. */
} mprof_overflow;

/**
 * \brief The optional fields of allocation events: bits of mprof_recorder_options::allocation_detail.
 * \since 0.1
 */
typedef enum mprof_allocation_detail {
	MPROF_ALLOCATION_DETAIL_CALLER = 1, /**< The method that allocates (directive 1): the innermost frame. */
	MPROF_ALLOCATION_DETAIL_STACK = 2,  /**< The call stack (directive 19; mono and unity: directive 2). */
	MPROF_ALLOCATION_DETAIL_OBJECT = 4  /**< The address of the object (directive 3). */
} mprof_allocation_detail;

/**
 * \brief Options of a recorder. If all fields except struct_size are 0, the defaults apply.
 *
 * A process that is killed loses what is not written yet: the events in buffers that are not full, which are at most
 * drain_interval_ms old if the writer thread keeps up, and the backlog of full buffers if it does not, at most
 * max_buffers of them. The time that this corresponds to depends on the rates at which events are recorded and written.
 * A shorter interval and fewer or smaller buffers reduce the loss, but threads then wait (or drop) sooner. A compressed
 * log ends at the last flush, which comes at the end of each interval. Samples (max_sample_bytes) and heap snapshots
 * (max_heap_bytes) that wait to be written are lost, too.
 * \since 0.1
 */
typedef struct mprof_recorder_options {
	size_t struct_size;                 /**< Set by mprof_recorder_options_init(). */
	const mprof_writer_options *writer; /**< Options of the writer: dialect, compression and others; its clock and
	                                            counters_per_second are not used. Its intro_flags state in INTRO
	                                            what is recorded, for readers that show it: the recorder does not
	                                            know what its client will record, so they are 0 if the client does
	                                            not set them. NULL: defaults. Copied. The writer thread compresses,
	                                            or those of drain_threads, so recording threads wait for them
	                                            if they record faster. */
	const mprof_allocator *allocator;   /**< Allocator of the recorder; NULL: malloc. Event buffers come from the
	                                            system. Copied. Called on any thread that calls the recorder, on the
	                                            writer thread, and on those of drain_threads. */
	uint32_t buffer_events;             /**< Events in one buffer, 128 to 1048576; 0 means 4096. An event with
	                                            details counts as two, and as one more for each two frames. */
	uint32_t max_buffers;               /**< Maximum number of buffers in addition to one for each thread, 2 to
	                                            65536; 0 means 512. Their content is lost if the process is killed,
	                                            see above. */
	uint32_t overflow;                  /**< An #mprof_overflow. */
	uint32_t drain_interval_ms;         /**< Maximum time that an event stays in a buffer that is not full, in
	                                            milliseconds; 0 means 1000. */
	uint64_t (*counter)(void *user);    /**< Reads a monotonic counter; NULL: that of the machine. */
	void *counter_user;                 /**< Passed as the argument of counter. */
	uint32_t keys_are_ids;              /**< 1: keys are IDs chosen by the client, below 2^32 - 1. */
	uint32_t machine_ticks;             /**< 1: record the ticks of the machine's counter as they are. 0: in
	                                            units of 8 to 17 ns, which make smaller logs. No effect with
	                                            counter. */
	mprof_resolve_function resolve_method; /**< Names methods that were not defined; may be NULL. */
	mprof_resolve_function resolve_class;  /**< Names classes that were not defined; may be NULL. */
	void *resolve_user;                    /**< Passed to the resolve functions. */
	const mprof_property *properties;      /**< Metadata for the SESSION block; may be NULL. Copied. */
	size_t property_size;                  /**< sizeof (mprof_property) as the caller was compiled; required with
	                                            properties. */
	size_t property_count;                 /**< Number of elements of properties. */
	uint32_t allocation_detail;            /**< Bits of #mprof_allocation_detail. */
	uint32_t start_disabled;               /**< 1: start as after mprof_recorder_set_enabled() with 0. */
	uint64_t max_sample_bytes;             /**< Memory for samples that wait to be written, 64 KiB to 1 GiB; 0 means
	                                            1 MiB. Allocated when the recorder is opened. */
	uint64_t max_heap_bytes;               /**< Maximum memory for heap snapshots and moves that wait to be written,
	                                            in bytes; 0 means 512 MiB. Taken from the system when needed, at
	                                            least 1 MiB. */
	uint64_t max_log_bytes;                /**< Maximum length of the log in bytes, as stored. The first block that
	                                            does not fit together with a LOST block and END is not written.
	                                            After that only LOST and END are written, and events are counted as
	                                            lost (#MPROF_LOSS_LIMIT). 0 means no limit. */
	uint32_t track_objects;                /**< 1: determine which objects died at each mprof_recorder_begin_heap(),
	                                            from allocations with MPROF_ALLOCATION_DETAIL_OBJECT, moves and heap
	                                            snapshots. */
	uint32_t without_symbols;              /**< 1: do not look up the names of native functions. */
	void (*thread_started)(void *user);    /**< Called on the writer thread, and on each thread of
	                                            drain_threads, before anything else; may be NULL. */
	void (*thread_ended)(void *user);      /**< Called on the same threads after everything else; may be NULL.
	                                            Returns before mprof_recorder_close() does. */
	void *thread_user;                     /**< Passed to thread_started and thread_ended. */
	const char *salvage_path;              /**< File for everything that is not in the log yet, from which
	                                            mprof_recorder_recover() completes the log if the process dies.
	                                            NULL: none. If the file exists, it must be empty or that of a
	                                            process that has ended. Removed when the recorder is closed.
	                                            Copied. */
	const char *salvage_log_path;          /**< The log for mprof_recorder_recover() where its caller names none;
	                                            NULL: the path that was opened. Copied. */
	uint32_t exception_stacks;             /**< 1: exceptions have call stacks: see
	                                            mprof_thread_record_exception(). */
	uint32_t thread_times;                 /**< 1: record how long each thread existed, ran, and waited for a
	                                            processor, and its context switches, as metrics with
	                                            #MPROF_METRIC_FLAG_THREAD: every drain_interval_ms, and when it is
	                                            detached. Only for handles whose ID is the system's ID of the thread
	                                            that attached them, as it is if 0 was passed to
	                                            mprof_recorder_attach(); no effect with a dialect that has no
	                                            metrics. */
	uint32_t exception_clauses;            /**< 1: exception clauses that run are recorded: see
	                                            mprof_thread_record_exception_clause(). */
	uint32_t heap_offsets;                 /**< 1: references of heap snapshots have their offsets in the objects
	                                            (directive 26), and the fields of classes are written: see
	                                            mprof_recorder_define_fields(). */
	uint32_t method_code;                  /**< 1: the sizes of code are recorded: see
	                                            mprof_thread_record_method_code(). */
	uint32_t event_rows;                   /**< 1: events are written in rows. 0: in columns, if the dialect has
	                                            them, which take less time and fewer bytes (doc/format.md, 3.22).
	                                            In columns, consecutive buffers of a thread become one block of up
	                                            to 65536 events. mprof_writer_options::has_columns is ignored. */
	uint32_t resolution_ns;                /**< Longest unit of the counters in the log, in nanoseconds, up to
	                                            10000, which makes the log smaller: a power of two of the
	                                            recorder's own units, rounded down. 0: these units. Invalid with
	                                            counter. The property `resolution` states it (doc/format.md,
	                                            3.8). */
	uint32_t drain_threads;                /**< Threads that convert events for the writer thread while several
	                                            threads record much, 2 to 64; 0 or 1: none. Only for columns. Each
	                                            takes up to 10 MB of memory. */
	uint32_t without_index;                /**< 1: the log gets no INDEX blocks (doc/format.md, 3.24). 0: it gets
	                                            them if the dialect has them, except in a ring buffer, and as long
	                                            as there is memory for them. mprof_writer_options::has_index is
	                                            ignored. */
	uint64_t max_message_bytes;            /**< Maximum memory for definitions that wait to be written, and the
	                                            same again for markers, values of metrics and changes of roots, 64
	                                            KiB to 1 GiB; 0 means 16 MiB. A thread that defines more waits or,
	                                            with #MPROF_OVERFLOW_DROP, loses the definition: see
	                                            mprof_recorder_define_method(). */
	double counters_per_second; /**< Units of counter in a second, at most 10^12, which the log then states.
	                                            0: the recorder measures it by the monotonic clock, and states it
	                                            from 10 ms after the start. Only with counter: that of the machine
	                                            is always measured. */
	/**
	 * \brief Called once, on the writer thread, when an error ends the writing of the log, for example if the
	 * disk is full; may be NULL.
	 *
	 * From then on, what is recorded is lost: mprof_recorder_is_enabled() returns 0, and functions that send
	 * something to the writer thread return the status of the error. No lock is held during the call. It may call
	 * any function of the recorder that does not wait for the writer thread: not mprof_recorder_close(). If the
	 * error occurs while the log is closed, the call comes before mprof_recorder_close() returns. A log that
	 * reaches max_log_bytes has not failed. \p error is valid during the call.
	 */
	void (*failed)(void *user, const mprof_error *error);
	void *failed_user; /**< Passed to failed. */
} mprof_recorder_options;

/**
 * \brief Options of mprof_recorder_recover(); set by mprof_recovery_options_init().
 * \since 0.1
 */
typedef struct mprof_recovery_options {
	size_t struct_size; /**< sizeof (mprof_recovery_options), set by the caller. */
	/**
	 * \brief Log of the process. For a recorder of mprof_recorder_open_ring(), the file to write the log to; an
	 * existing log or empty file is replaced, any other file is refused. NULL:
	 * mprof_recorder_options::salvage_log_path of the process, or the path that it opened. Borrowed during the
	 * call.
	 */
	const char *log_path;
	/**
	 * \brief Called while the log is verified, before anything is changed. Steps are bytes of the log, as stored.
	 * May be NULL.
	 */
	mprof_progress_function progress;
	void *progress_user; /**< Passed as the first argument. */
} mprof_recovery_options;

/**
 * \brief What mprof_recorder_recover() found and did.
 * \since 0.1
 */
typedef struct mprof_recovery {
	size_t struct_size;    /**< sizeof (mprof_recovery), set by the caller. */
	uint64_t process;      /**< ID of the process that recorded. */
	uint64_t events;       /**< Events, samples included, that were added to the log. */
	uint64_t lost_events;  /**< Losses that were added to the log: the process had counted them, or there was no
	                           memory for them now. */
	uint64_t log_bytes;    /**< Length of the log now, in bytes. */
	uint64_t is_recording; /**< 1: the process is still running; nothing was changed. */
	uint64_t was_complete; /**< 1: the log had been closed; nothing was missing. */
} mprof_recovery;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_recorder_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_recorder_options_init(mprof_recorder_options *options, size_t struct_size);

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_recovery_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_recovery_options_init(mprof_recovery_options *options, size_t struct_size);

/**
 * \brief Creates a file as mprof_writer_open_path() does and starts to record into it: writes INTRO, DIRECTIVES and
 * SESSION, and starts the writer thread, which blocks all signals.
 *
 * Directives 4, 5, 6, 16, 17, 18, 20 and 21 are declared automatically if the dialect has them, and those that
 * allocation_detail, exception_stacks, exception_clauses, heap_offsets and method_code require. Content that the
 * dialect cannot represent (SESSION, THREAD and LOST blocks, some events and details) is refused unless
 * mprof_writer_options::lossy is set; losses are then reported only by mprof_recorder_get_stats(). mono and unity have
 * call stacks of allocations and monitors if directive 2 is declared, by allocation_detail or by the writer's options.
 *
 * Thread-safe.
 * \param path Name of the file.
 * \param options Options, or NULL for the defaults. Copied.
 * \param recorder Receives the recorder; NULL on an error. The caller frees it with mprof_recorder_destroy().
 * \param error Receives the error, up to its struct_size, which the caller sets; may be NULL.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p path or \p recorder is NULL, or an option is out of range.
 * - #MPROF_ERR_IO if the file could not be created, locked or written.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be written or cannot represent what the options require, for gzip or
 *   a codec in a library without it, or in a library without the recorder.
 * - #MPROF_ERR_LIMIT if the start and the end of the log do not fit max_log_bytes.
 * - #MPROF_ERR_MEMORY if the allocator refused, or a thread could not be created.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_path(const char *path, const mprof_recorder_options *options,
								mprof_recorder **recorder, mprof_error *error);

/**
 * \brief Starts to record into a descriptor: writes INTRO, DIRECTIVES and SESSION, and starts the writer thread, which
 * blocks all signals.
 *
 * Directives and lossy conversion are as described at mprof_recorder_open_path(). Thread-safe.
 * \param fd The descriptor, written from its current position. Stays open: the caller closes it after
 * mprof_recorder_destroy(). If it becomes that of another file, nothing is written there, and recording fails.
 * \param options Options, or NULL for the defaults. Copied.
 * \param recorder Receives the recorder; NULL on an error. The caller frees it with mprof_recorder_destroy().
 * \param error Receives the error, up to its struct_size, which the caller sets; may be NULL.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL, or \p fd or an option is out of range.
 * - #MPROF_ERR_IO if the descriptor could not be written.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be written or cannot represent what the options require, for gzip or
 *   a codec in a library without it, or in a library without the recorder.
 * - #MPROF_ERR_LIMIT if the start and the end of the log do not fit max_log_bytes.
 * - #MPROF_ERR_MEMORY if the allocator refused, or a thread could not be created.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_fd(int fd, const mprof_recorder_options *options,
							      mprof_recorder **recorder, mprof_error *error);

/**
 * \brief Starts to record into a sink: writes INTRO, DIRECTIVES and SESSION, and starts the writer thread, which blocks
 * all signals. The functions of the sink are called on the calling thread until the writer thread runs, and then on the
 * writer thread.
 *
 * Directives and lossy conversion are as described at mprof_recorder_open_path(). Thread-safe.
 * \param sink Copied. Its close function is called once in all cases, also on an error.
 * \param options Options, or NULL for the defaults. Copied.
 * \param recorder Receives the recorder; NULL on an error. The caller frees it with mprof_recorder_destroy().
 * \param error Receives the error, up to its struct_size, which the caller sets; may be NULL.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p sink or \p recorder is NULL, or an option is out of range.
 * - #MPROF_ERR_IO if a function of the sink returned an error.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be written or cannot represent what the options require, for gzip or
 *   a codec in a library without it, or in a library without the recorder.
 * - #MPROF_ERR_LIMIT if the start and the end of the log do not fit max_log_bytes.
 * - #MPROF_ERR_MEMORY if the allocator refused, or a thread could not be created.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_sink(const mprof_sink *sink,
								const mprof_recorder_options *options,
								mprof_recorder **recorder, mprof_error *error);

/**
 * \brief Starts a flight recorder: keeps the latest bytes of events in a ring buffer in memory, and everything that is
 * needed to read them. mprof_recorder_dump_path() writes a log on request, any number of times.
 *
 * Definitions and metadata are always kept; the oldest blocks of events, samples and heap snapshots are evicted. Leaves
 * always name their method. Compression and max_log_bytes have no effect. Directives and lossy conversion are as
 * described at mprof_recorder_open_path(). Thread-safe.
 * \param bytes Size of the ring buffer in bytes of events, before compression; at least 1 MiB.
 * \param options Options, or NULL for the defaults. Copied.
 * \param recorder Receives the recorder; NULL on an error. The caller frees it with mprof_recorder_destroy().
 * \param error Receives the error, up to its struct_size, which the caller sets; may be NULL.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL, or \p bytes or an option is out of range.
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot be written or cannot represent what the options require, or in a
 *   library without the recorder.
 * - #MPROF_ERR_MEMORY if the allocator refused, or a thread could not be created.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_ring(uint64_t bytes, const mprof_recorder_options *options,
								mprof_recorder **recorder, mprof_error *error);

/**
 * \brief Writes the content of a flight recorder as a complete log, after draining the events recorded before the call.
 * Recording continues meanwhile.
 *
 * The file is written under an unpredictable name in the same directory and then renamed: an existing file, or a
 * symbolic link, is replaced as a whole. It gets the permissions mprof_writer_options::file_mode.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder A recorder opened with mprof_recorder_open_ring(), open or closed.
 * \param path Name of the file.
 * \param gzip_level 0: not compressed. 1 (fast) to 9 (small): gzip.
 * \param error Receives the error, up to its struct_size, which the caller sets; may be NULL.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder or \p path is NULL, or \p gzip_level is above 9.
 * - #MPROF_ERR_STATE if the recorder has no ring buffer, on the writer thread, or in a child made by fork().
 * - #MPROF_ERR_UNSUPPORTED for gzip in a library without it.
 * - #MPROF_ERR_IO if the file could not be created, written or renamed.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_dump_path(mprof_recorder *recorder, const char *path,
								uint32_t gzip_level, mprof_error *error);

/**
 * \brief Ends the log: drains the events recorded before the call, writes END, and ends the writer thread.
 *
 * Threads may still be recording; events that they record from now on are left out and not counted. The call waits only
 * for the writing itself. In a child made by fork() it does nothing and returns #MPROF_OK.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed already, or on the writer thread.
 * - The error that stopped the writing.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_close(mprof_recorder *recorder);

/**
 * \brief Frees a recorder and all its handles, closing it first if needed.
 *
 * No other function may be running on the recorder or its threads, nor be called afterwards. Does nothing on the writer
 * thread. In a child made by fork() it frees only what the file description of mprof/recorder.h lists. Not
 * async-signal-safe.
 * \param recorder The recorder, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_recorder_destroy(mprof_recorder *recorder);

/**
 * \brief Waits until everything that any thread recorded or defined before the call is in the log and handed to the
 * operating system.
 *
 * Call it before freeing structures whose addresses are keys: structures allocated later at the same addresses can then
 * not be confused with them.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed, on the writer thread, or in a child made by fork().
 * - The error that stopped the writing.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_drain(mprof_recorder *recorder);

/**
 * \brief Stops or resumes the recording of events and samples.
 *
 * While recording is stopped, functions named mprof_thread_... and mprof_recorder_record_sample() return at once; only
 * starts and ends of threads are still recorded. Definitions, code units, markers and heap snapshots are recorded in
 * either state. The first event that a thread records after recording was resumed is preceded by one of kind
 * #MPROF_EVENT_RECORDING_RESUMED.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param enabled 1 to resume, 0 to stop.
 * \return
 * - #MPROF_OK, also if nothing changed.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL or \p enabled is neither 0 nor 1.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_set_enabled(mprof_recorder *recorder, int enabled);

/**
 * \brief Whether events are recorded.
 *
 * Thread-safe, async-signal-safe.
 * \param recorder The recorder.
 * \return 1 if events are recorded. 0 if recording is stopped or has failed (mprof_recorder_options::failed), the
 * recorder is closed or NULL, or in a child made by fork().
 * \since 0.1
 */
MPROF_API int mprof_recorder_is_enabled(const mprof_recorder *recorder);

/**
 * \brief Reads the counter of a recorder.
 *
 * Thread-safe, and async-signal-safe if the counter function of the options is.
 * \param recorder The recorder.
 * \return The counter, in the unit of the log, or in the recorder's own unit if mprof_recorder_options::resolution_ns
 * makes that of the log longer; 0 if \p recorder is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_recorder_read_counter(const mprof_recorder *recorder);

/**
 * \brief Statistics of a recorder.
 * \since 0.1
 */
typedef struct mprof_recorder_stats {
	size_t struct_size;        /**< sizeof (mprof_recorder_stats), set by the caller. */
	uint64_t events;           /**< Events written to the log so far: of threads, samples, and of heap snapshots. */
	uint64_t bytes;            /**< Length of the log so far, as stored. */
	uint64_t log_bytes;        /**< Length of the log so far, not compressed. */
	uint64_t lost_events;      /**< Lost events of all causes. */
	uint64_t lost[256];        /**< Lost events by #mprof_loss_cause. */
	uint64_t waits;            /**< Number of times that a thread had to wait for a buffer, or with a definition. */
	uint64_t unresolved_keys;  /**< Keys that were neither defined nor resolved. */
	uint64_t left_out;         /**< Items that the dialect could not represent, with mprof_writer_options::lossy. */
	uint64_t threads;          /**< Threads attached so far. */
	uint64_t classes;          /**< Classes written so far. */
	uint64_t methods;          /**< Methods written so far. */
	uint64_t buffers;          /**< Event buffers allocated so far. */
	uint64_t samples;          /**< Samples written so far. */
	uint64_t stacks;           /**< Distinct call stacks written so far, including those that are parts of
	                                others. */
	uint64_t heap_shots;       /**< Heap snapshots written so far. */
	uint64_t incomplete_shots; /**< Number of these snapshots that are incomplete. */
	uint32_t status;           /**< An #mprof_status: the error that stopped the writing, or #MPROF_OK. */
	int32_t system_error;      /**< errno of the error that stopped the writing, or 0. */
} mprof_recorder_stats;

/**
 * \brief Gets the statistics of a recorder. They are exact after mprof_recorder_drain() or mprof_recorder_close().
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param stats Receives what fits its struct_size, which the caller sets; all 0 in a child of fork().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_get_stats(mprof_recorder *recorder, mprof_recorder_stats *stats);

/**
 * \brief Gets the statistics of the writer of a recorder, including what the dialect could not represent, by kind. They
 * are exact after mprof_recorder_drain() or mprof_recorder_close().
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param stats Receives what fits its struct_size, which the caller sets; all 0 in a child of fork().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_get_writer_stats(mprof_recorder *recorder, mprof_writer_stats *stats);

/**
 * \brief Completes the log of a process that died, from its salvage file.
 *
 * All events whose recording call had returned are added to the log, with the definitions of the methods and classes
 * that they refer to, unless the log contains them already. The log then ends as if the recorder had been closed. A
 * heap snapshot without its end is marked as incomplete; if the salvage file was on a disk, the part that was not
 * written yet is missing. The salvage file is removed after the completed log has been verified. If this fails, it can
 * be called again.
 *
 * Nothing is changed before both files have been verified: the salvage file by its checksums, and the log by those of
 * its blocks up to where the process had committed. The log must be a regular file that begins with the block which the
 * process wrote first, and must belong to the user whom the salvage file belongs to, unless that is the caller or root.
 * A symbolic link is followed only if it is the caller's or root's. Events in buffers have no checksum.
 *
 * \param salvage_path mprof_recorder_options::salvage_path of the process. A file of another version of the library, or
 * of another architecture, is refused.
 * \param options Options, or NULL for the defaults. Borrowed during the call.
 * \param recovery Receives what was found and done, up to its struct_size, which the caller sets; may be NULL.
 * \param error Receives the error, up to its struct_size, which the caller sets; may be NULL.
 * \return
 * - #MPROF_OK; nothing was changed if mprof_recovery::was_complete is 1.
 * - #MPROF_ERR_ARGUMENT if \p salvage_path is NULL, no log is named by the options or the process, or a struct_size is
 *   too small.
 * - #MPROF_ERR_INTERRUPTED if mprof_recovery_options::progress asked for it: nothing was changed.
 * - #MPROF_ERR_STATE if the process is still running.
 * - #MPROF_ERR_NOT_MPROF if the file is not a salvage file, or one of another version or architecture; or if the log
 *   is another file, or the log of another recording.
 * - #MPROF_ERR_MALFORMED if the salvage file is damaged. Nothing was changed. mprof_error::offset is that of the first
 *   damage in the salvage file, 0 if unknown.
 * - #MPROF_ERR_CHECKSUM if a block of the log is damaged; mprof_error::offset is that of the block, before compression.
 *   Nothing was changed, unless the block was written by this function; then the salvage file is not removed.
 * - #MPROF_ERR_TRUNCATED if the log is shorter than it was when the process died, or if the process died before its log
 *   had begun.
 * - #MPROF_ERR_IO if a file cannot be read or written; mprof_error::system_error is EBUSY if another writer has the
 *   log, EPERM if the files belong to different users.
 * - #MPROF_ERR_UNSUPPORTED if the log was not a file, or is compressed and the library was built without zlib; in a
 *   library without the recorder.
 * - #MPROF_ERR_MEMORY if memory could not be allocated.
 * \par Threads
 * Any thread; not async-signal-safe.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_recover(const char *salvage_path, const mprof_recovery_options *options,
					      mprof_recovery *recovery, mprof_error *error);

MPROF_END_DECLS

#endif
