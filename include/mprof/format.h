/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/format.h
 * \brief The elements of a log: dialects, blocks, events. Section numbers refer to doc/format.md.
 */
#ifndef MPROF_FORMAT_H
#define MPROF_FORMAT_H

#include <mprof/base.h>

MPROF_BEGIN_DECLS

/**
 * \brief The dialects of the format (section 1). Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_dialect {
	MPROF_DIALECT_DEFAULT = 0,    /**< Writers: #MPROF_DIALECT_MPROF2. Readers: not known yet. */
	MPROF_DIALECT_MAIL = 1,       /**< The format as first published in November 2007, version 1. */
	MPROF_DIALECT_DROP = 2,       /**< Mono 1.9, January to April 2008. */
	MPROF_DIALECT_MONO = 3,       /**< Mono 2.0 to 2.8. */
	MPROF_DIALECT_UNITY = 4,      /**< The fork of KSP, for Unity: mono with samples in a different order. */
	MPROF_DIALECT_MPROF2 = 5,     /**< This library's own: version 2, with checksums and declared extensions. */
	MPROF_DIALECT_UNITY_FIXED = 6 /**< A fork for Unity with integers of fixed size: heap snapshots only. Read
	                                   only. */
} mprof_dialect;

/**
 * \brief The blocks of all dialects (section 3). The code in a header depends on the dialect.
 * \since 0.1
 */
typedef enum mprof_block_kind {
	MPROF_BLOCK_UNKNOWN = 0,      /**< A code that the dialect does not define; it can be skipped. */
	MPROF_BLOCK_INTRO = 1,        /**< The first block of a log. */
	MPROF_BLOCK_END = 2,          /**< The last block of a log that was closed. */
	MPROF_BLOCK_MAPPING = 3,      /**< Names of classes and methods, by ID. */
	MPROF_BLOCK_LOADED = 4,       /**< A module, assembly or domain was loaded. */
	MPROF_BLOCK_UNLOADED = 5,     /**< A module, assembly or domain was unloaded. */
	MPROF_BLOCK_EVENTS = 6,       /**< Events of one thread. */
	MPROF_BLOCK_STATISTICAL = 7,  /**< Samples. */
	MPROF_BLOCK_HEAP_DATA = 8,    /**< Objects of one heap snapshot. */
	MPROF_BLOCK_HEAP_SUMMARY = 9, /**< Live and dead bytes by class at one collection. */
	MPROF_BLOCK_DIRECTIVES = 10,  /**< Declares changes in how later blocks are decoded. */
	MPROF_BLOCK_SESSION = 32,     /**< mprof2: metadata about the recorded program, as keys and values. */
	MPROF_BLOCK_THREAD = 33,      /**< mprof2: the name of a thread. */
	MPROF_BLOCK_LOST = 34,        /**< mprof2: number of lost events, by cause. */
	MPROF_BLOCK_SAMPLES = 35,     /**< mprof2: samples of one thread, with call stacks. */
	MPROF_BLOCK_STACKS = 36,      /**< mprof2: defines call stacks. */
	MPROF_BLOCK_CODE = 37,        /**< mprof2: defines native modules, functions and locations. */
	MPROF_BLOCK_METRICS = 38,     /**< mprof2: defines metrics, and contains their values. */
	MPROF_BLOCK_MARK = 39,        /**< mprof2: a marker, a text with a time. */
	MPROF_BLOCK_ROOTS = 40,       /**< mprof2: defines memory areas that the collector treats as roots. */
	MPROF_BLOCK_WATERMARK = 41,   /**< mprof2: guarantees that earlier events of native memory are before this
	                                   block. */
	MPROF_BLOCK_FIELDS = 42,      /**< mprof2: names the fields in which objects have references. */
	MPROF_BLOCK_INDEX = 45,       /**< mprof2: where the blocks before it are, and what they contain. */
	MPROF_BLOCK_TYPES = 46,       /**< mprof2: defines the types of events that a client describes. */
	MPROF_BLOCK_TEXTS = 47,       /**< mprof2: defines texts that arguments of such events name by an ID. */
	MPROF_BLOCK_TYPED = 48,       /**< mprof2: events of types in no order of time, such as samples of kinds. */
	MPROF_BLOCK_TIMELINES = 49,   /**< mprof2: describes the threads of the log that are more than their number. */
	MPROF_BLOCK_PROCESSES = 50,   /**< mprof2: describes the processes that threads belong to. */
	MPROF_BLOCK_CLOCKS = 51,      /**< mprof2: defines the clocks that times of events were converted from. */
	MPROF_BLOCK_POSITIONS = 52,   /**< mprof2: defines lines of methods and of native code, for frames. */
	MPROF_BLOCK_CODE_RANGES = 53, /**< mprof2: addresses of generated code, by time. */
	MPROF_BLOCK_APPLICATION = 55, /**< mprof2: data of an application, which only that application can read. */
	MPROF_BLOCK_CLOCK_PAIRS = 57, /**< mprof2: values of clocks, read together with the log's counter. */
	MPROF_BLOCK_OBJECT_LABELS = 58,   /**< mprof2: texts for single objects of a heap snapshot. */
	MPROF_BLOCK_REFERENCE_NAMES = 59, /**< mprof2: names of single references of a heap snapshot, and its weak
	                                       references. */
	MPROF_BLOCK_REACHABILITY = 60 /**< mprof2: which blocks of native memory a process could not reach any more at
	                                       its end. */
} mprof_block_kind;

/**
 * \brief How the content of a block is compressed (section 3.23).
 * \since 0.1
 */
typedef enum mprof_codec_number {
	MPROF_CODEC_NONE = 0,    /**< Not compressed. */
	MPROF_CODEC_DEFLATE = 1, /**< A zlib stream (RFC 1950). */
	MPROF_CODEC_ZSTD = 2     /**< A zstd frame (RFC 8878). */
} mprof_codec_number;

/**
 * \brief A codec that the caller provides for reading compressed blocks (section 3.23). It is used in place of the
 * library's own of the same number.
 * \since 0.1
 */
typedef struct mprof_codec {
	size_t struct_size; /**< sizeof (mprof_codec), set by the caller. */
	uint32_t number;    /**< An #mprof_codec_number, or a number that this library does not have; not 0. */
	uint32_t reserved;  /**< 0. */
	/**
	 * \brief Decompresses \p input_length bytes to exactly \p output_length bytes.
	 *
	 * Called by the functions that load a block, on the thread that calls them. \p produced receives the number of
	 * bytes stored at \p output; if the log ends inside the block, as many as could be decompressed. Returns
	 * #MPROF_OK, #MPROF_ERR_TRUNCATED if the input ends too early, #MPROF_ERR_MEMORY, which ends the reading, or
	 * #MPROF_ERR_MALFORMED.
	 */
	mprof_status (*decompress)(void *user, const void *input, size_t input_length, void *output,
				   size_t output_length, size_t *produced);
	void *user; /**< Passed as the first argument. */
} mprof_codec;

/**
 * \brief One bit for a block kind below 64, for masks of kinds.
 * \since 0.1
 */
#define MPROF_BLOCK_BIT(kind) (UINT64_C(1) << (kind))

/**
 * \brief A set of numbers below 256, such as kinds of blocks. All zero is the empty set.
 *
 * This struct does not change.
 * \since 0.1
 */
typedef struct mprof_number_set {
	uint64_t bits[4]; /**< Number n is bit n % 64 of element n / 64. */
} mprof_number_set;

/**
 * \brief Adds a number to a set.
 *
 * Thread-safe for different sets, async-signal-safe.
 * \param set The set.
 * \param number The number, below 256.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p set is NULL or \p number is out of range.
 * \since 0.1
 */
MPROF_API mprof_status mprof_number_set_add(mprof_number_set *set, uint32_t number);

/**
 * \brief Whether a number is in a set.
 *
 * Thread-safe, async-signal-safe.
 * \param set The set; NULL is the empty set.
 * \param number Any number.
 * \return 1 or 0.
 * \since 0.1
 */
MPROF_API int mprof_number_set_has(const mprof_number_set *set, uint32_t number);

/**
 * \brief The events of all dialects (section 4). Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_event_kind {
	MPROF_EVENT_UNKNOWN = 0,                /**< An event code that is unknown to this library; value is its main
	                                             varint. */
	MPROF_EVENT_METHOD_ENTER = 1,           /**< id is the method. */
	MPROF_EVENT_METHOD_LEAVE = 2,           /**< id is the method. */
	MPROF_EVENT_METHOD_LEAVE_IMPLICIT = 3,  /**< The method on top of the thread's call stack returns; id is 0. */
	MPROF_EVENT_METHOD_LEAVE_EXCEPTION = 4, /**< id is the method, left because an exception passed through it. */
	MPROF_EVENT_METHOD_LEAVE_TAIL = 5,      /**< id is the method, left by a tail call. */
	MPROF_EVENT_METHOD_JIT_START = 6,       /**< id is the method whose compilation begins. */
	MPROF_EVENT_METHOD_JIT_END = 7,         /**< id is the method; #MPROF_EVENT_FLAG_FAILED if the compilation
	                                             failed. */
	MPROF_EVENT_METHOD_FREED = 8,           /**< id is the method whose code is freed. */
	MPROF_EVENT_CLASS_LOAD_START = 9,       /**< id is the class. */
	MPROF_EVENT_CLASS_LOAD_END = 10,        /**< id is the class; #MPROF_EVENT_FLAG_FAILED if loading it failed. */
	MPROF_EVENT_CLASS_UNLOAD_START = 11,    /**< id is the class. */
	MPROF_EVENT_CLASS_UNLOAD_END = 12,      /**< id is the class. */
	MPROF_EVENT_EXCEPTION = 13,             /**< id is the class of the exception thrown; the detail, if there is
	                                             one, has the call stack. */
	MPROF_EVENT_ALLOCATION = 14,            /**< id is the class, value the size in bytes; has no time of its
	                                             own. */
	MPROF_EVENT_ALLOCATION_AT_JIT = 15,     /**< As #MPROF_EVENT_ALLOCATION, allocated while a method was being
	                                             compiled. */
	MPROF_EVENT_THREAD_START = 16,          /**< value is the ID of the thread. */
	MPROF_EVENT_THREAD_END = 17,            /**< value is the ID of the thread. */
	MPROF_EVENT_GC_START = 18,              /**< value is the generation, id the number of the collection, 0 if not
	                                             in the log. The same applies to all kinds up to GC_START_WORLD_END
	                                             except GC_RESIZE. */
	MPROF_EVENT_GC_END = 19,                /**< The collection ends. */
	MPROF_EVENT_GC_MARK_START = 20,         /**< It begins to mark. */
	MPROF_EVENT_GC_MARK_END = 21,           /**< It has marked. */
	MPROF_EVENT_GC_SWEEP_START = 22,        /**< It begins to sweep. */
	MPROF_EVENT_GC_SWEEP_END = 23,          /**< It has swept. */
	MPROF_EVENT_GC_RESIZE = 24, /**< value is the new size of the heap in bytes, id as of GC_START. Has no time of
	                                 its own if it has a number. */
	MPROF_EVENT_GC_STOP_WORLD_START = 25,  /**< The collector begins to stop all threads. */
	MPROF_EVENT_GC_STOP_WORLD_END = 26,    /**< All threads stand. */
	MPROF_EVENT_GC_START_WORLD_START = 27, /**< The collector begins to let them continue. */
	MPROF_EVENT_GC_START_WORLD_END = 28,   /**< All threads run again. */
	MPROF_EVENT_MONITOR = 29,              /**< id is the class of the object, value an #mprof_monitor_state. */
	MPROF_EVENT_SAMPLE = 30,               /**< A sample. From a reader: value is the stack ID (0 if not known); of
	                                       STATISTICAL, id is the method of the innermost frame, 0 if native; the
	                                       detail, if there is one, has the number of samples that the event stands
	                                       for. From a parser the same for SAMPLES; for STATISTICAL one frame: see
	                                       mprof_parser_next_events(). */
	MPROF_EVENT_STACK_SECTION = 31,        /**< mono, unity: the call stack of the thread from here on, before an
	                                       allocation or monitor event. The outermost value frames of the previous
	                                       stack remain; the frames in mprof_event_detail::references, the innermost
	                                       first, are put on top of them. Each is a method << 1, with bit 0 set
	                                       while it is being compiled. Has no time of its own. */
	MPROF_EVENT_HEAP_OBJECT = 32,          /**< A live object of a heap snapshot: id is the class, value the size in
	                                       bytes; the detail has the address and the references. */
	MPROF_EVENT_HEAP_FREE = 33,       /**< An object that a collection found dead: id is the class, value the size
	                                       in bytes. */
	MPROF_EVENT_HEAP_ROOT = 34,       /**< A root: id is the area (ROOTS) or 0, value an #mprof_root_kind; the
	                                       detail has the object. */
	MPROF_EVENT_HEAP_MOVE = 35,       /**< The collector moved an object: value is the new address; the detail has
	                                       the old one. */
	MPROF_EVENT_HEAP_REFERENCES = 36, /**< More references of the previous object. */
	MPROF_EVENT_HANDLE_CREATED = 37,  /**< id is the class of the object, value the handle; the detail has the other
	                                       fields. */
	MPROF_EVENT_HANDLE_DELETED = 38,  /**< value is the handle; id is 0. */
	MPROF_EVENT_FINALIZER_START = 39, /**< The finalizer of an object begins: id is its class; the detail has the
	                                       object. */
	MPROF_EVENT_FINALIZER_END = 40,   /**< It ends; id and the detail are the same. */
	MPROF_EVENT_FINALIZATION_START = 41, /**< The finalizer thread begins to run finalizers that are due. */
	MPROF_EVENT_FINALIZATION_END = 42,   /**< It has run them. */
	MPROF_EVENT_RECORDING_RESUMED = 43, /**< Recording resumes after a pause: events of the thread in the last value
	                                         counters before this event were not recorded, and its call stack is not
	                                         known any more. */
	MPROF_EVENT_MEMORY_ALLOCATED = 44,  /**< Native memory was allocated: value is its address; the detail has the
	                                          size and the call stack. */
	MPROF_EVENT_MEMORY_FREED = 45,      /**< Native memory was freed: value is its address; the detail, if there is
	                                          one, has the call stack. */
	MPROF_EVENT_MEMORY_RESIZED = 46,    /**< Native memory was resized: value is its new address; the detail has the
	                                         old address as its object, the new size, the call stack, and when the
	                                         call started. */
	MPROF_EVENT_STACK_SWITCH = 47,      /**< The thread continues on another call stack: value is its number, 0 for
	                                         the thread's own (section 4.8). */
	MPROF_EVENT_STACK_END = 48,         /**< A call stack has ended: value is its number, which may be used
	                                         again. */
	MPROF_EVENT_EXCEPTION_CLAUSE = 49,  /**< A clause of a method runs because of an exception: id is the class of
	                                         the exception, value the number of the clause << 2 | an
	                                         #mprof_clause_kind; the detail has the method as its caller. */
	MPROF_EVENT_METHOD_CODE = 50,       /**< Code of a method was compiled or loaded: id is the method, 0 for code
	                                         of no method, value the size in bytes << 4 | an #mprof_code_origin. */
	MPROF_EVENT_MONITOR_HOLDER = 51,    /**< The monitor that the thread waits for is held by another thread: value
	                                         is the ID of that thread, id the class of the object; the detail has
	                                         the object. */
	MPROF_EVENT_TYPED = 52,             /**< An event that the log describes (section 4.9): id is its type (TYPES);
	                                         the detail, if there is one, has its arguments. */
	MPROF_EVENT_OBJECT_FREED = 53,      /**< An object was freed at once, not by a collection (section 4.10): id is
	                                         its class, value its size; the detail has the object. */
	MPROF_EVENT_OBJECT_RESIZED = 54     /**< An object has another size or address (section 4.10): id is its class,
	                                         value its new address; the detail has the old address as its object,
	                                         and the new size. */
} mprof_event_kind;

/**
 * \brief The meaning of mprof_event::id for a kind: mprof_event_info::id.
 * \since 0.1
 */
typedef enum mprof_event_id {
	MPROF_EVENT_ID_NONE = 0,       /**< The kind does not use it: 0. */
	MPROF_EVENT_ID_METHOD = 1,     /**< A method. */
	MPROF_EVENT_ID_CLASS = 2,      /**< A class. */
	MPROF_EVENT_ID_COLLECTION = 3, /**< The number of a collection, 0 if the log has none. */
	MPROF_EVENT_ID_ROOT = 4,       /**< A root (ROOTS), or 0. */
	MPROF_EVENT_ID_TYPE = 5        /**< The type of an event (TYPES). */
} mprof_event_id;

/**
 * \brief The meaning of mprof_event::value for a kind: mprof_event_info::value.
 * \since 0.1
 */
typedef enum mprof_event_value {
	MPROF_EVENT_VALUE_NONE = 0,          /**< The kind does not use it: 0. */
	MPROF_EVENT_VALUE_NUMBER = 1,        /**< A number of unknown meaning. */
	MPROF_EVENT_VALUE_SIZE = 2,          /**< The size of an object, in bytes. */
	MPROF_EVENT_VALUE_THREAD = 3,        /**< ID of a thread. */
	MPROF_EVENT_VALUE_GENERATION = 4,    /**< The generation that is collected. */
	MPROF_EVENT_VALUE_HEAP_SIZE = 5,     /**< The size of the heap, in bytes. */
	MPROF_EVENT_VALUE_MONITOR_STATE = 6, /**< An #mprof_monitor_state. */
	MPROF_EVENT_VALUE_CALL_STACK = 7,    /**< ID of a call stack (STACKS), or 0. */
	MPROF_EVENT_VALUE_FRAMES = 8,        /**< A number of frames. */
	MPROF_EVENT_VALUE_ROOT_KIND = 9,     /**< An #mprof_root_kind. */
	MPROF_EVENT_VALUE_ADDRESS = 10,      /**< An address. */
	MPROF_EVENT_VALUE_HANDLE = 11,       /**< A handle. */
	MPROF_EVENT_VALUE_DURATION = 12,     /**< A duration, in counters. */
	MPROF_EVENT_VALUE_STACK = 13,        /**< The number of a stack on which a thread runs (section 4.8). */
	MPROF_EVENT_VALUE_CLAUSE = 14,       /**< The number of a clause in its method << 2 | an #mprof_clause_kind. */
	MPROF_EVENT_VALUE_CODE = 15          /**< The size of code in bytes << 4 | an #mprof_code_origin. */
} mprof_event_value;

/**
 * \brief Whether mprof_event::counter of a kind is its own: mprof_event_info::time.
 * \since 0.1
 */
typedef enum mprof_event_time {
	MPROF_EVENT_TIME_NONE = 0,      /**< The counter is that of the previous event, or of the heap snapshot. */
	MPROF_EVENT_TIME_OWN = 1,       /**< The counter is the event's own. */
	MPROF_EVENT_TIME_UNNUMBERED = 2 /**< The counter is the event's own if mprof_event::id is 0; otherwise it may be
	                                     that of the previous event. */
} mprof_event_time;

/**
 * \brief Groups of event kinds: mprof_event_info::category.
 * \since 0.1
 */
typedef enum mprof_event_category {
	MPROF_EVENT_CATEGORY_OTHER = 0,       /**< Not known. */
	MPROF_EVENT_CATEGORY_CALL = 1,        /**< A method is entered or left. */
	MPROF_EVENT_CATEGORY_METHOD = 2,      /**< A method is compiled or freed, or its code is loaded. */
	MPROF_EVENT_CATEGORY_CLASS = 3,       /**< A class is loaded or unloaded. */
	MPROF_EVENT_CATEGORY_EXCEPTION = 4,   /**< An exception is thrown, or a clause runs. */
	MPROF_EVENT_CATEGORY_ALLOCATION = 5,  /**< An object is allocated. */
	MPROF_EVENT_CATEGORY_THREAD = 6,      /**< A thread starts or ends. */
	MPROF_EVENT_CATEGORY_COLLECTION = 7,  /**< A garbage collection. */
	MPROF_EVENT_CATEGORY_MONITOR = 8,     /**< A thread waits for a monitor. */
	MPROF_EVENT_CATEGORY_SAMPLE = 9,      /**< A sample. */
	MPROF_EVENT_CATEGORY_CALL_STACK = 10, /**< The call stack of the events that follow. */
	MPROF_EVENT_CATEGORY_HEAP = 11,       /**< A part of a heap snapshot. */
	MPROF_EVENT_CATEGORY_HANDLE = 12,     /**< A handle is created or deleted. */
	MPROF_EVENT_CATEGORY_FINALIZER = 13,  /**< Finalizers run. */
	MPROF_EVENT_CATEGORY_RECORDING = 14,  /**< Recording was paused. */
	MPROF_EVENT_CATEGORY_MEMORY = 15,     /**< Native memory is allocated, resized or freed. */
	MPROF_EVENT_CATEGORY_STACK = 16,      /**< A thread switches to another stack, or a stack ends. */
	MPROF_EVENT_CATEGORY_TYPED = 17,      /**< An event that the log describes. */
	MPROF_EVENT_CATEGORY_OBJECT = 18      /**< An object is freed or resized. */
} mprof_event_category;

/**
 * \brief The meaning of the fields of an event kind: see mprof_event_get_info(). Fields are only appended.
 * \since 0.1
 */
typedef struct mprof_event_info {
	size_t struct_size; /**< sizeof (mprof_event_info), set by the caller. */
	const char *name;   /**< As mprof_event_get_name(). Static text. */
	uint32_t id;        /**< An #mprof_event_id. */
	uint32_t value;     /**< An #mprof_event_value. */
	uint32_t time;      /**< An #mprof_event_time. */
	uint32_t category;  /**< An #mprof_event_category. */
} mprof_event_info;

/**
 * \brief Bits of mprof_event::flags.
 * \since 0.1
 */
typedef enum mprof_event_flag {
	MPROF_EVENT_FLAG_FAILED = 1,     /**< The operation that ends here failed. */
	MPROF_EVENT_FLAG_NATIVE = 2,     /**< A sample of native code, or a native frame of a call stack. */
	MPROF_EVENT_FLAG_CALLER = 4,     /**< Parsers, STATISTICAL: a frame that is the caller of the frame of the
	                                      previous event. */
	MPROF_EVENT_FLAG_IN_MODULE = 8,  /**< Parsers, STATISTICAL: id is a module (a memory region), value the offset
	                                      in it in bytes. */
	MPROF_EVENT_FLAG_COMPILING = 16, /**< A frame of a call stack whose method is being compiled, not executed. */
	MPROF_EVENT_FLAG_IMPLICIT = 32   /**< Readers: in the log this #MPROF_EVENT_METHOD_LEAVE is an
	                                      #MPROF_EVENT_METHOD_LEAVE_IMPLICIT, without the method. */
} mprof_event_flag;

/**
 * \brief The optional fields of an event.
 *
 * A detail returned by a parser or a reader is borrowed: valid until the next call on it, with struct_size set to the
 * size that the library was built with. A detail passed to a writer is read up to its struct_size; fields beyond it
 * count as 0. Fields are only appended.
 * \since 0.1
 */
typedef struct mprof_event_detail {
	size_t struct_size;         /**< sizeof (mprof_event_detail), set by the side that fills it. */
	uint64_t object;            /**< Address of the object, or 0 if not known (allocations: directive 3). Native
	                                 memory or an object resized: the old address. */
	uint32_t caller;            /**< Allocations: ID of the method that allocated, or 0 if not known (directive
	                                 1). */
	uint32_t stack;             /**< Stack ID (STACKS), or 0 if not known. Allocations: directive 19. Exceptions:
	                                 directive 25. */
	uint32_t handle_type;       /**< Handles: an #mprof_handle_type. */
	uint32_t reference_count;   /**< Number of elements of references. */
	const uint64_t *references; /**< Heap objects: addresses of the objects that it refers to, in order. Stack
	                                 sections: frames. Borrowed. */
	uint64_t samples;           /**< Samples: the number of samples that the event stands for, 1 or more. */
	uint64_t size;              /**< Native memory allocated or resized, objects resized: bytes. */
	uint64_t started;           /**< Native memory resized: the counter when the call started; until then the old
	                                 address was certainly valid. Writers: 0 means not known. */
	const uint64_t *offsets;    /**< Heap objects: bytes from the start of the object to each of its references
	                                 (directive 26); NULL if not known. Borrowed. */
	const uint8_t *arguments;   /**< Events of a type: their arguments as in the log, which
	                                 mprof_argument_decode() reads. Borrowed. */
	size_t argument_size;       /**< Length of arguments in bytes, at most #MPROF_ARGUMENTS_MAX_SIZE. */
} mprof_event_detail;

/**
 * \brief One event, 32 bytes, the same on every machine. #mprof_event_kind describes the fields for each kind.
 *
 * counter is absolute, in the unit of the counter (see mprof_reader_get_time()); a kind without a time of its own has
 * that of the previous event.
 *
 * This struct does not change: events are passed in large arrays, and fields of later kinds go to #mprof_event_detail,
 * which can grow.
 * \since 0.1
 */
typedef struct mprof_event {
	uint8_t kind;     /**< An #mprof_event_kind. */
	uint8_t code;     /**< The event code in the log. Ignored by writers. */
	uint16_t flags;   /**< Bits of #mprof_event_flag. */
	uint32_t id;      /**< Class, method or function, depending on kind; 0 if the kind has none. */
	uint64_t counter; /**< Timestamp. */
	uint64_t value;   /**< Meaning depends on kind. */
	union {
		const mprof_event_detail *detail; /**< Optional fields, or NULL. Borrowed. */
		uint64_t detail_bits;             /**< Makes the union 8 bytes long on machines with shorter pointers,
		                                       too. */
	} more;                                   /**< Fields that do not fit above. */
} mprof_event;

/**
 * \brief Kinds of the clauses of a method that handle exceptions.
 * \since 0.1
 */
typedef enum mprof_clause_kind {
	MPROF_CLAUSE_CATCH = 0,   /**< The clause catches the exception. */
	MPROF_CLAUSE_FILTER = 1,  /**< The filter of a catch clause decides whether to catch the exception. */
	MPROF_CLAUSE_FINALLY = 2, /**< The clause also runs without an exception. Those runs are not recorded. */
	MPROF_CLAUSE_FAULT = 3    /**< The clause runs only because of an exception, which continues. */
} mprof_clause_kind;

/**
 * \brief Where the code of a method came from: the four low bits of the value of #MPROF_EVENT_METHOD_CODE (section 4.4
 * of doc/format.md). More may be added.
 * \since 0.1
 */
typedef enum mprof_code_origin {
	MPROF_CODE_JIT = 0,         /**< Native code that was compiled while the program ran. */
	MPROF_CODE_PRECOMPILED = 1, /**< Native code that was compiled ahead of time and loaded from a file. */
	MPROF_CODE_TRAMPOLINE = 2,  /**< Native code of the runtime that belongs to no method. */
	MPROF_CODE_INTERPRETED = 3  /**< Code for the interpreter of the runtime, which is not native. */
} mprof_code_origin;

/**
 * \brief A step of a wait for a monitor: mprof_event::value of #MPROF_EVENT_MONITOR.
 * \since 0.1
 */
typedef enum mprof_monitor_state {
	MPROF_MONITOR_CONTENDED = 1, /**< A thread found the monitor taken, and waits. */
	MPROF_MONITOR_ACQUIRED = 2,  /**< The thread acquired it. */
	MPROF_MONITOR_FAILED = 3     /**< The thread gave up. */
} mprof_monitor_state;

/**
 * \brief The effect of a handle on its object: mprof_event_detail::handle_type.
 * \since 0.1
 */
typedef enum mprof_handle_type {
	MPROF_HANDLE_WEAK = 0,       /**< Does not keep it alive, and is cleared before it is finalized. */
	MPROF_HANDLE_WEAK_TRACK = 1, /**< Does not keep it alive, and is cleared only after it is finalized. */
	MPROF_HANDLE_NORMAL = 2,     /**< Keeps it alive. */
	MPROF_HANDLE_PINNED = 3      /**< Keeps it alive and at its address. */
} mprof_handle_type;

/**
 * \brief Why the collector keeps an object: mprof_event::value of #MPROF_EVENT_HEAP_ROOT. More may be added; a program
 * shows a kind that it does not know as another reason, with its number.
 * \since 0.1
 */
typedef enum mprof_root_kind {
	MPROF_ROOT_OTHER = 0,         /**< Another reason, or one that is not known. */
	MPROF_ROOT_STATIC = 1,        /**< A static field of a class. */
	MPROF_ROOT_THREAD_STATIC = 2, /**< A static field that each thread has a copy of. */
	MPROF_ROOT_STACK = 3,         /**< The stack or the registers of a thread. */
	MPROF_ROOT_HANDLE = 4,        /**< A handle. */
	MPROF_ROOT_FINALIZER = 5,     /**< The object waits to be finalized. */
	MPROF_ROOT_RUNTIME = 6,       /**< The runtime's own structures. */
	MPROF_ROOT_NATIVE = 7,        /**< Native code that has a reference, or counts it. */
	MPROF_ROOT_MONITOR = 8,       /**< A monitor that a thread holds or waits for. */
	MPROF_ROOT_THREAD = 9,        /**< The object of a thread. */
	MPROF_ROOT_CLASS = 10,        /**< A class that is never unloaded. */
	MPROF_ROOT_INTERNED = 11,     /**< A table of texts or of other values that are stored once each. */
	MPROF_ROOT_SYMBOL = 12,       /**< A table of names, such as symbols. */
	MPROF_ROOT_LOCAL = 13, /**< A reference that native code has during a call, such as a local one of JNI. */
	MPROF_ROOT_GLOBAL = 14 /**< A reference that native code has until it gives it up, such as a global one of
	                                   JNI. */
} mprof_root_kind;

/**
 * \brief Bits of mprof_heap_data_block::flags (section 3.17).
 * \since 0.1
 */
typedef enum mprof_heap_flag {
	MPROF_HEAP_FLAG_FIRST = 1,     /**< The first block of a heap snapshot. */
	MPROF_HEAP_FLAG_LAST = 2,      /**< The last block of a heap snapshot. */
	MPROF_HEAP_FLAG_INCOMPLETE = 4 /**< The recorder ran out of memory for it: objects are missing from here on. */
} mprof_heap_flag;

/**
 * \brief Type, unit and behaviour of a metric: bits of mprof_metric_record::flags.
 * \since 0.1
 */
typedef enum mprof_metric_flag {
	MPROF_METRIC_FLAG_DOUBLE = 1,     /**< The value is the bits of an IEEE 754 double; else a signed number. */
	MPROF_METRIC_UNIT_MASK = 0xf0,    /**< The unit, one of those that follow. */
	MPROF_METRIC_UNIT_RAW = 0x00,     /**< No unit. */
	MPROF_METRIC_UNIT_BYTES = 0x10,   /**< Bytes. */
	MPROF_METRIC_UNIT_TIME = 0x20,    /**< Nanoseconds. */
	MPROF_METRIC_UNIT_COUNT = 0x30,   /**< A number of items. */
	MPROF_METRIC_UNIT_RATIO = 0x40,   /**< 0 to 1. */
	MPROF_METRIC_UNIT_BITS = 0x50,    /**< Bits. */
	MPROF_METRIC_UNIT_JOULES = 0x60,  /**< Joules. */
	MPROF_METRIC_UNIT_HERTZ = 0x70,   /**< A number per second. */
	MPROF_METRIC_UNIT_KELVIN = 0x80,  /**< Kelvin. */
	MPROF_METRIC_UNIT_PERCENT = 0x90, /**< 0 to 100 of one whole; more if there are several. */
	MPROF_METRIC_UNIT_PAGES = 0xa0,   /**< Pages of memory. */
	MPROF_METRIC_UNIT_INSTRUCTIONS = 0xb0, /**< Instructions of a processor. */
	MPROF_METRIC_UNIT_CYCLES = 0xc0,       /**< Cycles of a processor. */
	MPROF_METRIC_UNIT_WATTS = 0xe0,        /**< Watts. */
	MPROF_METRIC_UNIT_NAMED = 0xf0,        /**< mprof_metric_record::unit (directive 38). */
	MPROF_METRIC_FLAG_MONOTONIC = 0x100,   /**< Only grows. */
	MPROF_METRIC_FLAG_CONSTANT = 0x200,    /**< Does not change. */
	MPROF_METRIC_FLAG_THREAD = 0x400,      /**< The metric of one thread, mprof_metric_record::thread. */
	MPROF_METRIC_FLAG_HISTOGRAM = 0x800    /**< Its values are buckets with numbers of values (directive 38). */
} mprof_metric_flag;

/**
 * \brief Returns the name of a metric's unit, such as "bytes", "ns" or "Hz".
 *
 * Thread-safe, async-signal-safe.
 * \param flags Bits of #mprof_metric_flag.
 * \return The name; "named" for #MPROF_METRIC_UNIT_NAMED, "unknown" for a unit of a later version. Static text.
 * \since 0.1
 */
MPROF_API const char *mprof_metric_get_unit_name(uint32_t flags);

/**
 * \brief Bits of the kind byte of code units that are loaded and unloaded (section 3.2).
 * \since 0.1
 */
typedef enum mprof_element_kind {
	MPROF_ELEMENT_MODULE = 1,       /**< A module. */
	MPROF_ELEMENT_ASSEMBLY = 2,     /**< An assembly. */
	MPROF_ELEMENT_DOMAIN = 4,       /**< An application domain. */
	MPROF_ELEMENT_FLAG_SUCCESS = 8, /**< Of LOADED only. */
	MPROF_ELEMENT_FLAG_FAILURE = 16 /**< Of LOADED only. */
} mprof_element_kind;

/**
 * \brief The parts of an assembly's name (directive 5).
 * \since 0.1
 */
typedef struct mprof_assembly_name {
	size_t struct_size;           /**< sizeof (mprof_assembly_name), set by the side that fills it. */
	const char *base_name;        /**< Name without version. */
	const char *culture;          /**< "neutral" if none. */
	const char *public_key_token; /**< Hexadecimal text, "null" if none. */
	uint32_t major;               /**< First number of its version. */
	uint32_t minor;               /**< Second number. */
	uint32_t build;               /**< Third number. */
	uint32_t revision;            /**< Fourth number. */
	uint32_t retargetable;        /**< 0 or 1. */
	uint32_t reserved;            /**< 0. */
} mprof_assembly_name;

/**
 * \brief Bits in INTRO for the kinds of data that were recorded (section 3.1).
 * \since 0.1
 */
typedef enum mprof_intro_flag {
	MPROF_INTRO_FLAG_DOMAIN = 1 << 0,       /**< Loading and unloading of application domains. */
	MPROF_INTRO_FLAG_ASSEMBLY = 1 << 1,     /**< That of assemblies. */
	MPROF_INTRO_FLAG_MODULE = 1 << 2,       /**< That of modules. */
	MPROF_INTRO_FLAG_CLASS = 1 << 3,        /**< That of classes. */
	MPROF_INTRO_FLAG_JIT = 1 << 4,          /**< Compilation of methods. */
	MPROF_INTRO_FLAG_EXCEPTION = 1 << 6,    /**< Exceptions. */
	MPROF_INTRO_FLAG_ALLOCATION = 1 << 7,   /**< Allocations of objects. */
	MPROF_INTRO_FLAG_GC = 1 << 8,           /**< Collections. */
	MPROF_INTRO_FLAG_THREAD = 1 << 9,       /**< Start and end of threads. */
	MPROF_INTRO_FLAG_ENTER_LEAVE = 1 << 12, /**< Calls. */
	MPROF_INTRO_FLAG_STATISTICAL = 1 << 15, /**< Samples. */
	MPROF_INTRO_FLAG_METHOD = 1 << 16,      /**< Names of methods. */
	MPROF_INTRO_FLAG_MONITOR = 1 << 17,     /**< Monitors. */
	MPROF_INTRO_FLAG_HEAP = 1 << 18,        /**< Heap snapshots. */
	MPROF_INTRO_FLAG_HANDLE = 1 << 19,      /**< Handles. */
	MPROF_INTRO_FLAG_FINALIZER = 1 << 20,   /**< Finalizers. */
	MPROF_INTRO_FLAG_METRIC = 1 << 21,      /**< Metrics. */
	MPROF_INTRO_FLAG_MEMORY = 1 << 22       /**< Native memory. */
} mprof_intro_flag;

/**
 * \brief The declarations of a DIRECTIVES block (section 3.7).
 * \since 0.1
 */
typedef enum mprof_directive {
	MPROF_DIRECTIVE_NONE = 0,                 /**< No directive. */
	MPROF_DIRECTIVE_ALLOCATION_CALLER = 1,    /**< Allocations have the method that allocates. */
	MPROF_DIRECTIVE_ALLOCATION_STACK = 2,     /**< Stack sections precede allocations. */
	MPROF_DIRECTIVE_ALLOCATION_OBJECT = 3,    /**< Allocations have the address of the object. */
	MPROF_DIRECTIVE_ELEMENT_IDS = 4,          /**< Code units have an ID when they are loaded and unloaded. */
	MPROF_DIRECTIVE_ASSEMBLY_IDS = 5,         /**< Classes have the ID of their assembly, assemblies the parts of
	                                               their name. */
	MPROF_DIRECTIVE_METHOD_FLAGS = 6,         /**< Methods have flags: bit 0 is set for a wrapper. */
	MPROF_DIRECTIVE_IMPLICIT_LEAVE = 16,      /**< mprof2: leaves of the method on top of the call stack have no
	                                               method. */
	MPROF_DIRECTIVE_EXTENDED_EVENTS = 17,     /**< mprof2: event codes beyond those of the mail dialect occur. */
	MPROF_DIRECTIVE_CLASS_SIZES = 18,         /**< mprof2: classes have the size of their objects; events of objects
	                                               of that size omit it. */
	MPROF_DIRECTIVE_ALLOCATION_STACK_ID = 19, /**< mprof2: allocations have a stack ID. */
	MPROF_DIRECTIVE_DETAILED_EVENTS = 20,     /**< mprof2: events with more than two varints occur. */
	MPROF_DIRECTIVE_COLLECTION_NUMBERS = 21,  /**< mprof2: events of collections have the number of the
	                                               collection. */
	MPROF_DIRECTIVE_SOURCE_LINES = 22,        /**< mprof2: methods have their source file and line. */
	MPROF_DIRECTIVE_MEMORY_EVENTS = 23,       /**< mprof2: events of native memory occur. */
	MPROF_DIRECTIVE_STACK_SWITCHES = 24,      /**< mprof2: threads switch between call stacks. */
	MPROF_DIRECTIVE_EXCEPTION_STACK_ID = 25,  /**< mprof2: exceptions have a stack ID. */
	MPROF_DIRECTIVE_REFERENCE_OFFSETS = 26,   /**< mprof2: references of heap objects may have offsets. */
	MPROF_DIRECTIVE_EXCEPTION_CLAUSES = 27,   /**< mprof2: events of exception clauses occur. */
	MPROF_DIRECTIVE_METHOD_CODE = 28,         /**< mprof2: events of the code of methods occur. */
	MPROF_DIRECTIVE_MONITOR_HOLDERS = 30,     /**< mprof2: events of the holders of monitors occur. */
	MPROF_DIRECTIVE_TYPED_EVENTS = 31,        /**< mprof2: events of types, and unknown events with a length,
	                                               occur. */
	MPROF_DIRECTIVE_OBJECT_EVENTS = 32,       /**< mprof2: events of objects that are freed or resized occur. */
	MPROF_DIRECTIVE_POSITIONS = 33,           /**< mprof2: frames of call stacks may be positions. */
	MPROF_DIRECTIVE_TYPED_COLUMNS = 34,       /**< mprof2: blocks of columns may have events of types in columns. */
	MPROF_DIRECTIVE_SIZED_METRICS = 38,       /**< mprof2: metrics and their values have a length, and may have
	                                               units by name, times, and buckets. */
	MPROF_DIRECTIVE_PROCESSES = 39            /**< mprof2: each process of the log has its own addresses and
	                                               handles, and heap data state their process. */
} mprof_directive;

/**
 * \brief The bit of a directive below 64 in the first element of mprof_number_set::bits.
 * \since 0.1
 */
#define MPROF_DIRECTIVE_BIT(directive) (UINT64_C(1) << (directive))

/**
 * \brief Bits of mprof_mapping::flags for a method (directive 6).
 * \since 0.1
 */
typedef enum mprof_method_flag {
	MPROF_METHOD_FLAG_WRAPPER = 1, /**< Generated by the runtime, not written by a programmer. */
	MPROF_METHOD_FLAG_RUNTIME = 2  /**< Not a method: something that the runtime does for the method that is its
	                                    caller in call stacks. The name states it, such as "[GC]". */
} mprof_method_flag;

/**
 * \brief Why events were lost (section 3.10).
 * \since 0.1
 */
typedef enum mprof_loss_cause {
	MPROF_LOSS_NO_BUFFER = 1,      /**< No buffer was free and the thread did not wait: because of the overflow
	                                    policy (drop); for an event of a collection, because the reserved buffers
	                                    were full, too; because the writer thread waited for the dynamic loader,
	                                    whose lock the thread held; or because the event happened in a signal
	                                    handler that had interrupted the recorder. Heap snapshots:
	                                    max_heap_bytes was reached. Definitions, markers, values of metrics and
	                                    changes of roots: max_message_bytes was reached. Events of types: their
	                                    arguments were too long for a buffer. */
	MPROF_LOSS_NO_MEMORY = 2,      /**< The allocator refused memory: for a name, a call stack, a heap snapshot,
	                                    the object tracker, or the definition of a type. */
	MPROF_LOSS_WRITE_FAILED = 3,   /**< The log could not be written any more. */
	MPROF_LOSS_NO_SAMPLE_ROOM = 4, /**< The memory for samples (max_sample_bytes) was full: signal handlers never
	                                    wait. */
	MPROF_LOSS_LIMIT = 5           /**< The log has reached its maximum size. */
} mprof_loss_cause;

/**
 * \brief A clock pair: a counter and the wall-clock time, read together (CLOCK in the format).
 *
 * This struct does not change: other structs contain it by value.
 * \since 0.1
 */
typedef struct mprof_clock {
	uint64_t counter; /**< In the counter's own unit. */
	uint64_t time;    /**< Microseconds since 1 January 1970 UTC. */
} mprof_clock;

/**
 * \brief Gets the name of a dialect, such as "mprof2".
 *
 * Thread-safe, async-signal-safe.
 * \param dialect An #mprof_dialect, or any other value.
 * \return Static text; "unknown" for other values.
 * \since 0.1
 */
MPROF_API const char *mprof_dialect_get_name(uint32_t dialect);

/**
 * \brief The capabilities of a dialect: see mprof_dialect_get_info(). Fields are only appended.
 * \since 0.1
 */
typedef struct mprof_dialect_info {
	size_t struct_size;          /**< sizeof (mprof_dialect_info), set by the caller. */
	const char *name;            /**< As mprof_dialect_get_name(). Static text. */
	mprof_number_set directives; /**< The directives that a log may declare. */
	mprof_number_set blocks;     /**< The kinds of blocks that a log may contain. */
	uint32_t version;            /**< The version of the format in INTRO. */
	uint32_t can_write;          /**< 1: writers and recorders accept it; 0: it is read only. */
	uint32_t has_stack_sections; /**< 1: call stacks of events are #MPROF_EVENT_STACK_SECTION events. */
	uint32_t counts_collections; /**< 1: collections and changes of the heap's size are numbered in one sequence. */
} mprof_dialect_info;

/**
 * \brief Gets the capabilities of a dialect.
 *
 * Thread-safe, async-signal-safe.
 * \param dialect An #mprof_dialect; #MPROF_DIALECT_DEFAULT stands for #MPROF_DIALECT_MPROF2. Dialects are numbered
 * from 1 without gaps, so a client can list them.
 * \param info Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if the dialect is unknown, \p info is NULL or its struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_dialect_get_info(uint32_t dialect, mprof_dialect_info *info);

/**
 * \brief Gets the name of a block kind, such as "heap-data".
 *
 * Thread-safe, async-signal-safe.
 * \param kind An #mprof_block_kind, or any other value.
 * \return Static text; "unknown" for other values.
 * \since 0.1
 */
MPROF_API const char *mprof_block_get_name(uint32_t kind);

/**
 * \brief Gets the name of an event kind, such as "method-enter".
 *
 * Thread-safe, async-signal-safe.
 * \param kind An #mprof_event_kind, or any other value.
 * \return Static text; "unknown" for other values.
 * \since 0.1
 */
MPROF_API const char *mprof_event_get_name(uint32_t kind);

/**
 * \brief Gets the meaning of the fields of an event kind, so that a client need not have a case for each kind.
 *
 * Thread-safe, async-signal-safe.
 * \param kind An #mprof_event_kind.
 * \param info Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if the kind is unknown, \p info is NULL or its struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_event_get_info(uint32_t kind, mprof_event_info *info);

/**
 * \brief Gets the name of a cause of loss, such as "no-buffer".
 *
 * Thread-safe, async-signal-safe.
 * \param cause An #mprof_loss_cause, or any other value.
 * \return Static text; "unknown" for other values.
 * \since 0.1
 */
MPROF_API const char *mprof_loss_get_name(uint32_t cause);

/**
 * \brief Limits of varints (section 2.1).
 * \since 0.1
 */
enum {
	MPROF_VARINT_MAX_LENGTH = 10 /**< Maximum length of a varint, in bytes. */
};

/**
 * \name Records of blocks that define IDs or contain values
 * \{
 */

/**
 * \brief The kinds of #mprof_record.
 * \since 0.1
 */
typedef enum mprof_record_kind {
	MPROF_RECORD_STACK = 1,           /**< STACKS: a call stack, as one frame and the stack of its caller. */
	MPROF_RECORD_MODULE = 2,          /**< CODE: a program or library as it was loaded. */
	MPROF_RECORD_FUNCTION = 3,        /**< CODE: a native function. */
	MPROF_RECORD_LOCATION = 4,        /**< CODE: a location in native code. */
	MPROF_RECORD_ROOT = 5,            /**< ROOTS: a memory area that the collector treats as roots. */
	MPROF_RECORD_METRIC = 6,          /**< METRICS: a metric. */
	MPROF_RECORD_METRIC_VALUE = 7,    /**< METRICS: the value of a metric at the clock pair of the block. */
	MPROF_RECORD_SUMMARY = 8,         /**< HEAP_SUMMARY: objects of a class at a collection. */
	MPROF_RECORD_FIELD = 9,           /**< FIELDS: where the objects of a class have a reference. */
	MPROF_RECORD_ARGUMENT = 10,       /**< TYPES: an argument of events. */
	MPROF_RECORD_TYPE = 11,           /**< TYPES: a type of events. */
	MPROF_RECORD_TEXT = 12,           /**< TEXTS: a text. */
	MPROF_RECORD_CLOCK = 13,          /**< CLOCKS: a clock. */
	MPROF_RECORD_TIMELINE = 14,       /**< TIMELINES: a description of a thread. */
	MPROF_RECORD_PROCESS = 15,        /**< PROCESSES: a description of a process. */
	MPROF_RECORD_CLOCK_PAIR = 16,     /**< CLOCK_PAIRS: a value of a clock. */
	MPROF_RECORD_POSITION = 17,       /**< POSITIONS: a line of a method or of native code. */
	MPROF_RECORD_LABEL = 18,          /**< OBJECT_LABELS: the text of an object. */
	MPROF_RECORD_OBJECT_FLAGS = 19,   /**< OBJECT_LABELS: what an object is. */
	MPROF_RECORD_REFERENCE_NAME = 20, /**< REFERENCE_NAMES: the name of a reference. */
	MPROF_RECORD_WEAK_REFERENCE = 21, /**< REFERENCE_NAMES: a reference that keeps nothing alive. */
	MPROF_RECORD_CODE_RANGE = 22,     /**< CODE_RANGES: addresses at which generated code was placed. */
	MPROF_RECORD_CODE_LINE = 23,      /**< CODE_RANGES: the position of an instruction of a range. */
	MPROF_RECORD_CODE_END = 24,       /**< CODE_RANGES: the code of a range was freed or moved. */
	MPROF_RECORD_MEMORY_SEARCH = 25,  /**< REACHABILITY: the memory of a process was searched for pointers. */
	MPROF_RECORD_MEMORY_BLOCK = 26    /**< REACHABILITY: a block of native memory that this search found. */
} mprof_record_kind;

/**
 * \brief STACKS: a call stack, as one frame and the stack of its caller (section 3.13). A native frame with the target
 * 0 and without a caller stands for the outer frames that were not recorded.
 *
 * A frame with a position has nothing else: the target and the two flags are 0, and the position has the method or the
 * location (#MPROF_RECORD_POSITION). mprof_reader_lookup_stack() returns both.
 * \since 0.1
 */
typedef struct mprof_stack_record {
	uint32_t caller;       /**< Stack ID of the caller, 0 if none. */
	uint32_t target;       /**< The method, 0 if not known; the location if native. */
	uint32_t is_native;    /**< 1: the frame is a location of native code. */
	uint32_t is_compiling; /**< 1: the method is being compiled, not executed. */
	uint32_t position;     /**< The position, 0 if the line of the frame is not known. */
	uint32_t reserved;     /**< 0. */
} mprof_stack_record;

/**
 * \brief CODE, STATISTICAL: a program or library as it was loaded (sections 3.14, 3.6).
 * \since 0.1
 */
typedef struct mprof_module_record {
	uint64_t address;     /**< Address of its first byte. */
	uint64_t size;        /**< Bytes; 0 if not known. */
	uint64_t file_offset; /**< STATISTICAL: offset of its first byte in its file, in bytes. */
	const char *file;     /**< Name of the file, NUL-terminated. */
	const char *build_id; /**< Hexadecimal, "" if none. */
	uint32_t is_removed;  /**< STATISTICAL: 1 if the module was unloaded; then only the record's id is set. */
	uint32_t reserved;    /**< 0. */
} mprof_module_record;

/**
 * \brief CODE, STATISTICAL: a native function (sections 3.14, 3.6).
 * \since 0.1
 */
typedef struct mprof_function_record {
	uint32_t module;   /**< The module, 0 if none. */
	uint32_t reserved; /**< 0. */
	uint64_t offset;   /**< Bytes from the start of the module; the address if there is no module. */
	uint64_t size;     /**< Bytes; 0 if not known. */
	const char *name;  /**< Its name, NUL-terminated; "" if only its bounds are known. */
} mprof_function_record;

/**
 * \brief CODE: a location in native code (section 3.14).
 * \since 0.1
 */
typedef struct mprof_location_record {
	uint32_t module;   /**< The module, 0 if none. */
	uint32_t function; /**< The function, 0 if not known. */
	uint64_t offset;   /**< Bytes from the start of the module; the address if there is no module. */
} mprof_location_record;

/**
 * \brief ROOTS: a memory area that the collector treats as roots (section 3.19).
 * \since 0.1
 */
typedef struct mprof_root_record {
	uint32_t kind;     /**< An #mprof_root_kind. */
	uint32_t class_id; /**< The class whose static fields it holds, 0 if none. */
	uint64_t thread;   /**< The thread it belongs to, 0 if none. */
	uint64_t address;  /**< Address of its first byte. */
	uint64_t size;     /**< Bytes; 0 if not known. */
	const char *name;  /**< Its name, NUL-terminated, "" if none. */
} mprof_root_record;

/**
 * \brief METRICS: a metric, a number that the runtime maintains (section 3.15).
 * \since 0.1
 */
typedef struct mprof_metric_record {
	uint32_t flags;      /**< Bits of #mprof_metric_flag. */
	uint32_t reserved;   /**< 0. */
	const char *section; /**< The group that it belongs to, NUL-terminated. */
	const char *name;    /**< Its name, NUL-terminated. */
	uint64_t thread;     /**< With #MPROF_METRIC_FLAG_THREAD: ID of the thread; else 0. */
	const char *unit;    /**< With #MPROF_METRIC_UNIT_NAMED: the unit in the notation of UCUM, NUL-terminated; else
	                          "". */
} mprof_metric_record;

/**
 * \brief METRICS: the value of a metric, or a bucket of a histogram (section 3.15). Without directive 38, counter,
 * lower and count are 0.
 *
 * A bucket states that \p count values were above \p lower and at most \p value, since the buckets of the metric that
 * were recorded before.
 * \since 0.1
 */
typedef struct mprof_metric_value_record {
	uint64_t value;     /**< A signed number, or the bits of a double, depending on the flags of the metric. With
	                         #MPROF_METRIC_FLAG_HISTOGRAM: the upper bound of the bucket. */
	uint32_t is_double; /**< 1: a double. Ignored by writers, which have the definition of the metric. */
	uint32_t reserved;  /**< 0. */
	uint64_t counter;   /**< When it was measured; 0: at the clock pair of the block. */
	uint64_t lower;     /**< Histograms: the lower bound of the bucket, like \p value; else 0. */
	uint64_t count;     /**< Histograms: the number of values in the bucket; else 0. */
} mprof_metric_value_record;

/**
 * \brief HEAP_SUMMARY: objects of a class at a collection (section 3.18).
 * \since 0.1
 */
typedef struct mprof_summary_record {
	uint64_t live_objects; /**< Objects alive. */
	uint64_t live_bytes;   /**< Their bytes. */
	uint64_t dead_objects; /**< Objects found dead. */
	uint64_t dead_bytes;   /**< Their bytes. */
} mprof_summary_record;

/**
 * \brief FIELDS: a field in which objects of a class have a reference, or the elements of an array (section 3.21).
 * \since 0.1
 */
typedef struct mprof_field_record {
	uint32_t offset;   /**< Bytes from the start of the object; of an array: of the field in the first element. */
	uint32_t stride;   /**< Arrays: the size of an element in bytes; else 0. */
	uint32_t class_id; /**< The class that declares the field, 0 if it is that of the object. */
	uint32_t reserved; /**< 0. */
	const char *name;  /**< NUL-terminated: "a"; "a.b" in a struct; "[]", "[].b" in the elements of an array. */
} mprof_field_record;

/**
 * \brief What the events of a type are: mprof_type_record::form (section 3.25). More may be added; a program that does
 * not know a form treats its events as instants.
 * \since 0.1
 */
typedef enum mprof_type_form {
	MPROF_TYPE_INSTANT = 0,     /**< Something happens. */
	MPROF_TYPE_BEGIN = 1,       /**< A span begins, on the call stack of the event. */
	MPROF_TYPE_END = 2,         /**< The innermost open span of the type that it is the pair of ends. */
	MPROF_TYPE_SPAN = 3,        /**< A whole span, recorded at its end, with an argument of #MPROF_ROLE_DURATION. */
	MPROF_TYPE_ASYNC_BEGIN = 4, /**< A span begins that any thread may end, with an argument of #MPROF_ROLE_SPAN. */
	MPROF_TYPE_ASYNC_END = 5,   /**< The span with the same number ends. */
	MPROF_TYPE_SAMPLE = 9       /**< A sample: the type is its kind. Its weight is an argument of
	                                 #MPROF_ROLE_WEIGHT, 1 without one. */
} mprof_type_form;

/**
 * \brief Whether the events of types of a form, an #mprof_type_form, each stand for a span: its start, or all of it.
 * \since 0.1
 */
#define MPROF_TYPE_FORM_IS_SPAN(form)                                                                                  \
	((form) == MPROF_TYPE_BEGIN || (form) == MPROF_TYPE_SPAN || (form) == MPROF_TYPE_ASYNC_BEGIN)

/**
 * \brief What an argument is: mprof_argument_record::kind (section 3.25). More may be added; a program shows an
 * argument of a kind that it does not know by its encoding.
 * \since 0.1
 */
typedef enum mprof_argument_kind {
	MPROF_ARGUMENT_NUMBER = 0,    /**< A number. */
	MPROF_ARGUMENT_BOOLEAN = 1,   /**< 0: false; another number: true. */
	MPROF_ARGUMENT_ADDRESS = 2,   /**< An address. */
	MPROF_ARGUMENT_DURATION = 4,  /**< A duration in counters. */
	MPROF_ARGUMENT_TEXT_ID = 5,   /**< ID of a text (TEXTS), 0 if none. */
	MPROF_ARGUMENT_TEXT = 6,      /**< A text, with the encoding #MPROF_ENCODING_BYTES. */
	MPROF_ARGUMENT_BYTES = 7,     /**< Bytes, with the encoding #MPROF_ENCODING_BYTES. */
	MPROF_ARGUMENT_METHOD = 8,    /**< ID of a method, 0 if none. */
	MPROF_ARGUMENT_CLASS = 9,     /**< ID of a class, 0 if none. */
	MPROF_ARGUMENT_OBJECT = 10,   /**< Address of an object. */
	MPROF_ARGUMENT_STACK = 11,    /**< ID of a call stack (STACKS), 0 if none. */
	MPROF_ARGUMENT_THREAD = 12,   /**< ID of a thread. */
	MPROF_ARGUMENT_LOCATION = 14, /**< ID of a location in native code (CODE), 0 if none. */
	MPROF_ARGUMENT_DOUBLE = 18    /**< The bits of a double, with the encoding #MPROF_ENCODING_FIXED. */
} mprof_argument_kind;

/**
 * \brief What an argument means for its event: mprof_argument_record::role (section 3.25). More may be added; a program
 * treats a role that it does not know as #MPROF_ROLE_NONE.
 * \since 0.1
 */
typedef enum mprof_argument_role {
	MPROF_ROLE_NONE = 0,      /**< One of the values that the event has. */
	MPROF_ROLE_DURATION = 1,  /**< How long the span lasted, which ends at the event's time, in counters. */
	MPROF_ROLE_SPAN = 2,      /**< The number of the span. */
	MPROF_ROLE_PARENT = 3,    /**< The number of the span that it is a part of. */
	MPROF_ROLE_CAUSE = 4,     /**< The number of the span that caused it. */
	MPROF_ROLE_FLOW_OUT = 6,  /**< The number of a flow that starts at, or goes on from, the event. */
	MPROF_ROLE_FLOW_IN = 7,   /**< The number of a flow that leads to the event. */
	MPROF_ROLE_THREAD = 9,    /**< The thread that the event is about, such as that which was sampled, in place of
	                               that of the block. */
	MPROF_ROLE_STACK = 10,    /**< The call stack of the event. */
	MPROF_ROLE_WEIGHT = 11,   /**< What a sample stands for, in the unit of the argument: a number that is not
	                               negative. */
	MPROF_ROLE_CPU = 12,      /**< The processor that the event happened on; #MPROF_CPU_UNKNOWN if not known. */
	MPROF_ROLE_NAME = 13,     /**< The name of the event, in place of that of its type. */
	MPROF_ROLE_SEVERITY = 14, /**< The severity of a message, from 1 (trace) to 6 (fatal). */
	MPROF_ROLE_MESSAGE = 15,  /**< The text of a message. */
	MPROF_ROLE_STATUS = 17,   /**< How the event or the span ended: 0 or empty if it succeeded. */
	MPROF_ROLE_MODE = 23      /**< What the processor executed, an #mprof_sample_mode. */
} mprof_argument_role;

/**
 * \brief What the processor executed when a sample was taken: an argument of #MPROF_ROLE_MODE (section 3.25). More may
 * be added; a program shows the number of a mode that it does not know.
 * \since 0.1
 */
typedef enum mprof_sample_mode {
	MPROF_MODE_UNKNOWN = 0, /**< Not known. */
	MPROF_MODE_USER = 1,    /**< The program. */
	MPROF_MODE_KERNEL = 2   /**< The system on its behalf. */
} mprof_sample_mode;

/**
 * \brief The value of an argument of #MPROF_ROLE_CPU for a processor that is not known (section 3.25).
 * \since 0.1
 */
#define MPROF_CPU_UNKNOWN UINT32_MAX

/**
 * \brief How an argument is stored: mprof_argument_record::encoding (section 3.25).
 * \since 0.1
 */
typedef enum mprof_argument_encoding {
	MPROF_ENCODING_UNSIGNED = 0, /**< A varint. */
	MPROF_ENCODING_SIGNED = 1,   /**< A zigzag varint of a signed number. */
	MPROF_ENCODING_FIXED = 2,    /**< 8 bytes, the least significant one first. */
	MPROF_ENCODING_BYTES = 3     /**< A varint, the length, and as many bytes. */
} mprof_argument_encoding;

/**
 * \brief Units of arguments: mprof_argument_record::unit.
 * \since 0.1
 */
typedef enum mprof_argument_unit {
	MPROF_ARGUMENT_UNIT_NONE = 0,        /**< None, or not known. */
	MPROF_ARGUMENT_UNIT_BYTES = 1,       /**< Bytes. */
	MPROF_ARGUMENT_UNIT_NANOSECONDS = 2, /**< Nanoseconds. */
	MPROF_ARGUMENT_UNIT_COUNT = 3,       /**< A number of things. */
	MPROF_ARGUMENT_UNIT_RATIO = 4,       /**< A part of 1. */
	MPROF_ARGUMENT_UNIT_NAMED = 15       /**< The one that mprof_argument_record::unit_name names. */
} mprof_argument_unit;

/**
 * \brief Limits of APPLICATION blocks (section 3.27).
 * \since 0.1
 */
enum {
	MPROF_APPLICATION_MAX_SIZE = 1 << 20 /**< Maximum size of the data, in bytes. */
};

/**
 * \brief Flags of an APPLICATION block: mprof_application_block::flags (section 3.27). More may be added; a program
 * ignores those that it does not know.
 * \since 0.1
 */
typedef enum mprof_application_flag {
	MPROF_APPLICATION_FLAG_DEFINITION = 1,    /**< Later blocks need it: a ring buffer keeps it. */
	MPROF_APPLICATION_FLAG_SELF_CONTAINED = 2 /**< It refers to no ID, counter or offset of the log, so that a copy
	                                               of the log can contain it. */
} mprof_application_flag;

/**
 * \brief Limits of events of types (section 4.9).
 * \since 0.1
 */
enum {
	MPROF_ARGUMENTS_MAX_SIZE = 65535, /**< Maximum length of the arguments of an event, in bytes. */
	MPROF_TYPE_MAX_ARGUMENTS = 255    /**< Maximum number of arguments of a type. */
};

/**
 * \brief TYPES: an argument of events (section 3.25).
 * \since 0.1
 */
typedef struct mprof_argument_record {
	uint32_t kind;         /**< An #mprof_argument_kind. */
	uint32_t encoding;     /**< An #mprof_argument_encoding. */
	uint32_t role;         /**< An #mprof_argument_role. */
	uint32_t unit;         /**< An #mprof_argument_unit. */
	const char *name;      /**< Its name, NUL-terminated. */
	const char *unit_name; /**< The unit, such as "J" (UCUM), NUL-terminated; "" unless unit is
	                            #MPROF_ARGUMENT_UNIT_NAMED. */
} mprof_argument_record;

/**
 * \brief TYPES: a type of events (section 3.25).
 * \since 0.1
 */
typedef struct mprof_type_record {
	uint32_t form;           /**< An #mprof_type_form. */
	uint32_t pair;           /**< #MPROF_TYPE_END: the type of the span that it ends, 0 for any; else 0. */
	uint32_t category;       /**< ID of a text that names a group of types, 0 if none. */
	uint32_t first_argument; /**< ID of the first argument, or 0; the others have the IDs after it. */
	uint32_t argument_count; /**< Number of arguments, at most #MPROF_TYPE_MAX_ARGUMENTS. */
	uint32_t reserved;       /**< 0. */
	const char *name;        /**< Its name, NUL-terminated. */
	uint64_t period;         /**< #MPROF_TYPE_SAMPLE: what a sample stands for on average, in the unit of the
	                              weight; 0 if not known. */
	const char *source;      /**< #MPROF_TYPE_SAMPLE: the clock or the event that chooses the samples, such as
	                              "processor" or "real", NUL-terminated; "" if not known. */
} mprof_type_record;

/**
 * \brief TEXTS: a text (section 3.26).
 * \since 0.1
 */
typedef struct mprof_text_record {
	const char *text; /**< NUL-terminated. */
} mprof_text_record;

/**
 * \brief What a clock counts: mprof_clock_record::kind (section 3.28). More may be added; a program treats a kind that
 * it does not know as #MPROF_CLOCK_OTHER.
 * \since 0.1
 */
typedef enum mprof_clock_kind {
	MPROF_CLOCK_OTHER = 0,     /**< Anything else, or not known. */
	MPROF_CLOCK_MACHINE = 1,   /**< Ticks of the machine's own counter. */
	MPROF_CLOCK_MONOTONIC = 2, /**< Time that never goes back and stands while the system is suspended. */
	MPROF_CLOCK_BOOT = 3,      /**< Time since the system started, suspended or not. */
	MPROF_CLOCK_WALL = 4,      /**< Time since 1 January 1970 UTC, which may be set. */
	MPROF_CLOCK_DEVICE = 5,    /**< The clock of a device, such as a graphics processor. */
	MPROF_CLOCK_PROCESSOR = 6  /**< Time in which a processor ran a program. */
} mprof_clock_kind;

/**
 * \brief CLOCKS: a clock (section 3.28). The clock with the ID #MPROF_CLOCK_LOG is the counter of the log.
 * \since 0.1
 */
typedef struct mprof_clock_record {
	uint64_t numerator;   /**< Ticks per second are numerator / denominator; 0 if not known. */
	uint64_t denominator; /**< 0 if the ticks per second are not known. */
	uint32_t kind;        /**< An #mprof_clock_kind. */
	uint32_t reserved;    /**< 0. */
	const char *name;     /**< Its name, NUL-terminated. */
} mprof_clock_record;

/**
 * \brief IDs of clocks (section 3.28).
 * \since 0.1
 */
enum {
	MPROF_CLOCK_LOG = 1 /**< The counter of the log, in which all times of the log are. */
};

/**
 * \brief CLOCK_PAIRS: a value of a clock, read together with the counter of the log (section 3.31). The ID of the
 * record is that of the clock.
 * \since 0.1
 */
typedef struct mprof_clock_pair_record {
	uint64_t value;       /**< The clock. */
	uint64_t counter;     /**< The counter of the log. */
	uint64_t uncertainty; /**< The counter may be greater or smaller by this. */
} mprof_clock_pair_record;

/**
 * \brief What the events of a thread are a sequence of: mprof_timeline_record::kind (section 3.29). More may be added;
 * a program treats a kind that it does not know as #MPROF_TIMELINE_THREAD.
 * \since 0.1
 */
typedef enum mprof_timeline_kind {
	MPROF_TIMELINE_THREAD = 0,    /**< What a thread does. */
	MPROF_TIMELINE_COROUTINE = 1, /**< What runs in a lane of coroutines. */
	MPROF_TIMELINE_QUEUE = 2,     /**< What a queue of a device executes. */
	MPROF_TIMELINE_PROCESSOR = 3, /**< What runs on a processor. */
	MPROF_TIMELINE_PROCESS = 4,   /**< What concerns a whole process. */
	MPROF_TIMELINE_ASYNC = 5,     /**< Work that no thread does by itself. */
	MPROF_TIMELINE_NETWORK = 6,   /**< Traffic of a network. */
	MPROF_TIMELINE_DISK = 7,      /**< Traffic of a disk. */
	MPROF_TIMELINE_REMOTE = 8     /**< What another computer does. */
} mprof_timeline_kind;

/**
 * \brief Bits of mprof_timeline_record::flags (section 3.29).
 * \since 0.1
 */
typedef enum mprof_timeline_flag {
	MPROF_TIMELINE_FLAG_ENDED = 1 /**< No event of it follows. */
} mprof_timeline_flag;

/**
 * \brief TIMELINES: a description of a thread (section 3.29), which replaces an earlier one of the same thread.
 * \since 0.1
 */
typedef struct mprof_timeline_record {
	uint64_t thread;        /**< The thread, as in mprof_events_block::thread. */
	uint64_t process;       /**< The process, mprof_process_record::number; 0 if not known. */
	uint64_t system_thread; /**< The number that the operating system gives the thread; 0 if none. */
	uint64_t parent;        /**< The thread that this one is a part of; 0 if none. */
	uint32_t kind;          /**< An #mprof_timeline_kind. */
	uint32_t clock;         /**< ID of the clock that its times were read from; 0 for that of the log. */
	uint32_t flags;         /**< Bits of #mprof_timeline_flag. */
	uint32_t rank;          /**< Programs show timelines with the same parent in ascending order of it. */
	const char *name;       /**< Its name, NUL-terminated; "" for that of the thread. */
} mprof_timeline_record;

/**
 * \brief PROCESSES: a description of a process (section 3.30), which replaces an earlier one of the same number.
 * \since 0.1
 */
typedef struct mprof_process_record {
	uint64_t number;     /**< The number that the log gives the process; not 0. */
	uint64_t system_id;  /**< The number that the operating system gives it, which it may use again; 0 if none. */
	uint64_t parent;     /**< The number of the process that started it; 0 if not known. */
	uint64_t start;      /**< Counter at which it started; 0 if not known. */
	uint64_t end;        /**< Counter at which it ended; 0 if it runs or that is not known. */
	const char *name;    /**< Its name, NUL-terminated. */
	const char *command; /**< Its command line, NUL-terminated. */
} mprof_process_record;

/**
 * \brief POSITIONS: a line of a method or of native code, where frames of call stacks are (section 3.32).
 * \since 0.1
 */
typedef struct mprof_position_record {
	uint32_t target;     /**< The method, 0 if not known; the location if native. */
	uint32_t is_native;  /**< 1: the position is in native code. */
	uint32_t is_inlined; /**< 1: the frame has no code of its own; that of its caller contains it. */
	uint32_t line;       /**< Line of the source, from 1; 0 if not known. */
	uint32_t offset;     /**< Offset of the instruction in the code of the method; 0 if not known. */
	uint32_t file;       /**< ID of a text (TEXTS) that names the source file, 0 for that of the method. */
} mprof_position_record;

/**
 * \brief OBJECT_LABELS: the text of an object of a heap snapshot (section 3.34).
 * \since 0.1
 */
typedef struct mprof_label_record {
	uint64_t object;  /**< Address of the object. */
	const char *text; /**< NUL-terminated; "" if mprof_record::id is that of the text. */
} mprof_label_record;

/**
 * \brief What an object of a heap snapshot is: the ID of a record of the kind #MPROF_RECORD_OBJECT_FLAGS
 * (section 3.34). Other bits are passed on and ignored.
 * \since 0.1
 */
typedef enum mprof_object_flag {
	MPROF_OBJECT_FLAG_SYNTHETIC = 1 /**< It is no memory of the program, such as a group of roots: what it refers
	                                     to is kept alive by roots. */
} mprof_object_flag;

/**
 * \brief OBJECT_LABELS: what an object of a heap snapshot is (section 3.34).
 * \since 0.1
 */
typedef struct mprof_object_flags_record {
	uint64_t object; /**< Address of the object. */
} mprof_object_flags_record;

/**
 * \brief REFERENCE_NAMES: the name of a reference (section 3.35).
 * \since 0.1
 */
typedef struct mprof_reference_name_record {
	uint64_t object;   /**< Address of the object that has the reference. */
	uint32_t index;    /**< Which of its references, from 0, in the order of the log. */
	uint32_t reserved; /**< 0. */
} mprof_reference_name_record;

/**
 * \brief REFERENCE_NAMES: a weak reference, which keeps nothing alive (section 3.35).
 * \since 0.1
 */
typedef struct mprof_weak_reference_record {
	uint64_t object; /**< Address of the object that has the reference. */
	uint64_t target; /**< Address of the object that it refers to. */
} mprof_weak_reference_record;

/**
 * \brief What the code of a range is (section 3.36). Readers treat other values as #MPROF_CODE_RANGE_OTHER.
 * \since 0.1
 */
typedef enum mprof_code_range_kind {
	MPROF_CODE_RANGE_OTHER = 0,       /**< None of the following. */
	MPROF_CODE_RANGE_METHOD = 1,      /**< A method that was compiled while the program ran. */
	MPROF_CODE_RANGE_STUB = 2,        /**< A stub or a trampoline of the runtime. */
	MPROF_CODE_RANGE_INTERPRETER = 3, /**< A part of an interpreter that was generated. */
	MPROF_CODE_RANGE_KERNEL = 4,      /**< A symbol of the kernel. */
	MPROF_CODE_RANGE_BPF = 5          /**< A BPF program. */
} mprof_code_range_kind;

/**
 * \brief CODE_RANGES: addresses at which generated code was placed (section 3.36). From its start on the range holds
 * these addresses, and earlier ranges do not any more.
 * \since 0.1
 */
typedef struct mprof_code_range_record {
	uint64_t address;  /**< Address of the first byte. */
	uint64_t size;     /**< Size in bytes; it ends with the address space if it would exceed it. */
	uint64_t start;    /**< Counter from which on the code was there. */
	const char *name;  /**< NUL-terminated; its name unless it has a method. */
	uint32_t kind;     /**< An #mprof_code_range_kind. */
	uint32_t method;   /**< ID of the method, 0 if none. */
	uint32_t module;   /**< ID of the module that contains the addresses, 0 if none. */
	uint32_t reserved; /**< 0. */
	uint64_t process;  /**< With directive 39, the number of the process that has the addresses; else 0. */
} mprof_code_range_record;

/**
 * \brief CODE_RANGES: the position of the instructions from an offset on, up to the next offset that has one (section
 * 3.36).
 * \since 0.1
 */
typedef struct mprof_code_line_record {
	uint64_t offset;   /**< Offset in the range, in bytes. */
	uint32_t position; /**< ID of a position (POSITIONS). Of several for one offset, the first one is the innermost
	                        frame. */
	uint32_t reserved; /**< 0. */
} mprof_code_line_record;

/**
 * \brief CODE_RANGES: the code of a range was freed or moved (section 3.36).
 * \since 0.1
 */
typedef struct mprof_code_end_record {
	uint64_t counter; /**< When. */
	uint64_t address; /**< Its address from then on, 0 if it was freed. */
} mprof_code_end_record;

/**
 * \brief REACHABILITY: the memory of a process was searched for pointers to its blocks of native memory (section 3.37).
 * The ID is 1: at the end of the process. Readers ignore records with another one.
 * \since 0.1
 */
typedef struct mprof_memory_search_record {
	uint64_t process;     /**< The process (PROCESSES), 0 if the log has one only. */
	uint64_t blocks;      /**< Blocks that existed. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t root_bytes;  /**< Bytes that were searched outside of the blocks: static data, stacks, mappings. */
	uint64_t duration_ns; /**< How long the search took, in nanoseconds. */
} mprof_memory_search_record;

/**
 * \brief How a program can reach a block of native memory: the ID of a record of the kind #MPROF_RECORD_MEMORY_BLOCK
 * (section 3.37). Readers treat other values as not known.
 * \since 0.1
 */
typedef enum mprof_reachability {
	MPROF_REACHABILITY_UNREACHABLE = 1, /**< No pointer leads to it. */
	MPROF_REACHABILITY_INDIRECT = 2,    /**< Only pointers in blocks that are unreachable themselves lead to it. */
	MPROF_REACHABILITY_INTERIOR = 3     /**< It is reachable, but on each path at least one pointer is to the inside
	                                         of a block and not to its start. */
} mprof_reachability;

/**
 * \brief REACHABILITY: a block of native memory, whose reachability (#mprof_reachability) is the ID of the record
 * (section 3.37).
 * \since 0.1
 */
typedef struct mprof_memory_block_record {
	uint64_t process; /**< As mprof_memory_search_record::process. */
	uint64_t address; /**< Address of the block. */
} mprof_memory_block_record;

/**
 * \brief The value of an argument: see mprof_argument_decode(). This struct does not change.
 * \since 0.1
 */
typedef struct mprof_argument_value {
	uint64_t number;      /**< The number: of #MPROF_ENCODING_SIGNED in two's complement, of #MPROF_ENCODING_FIXED
	                           the 8 bytes; 0 with #MPROF_ENCODING_BYTES. */
	const uint8_t *bytes; /**< #MPROF_ENCODING_BYTES: the bytes, which are borrowed from the event; else NULL. */
	size_t length;        /**< Their number. */
} mprof_argument_value;

/**
 * \brief Decodes the next argument of an event (section 4.9).
 *
 * The definitions of an event's type state how its arguments are stored. Arguments at the end may be missing: their
 * values are 0 and empty. Arguments after those of the definition are of a later version of the program.
 *
 * Thread-safe, async-signal-safe.
 * \param detail The detail of the event; NULL if it has none.
 * \param encoding An #mprof_argument_encoding.
 * \param position 0 for the first argument; it is advanced past the argument.
 * \param value Receives the value; 0 and empty unless the result is 1.
 * \return 1; 0 if there are no more arguments; -1 if the bytes do not contain such an argument, or \p encoding is not
 * known, or \p position or \p value is NULL: the arguments from here on cannot be read.
 * \since 0.1
 */
MPROF_API int mprof_argument_decode(const mprof_event_detail *detail, uint32_t encoding, size_t *position,
				    mprof_argument_value *value);

/**
 * \brief Encodes an argument of an event (section 4.9). The arguments of an event are encoded one after the other.
 *
 * Thread-safe, async-signal-safe.
 * \param value The value.
 * \param encoding An #mprof_argument_encoding.
 * \param out Receives the bytes; may be NULL if \p size is 0.
 * \param size Size of \p out in bytes.
 * \return Length of the argument in bytes. Nothing is written if it is greater than \p size. 0 if \p encoding is not
 * known, \p value is NULL, or the argument is longer than #MPROF_ARGUMENTS_MAX_SIZE.
 * \since 0.1
 */
MPROF_API size_t mprof_argument_encode(const mprof_argument_value *value, uint32_t encoding, uint8_t *out, size_t size);

/**
 * \brief An entry of a block that consists of records (sections 3.13 to 3.37), or a module or function of a STATISTICAL
 * block: the fields of all kinds, and a struct for each kind.
 *
 * A parser or a reader sets the struct of the kind, and all other bytes to 0. Its pointers are never NULL, and are
 * borrowed as described at the function that returns the record. A writer reads only the struct of the kind; NULL
 * stands for "".
 *
 * Records are passed in arrays together with the size of one, so that this struct may grow at its end.
 * \since 0.1
 */
typedef struct mprof_record {
	uint32_t kind; /**< An #mprof_record_kind. */
	uint32_t id;   /**< The ID that is defined; METRIC_VALUE: the metric; CLOCK_PAIR: the clock; SUMMARY, FIELD:
	                    the class; LABEL, REFERENCE_NAME, WEAK_REFERENCE: a text, 0 if none; OBJECT_FLAGS: bits of
	                    #mprof_object_flag; CODE_LINE, CODE_END: the range; MEMORY_BLOCK: an
	                    #mprof_reachability. Each kind has its own sequence of IDs. */
	union {
		mprof_stack_record stack;                   /**< #MPROF_RECORD_STACK. */
		mprof_module_record module;                 /**< #MPROF_RECORD_MODULE. */
		mprof_function_record function;             /**< #MPROF_RECORD_FUNCTION. */
		mprof_location_record location;             /**< #MPROF_RECORD_LOCATION. */
		mprof_root_record root;                     /**< #MPROF_RECORD_ROOT. */
		mprof_metric_record metric;                 /**< #MPROF_RECORD_METRIC. */
		mprof_metric_value_record metric_value;     /**< #MPROF_RECORD_METRIC_VALUE. */
		mprof_summary_record summary;               /**< #MPROF_RECORD_SUMMARY. */
		mprof_field_record field;                   /**< #MPROF_RECORD_FIELD. */
		mprof_argument_record argument;             /**< #MPROF_RECORD_ARGUMENT. */
		mprof_type_record type;                     /**< #MPROF_RECORD_TYPE. */
		mprof_text_record text;                     /**< #MPROF_RECORD_TEXT. */
		mprof_clock_record clock;                   /**< #MPROF_RECORD_CLOCK. */
		mprof_timeline_record timeline;             /**< #MPROF_RECORD_TIMELINE. */
		mprof_process_record process;               /**< #MPROF_RECORD_PROCESS. */
		mprof_clock_pair_record clock_pair;         /**< #MPROF_RECORD_CLOCK_PAIR. */
		mprof_position_record position;             /**< #MPROF_RECORD_POSITION. */
		mprof_label_record label;                   /**< #MPROF_RECORD_LABEL. */
		mprof_object_flags_record object_flags;     /**< #MPROF_RECORD_OBJECT_FLAGS. */
		mprof_reference_name_record reference_name; /**< #MPROF_RECORD_REFERENCE_NAME. */
		mprof_weak_reference_record weak_reference; /**< #MPROF_RECORD_WEAK_REFERENCE. */
		mprof_code_range_record code_range;         /**< #MPROF_RECORD_CODE_RANGE. */
		mprof_code_line_record code_line;           /**< #MPROF_RECORD_CODE_LINE. */
		mprof_code_end_record code_end;             /**< #MPROF_RECORD_CODE_END. */
		mprof_memory_search_record memory_search;   /**< #MPROF_RECORD_MEMORY_SEARCH. */
		mprof_memory_block_record memory_block;     /**< #MPROF_RECORD_MEMORY_BLOCK. */
		uint64_t reserved[12];                      /**< Room for later kinds. */
	} as;                                               /**< By kind. */
} mprof_record;
/** \} */

MPROF_END_DECLS

#endif
