/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder.h
 * \brief Records events of many threads into a log while the program runs.
 *
 * Each thread that records is attached and has a chain of buffers of its own. Recording an event stores 16 bytes
 * there, or with details and a call chain some more: no lock, no lookup, no allocation. A thread of the recorder (the
 * writer thread) drains full buffers, and from time to time those that are not full, turns keys into IDs, and writes
 * blocks.
 *
 * What an event is about is told by a *key*: any number that identifies a method or a class while it exists, usually
 * the address of the runtime's own structure. Names are given by mprof_recorder_define_method() and
 * mprof_recorder_define_class() before the first event that uses the key, or asked for when the event is drained,
 * through the resolve functions of the options.
 *
 * The writer thread takes memory from mprof_recorder_options::allocator alone and never calls malloc() itself, so a
 * program may record its calls of malloc(): it gives an allocator that does not record, and marks the writer thread as
 * one that does not record in mprof_recorder_options::thread_started, for what its own callbacks may do there. The
 * functions that wait for the writer thread refuse to be called on it (#MPROF_ERR_STATE), and it cannot be attached; an
 * event that is recorded there all the same never waits.
 *
 * **fork()** may be called at any time, by any thread. The child has neither the writer thread nor the others: it
 * must not go on with the recorder of its parent, which in it records nothing and writes nothing. In the child, best
 * in a handler of pthread_atfork(), which runs before anything else:
 * - Any function may be called on the recorder and on the handles of the thread that forked. Functions that return a
 *   status return #MPROF_ERR_STATE, except mprof_recorder_close(), which does nothing, and those that only ask.
 * - mprof_recorder_destroy() closes the child's descriptor of the log, if the recorder has opened it, and gives
 *   buffers back to the system. It writes nothing, calls no function of the client's sink, and leaves alone the
 *   memory that came from the allocator: another thread may have been in the middle of changing it.
 * - All handles are void from then on; variables that hold them, also those of thread-local storage, are to be set to
 *   NULL. Handles of threads that the child does not have are never used again.
 * - A new recorder may be opened at once, for a log under another name, and threads of the child attached to it.
 *
 * The parent notices nothing: its log stays locked and goes on. In a child of vfork() no function may be called.
 *
 * Functions named mprof_thread_... are for the attached thread alone. They keep errno, and may be called where the
 * collector has stopped all other threads only if they say so. None may be called in a signal handler.
 */
#ifndef MPROF_RECORDER_H
#define MPROF_RECORDER_H

#include <mprof/writer.h>

MPROF_BEGIN_DECLS

/** \brief A recorder. Any thread may call it, as each function says. \since 0.1 */
typedef struct mprof_recorder mprof_recorder;

/** \brief The recorder's view of one thread of the program. \since 0.1 */
typedef struct mprof_thread mprof_thread;

/**
 * \brief Identifies a method, a class or an element while it exists. 0 means none, and so does the largest number; an
 * event recorded without a key is kept under the name "(no key)". \since 0.1
 */
typedef uint64_t mprof_key;

/** \brief What a thread does when all buffers are full. \since 0.1 */
typedef enum mprof_overflow {
	MPROF_OVERFLOW_WAIT = 0, /**< Waits for the writer thread. What must not wait has as many buffers again; it is
	                              lost if they are full too. See #mprof_loss_cause for all that can be lost. */
	MPROF_OVERFLOW_DROP = 1  /**< Drops the event and counts it: the thread is never held up. */
} mprof_overflow;

/**
 * \brief Describes a method or a class. Pointers need to be valid only while they are passed; all is copied.
 * \since 0.1
 */
typedef struct mprof_description {
	size_t struct_size;  /**< Set by mprof_description_init(). */
	const char *name;    /**< UTF-8. Methods: name and signature without the class. */
	size_t name_length;  /**< In bytes. */
	mprof_key class_key; /**< Methods: their class, 0 if none. */
	mprof_key
		assembly_key; /**< Classes: their assembly, as given to mprof_recorder_record_loaded(); 0 if not known. */
	uint32_t flags;       /**< Methods: bits of #mprof_method_flag. */
	uint32_t object_size;    /**< Classes: bytes of an object as allocations tell them, if all are of one size; else
	                             0. Allocations of that size are then written without it. */
	const char *source_file; /**< Methods: UTF-8, the file of the source; NULL or "" if not known. */
	size_t source_file_length; /**< In bytes. */
	uint32_t source_line;      /**< Methods: the line in it, from 1; 0 if not known. */
	uint32_t reserved;         /**< 0. */
} mprof_description;

/**
 * \brief Sets all fields to 0, and struct_size.
 * \param description What to set; NULL does nothing.
 * \param struct_size sizeof (mprof_description) as the caller was compiled; less than a size_t does nothing.
 *
 * Thread-safe.
 * \since 0.1
 */
MPROF_API void mprof_description_init(mprof_description *description, size_t struct_size);

/**
 * \brief Names a key that was not defined. Called on the writer thread, once for a key, and again after it was
 * unloaded. \param user From the options. \param key The key. \param description Initialised; to be filled. What it
 * points to must stay valid until the next call of a resolve function. \return 0; anything else if it has no name, and
 * the recorder makes one from the key. \since 0.1
 */
typedef int (*mprof_resolve_function)(void *user, mprof_key key, mprof_description *description);

/**
 * \brief A frame of a call chain: the key of a method, or an address of native code with #MPROF_FRAME_NATIVE.
 *
 * A method's key that is used here must be below 2^62. 0 means a method that is not known. An address of native code
 * must be below 2^61. That of the innermost frame says where the thread is, as a signal handler learns it, unless it
 * is marked as a return address; those further out are return addresses in all cases. Who has return addresses only,
 * as a function that is called in place of malloc() has, marks all with #MPROF_FRAME_RETURN: a call may be the last
 * instruction of its function, so what stands at a return address may be another one.
 * \since 0.1
 */
typedef uint64_t mprof_frame;

/** \brief Marks a frame as an address of native code; see mprof_frame_make_native(). \since 0.1 */
#define MPROF_FRAME_NATIVE (UINT64_C(1) << 63)

/**
 * \brief Marks a frame as a return address of native code, which stands after the call, also where it is the innermost.
 * Includes #MPROF_FRAME_NATIVE. \since 0.1
 */
#define MPROF_FRAME_RETURN (MPROF_FRAME_NATIVE | UINT64_C(1) << 61)

/**
 * \brief Marks a frame as a method that is being compiled, not run; see mprof_frame_make_compiling(). Where that is the
 * innermost method of the call chain of an allocation, it is the compiler that allocates: the event is of kind
 * #MPROF_EVENT_ALLOCATION_AT_JIT.
 * \since 0.1
 */
#define MPROF_FRAME_COMPILING (UINT64_C(1) << 62)

/**
 * \brief The frame of an address of native code, for languages that have no macros.
 * \param address The address.
 * \return The address with #MPROF_FRAME_NATIVE. Thread-safe, async-signal-safe.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_native(uint64_t address);

/**
 * \brief The frame of a return address of native code, for languages that have no macros.
 * \param address The address.
 * \return The address with #MPROF_FRAME_RETURN. Thread-safe, async-signal-safe.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_return(uint64_t address);

/**
 * \brief The frame of a method that is being compiled, for languages that have no macros.
 * \param method The key of the method.
 * \return The key with #MPROF_FRAME_COMPILING. Thread-safe, async-signal-safe.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_compiling(mprof_key method);

/** \brief Limits of a recorder. \since 0.1 */
enum {
	MPROF_STACK_MAX = 128 /**< Frames of a call chain that are kept; those further out are left off. */
};

/**
 * \brief What allocations carry besides class and size: bits of mprof_recorder_options::allocation_detail. \since 0.1
 */
typedef enum mprof_allocation_detail {
	MPROF_ALLOCATION_DETAIL_CALLER = 1, /**< The method that allocates (directive 1): the innermost frame. */
	MPROF_ALLOCATION_DETAIL_STACK = 2,  /**< The call chain (directive 19; mono and unity: directive 2). */
	MPROF_ALLOCATION_DETAIL_OBJECT = 4  /**< The object's address (directive 3). */
} mprof_allocation_detail;

/**
 * \brief Options of a recorder. All zero but struct_size means the defaults.
 *
 * A process that is killed loses what is not written yet: what stands in buffers that are not full, for
 * drain_interval_ms at most if the writer thread keeps up; and the backlog of full buffers if it does not,
 * max_buffers of them at most. How long that is in time depends on how fast events come and are written. Who wants to
 * lose less chooses a shorter interval and fewer or smaller buffers: threads then wait sooner (or drop). A compressed
 * log ends at the last flush, which comes at the end of each interval. Besides, samples (max_sample_bytes) and heap
 * shots (max_heap_bytes) that wait are lost.
 * \since 0.1
 */
typedef struct mprof_recorder_options {
	size_t struct_size;                 /**< Set by mprof_recorder_options_init(). */
	const mprof_writer_options *writer; /**< Dialect, compression and the rest; its clock is not used. NULL:
	                                          defaults. */
	const mprof_allocator *allocator;   /**< For the recorder; NULL: malloc. Buffers come from the system.
	                                          Copied. Called on any thread that calls the recorder, and on the
	                                          writer thread. */
	uint32_t buffer_events;             /**< Events in one buffer; 0 means 4096. 128 to 1048576. One with details
	                                          counts as two, and as one more for each two frames. */
	uint32_t max_buffers;               /**< Most buffers besides one for each thread; 0 means 512. 2 to 65536. A
	                                          killed process loses what they hold, see below. */
	uint32_t overflow;                  /**< An #mprof_overflow. */
	uint32_t drain_interval_ms;         /**< How long an event may stay in a buffer that is not full; 0 means
	                                          1000. */
	uint64_t (*counter)(void *user);    /**< Reads a counter that never goes back; NULL: the machine's. */
	void *counter_user;                 /**< For counter. */
	uint32_t keys_are_ids;              /**< 1: keys are IDs chosen by the client, below 2^32 - 1. */
	uint32_t machine_ticks;             /**< 1: count the machine's ticks as they are. 0: in units near 8 ns, which
	                                          make smaller logs. No effect with counter. */
	mprof_resolve_function resolve_method; /**< May be NULL. */
	mprof_resolve_function resolve_class;  /**< May be NULL. */
	void *resolve_user;                    /**< For the resolve functions. */
	const mprof_property *properties;      /**< Facts for the SESSION block; may be NULL. Copied. */
	size_t property_size;                  /**< sizeof (mprof_property) as the caller was compiled; needed
	                                            with properties. */
	size_t property_count;                 /**< How many. */
	uint32_t allocation_detail;            /**< Bits of #mprof_allocation_detail. */
	uint32_t start_disabled;               /**< 1: begin as after mprof_recorder_set_enabled() with 0. */
	uint64_t max_sample_bytes;             /**< Most memory for samples that wait to be written; 0 means 1 MiB. 64
	                                            KiB to 1 GiB. Taken now. */
	uint64_t max_heap_bytes;               /**< Most memory for heap shots and moves that wait to be written; 0
	                                            means 512 MiB. Taken from the system when needed, at least 1 MiB. */
	uint64_t max_log_bytes;             /**< The longest that the log may be, as stored: the first block that would
	                                            make it longer, with its losses and END, is not written, nor is
	                                            anything after it, and events are counted as lost
	                                            (#MPROF_LOSS_LIMIT). 0 means no limit. */
	uint32_t track_objects;             /**< 1: know which objects died at each mprof_recorder_begin_heap(), from
	                                            allocations with MPROF_ALLOCATION_DETAIL_OBJECT, moves and shots. */
	uint32_t without_symbols;           /**< 1: do not look up the names of native functions. */
	void (*thread_started)(void *user); /**< Called on the writer thread before all else; may be NULL. */
	void (*thread_ended)(void *user);   /**< Called on the writer thread after all else; may be NULL. Returns
	                                            before mprof_recorder_close() does. */
	void *thread_user;                  /**< For thread_started and thread_ended. */
} mprof_recorder_options;

/**
 * \brief Sets all options to their defaults.
 * \param options What to set; NULL does nothing.
 * \param struct_size sizeof (mprof_recorder_options) as the caller was compiled; less than a size_t does nothing.
 *
 * Thread-safe.
 * \since 0.1
 */
MPROF_API void mprof_recorder_options_init(mprof_recorder_options *options, size_t struct_size);

/**
 * \brief Creates a file as mprof_writer_open_path() does and starts to record into it: writes INTRO, DIRECTIVES and
 * SESSION, and starts the writer thread, which blocks all signals.
 *
 * Directives 4, 5, 6, 16, 17, 18, 20 and 21 that the dialect has are declared by themselves, and those for which
 * allocation_detail asks. What the dialect lacks (SESSION, THREAD and LOST blocks, some events and details) is refused
 * unless the writer's options say lossy; then losses are told by mprof_recorder_get_stats() alone. mono and unity have
 * call chains of allocations and monitors if directive 2 is declared, by allocation_detail or by the writer's options.
 * \param path The file. \param options Options, or NULL. Not kept. \param recorder Receives it; NULL on an error.
 * \param error Receives the error; may be NULL, else its struct_size must be set. \return #MPROF_OK;
 * #MPROF_ERR_ARGUMENT; #MPROF_ERR_IO; #MPROF_ERR_UNSUPPORTED; #MPROF_ERR_LIMIT if the start and the end of the log do
 * not fit max_log_bytes; #MPROF_ERR_MEMORY, also if a thread could not be made.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_path(const char *path, const mprof_recorder_options *options,
								mprof_recorder **recorder, mprof_error *error);

/**
 * \brief The same, to a descriptor, which is not closed. \param fd The descriptor. \param options As above.
 * \param recorder As above. \param error As above. \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_fd(int fd, const mprof_recorder_options *options,
							      mprof_recorder **recorder, mprof_error *error);

/**
 * \brief The same, to functions of the caller, which are called on the writer thread (and on this one, before it runs).
 * \param sink Copied; closed in all cases. \param options As above. \param recorder As above. \param error As above.
 * \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_sink(const mprof_sink *sink,
								const mprof_recorder_options *options,
								mprof_recorder **recorder, mprof_error *error);

/**
 * \brief Starts to record into memory, as a flight recorder: the last bytes of events are kept, and all that is needed
 * to read them. mprof_recorder_dump_path() writes them out, as often as wanted.
 *
 * Definitions and facts are kept however old they are; what is dropped are the oldest blocks of events, samples and
 * heap shots. Leaves always name their method. Compression and max_log_bytes have no effect.
 * \param bytes How many bytes of events to keep, before compression; at least 1 MiB. \param options As above.
 * \param recorder As above. \param error As above. \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_open_ring(uint64_t bytes, const mprof_recorder_options *options,
								mprof_recorder **recorder, mprof_error *error);

/**
 * \brief Writes what a recorder into memory holds as a whole log, after draining what was recorded before the call.
 * Recording goes on meanwhile.
 *
 * The file is written under a name beside it that cannot be predicted and then renamed, so what was there before, a
 * symbolic link too, is replaced as a whole. It gets the permissions mprof_writer_options::file_mode.
 * \param recorder The recorder, open or closed.
 * \param path The file.
 * \param gzip_level As in mprof_writer_options.
 * \param error As above; may be NULL.
 * \return #MPROF_OK; #MPROF_ERR_STATE if it records into no memory or on the writer thread; #MPROF_ERR_IO;
 * #MPROF_ERR_MEMORY; #MPROF_ERR_UNSUPPORTED for gzip in a library without it. Thread-safe; not where the world is
 * stopped.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_dump_path(mprof_recorder *recorder, const char *path,
								uint32_t gzip_level, mprof_error *error);

/**
 * \brief Ends the log: drains all that was recorded before the call, writes END, ends the writer thread.
 *
 * Threads may still be recording; what they record from now on is left out without being counted. Waits for nothing
 * but the writing itself. In a child made by fork() it does nothing.
 * \param recorder The recorder. \return #MPROF_OK; #MPROF_ERR_STATE if closed already or on the writer thread; the
 * error that stopped the writing. Thread-safe. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_close(mprof_recorder *recorder);

/**
 * \brief Frees a recorder, closing it first if needed. No other function may run or follow on it or on its threads.
 * Does nothing on the writer thread. In a child made by fork(), see above.
 * \param recorder The recorder, or NULL. \since 0.1
 */
MPROF_API void mprof_recorder_destroy(mprof_recorder *recorder);

/**
 * \brief Waits until all that was recorded or defined before the call, by any thread, is in the log and handed to the
 * system. To be called before structures whose addresses are keys are freed: the names of later ones at the same
 * addresses then cannot be confused with theirs. Not where the world is stopped.
 * \param recorder The recorder. \return #MPROF_OK; #MPROF_ERR_STATE if closed or on the writer thread; the error that
 * stopped the writing. Thread-safe. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_drain(mprof_recorder *recorder);

/**
 * \brief A range of keys, or one: first and last are in it. Passed together with its size, so that it may grow at its
 * end.
 * \since 0.1
 */
typedef struct mprof_key_range {
	mprof_key first; /**< The lowest key. */
	mprof_key last;  /**< The highest key; the same as first for one key. */
} mprof_key_range;

/**
 * \brief Says that the structures behind keys are about to be freed. To be called before they are.
 *
 * When it returns, all events that any thread had published before the call are in the log under the names that their
 * keys had, and those keys mean nothing any more: used again, they must be defined again and get new IDs, whatever
 * their names; what uses them without is written as unknown. Other threads go on recording meanwhile; they are not
 * held up and need not be stopped, but their events must not be about these keys any more. Keys that are IDs
 * (keys_are_ids) mean the same for ever: all is drained, and nothing else happens.
 * \param recorder The recorder.
 * \param ranges Methods and classes alike.
 * \param range_size sizeof (mprof_key_range) as the caller was compiled: the distance of two elements. What goes beyond
 * that of the library must be 0.
 * \param count How many.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_STATE if closed, in a child made by fork() or on the writer
 * thread; #MPROF_ERR_MEMORY; the error that stopped the writing. Thread-safe; not where the world is stopped.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_retire_keys(mprof_recorder *recorder, const mprof_key_range *ranges,
						  size_t range_size, size_t count);

/**
 * \brief Stops or resumes the recording of events and samples by threads.
 *
 * While it is stopped, functions named mprof_thread_... and mprof_recorder_record_sample() return at once; only starts
 * and ends of threads are still recorded. Definitions, elements, marks and heap shots are taken all the same. The first
 * event that a thread records after resuming is preceded by one of kind #MPROF_EVENT_RECORDING_RESUMED.
 * \param recorder The recorder. \param enabled 1 or 0. \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_STATE if
 * closed or in a child made by fork(). Thread-safe; not in signal handlers, not where the world is stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_set_enabled(mprof_recorder *recorder, int enabled);

/** \brief Whether events are recorded. \param recorder The recorder. \return 1 or 0. Async-signal-safe. \since 0.1 */
MPROF_API int mprof_recorder_is_enabled(const mprof_recorder *recorder);

/**
 * \brief Records a remark of the user at this moment. \param recorder The recorder. \param thread As the log calls it,
 * 0 for none. \param text UTF-8. \param text_length In bytes. \return As mprof_recorder_set_thread_name(), and
 * #MPROF_ERR_LIMIT as mprof_recorder_record_metrics(). \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_mark(mprof_recorder *recorder, uint64_t thread, const char *text,
						  size_t text_length);

/**
 * \brief Defines a figure that the runtime keeps. \param recorder The recorder. \param section What it belongs to.
 * \param name Its name; both UTF-8, NUL-terminated, copied. \param flags Bits of #mprof_metric_flag. \param metric
 * Receives its ID. \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_NAME for one that is too long; #MPROF_ERR_STATE
 * if closed or in a child made by fork(); #MPROF_ERR_MEMORY. Thread-safe; not where the world is stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_metric(mprof_recorder *recorder, const char *section, const char *name,
						    uint32_t flags, uint32_t *metric);

/** \brief The value of a figure. Passed together with its size, so that it may grow at its end. \since 0.1 */
typedef struct mprof_metric_value {
	uint32_t metric;   /**< Its ID. */
	uint32_t reserved; /**< 0. */
	uint64_t value;    /**< A signed number, or the bits of a double, as the flags of the figure say. */
} mprof_metric_value;

/**
 * \brief Records values of figures at this moment. Those that are as before are not written.
 * \param recorder The recorder.
 * \param values Copied.
 * \param value_size sizeof (mprof_metric_value) as the caller was compiled: the distance of two elements. What goes
 * beyond that of the library must be 0.
 * \param count How many.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT, also for a figure
 * that is not defined; #MPROF_ERR_STATE if closed or in a child made by fork(); #MPROF_ERR_LIMIT if too many wait to
 * be written: then they are lost, and counted (#MPROF_LOSS_NO_BUFFER); #MPROF_ERR_MEMORY. Thread-safe; not where the
 * world is stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_metrics(mprof_recorder *recorder, const mprof_metric_value *values,
						     size_t value_size, size_t count);

/** \brief An area of memory from which the collector starts. \since 0.1 */
typedef struct mprof_root_area {
	size_t struct_size;  /**< sizeof (mprof_root_area), set by the caller. */
	uint64_t start;      /**< Its address. */
	uint64_t size;       /**< Bytes. */
	uint32_t kind;       /**< An #mprof_root_kind. */
	uint32_t reserved;   /**< 0. */
	mprof_key class_key; /**< The class whose static fields it holds, 0 if none. */
	uint64_t thread;     /**< The thread it belongs to, 0 if none. */
	const char *name;    /**< UTF-8, NUL-terminated; may be NULL. Copied. */
} mprof_root_area;

/**
 * \brief Says that an area is one from which the collector starts from now on. One registered before at the same start
 * is replaced. \param recorder The recorder. \param area Copied; its size is not 0. \return #MPROF_OK;
 * #MPROF_ERR_ARGUMENT; #MPROF_ERR_NAME for one that is too long; #MPROF_ERR_STATE if closed or in a child made by
 * fork(); #MPROF_ERR_LIMIT as mprof_recorder_record_metrics(); #MPROF_ERR_MEMORY. Thread-safe; not where the world is
 * stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_register_root(mprof_recorder *recorder, const mprof_root_area *area);

/**
 * \brief Says that an area is none any more. \param recorder The recorder. \param start Its address.
 * \return As above. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_unregister_root(mprof_recorder *recorder, uint64_t start);

/**
 * \brief Records a sample: where a thread is now. Meant for signal handlers.
 *
 * Takes no lock, allocates nothing, waits for nothing, and keeps errno. If there is no room the sample is counted as
 * lost (#MPROF_LOSS_NO_SAMPLE_ROOM). Native addresses become modules, functions and offsets on the writer thread.
 * \param recorder The recorder. \param thread What the log calls the thread. \param frames The call chain, the
 * innermost frame first. \param count How many; those beyond #MPROF_STACK_MAX are left off. 0 records nothing.
 * \return 1 if it was recorded; 0 if not. Thread-safe and async-signal-safe if the caller's counter function is.
 * \since 0.1
 */
MPROF_API int mprof_recorder_record_sample(mprof_recorder *recorder, uint64_t thread, const mprof_frame *frames,
					   size_t count);

/** \brief What mprof_recorder_begin_heap() is to make of what follows. \since 0.1 */
typedef enum mprof_heap_use {
	MPROF_HEAP_USE_SHOT = 1,  /**< A heap shot: objects with references, and roots. */
	MPROF_HEAP_USE_FREED = 2, /**< The objects that died since the last time; needs track_objects, or to be told by
	                             mprof_recorder_add_heap_free(). Until another begin does not ask for it, an object whose
	                             address is taken by another one is told dead at once, as before the first begin. */
	MPROF_HEAP_USE_SUMMARY =
		4 /**< Sums by class (HEAP_SUMMARY): of those given, and of those found or told dead since
	                             the last sums. Left out if the shot is incomplete. */
} mprof_heap_use;

/**
 * \brief Begins a heap shot.
 *
 * This function, mprof_recorder_end_heap() and those named mprof_recorder_add_heap_... may be called where the world is
 * stopped: they take no lock, call no allocator, wait for nothing, and keep errno. Memory comes from the system in
 * chunks, up to max_heap_bytes, and is kept for the next shot; the writer thread encodes after. One thread at a time
 * may call them for a recorder; only mprof_recorder_add_heap_move() and mprof_recorder_add_heap_free() have a meaning
 * outside of a shot.
 * \param recorder The recorder. \param use Bits of #mprof_heap_use; with none, what is told up to the end is only
 * known to be of one collection. \param collection Number of the collection, for HEAP_SUMMARY, and for dialects in
 * which shots go by it (drop, mono, unity). \return 1; 0 if it is closed, in a child made by fork(), a shot was begun
 * and not ended, \p use has other bits, or there is no memory at all. \since 0.1
 */
MPROF_API int mprof_recorder_begin_heap(mprof_recorder *recorder, uint32_t use, uint32_t collection);

/**
 * \brief An object that is alive. \param recorder The recorder. \param address Where it is. \param class_key Its class,
 * defined before. \param size In bytes. \param references Addresses of the objects it refers to. \param count How many.
 * Objects that do not fit any more make the shot incomplete, which is said in the log. \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_object(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
					      uint64_t size, const uint64_t *references, size_t count);

/**
 * \brief More references of the last object, for those who learn them in pieces. \param recorder The recorder.
 * \param references As above. \param count How many. \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_references(mprof_recorder *recorder, const uint64_t *references, size_t count);

/**
 * \brief An object from which the collector starts. \param recorder The recorder. \param kind Why. \param slot Address
 * of the reference, by which the registered area is found; 0 if there is none. If it lies in an area, that one's kind
 * counts. \param object The object. \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_root(mprof_recorder *recorder, mprof_root_kind kind, uint64_t slot,
					    uint64_t object);

/**
 * \brief An object that is dead, for runtimes that know. \param recorder The recorder. \param address Where it was, 0
 * if not known. \param class_key Its class. \param size In bytes. \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_free(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
					    uint64_t size);

/**
 * \brief An object that the collector moved. \param recorder The recorder. \param from Where it was. \param to Where
 * it is now.
 *
 * Moves that follow each other are a set: an address may be left by one object and taken by another, in any order.
 * Anything else that is told of the heap ends a set, and so does an allocation or the start of a collection
 * (#MPROF_EVENT_GC_START) in between. \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_move(mprof_recorder *recorder, uint64_t from, uint64_t to);

/** \brief Ends a heap shot; the writer thread is woken. \param recorder The recorder. \since 0.1 */
MPROF_API void mprof_recorder_end_heap(mprof_recorder *recorder);

/**
 * \brief Reads the recorder's counter. \param recorder The recorder. \return In the unit of the log. Thread-safe, also
 * in signal handlers if the caller's counter function is. \since 0.1
 */
MPROF_API uint64_t mprof_recorder_read_counter(const mprof_recorder *recorder);

/**
 * \brief Attaches a thread. Its first buffer is taken and touched now.
 * \param recorder The recorder.
 * \param id What the log calls it; 0 means the system's ID of the calling thread. One handle at a time has an ID: the
 * events of a thread in the log are those of one call stack at a time. Once it is detached, its ID may be used again;
 * the events then follow in order.
 * \param thread Receives the handle, for that thread's use alone; NULL on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_STATE if a thread that is attached has the ID, if the recorder is
 * closed, in a child made by fork(), or on the writer thread; #MPROF_ERR_MEMORY. Thread-safe.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_attach(mprof_recorder *recorder, uint64_t id,
							     mprof_thread **thread);

/**
 * \brief Detaches a thread: hands over what it recorded and ends the handle. \param thread The handle, or NULL. Any
 * thread may call it when the owner does not use the handle any more. \since 0.1
 */
MPROF_API void mprof_thread_detach(mprof_thread *thread);

/** \brief What the log calls a thread. \param thread The handle. \return The ID. \since 0.1 */
MPROF_API uint64_t mprof_thread_get_id(const mprof_thread *thread);

/**
 * \brief Defines a class. Must happen before the first event that uses the key is recorded, on any thread.
 *
 * A key defined again with the same description is the same class; with another one it is a new class from now on: its
 * address was reused. An object_size of 0 does not make it another one: the size can be told later, and is of use if
 * that is before the class is written. A class that no event uses is not written.
 * \param recorder The recorder. \param key A key, not none. \param description Copied. \return #MPROF_OK;
 * #MPROF_ERR_ARGUMENT; #MPROF_ERR_NAME if the name holds a NUL; #MPROF_ERR_STATE if closed or in a child made by
 * fork(); #MPROF_ERR_MEMORY. Thread-safe; not where the world is stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_class(mprof_recorder *recorder, mprof_key key,
						   const mprof_description *description);

/**
 * \brief Defines a method. As mprof_recorder_define_class(); its class is to be defined too, before or after.
 * \param recorder The recorder. \param key A key, not none. \param description Copied. \return As above. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_method(mprof_recorder *recorder, mprof_key key,
						    const mprof_description *description);

/**
 * \brief Records that an element was loaded. Classes may name an assembly by the key from now on.
 * \param recorder The recorder. \param key Its key. \param element Copied; its id is chosen by the recorder.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_NAME; #MPROF_ERR_STATE if closed or in a child made by fork();
 * #MPROF_ERR_MEMORY. Thread-safe; not where the world is stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_loaded(mprof_recorder *recorder, mprof_key key,
						    const mprof_element *element);

/**
 * \brief Records that an element was unloaded; its key is free to be used again.
 * \param recorder The recorder. \param key Its key. \param element Copied. \return As above. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_unloaded(mprof_recorder *recorder, mprof_key key,
						      const mprof_element *element);

/**
 * \brief Records a thread's name, which need not be that of the calling one. \param recorder The recorder. \param id
 * What the log calls the thread. \param name UTF-8. \param name_length In bytes. \return #MPROF_OK; #MPROF_ERR_NAME;
 * #MPROF_ERR_STATE if closed or in a child made by fork(); #MPROF_ERR_MEMORY. Thread-safe; not where the world is
 * stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_set_thread_name(mprof_recorder *recorder, uint64_t id, const char *name,
						      size_t name_length);

/** \brief A method is entered. \param thread The calling thread. \param method Its key. \since 0.1 */
MPROF_API void mprof_thread_enter_method(mprof_thread *thread, mprof_key method);

/**
 * \brief Records that a method returns.
 *
 * Methods that the thread entered later and did not leave end with it. A leave of a method that the thread is not in is
 * kept, and ends nothing.
 * \param thread The calling thread.
 * \param method The method's key; 0 means the method on top of the stack, as in mprof_thread_leave_top().
 * \since 0.1
 */
MPROF_API void mprof_thread_leave_method(mprof_thread *thread, mprof_key method);

/**
 * \brief Records that the method on top of the thread's stack returns: the one that was entered last and has not been
 * left.
 *
 * For runtimes that do not name the method when it returns. In dialects without implicit leaves (doc/format.md, 4.3)
 * the recorder names it; on a stack of more than 65,536 frames it cannot, and counts the event as lost
 * (#MPROF_LOSS_NO_MEMORY). Where no method is open the leave is kept, and matches none.
 *
 * mprof_thread_record_event() with #MPROF_EVENT_METHOD_LEAVE_EXCEPTION or #MPROF_EVENT_METHOD_LEAVE_TAIL and key 0 also
 * means the method on top, and says how it was left.
 * \param thread The calling thread.
 * \since 0.1
 */
MPROF_API void mprof_thread_leave_top(mprof_thread *thread);

/**
 * \brief Records that the thread goes on on another call stack: that of a coroutine, a fiber, a green thread.
 *
 * From here on what the thread records is of that stack: methods are entered and left there, and no time passes in
 * methods that are open on the stacks that it left (doc/format.md, 4.8). A stack is on one thread at a time, and may go
 * on on another thread; the client calls this on the second thread after it did so on the first, to leave it. A stack
 * costs the recording process some 300 bytes, besides 16 for each method that is open on it.
 *
 * Where stacks go from thread to thread, mprof_recorder_options::counter, if it is used, must have moved on in between.
 * \param thread The calling thread.
 * \param stack A number of the client's choice, such as the address of the runtime's structure, unique in the recorder;
 * 0 means the thread's own stack, on which it begins.
 * \return As of mprof_thread_record_event(); #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the dialect has no
 * switches (all but mprof2). With mprof_writer_options::lossy they are left out of the log and counted
 * (mprof_writer_stats::left_out_events).
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_switch_stack(mprof_thread *thread, uint64_t stack);

/**
 * \brief Records that a call stack is done with. Methods that are open on it end; no time has passed in them since it
 * was left. Its number may be used for another stack.
 * \param thread The calling thread. If it is on the stack, it is on its own from here on.
 * \param stack The stack, not 0.
 * \return As of mprof_thread_switch_stack(); #MPROF_ERR_ARGUMENT for 0.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_end_stack(mprof_thread *thread, uint64_t stack);

/**
 * \brief An object was allocated. It has no time of its own in the log. If its class's key was defined twice without
 * mprof_recorder_retire_keys() in between, it is of the class that the key meant at the last event of the thread that
 * has a time. \param thread The calling thread. \param class_key Its class. \param size In bytes, below 2^56.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size);

/**
 * \brief Records an event of a kind that has a time of its own.
 *
 * Events of collections (the kinds MPROF_EVENT_GC_...) never wait, whatever the policy, and may be recorded where the
 * world is stopped, by one thread at a time for each handle.
 * \param thread The calling thread.
 * \param kind METHOD_*, CLASS_*, EXCEPTION, THREAD_*, GC_*, FINALIZATION_* or STACK_*. All leaves mean the method on top
 * of the stack if \p subject is 0, and #MPROF_EVENT_METHOD_LEAVE_IMPLICIT always does.
 * \param flags Bits of #mprof_event_flag.
 * \param subject The key of the method or class, or the value of a kind that has neither.
 * \return #MPROF_OK, also while recording is stopped, and where the event is dropped and counted for want of a buffer;
 * #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or the kind has a function of its own or cannot be
 * recorded.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_event(mprof_thread *thread, mprof_event_kind kind, uint32_t flags,
						 uint64_t subject);

/**
 * \brief Records an event of a collection, as mprof_thread_record_event() does, with the number of the collection, for
 * logs that have numbers (mono and unity, and directive 21).
 *
 * Events with one number belong to one collection, and so does a heap shot with that number. A change of the heap's
 * size takes a number of its own in mono and unity, as it did in Mono 2; elsewhere pass 0 for it, so that numbers count
 * collections.
 * \param thread The calling thread.
 * \param kind One of the kinds MPROF_EVENT_GC_...
 * \param number From 1 on; 0 if not known: mono and unity then count by themselves.
 * \param value The generation, or the size.
 * \return As of mprof_thread_record_event(); #MPROF_ERR_ARGUMENT for other kinds.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_collection(mprof_thread *thread, mprof_event_kind kind, uint32_t number,
						      uint64_t value);

/**
 * \brief An object was allocated, with what allocation_detail asks for; what it does not ask for is ignored. See
 * #MPROF_FRAME_COMPILING for objects that a compiler makes.
 * \param thread The calling thread. \param class_key Its class. \param size In bytes, below 2^56. \param object Its
 * address. \param frames The call chain, the innermost frame first; may be NULL if \p count is 0. \param count How
 * many. \since 0.1
 */
MPROF_API void mprof_thread_record_allocation_detailed(mprof_thread *thread, mprof_key class_key, uint64_t size,
						       uint64_t object, const mprof_frame *frames, size_t count);

/**
 * \brief Records that a thread meets a monitor.
 * \param thread The calling thread.
 * \param state An #mprof_monitor_state: what becomes of it.
 * \param class_key The class of the object.
 * \param object The object's address.
 * \param frames The call chain, the innermost frame first; may be NULL if \p count is 0.
 * \param count How many.
 * \return As of mprof_thread_record_event(); #MPROF_ERR_ARGUMENT for other states.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_monitor(mprof_thread *thread, mprof_monitor_state state, mprof_key class_key,
						   uint64_t object, const mprof_frame *frames, size_t count);

/**
 * \brief A handle was made.
 * \param thread The calling thread.
 * \param handle Its number, below 2^62, so that it may be an address; others are ignored.
 * \param type Its type.
 * \param class_key The class of its object, 0 if it has none.
 * \param object The object's address, 0 if it has none.
 * \param frames As above.
 * \param count As above.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_handle_created(mprof_thread *thread, uint64_t handle, mprof_handle_type type,
						  mprof_key class_key, uint64_t object, const mprof_frame *frames,
						  size_t count);

/**
 * \brief A handle was freed. \param thread The calling thread. \param handle Its number. \param type Its type.
 * \param frames As above. \param count As above. \since 0.1
 */
MPROF_API void mprof_thread_record_handle_deleted(mprof_thread *thread, uint64_t handle, mprof_handle_type type,
						  const mprof_frame *frames, size_t count);

/**
 * \brief A finalizer begins or ends. \param thread The calling thread. \param is_end 0 or 1. \param class_key The
 * class of the object. \param object Its address. \since 0.1
 */
MPROF_API void mprof_thread_record_finalizer(mprof_thread *thread, int is_end, mprof_key class_key, uint64_t object);

/**
 * \brief Native memory was allocated (section 4.7): to be called after that was done.
 *
 * Takes no lock and calls no allocator; waits for a free buffer if the policy is to wait. Any thread may free what
 * another one allocated.
 * \param thread The calling thread. NULL records nothing.
 * \param address Where it is.
 * \param size In bytes, as asked for; below 2^56.
 * \param frames The call stack, the innermost frame first; NULL for none, which is the cheapest. The first one is the
 * caller of the allocator.
 * \param count How many; those beyond #MPROF_STACK_MAX are left off.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_allocated(mprof_thread *thread, uint64_t address, uint64_t size,
						    const mprof_frame *frames, size_t count);

/**
 * \brief Native memory is freed (section 4.7): to be called before that is done, so that nobody else is given the
 * address earlier than the log says.
 *
 * Without a call stack it takes as little as an entered method. As mprof_thread_record_memory_allocated() otherwise.
 * \param thread The calling thread. NULL records nothing.
 * \param address Where it is.
 * \param frames The call stack; NULL for none.
 * \param count How many.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_freed(mprof_thread *thread, uint64_t address, const mprof_frame *frames,
						size_t count);

/**
 * \brief Native memory was resized (section 4.7), as by realloc(): to be called after that was done, and not if it
 * failed.
 *
 * Where there was no memory before, or is none after, record an allocation or a free instead.
 * As mprof_thread_record_memory_allocated() otherwise.
 * \param thread The calling thread. NULL records nothing.
 * \param old_address Where it was.
 * \param started What mprof_recorder_read_counter() returned before it was done: from then on, the old address may have
 * been given to another thread. 0 if it is not known.
 * \param new_address Where it is; may be the same.
 * \param size The new one, in bytes; below 2^56.
 * \param frames The call stack; NULL for none.
 * \param count How many.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_resized(mprof_thread *thread, uint64_t old_address, uint64_t started,
						  uint64_t new_address, uint64_t size, const mprof_frame *frames,
						  size_t count);

/** \brief Figures of a recorder. \since 0.1 */
typedef struct mprof_recorder_stats {
	size_t struct_size;        /**< sizeof, set by the caller. */
	uint64_t events;           /**< Events written to the log so far: of threads, samples, and of heap
	                                shots. */
	uint64_t bytes;            /**< Length of the log so far, as stored. */
	uint64_t log_bytes;        /**< Length of the log so far, not compressed. */
	uint64_t lost_events;      /**< Events lost, all causes. */
	uint64_t lost[256];        /**< By #mprof_loss_cause. */
	uint64_t waits;            /**< Times a thread had to wait for a buffer. */
	uint64_t unresolved_keys;  /**< Keys that nobody named. */
	uint64_t left_out;         /**< What the dialect could not say, when lossy. */
	uint64_t threads;          /**< Threads attached so far. */
	uint64_t classes;          /**< Classes written so far. */
	uint64_t methods;          /**< Methods written so far. */
	uint64_t buffers;          /**< Buffers made so far. */
	uint64_t samples;          /**< Samples written so far. */
	uint64_t stacks;           /**< Different call chains written so far, parts of others included. */
	uint64_t heap_shots;       /**< Heap shots written so far. */
	uint64_t incomplete_shots; /**< Those of them that are incomplete. */
	uint32_t status;           /**< An #mprof_status: the error that stopped the writing, or #MPROF_OK. */
	int32_t system_error;      /**< Its errno, or 0. */
} mprof_recorder_stats;

/**
 * \brief Tells the figures; exact after mprof_recorder_drain() or mprof_recorder_close().
 * \param recorder The recorder. \param stats Receives what fits its struct_size.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. Thread-safe. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_get_stats(mprof_recorder *recorder, mprof_recorder_stats *stats);

/**
 * \brief Tells the figures of the writer, among them by kind what the dialect could not say; as exact as those of
 * mprof_recorder_get_stats().
 * \param recorder The recorder. \param stats Receives what fits its struct_size; all 0 in a child of fork().
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. Thread-safe. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_get_writer_stats(mprof_recorder *recorder, mprof_writer_stats *stats);

MPROF_END_DECLS

#endif
