/* SPDX-License-Identifier: MIT */
/**
 * \file options.h
 * \brief What the user asks of the module: "mprof:calls,alloc,output=FILE".
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What is recorded, one bit each. Loaded and unloaded assemblies, modules and domains always are. */
typedef enum record_kind {
	RECORD_CALLS = 1 << 0,
	RECORD_ALLOCATIONS = 1 << 1,
	RECORD_JIT = 1 << 2,
	RECORD_COLLECTIONS = 1 << 3,
	RECORD_EXCEPTIONS = 1 << 4,
	RECORD_THREADS = 1 << 5,
	RECORD_CLASSES = 1 << 6,
	RECORD_ALL = (1 << 7) - 1, /**< All so far: what is recorded if nothing is asked for. */
	RECORD_SAMPLES = 1 << 7,
	RECORD_HEAP = 1 << 8, /**< Heap shots. */
	RECORD_HANDLES = 1 << 9,
	RECORD_MONITORS = 1 << 10,
	RECORD_FINALIZERS = 1 << 11,
	RECORD_METRICS = 1 << 12,  /**< The runtime's counters. */
	RECORD_FREED = 1 << 13,    /**< Objects found dead by full collections. */
	RECORD_MOVES = 1 << 14,    /**< Objects that the collector moves. */
	RECORD_SUMMARIES = 1 << 15 /**< Sums of the heap by class at every full collection. */
} record_kind;

/** When heap shots are taken besides those asked for while the program runs. */
typedef enum heap_occasion {
	HEAP_ON_DEMAND,  /**< Never. */
	HEAP_EVERY,      /**< At every so many full collections. */
	HEAP_AT_INTERVAL /**< At the first full collection after so many milliseconds. */
} heap_occasion;

/** What a signal does. */
typedef enum signal_action { SIGNAL_TOGGLE, SIGNAL_FLUSH, SIGNAL_HEAPSHOT } signal_action;

/** Most signals with an action. */
#define MAX_SIGNAL_ACTIONS 4

struct filters;

typedef struct module_options {
	uint32_t kinds;       /**< Bits of #record_kind. */
	char *output;         /**< Pattern of the log's path, or NULL. */
	uint32_t dialect;     /**< An mprof_dialect, 0 for the default. */
	uint32_t gzip_level;  /**< 0 if not compressed. */
	uint32_t max_buffers; /**< 0 for the recorder's default; so are the next two. */
	uint32_t buffer_events;
	uint32_t drain_interval_ms;
	int drop;                /**< Lose events rather than wait. */
	int no_wrappers;         /**< Leave out calls of what the runtime makes itself. */
	int all_wrappers;        /**< Record even calls that are there only because allocations are profiled. */
	struct filters *filters; /**< Methods whose calls are left out, see filters.h; NULL for none. */
	uint32_t call_depth;     /**< Calls deeper than that are left out, see call_depth.h; 0 for no limit. */

	uint32_t sample_hz;    /**< Samples of each thread in a second. */
	int sample_real;       /**< In time that passes, not in processor time. */
	uint32_t sample_depth; /**< Most frames of a sample, at least 1. */

	int heap_when;              /**< A #heap_occasion. */
	uint32_t heap_collections;  /**< Of HEAP_EVERY, at least 1. */
	uint32_t heap_milliseconds; /**< Of HEAP_AT_INTERVAL, at least 1. */
	int heap_summary;           /**< 1 with RECORD_SUMMARIES. */
	uint64_t heap_bytes;        /**< Most memory for heap shots that are not written yet; 0 for the recorder's
	                                 default. */
	int64_t heap_shots;         /**< Of HEAP_EVERY: how many are taken at first; -1 for no limit. */

	int allocation_stacks;   /**< Allocations have call chains... */
	uint32_t stack_depth;    /**< ...of at most so many frames, at least 1; so have handles and monitors. */
	int allocation_callers;  /**< Allocations have the method that allocates. */
	int allocation_objects;  /**< Allocations have the object's address. */
	const char *handle_type; /**< Of RECORD_HANDLES: "normal", "pinned", "weak", "weak-track", or NULL for all. */
	char *handle_class;      /**< Of RECORD_HANDLES: pattern for the class of the object, or NULL for all. */
	uint32_t metrics_milliseconds;

	int start_disabled;
	uint64_t max_bytes; /**< Where the log ends; 0 for nowhere. */
	uint64_t
		ring_bytes; /**< Keep the last bytes in memory, and write them when told to and at the end; 0 for no. */

	int no_control;     /**< Listen to no socket of the system's. */
	char *control_path; /**< Where to listen, or NULL for the usual place. */
	uint32_t port;      /**< Port of the loopback to listen on, 0 for none. */
	struct {
		int number;
		signal_action action;
	} signals[MAX_SIGNAL_ACTIONS];
	unsigned signal_count;

	int jit_dump; /**< Tell perf the code of methods, by a file jit-PID.dump beside the log. */
	int perf_map; /**< Tell perf the names of methods, by /tmp/perf-PID.map. */
	int oprofile; /**< Tell oprofile the code of methods. */
	int quiet;
	int quiet_start; /**< No line at the start. */
	int help;
} module_options;

/** Room for what options_parse() has to say. */
#define OPTIONS_MESSAGE_SIZE 256

/** Room for all that options_describe_kinds() can say. */
#define OPTIONS_KINDS_SIZE 256

/**
 * Takes the text that the runtime passes, module name included. Returns 1, or 0 with one line of text in \p message and
 * the options to be released all the same.
 */
int options_parse(const char *text, module_options *options, char message[OPTIONS_MESSAGE_SIZE]);

/**
 * The same for a module loaded as "logging", whose options are those of the profiler of that name in Mono 2. What it
 * does not understand it says on stderr and leaves out, as that one did; so it fails only without memory.
 */
int options_parse_classic(const char *text, module_options *options, char message[OPTIONS_MESSAGE_SIZE]);

/** Whether the log is one of a format before mprof2, which cannot say all that is recorded. */
int options_are_classic(const module_options *options);

void options_release(module_options *options);

/** Prints all options, a line each. */
void options_print_help(FILE *out);

/** Puts the names of what is recorded into \p text, such as "calls, allocations". */
void options_describe_kinds(uint32_t kinds, char *text, size_t size);

#endif
