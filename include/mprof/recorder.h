/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder.h
 * \brief Records events of many threads into a log while the program runs.
 *
 * Each thread that records is attached and has a chain of buffers of its own. Recording an event stores 16 bytes there:
 * no lock, no lookup, no allocation. A thread of the recorder (the writer thread) drains full buffers, and from time to
 * time those that are not full, turns keys into IDs, and writes blocks.
 *
 * What an event is about is told by a *key*: any number that identifies a method or a class while it exists, usually the
 * address of the runtime's own structure. Names are given by mprof_recorder_define_method() and
 * mprof_recorder_define_class() before the first event that uses the key, or asked for when the event is drained, through
 * the resolve functions of the options.
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
	MPROF_OVERFLOW_WAIT = 0, /**< Waits for the writer thread: nothing is lost. */
	MPROF_OVERFLOW_DROP = 1  /**< Drops the event and counts it: the thread is never held up. */
} mprof_overflow;

/**
 * \brief Describes a method or a class. Pointers need to be valid only while they are passed; all is copied.
 * \since 0.1
 */
typedef struct mprof_description {
	size_t struct_size;     /**< Set by mprof_description_init(). */
	const char *name;       /**< UTF-8. Methods: name and signature without the class. */
	size_t name_length;     /**< In bytes. */
	mprof_key class_key;    /**< Methods: their class, 0 if none. */
	mprof_key assembly_key; /**< Classes: their assembly, as given to mprof_recorder_loaded(); 0 if not known. */
	uint32_t flags;         /**< Methods: bits of #mprof_method_flag. */
	uint32_t reserved;      /**< 0. */
} mprof_description;

/** \brief Sets all fields to 0. \param description What to set. \since 0.1 */
static inline void mprof_description_init(mprof_description *description)
{
	mprof_description cleared = {0, NULL, 0, 0, 0, 0, 0};

	*description = cleared;
	description->struct_size = sizeof(*description);
}

/**
 * \brief Names a key that was not defined. Called on the writer thread, once for a key.
 * \param user From the options. \param key The key. \param description Initialised; to be filled. What it points to must
 * stay valid until the next call of a resolve function.
 * \return 0; anything else if it has no name, and the recorder makes one from the key.
 * \since 0.1
 */
typedef int (*mprof_resolve_function)(void *user, mprof_key key, mprof_description *description);

/** \brief Options of a recorder. All zero but struct_size means the defaults. \since 0.1 */
typedef struct mprof_recorder_options {
	size_t struct_size;                  /**< Set by mprof_recorder_options_init(). */
	const mprof_writer_options *writer;  /**< Dialect, compression and the rest; its clock is not used. NULL: defaults. */
	const mprof_allocator *allocator;    /**< For the recorder; NULL: malloc. Buffers come from the system. Copied. */
	uint32_t buffer_events;              /**< Events in one buffer; 0 means 4096. 16 to 1048576. */
	uint32_t max_buffers;                /**< Most buffers besides one for each thread; 0 means 512. 2 to 65536. */
	uint32_t overflow;                   /**< An #mprof_overflow. */
	uint32_t drain_interval_ms;          /**< How long an event may stay in a buffer that is not full; 0 means 1000. */
	uint64_t (*counter)(void *user);     /**< Reads a counter that never goes back; NULL: the machine's. */
	void *counter_user;                  /**< For counter. */
	uint32_t keys_are_ids;               /**< 1: keys are IDs chosen by the client, below 2^32 - 1. */
	uint32_t machine_ticks;              /**< 1: count the machine's ticks as they are. 0: in units near 8 ns, which
	                                          make smaller logs. No effect with counter. */
	mprof_resolve_function resolve_method; /**< May be NULL. */
	mprof_resolve_function resolve_class;  /**< May be NULL. */
	void *resolve_user;                    /**< For the resolve functions. */
	const mprof_property *properties;      /**< Facts for the SESSION block; may be NULL. Copied. */
	size_t property_count;                 /**< How many. */
} mprof_recorder_options;

/** \brief Sets all options to their defaults. \param options What to set. \since 0.1 */
static inline void mprof_recorder_options_init(mprof_recorder_options *options)
{
	mprof_recorder_options cleared = {0, NULL, NULL, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, 0};

	*options = cleared;
	options->struct_size = sizeof(*options);
}

/**
 * \brief Creates a file and starts to record into it: writes INTRO, DIRECTIVES and SESSION, and starts the writer
 * thread, which blocks all signals.
 *
 * Directives 4, 5, 6, 16 and 17 that the dialect has are declared by themselves. What the dialect lacks (SESSION, THREAD
 * and LOST blocks, and some events) is refused unless the writer's options say lossy.
 * \param path The file. \param options Options, or NULL. Not kept. \param recorder Receives it; NULL on an error.
 * \param error Receives the error; may be NULL, else its struct_size must be set.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_IO; #MPROF_ERR_UNSUPPORTED; #MPROF_ERR_MEMORY, also if a thread
 * could not be made. \since 0.1
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
 * \brief Ends the log: drains all that was recorded before the call, writes END, ends the writer thread.
 *
 * Threads may still be recording; what they record from now on is left out without being counted. Waits for nothing but
 * the writing itself. In a child made by fork() it does nothing.
 * \param recorder The recorder. \return #MPROF_OK; #MPROF_ERR_STATE if closed already; the error that stopped the
 * writing. Thread-safe. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_close(mprof_recorder *recorder);

/**
 * \brief Frees a recorder, closing it first if needed. No other function may run or follow on it or on its threads.
 * \param recorder The recorder, or NULL. \since 0.1
 */
MPROF_API void mprof_recorder_destroy(mprof_recorder *recorder);

/**
 * \brief Waits until all that was recorded or defined before the call, by any thread, is in the log and handed to the
 * system. To be called before structures whose addresses are keys are freed: the names of later ones at the same
 * addresses then cannot be confused with theirs. Not where the world is stopped.
 * \param recorder The recorder. \return #MPROF_OK; #MPROF_ERR_STATE if closed; the error that stopped the writing.
 * Thread-safe. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_drain(mprof_recorder *recorder);

/**
 * \brief Reads the recorder's counter. \param recorder The recorder. \return In the unit of the log. Thread-safe, also
 * in signal handlers if the caller's counter function is. \since 0.1
 */
MPROF_API uint64_t mprof_recorder_counter(const mprof_recorder *recorder);

/**
 * \brief Attaches a thread. Its first buffer is taken and touched now.
 * \param recorder The recorder. \param id What the log calls it; 0 means the system's ID of the calling thread.
 * \param thread Receives the handle, for that thread's use alone.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_STATE if closed or in a child made by fork(); #MPROF_ERR_MEMORY.
 * Thread-safe. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_attach(mprof_recorder *recorder, uint64_t id,
							     mprof_thread **thread);

/**
 * \brief Detaches a thread: hands over what it recorded and ends the handle. \param thread The handle, or NULL. Any
 * thread may call it when the owner does not use the handle any more. \since 0.1
 */
MPROF_API void mprof_recorder_detach(mprof_thread *thread);

/** \brief What the log calls a thread. \param thread The handle. \return The ID. \since 0.1 */
MPROF_API uint64_t mprof_thread_id(const mprof_thread *thread);

/**
 * \brief Defines a class. Must happen before the first event that uses the key is recorded, on any thread.
 *
 * A key defined again with the same description is the same class; with another one it is a new class from now on: its
 * address was reused. A class that no event uses is not written.
 * \param recorder The recorder. \param key A key, not none. \param description Copied.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_NAME if the name holds a NUL; #MPROF_ERR_MEMORY. Thread-safe; not
 * where the world is stopped. \since 0.1
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
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_NAME; #MPROF_ERR_MEMORY. Thread-safe; not where the world is
 * stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_loaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element);

/**
 * \brief Records that an element was unloaded; its key is free to be used again.
 * \param recorder The recorder. \param key Its key. \param element Copied. \return As above. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_unloaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element);

/**
 * \brief Records a thread's name, which need not be that of the calling one.
 * \param recorder The recorder. \param id What the log calls the thread. \param name UTF-8. \param name_length In bytes.
 * \return #MPROF_OK; #MPROF_ERR_NAME; #MPROF_ERR_MEMORY. Thread-safe; not where the world is stopped. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_thread_name(mprof_recorder *recorder, uint64_t id, const char *name,
						  size_t name_length);

/** \brief A method is entered. \param thread The calling thread. \param method Its key. \since 0.1 */
MPROF_API void mprof_thread_method_enter(mprof_thread *thread, mprof_key method);

/** \brief A method returns. \param thread The calling thread. \param method Its key. \since 0.1 */
MPROF_API void mprof_thread_method_leave(mprof_thread *thread, mprof_key method);

/**
 * \brief An object was allocated. It has no time of its own in the log.
 * \param thread The calling thread. \param class_key Its class. \param size In bytes, below 2^56. \since 0.1
 */
MPROF_API void mprof_thread_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size);

/**
 * \brief Any event of a kind that has a time of its own.
 *
 * Events of collections (the kinds MPROF_EVENT_GC_...) never wait, whatever the policy, and
 * may be recorded where the world is stopped, by one thread at a time for each handle.
 * \param thread The calling thread. \param kind The kind; others than METHOD_*, CLASS_*, EXCEPTION, THREAD_* and GC_* are
 * ignored. \param flags Bits of #mprof_event_flag. \param subject The key of the method or class, or the value of a kind
 * that has neither. \since 0.1
 */
MPROF_API void mprof_thread_event(mprof_thread *thread, mprof_event_kind kind, uint32_t flags, uint64_t subject);

/** \brief Figures of a recorder. \since 0.1 */
typedef struct mprof_recorder_stats {
	size_t struct_size;        /**< sizeof, set by the caller. */
	uint64_t events;           /**< Events written to the log so far. */
	uint64_t bytes;            /**< Length of the log so far, as stored. */
	uint64_t log_bytes;        /**< Length of the log so far, not compressed. */
	uint64_t lost_events;      /**< Events lost, all causes. */
	uint64_t lost[MPROF_LOSS_CAUSE_COUNT]; /**< By #mprof_loss_cause. */
	uint64_t waits;            /**< Times a thread had to wait for a buffer. */
	uint64_t unresolved_keys;  /**< Keys that nobody named. */
	uint64_t left_out;         /**< What the dialect could not say, when lossy. */
	uint64_t threads;          /**< Threads attached so far. */
	uint64_t classes;          /**< Classes written so far. */
	uint64_t methods;          /**< Methods written so far. */
	uint64_t buffers;          /**< Buffers made so far. */
	uint32_t status;           /**< An #mprof_status: the error that stopped the writing, or #MPROF_OK. */
	int32_t system_error;      /**< Its errno, or 0. */
} mprof_recorder_stats;

/**
 * \brief Tells the figures; exact after mprof_recorder_drain() or mprof_recorder_close().
 * \param recorder The recorder. \param stats Receives what fits its struct_size.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. Thread-safe. \since 0.1
 */
MPROF_API mprof_status mprof_recorder_get_stats(mprof_recorder *recorder, mprof_recorder_stats *stats);

MPROF_END_DECLS

#endif
