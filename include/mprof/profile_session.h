/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_session.h
 * \brief Results of a profile: monitors, collections, threads, code units, metrics, markers and properties. Included by
 * mprof/profile.h.
 */
#ifndef MPROF_PROFILE_SESSION_H
#define MPROF_PROFILE_SESSION_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief Waits for the monitors of a class.
 * \since 0.1
 */
typedef struct mprof_monitor_stats {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t reserved;     /**< 0. */
	uint64_t contentions;  /**< Number of times that a thread found one taken. */
	uint64_t acquired;     /**< Number of times that a thread acquired one after waiting. */
	uint64_t failures;     /**< Number of times that a thread gave up. */
	uint64_t contended_ns; /**< Time from finding a monitor taken to acquiring it or giving up. */
	uint64_t unfinished;   /**< Waits whose end is not in the log: contended_ns contains their time until the end of
	                            the log, of the window or of the thread. */
} mprof_monitor_stats;

/**
 * \brief Waits for the monitors of a class, or for one of them, at one call site.
 * \since 0.1
 */
typedef struct mprof_monitor_site {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t stack;        /**< Stack ID, 0 if not known. */
	uint64_t contentions;  /**< Number of times that a thread found one taken. */
	uint64_t contended_ns; /**< Time from finding a monitor taken to acquiring it or giving up. */
	uint64_t failures;     /**< Number of times that a thread gave up. */
	uint64_t object;       /**< Address of the object, 0 if not known or not requested. */
	uint32_t call;         /**< Node of the call tree if stack is 0; 0 if not known or not requested. */
	uint32_t reserved;     /**< 0. */
	uint64_t unfinished;   /**< As mprof_monitor_stats::unfinished. */
} mprof_monitor_site;

/**
 * \brief Waits for the monitors of a class while a thread held them.
 *
 * A wait counts for the thread that held the monitor when the wait began, even if other threads held it later on. Waits
 * whose holder is not known are not included. Section 4.4 of doc/format.md.
 * \since 0.1
 */
typedef struct mprof_monitor_holder {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t reserved;     /**< 0. */
	uint64_t thread;       /**< ID of the thread that held the monitors. */
	uint64_t contentions;  /**< Number of times that other threads found one taken by it. */
	uint64_t contended_ns; /**< Time of these waits until the monitor was acquired or the waiting thread gave up. */
	uint64_t unfinished;   /**< As mprof_monitor_stats::unfinished. */
} mprof_monitor_holder;

/**
 * \brief A metric: a number that the runtime maintains. Values are those of mprof_metric_value_record::value; flags
 * specify how to interpret them.
 * \since 0.1
 */
typedef struct mprof_metric_stats {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t id;         /**< Metric ID. */
	uint32_t flags;      /**< Bits of #mprof_metric_flag. */
	const char *section; /**< The group that it belongs to. Borrowed until the profile is changed or destroyed. */
	const char *name;    /**< Its name. Borrowed until the profile is changed or destroyed. */
	uint64_t count;      /**< Number of values in the log; if it is 0, the fields below are 0. */
	uint64_t first;      /**< The first value. */
	uint64_t last;       /**< The last value. */
	uint64_t minimum;    /**< The smallest value. */
	uint64_t maximum;    /**< The largest value. */
	int64_t last_ns;     /**< When the last value was recorded, from the start of the session. */
	uint64_t thread;     /**< With #MPROF_METRIC_FLAG_THREAD: ID of the thread; else 0. */
} mprof_metric_stats;

/**
 * \brief A marker: a text with a time, put into the log by the user.
 * \since 0.1
 */
typedef struct mprof_mark {
	size_t struct_size; /**< sizeof, set by the caller. */
	int64_t time_ns;    /**< When it was recorded, from the start of the session. */
	uint64_t thread;    /**< The thread, 0 if none. */
	const char *text;   /**< The text. Borrowed until the profile is changed or destroyed. */
} mprof_mark;

/**
 * \brief A garbage collection. Times are nanoseconds; start times count from the start of the session.
 * \since 0.1
 */
typedef struct mprof_collection {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t number;      /**< Its number in the log, where numbers may be missing; if is_counted is 1, its
	                           position, counted from 1. */
	uint32_t generation;  /**< 0 is the youngest. */
	uint32_t unfinished;  /**< 1: its end is not in the log. */
	int64_t start_ns;     /**< When it began. */
	uint64_t duration_ns; /**< Its whole duration. */
	uint64_t mark_ns;     /**< Time of marking, 0 if not in the log. */
	uint64_t sweep_ns;    /**< Time of sweeping, 0 if not in the log. */
	uint64_t pause_ns;    /**< Time that the world was stopped for the collection, 0 if not in the log. Less than
	                           duration_ns if it was concurrent. */
	uint32_t is_counted;  /**< 1: the log has no number for it. */
	uint32_t reserved;    /**< 0. */
} mprof_collection;

/**
 * \brief A change of the heap's size.
 * \since 0.1
 */
typedef struct mprof_heap_resize {
	size_t struct_size; /**< sizeof, set by the caller. */
	int64_t time_ns;    /**< When it happened, from the start of the session. */
	uint64_t bytes;     /**< The new size, in bytes. */
	uint64_t number;    /**< Its number in the log, in one sequence with collections; 0 if it has none. */
} mprof_heap_resize;

/**
 * \brief A thread.
 * \since 0.1
 */
typedef struct mprof_thread_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t id;        /**< Thread ID in the log. */
	const char *name;   /**< Latest name, NULL if none. Borrowed until the profile is changed or destroyed. */
	uint64_t events;    /**< Events in its blocks. */
	uint64_t self_ns;   /**< Exclusive time of methods in it. */
	uint64_t lost;      /**< Lost events. */
	uint64_t samples;   /**< Samples taken in it. */
	uint64_t wall_ns;   /**< Time that it existed while it was recorded. wall_ns, cpu_ns and ready_ns are 0 if the
	                         log does not contain the times of threads. */
	uint64_t cpu_ns;    /**< Part of wall_ns in which it ran on a processor. */
	uint64_t ready_ns;  /**< Part of wall_ns in which it was ready to run while the system ran other threads; also 0
	                         if the system did not measure it. The remaining part of wall_ns is the time in which it
	                         was blocked. */
	uint64_t voluntary_switches;   /**< How often it stopped running because it blocked or yielded, while it was
	                                    recorded. Both numbers of switches are 0 if the log does not contain
	                                    them. */
	uint64_t involuntary_switches; /**< How often the system stopped it to run another thread. */
} mprof_thread_stats;

/**
 * \brief A code unit: an assembly, a module or an AppDomain.
 * \since 0.1
 */
typedef struct mprof_element_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t kind;        /**< Bits of #mprof_element_kind. */
	uint32_t id;          /**< Code unit ID, 0 if none. */
	const char *name;     /**< Its name. Borrowed until the profile is changed or destroyed. */
	const char *assembly; /**< Base name of an assembly if the log has it, else NULL. Borrowed until the profile is
	                           changed or destroyed. */
	int64_t loaded_ns;    /**< When it was loaded, from the start of the session. */
	uint64_t load_ns;     /**< Time spent loading it. */
	int64_t unloaded_ns;  /**< When it was unloaded, from the start of the session; 0 if it was not. */
} mprof_element_stats;

/**
 * \brief A property of the session. Texts are borrowed until the profile is changed or destroyed.
 * \since 0.1
 */
typedef struct mprof_profile_property {
	size_t struct_size; /**< sizeof, set by the caller. */
	const char *key;    /**< The key. */
	const char *value;  /**< The value. */
} mprof_profile_property;

MPROF_END_DECLS

#endif
