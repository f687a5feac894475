/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/format_records.h
 * \brief The records of blocks that define IDs or contain values. Included by mprof/format.h. Section numbers refer to
 * doc/format.md.
 */
#ifndef MPROF_FORMAT_RECORDS_H
#define MPROF_FORMAT_RECORDS_H

#include <mprof/api.h>

MPROF_BEGIN_DECLS

/**
 * \brief The kinds of #mprof_record.
 * \since 0.1
 */
typedef enum mprof_record_kind {
	MPROF_RECORD_STACK = 1,        /**< STACKS: a call stack, as one frame and the stack of its caller. */
	MPROF_RECORD_MODULE = 2,       /**< CODE: a program or library as it was loaded. */
	MPROF_RECORD_FUNCTION = 3,     /**< CODE: a native function. */
	MPROF_RECORD_LOCATION = 4,     /**< CODE: a location in native code. */
	MPROF_RECORD_ROOT = 5,         /**< ROOTS: a memory area that the collector treats as roots. */
	MPROF_RECORD_METRIC = 6,       /**< METRICS: a metric. */
	MPROF_RECORD_METRIC_VALUE = 7, /**< METRICS: the value of a metric at the clock pair of the block. */
	MPROF_RECORD_SUMMARY = 8,      /**< HEAP_SUMMARY: objects of a class at a collection. */
	MPROF_RECORD_FIELD = 9         /**< FIELDS: where the objects of a class have a reference. */
} mprof_record_kind;

/**
 * \brief STACKS: a call stack, as one frame and the stack of its caller (section 3.13). A native frame with the target
 * 0 and without a caller stands for the outer frames that were not recorded.
 * \since 0.1
 */
typedef struct mprof_stack_record {
	uint32_t caller;       /**< Stack ID of the caller, 0 if none. */
	uint32_t target;       /**< The method, 0 if not known; the location if native. */
	uint32_t is_native;    /**< 1: the frame is a location of native code. */
	uint32_t is_compiling; /**< 1: the method is being compiled, not executed. */
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
} mprof_metric_record;

/**
 * \brief METRICS: the value of a metric at the clock pair of the block (section 3.15).
 * \since 0.1
 */
typedef struct mprof_metric_value_record {
	uint64_t value;     /**< A signed number, or the bits of a double, depending on the flags of the metric. */
	uint32_t is_double; /**< 1: a double. Ignored by writers, which have the definition of the metric. */
	uint32_t reserved;  /**< 0. */
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
 * \brief An entry of a STACKS, CODE, ROOTS, METRICS, FIELDS or HEAP_SUMMARY block (sections 3.13 to 3.21), or a module
 * or function of a STATISTICAL block: the fields of all kinds, and a struct for each kind.
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
	uint32_t id;   /**< The ID that is defined; METRIC_VALUE: the metric; SUMMARY, FIELD: the class. Each kind has
	                    its own sequence of IDs. */
	union {
		mprof_stack_record stack;               /**< #MPROF_RECORD_STACK. */
		mprof_module_record module;             /**< #MPROF_RECORD_MODULE. */
		mprof_function_record function;         /**< #MPROF_RECORD_FUNCTION. */
		mprof_location_record location;         /**< #MPROF_RECORD_LOCATION. */
		mprof_root_record root;                 /**< #MPROF_RECORD_ROOT. */
		mprof_metric_record metric;             /**< #MPROF_RECORD_METRIC. */
		mprof_metric_value_record metric_value; /**< #MPROF_RECORD_METRIC_VALUE. */
		mprof_summary_record summary;           /**< #MPROF_RECORD_SUMMARY. */
		mprof_field_record field;               /**< #MPROF_RECORD_FIELD. */
		uint64_t reserved[12];                  /**< Room for later kinds. */
	} as;                                           /**< By kind. */
} mprof_record;

MPROF_END_DECLS

#endif
