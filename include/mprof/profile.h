/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile.h
 * \brief What a log means: time by method and call path, samples, allocations by class and by stack, heap shots,
 * handles, monitors, finalizers, collections, exceptions, threads.
 *
 * A profile is built from a reader in one pass and can be asked at any time after, also while a log is followed. One
 * profile belongs to one thread at a time; once nothing is added any more, several threads may ask it.
 *
 * Rules of counting: inclusive time counts a method once per outermost call, whatever it calls itself; self time is
 * inclusive time less that of the methods called. A frame that is never left is closed when its thread's last event is
 * known. A leave that matches a frame further down closes the frames above it; one that matches none is counted in
 * mprof_profile_totals::unmatched_leaves and ignored. Where recording was stopped for a while the frames that were open
 * end when it stopped, and the time until it was resumed is nobody's. Allocations count the bytes the log says. A
 * sample counts a method once, however often it stands in the call chain.
 *
 * A window of time and a choice of threads (mprof_profile_options) act on every table and on both trees. What is
 * counted, such as calls, allocations and samples, counts if it happened inside; of what lasts, such as calls, waits
 * and compilations, the time inside counts. So figures of windows that follow each other add up to those of the whole
 * log, but for figures of how things stand at the end: frames that were never left, handles that are alive. A
 * collection belongs to the window in which it began, with all its time; mprof_profile_totals::gc_ns is the time
 * inside. What belongs to no thread, such as heap shots and metrics, counts whatever threads are chosen; samples of
 * which the log does not have the thread do not. Losses, elements and facts are always those of the whole log.
 *
 * Paths of calls, chains of samples and places take three quarters of mprof_profile_options::max_memory at most. What
 * would need more is folded: a call is counted in its method as ever, and its time in the call tree is that of the node
 * that it was called from, the root if that has none; a sample counts in all that it hit, and in the tree at the root;
 * allocations, waits and handles count everywhere but in the tables of places; call stacks that allocate native memory
 * share one site, and its blocks are counted and not followed (mprof_memory_stats). If the rest does not suffice for
 * methods, classes, threads and the like, what needs more is left out. mprof_profile_totals has how much was folded and
 * left out.
 *
 * To show a log while it grows: add what blocks there are, call mprof_profile_finish(), and ask. It takes time for the
 * methods and nodes that changed since the last call, whatever there is besides; only collections are put in order anew
 * if there are new events of theirs. Figures of methods, of samples and of the nodes of both trees are those of the last
 * call of it, all others those of the blocks added; methods and nodes that were added since show 0. A node keeps its
 * number, its parent and what it stands for, whatever is added. For native memory see mprof_memory_stats.
 *
 * Call chains and what they consist of are told by the reader: mprof_reader_lookup_stack(),
 * mprof_reader_format_location().
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases. A program
 * that accepts that defines MPROF_UNSTABLE before it includes the header.
 */
#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#ifndef MPROF_UNSTABLE
#error "mprof/profile.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/reader.h>

MPROF_BEGIN_DECLS

/** \brief A profile. One thread at a time while blocks are added; any number may ask it after. \since 0.1 */
typedef struct mprof_profile mprof_profile;

/** \brief Options of a profile. All zero but struct_size means the defaults. \since 0.1 */
typedef struct mprof_profile_options {
	size_t struct_size;               /**< Set by mprof_profile_options_init(). */
	const mprof_allocator *allocator; /**< NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Most memory for results, in bytes; 0 means 4 GiB. See above. */
	uint32_t without_call_tree;       /**< 1: do not keep call paths, only totals by method. */
	uint32_t max_stack_depth;         /**< Frames kept for one thread; deeper ones are counted as one. 0 means
	                                       65536. */
	uint32_t with_compilations;       /**< 1: compilations are nodes of the call tree. What they take is not self
	                                       time of the method that caused them then, and what runs while they go on
	                                       is below them. */
	uint32_t with_call_sites;         /**< 1: allocations and waits of which no call chain is known have the node of
	                                       the call tree as their place. */
	uint32_t with_monitor_objects;    /**< 1: waits for different objects are different sites. */
	uint32_t raw_counters;            /**< 1: what is called nanoseconds, here and below, is counters of the log. */
	uint64_t window_start;   /**< The first counter that counts: what happened earlier is left out, and a call that
	                              was entered earlier counts its time from here on. 0: from the start. */
	uint64_t window_end;     /**< The first counter that does not count any more; 0: up to the end. */
	const uint64_t *threads; /**< Threads that count; NULL: all. Copied. */
	size_t thread_count;     /**< How many. */
} mprof_profile_options;

/**
 * \brief Sets all options to their defaults.
 * \param options What to set; NULL does nothing.
 * \param struct_size sizeof (mprof_profile_options) as the caller was compiled; less than a size_t does nothing.
 *
 * Thread-safe.
 * \since 0.1
 */
MPROF_API void mprof_profile_options_init(mprof_profile_options *options, size_t struct_size);

/**
 * \brief Makes an empty profile. \param options Options, or NULL. Not kept. \param profile Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT, also for with_compilations or with_call_sites without a call tree;
 * a window that ends before it starts, or threads that are NULL although there is a number of them; #MPROF_ERR_MEMORY,
 * also if max_memory is too small for an empty one.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_create(const mprof_profile_options *options,
							    mprof_profile **profile);

/** \brief Frees a profile. \param profile The profile, or NULL. \since 0.1 */
MPROF_API void mprof_profile_destroy(mprof_profile *profile);

/**
 * \brief Adds the loaded block of a reader, fetching what it holds.
 * \param profile The profile. \param reader Where the block is loaded. \param block The block.
 * \return #MPROF_OK, also where max_memory is reached; an error of mprof_reader_next_events(), with all before it added;
 * #MPROF_ERR_MEMORY, which every later call returns again.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_add_block(mprof_profile *profile, mprof_reader *reader,
							       const mprof_block *block);

/**
 * \brief Adds all blocks up to the end, going on behind blocks that are damaged, and finishes the profile.
 * \param profile The profile. \param reader The reader. \param damage Called for each error met; may be NULL.
 * \param user Passed to \p damage.
 * \return #MPROF_OK if the log is complete; #MPROF_ERR_TRUNCATED if END is missing; #MPROF_AGAIN if the reader follows
 * and has read all that is there; #MPROF_ERR_INTERRUPTED where the reader was (the profile so far is finished, and the
 * same call again goes on); #MPROF_ERR_MEMORY whatever was met before; otherwise the first error met. What is valid has
 * been added in all cases but #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_read(mprof_profile *profile, mprof_reader *reader,
							  mprof_damage_function damage, void *user);

/**
 * \brief Counts the frames still open up to their thread's last event, and converts counters to nanoseconds with the
 * clocks the reader has seen.
 *
 * mprof_profile_read() does it by itself. More blocks may be added after: the frames stay open.
 * \param profile The profile. \param reader The reader the blocks came from.
 * \return #MPROF_OK; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_finish(mprof_profile *profile, mprof_reader *reader);

/** \brief Sums over the log. Times are nanoseconds. \since 0.1 */
typedef struct mprof_profile_totals {
	size_t struct_size;             /**< sizeof, set by the caller. */
	uint64_t wall_ns;               /**< From INTRO to the last CLOCK. */
	uint64_t method_ns;             /**< Self times of all methods, all threads. */
	uint64_t calls;                 /**< Methods entered. */
	uint64_t unmatched_leaves;      /**< Leaves without a frame. */
	uint64_t unclosed_frames;       /**< Frames that were never left. */
	uint64_t allocations;           /**< Objects allocated. */
	uint64_t allocated_bytes;       /**< Their bytes. */
	uint64_t jit_methods;           /**< Methods compiled. */
	uint64_t jit_ns;                /**< Time compiling, nested compilations once. */
	uint64_t jit_failures;          /**< Compilations that failed. */
	uint64_t exceptions;            /**< Exceptions thrown. */
	uint64_t collections;           /**< Collections begun. */
	uint64_t gc_ns;                 /**< Time under collections; those that run beside the program count whole. */
	uint64_t samples;               /**< Statistical hits. */
	uint64_t lost_events;           /**< From LOST blocks. */
	uint64_t events;                /**< Events read. */
	uint64_t event_counts[256];     /**< By kind. */
	uint64_t block_counts[256];     /**< Blocks read, by kind. */
	uint64_t interrupted_frames;    /**< Frames that were open when recording was stopped for a while. */
	uint64_t freed_objects;         /**< Objects that collections found dead, where the log names each. */
	uint64_t freed_bytes;           /**< Their bytes. */
	uint64_t moved_objects;         /**< Objects that collections moved. */
	uint64_t handles_alive;         /**< Handles that were created and not deleted. */
	uint64_t contentions;           /**< Times that a thread found a monitor taken. */
	uint64_t contended_ns;          /**< How long threads waited for monitors, until they got them or gave up. */
	uint64_t finalizers;            /**< Objects finalized. */
	uint64_t finalizer_ns;          /**< Time in their finalizers. */
	uint64_t finalizations;         /**< Runs of the finalizer thread. */
	uint64_t finalization_ns;       /**< Time of these runs. */
	uint64_t lost_by_cause[256];    /**< lost_events, by #mprof_loss_cause; at 0 those of unknown causes. */
	uint64_t oversized_allocations; /**< Allocation events of more than 2^40 bytes, which no object has: they count
	                                     as events and nowhere else. */
	uint32_t limited;               /**< 1: max_memory was reached: some of the following are not 0, methods are
	                                   missing from the table, or mprof_memory_stats::untracked is not 0. */
	uint32_t reserved;              /**< 0. */
	uint64_t folded_calls;          /**< Calls whose paths are not in the call tree. */
	uint64_t folded_samples;        /**< Samples whose chains are not in the tree of samples: those of its root. */
	uint64_t folded_sites; /**< Allocations, native ones too, waits and handles whose places are not in the tables
	                            of places. */
	uint64_t left_out;     /**< Events, records and blocks that all figures lack. */
} mprof_profile_totals;

/**
 * \brief Tells the sums. \param profile The profile. \param totals Receives what fits its struct_size.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_totals(const mprof_profile *profile, mprof_profile_totals *totals);

/** \brief Figures of a method. \since 0.1 */
typedef struct mprof_method_stats {
	size_t struct_size;     /**< sizeof, set by the caller. */
	uint32_t id;            /**< The method. */
	uint32_t reserved;      /**< 0. */
	uint64_t calls;         /**< Times entered. */
	uint64_t total_ns;      /**< Inclusive; outermost calls only. */
	uint64_t self_ns;       /**< Exclusive. */
	uint64_t jit_ns;        /**< Time compiling it, with what was compiled for it. */
	uint64_t samples;       /**< Samples that hit it: it is the innermost frame. */
	uint64_t samples_total; /**< Samples that hit it or what it called. */
} mprof_method_stats;

/** \brief Methods with any figure, in no order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_method_count(const mprof_profile *profile);

/**
 * \brief Tells a method's figures. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_method(const mprof_profile *profile, size_t index,
						mprof_method_stats *figures);

/**
 * \brief Gets figures of methods, many at a time, as mprof_profile_get_method() gets one.
 * \param profile The profile.
 * \param first Number of the first one wanted, 0 to the count of all.
 * \param methods Receives them. Their struct_size is set by the function.
 * \param method_size sizeof(*methods): how far they are apart; what does not fit is left out.
 * \param capacity Room in \p methods, as a number of them.
 * \param count Receives how many were got: fewer than \p capacity at the end alone; 0 on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for a pointer that is NULL, a \p first past the end, or a size below that of
 * struct_size. Thread-safe while nothing is added.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_methods(const mprof_profile *profile, size_t first,
						 mprof_method_stats *methods, size_t method_size, size_t capacity,
						 size_t *count);

/** \brief Figures of a class. \since 0.1 */
typedef struct mprof_class_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t id;          /**< The class. */
	uint32_t reserved;    /**< 0. */
	uint64_t allocations; /**< Objects allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t freed;       /**< Objects found dead. */
	uint64_t freed_bytes; /**< Their bytes. */
	uint64_t exceptions;  /**< Times thrown. */
	uint64_t load_ns;     /**< Time loading it. */
} mprof_class_stats;

/** \brief Classes with any figure, in no order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_class_count(const mprof_profile *profile);

/**
 * \brief Tells a class's figures. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_class(const mprof_profile *profile, size_t index, mprof_class_stats *figures);

/**
 * \brief Gets figures of classes, many at a time, as mprof_profile_get_class() gets one.
 * \param profile The profile.
 * \param first Number of the first one wanted, 0 to the count of all.
 * \param classes Receives them. Their struct_size is set by the function.
 * \param class_size sizeof(*classes): how far they are apart; what does not fit is left out.
 * \param capacity Room in \p classes, as a number of them.
 * \param count Receives how many were got: fewer than \p capacity at the end alone; 0 on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for a pointer that is NULL, a \p first past the end, or a size below that of
 * struct_size. Thread-safe while nothing is added.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_classes(const mprof_profile *profile, size_t first, mprof_class_stats *classes,
						 size_t class_size, size_t capacity, size_t *count);

/** \brief Nodes of the call tree with a meaning of their own. \since 0.1 */
enum {
	MPROF_CALL_ROOT = 0 /**< It stands for no caller: the parent of the outermost methods of all threads. */
};

/** \brief A node of the call tree, which all threads share: a method as reached by one path. \since 0.1 */
typedef struct mprof_call_stats {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t method;       /**< The method; 0 for the root and for unknown methods. */
	uint32_t parent;       /**< Node of the caller. */
	uint32_t first_child;  /**< Node of the first callee, 0 if none. */
	uint32_t next_sibling; /**< Node of the caller's next callee, 0 if none. */
	uint64_t calls;        /**< Times entered on this path. */
	uint64_t total_ns;     /**< Inclusive time on this path. */
	uint64_t self_ns;      /**< Exclusive time on this path. */
	uint64_t allocations;  /**< Objects that the method allocated on this path; the root's: in no method. */
	uint64_t bytes;        /**< Their bytes. */
	uint32_t flags;        /**< #MPROF_EVENT_FLAG_COMPILING: a compilation of the method, which counts no calls. */
	uint32_t reserved;     /**< 0. */
} mprof_call_stats;

/**
 * \brief Nodes of the call tree with the root; 0 if none is kept. \param profile The profile. \return How many.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_call_count(const mprof_profile *profile);

/**
 * \brief Tells a node's figures. \param profile The profile. \param node #MPROF_CALL_ROOT to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_call(const mprof_profile *profile, uint32_t node, mprof_call_stats *figures);

/**
 * \brief Gets nodes of the call tree, many at a time, as mprof_profile_get_call() gets one.
 * \param profile The profile.
 * \param first Number of the first one wanted, 0 to the count of all.
 * \param nodes Receives them. Their struct_size is set by the function.
 * \param node_size sizeof(*nodes): how far they are apart; what does not fit is left out.
 * \param capacity Room in \p nodes, as a number of them.
 * \param count Receives how many were got: fewer than \p capacity at the end alone; 0 on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for a pointer that is NULL, a \p first past the end, or a size below that of
 * struct_size. Thread-safe while nothing is added.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_calls(const mprof_profile *profile, size_t first, mprof_call_stats *nodes,
					       size_t node_size, size_t capacity, size_t *count);

/** \brief What a frame of a sample stands for. Values are fixed; new ones are appended. \since 0.1 */
typedef enum mprof_sample_kind {
	MPROF_SAMPLE_METHOD = 1,   /**< id is the method, 0 if it is not known. */
	MPROF_SAMPLE_FUNCTION = 2, /**< Native code: id is the function (CODE). */
	MPROF_SAMPLE_MODULE = 3,   /**< Native code of which the function is not known: id is the module (CODE). */
	MPROF_SAMPLE_LOCATION = 4  /**< Native code of no module: id is the location, 0 if the log does not tell. */
} mprof_sample_kind;

/** \brief How often samples hit something. \since 0.1 */
typedef struct mprof_sample_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t kind;      /**< An #mprof_sample_kind. */
	uint32_t id;        /**< As the kind says. */
	uint64_t self;      /**< Samples in which it is the innermost frame. */
	uint64_t total;     /**< Samples in which it is any frame, each once. */
} mprof_sample_stats;

/**
 * \brief What samples hit, in no order; as of the last mprof_profile_finish(). \param profile The profile. \return
 * How many. \since 0.1
 */
MPROF_API size_t mprof_profile_get_sample_count(const mprof_profile *profile);

/**
 * \brief Tells how often something was hit. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_sample(const mprof_profile *profile, size_t index,
						mprof_sample_stats *figures);

/**
 * \brief Gets what samples hit, many at a time, as mprof_profile_get_sample() gets one.
 * \param profile The profile.
 * \param first Number of the first one wanted, 0 to the count of all.
 * \param samples Receives them. Their struct_size is set by the function.
 * \param sample_size sizeof(*samples): how far they are apart; what does not fit is left out.
 * \param capacity Room in \p samples, as a number of them.
 * \param count Receives how many were got: fewer than \p capacity at the end alone; 0 on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for a pointer that is NULL, a \p first past the end, or a size below that of
 * struct_size. Thread-safe while nothing is added.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_samples(const mprof_profile *profile, size_t first,
						 mprof_sample_stats *samples, size_t sample_size, size_t capacity,
						 size_t *count);

/**
 * \brief A node of the tree of samples, which all threads share: a frame as reached by one chain. Node 0 is the root.
 * \since 0.1
 */
typedef struct mprof_sample_node {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t kind;         /**< An #mprof_sample_kind; 0 for the root. */
	uint32_t id;           /**< As the kind says. */
	uint32_t parent;       /**< Node of the caller. */
	uint32_t first_child;  /**< Node of the first callee, 0 if none. */
	uint32_t next_sibling; /**< Node of the caller's next callee, 0 if none. */
	uint32_t reserved;     /**< 0. */
	uint64_t self;         /**< Samples that end here. */
	uint64_t total;        /**< Samples that end here or below. */
} mprof_sample_node;

/**
 * \brief Nodes of the tree of samples, with the root; as of the last mprof_profile_finish(). \param profile The
 * profile. \return How many. \since 0.1
 */
MPROF_API size_t mprof_profile_get_sample_node_count(const mprof_profile *profile);

/**
 * \brief Tells a node's figures. \param profile The profile. \param node 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_sample_node(const mprof_profile *profile, uint32_t node,
						     mprof_sample_node *figures);

/**
 * \brief Gets nodes of the tree of samples, many at a time, as mprof_profile_get_sample_node() gets one.
 * \param profile The profile.
 * \param first Number of the first one wanted, 0 to the count of all.
 * \param nodes Receives them. Their struct_size is set by the function.
 * \param node_size sizeof(*nodes): how far they are apart; what does not fit is left out.
 * \param capacity Room in \p nodes, as a number of them.
 * \param count Receives how many were got: fewer than \p capacity at the end alone; 0 on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for a pointer that is NULL, a \p first past the end, or a size below that of
 * struct_size. Thread-safe while nothing is added.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_sample_nodes(const mprof_profile *profile, size_t first,
						      mprof_sample_node *nodes, size_t node_size, size_t capacity,
						      size_t *count);

/** \brief Objects of a class that were allocated at one place. \since 0.1 */
typedef struct mprof_allocation_site {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t class_id;    /**< The class. */
	uint32_t stack;       /**< The call chain, 0 if not known. */
	uint32_t caller;      /**< The method that allocated, 0 if not known. */
	uint32_t flags;       /**< #MPROF_EVENT_FLAG_COMPILING: while the method was being compiled. */
	uint64_t allocations; /**< Objects allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint32_t call;        /**< Node of the call tree if stack is 0; 0 if not known or not asked for. */
	uint32_t reserved;    /**< 0. */
} mprof_allocation_site;

/**
 * \brief Places of allocations of which a call chain, a method or a node is known, in no order. \param profile The
 * profile.
 * \return How many. \since 0.1
 */
MPROF_API size_t mprof_profile_get_allocation_site_count(const mprof_profile *profile);

/**
 * \brief Tells what was allocated at a place. \param profile The profile. \param index 0 to count - 1.
 * \param site Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_allocation_site(const mprof_profile *profile, size_t index,
							 mprof_allocation_site *site);

/**
 * \brief Gets places of allocations, many at a time, as mprof_profile_get_allocation_site() gets one.
 * \param profile The profile.
 * \param first Number of the first one wanted, 0 to the count of all.
 * \param sites Receives them. Their struct_size is set by the function.
 * \param site_size sizeof(*sites): how far they are apart; what does not fit is left out.
 * \param capacity Room in \p sites, as a number of them.
 * \param count Receives how many were got: fewer than \p capacity at the end alone; 0 on an error.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT for a pointer that is NULL, a \p first past the end, or a size below that of
 * struct_size. Thread-safe while nothing is added.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_allocation_sites(const mprof_profile *profile, size_t first,
							  mprof_allocation_site *sites, size_t site_size,
							  size_t capacity, size_t *count);

/** \brief A heap shot: the objects alive at one moment. \since 0.1 */
typedef struct mprof_heap_shot {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t number;      /**< As the log numbers it, which need not be unique, or counted from 1. */
	uint32_t incomplete;  /**< 1: objects are missing: the recorder's memory ran out, or the log lacks its end. */
	int64_t time_ns;      /**< When it was taken, from the begin of the session. */
	uint64_t objects;     /**< Objects alive. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t references;  /**< References from one to another. */
	uint64_t freed;       /**< Objects found dead. */
	uint64_t freed_bytes; /**< Their bytes. */
	uint64_t moved;       /**< Objects that collections moved since the shot before. */
	uint64_t roots;       /**< Times that the collector starts from an object. */
	uint64_t roots_by_kind[256]; /**< roots, by #mprof_root_kind. */
	uint64_t classes;            /**< Classes that have objects alive. */
} mprof_heap_shot;

/** \brief Heap shots in the order of the log. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_heap_shot_count(const mprof_profile *profile);

/**
 * \brief Tells about a heap shot. \param profile The profile. \param index 0 to count - 1.
 * \param shot Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_shot(const mprof_profile *profile, size_t index, mprof_heap_shot *shot);

/** \brief Objects of a class in a heap shot. \since 0.1 */
typedef struct mprof_heap_shot_class {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< The class. */
	uint32_t reserved;  /**< 0. */
	uint64_t objects;   /**< Objects alive. */
	uint64_t bytes;     /**< Their bytes. */
} mprof_heap_shot_class;

/**
 * \brief Tells the objects of a class in a heap shot. \param profile The profile. \param shot Index of the shot.
 * \param index 0 to mprof_heap_shot::classes - 1, in order of class IDs. \param figures Receives what fits its
 * struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
							 mprof_heap_shot_class *figures);

/** \brief Objects of a class at a collection. \since 0.1 */
typedef struct mprof_heap_summary {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t collection;   /**< Number of the collection, as the log says. */
	uint32_t class_id;     /**< The class. */
	int64_t time_ns;       /**< When the log tells it, from the begin of the session. */
	uint64_t live_objects; /**< Objects alive. */
	uint64_t live_bytes;   /**< Their bytes. */
	uint64_t dead_objects; /**< Objects found dead. */
	uint64_t dead_bytes;   /**< Their bytes. */
} mprof_heap_summary;

/**
 * \brief Rows of all heap summaries, in the order of the log. \param profile The profile. \return How many. \since
 * 0.1
 */
MPROF_API size_t mprof_profile_get_heap_summary_count(const mprof_profile *profile);

/**
 * \brief Tells a row. \param profile The profile. \param index 0 to count - 1.
 * \param summary Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_summary(const mprof_profile *profile, size_t index,
						      mprof_heap_summary *summary);

/** \brief Handles of a type to objects of a class. \since 0.1 */
typedef struct mprof_handle_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< The class, 0 if they had no object or its class is not known. */
	uint32_t type;      /**< An #mprof_handle_type. */
	uint64_t created;   /**< Handles created. */
	uint64_t alive;     /**< Those of them that exist at the end. */
	uint64_t deleted;   /**< Those that do not. */
} mprof_handle_stats;

/**
 * \brief Classes and types of handles that were created, in no order. \param profile The profile. \return How many.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_handle_count(const mprof_profile *profile);

/**
 * \brief Tells about the handles of a class and type. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_handle(const mprof_profile *profile, size_t index,
						mprof_handle_stats *figures);

/** \brief Handles that were made by one call chain. \since 0.1 */
typedef struct mprof_handle_site {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< The class, 0 if they had no object or its class is not known. */
	uint32_t type;      /**< An #mprof_handle_type. */
	uint32_t stack;     /**< The call chain, 0 if not known. */
	uint32_t reserved;  /**< 0. */
	uint64_t created;   /**< Handles created. */
	uint64_t alive;     /**< Those of them that exist at the end. */
} mprof_handle_site;

/**
 * \brief Classes, types and call chains of handles that were created, in no order. \param profile The profile.
 * \return How many. \since 0.1
 */
MPROF_API size_t mprof_profile_get_handle_site_count(const mprof_profile *profile);

/**
 * \brief Tells about the handles that a call chain made. \param profile The profile. \param index 0 to count - 1.
 * \param site Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_handle_site(const mprof_profile *profile, size_t index,
						     mprof_handle_site *site);

/** \brief Waits for the monitors of a class. \since 0.1 */
typedef struct mprof_monitor_stats {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t reserved;     /**< 0. */
	uint64_t contentions;  /**< Times that a thread found one taken. */
	uint64_t acquired;     /**< Times that a thread got it. */
	uint64_t failures;     /**< Times that a thread gave up. */
	uint64_t contended_ns; /**< Time from finding it taken to getting it or giving up. */
} mprof_monitor_stats;

/**
 * \brief Classes whose monitors threads waited for, in no order. \param profile The profile. \return How many. \since
 * 0.1
 */
MPROF_API size_t mprof_profile_get_monitor_count(const mprof_profile *profile);

/**
 * \brief Tells about the monitors of a class. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_monitor(const mprof_profile *profile, size_t index,
						 mprof_monitor_stats *figures);

/** \brief Waits for the monitors of a class, or for one of them, at one place. \since 0.1 */
typedef struct mprof_monitor_site {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t class_id;     /**< Class of the objects, 0 if not known. */
	uint32_t stack;        /**< The call chain, 0 if not known. */
	uint64_t contentions;  /**< Times that a thread found one taken. */
	uint64_t contended_ns; /**< Time from finding it taken to getting it or giving up. */
	uint64_t failures;     /**< Times that a thread gave up. */
	uint64_t object;       /**< Address of the object, 0 if not known or not asked for. */
	uint32_t call;         /**< Node of the call tree if stack is 0; 0 if not known or not asked for. */
	uint32_t reserved;     /**< 0. */
} mprof_monitor_site;

/** \brief Classes and places of waits, in no order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_monitor_site_count(const mprof_profile *profile);

/**
 * \brief Tells about the waits at a place. \param profile The profile. \param index 0 to count - 1.
 * \param site Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_monitor_site(const mprof_profile *profile, size_t index,
						      mprof_monitor_site *site);

/** \brief Finalizers of a class. \since 0.1 */
typedef struct mprof_finalizer_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< The class, 0 if not known. */
	uint32_t reserved;  /**< 0. */
	uint64_t count;     /**< Objects finalized. */
	uint64_t total_ns;  /**< Time in their finalizers. */
} mprof_finalizer_stats;

/** \brief Classes whose finalizers ran, in no order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_finalizer_count(const mprof_profile *profile);

/**
 * \brief Tells about the finalizers of a class. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_finalizer(const mprof_profile *profile, size_t index,
						   mprof_finalizer_stats *figures);

/**
 * \brief Native memory (section 4.7).
 *
 * An allocation counts if it was made inside the window, by one of the threads that were chosen. Its free is found
 * whenever and by whichever thread it was done, and counts if it was done before the window ended; what was freed later
 * exists at the end. So figures of what was allocated add up over windows, but what was freed counts in the window in
 * which it was allocated, and the peak is that of what was allocated inside. Frees of what is not known count if they
 * were done inside the window, by one of the threads that were chosen.
 *
 * Events of all threads are taken in the order of their counters. To that end they are held back until a WATERMARK
 * block covers them, after which no older ones should follow, or a million are held back, of which the older half is
 * taken then. An event that comes after a younger one was taken is counted in late_events.
 *
 * mprof_profile_finish() takes what is held back for the time being: the figures are those of all blocks added, and
 * when the next events or the next watermark are added that is undone. So however often it is called, the figures at
 * the end are those of one call at the end (unless max_memory was reached), and no event is late for being added after
 * a call. A call takes time for the events that are held back. Figures got after events were added and before the next
 * call lack what is held back. Sites may have other numbers after events were added.
 *
 * All this takes three quarters of mprof_profile_options::max_memory at most, with paths and places. Where that is
 * used up, call stacks that have no site yet share one (mprof_memory_site::is_folded); those that have one have all
 * that they allocated there. Less is held back. Blocks for which there is no room count as allocated, by size too, but
 * neither as freed nor as existing: they are counted in untracked, and their frees in unmatched_frees. If there is no
 * room to undo what mprof_profile_finish() takes, it is taken for good: then older events that follow are late. So
 * allocations, bytes and figures by size are exact whatever the limit is, as long as mprof_profile_totals::left_out
 * is 0.
 *
 * The figures are exact if is_estimate is 0; it is 1 if events were lost, recording was stopped for a while, a free is
 * missing, events were late, or max_memory was too little to follow all blocks and threads.
 * \since 0.1
 */
typedef struct mprof_memory_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t allocations; /**< Blocks allocated, by resizing too. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t frees;       /**< Those of them that were freed, by resizing too. */
	uint64_t resizes;     /**< Blocks resized. */
	uint64_t live;        /**< Blocks that exist at the end, of the window or of what was read. */
	uint64_t live_bytes;  /**< Their bytes. */
	uint64_t peak_bytes;  /**< Most bytes that existed at a time. */
	uint64_t peak_live;   /**< Blocks that existed when that was reached first. */
	int64_t peak_ns;      /**< When that was, from the start of the session. */
	uint64_t
		temporaries; /**< Blocks freed by the thread that allocated them, which allocated nothing in between. */
	uint64_t unmatched_frees; /**< Frees of what is not known, such as memory from before recording started. */
	uint64_t
		missing_frees; /**< Blocks whose address was given out again without a free in the log. They do not exist
	                               at the end. */
	uint64_t late_events;  /**< Events taken after younger ones. */
	uint32_t is_estimate;  /**< 1: events are missing or were late, or blocks could not be followed. */
	uint32_t reserved;     /**< 0. */
	uint64_t folded_sites; /**< Blocks allocated whose call stacks have no sites of their own. */
	uint64_t untracked;    /**< Blocks that were not followed because max_memory was reached, also those whose
	                            allocation does not count. */
} mprof_memory_stats;

/**
 * \brief Gets the figures of native memory, as of the last mprof_profile_finish().
 * \param profile The profile.
 * \param figures Receives what fits its struct_size.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_memory(const mprof_profile *profile, mprof_memory_stats *figures);

/** \brief Native memory that was allocated with one call stack. Lifetimes are nanoseconds. \since 0.1 */
typedef struct mprof_memory_site {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t stack;       /**< The call stack, 0 if not known. */
	uint32_t is_folded;   /**< 1: of all call stacks without a site of their own; stack is 0. */
	uint64_t allocations; /**< Blocks allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t frees;       /**< Those of them that were freed. */
	uint64_t live;        /**< Those of them that exist at the end. */
	uint64_t live_bytes;  /**< Their bytes. */
	uint64_t peak_live;   /**< Those of them that existed at the peak of all memory. */
	uint64_t peak_bytes;  /**< Their bytes. */
	uint64_t temporaries; /**< As in mprof_memory_stats. */
	uint64_t lifetime_ns; /**< Sum of the lifetimes of those that were freed; the largest number if it is larger. */
	uint64_t shortest_ns; /**< Shortest lifetime, 0 if none was freed. */
	uint64_t longest_ns;  /**< Longest lifetime. */
} mprof_memory_site;

/**
 * \brief Call stacks that allocated native memory, in no order; after them the site of those that were folded, if any.
 * \param profile The profile.
 * \return How many sites; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_memory_site_count(const mprof_profile *profile);

/**
 * \brief Gets what a call stack allocated.
 * \param profile The profile.
 * \param index 0 to count - 1.
 * \param site Receives what fits its struct_size.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_memory_site(const mprof_profile *profile, size_t index,
						     mprof_memory_site *site);

/** \brief Native memory of a range of sizes: 0, 1, 2 to 3, 4 to 7, and so on. \since 0.1 */
typedef struct mprof_memory_size {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t smallest;    /**< Smallest size of the range, in bytes. */
	uint64_t largest;     /**< Largest size of the range, in bytes. */
	uint64_t allocations; /**< Blocks of such sizes. */
	uint64_t bytes;       /**< Their bytes. */
} mprof_memory_size;

/**
 * \brief Ranges of sizes from the smallest up to that of the largest block; some may have no blocks.
 * \param profile The profile.
 * \return How many; 0 if nothing was allocated.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_memory_size_count(const mprof_profile *profile);

/**
 * \brief Gets what was allocated of a range of sizes.
 * \param profile The profile.
 * \param index 0 to count - 1.
 * \param size Receives what fits its struct_size.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_memory_size(const mprof_profile *profile, size_t index,
						     mprof_memory_size *size);

/**
 * \brief A figure that the runtime keeps. Values are those of mprof_metric_value_record::value: flags say how to read
 * them. \since 0.1
 */
typedef struct mprof_metric_stats {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t id;         /**< The metric. */
	uint32_t flags;      /**< Bits of #mprof_metric_flag. */
	const char *section; /**< What it belongs to. Borrowed until the profile is changed or destroyed. */
	const char *name;    /**< Its name. Borrowed as section. */
	uint64_t count;      /**< Values in the log; without any, the fields below are 0. */
	uint64_t first;      /**< The first value. */
	uint64_t last;       /**< The last value. */
	uint64_t minimum;    /**< The least value. */
	uint64_t maximum;    /**< The greatest value. */
	int64_t last_ns;     /**< When the last one was read, from the begin of the session. */
} mprof_metric_stats;

/** \brief Metrics in the order of the log. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_metric_count(const mprof_profile *profile);

/**
 * \brief Tells about a metric. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_metric(const mprof_profile *profile, size_t index,
						mprof_metric_stats *figures);

/** \brief A remark of the user. \since 0.1 */
typedef struct mprof_mark {
	size_t struct_size; /**< sizeof, set by the caller. */
	int64_t time_ns;    /**< When, from the begin of the session. */
	uint64_t thread;    /**< The thread, 0 if none. */
	const char *text;   /**< What it says. Borrowed until the profile is changed or destroyed. */
} mprof_mark;

/** \brief Marks in the order of the log. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_mark_count(const mprof_profile *profile);

/**
 * \brief Tells a mark. \param profile The profile. \param index 0 to count - 1.
 * \param mark Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_mark(const mprof_profile *profile, size_t index, mprof_mark *mark);

/** \brief A collection. Times are nanoseconds; starts count from the begin of the session. \since 0.1 */
typedef struct mprof_collection {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t number;      /**< As the log numbers it, which may leave out numbers, or counted from 1. */
	uint32_t generation;  /**< 0 is the youngest. */
	uint32_t unfinished;  /**< 1: its end is not in the log. */
	int64_t start_ns;     /**< Begin. */
	uint64_t duration_ns; /**< Whole. */
	uint64_t mark_ns;     /**< Marking, 0 if not told. */
	uint64_t sweep_ns;    /**< Sweeping, 0 if not told. */
	uint64_t pause_ns;    /**< World stopped for it, 0 if not told. Less than its duration if it was
	                             concurrent. */
	uint32_t is_counted;  /**< 1: the log does not number it, so that number was counted. */
	uint32_t reserved;    /**< 0. */
} mprof_collection;

/** \brief Collections in order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_collection_count(const mprof_profile *profile);

/**
 * \brief Tells about a collection. \param profile The profile. \param index 0 to count - 1.
 * \param collection Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_collection(const mprof_profile *profile, size_t index,
						    mprof_collection *collection);

/** \brief A change of the heap's size. \since 0.1 */
typedef struct mprof_heap_resize {
	size_t struct_size; /**< sizeof, set by the caller. */
	int64_t time_ns;    /**< When, from the begin of the session. */
	uint64_t bytes;     /**< The new size. */
	uint64_t number;    /**< As the log numbers it, together with collections; 0 if it does not. */
} mprof_heap_resize;

/** \brief Changes of the heap's size, in order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_heap_resize_count(const mprof_profile *profile);

/**
 * \brief Tells about a change. \param profile The profile. \param index 0 to count - 1.
 * \param resize Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_resize(const mprof_profile *profile, size_t index,
						     mprof_heap_resize *resize);

/** \brief A thread. \since 0.1 */
typedef struct mprof_thread_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t id;        /**< As the log says. */
	const char *name;   /**< Latest name, NULL if none. Borrowed until the profile is changed or destroyed. */
	uint64_t events;    /**< Events in its blocks. */
	uint64_t self_ns;   /**< Self time of methods in it. */
	uint64_t lost;      /**< Events lost. */
	uint64_t samples;   /**< Samples taken in it. */
} mprof_thread_stats;

/** \brief Threads seen, in order of appearance. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_thread_count(const mprof_profile *profile);

/**
 * \brief Tells about a thread. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_thread(const mprof_profile *profile, size_t index,
						mprof_thread_stats *figures);

/** \brief An assembly, module or domain. \since 0.1 */
typedef struct mprof_element_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t kind;        /**< Bits of #mprof_element_kind. */
	uint32_t id;          /**< Element ID, 0 if none. */
	const char *name;     /**< Borrowed until the profile is changed or destroyed. */
	const char *assembly; /**< Base name of an assembly where the log has it, else NULL. Borrowed as name. */
	int64_t loaded_ns;    /**< When it was loaded, from the begin of the session. */
	uint64_t load_ns;     /**< How long that took. */
	int64_t unloaded_ns;  /**< When it was unloaded; 0 if it was not. */
} mprof_element_stats;

/** \brief Elements in order of loading. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_element_count(const mprof_profile *profile);

/**
 * \brief Tells about an element. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_element(const mprof_profile *profile, size_t index,
						 mprof_element_stats *figures);

/** \brief Facts of SESSION blocks, in order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_get_property_count(const mprof_profile *profile);

/**
 * \brief Tells a fact. \param profile The profile. \param index 0 to count - 1. \param key Receives the key.
 * \param value Receives the value. Both are borrowed until the profile is changed or destroyed.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_property(const mprof_profile *profile, size_t index, const char **key,
						  const char **value);

MPROF_END_DECLS

#endif
