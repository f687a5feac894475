/* SPDX-License-Identifier: MIT */
/**
 * \file options.h
 * \brief The options of the module, such as "mprof:calls,alloc,output=FILE".
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/**
 * The kinds of data recorded, one bit each. Loading and unloading of assemblies, modules and domains is always
 * recorded.
 */
typedef enum record_kind {
	RECORD_CALLS = 1 << 0,
	RECORD_ALLOCATIONS = 1 << 1,
	RECORD_JIT = 1 << 2,
	RECORD_COLLECTIONS = 1 << 3,
	RECORD_EXCEPTIONS = 1 << 4,
	RECORD_THREADS = 1 << 5,
	RECORD_CLASSES = 1 << 6,
	RECORD_ALL = (1 << 7) - 1, /**< All kinds above. */
	RECORD_SAMPLES = 1 << 7,
	RECORD_HEAP = 1 << 8, /**< Heap snapshots. */
	RECORD_HANDLES = 1 << 9,
	RECORD_MONITORS = 1 << 10,
	RECORD_FINALIZERS = 1 << 11,
	RECORD_METRICS = 1 << 12,   /**< The runtime's counters. */
	RECORD_FREED = 1 << 13,     /**< Objects that full collections find dead. */
	RECORD_MOVES = 1 << 14,     /**< Objects that collections move. */
	RECORD_SUMMARIES = 1 << 15, /**< Heap summaries by class at every full collection. */
	/** Kinds recorded by default: those that hardly slow the program down. Calls are not among them. */
	RECORD_DEFAULT = RECORD_SAMPLES | RECORD_ALLOCATIONS | RECORD_JIT | RECORD_COLLECTIONS | RECORD_EXCEPTIONS |
			 RECORD_THREADS
} record_kind;

/** When heap snapshots are taken, in addition to those requested while the program runs. */
typedef enum heap_occasion {
	HEAP_ON_DEMAND,  /**< Only on request. */
	HEAP_EVERY,      /**< At every Nth full collection. */
	HEAP_AT_INTERVAL /**< At the first full collection after an interval in milliseconds. */
} heap_occasion;

/** The action of a signal. */
typedef enum signal_action { SIGNAL_TOGGLE, SIGNAL_FLUSH, SIGNAL_HEAPSHOT } signal_action;

/** Maximum number of signals with an action. */
#define MAX_SIGNAL_ACTIONS 4

struct filters;

typedef struct module_options {
	uint32_t kinds;       /**< Bits of #record_kind. */
	char *output;         /**< Pattern of the log's path, or NULL. */
	char *salvage;        /**< Path of the salvage file, "no", or NULL for the default. */
	uint32_t dialect;     /**< An mprof_dialect, 0 for the default. */
	uint32_t gzip_level;  /**< 0 for no compression. */
	uint32_t codec;       /**< An mprof_codec_number, 0 for no compression of blocks. */
	uint32_t codec_level; /**< 0 for that of the codec. */
	uint32_t max_buffers; /**< 0 for the recorder's default, as for the next two fields. */
	uint32_t buffer_events;
	uint32_t drain_interval_ms;
	uint32_t resolution_ns;  /**< Longest unit of times in the log, 0 for that of the recorder. */
	uint32_t drain_threads;  /**< 0 for none. */
	int drop;                /**< Lose events rather than wait. */
	int no_wrappers;         /**< Leave out calls of methods that the runtime generates. */
	int all_wrappers;        /**< Record even calls of methods that exist only because allocations are profiled. */
	struct filters *filters; /**< Methods whose calls are left out, see filters.h; NULL for none. */
	int async;               /**< Record logical call stacks of async methods. */
	uint32_t call_depth;     /**< Calls nested deeper are left out, see call_depth.h; 0 for no limit. */

	uint32_t sample_hz;    /**< Samples of each thread per second. */
	int sample_source;     /**< The best #sample_source to use. */
	int sample_real;       /**< Sample by real time, not by processor time. */
	uint32_t sample_depth; /**< Maximum frames of a sample, at least 1. */

	int heap_when;              /**< A #heap_occasion. */
	uint32_t heap_collections;  /**< N of HEAP_EVERY, at least 1. */
	uint32_t heap_milliseconds; /**< Interval of HEAP_AT_INTERVAL, at least 1. */
	int heap_summary;           /**< 1 with RECORD_SUMMARIES. */
	uint64_t heap_bytes;        /**< Maximum memory for unwritten heap snapshots; 0 for the recorder's default. */
	int no_heap_fields;         /**< References of heap snapshots have no offsets, and classes no fields. */
	int64_t heap_snapshots;     /**< With HEAP_EVERY: initial value of heap_snapshots_left; -1 for no limit. */

	int allocation_stacks; /**< Allocations have call stacks. */
	uint32_t stack_depth;  /**< Maximum frames of the stacks of allocations, handles, monitors and exceptions. */
	uint64_t allocation_interval; /**< With allocation_stacks: bytes from one allocation with a call stack to the
	                                   next, on average; 0: all have one. */
	int allocation_callers;       /**< Allocations have the method that allocates. */
	int allocation_objects;       /**< Allocations have the object's address. */
	int exception_stacks;         /**< Exceptions have call stacks. */
	int exception_clauses;        /**< The clauses that run because of exceptions are recorded. */
	const char *handle_type; /**< With RECORD_HANDLES: "normal", "pinned", "weak", "weak-track", or NULL for all. */
	char *handle_class;      /**< With RECORD_HANDLES: pattern for the class of the object, or NULL for all. */
	uint32_t metrics_milliseconds;

	int start_disabled;
	uint64_t max_bytes;  /**< Maximum size of the log; 0 for no limit. */
	uint64_t ring_bytes; /**< Size of the ring buffer, which is written on request and at the end; 0 for none. */

	int no_control;     /**< Open no Unix socket. */
	char *control_path; /**< Path of the Unix socket, or NULL for the default. */
	uint32_t port;      /**< Port of the loopback to listen on, 0 for none. */
	struct {
		int number;
		signal_action action;
	} signals[MAX_SIGNAL_ACTIONS];
	unsigned signal_count;

	int jit_dump; /**< Write the code of methods for perf to jit-PID.dump in the directory of the log. */
	int perf_map; /**< Write the names of methods for perf to /tmp/perf-PID.map. */
	int oprofile; /**< Report the code of methods to oprofile. */
	int quiet;
	int quiet_start; /**< Print no line at the start. */
	int help;
} module_options;

/** Size of the message buffer of a parser of options, in bytes. */
#define OPTIONS_MESSAGE_SIZE 256

/** Sets all options to their defaults. */
void options_init(module_options *options);

/** Whether the log has a format older than mprof2, which cannot represent everything that is recorded. */
int options_are_classic(const module_options *options);

/** Whether the recording can be changed while the program runs. */
int options_allow_changes(const module_options *options);

void options_release(module_options *options);

#endif
