/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile.h
 * \brief What a log means: time by method and call path, allocations by class, collections, exceptions, threads.
 *
 * A profile is built from a reader in one pass and can be asked at any time after, also while a log is followed. One
 * profile belongs to one thread at a time; once nothing is added any more, several threads may ask it.
 *
 * Rules of counting: inclusive time counts a method once per outermost call, whatever it calls itself; self time is
 * inclusive time less that of the methods called. A frame that is never left is closed when its thread's last event is
 * known. A leave that matches a frame further down closes the frames above it; one that matches none is counted in
 * mprof_profile_totals::unmatched_leaves and ignored. Allocations count the bytes the log says.
 */
#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#include <mprof/reader.h>

MPROF_BEGIN_DECLS

/** \brief A profile. One thread at a time while blocks are added; any number may ask it after. \since 0.1 */
typedef struct mprof_profile mprof_profile;

/** \brief Options of a profile. All zero but struct_size means the defaults. \since 0.1 */
typedef struct mprof_profile_options {
	size_t struct_size;               /**< Set by mprof_profile_options_init(). */
	const mprof_allocator *allocator; /**< NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Most memory for results, in bytes; 0 means 4 GiB. */
	uint32_t without_call_tree;       /**< 1: do not keep call paths, only totals by method. */
	uint32_t max_stack_depth;         /**< Frames kept for one thread; deeper ones are counted as one. 0 means 65536. */
} mprof_profile_options;

/** \brief Sets all options to their defaults. \param options What to set. \since 0.1 */
static inline void mprof_profile_options_init(mprof_profile_options *options)
{
	mprof_profile_options cleared = {0, NULL, 0, 0, 0};

	*options = cleared;
	options->struct_size = sizeof(*options);
}

/**
 * \brief Makes an empty profile. \param options Options, or NULL. Not kept. \param profile Receives it.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT; #MPROF_ERR_MEMORY, also if max_memory is too small for an empty one.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_create(const mprof_profile_options *options,
							    mprof_profile **profile);

/** \brief Frees a profile. \param profile The profile, or NULL. \since 0.1 */
MPROF_API void mprof_profile_destroy(mprof_profile *profile);

/**
 * \brief Adds the loaded block of a reader, fetching what it holds.
 * \param profile The profile. \param reader Where the block is loaded. \param block The block.
 * \return #MPROF_OK; an error of mprof_reader_next_events(), with all before it added; #MPROF_ERR_LIMIT when max_memory is
 * reached; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_add_block(mprof_profile *profile, mprof_reader *reader,
							       const mprof_block *block);

/** \brief What mprof_profile_read() calls for each damage. \param user As passed. \param error Where and what. \since 0.1 */
typedef void (*mprof_damage_function)(void *user, const mprof_error *error);

/**
 * \brief Adds all blocks up to the end, going on behind blocks that are damaged, and finishes the profile.
 * \param profile The profile. \param reader The reader. \param damage Called for each error met; may be NULL.
 * \param user Passed to \p damage.
 * \return #MPROF_OK if the log is complete; #MPROF_ERR_TRUNCATED if END is missing; #MPROF_AGAIN if the reader follows
 * and has read all that is there; otherwise the first error met. What is
 * valid has been added in all cases but #MPROF_ERR_MEMORY and #MPROF_ERR_LIMIT of the profile itself. \since 0.1
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
	size_t struct_size;         /**< sizeof, set by the caller. */
	uint64_t wall_ns;           /**< From INTRO to the last CLOCK. */
	uint64_t method_ns;         /**< Self times of all methods, all threads. */
	uint64_t calls;             /**< Methods entered. */
	uint64_t unmatched_leaves;  /**< Leaves without a frame. */
	uint64_t unclosed_frames;   /**< Frames that were never left. */
	uint64_t allocations;       /**< Objects allocated. */
	uint64_t allocated_bytes;   /**< Their bytes. */
	uint64_t jit_methods;       /**< Methods compiled. */
	uint64_t jit_ns;            /**< Time compiling, nested compilations once. */
	uint64_t jit_failures;      /**< Compilations that failed. */
	uint64_t exceptions;        /**< Exceptions thrown. */
	uint64_t collections;       /**< Collections begun. */
	uint64_t gc_ns;             /**< Time under collections; those that run beside the program count whole. */
	uint64_t samples;           /**< Statistical hits. */
	uint64_t lost_events;       /**< From LOST blocks. */
	uint64_t events;            /**< Events read. */
	uint64_t event_counts[MPROF_EVENT_KIND_COUNT]; /**< By kind. */
	uint64_t block_counts[64];  /**< Blocks read, by kind. */
} mprof_profile_totals;

/**
 * \brief Tells the sums. \param profile The profile. \param totals Receives what fits its struct_size.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_totals(const mprof_profile *profile, mprof_profile_totals *totals);

/** \brief Figures of a method. \since 0.1 */
typedef struct mprof_method_figures {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t id;        /**< The method. */
	uint32_t reserved;  /**< 0. */
	uint64_t calls;     /**< Times entered. */
	uint64_t total_ns;  /**< Inclusive; outermost calls only. */
	uint64_t self_ns;   /**< Exclusive. */
	uint64_t jit_ns;    /**< Time compiling it, with what was compiled for it. */
	uint64_t samples;   /**< Statistical hits. */
} mprof_method_figures;

/** \brief Methods with any figure, in no order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_method_count(const mprof_profile *profile);

/**
 * \brief Tells a method's figures. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_method(const mprof_profile *profile, size_t index, mprof_method_figures *figures);

/** \brief Figures of a class. \since 0.1 */
typedef struct mprof_class_figures {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t id;          /**< The class. */
	uint32_t reserved;    /**< 0. */
	uint64_t allocations; /**< Objects allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t freed;       /**< Objects found dead. */
	uint64_t freed_bytes; /**< Their bytes. */
	uint64_t exceptions;  /**< Times thrown. */
	uint64_t load_ns;     /**< Time loading it. */
} mprof_class_figures;

/** \brief Classes with any figure, in no order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_class_count(const mprof_profile *profile);

/**
 * \brief Tells a class's figures. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_class(const mprof_profile *profile, size_t index, mprof_class_figures *figures);

/** \brief The node that stands for no caller: the parent of the outermost methods of all threads. \since 0.1 */
#define MPROF_CALL_ROOT 0

/** \brief A node of the call tree, which all threads share: a method as reached by one path. \since 0.1 */
typedef struct mprof_call_figures {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t method;       /**< The method; 0 for the root and for unknown methods. */
	uint32_t parent;       /**< Node of the caller. */
	uint32_t first_child;  /**< Node of the first callee, 0 if none. */
	uint32_t next_sibling; /**< Node of the caller's next callee, 0 if none. */
	uint64_t calls;        /**< Times entered on this path. */
	uint64_t total_ns;     /**< Inclusive time on this path. */
	uint64_t self_ns;      /**< Exclusive time on this path. */
} mprof_call_figures;

/** \brief Nodes of the call tree with the root; 0 if none is kept. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_call_count(const mprof_profile *profile);

/**
 * \brief Tells a node's figures. \param profile The profile. \param node #MPROF_CALL_ROOT to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_call(const mprof_profile *profile, uint32_t node, mprof_call_figures *figures);

/** \brief A collection. Times are nanoseconds; starts count from the begin of the session. \since 0.1 */
typedef struct mprof_collection {
	size_t struct_size;     /**< sizeof, set by the caller. */
	uint64_t number;        /**< As the log numbers it, or counted from 1. */
	uint32_t generation;    /**< 0 is the youngest. */
	uint32_t unfinished;    /**< 1: its end is not in the log. */
	int64_t start_ns;       /**< Begin. */
	uint64_t duration_ns;   /**< Whole. */
	uint64_t mark_ns;       /**< Marking, 0 if not told. */
	uint64_t sweep_ns;      /**< Sweeping, 0 if not told. */
	uint64_t pause_ns;      /**< World stopped for it, 0 if not told. Less than its duration if it was concurrent. */
} mprof_collection;

/** \brief Collections in order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_collection_count(const mprof_profile *profile);

/**
 * \brief Tells about a collection. \param profile The profile. \param index 0 to count - 1.
 * \param collection Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_collection(const mprof_profile *profile, size_t index,
						mprof_collection *collection);

/** \brief A change of the heap's size. \since 0.1 */
typedef struct mprof_heap_resize {
	size_t struct_size; /**< sizeof, set by the caller. */
	int64_t time_ns;    /**< When, from the begin of the session. */
	uint64_t bytes;     /**< The new size. */
} mprof_heap_resize;

/** \brief Changes of the heap's size, in order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_heap_resize_count(const mprof_profile *profile);

/**
 * \brief Tells about a change. \param profile The profile. \param index 0 to count - 1.
 * \param resize Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_heap_resize(const mprof_profile *profile, size_t index, mprof_heap_resize *resize);

/** \brief A thread. \since 0.1 */
typedef struct mprof_thread_figures {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint64_t id;        /**< As the log says. */
	const char *name;   /**< Latest name, NULL if none. Borrowed until the profile is changed or destroyed. */
	uint64_t events;    /**< Events in its blocks. */
	uint64_t self_ns;   /**< Self time of methods in it. */
	uint64_t lost;      /**< Events lost. */
} mprof_thread_figures;

/** \brief Threads seen, in order of appearance. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_thread_count(const mprof_profile *profile);

/**
 * \brief Tells about a thread. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_thread(const mprof_profile *profile, size_t index, mprof_thread_figures *figures);

/** \brief An assembly, module or domain. \since 0.1 */
typedef struct mprof_element_figures {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t kind;       /**< Bits of #mprof_element_kind. */
	uint32_t id;         /**< Element ID, 0 if none. */
	const char *name;    /**< Borrowed until the profile is changed or destroyed. */
	const char *assembly; /**< Base name of an assembly where the log has it, else NULL. Borrowed as name. */
	int64_t loaded_ns;   /**< When it was loaded, from the begin of the session. */
	uint64_t load_ns;    /**< How long that took. */
	int64_t unloaded_ns; /**< When it was unloaded; 0 if it was not. */
} mprof_element_figures;

/** \brief Elements in order of loading. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_element_count(const mprof_profile *profile);

/**
 * \brief Tells about an element. \param profile The profile. \param index 0 to count - 1.
 * \param figures Receives what fits its struct_size. \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_element(const mprof_profile *profile, size_t index,
					     mprof_element_figures *figures);

/** \brief Facts of SESSION blocks, in order. \param profile The profile. \return How many. \since 0.1 */
MPROF_API size_t mprof_profile_property_count(const mprof_profile *profile);

/**
 * \brief Tells a fact. \param profile The profile. \param index 0 to count - 1. \param key Receives the key.
 * \param value Receives the value. Both are borrowed until the profile is changed or destroyed.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT. \since 0.1
 */
MPROF_API mprof_status mprof_profile_property(const mprof_profile *profile, size_t index, const char **key,
					      const char **value);

MPROF_END_DECLS

#endif
