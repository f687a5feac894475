/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/writer.h
 * \brief Writes a log, block by block.
 *
 * One writer belongs to one thread at a time. Each block reaches the sink whole, in the order of the calls. Definitions
 * wait in the writer and are written as a MAPPING block before the next block that may use them, at a flush, and when
 * the log is closed.
 *
 * Errors of severity #MPROF_SEVERITY_FATAL, above all #MPROF_ERR_IO, stick: later calls return the same status and do
 * nothing. After one of severity #MPROF_SEVERITY_BLOCK (the caller's mistakes, #MPROF_ERR_MEMORY, #MPROF_ERR_LIMIT) the
 * call had no effect and the writer goes on; mprof_writer_write_events() says how many events it took before.
 *
 * Readers refuse blocks over 64 MiB by default: end a block of events well before that.
 *
 * The calls are the same in all dialects, and each says what it can in its own way. In mono and unity, with directive
 * 2, the call chains of allocations and monitor events become stack sections in front of them; the stacks and the
 * native code that mprof_writer_write_records() defines are told where samples and events use them; and a heap shot
 * becomes one block, in however many calls it is given. What the original programs for these dialects fail at is kept
 * from them: chains of more than 31 callers are cut there, and frames without a method left out of sections. For their
 * sake IDs of classes, methods and elements should be dense from 1, and directives 4, 5 and 6 declared.
 */
#ifndef MPROF_WRITER_H
#define MPROF_WRITER_H

#include <mprof/format.h>

MPROF_BEGIN_DECLS

/** \brief A writer. One thread at a time. \since 0.1 */
typedef struct mprof_writer mprof_writer;

/**
 * \brief Reads the clock for the CLOCK fields of a block, in their order, or once for two that follow on each other at
 * once; and in dialects whose headers tell when a block was written, once more for that.
 * \param user The pointer from the options. \param clock Receives the moment.
 * \since 0.1
 */
typedef void (*mprof_clock_function)(void *user, mprof_clock *clock);

/**
 * \brief Where the bytes of a log go, for #mprof_writer_open_sink().
 *
 * Functions are called on the thread that calls the writer. The struct is copied; its functions and \p user must stay
 * valid until close has been called, or without it until the writer or recorder is destroyed.
 * \since 0.1
 */
typedef struct mprof_sink {
	size_t struct_size; /**< sizeof (mprof_sink), set by the caller. */
	/** Takes all \p length bytes, or returns an errno value. Called with whole blocks or runs of them. */
	int (*write)(void *user, const void *bytes, size_t length);
	/** Makes what was written reachable for readers, or returns an errno value. May be NULL. */
	int (*flush)(void *user);
	/** Ends the sink; called once, by mprof_writer_destroy(). Returns 0 or an errno value. May be NULL. */
	int (*close)(void *user);
	void *user; /**< Passed as the first argument. */
} mprof_sink;

/** \brief Options of a writer. All zero but struct_size means the defaults. \since 0.1 */
typedef struct mprof_writer_options {
	size_t struct_size;               /**< Set by mprof_writer_options_init(). */
	uint32_t dialect;                 /**< Any #mprof_dialect but #MPROF_DIALECT_UNITY_FIXED. */
	uint32_t intro_flags;             /**< Bits of #mprof_intro_flag for INTRO. */
	uint64_t directives;              /**< Bits of #MPROF_DIRECTIVE_BIT to declare; see
	                                        mprof_writer_open_path(). */
	const char *runtime;              /**< The runtime's name or file for INTRO; NULL means "", or "mono" in
	                                        drop, mono and unity. Copied. */
	mprof_clock_function clock;       /**< NULL: nanoseconds of the monotonic clock, and the wall clock. Counters
	                                        that are passed to the writer have to be of the same clock: readers
	                                        learn from it what they mean. */
	void *clock_user;                 /**< For clock. */
	const mprof_allocator *allocator; /**< NULL: malloc. Copied. */
	uint32_t lossy;                   /**< 1: leave out and count what the dialect cannot say, instead of refusing.
	                                        Leaves by exception and by tail call become plain leaves, and
	                                        allocations during compilation plain allocations. */
	uint32_t gzip_level;              /**< 0: plain. 1 (fast) to 9 (small): gzip; each flush can be read back. */
	uint64_t max_name_length;         /**< Longest name in bytes, at most 2^29; 0 means 1 MiB. */
	uint64_t max_shot_memory;         /**< Dialects in which a heap shot is one block: how much of one is gathered,
	                                        in bytes; a shot that is larger becomes several blocks. 0 means 56 MiB,
	                                        which readers take by default. */
	uint32_t allow_undefined_ids;     /**< 1: events may use IDs that are not defined, or not yet. For copies of
	                                        logs. Not stable before version 1.0. */
	uint32_t file_mode;               /**< Permissions of a file that is created, less the umask; 0 means 0600,
	                                        since logs hold arguments and paths of programs. At most 0777. One
	                                        that exists keeps its own. */
} mprof_writer_options;

/**
 * \brief Sets all options to their defaults.
 * \param options What to set; NULL does nothing.
 * \param struct_size sizeof (mprof_writer_options) as the caller was compiled; less than a size_t does nothing.
 *
 * Thread-safe.
 * \since 0.1
 */
MPROF_API void mprof_writer_options_init(mprof_writer_options *options, size_t struct_size);

/**
 * \brief Creates a file and begins a log in it: INTRO and, if any are declared, DIRECTIVES (sections 3.1, 3.7). Logs of
 * mono and unity always have that block, since it says besides that their collections have numbers.
 *
 * A file that exists is emptied, unless another writer has it: regular files are locked (flock()) from here until
 * mprof_writer_destroy(), and #MPROF_ERR_IO with the system error EBUSY is returned if that fails. A symbolic link is
 * followed if it belongs to the user of this process or to root, and refused (ELOOP) otherwise: in a directory that all
 * may write to, others could have made it. A directive that the dialect does not have is refused, or counted when
 * lossy.
 * \param path The file's name.
 * \param options Options, or NULL for the defaults. Not kept.
 * \param writer Receives the writer, also on an error other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_writer_get_error() can be asked; destroy it in all cases. NULL if none was made.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for options out of range; #MPROF_ERR_UNSUPPORTED for a dialect that cannot be
 * written, a directive that it lacks, or gzip in a library without it; #MPROF_ERR_IO; #MPROF_ERR_MEMORY.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_path(const char *path, const mprof_writer_options *options,
							      mprof_writer **writer);

/**
 * \brief The same, to a descriptor.
 * \param fd Where to write, from its current position. May be a pipe or a socket. Not closed by the writer.
 * \param options As above. \param writer As above.
 * \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_fd(int fd, const mprof_writer_options *options,
							    mprof_writer **writer);

/**
 * \brief The same, to memory that grows. See mprof_writer_get_memory().
 * \param options As above. \param writer As above.
 * \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_memory(const mprof_writer_options *options,
								mprof_writer **writer);

/**
 * \brief The same, to functions of the caller.
 * \param sink Copied. Its close function is called even when opening fails, unless \p writer is set to NULL.
 * \param options As above. \param writer As above.
 * \return As above. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_sink(const mprof_sink *sink,
							      const mprof_writer_options *options,
							      mprof_writer **writer);

/**
 * \brief What was written to memory so far; complete blocks only.
 * \param writer A writer opened by mprof_writer_open_memory().
 * \param bytes Receives the start; borrowed until the next call on the writer.
 * \param length Receives the number of bytes.
 * \return #MPROF_OK; #MPROF_ERR_STATE for another kind of writer. \since 0.1
 */
MPROF_API mprof_status mprof_writer_get_memory(const mprof_writer *writer, const uint8_t **bytes, size_t *length);

/** \brief A class to define (section 3.4). \since 0.1 */
typedef struct mprof_class_definition {
	size_t struct_size;   /**< sizeof (mprof_class_definition), set by the caller. */
	uint32_t id;          /**< 1 or more, not defined before. */
	uint32_t assembly_id; /**< Element ID of its assembly, 0 if unknown. Written with directive 5. */
	const char *name;     /**< UTF-8, without its length's terminator counted. */
	size_t name_length;   /**< In bytes. */
	uint32_t size;        /**< Bytes of an object, 0 if objects differ. Written with directive 18. */
	uint32_t reserved;    /**< 0. */
} mprof_class_definition;

/** \brief A method to define (section 3.4). \since 0.1 */
typedef struct mprof_method_definition {
	size_t struct_size;        /**< sizeof (mprof_method_definition), set by the caller. */
	uint32_t id;               /**< 1 or more, not defined before; methods and classes are numbered apart. */
	uint32_t class_id;         /**< A class defined before, or 0. */
	uint32_t flags;            /**< Bits of #mprof_method_flag. Written with directive 6. */
	uint32_t reserved;         /**< 0. */
	const char *name;          /**< UTF-8, name and signature without the class. */
	size_t name_length;        /**< In bytes. */
	const char *source_file;   /**< UTF-8: the file of the source, NULL or "" if not known. Written with directive
	                                22. */
	size_t source_file_length; /**< In bytes. */
	uint32_t source_line;      /**< The line in it, from 1; 0 if not known. */
	uint32_t reserved_line;    /**< 0. */
} mprof_method_definition;

/**
 * \brief Defines a class. The definition is written before any block that follows.
 * \param writer The writer. \param definition The class; its name is copied.
 * \return #MPROF_OK; #MPROF_ERR_REDEFINED_ID; #MPROF_ERR_NAME; #MPROF_ERR_ARGUMENT for ID 0; #MPROF_ERR_STATE inside
 * an event block; #MPROF_ERR_MEMORY; #MPROF_ERR_IO, since many definitions are written before they are asked for.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_define_class(mprof_writer *writer,
								 const mprof_class_definition *definition);

/**
 * \brief Defines a method. The definition is written before any block that follows.
 * \param writer The writer. \param definition The method; its name is copied.
 * \return As mprof_writer_define_class(), and #MPROF_ERR_UNDEFINED_ID if its class is not defined. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_define_method(mprof_writer *writer,
								  const mprof_method_definition *definition);

/** \brief A loaded or unloaded element (sections 3.2, 3.3). \since 0.1 */
typedef struct mprof_element {
	size_t struct_size;                  /**< sizeof (mprof_element), set by the caller. */
	uint32_t kind;                       /**< Bits of #mprof_element_kind; with neither success nor failure:
	                                          success. */
	uint32_t id;                         /**< Element ID, 0 if none. Written with directive 4. */
	uint64_t start_counter;              /**< When loading began. */
	uint64_t end_counter;                /**< When it was done. */
	uint64_t thread;                     /**< Which thread did it. */
	const char *name;                    /**< UTF-8. */
	size_t name_length;                  /**< In bytes. */
	const mprof_assembly_name *assembly; /**< Split name, or NULL. Written for assemblies with directive 5. */
} mprof_element;

/**
 * \brief Writes a LOADED block. \param writer The writer. \param element What was loaded.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for a kind without exactly one type; #MPROF_ERR_NAME; #MPROF_ERR_STATE inside
 * an event block; #MPROF_ERR_IO; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_loaded(mprof_writer *writer, const mprof_element *element);

/**
 * \brief Writes an UNLOADED block. \param writer The writer. \param element What was unloaded; only the type bit of its
 * kind is written. \return As mprof_writer_write_loaded(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_unloaded(mprof_writer *writer, const mprof_element *element);

/**
 * \brief Begins an EVENTS block (section 4); definitions that wait are written first.
 * \param writer The writer. \param thread Whose events follow. \param base_counter What the first event's time is
 * relative to. In drop, mono and unity that of the thread's block before stands for the counter which its events
 * reached.
 * \return #MPROF_OK; #MPROF_ERR_STATE if a block is open already; #MPROF_ERR_IO; #MPROF_ERR_MEMORY.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_begin_events(mprof_writer *writer, uint64_t thread,
								 uint64_t base_counter);

/**
 * \brief Adds events to the open block.
 *
 * Fields used are kind, flags, id, counter, value and, by the directives declared, the detail. The counter of a kind
 * without a time of its own is ignored. What the detail says and the log cannot is left out, and counted when lossy. In
 * mono and unity collections whose id is 0 are numbered by the writer: each GC_START and each GC_RESIZE takes the next
 * number, but a GC_RESIZE after a GC_START that has an id takes that id. Stack sections are the writer's affair:
 * #MPROF_EVENT_STACK_SECTION is no event that can be written.
 * \param writer The writer. \param events The events, in order of time. \param count How many.
 * \param written Receives how many were taken (all, unless an error is returned); may be NULL.
 * \return #MPROF_OK; #MPROF_ERR_STATE if no block is open; #MPROF_ERR_UNDEFINED_ID; #MPROF_ERR_ARGUMENT for a handle of
 * 2^62 or more or of no #mprof_handle_type; #MPROF_ERR_UNSUPPORTED for a kind that the dialect or the directives lack
 * (when lossy it is left out and counted) and, where collections have numbers, for a generation above 255 or in mono
 * and unity a number of 2^24 or more (when lossy it is cut and counted); #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT when the
 * block would pass what its length field can say. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_events(mprof_writer *writer, const mprof_event *events,
								 size_t count, size_t *written);

/**
 * \brief Ends the open EVENTS block and writes it; a block without events is written too.
 * \param writer The writer. \return #MPROF_OK; #MPROF_ERR_STATE if no block is open; #MPROF_ERR_IO; #MPROF_ERR_MEMORY
 * when writing to memory. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_end_events(mprof_writer *writer);

#ifdef MPROF_UNSTABLE
/**
 * \brief Writes a STATISTICAL block (section 3.6) of mail or mprof2, for copies of logs that have one. Elsewhere
 * mprof_writer_write_samples() writes samples. Not stable before version 1.0.
 * \param writer The writer. \param start_counter When sampling for this block began.
 * \param methods Method hit, one ID per sample, defined. \param method_count How many.
 * \param functions Native function hit, one ID (1 or more) per sample. \param function_count How many.
 * \param end_counter When sampling for this block ended.
 * \return #MPROF_OK; #MPROF_ERR_UNDEFINED_ID; #MPROF_ERR_ARGUMENT for an ID of 0; #MPROF_ERR_STATE inside an event
 * block; #MPROF_ERR_UNSUPPORTED in another dialect (counted when lossy); #MPROF_ERR_IO; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_statistical(mprof_writer *writer, uint64_t start_counter,
								      const uint32_t *methods, size_t method_count,
								      const uint32_t *functions, size_t function_count,
								      uint64_t end_counter);
#endif

/**
 * \brief Writes samples of one thread: a SAMPLES block (section 3.12), or in drop, mono and unity a STATISTICAL block,
 * in which they have neither thread nor time. mail has none.
 * \param writer The writer. \param thread The thread, 0 if not known. \param base_counter What the first time is
 * relative to.
 * \param samples Events of kind #MPROF_EVENT_SAMPLE, whose counter and value (a stack that was defined) are used. In
 * STATISTICAL the value may be 0: then the id is the method, 0 if not known; and a sample stands for as many as its
 * detail says, if it has one, up to 65536.
 * \param count How many. \return As mprof_writer_write_session(), and #MPROF_ERR_UNDEFINED_ID. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_samples(mprof_writer *writer, uint64_t thread,
								  uint64_t base_counter, const mprof_event *samples,
								  size_t count);

/**
 * \brief Writes a STACKS, CODE, METRICS, HEAP_SUMMARY or ROOTS block (sections 3.13 to 3.15, 3.18, 3.19).
 *
 * In other dialects than mprof2 definitions of STACKS and CODE are kept for what will use them, and of the others mono
 * and unity have HEAP_SUMMARY alone.
 *
 * IDs of stacks, modules, functions, locations, roots and metrics are chosen by the caller, dense from 1, and defined
 * once; they may be used from now on. A stack's method, a root's class and a summary's class must be defined.
 * \param writer The writer. \param kind The block. \param number HEAP_SUMMARY: the collection; not used where the
 * writer numbers collections, which takes the last one. Otherwise 0.
 * \param records What it says, of kinds that the block has; names may be NULL for "".
 * \param record_size sizeof (mprof_record) as the caller was compiled: the distance of two elements. What goes beyond
 * that of the library must be 0.
 * \param count How many.
 * \return As mprof_writer_write_session(), #MPROF_ERR_ARGUMENT for a record that the block does not hold or an ID that
 * leaves out one, #MPROF_ERR_UNDEFINED_ID, #MPROF_ERR_REDEFINED_ID, #MPROF_ERR_NAME, and #MPROF_ERR_LIMIT. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_records(mprof_writer *writer, mprof_block_kind kind,
								  uint32_t number, const mprof_record *records,
								  size_t record_size, size_t count);

/**
 * \brief Writes a HEAP_DATA block (section 3.17): a part of a heap shot, or moves of a collection.
 *
 * In drop, mono and unity a shot is gathered from its FIRST part to its LAST and is one block then. It has two more
 * clocks: the first is read with the FIRST part, its counter being \p counter, and the second with the LAST. There are
 * no roots, no moves and no addresses of dead objects, and addresses are multiples of 4. Other blocks may be written
 * before the LAST part. Without memory for that block the shot is left out.
 * \param writer The writer. \param shot Number of the shot, from 1; 0 if it belongs to none. In mono and unity the
 * number of the collection, or not used where the writer numbers these, which takes the last one. \param flags Bits of
 * #mprof_heap_flag. \param counter When it was taken. \param events Events of the kinds MPROF_EVENT_HEAP_... with their
 * details. Their classes and roots must be defined. \param count How many.
 * \return As mprof_writer_write_session(), #MPROF_ERR_UNDEFINED_ID, and #MPROF_ERR_LIMIT. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_heap(mprof_writer *writer, uint32_t shot, uint32_t flags,
							       uint64_t counter, const mprof_event *events,
							       size_t count);

/**
 * \brief Writes a MARK block (section 3.16): a remark of the user. mprof2 only.
 * \param writer The writer. \param thread The thread, 0 if none. \param counter When. \param text UTF-8.
 * \param text_length In bytes. \return As mprof_writer_write_thread_name(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_mark(mprof_writer *writer, uint64_t thread, uint64_t counter,
							       const char *text, size_t text_length);

/**
 * \brief Writes a WATERMARK block (section 3.20): all events of native memory with a counter below \p counter stand
 * before this block. mprof2 only.
 *
 * A profile puts events of different threads in the order of their counters. The block lets it do so with little
 * memory: without it, an earlier event could still follow.
 * \param writer The writer.
 * \param counter The moment.
 * \return As mprof_writer_write_thread_name().
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_watermark(mprof_writer *writer, uint64_t counter);

/**
 * \brief A fact about the session (section 3.8). Passed together with its size, so that it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_property {
	const char *key;   /**< Not empty, UTF-8, NUL-terminated. */
	const char *value; /**< UTF-8, NUL-terminated. */
} mprof_property;

/**
 * \brief Writes a SESSION block. mprof2 only.
 * \param writer The writer.
 * \param properties The facts.
 * \param property_size sizeof (mprof_property) as the caller was compiled: the distance of two elements. What goes
 * beyond that of the library must be 0.
 * \param count How many.
 * \return #MPROF_OK; #MPROF_ERR_UNSUPPORTED in another dialect (counted when lossy); #MPROF_ERR_ARGUMENT for an empty
 * key or a wrong size; #MPROF_ERR_NAME for a text that is too long; #MPROF_ERR_STATE inside an event block;
 * #MPROF_ERR_IO; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_session(mprof_writer *writer,
								  const mprof_property *properties,
								  size_t property_size, size_t count);

/**
 * \brief Writes a THREAD block: the name of a thread, which holds until the next one (section 3.9). mprof2 only.
 * \param writer The writer. \param thread The thread. \param name UTF-8. \param name_length In bytes.
 * \return As mprof_writer_write_session(), and #MPROF_ERR_NAME. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_thread_name(mprof_writer *writer, uint64_t thread,
								      const char *name, size_t name_length);

/**
 * \brief Writes a LOST block: events of a thread that were not recorded (section 3.10). mprof2 only.
 * \param writer The writer. \param thread The thread, 0 if not known.
 * \param counts Events lost since the last such block, indexed by #mprof_loss_cause; index 0 is not used.
 * \param count Number of elements of \p counts.
 * \return As mprof_writer_write_session(). \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_losses(mprof_writer *writer, uint64_t thread,
								 const uint64_t *counts, size_t count);

/**
 * \brief Writes the definitions that wait and hands all bytes to the system, so that a reader finds them.
 * \param writer The writer. \return #MPROF_OK; #MPROF_ERR_STATE inside an event block; #MPROF_ERR_IO;
 * #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_flush(mprof_writer *writer);

/**
 * \brief Ends the log: definitions that wait, then END. Only mprof_writer_get_memory(), the getters and
 * mprof_writer_destroy() may follow.
 * \param writer The writer. \return #MPROF_OK; #MPROF_ERR_STATE inside an event block or when closed already;
 * #MPROF_ERR_IO; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_close(mprof_writer *writer);

/**
 * \brief Frees a writer. Without mprof_writer_close() before, the log has no END and a reader says so.
 * \param writer The writer, or NULL.
 * \return #MPROF_OK, or the error that stuck, or that of closing the sink. \since 0.1
 */
MPROF_API mprof_status mprof_writer_destroy(mprof_writer *writer);

/** \brief Figures of a writer. \since 0.1 */
typedef struct mprof_writer_stats {
	size_t struct_size;             /**< sizeof (mprof_writer_stats), set by the caller. */
	uint64_t bytes;                 /**< Length of the log so far, not compressed. */
	uint64_t sink_bytes;            /**< What the sink was given so far. */
	uint64_t blocks;                /**< Blocks written. */
	uint64_t events;                /**< Events written: of threads, samples, and of heap shots. */
	uint64_t left_out;              /**< What the dialect could not say, or only in part, when lossy. */
	uint64_t left_out_events[256];  /**< Of these, events that are not in the log, by #mprof_event_kind. */
	uint64_t left_out_blocks[256];  /**< Of these, blocks that are not in the log, by #mprof_block_kind; what they
	                                   would hold is not counted besides. */
	uint64_t shortened_events[256]; /**< Of these, events that are in the log without something, by
	                                    #mprof_event_kind. */
	uint64_t left_out_records[256]; /**< Of these, definitions and records that are not in the log, by
	                                    #mprof_record_kind. */
	uint64_t shortened_blocks[256]; /**< Of these, blocks that are in the log without something besides events, by
	                                    #mprof_block_kind: MAPPING, LOADED and UNLOADED without what a directive
	                                    would tell, HEAP_DATA without #MPROF_HEAP_FLAG_INCOMPLETE. */
} mprof_writer_stats;

/**
 * \brief Tells the figures. \param writer The writer. \param stats Receives them.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. \since 0.1
 */
MPROF_API mprof_status mprof_writer_get_stats(const mprof_writer *writer, mprof_writer_stats *stats);

/**
 * \brief Tells the error of the last call that failed. \param writer The writer. \param error Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT if struct_size is 0 or too small. \since 0.1
 */
MPROF_API mprof_status mprof_writer_get_error(const mprof_writer *writer, mprof_error *error);

MPROF_END_DECLS

#endif
