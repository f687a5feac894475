/* SPDX-License-Identifier: MIT */
/**
 * \file export/walk_state.h
 * \brief The state of a walk over the events of a log, and what receives the events.
 */
#ifndef EXPORT_WALK_STATE_H
#define EXPORT_WALK_STATE_H

#include "export/targets.h"
#include "shared/key_map.h"

/** A lane of a call stack. */
typedef struct walk_lane {
	uint64_t number;     /**< From 1, distinct for all lanes. */
	uint64_t call_stack; /**< The number of the call stack; 0 if it is the own one of a thread. */
	uint32_t index;      /**< Of the lanes of the call stack. */
} walk_lane;

/** A span, or an event without a duration. Texts are borrowed during the call. Times are those of #walk_thread. */
typedef struct walk_span {
	const char *name;
	const char *category; /**< "" if none. */
	uint32_t type;
	uint64_t start;
	uint64_t end;
	const walk_lane *lane;    /**< NULL if any thread may end it: then it overlaps others. */
	uint64_t number;          /**< Of such a span. */
	int is_unfinished;        /**< How it ended is not known, or it ended because one outside it did. */
	int is_open;              /**< It had not ended at the end of the log. */
	const mprof_event *first; /**< The event with its arguments. */
	const mprof_event *last;  /**< The event at its end; NULL if there is no other one. */
} walk_span;

/** A sample of a kind that the log describes. */
typedef struct walk_kind_sample {
	uint64_t thread;  /**< 0 if not known. */
	uint64_t time;    /**< In nanoseconds from the start of the log. */
	uint64_t weight;  /**< In the unit of the kind. */
	uint64_t mode;    /**< An #mprof_sample_mode. */
	uint32_t type;    /**< Of the kind. */
	uint32_t stack;   /**< 0 if it has none. */
	uint32_t cpu;     /**< #MPROF_CPU_UNKNOWN if not known. */
	int has_weight;   /**< The weight is known. */
	uint64_t counter; /**< When it was taken, as in the log. */
} walk_kind_sample;

/** The spans of a call stack. All bytes 0: none. */
typedef struct walk_spans {
	struct open_walk_span *open;
	size_t open_count;
	size_t open_capacity;
	uint64_t deeper; /**< Spans above the maximum depth that are open. */
	struct span_lane *lanes;
	size_t lane_count;
	size_t lane_capacity;
} walk_spans;

/** Spans of no call stack. */
typedef struct span_walk {
	key_map begun;       /**< By number: spans that have begun. */
	key_map over;        /**< By number: ends whose start was not read yet. */
	uint64_t lane_count; /**< Lanes so far. */
	uint64_t unmatched;  /**< Ends of spans without a start. */
	uint64_t crowded;    /**< Spans inside too many others, or that overlap more than there are lanes. */
	uint64_t undefined;  /**< Events whose type is not defined. */
	key_map numbers;     /**< Spans that are the parent or the cause of others: see span_walk_note(). */
	struct span_link *links;
	size_t link_count;
	size_t link_capacity;
	uint64_t unresolved; /**< Parents and causes that the log does not have, or whose number it used again. */
} span_walk;

typedef struct walk_frame {
	uint32_t method;
	uint32_t is_resumed; /**< A part of a call that was interrupted, or that began before the time window. */
	uint64_t start;      /**< When the part that is shown began. */
} walk_frame;

typedef struct walk_thread walk_thread;

/** A call stack: that of a thread, or one that threads switch to. */
typedef struct walk_stack {
	uint64_t number; /**< 0: a thread's own. */
	walk_frame *frames;
	size_t count;
	size_t capacity;
	size_t passed;           /**< Number of outermost frames that the sink has received. */
	uint64_t folded;         /**< Calls above the frames. */
	uint64_t switch_counter; /**< Counter when a thread switched to another stack. */
	walk_thread *thread;     /**< Not of a thread's own stack: the thread that is on it; NULL if none. */
	walk_spans spans;
} walk_stack;

/** A thread. Times are nanoseconds from the start of the log. */
struct walk_thread {
	uint64_t id;
	uint64_t row_number; /**< From 1, distinct for all rows. */
	void *row;           /**< What walk_sink::begin_row returned. */
	uint64_t time;       /**< Of the latest event, inside the time window. */
	uint64_t counter;    /**< Of the latest event. */
	int has_counter;
	int has_ended;   /**< Its own end was the last event about its life. */
	int is_reported; /**< Another thread recorded its end, at the counter in reported_end. */
	uint64_t reported_end;
	int is_shown; /**< The time is inside the window. */
	int is_over;  /**< The window has ended. */
	walk_stack base_stack;
	walk_stack *stack; /**< The one that the thread is on. */
	walk_thread *next; /**< In the order of their first events. */
};

/** Receives the events, those of a thread in the order of their times. Functions that are NULL are not called. */
typedef struct walk_sink {
	size_t max_open; /**< Calls above this number of open ones are left out; 0 for no limit. */
	int has_links;   /**< Parents and causes of spans are read before the events: see span_walk_find_link(). */
	/**
	 * A thread has its first event, or its clock went back, because of damage or since the system used its ID
	 * again; then it begins another row. Returns NULL if out of memory.
	 */
	void *(*begin_row)(void *user, const walk_thread *thread);
	/** A call begins or, with \p is_resumed, a part of it; and the end of the innermost one. */
	void (*enter)(void *user, const walk_thread *thread, uint32_t method, uint64_t time, int is_resumed);
	void (*leave)(void *user, const walk_thread *thread, uint32_t method, uint64_t time);
	/** Any other event. */
	void (*event)(void *user, const walk_thread *thread, const mprof_event *event);
	/** A span that the program describes begins or ends. Those that are recorded at their end do both then. */
	void (*begin_span)(void *user, const walk_thread *thread, const walk_span *span);
	void (*end_span)(void *user, const walk_thread *thread, const walk_span *span);
	/** Another event that the program describes. */
	void (*described)(void *user, const walk_thread *thread, const walk_span *event);
	/**
	 * An event of native memory, in no order of time. It is passed on whatever its time and its thread are, since
	 * what exists at a time depends on all before.
	 */
	void (*memory)(void *user, uint64_t thread, const mprof_event *event);
	/** A sample; \p thread is 0 if the log does not contain it. */
	void (*sample)(void *user, uint64_t thread, const mprof_event *event, uint64_t time);
	/** A sample of a kind, in no order of time. */
	void (*kind_sample)(void *user, const walk_kind_sample *sample);
	/** Events were lost; \p thread is NULL if they belong to none that is known. */
	void (*lost)(void *user, const walk_thread *thread, uint64_t count, uint64_t time);
	/** A metric has a value. */
	void (*metric)(void *user, const mprof_record *record, uint64_t time);
	/** A bucket of a histogram, which is counted as left out if this is NULL; at the time when it was recorded. */
	void (*bucket)(void *user, const mprof_record *record, uint64_t time);
	/** A clock was read together with the counter of the log. */
	void (*clock_pair)(void *user, const mprof_record *record);
} walk_sink;

typedef struct event_walk {
	const export_job *job;
	const walk_sink *sink;
	void *user;
	log_input input;
	uint64_t origin;              /**< Counter at the start of the log. */
	double nanoseconds_per_count; /**< Of the counter. */
	uint64_t window_start;        /**< Counters. */
	uint64_t window_end;
	int is_bounded;
	key_map threads; /**< Each #walk_thread by ID, like the stacks by number. */
	key_map stacks;
	walk_thread *first_thread;
	walk_thread **last_thread;
	uint64_t row_count;
	uint64_t time; /**< The latest time of all threads. */
	uint64_t end;  /**< The latest counter of the log. */
	uint64_t gap;  /**< The latest counter at which recording was stopped. */
	int has_gap;
	span_walk spans;
	uint32_t kind;         /**< The kind of which samples are passed on; 0: samples of no kind, and of all. */
	uint64_t unordered;    /**< Left out: events of types, but not samples, that are in no order of time. */
	uint64_t searched;     /**< Frames that failed searches visited. */
	uint64_t short_calls;  /**< Left out because of --min-duration. */
	uint64_t buckets;      /**< Of histograms, which are not passed on. */
	uint64_t folded_calls; /**< Left out because they are above the maximum depth. */
	uint64_t deep_calls;   /**< Left out because of walk_sink::max_open. */
	int has_failed;        /**< Out of memory. */
} event_walk;

/** Calls on deeper stacks are left out, as in the profile. */
#define WALK_MAX_DEPTH 65536

/** A counter inside the time window. */
static inline uint64_t walk_clamp(const event_walk *walk, uint64_t counter)
{
	if (!walk->is_bounded)
		return counter;
	return counter < walk->window_start ? walk->window_start
	       : counter > walk->window_end ? walk->window_end
					    : counter;
}

/** Whether a counter is inside the time window. */
static inline int walk_has_counter(const event_walk *walk, uint64_t counter)
{
	return !walk->is_bounded || (counter >= walk->window_start && counter < walk->window_end);
}

/** Converts a counter to nanoseconds from the start of the log; times before the start are 0. */
static inline uint64_t walk_time(const event_walk *walk, uint64_t counter)
{
	uint64_t since = counter - walk->origin;

	if ((int64_t)since <= 0)
		return 0;
	/* A double has 53 bits: without a conversion the counters stay exact. */
	return walk->nanoseconds_per_count == 1 ? since : (uint64_t)((double)since * walk->nanoseconds_per_count + 0.5);
}

#endif
