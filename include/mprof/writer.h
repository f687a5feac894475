/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/writer.h
 * \brief Writes a log, block by block.
 *
 * One writer belongs to one thread at a time. No function is async-signal-safe. Each block reaches the sink as a whole,
 * in the order of the calls. Definitions are buffered in the writer and written as a MAPPING block before the next
 * block that may use them, at a flush, and when the log is closed.
 *
 * Errors of severity #MPROF_SEVERITY_FATAL, above all #MPROF_ERR_IO, are permanent: later calls return the same status
 * and do nothing. After one of severity #MPROF_SEVERITY_BLOCK (a mistake of the caller, #MPROF_ERR_MEMORY,
 * #MPROF_ERR_LIMIT) the call had no effect and the writer can continue; mprof_writer_write_events() returns the number
 * of events that it accepted before the error.
 *
 * Readers refuse blocks of more than 64 MiB by default: end a block of events well before that.
 *
 * The calls are the same for all dialects; each dialect encodes what it can. In mono and unity, with directive 2, the
 * call stacks of allocations and monitor events become stack sections before them; the call stacks and the native code
 * that mprof_writer_write_records() defines are written where samples and events use them; and a heap snapshot becomes
 * one block, even if it was written with several calls. Output stays within what the original programs for these
 * dialects can read: call stacks are truncated to 31 callers, and frames without a method are left out of sections. For
 * these programs, IDs of classes, methods and code units should also be dense from 1, and directives 4, 5 and 6
 * declared.
 *
 * Example: examples/small/tutorial/01_write.c.
 */
#ifndef MPROF_WRITER_H
#define MPROF_WRITER_H

#include <mprof/format.h>

MPROF_BEGIN_DECLS

/**
 * \brief A writer. One thread at a time.
 * \since 0.1
 */
typedef struct mprof_writer mprof_writer;

/**
 * \brief Reads the clock for the clock pairs of a block, in their order. It is called once for two clock pairs that
 * directly follow one another, and once more in dialects whose block headers have the time when the block was written.
 * \param user mprof_writer_options::clock_user.
 * \param clock Receives the clock pair.
 * \since 0.1
 */
typedef void (*mprof_clock_function)(void *user, mprof_clock *clock);

/**
 * \brief Where a writer puts the bytes of a log, for #mprof_writer_open_sink().
 *
 * The functions are called on the thread that calls the writer. The struct is copied; its functions and \p user must
 * stay valid until close has been called, or, if there is no close, until the writer or recorder is destroyed.
 * \since 0.1
 */
typedef struct mprof_sink {
	size_t struct_size; /**< sizeof (mprof_sink), set by the caller. */
	/**
	 * \brief Accepts all \p length bytes and returns 0, or returns an errno value. Called with one or more whole
	 * blocks.
	 */
	int (*write)(void *user, const void *bytes, size_t length);
	/**
	 * \brief Makes the bytes written so far visible to readers and returns 0, or returns an errno value. May be
	 * NULL.
	 */
	int (*flush)(void *user);
	/**
	 * \brief Ends the sink; called once, by mprof_writer_destroy() or mprof_recorder_destroy(), or where opening
	 * fails. Returns 0 or an errno value. May be NULL.
	 */
	int (*close)(void *user);
	void *user; /**< Passed as the first argument. */
} mprof_sink;

/**
 * \brief Options of a writer. If all fields except struct_size are 0, the defaults apply.
 *
 * Without directives, a log takes a few bytes less for each allocation, class, method and code unit, and cannot contain
 * what directives add: an optional field that is not 0 is left out and counted (mprof_writer_stats). The directives of
 * fields are
 *
 * | directive | field |
 * |---|---|
 * | 1 | mprof_event_detail::caller of allocations |
 * | 2 (mono, unity), 19 (mprof2) | mprof_event_detail::stack of allocations |
 * | 3 | mprof_event_detail::object of allocations |
 * | 4 | mprof_element::id |
 * | 5 | mprof_class_definition::assembly_id, mprof_element::assembly |
 * | 6 | mprof_method_definition::flags |
 * | 18 | mprof_class_definition::size |
 * | 21 | mprof_event::id of collections: their number |
 * | 22 | mprof_method_definition::source_file and source_line |
 * | 25 | mprof_event_detail::stack of exceptions |
 * | 26 | mprof_event_detail::offsets of references in heap snapshots |
 * | 33 | mprof_stack_record::position |
 *
 * The others let kinds of events occur: 16 #MPROF_EVENT_METHOD_LEAVE_IMPLICIT; 17 leaves by exception and by tail call,
 * stopping and starting the world, the finalizer thread and #MPROF_EVENT_RECORDING_RESUMED; 20 monitors, handles,
 * finalizers and #MPROF_EVENT_ALLOCATION_AT_JIT; 23 native memory; 24 switches between call stacks; 27, 28, 30 and 31
 * #MPROF_EVENT_EXCEPTION_CLAUSE, #MPROF_EVENT_METHOD_CODE, #MPROF_EVENT_MONITOR_HOLDER and #MPROF_EVENT_TYPED; 32
 * #MPROF_EVENT_OBJECT_FREED and #MPROF_EVENT_OBJECT_RESIZED. With 34, has_columns applies to #MPROF_EVENT_TYPED too,
 * which makes the log smaller. With 38, metrics may have a named unit, and
 * their values times and buckets. Each is independent of the others: no directive needs another one. Fields need the
 * dialect as well: mono and unity have directives 1 to 6 alone, drop and mail none.
 * \since 0.1
 */
typedef struct mprof_writer_options {
	size_t struct_size;               /**< Set by mprof_writer_options_init(). */
	uint32_t dialect;                 /**< Any #mprof_dialect except #MPROF_DIALECT_UNITY_FIXED. */
	uint32_t lossy;                   /**< 1: leave out and count what the dialect cannot represent, instead of
	                                       refusing it. Leaves by exception and by tail call become plain leaves,
	                                       and allocations during compilation become plain allocations. */
	uint64_t intro_flags;             /**< Bits of #mprof_intro_flag for INTRO, and those of Mono that have no name
	                                       there: 5, 10, 11, 13 and 14. */
	mprof_number_set directives;      /**< The directives to declare, which determine the optional fields and the
	                                       kinds of events that the log can contain. Empty: all that the dialect
	                                       has. None of these requires anything of the caller: a field that is not
	                                       known is 0. #MPROF_DIRECTIVE_NONE with any others: only these. */
	const char *runtime;              /**< Name or file of the runtime for INTRO; NULL means "", or "mono" in drop,
	                                       mono and unity. Copied. */
	mprof_clock_function clock;       /**< NULL: nanoseconds of the monotonic clock, and the wall clock. Counters
	                                       passed to the writer must be from the same clock: readers derive their
	                                       unit from its clock pairs. */
	void *clock_user;                 /**< Passed to clock. */
	const mprof_allocator *allocator; /**< Allocator of the writer; NULL: malloc. Copied. */
	uint64_t max_name_length;         /**< Maximum length of a name in bytes, at most 2^29; 0 means 1 MiB. */
	uint64_t max_shot_memory;         /**< Dialects in which a heap snapshot is one block: maximum size of one that
	                                       is collected in memory, in bytes; a larger one becomes several blocks. 0
	                                       means 56 MiB, which readers accept by default. */
	uint32_t gzip_level;              /**< 0: not compressed. 1 (fast) to 9 (small): gzip; everything up to a flush
	                                       can be decompressed. */
	uint32_t allow_undefined_ids;     /**< 1: events may use IDs that are not defined or are defined later, as in a
	                                       copy of a damaged log. */
	uint32_t file_mode;               /**< Permissions of a file that is created, less the umask, at most 0777; 0
	                                       means 0600, since logs contain arguments and paths of programs. A file
	                                       that exists keeps its own. */
	uint32_t has_columns;             /**< 1: EVENTS blocks contain columns (section 3.22), which take less room,
	                                       most of all if compressed. Blocks should have thousands of events; one
	                                       with more than 65536 is written as several. Only in mprof2. */
	uint32_t has_index;               /**< 1: INDEX blocks (section 3.24) describe the blocks before them, so that
	                                       readers find blocks by thread and time. The writer follows the calls of
	                                       each thread for that. Only in mprof2. */
	uint32_t codec;             /**< An #mprof_codec_number: compress blocks one by one (section 3.23). A block
	                                       that would not become shorter, or for which there is too little
	                                       memory, is written as it is. Only in mprof2. */
	uint32_t codec_level;       /**< 1 (fast) to 9 (deflate) or 19 (zstd); 0 means the default, 1 or 3. */
	double counters_per_second; /**< Frequency of clock's counter, at most 10^12, if it is known: the log
	                                 then states it in a SESSION block (section 3.8), and readers compute all times
	                                 by it. 0: not known; readers then derive it from the wall clock, whose steps
	                                 change all times. Set it also if clock is NULL, to 10^9. Only in mprof2. */
} mprof_writer_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_writer_options) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_writer_options_init(mprof_writer_options *options, size_t struct_size);

/**
 * \brief Creates a file and starts a log in it: INTRO and, if any are declared, DIRECTIVES (sections 3.1, 3.7). Logs of
 * mono and unity always have that block, since it also declares that their collections have numbers.
 *
 * A file that exists is truncated, unless another writer has it: regular files are locked (flock()) from here until
 * mprof_writer_destroy(), and #MPROF_ERR_IO with the system error EBUSY is returned if that fails. A symbolic link is
 * followed if it belongs to the user of this process or to root, and refused (ELOOP) otherwise: in a directory that is
 * writable for all, others could have created it. For the same reason, a regular file of another user than this one and
 * root is refused (EPERM), and one that has another name, too (EMLINK): it may be any file of this user. Names in
 * /dev/fd and /proc are those of files that this user has opened, and are not checked. An existing file loses the
 * permissions that mprof_writer_options::file_mode does not have. A directive that the dialect does not have is
 * refused, or counted if lossy.
 * \param path Name of the file.
 * \param options Options, or NULL for the defaults. Copied.
 * \param writer Receives the writer, also on an error other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_writer_get_error() can be called; NULL if none was created. The caller frees it with mprof_writer_destroy() in
 * all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p path or \p writer is NULL, or an option is out of range.
 * - #MPROF_ERR_UNSUPPORTED for a dialect that cannot be written, a directive that it lacks (unless lossy), columns, an
 *   index or a codec in a dialect without them, or gzip or a codec in a library without it.
 * - #MPROF_ERR_IO if the file could not be created, locked or written; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_path(const char *path, const mprof_writer_options *options,
							      mprof_writer **writer);

/**
 * \brief Starts a log in a descriptor: INTRO and, if any are declared, DIRECTIVES (sections 3.1, 3.7). Logs of mono and
 * unity always have that block.
 *
 * A directive that the dialect does not have is refused, or counted if lossy.
 * \param fd The descriptor, written from its current position. May be a pipe or a socket. Stays open: the caller closes
 * it after mprof_writer_destroy(). If it becomes that of another file, nothing is written there, and writing fails with
 * EBADF as mprof_error::system_error. On Windows it is set to binary mode and remains so.
 * \param options Options, or NULL for the defaults. Copied.
 * \param writer Receives the writer, also on an error other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_writer_get_error() can be called; NULL if none was created. The caller frees it with mprof_writer_destroy() in
 * all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p writer is NULL, or \p fd or an option is out of range.
 * - #MPROF_ERR_UNSUPPORTED for a dialect that cannot be written, a directive that it lacks (unless lossy), columns, an
 *   index or a codec in a dialect without them, or gzip or a codec in a library without it.
 * - #MPROF_ERR_IO if the descriptor could not be written; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_fd(int fd, const mprof_writer_options *options,
							    mprof_writer **writer);

/**
 * \brief Starts a log in memory that grows: INTRO and, if any are declared, DIRECTIVES (sections 3.1, 3.7). Logs of
 * mono and unity always have that block. mprof_writer_get_memory() returns the log.
 *
 * A directive that the dialect does not have is refused, or counted if lossy.
 * \param options Options, or NULL for the defaults. Copied.
 * \param writer Receives the writer, also on an error other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_writer_get_error() can be called; NULL if none was created. The caller frees it with mprof_writer_destroy() in
 * all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p writer is NULL, or an option is out of range.
 * - #MPROF_ERR_UNSUPPORTED for a dialect that cannot be written, a directive that it lacks (unless lossy), columns, an
 *   index or a codec in a dialect without them, or gzip or a codec in a library without it.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_memory(const mprof_writer_options *options,
								mprof_writer **writer);

/**
 * \brief Starts a log in a sink: INTRO and, if any are declared, DIRECTIVES (sections 3.1, 3.7). Logs of mono and unity
 * always have that block.
 *
 * A directive that the dialect does not have is refused, or counted if lossy.
 * \param sink Copied. Its close function is called once in all cases, also on an error: by mprof_writer_destroy(), or
 * by this function if it creates no writer.
 * \param options Options, or NULL for the defaults. Copied.
 * \param writer Receives the writer, also on an error other than #MPROF_ERR_ARGUMENT and #MPROF_ERR_MEMORY, so that
 * mprof_writer_get_error() can be called; NULL if none was created. The caller frees it with mprof_writer_destroy() in
 * all cases.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p sink or \p writer is NULL, or an option is out of range.
 * - #MPROF_ERR_UNSUPPORTED for a dialect that cannot be written, a directive that it lacks (unless lossy), columns, an
 *   index or a codec in a dialect without them, or gzip or a codec in a library without it.
 * - #MPROF_ERR_IO if a function of the sink returned an error; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_open_sink(const mprof_sink *sink,
							      const mprof_writer_options *options,
							      mprof_writer **writer);

/**
 * \brief Gets the part of the log that was written to memory so far, which consists of complete blocks.
 * \param writer A writer opened by mprof_writer_open_memory().
 * \param bytes Receives the start of the log; borrowed until the next call on the writer.
 * \param length Receives its length in bytes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE for a writer that does not write to memory.
 * \since 0.1
 */
MPROF_API mprof_status mprof_writer_get_memory(const mprof_writer *writer, const uint8_t **bytes, size_t *length);

/**
 * \brief A class to define (section 3.4).
 * \since 0.1
 */
typedef struct mprof_class_definition {
	size_t struct_size;   /**< sizeof (mprof_class_definition), set by the caller. */
	uint32_t id;          /**< 1 or more, not defined before. */
	uint32_t assembly_id; /**< Code unit ID of its assembly, 0 if not known. Written with directive 5. */
	const char *name;     /**< UTF-8; need not be NUL-terminated. */
	size_t name_length;   /**< In bytes. */
	uint32_t size;        /**< Size of an object in bytes, 0 if objects have different sizes. Written with directive
	                           18. */
	uint32_t reserved;    /**< 0. */
} mprof_class_definition;

/**
 * \brief A method to define (section 3.4).
 * \since 0.1
 */
typedef struct mprof_method_definition {
	size_t struct_size;        /**< sizeof (mprof_method_definition), set by the caller. */
	uint32_t id;               /**< 1 or more, not defined before; methods and classes have separate IDs. */
	uint32_t class_id;         /**< A class defined before, or 0. */
	uint32_t flags;            /**< Bits of #mprof_method_flag. Written with directive 6. */
	uint32_t reserved;         /**< 0. */
	const char *name;          /**< UTF-8, name and signature without the class. */
	size_t name_length;        /**< In bytes. */
	const char *source_file;   /**< UTF-8: the source file, NULL or "" if not known. Written with directive 22. */
	size_t source_file_length; /**< In bytes. */
	uint32_t source_line;      /**< The line in the source file, from 1; 0 if not known. */
	uint32_t reserved_line;    /**< 0. */
} mprof_method_definition;

/**
 * \brief Defines a class. The definition is written before any block that follows.
 * \param writer The writer.
 * \param definition The class. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or the ID is 0.
 * - #MPROF_ERR_REDEFINED_ID if the ID is defined already.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_IO if buffered definitions had to be written, which failed.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_define_class(mprof_writer *writer,
								 const mprof_class_definition *definition);

/**
 * \brief Defines a method. The definition is written before any block that follows.
 * \param writer The writer.
 * \param definition The method. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or the ID is 0.
 * - #MPROF_ERR_REDEFINED_ID if the ID is defined already.
 * - #MPROF_ERR_UNDEFINED_ID if its class is not defined.
 * - #MPROF_ERR_NAME if the name or the source file contains a NUL byte or is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_IO if buffered definitions had to be written, which failed.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_define_method(mprof_writer *writer,
								  const mprof_method_definition *definition);

/**
 * \brief A code unit that is loaded or unloaded (sections 3.2, 3.3).
 * \since 0.1
 */
typedef struct mprof_element {
	size_t struct_size;                  /**< sizeof (mprof_element), set by the caller. */
	uint32_t kind;                       /**< Bits of #mprof_element_kind; success if neither success nor failure is
	                                          set. */
	uint32_t id;                         /**< Code unit ID, 0 if none. Written with directive 4. */
	uint64_t start_counter;              /**< Counter when loading or unloading began. */
	uint64_t end_counter;                /**< Counter when it was finished. */
	uint64_t thread;                     /**< ID of the thread that loaded or unloaded it. */
	const char *name;                    /**< UTF-8. */
	size_t name_length;                  /**< In bytes. */
	const mprof_assembly_name *assembly; /**< The parts of its name, or NULL. Written for assemblies with directive
	                                          5. */
} mprof_element;

/**
 * \brief Writes a LOADED block (section 3.2).
 * \param writer The writer.
 * \param element The code unit that was loaded. Not kept.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a struct_size is too small, the kind does not have exactly one type or
 *   has both success and failure, or mprof_assembly_name::retargetable is neither 0 nor 1.
 * - #MPROF_ERR_NAME if a name contains a NUL byte or is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_loaded(mprof_writer *writer, const mprof_element *element);

/**
 * \brief Writes an UNLOADED block (section 3.3).
 * \param writer The writer.
 * \param element The code unit that was unloaded. Not kept; of its kind only the type is written.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a struct_size is too small, the kind does not have exactly one type or
 *   has both success and failure, or mprof_assembly_name::retargetable is neither 0 nor 1.
 * - #MPROF_ERR_NAME if a name contains a NUL byte or is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_unloaded(mprof_writer *writer, const mprof_element *element);

/**
 * \brief Begins an EVENTS block (section 4); buffered definitions are written first.
 * \param writer The writer.
 * \param thread ID of the thread of the events.
 * \param base_counter The counter that the first delta is added to. In drop, mono and unity, a value equal to the base
 * counter of the thread's previous block means the counter of the last event of that block.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p writer is NULL.
 * - #MPROF_ERR_STATE if a block is open already, or after mprof_writer_close().
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_begin_events(mprof_writer *writer, uint64_t thread,
								 uint64_t base_counter);

/**
 * \brief Adds events to the open block.
 *
 * It uses the fields kind, flags, id, counter, value and the detail. The counter of a kind without a time of its own is
 * ignored. An optional field that is not 0 and that the log cannot contain, by its dialect or its directives
 * (#mprof_writer_options lists them), is left out and counted. In mono and unity the writer
 * numbers collections whose id is 0: each GC_START and each GC_RESIZE takes the next number, but a GC_RESIZE after a
 * GC_START that has an id takes that id. The writer creates stack sections itself: #MPROF_EVENT_STACK_SECTION cannot be
 * written. With mprof_writer_options::has_columns, 65536 events are a block, or fewer with more than 8 MiB that are not
 * in columns, after which the writer begins another one for the same thread.
 *
 * If a full block of columns cannot be written, or the next one cannot begin, no block is open after the error, and
 * mprof_writer_end_events() fails, with #MPROF_ERR_STATE unless the error is permanent. Events that were accepted but
 * not written are lost; mprof_writer_stats::events counts those that were written. After #MPROF_ERR_MEMORY the caller
 * can begin a block for the events that follow. After #MPROF_ERR_LIMIT it can close the log, which is complete up to
 * the last block that was written. #MPROF_ERR_IO is permanent.
 * \param writer The writer.
 * \param events The events, in the order of their times. Not kept.
 * \param count Number of elements in \p events.
 * \param written Receives the number of events accepted (all, unless an error is returned); may be NULL.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, for a handle of 2^62 or more or of a type that is not an
 *   #mprof_handle_type, or for arguments of more than #MPROF_ARGUMENTS_MAX_SIZE bytes.
 * - #MPROF_ERR_STATE if no block is open.
 * - #MPROF_ERR_UNDEFINED_ID if an event uses an ID that is not defined.
 * - #MPROF_ERR_UNSUPPORTED for a kind that the dialect or the directives lack (if lossy it is left out and counted)
 *   and, where collections have numbers, for a generation above 255 or in mono and unity a number of
 *   2^24 or more (if lossy it is truncated and counted).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_LIMIT if the block would exceed the maximum of its length field, or the log its size limit.
 * - #MPROF_ERR_IO if a full block of columns could not be written.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_events(mprof_writer *writer, const mprof_event *events,
								 size_t count, size_t *written);

/**
 * \brief Ends the open EVENTS block and writes it; a block without events is written too.
 * \param writer The writer.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p writer is NULL.
 * - #MPROF_ERR_STATE if no block is open.
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the log is in memory and the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_end_events(mprof_writer *writer);

#ifdef MPROF_UNSTABLE
/**
 * \brief Writes a STATISTICAL block (section 3.6) of mail or mprof2, for copies of logs that have one. In other
 * dialects mprof_writer_write_samples() writes samples. Not stable before version 1.0.
 * \param writer The writer.
 * \param start_counter When sampling for this block began.
 * \param methods IDs of the methods that samples hit, one for each sample, defined. Not kept.
 * \param method_count Number of elements in \p methods.
 * \param functions IDs (1 or more) of the native functions that samples hit, one for each sample. Not kept.
 * \param function_count Number of elements in \p functions.
 * \param end_counter When sampling for this block ended.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or an ID is 0.
 * - #MPROF_ERR_UNDEFINED_ID if a method is not defined.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED in another dialect (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_statistical(mprof_writer *writer, uint64_t start_counter,
								      const uint32_t *methods, size_t method_count,
								      const uint32_t *functions, size_t function_count,
								      uint64_t end_counter);
#endif

/**
 * \brief Writes samples of one thread: a SAMPLES block (section 3.12), or in drop, mono and unity a STATISTICAL block,
 * in which samples have neither thread nor time. mail has no samples with call stacks.
 * \param writer The writer.
 * \param thread ID of the thread, 0 if not known.
 * \param base_counter The counter that the first delta is added to.
 * \param samples Events of kind #MPROF_EVENT_SAMPLE. Their counter and value (a stack ID that is defined) are used. In
 * STATISTICAL the value may be 0: then id is the method, 0 if not known, and an event with a detail stands for the
 * number of samples in the detail, up to 65536. Not kept.
 * \param count Number of elements in \p samples.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or an event is not a sample.
 * - #MPROF_ERR_UNDEFINED_ID if a sample uses an ID that is not defined.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot represent them (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_samples(mprof_writer *writer, uint64_t thread,
								  uint64_t base_counter, const mprof_event *samples,
								  size_t count);

/**
 * \brief Writes events of types in no order of time: a TYPED block (section 3.33).
 *
 * For samples of kinds (#MPROF_TYPE_SAMPLE), and for events that arrive in batches, late, or from another source than
 * the thread itself. Their times do not affect the order of the events of threads.
 * \param writer The writer.
 * \param thread ID of the thread, 0 if not known, or if an argument of #MPROF_ROLE_THREAD states it.
 * \param base_counter The counter that the first difference is added to, such as that of the first event.
 * \param events Events of kind #MPROF_EVENT_TYPED, whose types are defined. Not kept.
 * \param count Number of elements in \p events.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, an event has another kind, or arguments of more than
 *   #MPROF_ARGUMENTS_MAX_SIZE bytes.
 * - #MPROF_ERR_UNDEFINED_ID if a type is not defined.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED if the dialect has no such block (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_typed(mprof_writer *writer, uint64_t thread,
								uint64_t base_counter, const mprof_event *events,
								size_t count);

/**
 * \brief Writes a block of records: STACKS, CODE, METRICS, HEAP_SUMMARY, ROOTS, FIELDS, TYPES, TEXTS, CLOCKS,
 * TIMELINES, PROCESSES, CLOCK_PAIRS, POSITIONS, OBJECT_LABELS, REFERENCE_NAMES or REACHABILITY (sections 3.13 to 3.15,
 * 3.18, 3.19, 3.21, 3.25, 3.26, 3.28 to 3.32, 3.34, 3.35, 3.37).
 *
 * In dialects other than mprof2 the definitions of STACKS and CODE are kept for the blocks that use them; of the
 * others, mono and unity have only HEAP_SUMMARY.
 *
 * IDs of stacks, modules, functions, locations, roots, metrics, arguments, types and texts are chosen by the caller,
 * dense from 1, and defined once; they may be used from now on. The method of a stack, the class of a root and of a
 * summary, the arguments, the pair and the category of a type, and the texts of labels and references must be defined.
 * Blocks of a heap snapshot are written after its first HEAP_DATA block and before its last one.
 * \param writer The writer.
 * \param kind An #mprof_block_kind.
 * \param number HEAP_SUMMARY: number of the collection; ignored if the writer numbers collections: it then uses the
 * last one. OBJECT_LABELS, REFERENCE_NAMES: number of the heap snapshot, not 0. Otherwise 0.
 * \param records The records, of kinds that the block can contain; names may be NULL for "". Not kept.
 * \param record_size sizeof (mprof_record) as the caller was compiled: the distance in bytes from one element to the
 * next. Bytes beyond the library's own size must be 0.
 * \param count Number of elements in \p records.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, for a record that the block cannot contain, an ID that is not the next
 *   one, or an invalid \p record_size.
 * - #MPROF_ERR_UNDEFINED_ID if a record uses an ID that is not defined.
 * - #MPROF_ERR_REDEFINED_ID if an ID is defined already.
 * - #MPROF_ERR_NAME if a name is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot represent them (counted if lossy).
 * - #MPROF_ERR_LIMIT if the block would exceed the maximum of its length field.
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_records(mprof_writer *writer, uint32_t kind, uint32_t number,
								  const mprof_record *records, size_t record_size,
								  size_t count);

/**
 * \brief Writes a HEAP_DATA block (section 3.17): a part of a heap snapshot, or moves of a collection.
 *
 * In drop, mono and unity a snapshot is collected from its FIRST part to its LAST and then written as one block. It has
 * two more clock pairs: the first one is read with the FIRST part, its counter being \p counter, and the second one
 * with the LAST. There are no roots, no moves and no addresses of dead objects, and addresses are multiples of 4. Other
 * blocks may be written before the LAST part. If there is no memory for that block, the snapshot is left out.
 * \param writer The writer.
 * \param shot Number of the snapshot, from 1; 0 if the block belongs to none. In mono and unity the number of the
 * collection; ignored if the writer numbers collections: it then uses the last one.
 * \param flags Bits of #mprof_heap_flag.
 * \param counter When the snapshot was taken.
 * \param events Events of the kinds MPROF_EVENT_HEAP_... with their details. Their classes and roots must be defined.
 * Not kept.
 * \param count Number of elements in \p events.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or an event or a flag cannot be in the block.
 * - #MPROF_ERR_UNDEFINED_ID if an event uses an ID that is not defined.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED if the dialect cannot represent them (counted if lossy).
 * - #MPROF_ERR_LIMIT if the block would exceed the maximum of its length field.
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_heap(mprof_writer *writer, uint32_t shot, uint32_t flags,
							       uint64_t counter, const mprof_event *events,
							       size_t count);

/**
 * \brief Writes a MARK block (section 3.16): a marker. mprof2 only.
 * \param writer The writer.
 * \param thread ID of the thread, 0 if none.
 * \param counter When it was recorded.
 * \param text UTF-8. Not kept.
 * \param text_length Length of \p text in bytes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_NAME if the text contains a NUL byte or is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED in another dialect (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_mark(mprof_writer *writer, uint64_t thread, uint64_t counter,
							       const char *text, size_t text_length);

/**
 * \brief Writes an APPLICATION block (section 3.27): data that only the application itself can read. Other programs
 * pass over it. mprof2 only.
 * \param writer The writer.
 * \param name Whose data it is: a domain name in reverse, such as "org.example.tool", in UTF-8. Not kept.
 * \param name_length Length of \p name in bytes, at least 1.
 * \param kind What it is; the application defines the numbers.
 * \param flags #mprof_application_flag.
 * \param bytes The data. Not kept. May be NULL if \p size is 0.
 * \param size Size of \p bytes, at most #MPROF_APPLICATION_MAX_SIZE.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, the name is empty, or flags has unknown bits.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is too long.
 * - #MPROF_ERR_LIMIT if there are more bytes, or the log would exceed mprof_writer_options::max_size.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED in another dialect (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_application(mprof_writer *writer, const char *name,
								      size_t name_length, uint32_t kind, uint32_t flags,
								      const void *bytes, size_t size);

/**
 * \brief Writes a WATERMARK block (section 3.20): all events of native memory with a counter below \p counter are
 * before this block. mprof2 only.
 *
 * A profile sorts the events of different threads by their counters. The block lets it do so with little memory:
 * without it, an earlier event could still follow.
 * \param writer The writer.
 * \param counter The watermark.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p writer is NULL.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED in another dialect (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_watermark(mprof_writer *writer, uint64_t counter);

/**
 * \brief A property of the session: one key-value pair of its metadata (section 3.8). Passed together with its size, so
 * that it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_property {
	const char *key;   /**< Not empty, UTF-8, NUL-terminated. */
	const char *value; /**< UTF-8, NUL-terminated. */
} mprof_property;

/**
 * \brief Writes a SESSION block (section 3.8). mprof2 only.
 * \param writer The writer.
 * \param properties The properties. Not kept.
 * \param property_size sizeof (mprof_property) as the caller was compiled: the distance in bytes from one element to
 * the next. Bytes beyond the library's own size must be 0.
 * \param count Number of elements in \p properties.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a key is empty, or \p property_size is invalid.
 * - #MPROF_ERR_NAME if a text is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED in another dialect (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_session(mprof_writer *writer,
								  const mprof_property *properties,
								  size_t property_size, size_t count);

/**
 * \brief Writes a THREAD block: the name of a thread, which is valid until the next one (section 3.9). mprof2 only.
 * \param writer The writer.
 * \param thread ID of the thread.
 * \param name UTF-8. Not kept.
 * \param name_length Length of \p name in bytes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is too long.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED in another dialect (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_thread_name(mprof_writer *writer, uint64_t thread,
								      const char *name, size_t name_length);

/**
 * \brief Writes a LOST block: the number of lost events of a thread (section 3.10). mprof2 only.
 * \param writer The writer.
 * \param thread ID of the thread, 0 if not known.
 * \param counts Events lost since the last such block, by #mprof_loss_cause; index 0 is not used. Not kept.
 * \param count Number of elements in \p counts.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_UNSUPPORTED in another dialect (counted if lossy).
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_write_losses(mprof_writer *writer, uint64_t thread,
								 const uint64_t *counts, size_t count);

/**
 * \brief Writes the buffered definitions and hands all bytes to the operating system, so that a reader can see them.
 * \param writer The writer.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p writer is NULL.
 * - #MPROF_ERR_STATE inside an event block, or after mprof_writer_close().
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_flush(mprof_writer *writer);

/**
 * \brief Ends the log: writes the buffered definitions, then END. Only mprof_writer_get_memory(), the getters and
 * mprof_writer_destroy() may follow.
 * \param writer The writer.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p writer is NULL.
 * - #MPROF_ERR_STATE inside an event block, or if the log is closed already.
 * - #MPROF_ERR_IO if the sink failed; see mprof_error::system_error.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_writer_close(mprof_writer *writer);

/**
 * \brief Frees a writer and closes its sink. Without mprof_writer_close() before, the log has no END, and readers
 * report it as incomplete.
 * \param writer The writer, or NULL.
 * \return
 * - #MPROF_OK, also for NULL.
 * - The permanent error of the writer, if there was one.
 * - #MPROF_ERR_IO if closing the sink failed.
 * \since 0.1
 */
MPROF_API mprof_status mprof_writer_destroy(mprof_writer *writer);

/**
 * \brief Statistics of a writer. 10 KiB; 48 bytes with offsetof (mprof_writer_stats, left_out_events) as struct_size.
 * \since 0.1
 */
typedef struct mprof_writer_stats {
	size_t struct_size;             /**< sizeof (mprof_writer_stats), set by the caller. */
	uint64_t bytes;                 /**< Length of the log so far, not compressed. */
	uint64_t sink_bytes;            /**< Bytes passed to the sink so far. */
	uint64_t blocks;                /**< Blocks written. */
	uint64_t events;                /**< Events written: of threads, samples, and of heap snapshots. */
	uint64_t left_out;              /**< Items that the log cannot represent, or only in part. Without lossy only
	                                     those that lost an optional field: others are refused. */
	uint64_t left_out_events[256];  /**< Of these, events that are not in the log, by #mprof_event_kind. */
	uint64_t left_out_blocks[256];  /**< Of these, blocks that are not in the log, by #mprof_block_kind; their
	                                     content is not counted in addition. */
	uint64_t shortened_events[256]; /**< Of these, events that are in the log without some of their fields, by
	                                     #mprof_event_kind. */
	uint64_t left_out_records[256]; /**< Of these, definitions and records that are not in the log, by
	                                    #mprof_record_kind. */
	uint64_t shortened_blocks[256]; /**< Of these, blocks that are in the log without some of their content other
	                                     than events, by #mprof_block_kind: MAPPING, LOADED and UNLOADED without
	                                     fields that a directive would add, HEAP_DATA without
	                                     #MPROF_HEAP_FLAG_INCOMPLETE. */
} mprof_writer_stats;

/**
 * \brief Gets the statistics of a writer.
 * \param writer The writer.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_writer_get_stats(const mprof_writer *writer, mprof_writer_stats *stats);

/**
 * \brief Gets the error of the last call that failed.
 * \param writer The writer.
 * \param error Receives what fits its struct_size, which the caller sets. Its text is static.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_writer_get_error(const mprof_writer *writer, mprof_error *error);

MPROF_END_DECLS

#endif
