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
 * - Any function may be called on the recorder and on the handle of the thread that forked. Functions named
 *   mprof_recorder_... that return a status return #MPROF_ERR_STATE, except mprof_recorder_close(), which does nothing,
 *   and the functions that only query. Those named mprof_thread_... record nothing.
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
 * In a library built without the recorder (mprof_version_has_feature()) functions that return a status return
 * #MPROF_ERR_UNSUPPORTED, except mprof_recorder_destroy(), which has nothing to free, and the others do nothing.
 *
 * Example: examples/small/tutorial/03_record.c.
 */
#ifndef MPROF_RECORDER_H
#define MPROF_RECORDER_H

#include <mprof/writer.h>

MPROF_BEGIN_DECLS

/**
 * \brief A recorder. Any thread may use it, as described at each function.
 * \since 0.1
 */
typedef struct mprof_recorder mprof_recorder;

/**
 * \brief The handle of a thread that is attached to a recorder.
 * \since 0.1
 */
typedef struct mprof_thread mprof_thread;

/**
 * \brief Identifies a method, a class or a code unit while it exists. 0 and UINT64_MAX are not valid keys; an event
 * recorded with one of them gets the name "(no key)".
 * \since 0.1
 */
typedef uint64_t mprof_key;

/**
 * \brief A frame of a call stack: the key of a method, or an address of native code with #MPROF_FRAME_NATIVE.
 *
 * The key of a method that is used as a frame must be below 2^62; 0 is an unknown method. An address of native code
 * must be below 2^61: clients on processors whose pointers have tags in their upper bits clear these, and a runtime
 * whose method pointers have them uses other keys. The address of the innermost frame is that of the instruction which
 * the thread executes, as a signal handler finds it, unless it is marked as a return address. The addresses of outer
 * frames are always return addresses. A client that has return addresses only, such as a function that is called in
 * place of malloc(), marks all of them with #MPROF_FRAME_RETURN: a call may be the last instruction of its function, so
 * the byte at a return address may belong to another function.
 *
 * An element before a frame may state its line: mprof_frame_make_line().
 * \since 0.1
 */
typedef uint64_t mprof_frame;

/**
 * \brief Marks a frame as an address of native code; see mprof_frame_make_native().
 * \since 0.1
 */
#define MPROF_FRAME_NATIVE (UINT64_C(1) << 63)

/**
 * \brief Marks a frame as a return address of native code, the address after the call, also if it is the innermost
 * frame. Includes #MPROF_FRAME_NATIVE.
 * \since 0.1
 */
#define MPROF_FRAME_RETURN (MPROF_FRAME_NATIVE | UINT64_C(1) << 61)

/**
 * \brief Marks a frame as a method that is being compiled, not executed; see mprof_frame_make_compiling(). If it is the
 * innermost method in the call stack of an allocation, the compiler allocates: the event is of kind
 * #MPROF_EVENT_ALLOCATION_AT_JIT.
 * \since 0.1
 */
#define MPROF_FRAME_COMPILING (UINT64_C(1) << 62)

/**
 * \brief Passed as the outermost frame of a call stack whose outer frames are not recorded, because the client walks a
 * limited number of frames. A call stack without it is taken to be complete, and its outermost frame to be the start of
 * a thread. Log readers count samples of truncated call stacks below one frame (section 3.13 of doc/format.md).
 *
 * At any other position in a call stack it is an unknown method.
 * \since 0.1
 */
#define MPROF_FRAME_TRUNCATED (MPROF_FRAME_NATIVE | MPROF_FRAME_COMPILING)

/**
 * \brief Marks an element of a call stack that states the line of a frame; see mprof_frame_make_line().
 * \since 0.1
 */
#define MPROF_FRAME_LINE (UINT64_C(7) << 61)

/**
 * \brief With #MPROF_FRAME_LINE: the frame is inlined; see mprof_frame_make_line().
 * \since 0.1
 */
#define MPROF_FRAME_INLINED (UINT64_C(1) << 60)

/**
 * \brief Marks an element of a call stack that states the source file of a frame; see mprof_frame_make_file().
 * \since 0.1
 */
#define MPROF_FRAME_FILE (MPROF_FRAME_NATIVE | MPROF_FRAME_COMPILING | UINT64_C(1) << 60)

/**
 * \brief Makes the frame of an address of native code, for languages that have no macros.
 *
 * Thread-safe, async-signal-safe.
 * \param address The address, below 2^61.
 * \return The address with #MPROF_FRAME_NATIVE.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_native(uint64_t address);

/**
 * \brief Makes the frame of a return address of native code, for languages that have no macros.
 *
 * Thread-safe, async-signal-safe.
 * \param address The address, below 2^61.
 * \return The address with #MPROF_FRAME_RETURN.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_return(uint64_t address);

/**
 * \brief Makes the frame of a method that is being compiled, for languages that have no macros.
 *
 * Thread-safe, async-signal-safe.
 * \param method The key of the method, below 2^62.
 * \return The key with #MPROF_FRAME_COMPILING.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_compiling(mprof_key method);

/**
 * \brief Makes an element of a call stack that states in which line the frame after it is.
 *
 * All functions that take frames take such elements. An interpreter that is interrupted by a signal can read the method
 * and the line of each of its frames: it passes two elements for each frame, first the line and then the key of the
 * method. Nothing needs to be defined before. Each element counts as a frame for #MPROF_STACK_MAX. One without a frame
 * after it has no effect, nor has one of a frame that is being compiled. Other dialects than mprof2 have no lines.
 *
 * A frame whose line the log does not keep, since the dialect has no lines or there is no room for more, is counted:
 * mprof_writer_stats::shortened_blocks.
 *
 * Thread-safe, async-signal-safe.
 * \param line The line in the source file of the method, from 1; 0 if it is not known. Of an outer frame, that of the
 * call.
 * \param offset Offset of the instruction in the code of the method, in the unit of its runtime; 0 if it is not known.
 * One of 2^28 or more is not recorded.
 * \param is_inlined 1: the frame has no code of its own; that of the next frame, its caller, contains it.
 * \return The element. Section 3.32 of doc/format.md.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_line(uint32_t line, uint32_t offset, uint32_t is_inlined);

/**
 * \brief Makes an element of a call stack that states the source file of the frame after it, if it is not that of the
 * method: of code that was included or inlined from another file. It is beside the element that states the line, in
 * either order.
 *
 * Thread-safe, async-signal-safe.
 * \param text The ID of the name, from mprof_recorder_define_text().
 * \return The element. Section 3.32 of doc/format.md.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_file(uint32_t text);

/**
 * \brief Limits of a recorder.
 * \since 0.1
 */
enum {
	MPROF_STACK_MAX = 250, /**< Maximum number of frames of a call stack. If a call stack is longer, its innermost
	                            frames are recorded, followed by #MPROF_FRAME_TRUNCATED. */
	MPROF_RECORDED_ARGUMENTS_MAX_SIZE = 240, /**< Maximum length of the arguments of an event of a type, in bytes as
	                                              they are encoded (section 4.9 of doc/format.md). */
	MPROF_RECORDED_CLOCKS_MAX = 64, /**< Maximum number of clocks of a recorder, with the counter of the log. */
	MPROF_RECORDED_DEFINITIONS_MAX = 1048576 /**< Maximum number of texts, of arguments and of types that a recorder
	                                              defines. */
};

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
 * \brief Describes a method or a class. Pointers need to be valid only during the call; everything is copied.
 * \since 0.1
 */
typedef struct mprof_description {
	size_t struct_size;        /**< Set by mprof_description_init(). */
	const char *name;          /**< UTF-8. Methods: name and signature without the class. */
	size_t name_length;        /**< In bytes. */
	mprof_key class_key;       /**< Methods: the key of their class, 0 if none. */
	mprof_key assembly_key;    /**< Classes: the key of their assembly, as passed to mprof_recorder_record_loaded();
	                                0 if not known. */
	uint32_t flags;            /**< Methods: bits of #mprof_method_flag. */
	uint32_t object_size;      /**< Classes: size of an object in bytes, as in allocation events, if all objects
	                                have the same size; else 0. Allocations of that size are then written without
	                                it. */
	const char *source_file;   /**< Methods: UTF-8, the source file; NULL or "" if not known. */
	size_t source_file_length; /**< In bytes. */
	uint32_t source_line;      /**< Methods: the line in the source file, from 1; 0 if not known. */
	uint32_t reserved;         /**< 0. */
} mprof_description;

/**
 * \brief Names a key that was not defined.
 *
 * Called on the writer thread, once for each key, and again after the key was retired or a definition of it was lost.
 * It may define other keys, such as the class of a method; these definitions apply at once.
 * \param user mprof_recorder_options::resolve_user.
 * \param key The key.
 * \param description Initialized, to be filled. What it points to must stay valid until the next call of a resolve
 * function.
 * \return 0 if \p description was filled. Any other value if the key has no name: the recorder then makes one from the
 * key.
 * \since 0.1
 */
typedef int (*mprof_resolve_function)(void *user, mprof_key key, mprof_description *description);

/**
 * \brief The clock of samples: mprof_recorder_options::sample_clock.
 * \since 0.1
 */
typedef enum mprof_sample_clock {
	MPROF_SAMPLE_CLOCK_NONE = 0,      /**< Not known. */
	MPROF_SAMPLE_CLOCK_PROCESSOR = 1, /**< The processor time of each thread. */
	MPROF_SAMPLE_CLOCK_REAL = 2       /**< Real time. */
} mprof_sample_clock;

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
	                                            details counts as two, and as one more for each two frames or 16
	                                            bytes of arguments. */
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
	/**
	 * \brief 1: the keys of methods are the addresses of functions of the program and its libraries, or keys of
	 * mprof_recorder_get_function_key(). Not with keys_are_ids.
	 *
	 * A function that was not defined gets the name that its symbol has, or one made of its module and its offset,
	 * and its module becomes its class. resolve_method and resolve_class are called after that, with a description
	 * that contains this, and may replace it: if they do not return 0, it applies. The names in a library that was
	 * unloaded are known if mprof_recorder_update_modules() was called before and after that.
	 * \since 0.1
	 */
	uint32_t keys_are_functions;
	/**
	 * \brief 1: mprof_thread_record_object_freed() and mprof_thread_record_object_resized() record events
	 * (directive 32). For runtimes that free objects at once, as by reference counting. To be used with
	 * #MPROF_ALLOCATION_DETAIL_OBJECT, and without track_objects.
	 */
	uint32_t object_events;
	uint32_t sample_clock; /**< An #mprof_sample_clock: what mprof_recorder_record_sample() is called by. The log
	                            states it as `sample_clock` (doc/format.md, 3.8). */
	/**
	 * \brief The time that each sample of mprof_recorder_record_sample() stands for, in nanoseconds of
	 * sample_clock, from 1000 to 10^10; 0: not known. The log states it as `sample_period_ns` (doc/format.md,
	 * 3.8), from which readers estimate times. Samples of kinds have weights of their own instead.
	 */
	uint64_t sample_interval_ns;
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
 * allocation_detail, exception_stacks, exception_clauses, heap_offsets and method_code require; 31 is declared when the
 * first type of events is defined. Content that the dialect cannot represent (SESSION, THREAD and LOST blocks, some
 * events and details) is refused unless mprof_writer_options::lossy is set; losses are then reported only by
 * mprof_recorder_get_stats(). mono and unity have call stacks of allocations and monitors if directive 2 is declared,
 * by allocation_detail or by the writer's options.
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
 * \return
 * - #MPROF_OK, also for NULL, in a child made by fork(), and after mprof_recorder_close().
 * - #MPROF_ERR_STATE on the writer thread.
 * - The error that stopped the writing, if mprof_recorder_close() was not called before.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_destroy(mprof_recorder *recorder);

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
 * \brief Statistics of a recorder. 2 KiB; 160 bytes with offsetof (mprof_recorder_stats, lost) as struct_size.
 * \since 0.1
 */
typedef struct mprof_recorder_stats {
	size_t struct_size;        /**< sizeof (mprof_recorder_stats), set by the caller. */
	uint64_t events;           /**< Events written to the log so far: of threads, samples, and of heap snapshots. */
	uint64_t bytes;            /**< Length of the log so far, as stored. */
	uint64_t log_bytes;        /**< Length of the log so far, not compressed. */
	uint64_t lost_events;      /**< Lost events of all causes. */
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
	uint64_t cut_texts;        /**< Texts in events of types that were shortened: see
	                                mprof_thread_record_typed(). */
	uint64_t lost[256];        /**< Lost events by #mprof_loss_cause. */
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

/**
 * \name Names of what keys identify
 * \{
 *
 * Definitions wait in memory until the writer thread has processed them, at most
 * mprof_recorder_options::max_message_bytes of them. A thread that defines more waits for the writer thread. It does
 * not wait with #MPROF_OVERFLOW_DROP, on the writer thread, nor long while the writer thread waits for the dynamic
 * loader; then the definition is lost. Events that use its key from then on do not get the meaning of an earlier
 * definition: they get the name that mprof_recorder_options::resolve_method or resolve_class returns, or else one made
 * from the key, until the key is defined again. If many definitions are lost within one round of the writer thread,
 * this applies to the keys of all earlier definitions. The same holds if the allocator refuses.
 *
 * Example: examples/small/tutorial/12_source_lines.c.
 */

/**
 * \brief Sets all fields to 0, and struct_size.
 *
 * Thread-safe for different structs.
 * \param description The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_description) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_description_init(mprof_description *description, size_t struct_size);

/**
 * \brief Defines a class. Call it before any thread records the first event that uses the key.
 *
 * A key defined again with the same description is the same class. With another description it is a new class from now
 * on, since its address was reused. An object_size of 0 does not make it another class: the size can be added later,
 * and is used if the class has not been written by then. A class that no event uses is not written.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key A valid key.
 * \param description The class. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the key is not valid, or struct_size is too small.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_class(mprof_recorder *recorder, mprof_key key,
						   const mprof_description *description);

/**
 * \brief Defines a method. Call it before any thread records the first event that uses the key. Its class must be
 * defined too, before or afterwards.
 *
 * A key defined again with the same description is the same method. With another description it is a new method from
 * now on, since its address was reused. A method that no event uses is not written.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key A valid key.
 * \param description The method. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the key is not valid, the source file is NULL although its
 *   length is not 0, or struct_size is too small.
 * - #MPROF_ERR_NAME if the name or the source file contains a NUL byte or is longer than
 *   mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_method(mprof_recorder *recorder, mprof_key key,
						    const mprof_description *description);

/**
 * \brief Records that a code unit was loaded. Classes may refer to an assembly by the key from now on.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key Key of the code unit.
 * \param element The code unit. Copied; its id is chosen by the recorder, and its counters are those of
 * mprof_recorder_read_counter().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the kind does not have exactly one type, or a struct_size is
 *   too small.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_loaded(mprof_recorder *recorder, mprof_key key,
						    const mprof_element *element);

/**
 * \brief Records that a code unit was unloaded. Its key may be used again.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key Key of the code unit.
 * \param element The code unit. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the kind does not have exactly one type, or a struct_size is
 *   too small.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_unloaded(mprof_recorder *recorder, mprof_key key,
						      const mprof_element *element);

/**
 * \brief Records the name of a thread, which need not be the calling one.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param id ID of the thread in the log.
 * \param name UTF-8. Copied.
 * \param name_length Length of \p name in bytes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_set_thread_name(mprof_recorder *recorder, uint64_t id, const char *name,
						      size_t name_length);

/**
 * \brief Adds a property to the session, or replaces its value. For what is known only after the recording began;
 * mprof_recorder_options::properties is for the rest.
 *
 * Dialects without SESSION blocks do not record it.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key UTF-8, NUL-terminated, not empty. Copied.
 * \param value UTF-8, NUL-terminated. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or the key is empty.
 * - #MPROF_ERR_NAME if a text is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_set_property(mprof_recorder *recorder, const char *key, const char *value);

/**
 * \brief A range of keys that includes both ends. Passed together with its size, so that it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_key_range {
	mprof_key first; /**< The lowest key. */
	mprof_key last;  /**< The highest key; equal to first for a single key. */
} mprof_key_range;

/**
 * \brief Announces that the structures identified by these keys are about to be freed. Call it before freeing them.
 *
 * When it returns, all events that any thread published before the call are in the log under the names that their keys
 * had, and these keys have no meaning any more. To be used again they must be defined again; they then get new IDs,
 * even if the names are the same. Events that use them without a new definition are written as unknown. Other threads
 * continue to record meanwhile and need not be stopped, but must not record events with these keys any more. Keys that
 * are IDs (keys_are_ids) keep their meaning for ever: the call only drains.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param ranges Ranges of keys of methods and classes, in any order. Copied.
 * \param range_size sizeof (mprof_key_range) as the caller was compiled: the distance in bytes from one element to the
 * next. Bytes beyond the library's own size must be 0.
 * \param count Number of elements in \p ranges.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a range has its first key above its last, or \p range_size is invalid.
 * - #MPROF_ERR_STATE if the recorder is closed, on the writer thread, or in a child made by fork().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - The error that stopped the writing.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_retire_keys(mprof_recorder *recorder, const mprof_key_range *ranges,
						  size_t range_size, size_t count);

/**
 * \brief Reads the list of the libraries that are loaded at this time. A client calls it immediately before and after a
 * library is unloaded, as by dlclose().
 *
 * The recorder reads the list by itself when it drains events. A library that was unloaded before that, or replaced by
 * another one at the same addresses, is only known with these calls. The addresses of an event belong to the library
 * that was loaded at the time of the event. An address has no library if it is not certain which one it was.
 *
 * Waits for no other thread of the recorder's to drain events. Calls the loader (dl_iterate_phdr()). Thread-safe. Must
 * not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_MEMORY if the allocator refused: what was loaded or unloaded since the last time is not known.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_update_modules(mprof_recorder *recorder);

#ifdef MPROF_UNSTABLE
/**
 * \brief Finds the key of a function for mprof_recorder_options::keys_are_functions. Until a library is unloaded, it is
 * the address.
 *
 * The functions of a library that was loaded where another one had been have keys of their own. Those of a library that
 * is loaded again keep their keys, wherever it is loaded. Not stable before version 1.0: a program that accepts that
 * defines MPROF_UNSTABLE before it includes the header.
 *
 * Calls the loader (dl_iterate_phdr()). Thread-safe. Must not be called in a signal handler, nor where the world is
 * stopped.
 * \param recorder The recorder.
 * \param address An address in the function, whose library must be loaded.
 * \param key Receives the key, for this recorder alone; 0, which is not valid, after 2^13 libraries at the address.
 * \param first Receives the lowest address of the program or library. As long as that is loaded, the keys of its other
 * addresses have the same difference to them.
 * \param last Receives its highest address.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed or was opened without keys_are_functions, or in a child made by fork().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_get_function_key(mprof_recorder *recorder, uint64_t address, mprof_key *key,
						       uint64_t *first, uint64_t *last);

/**
 * \brief Finds the name of a function by its key, as for mprof_recorder_options::keys_are_functions. Reads the symbols
 * of the module when the first of its functions is named. Not stable before version 1.0.
 *
 * Calls the loader (dl_iterate_phdr()). Thread-safe. Must not be called in a signal handler, nor where the world is
 * stopped.
 * \param recorder The recorder.
 * \param key The key.
 * \param name Receives the name of the function's symbol, or NULL. Valid until the recorder is destroyed.
 * \param module Receives the name of the program or library, without its directory, or NULL. Valid until
 * the recorder is destroyed.
 * \return
 * - #MPROF_OK, also if there are no names.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed or was opened without keys_are_functions, or in a child made by fork().
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_get_function_name(mprof_recorder *recorder, mprof_key key, const char **name,
							const char **module);
#endif
/** \} */

/**
 * \name Events of threads
 * \{
 */

/**
 * \brief Attaches a thread. Its first event buffer is taken and touched by this call, not by the first event.
 *
 * Thread-safe. Must not be called in a signal handler.
 * \param recorder The recorder.
 * \param id ID of the thread in the log; 0 means the system's ID of the calling thread. Only one attached handle may
 * have an ID, since the events of a thread in the log are those of one call stack at a time. When the handle is
 * detached, its ID may be used again; the log then contains the events of both handles in order.
 * \param thread Receives the handle, which only that thread may use; NULL on an error. It is valid until
 * mprof_thread_detach() or mprof_recorder_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if an attached thread has the ID, the recorder is closed, on the writer thread, or in a child made
 *   by fork().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_attach(mprof_recorder *recorder, uint64_t id,
							     mprof_thread **thread);

/**
 * \brief Detaches a thread: hands over the events that it recorded and ends the handle.
 *
 * Any thread may call it once the owner no longer uses the handle. Not async-signal-safe.
 * \param thread The handle, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_thread_detach(mprof_thread *thread);

/**
 * \brief Gets the ID of a thread in the log.
 * \param thread The handle.
 * \return The ID; 0 if \p thread is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_thread_get_id(const mprof_thread *thread);

/**
 * \brief Records that a method is entered.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param method Key of the method.
 * \since 0.1
 */
MPROF_API void mprof_thread_enter_method(mprof_thread *thread, mprof_key method);

/**
 * \brief Records that a method returns.
 *
 * Methods that the thread entered later and did not leave end with it. A leave of a method that is not open in the
 * thread is recorded, but ends no method.
 *
 * Runtimes that do not name the method when it returns pass 0, which means the method on top of the call stack: the one
 * that was entered last and has not been left. In dialects without implicit leaves (doc/format.md, 4.3) the recorder
 * adds the method. If the stack had 65,536 frames or more, it does not know the outer ones, and counts their leaves as
 * lost (#MPROF_LOSS_NO_MEMORY). If no method is open, the leave is recorded and matches none.
 *
 * mprof_thread_record_event() with #MPROF_EVENT_METHOD_LEAVE_EXCEPTION or #MPROF_EVENT_METHOD_LEAVE_TAIL and key 0 also
 * means the method on top, and specifies how it was left.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param method Key of the method; 0 means the method on top of the call stack.
 * \since 0.1
 */
MPROF_API void mprof_thread_leave_method(mprof_thread *thread, mprof_key method);

/**
 * \brief Counts events that the client could not record, such as a call in a signal handler that has interrupted a
 * function of the recorder on this thread. They are in the log as lost.
 *
 * While recording is stopped, it does nothing. May be called only by the thread that the handle belongs to, or by a
 * signal handler on it. Async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param cause An #mprof_loss_cause: why they are lost; 0 if not known.
 * \param count Number of events.
 * \return
 * - #MPROF_OK, also while recording is stopped.
 * - #MPROF_ERR_ARGUMENT, with nothing counted, if \p thread is NULL or \p cause is unknown.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_lost(mprof_thread *thread, uint32_t cause, uint64_t count);

/**
 * \brief Records that the thread continues on another call stack: that of a coroutine, a fiber, a green thread.
 *
 * Events that the thread records from here on belong to that stack: methods are entered and left there, and no time
 * passes in methods that are open on the stacks that it left (doc/format.md, 4.8). A stack is on one thread at a time,
 * and may continue on another thread: the client calls this on the thread that leaves the stack first, and then on the
 * second thread. A stack uses about 300 bytes in the recording process, plus 16 for each method that is open on it.
 *
 * If stacks move between threads, and mprof_recorder_options::counter is used, that counter must advance between the
 * two calls.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param stack A number chosen by the client, such as the address of the runtime's structure, unique in the recorder; 0
 * means the thread's own stack, on which it starts. A number stands for the same stack until mprof_thread_end_stack():
 * a client that does not learn when a stack ends, as that of a coroutine that is collected, calls that function before
 * it uses the number for another stack. Otherwise the methods that were open on the old one stay open below the new
 * ones.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT if \p thread is NULL.
 * - #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the dialect has no stack switches (all except mprof2). With
 *   mprof_writer_options::lossy they are left out of the log and counted (mprof_writer_stats::left_out_events).
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_switch_stack(mprof_thread *thread, uint64_t stack);

/**
 * \brief Records that a call stack has ended. Methods that are open on it end; no time has passed in them since it was
 * left. Its number may be used for another stack. For a number that is not in use the event changes nothing, so it may
 * also be recorded before a stack is first switched to.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread. If the thread is on the stack, it is on its own stack from here on.
 * \param stack Number of the stack, not 0.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT if \p thread is NULL or \p stack is 0.
 * - #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the dialect has no stack switches (all except mprof2). With
 *   mprof_writer_options::lossy they are left out of the log and counted (mprof_writer_stats::left_out_events).
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_end_stack(mprof_thread *thread, uint64_t stack);

/**
 * \brief Records an event of a kind that has a time of its own.
 *
 * Events of collections (the kinds MPROF_EVENT_GC_...) never wait, whatever the overflow policy, and may be recorded
 * where the world is stopped, by one thread at a time for each handle.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param kind An #mprof_event_kind: METHOD_*, CLASS_*, EXCEPTION, THREAD_*, GC_*, FINALIZATION_* or STACK_*. All leaves
 * mean the method on top of the call stack if \p subject is 0, and #MPROF_EVENT_METHOD_LEAVE_IMPLICIT always does.
 * \param flags #MPROF_EVENT_FLAG_FAILED, or 0.
 * \param subject Key of the method or class, or the value of a kind that has neither.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL, \p flags has other bits, or the kind has a
 *   function of its own or cannot be recorded.
 * - #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the kind is STACK_* and the dialect has no stack switches.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_event(mprof_thread *thread, uint32_t kind, uint32_t flags, uint64_t subject);

/**
 * \brief Records an event of a collection with the number of the collection, for logs that have numbers (mono and
 * unity, and directive 21).
 *
 * Events with the same number belong to one collection, and so does a heap snapshot with that number. In mono and unity
 * a change of the heap's size has a number of its own, as in Mono 2; in other dialects pass 0 for it, so that numbers
 * count collections.
 *
 * Never waits, whatever the overflow policy, and may be called where the world is stopped, by one thread at a time for
 * each handle.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param kind An #mprof_event_kind: one of the kinds MPROF_EVENT_GC_...
 * \param number Number of the collection, from 1; 0 if not known: mono and unity are then numbered automatically.
 * \param value The generation, or the size of the heap in bytes.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or the kind is another one.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_collection(mprof_thread *thread, uint32_t kind, uint32_t number,
						      uint64_t value);

/**
 * \brief Records that an object was allocated. The event has no time of its own in the log.
 *
 * If the key of the class was defined twice without mprof_recorder_retire_keys() in between, the object is of the class
 * that the key meant at the last event of the thread that has a time.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of the class.
 * \param size Size of the object in bytes, below 2^56.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size);

/**
 * \brief Records that an object was allocated, with the optional fields that mprof_recorder_options::allocation_detail
 * selects; the others are ignored. See #MPROF_FRAME_COMPILING for objects that a compiler allocates.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of the class.
 * \param size Size of the object in bytes, below 2^56.
 * \param object Address of the object.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_allocation_detailed(mprof_thread *thread, mprof_key class_key, uint64_t size,
						       uint64_t object, const mprof_frame *frames, size_t count);

/**
 * \brief Records that an exception is thrown, with the call stack if mprof_recorder_options::exception_stacks is set;
 * otherwise the frames are ignored.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of the class of the exception.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_exception(mprof_thread *thread, mprof_key class_key, const mprof_frame *frames,
					     size_t count);

/**
 * \brief Records that a clause of a method runs because of an exception, if mprof_recorder_options::exception_clauses
 * is set.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param kind An #mprof_clause_kind.
 * \param number Number of the clause in its method, from 0.
 * \param class_key Key of the class of the exception.
 * \param method Key of the method that has the clause.
 * \return
 * - #MPROF_OK, also if exception_clauses is not set, while recording is stopped, and if the event is dropped and
 * counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p kind is unknown.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_exception_clause(mprof_thread *thread, uint32_t kind, uint32_t number,
							    mprof_key class_key, mprof_key method);

/**
 * \brief Records the size and the origin of code that was compiled or loaded, if mprof_recorder_options::method_code is
 * set.
 *
 * If a compilation that the thread has recorded contains it, call it between the #MPROF_EVENT_METHOD_JIT_START and the
 * #MPROF_EVENT_METHOD_JIT_END of the method: the time of the compilation then counts for this code. A method may have
 * code several times, for instance in several AppDomains.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param method Key of the method; 0 for code that belongs to none.
 * \param origin An #mprof_code_origin.
 * \param size Size of the code in bytes.
 * \return
 * - #MPROF_OK, also if method_code is not set, while recording is stopped, and if the event is dropped and counted
 * because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p origin is unknown.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_method_code(mprof_thread *thread, mprof_key method, uint32_t origin,
						       uint32_t size);

/**
 * \brief Records that a thread waits for a monitor, acquires it, or gives up.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param state An #mprof_monitor_state.
 * \param class_key Key of the class of the object.
 * \param object Address of the object.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p state is unknown.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_monitor(mprof_thread *thread, uint32_t state, mprof_key class_key,
						   uint64_t object, const mprof_frame *frames, size_t count);

/**
 * \brief Records which thread holds the monitor that the calling thread waits for, if directive 30 is declared by
 * mprof_writer_options::directives. To be called after mprof_thread_record_monitor() with #MPROF_MONITOR_CONTENDED.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe. Section 4.4 of doc/format.md.
 * \param thread The handle of the calling thread.
 * \param class_key Key of the class of the object, or 0 if not known.
 * \param object Address of the object, or 0 if not known.
 * \param holder ID of the thread that holds the monitor, as of mprof_thread_get_id(); not 0, below 2^56.
 * \return
 * - #MPROF_OK, also if the directive is not declared, while recording is stopped, and if the event is dropped and
 * counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p holder is out of range.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_monitor_holder(mprof_thread *thread, mprof_key class_key, uint64_t object,
							  uint64_t holder);

/**
 * \brief Records that a handle was created.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param handle Number of the handle, below 2^62, so that it may be an address.
 * \param type An #mprof_handle_type.
 * \param class_key Key of the class of its object, 0 if it has none.
 * \param object Address of its object, 0 if it has none.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL, \p handle is out of range or \p type is unknown.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_handle_created(mprof_thread *thread, uint64_t handle, uint32_t type,
							  mprof_key class_key, uint64_t object,
							  const mprof_frame *frames, size_t count);

/**
 * \brief Records that a handle was deleted.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param handle Number of the handle, below 2^62.
 * \param type An #mprof_handle_type.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL, \p handle is out of range or \p type is unknown.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_handle_deleted(mprof_thread *thread, uint64_t handle, uint32_t type,
							  const mprof_frame *frames, size_t count);

/**
 * \brief Records that a finalizer begins or ends.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param is_end 0: it begins. 1: it ends.
 * \param class_key Key of the class of the object.
 * \param object Address of the object.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_finalizer(mprof_thread *thread, int is_end, mprof_key class_key, uint64_t object);

/**
 * \brief Records that native memory was allocated (section 4.7). Call it after the allocation.
 *
 * Takes no lock and calls no allocator; waits for a free buffer if that is the overflow policy. Any thread may free
 * what another one allocated.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param address Address of the memory.
 * \param size Size in bytes, as requested; below 2^56.
 * \param frames The call stack, the innermost frame first, copied; NULL for none, which is the cheapest. The first
 * frame is the caller of the allocator.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_allocated(mprof_thread *thread, uint64_t address, uint64_t size,
						    const mprof_frame *frames, size_t count);

/**
 * \brief Records that native memory is freed (section 4.7). Call it before the memory is freed, so that no other thread
 * gets the address at a time before that of this event.
 *
 * Without a call stack it costs as little as mprof_thread_enter_method(). Takes no lock and calls no allocator; waits
 * for a free buffer if that is the overflow policy. Any thread may free what another one allocated.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param address Address of the memory.
 * \param frames The call stack, the innermost frame first, copied; NULL for none.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_freed(mprof_thread *thread, uint64_t address, const mprof_frame *frames,
						size_t count);

/**
 * \brief Records that native memory was resized (section 4.7), as by realloc(). Call it afterwards, and not if resizing
 * failed.
 *
 * If there was no memory before, or there is none afterwards, record an allocation or a free instead. Takes no lock and
 * calls no allocator; waits for a free buffer if that is the overflow policy. Any thread may resize what another one
 * allocated.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param old_address Address before.
 * \param started What mprof_recorder_read_counter() returned before the memory was resized: from then on another thread
 * may have been given the old address. 0 if not known.
 * \param new_address Address afterwards; may be the same.
 * \param size New size in bytes; below 2^56.
 * \param frames The call stack, the innermost frame first, copied; NULL for none.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_resized(mprof_thread *thread, uint64_t old_address, uint64_t started,
						  uint64_t new_address, uint64_t size, const mprof_frame *frames,
						  size_t count);

/**
 * \brief Records that an object is freed at once, and not by a collection.
 *
 * To be called before the address may be used again, by the thread that frees the object. Records nothing unless
 * mprof_recorder_options::object_events is set. Objects that a collector found dead are reported by
 * mprof_recorder_add_heap_free(), which has neither a thread nor a time.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of its class.
 * \param object Its address, as in mprof_thread_record_allocation_detailed().
 * \param size Its size in bytes; below 2^56.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_object_freed(mprof_thread *thread, mprof_key class_key, uint64_t object,
						uint64_t size);

/**
 * \brief Records that an object has another size or another address, outside of collections.
 *
 * To be called before the old address may be used again. Records nothing unless mprof_recorder_options::object_events
 * is set.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of its class.
 * \param old_object Its address before.
 * \param new_object Its address afterwards; may be the same.
 * \param size Its new size in bytes; below 2^56.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_object_resized(mprof_thread *thread, mprof_key class_key, uint64_t old_object,
						  uint64_t new_object, uint64_t size);
/** \} */

/**
 * \name Events that a program describes
 * \{
 *
 * A program defines types of events of its own, with their arguments and names (doc/format.md, 3.25 and 4.9). Each is
 * defined once, at any time and on any thread, before the first event that uses it; the log has it before that event,
 * also in a flight recorder and in a log that was completed by recovery. IDs are those of the log: of texts, arguments
 * and types, each from 1 without gaps. There are at most #MPROF_RECORDED_DEFINITIONS_MAX of each.
 *
 * A request of a server, for example, is a span with a route, a status and a size: the arguments are the route, of kind
 * #MPROF_ARGUMENT_TEXT_ID and with #MPROF_ROLE_NAME, the duration with #MPROF_ROLE_DURATION, and two numbers; the names
 * of routes are texts. When a request begins, its thread calls mprof_recorder_read_counter(), and when it has ended,
 * mprof_thread_record_span() with the ID of the text and the two numbers.
 *
 * Definitions wait in memory as those of keys do, so a thread that defines may wait for the writer thread. What is not
 * defined, because it was refused, has the ID 0: its events are counted as lost.
 *
 * Example: examples/small/tutorial/13_spans.c.
 */

/**
 * \brief Defines a text, which arguments of kind #MPROF_ARGUMENT_TEXT_ID and categories of types refer to. A text that
 * is defined already has its ID, so this may be called again for the same text; it takes a lock, so a client keeps the
 * ID where it records often.
 *
 * Texts stay in memory as long as the recorder exists, and in readers of the log: a text that is different each time,
 * such as a query, is an argument of kind #MPROF_ARGUMENT_TEXT instead. Section 3.26 of doc/format.md.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param text UTF-8. Copied.
 * \param text_length Length of \p text in bytes.
 * \param id Receives the ID; 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_NAME if the text contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_UNSUPPORTED if the dialect has no events of types (all except mprof2). With mprof_writer_options::lossy
 *   they are left out of the log and counted.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if there are #MPROF_RECORDED_DEFINITIONS_MAX texts; or if too many definitions wait to be written
 *   and the thread did not wait, which is counted (#MPROF_LOSS_NO_BUFFER). Nothing is defined.
 * - #MPROF_ERR_MEMORY if the allocator refused. Nothing is defined.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_text(mprof_recorder *recorder, const char *text, size_t text_length,
						  uint32_t *id);

/**
 * \brief Defines arguments of events, which get consecutive IDs, so that they can be those of a type. Types may share
 * arguments. Defined again, they get other IDs. Section 3.25 of doc/format.md.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param arguments The arguments. Copied. NULL stands for "" as a name.
 * \param argument_size sizeof (mprof_argument_record) as the caller was compiled: the distance in bytes from one
 * element to the next. Bytes beyond the library's own size must be 0.
 * \param count Number of elements in \p arguments, 1 to #MPROF_TYPE_MAX_ARGUMENTS.
 * \param first Receives the ID of the first argument; 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p argument_size or \p count is invalid, an encoding is not known, or is
 *   not the one that the kinds #MPROF_ARGUMENT_TEXT, #MPROF_ARGUMENT_BYTES and #MPROF_ARGUMENT_DOUBLE have.
 * - #MPROF_ERR_NAME if a name is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_UNSUPPORTED if the dialect has no events of types (all except mprof2). With mprof_writer_options::lossy
 *   they are left out of the log and counted.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if there would be more than #MPROF_RECORDED_DEFINITIONS_MAX arguments; or if too many definitions
 *   wait to be written and the thread did not wait, which is counted (#MPROF_LOSS_NO_BUFFER). Nothing is defined.
 * - #MPROF_ERR_MEMORY if the allocator refused. Nothing is defined.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_arguments(mprof_recorder *recorder, const mprof_argument_record *arguments,
						       size_t argument_size, size_t count, uint32_t *first);

/**
 * \brief Defines a type of events. Defined again, it gets another ID. Section 3.25 of doc/format.md.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param type The type. Its category, arguments and pair are defined before. Copied. NULL stands for "" as its name.
 * \param type_size sizeof (mprof_type_record) as the caller was compiled. Bytes beyond the library's own size must be
 * 0.
 * \param id Receives the ID; 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p type_size is invalid, or a field is out of range.
 * - #MPROF_ERR_NAME if the name is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_UNDEFINED_ID if the category, an argument or the pair is not defined.
 * - #MPROF_ERR_UNSUPPORTED if the dialect has no events of types (all except mprof2). With mprof_writer_options::lossy
 *   they are left out of the log and counted.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if there are #MPROF_RECORDED_DEFINITIONS_MAX types; or if too many definitions wait to be written
 *   and the thread did not wait, which is counted (#MPROF_LOSS_NO_BUFFER). Nothing is defined.
 * - #MPROF_ERR_MEMORY if the allocator refused. Nothing is defined.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_type(mprof_recorder *recorder, const mprof_type_record *type,
						  size_t type_size, uint32_t *id);

/**
 * \brief Records an event of a type: something that happens, the start or the end of a span.
 *
 * Values are encoded at once: nothing is looked up, hashed or allocated, and no lock is taken; the thread waits for a
 * free buffer if that is the overflow policy. Events and calls of a thread are in the log in the order in which they
 * were recorded. After mprof_thread_switch_stack() they belong to that stack.
 *
 * mprof_argument_value::number is, by the encoding of the argument: a number; a signed number in two's complement; or
 * the 8 bytes of #MPROF_ENCODING_FIXED, for #MPROF_ARGUMENT_DOUBLE the bits of the double. For
 * #MPROF_ARGUMENT_DURATION it is a difference of values of mprof_recorder_read_counter(). Of #MPROF_ENCODING_BYTES,
 * mprof_argument_value::bytes are copied.
 *
 * All arguments together have at most #MPROF_RECORDED_ARGUMENTS_MAX_SIZE bytes: of a number, one for each 7 bits; of a
 * text, its length and one or two more. If texts of kind #MPROF_ARGUMENT_TEXT make them longer, the longest texts are
 * shortened to one length with which they fit, or less, so that they end with a whole character of UTF-8;
 * mprof_recorder_stats::cut_texts counts these texts.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe. Section 4.9 of doc/format.md.
 * \param thread The handle of the calling thread.
 * \param type ID of the type.
 * \param values The values of its arguments, in order. Borrowed during the call; may be NULL if \p count is 0.
 * \param count Number of elements in \p values; arguments after these are 0 or empty.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL, a pointer is NULL although there are elements or
 *   bytes, or the type has fewer arguments.
 * - #MPROF_ERR_UNDEFINED_ID if \p type is not defined: the event is lost, and counted (#MPROF_LOSS_NO_MEMORY), since
 *   the definition may have been refused.
 * - #MPROF_ERR_LIMIT if the arguments are too long even without texts: the event is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the dialect has no events of types (all except mprof2). With
 *   mprof_writer_options::lossy they are left out of the log and counted (mprof_writer_stats::left_out_events).
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_typed(mprof_thread *thread, uint32_t type,
						 const mprof_argument_value *values, size_t count);

/**
 * \brief Records a whole span, at its end: an event of a type that has an argument of #MPROF_ROLE_DURATION, for which
 * the time since the start is recorded.
 *
 * One event takes half the room and less time than two, for the start and the end; but a span that has not ended yet is
 * not in the log. Spans are recorded as described at mprof_thread_record_typed(), and may overlap.
 *
 * May be called only by the thread that the handle belongs to, which need not be the one where the span started. Not
 * async-signal-safe. Sections 3.25 and 4.9 of doc/format.md.
 * \param thread The handle of the calling thread.
 * \param type ID of the type, usually of the form #MPROF_TYPE_SPAN.
 * \param started What mprof_recorder_read_counter() returned when the span started. If that is later than now, no time
 * has passed.
 * \param values The values of the other arguments, in order, without the duration. Borrowed during the call; may be
 * NULL if \p count is 0.
 * \param count Number of elements in \p values; arguments after these are 0 or empty.
 * \return As mprof_thread_record_typed(); also #MPROF_ERR_ARGUMENT, with nothing recorded, if the type has no duration.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_span(mprof_thread *thread, uint32_t type, uint64_t started,
						const mprof_argument_value *values, size_t count);
/** \} */

/**
 * \name Clocks, timelines and processes
 * \{
 *
 * A device, such as a graphics processor, has a clock of its own, and states the times of its work some time after it
 * was done. Such work is recorded as the events of a *thread* that the client makes up: it attaches a handle with a
 * number of its choice (mprof_recorder_attach()), describes it with mprof_recorder_define_timeline(), and records
 * with mprof_thread_record_span_at(), which is passed the times. All times in the log are counters of the log, so the
 * client defines the clock of the device, records pairs of its values and the counter, and converts each time with
 * mprof_recorder_convert_time(). The log has the clock and the pairs, too, from which readers find how well the clocks
 * agree. Sections 3.28 to 3.31 of doc/format.md.
 *
 * The functions are thread-safe unless they state otherwise, and must not be called in a signal handler, nor where the
 * world is stopped. Those that define or record anything return, beside what they state:
 * - #MPROF_ERR_UNSUPPORTED if the dialect has no such blocks (all except mprof2). With mprof_writer_options::lossy they
 *   are left out of the log and counted.
 * - #MPROF_ERR_NAME if a text is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, which is counted
 *   (#MPROF_LOSS_NO_BUFFER). Nothing is recorded.
 * - #MPROF_ERR_MEMORY if the allocator refused. Nothing is recorded.
 *
 * Example: examples/small/gpu/gpu.c.
 */

/**
 * \brief Defines a clock, from whose values times are converted. Defined again, it gets another ID.
 * \param recorder The recorder.
 * \param clock The clock. Copied. NULL stands for "" as its name.
 * \param clock_size sizeof (mprof_clock_record) as the caller was compiled. Bytes beyond the library's own size must be
 * 0.
 * \param id Receives the ID, which is greater than #MPROF_CLOCK_LOG; 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p clock_size is invalid, or mprof_clock_record::reserved is not 0.
 * - #MPROF_ERR_LIMIT also if there are #MPROF_RECORDED_CLOCKS_MAX clocks.
 * - The errors of all functions of this section.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_clock(mprof_recorder *recorder, const mprof_clock_record *clock,
						   size_t clock_size, uint32_t *id);

/**
 * \brief Records a value of a clock that was read together with the counter of the log.
 *
 * A client reads mprof_recorder_read_counter(), the clock, and the counter again: the counter of the pair is the middle
 * of both, its uncertainty half of their difference. It does so at least before the first and after the last time that
 * it converts; times between two pairs are the better the closer the pairs are. The recorder keeps the first and the
 * latest 4,096 pairs of a clock or somewhat fewer.
 * \param recorder The recorder.
 * \param clock ID of the clock.
 * \param value The value of the clock.
 * \param counter The counter of the log, in the unit of mprof_recorder_read_counter().
 * \param uncertainty How much the counter may be greater or smaller, in the same unit.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL, or if \p value or \p counter is less than in
 *   the clock's pair before: a clock that was set is defined again.
 * - #MPROF_ERR_UNDEFINED_ID if no clock with a greater ID than #MPROF_CLOCK_LOG has the ID.
 * - The errors of all functions of this section.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_clock_pair(mprof_recorder *recorder, uint32_t clock, uint64_t value,
							uint64_t counter, uint64_t uncertainty);

/**
 * \brief Converts a time of a clock to the counter of the log, by the pairs recorded so far.
 *
 * Between two pairs the time is interpolated. Outside of them it is computed from the slope between the first and the
 * last pair, if their uncertainties change it by less than 100 parts in a million or mprof_clock_record::numerator and
 * denominator are 0; otherwise from these, and from how fast the counter has been since the recorder was opened. Takes
 * a lock.
 * \param recorder The recorder.
 * \param clock ID of the clock; #MPROF_CLOCK_LOG has \p value as the result.
 * \param value A value of the clock.
 * \param counter Receives the counter, in the unit of mprof_recorder_read_counter(); 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or the time is before counter 0 or after the greatest one.
 * - #MPROF_ERR_UNDEFINED_ID if no clock has the ID.
 * - #MPROF_ERR_STATE if no pair of the clock was recorded, or only one, and the ticks per second of the clock or of the
 *   counter (mprof_recorder_options::counter) are not known.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_convert_time(mprof_recorder *recorder, uint32_t clock, uint64_t value,
						   uint64_t *counter);

/**
 * \brief Describes a thread of the log, or again: the latest description of a thread replaces the others.
 *
 * The name is shown as that of the thread unless it is empty; mprof_recorder_set_thread_name() sets that of threads
 * that are nothing more than threads.
 * \param recorder The recorder.
 * \param timeline The description; mprof_timeline_record::thread is mprof_thread_get_id() of its handle. Copied. NULL
 * stands for "" as its name.
 * \param timeline_size sizeof (mprof_timeline_record) as the caller was compiled. Bytes beyond the library's own size
 * must be 0.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p timeline_size is invalid, a flag is not known, or the thread is its
 *   own parent.
 * - #MPROF_ERR_UNDEFINED_ID if the clock is not defined.
 * - The errors of all functions of this section.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_timeline(mprof_recorder *recorder, const mprof_timeline_record *timeline,
						      size_t timeline_size);

/**
 * \brief Describes a process, or again, when it has another name or has ended: the latest description of a number
 * replaces the others.
 * \param recorder The recorder.
 * \param process The description. Start and end are in the unit of mprof_recorder_read_counter(). Copied. NULL stands
 * for "" as a text.
 * \param process_size sizeof (mprof_process_record) as the caller was compiled. Bytes beyond the library's own size
 * must be 0.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p process_size is invalid, the number is 0, the process is its own
 *   parent, or it ends before it starts.
 * - The errors of all functions of this section.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_process(mprof_recorder *recorder, const mprof_process_record *process,
						     size_t process_size);

/**
 * \brief Maximum number of lines that a range of generated code is defined with.
 * \since 0.1
 */
#define MPROF_CODE_LINES_MAX 65536

/**
 * \brief The line of the instructions of a range of generated code from an offset on, up to the offset of the next
 * element; or, if the next element has the same offset, that of a method which the compiler has inlined into the method
 * of the next element.
 * \since 0.1
 */
typedef struct mprof_code_line {
	uint64_t offset;  /**< Offset in the range, in bytes, below its size. */
	mprof_key method; /**< Key of the method, 0: that of the range. */
	uint32_t line;    /**< Line in the source, from 1; 0 if it is not known. */
	uint32_t
		file; /**< Text that names the source file, from mprof_recorder_define_text(); 0: that of the method. */
} mprof_code_line;

/**
 * \brief A range of generated code: see mprof_recorder_define_code().
 * \since 0.1
 */
typedef struct mprof_code {
	size_t struct_size; /**< sizeof (mprof_code), set by the caller. */
	uint64_t address;   /**< Address of the first byte. */
	uint64_t size;      /**< Size in bytes, not 0. */
	uint64_t start;     /**< Counter from which on it is there (mprof_recorder_read_counter()); 0: now. */
	mprof_key method;   /**< Key of the method that the code belongs to, 0 if none. */
	const char *name;   /**< Its name if it has no method, NUL-terminated; NULL stands for "". */
	uint32_t kind;      /**< An #mprof_code_range_kind. */
	uint32_t reserved;  /**< 0. */
	/** Its lines, by ascending offset; of those for one offset, the innermost method is the first. NULL: none. */
	const mprof_code_line *lines;
	size_t line_size;  /**< sizeof (mprof_code_line) as the caller was compiled. 0 without lines. */
	size_t line_count; /**< Elements of lines, at most #MPROF_CODE_LINES_MAX. */
} mprof_code;

/**
 * \brief Defines where generated code is, so that addresses in call stacks are shown under its name.
 *
 * A native frame (#MPROF_FRAME_NATIVE) whose address is in no module is an address in the log. Readers name it by the
 * range that held the address at the time of the event (section 3.36 of doc/format.md). So a signal handler can record
 * addresses, and what was there may be stated later. From its start on a range replaces earlier ones at its addresses.
 *
 * With mprof_code::lines such an address is shown in its line, and below the methods that it was inlined into.
 *
 * A ring keeps ranges as long as an event in it may need them: one that has ended, or that others have replaced, is
 * dropped after the events of its time. So a runtime that compiles for ever takes bounded memory there, if it also uses
 * the memory of its code again.
 *
 * Thread-safe. Not async-signal-safe.
 * \param recorder The recorder.
 * \param code The range. Copied.
 * \param id Receives its ID, for mprof_recorder_move_code() and mprof_recorder_end_code(); 0 on an error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, mprof_code::struct_size is invalid, the size is 0, a reserved field is
 *   not 0, or the lines are too many, not in order or outside of the range.
 * - #MPROF_ERR_LIMIT also if there are 2^32 - 1 ranges.
 * - The errors of all functions of this section.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_code(mprof_recorder *recorder, const mprof_code *code, uint32_t *id);

/**
 * \brief Records that generated code was moved: from now on it is at another address.
 *
 * Thread-safe. Not async-signal-safe. Section 3.36 of doc/format.md.
 * \param recorder The recorder.
 * \param id ID of the range. If it was ended, readers ignore that it moved.
 * \param address The new address of its first byte, not 0.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL, or \p address is 0.
 * - #MPROF_ERR_UNDEFINED_ID if no range has the ID.
 * - The errors of all functions of this section.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_move_code(mprof_recorder *recorder, uint32_t id, uint64_t address);

/**
 * \brief Records that generated code was freed. Its addresses have no name from now on, until another range is defined.
 *
 * Thread-safe. Not async-signal-safe. Section 3.36 of doc/format.md.
 * \param recorder The recorder.
 * \param id ID of the range. If it was ended before, readers ignore the second end.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_UNDEFINED_ID if no range has the ID.
 * - The errors of all functions of this section.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_end_code(mprof_recorder *recorder, uint32_t id);

/**
 * \brief Records an event of a type as mprof_thread_record_typed() does, at a time that the caller states.
 *
 * The events of a thread are in the log in order of time, so the time is refused if it is earlier than that of the last
 * event of the thread, or than the attachment of the handle; later than now; or during a pause of the recording. The
 * event is not recorded then, and not counted as lost.
 *
 * May be called by one thread at a time, and where another thread uses the handle, only in order with it. Not
 * async-signal-safe. Section 4.9 of doc/format.md.
 * \param thread The handle.
 * \param type ID of the type.
 * \param counter The time, in the unit of mprof_recorder_read_counter().
 * \param values The values of its arguments, in order. Borrowed during the call; may be NULL if \p count is 0.
 * \param count Number of elements in \p values; arguments after these are 0 or empty.
 * \return As mprof_thread_record_typed(); also #MPROF_ERR_ARGUMENT, with nothing recorded, for such a time.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_typed_at(mprof_thread *thread, uint32_t type, uint64_t counter,
						    const mprof_argument_value *values, size_t count);

/**
 * \brief Records a whole span as mprof_thread_record_span() does, with a start and an end that the caller states. The
 * end is its time, and is refused as described at mprof_thread_record_typed_at(), which also states who may call it;
 * the start may be any time before it.
 * \param thread The handle.
 * \param type ID of the type, usually of the form #MPROF_TYPE_SPAN.
 * \param started When it started, in the unit of mprof_recorder_read_counter().
 * \param ended When it ended.
 * \param values The values of the other arguments, in order, without the duration. Borrowed during the call; may be
 * NULL if \p count is 0.
 * \param count Number of elements in \p values; arguments after these are 0 or empty.
 * \return As mprof_thread_record_span(); also #MPROF_ERR_ARGUMENT, with nothing recorded, for an end that is refused or
 * is before the start.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_span_at(mprof_thread *thread, uint32_t type, uint64_t started,
						   uint64_t ended, const mprof_argument_value *values, size_t count);
/** \} */

/**
 * \name Samples, metrics and markers
 * \{
 *
 * Example: examples/small/tutorial/09_sample.c.
 */

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
 * \brief A sample of a kind, for mprof_recorder_record_typed_sample(). With all fields 0 but struct_size, type and cpu
 * (#MPROF_CPU_UNKNOWN) it is a sample of now of which nothing else is known.
 * \since 0.1
 */
typedef struct mprof_sample {
	size_t struct_size;        /**< sizeof (mprof_sample), set by the caller. */
	uint32_t type;             /**< ID of the kind. */
	uint32_t cpu;              /**< The processor; #MPROF_CPU_UNKNOWN if not known. */
	uint64_t thread;           /**< ID of the thread that was sampled, in the log; 0 if not known. */
	uint64_t counter;          /**< When it was taken, of mprof_recorder_read_counter(); 0: now. */
	uint64_t weight;           /**< What it stands for, in the unit of the kind. */
	const mprof_frame *frames; /**< The call stack, the innermost frame first; NULL if frame_count is 0. Copied. */
	size_t frame_count;        /**< Number of elements in frames; see #MPROF_STACK_MAX for longer stacks. 0: the
	                                call stack is not known. */
	uint32_t mode;             /**< An #mprof_sample_mode. */
	uint32_t reserved;         /**< 0. */
} mprof_sample;

/**
 * \brief Records a sample of a kind: processor time, cache misses, allocations, or anything else of which a sample
 * stands for a number. Meant for signal handlers, and for samples that arrive in batches.
 *
 * A kind is a type that was defined by mprof_recorder_define_type() with the form #MPROF_TYPE_SAMPLE. Its arguments,
 * at most 10, state which fields of the sample the log has: each has the encoding #MPROF_ENCODING_UNSIGNED and one of
 * the roles #MPROF_ROLE_STACK (kind #MPROF_ARGUMENT_STACK), #MPROF_ROLE_WEIGHT, #MPROF_ROLE_CPU, #MPROF_ROLE_THREAD and
 * #MPROF_ROLE_MODE; the unit of the weight is that of its argument. Without one of #MPROF_ROLE_WEIGHT, each sample has
 * the weight 1. The thread is also in the log without #MPROF_ROLE_THREAD. One log may have any number of kinds, and
 * samples of mprof_recorder_record_sample() as well. The times of samples may be in any order, and before the start of
 * the log.
 *
 * Takes no lock, allocates nothing, does not wait, and keeps errno. If there is no room, the sample is counted as lost
 * (#MPROF_LOSS_NO_SAMPLE_ROOM). The writer thread converts native addresses to modules, functions and offsets.
 *
 * Thread-safe, and async-signal-safe if the counter function of the options is. Sections 3.25, 3.33 of doc/format.md.
 * \param recorder The recorder.
 * \param sample The sample. Copied.
 * \return 1 if the sample was recorded. 0 if not: because there was no room, recording is stopped, the type is not
 * defined or is not such a kind, a pointer is NULL, or struct_size or reserved is wrong.
 * \since 0.1
 */
MPROF_API int mprof_recorder_record_typed_sample(mprof_recorder *recorder, const mprof_sample *sample);

/**
 * \brief Defines a metric, a number that the runtime maintains.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param section The group that it belongs to, UTF-8, NUL-terminated. Copied.
 * \param name Its name, UTF-8, NUL-terminated. Copied.
 * \param flags Bits of #mprof_metric_flag, except #MPROF_METRIC_FLAG_THREAD and the unit #MPROF_METRIC_UNIT_NAMED, for
 * which mprof_recorder_define_metric_detailed() has parameters.
 * \param metric Receives its ID.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or \p flags has unknown bits, an unknown unit, or one of these two.
 * - #MPROF_ERR_NAME if a text is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_metric(mprof_recorder *recorder, const char *section, const char *name,
						    uint32_t flags, uint32_t *metric);

/**
 * \brief A metric, for mprof_recorder_define_metric_detailed().
 * \since 0.1
 */
typedef struct mprof_metric_description {
	size_t struct_size;  /**< sizeof (mprof_metric_description), set by the caller. */
	const char *section; /**< The group that it belongs to, UTF-8, NUL-terminated; NULL: "". Copied. */
	const char *name;    /**< Its name, UTF-8, NUL-terminated. Copied. */
	const char *unit;    /**< With #MPROF_METRIC_UNIT_NAMED: the unit in the notation of UCUM, such as "mm[Hg]", not
	                          empty; else NULL. Copied. */
	uint64_t thread;     /**< With #MPROF_METRIC_FLAG_THREAD: ID of the thread in the log; else 0. */
	uint32_t flags;      /**< Bits of #mprof_metric_flag. */
	uint32_t reserved;   /**< 0. */
} mprof_metric_description;

/**
 * \brief Defines a metric like mprof_recorder_define_metric(); it may also be of a thread, have a unit by name, or be a
 * histogram.
 *
 * Metrics of several threads may have the same section and name. Those in the section "thread" of the names that
 * section 3.15 of doc/format.md states count as times of the thread; a client defines them only in place of
 * mprof_recorder_options::thread_times.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param description The metric. Copied.
 * \param metric Receives its ID.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder, \p description, \p metric or the name is NULL, struct_size is too small, flags
 *   has unknown bits or an unknown unit, a thread or a unit is given that flags do not announce, a unit is missing, or
 *   reserved is not 0.
 * - #MPROF_ERR_NAME if a text is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_metric_detailed(mprof_recorder *recorder,
							     const mprof_metric_description *description,
							     uint32_t *metric);

/**
 * \brief The value of a metric, or a bucket of a histogram. Passed together with its size, so that it may grow at its
 * end.
 * \since 0.1
 */
typedef struct mprof_metric_value {
	uint32_t metric;   /**< ID of the metric. */
	uint32_t reserved; /**< 0. */
	uint64_t value;    /**< A signed number, or the bits of a double, depending on the flags of the metric. With
	                        #MPROF_METRIC_FLAG_HISTOGRAM: the highest value that the bucket is for; INT64_MAX or
	                        infinity for the last one. */
	uint64_t counter;  /**< When it was measured, of mprof_recorder_read_counter(); 0: now. */
	uint64_t lower;    /**< Histograms: what values in the bucket are above, like \p value; INT64_MIN or -infinity
	                        for the first one. Else 0. */
	uint64_t count;    /**< Histograms: how many values in the bucket were measured since it was last recorded. Else
	                        0. */
} mprof_metric_value;

/**
 * \brief Records values of metrics, and buckets of histograms. A value that did not change is not written, unless it
 * has a time. Buckets without values need not be recorded, and those of a histogram may differ from call to call.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param values The values. Copied.
 * \param value_size sizeof (mprof_metric_value) as the caller was compiled: the distance in bytes from one element to
 * the next. Bytes beyond the library's own size must be 0.
 * \param count Number of elements in \p values.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a metric is not defined, \p value_size is invalid, or a value has a lower
 *   bound but no count.
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

/**
 * \brief Records data that only the application itself can read (section 3.27 of doc/format.md). It is in the log at
 * any place after this call; data that refers to events contains their counters.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param name Whose data it is: a domain name in reverse, such as "org.example.tool", in UTF-8. Copied.
 * \param name_length Length of \p name in bytes, at least 1.
 * \param kind What it is; the application defines the numbers.
 * \param flags #mprof_application_flag. A flight recorder keeps data with #MPROF_APPLICATION_FLAG_DEFINITION.
 * \param bytes The data. Copied. May be NULL if \p size is 0.
 * \param size Size of \p bytes, at most #MPROF_APPLICATION_MAX_SIZE.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, the name is empty, or flags has unknown bits.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if there are more bytes; or if more markers, data, metric values and changes of roots than
 *   mprof_recorder_options::max_message_bytes wait to be written: this data is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_application(mprof_recorder *recorder, const char *name, size_t name_length,
							 uint32_t kind, uint32_t flags, const void *bytes, size_t size);
/** \} */

/**
 * \name Heap snapshots, memory areas, and objects that moved or died
 * \{
 */

/**
 * \brief A memory area that the collector treats as roots.
 * \since 0.1
 */
typedef struct mprof_root_area {
	size_t struct_size;  /**< sizeof (mprof_root_area), set by the caller. */
	uint64_t start;      /**< Address of its first byte. */
	uint64_t size;       /**< In bytes. */
	uint32_t kind;       /**< An #mprof_root_kind. */
	uint32_t reserved;   /**< 0. */
	mprof_key class_key; /**< The class whose static fields it holds, 0 if none. */
	uint64_t thread;     /**< ID of the thread it belongs to, 0 if none. */
	const char *name;    /**< UTF-8, NUL-terminated; may be NULL. Copied. */
} mprof_root_area;

/**
 * \brief Records that the collector treats an area as roots from now on. An area registered before with the same start
 * is replaced.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param area The area, of at least 1 byte. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, the size is 0 or exceeds the address space, or
 *   the kind is unknown.
 * - #MPROF_ERR_NAME if the name is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if more markers, metric values and changes of roots than
 *   mprof_recorder_options::max_message_bytes wait to be written: this one is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_register_root(mprof_recorder *recorder, const mprof_root_area *area);

/**
 * \brief Records that the collector no longer treats an area as roots.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param start Address of the first byte of the area.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if more markers, metric values and changes of roots than
 *   mprof_recorder_options::max_message_bytes wait to be written: this one is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_unregister_root(mprof_recorder *recorder, uint64_t start);

/**
 * \brief A field in which the objects of a class have a reference, or the elements of an array (section 3.21 of
 * doc/format.md).
 *
 * Passed in arrays together with its size, so it has no struct_size.
 * \since 0.1
 */
typedef struct mprof_class_field {
	const char *name;    /**< UTF-8, NUL-terminated: "a"; "a.b" in a struct; "[]", "[].b" in the elements of an
	                          array. Copied. */
	mprof_key class_key; /**< The base class that declares the field, 0 if the class itself does. */
	uint32_t offset;     /**< In bytes from the start of the object; of an array: of the field in the first
	                          element. */
	uint32_t stride;     /**< Arrays: the size of an element in bytes; else 0. */
} mprof_class_field;

/**
 * \brief Defines the fields in which objects of a class have references. Call it after mprof_recorder_define_class()
 * and before the first heap snapshot that contains such an object.
 *
 * The fields are written before the first object of the class in a heap snapshot, and not at all if there is none.
 * Further calls for the same class have no effect, nor has one for a class that is not defined. Without
 * mprof_recorder_options::heap_offsets the arguments are only checked.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param class_key Key of the class.
 * \param fields The fields in ascending order of their offsets, with base classes and the members of structs. Copied.
 * \param field_size sizeof (mprof_class_field) as the caller was compiled.
 * \param count Number of elements in \p fields.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder or a name is NULL, \p fields is NULL although \p count is not 0, a key is not
 *   valid, the size is too small, the offsets do not ascend, the strides differ, or a field of an array is farther from
 *   the first one than the stride.
 * - #MPROF_ERR_NAME if a name is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_fields(mprof_recorder *recorder, mprof_key class_key,
						    const mprof_class_field *fields, size_t field_size, size_t count);

/**
 * \brief What mprof_recorder_begin_heap() collects data for.
 * \since 0.1
 */
typedef enum mprof_heap_use {
	MPROF_HEAP_USE_SHOT = 1,   /**< A heap snapshot: objects with references, and roots. */
	MPROF_HEAP_USE_FREED = 2,  /**< The objects that died since the last time; requires track_objects, or calls of
	                                mprof_recorder_add_heap_free(). Until a later mprof_recorder_begin_heap() omits
	                                this flag, an object is reported dead as soon as its address is reused, as
	                                before the first one. */
	MPROF_HEAP_USE_SUMMARY = 4 /**< Totals by class (HEAP_SUMMARY): of the objects added, and of those found or
	                                reported dead since the last totals. Left out if the snapshot is incomplete. */
} mprof_heap_use;

/**
 * \brief Begins a heap snapshot.
 *
 * This function, mprof_recorder_end_heap() and those named mprof_recorder_add_heap_... may be called where the world is
 * stopped: they take no lock, call no allocator, do not wait, and keep errno. Memory comes from the system in chunks,
 * up to max_heap_bytes, and is kept for the next snapshot; the writer thread encodes it afterwards. One thread at a
 * time may call them for a recorder; the thread need not be attached. Outside a snapshot, only
 * mprof_recorder_add_heap_move() and mprof_recorder_add_heap_free() have an effect.
 *
 * Between this function and mprof_recorder_end_heap(), any thread may call the other functions of the recorder as at
 * any time: definitions, events, attaching and detaching. Where the world is stopped, only those are safe that state
 * it: a stopped thread may hold the lock of the allocator, or one of the recorder. So classes, texts and areas of roots
 * are defined, and threads attached, before the world is stopped or after it runs again; a thread that only collects is
 * attached when it starts. A class may be defined after the objects that have it, up to mprof_recorder_end_heap().
 * \param recorder The recorder.
 * \param use Bits of #mprof_heap_use. 0: the data up to mprof_recorder_end_heap() is only recorded as belonging to one
 * collection.
 * \param collection Number of the collection, for HEAP_SUMMARY, and for dialects in which snapshots have that number
 * (drop, mono, unity).
 * \return 1 if the snapshot has begun. 0 if the recorder is closed or NULL, in a child made by fork(), if a snapshot
 * was begun and not ended, if \p use has other bits, or if there is no memory at all.
 * \since 0.1
 */
MPROF_API int mprof_recorder_begin_heap(mprof_recorder *recorder, uint32_t use, uint32_t collection);

/**
 * \brief Adds a live object to a heap snapshot. Objects that do not fit max_heap_bytes make the snapshot incomplete,
 * which is recorded in the log.
 *
 * The offsets are recorded only with mprof_recorder_options::heap_offsets. They take least memory if they ascend and
 * are multiples of 8.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param address Address of the object.
 * \param class_key Key of its class, defined before.
 * \param size Size of the object in bytes.
 * \param references Addresses of the objects it refers to. Copied; may be NULL if \p count is 0.
 * \param offsets Offset of each reference from the start of the object, in bytes. Copied; NULL if not known.
 * \param count Number of elements in \p references and \p offsets.
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL, or \p references is NULL and \p count is not 0.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_object(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
						      uint64_t size, const uint64_t *references,
						      const uint64_t *offsets, size_t count);

/**
 * \brief Adds references to the last object added to a heap snapshot, for runtimes that report them in several parts.
 *
 * The offsets are recorded only with mprof_recorder_options::heap_offsets.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param references Addresses of the objects it refers to. Copied; may be NULL if \p count is 0.
 * \param offsets Offset of each reference from the start of the object, in bytes. Copied; NULL if not known.
 * \param count Number of elements in \p references and \p offsets.
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL, or \p references is NULL and \p count is not 0.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_references(mprof_recorder *recorder, const uint64_t *references,
							  const uint64_t *offsets, size_t count);

/**
 * \brief Adds a text that distinguishes the last object added to a heap snapshot from others of its class, such as
 * "class Truth" or "dict of module os".
 *
 * An object has at most one; of several, the first one counts. A text that mprof_recorder_define_text() has defined
 * takes least room in the log.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param text The text, in UTF-8. Copied; need not be NUL-terminated, and has no NUL. May be NULL if \p length is 0.
 * \param length Its length in bytes. 0: no label. More than 1,023 are cut off, before a character that would be split.
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL, the text has a NUL, or it is NULL and
 *   \p length is not 0.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_label(mprof_recorder *recorder, const char *text, size_t length);

/**
 * \brief Names references of the last object added to a heap snapshot, if the names belong to the object and not to its
 * class: keys of a dictionary, instance variables, slots of a context.
 *
 * The first call after mprof_recorder_add_heap_object() names the first references of the object, and each further call
 * those that follow. The references may be added before or after their names.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param texts The names, by the IDs of mprof_recorder_define_text(); 0 for a reference without a name. Copied; may be
 * NULL if \p count is 0.
 * \param count Number of elements in \p texts.
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL, or \p texts is NULL and \p count is not 0.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_names(mprof_recorder *recorder, const uint32_t *texts, size_t count);

/**
 * \brief Adds weak references of the last object added to a heap snapshot: they keep nothing alive, and count neither
 * for reachability nor for retained sizes.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param references Addresses of the objects it refers to. Copied; may be NULL if \p count is 0.
 * \param texts A name for each, as mprof_recorder_add_heap_names(). Copied; NULL: they have none.
 * \param count Number of elements in \p references and \p texts.
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL, or \p references is NULL and \p count is not 0.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_weak_references(mprof_recorder *recorder, const uint64_t *references,
							       const uint32_t *texts, size_t count);

/**
 * \brief States what the last object added to a heap snapshot is.
 *
 * A synthetic object (#MPROF_OBJECT_FLAG_SYNTHETIC) is no memory of the program, such as a group of roots that a
 * runtime shows as an object: its size does not count, and what it refers to is kept alive by roots, which have its
 * label as their name.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param flags Bits of #mprof_object_flag.
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL or \p flags has other bits.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_flags(mprof_recorder *recorder, uint32_t flags);

/**
 * \brief Adds a root with a name to a heap snapshot, for runtimes whose roots are in no area of memory.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param kind An #mprof_root_kind: why the collector keeps the object.
 * \param object Address of the object.
 * \param name The name, in UTF-8, such as "vm" or "global table of symbols". Copied; need not be NUL-terminated, and
 * has no NUL. NULL: none.
 * \param length Its length in bytes; more than 1,023 are cut off as in mprof_recorder_add_heap_label().
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL or the name has a NUL.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_named_root(mprof_recorder *recorder, uint32_t kind, uint64_t object,
							  const char *name, size_t length);

/**
 * \brief Adds a root to a heap snapshot.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param kind An #mprof_root_kind: why the collector keeps the object. If \p slot is in a registered area, the kind of
 * the area takes precedence.
 * \param slot Address of the reference, which is looked up in the registered areas; 0 if none.
 * \param object Address of the object.
 * \return
 * - #MPROF_OK, also if it does not fit, which makes the snapshot incomplete and is counted.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p recorder is NULL.
 * - #MPROF_ERR_STATE, with nothing recorded, outside a snapshot.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_add_heap_root(mprof_recorder *recorder, uint32_t kind, uint64_t slot,
						    uint64_t object);

/**
 * \brief Reports an object that a collection found dead, for runtimes that can.
 *
 * The log has neither a thread nor a time of its own for it: it belongs to the snapshot or the collection around it,
 * and is not ordered with allocations of threads. A runtime that frees objects at once uses
 * mprof_thread_record_object_freed().
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param address Address that the object had, 0 if not known.
 * \param class_key Key of its class.
 * \param size Size of the object in bytes.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_free(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
					    uint64_t size);

/**
 * \brief Reports that the collector moved an object.
 *
 * Consecutive moves are one set: an address may be left by one object and taken by another, in any order. Any other
 * call about the heap ends a set, and so does an allocation or the start of a collection (#MPROF_EVENT_GC_START) in
 * between.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param from Address of the object before the move.
 * \param to Address of the object after the move.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_move(mprof_recorder *recorder, uint64_t from, uint64_t to);

/**
 * \brief Ends a heap snapshot and wakes the writer thread.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_STATE if no snapshot was begun, or in a child made by fork().
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_end_heap(mprof_recorder *recorder);
/** \} */

MPROF_END_DECLS

#endif
