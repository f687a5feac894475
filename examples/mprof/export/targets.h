/* SPDX-License-Identifier: MIT */
/**
 * \file export/targets.h
 * \brief The formats that mprof export writes: what a format consists of, and the table of all.
 *
 * An export is a file with one declaration of an export_target below, and a line of the table in targets.c.
 */
#ifndef EXPORT_TARGETS_H
#define EXPORT_TARGETS_H

#include "export/export_file.h"
#include "export/tables.h"
#include "export/value.h"

/** What a format consists of. */
typedef enum export_kind {
	EXPORT_AGGREGATED, /**< Call stacks with sums; see write_report. */
	EXPORT_EVENTS,     /**< Events with their times. */
	EXPORT_OBJECTS,    /**< The objects of a heap snapshot. */
	EXPORT_TABLES      /**< Tables, also of several logs. */
} export_kind;

/** Options that only some formats have. Bits. */
enum {
	EXPORT_HAS_FRAME_FILTERS = 1, /**< --focus, --ignore, --hide, --collapse. */
	EXPORT_HAS_WINDOW = 2,        /**< --time, --last, --thread. */
	EXPORT_HAS_TOP = 4,           /**< --top: the greatest rows only. */
	EXPORT_HAS_MIN_DURATION = 8,  /**< --min-duration: no shorter calls. */
	EXPORT_HAS_AT = 16,           /**< --at: which heap snapshot. */
	EXPORT_HAS_MANY_FILES = 32,   /**< More than one FILE. */
	EXPORT_HAS_ORIGIN = 64,       /**< --host, --build. */
	EXPORT_HAS_TABLE = 128,       /**< --table: only one table. */
	EXPORT_HAS_BY_THREAD = 256,   /**< --by-thread: threads are distinguished also in a large log. */
	EXPORT_HAS_EVENTS = 512,      /**< --events: single calls instead of sums. */
	EXPORT_HAS_MAX_DEPTH = 1024,  /**< --max-depth: call stacks with fewer frames. */
	EXPORT_HAS_CLASS = 2048,      /**< --class: only objects of these classes. */
	EXPORT_HAS_LINES = 8192,      /**< --by-line: frames in different lines are different frames. */
	EXPORT_HAS_ALL_VALUES = 4096  /**< Without --value, all values of the log are written. */
};

/**
 * Frames of a call stack that are written if no other number is given. A format without a table of callers writes all
 * frames of each call stack, so that a small log of deep recursion would become a file of gigabytes.
 */
#define EXPORT_USUAL_DEPTH 512

/** The bit of a value in export_target::values. */
#define EXPORT_VALUE_BIT(value) (UINT32_C(1) << (value))

typedef struct export_target export_target;

/** What the command line asks for. */
typedef struct export_job {
	const export_target *target;
	char *const *paths; /**< The logs. */
	size_t path_count;
	const char *log;          /**< The log of write_report; it can be opened again, also if it is standard input. */
	export_value value;       /**< #EXPORT_VALUE_DEFAULT if not given. */
	int has_value;            /**< It was given. */
	uint32_t sample_kind;     /**< Of #EXPORT_KIND: the type of the kind; 0: that of the options. */
	report_options options;   /**< The filters and --top. */
	int by_line;              /**< Frames in different lines are different frames. */
	int by_thread;            /**< The log may be read once more for each thread, however large it is. */
	uint64_t heap_shot;       /**< Which heap snapshot, from 1; 0 for the last. */
	uint32_t max_depth;       /**< See stack_tree::max_depth; 0 for no limit. */
	int has_max_depth;        /**< It was given; otherwise it is #EXPORT_USUAL_DEPTH, or less for a large file. */
	int is_forced;            /**< By --force, in place of --max-depth. */
	int wants_events;         /**< Single calls are requested. */
	uint64_t min_duration_ns; /**< Calls that are shorter are left out; 0 for none. */
	const char *host;         /**< Where the logs are from, if they do not state it; NULL if not given. */
	const char *build;        /**< The version of the program, like host. */
	table_id table;           /**< The only table that is exported; #TABLES for all. */
	unsigned int mode;        /**< The permissions of new files: see whole_file_open(). */
	int is_directory;         /**< The output is a directory with a file for each table. */
} export_job;

/** A format. Exactly one of write_report and write_logs is not NULL. */
struct export_target {
	const char *name;
	const char *extension;       /**< Replaces ".mprof" in the name of the log. */
	const char *table_extension; /**< Of the file of a table, if tables have files of their own; else NULL. */
	const char *description;     /**< For the list of formats. */
	const char *lacks;           /**< What the format cannot represent, as a sentence fragment; NULL if nothing. */
	export_kind kind;
	int has_spans;           /**< It has the spans and other events that the program describes. */
	uint32_t options;        /**< Bits: the options that the format has. */
	uint32_t values;         /**< EXPORT_VALUE_BIT() of those of which the format holds one; 0 if none is chosen. */
	unsigned int file_flags; /**< Bits of EXPORT_FILE_TEXT and so on. */
	uint64_t viewer_limit;   /**< Size in bytes above which its viewers fail or are slow; 0 if unknown. */
	const char *smaller;     /**< How to make a smaller file; NULL if viewer_limit is 0. */
	uint64_t stack_limit;    /**< Uncompressed size of call stacks above which viewers fail or are slow. */

	/**
	 * Writes a log that was read with the filters of the job. Returns #STATUS_OK, #STATUS_DAMAGED after a message
	 * if something is missing, or #STATUS_NOTHING after a message if the file is to be discarded.
	 */
	int (*write_report)(const export_job *job, const log_report *report, export_file *file);

	/** Reads and writes the logs of the job. Returns an exit status like write_report. */
	int (*write_logs)(const export_job *job, export_file *file);
};

/** The formats, each in a file of its own. */
extern const export_target export_callgrind;
extern const export_target export_chrome;
extern const export_target export_csv;
extern const export_target export_clickhouse;
extern const export_target export_dot;
extern const export_target export_firefox;
extern const export_target export_folded;
extern const export_target export_heapsnapshot;
extern const export_target export_hprof;
extern const export_target export_otlp;
extern const export_target export_otlp_metrics;
extern const export_target export_otlp_traces;
extern const export_target export_parquet;
extern const export_target export_perfetto;
extern const export_target export_pprof;
extern const export_target export_speedscope;
extern const export_target export_sqlite;

/** Finds a format. Returns NULL after a message with the most similar name if no kind has it. */
const export_target *targets_find(const char *name);

/** Prints the list of formats to standard output. */
void targets_print_list(void);

#endif
