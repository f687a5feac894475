/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_kinds.h
 * \brief The table of event kinds: names, categories, and the fields that each kind uses.
 */
#ifndef FORMAT_EVENTS_EVENT_KINDS_H
#define FORMAT_EVENTS_EVENT_KINDS_H

#include <mprof/format.h>

enum {
	EVENT_KIND_COUNT = MPROF_EVENT_OBJECT_RESIZED + 1, /**< Including #MPROF_EVENT_UNKNOWN. */
	LOSS_CAUSE_COUNT = MPROF_LOSS_LIMIT + 1            /**< Including 0, which stands for unknown causes. */
};

/*
 * The kinds in the order of their numbers: name; meaning of id, value and time; category; whether a stack section may
 * precede the event.
 */

/* clang-format off */
#define EVENT_KINDS(X)                                                                                                 \
	X(UNKNOWN, NULL, NONE, NUMBER, OWN, OTHER, 0)                                                                  \
	X(METHOD_ENTER, "method-enter", METHOD, NONE, OWN, CALL, 0)                                                    \
	X(METHOD_LEAVE, "method-leave", METHOD, NONE, OWN, CALL, 0)                                                    \
	X(METHOD_LEAVE_IMPLICIT, "method-leave-implicit", NONE, NONE, OWN, CALL, 0)                                    \
	X(METHOD_LEAVE_EXCEPTION, "method-leave-exception", METHOD, NONE, OWN, CALL, 0)                                \
	X(METHOD_LEAVE_TAIL, "method-leave-tail", METHOD, NONE, OWN, CALL, 0)                                          \
	X(METHOD_JIT_START, "method-jit-start", METHOD, NONE, OWN, METHOD, 0)                                          \
	X(METHOD_JIT_END, "method-jit-end", METHOD, NONE, OWN, METHOD, 0)                                              \
	X(METHOD_FREED, "method-freed", METHOD, NONE, OWN, METHOD, 0)                                                  \
	X(CLASS_LOAD_START, "class-load-start", CLASS, NONE, OWN, CLASS, 0)                                            \
	X(CLASS_LOAD_END, "class-load-end", CLASS, NONE, OWN, CLASS, 0)                                                \
	X(CLASS_UNLOAD_START, "class-unload-start", CLASS, NONE, OWN, CLASS, 0)                                        \
	X(CLASS_UNLOAD_END, "class-unload-end", CLASS, NONE, OWN, CLASS, 0)                                            \
	X(EXCEPTION, "exception", CLASS, NONE, OWN, EXCEPTION, 0)                                                      \
	X(ALLOCATION, "allocation", CLASS, SIZE, NONE, ALLOCATION, 1)                                                  \
	X(ALLOCATION_AT_JIT, "allocation-at-jit", CLASS, SIZE, NONE, ALLOCATION, 1)                                    \
	X(THREAD_START, "thread-start", NONE, THREAD, OWN, THREAD, 0)                                                  \
	X(THREAD_END, "thread-end", NONE, THREAD, OWN, THREAD, 0)                                                      \
	X(GC_START, "gc-start", COLLECTION, GENERATION, OWN, COLLECTION, 0)                                            \
	X(GC_END, "gc-end", COLLECTION, GENERATION, OWN, COLLECTION, 0)                                                \
	X(GC_MARK_START, "gc-mark-start", COLLECTION, GENERATION, OWN, COLLECTION, 0)                                  \
	X(GC_MARK_END, "gc-mark-end", COLLECTION, GENERATION, OWN, COLLECTION, 0)                                      \
	X(GC_SWEEP_START, "gc-sweep-start", COLLECTION, GENERATION, OWN, COLLECTION, 0)                                \
	X(GC_SWEEP_END, "gc-sweep-end", COLLECTION, GENERATION, OWN, COLLECTION, 0)                                    \
	X(GC_RESIZE, "gc-resize", COLLECTION, HEAP_SIZE, UNNUMBERED, COLLECTION, 0)                                    \
	X(GC_STOP_WORLD_START, "gc-stop-world-start", COLLECTION, GENERATION, OWN, COLLECTION, 0)                      \
	X(GC_STOP_WORLD_END, "gc-stop-world-end", COLLECTION, GENERATION, OWN, COLLECTION, 0)                          \
	X(GC_START_WORLD_START, "gc-start-world-start", COLLECTION, GENERATION, OWN, COLLECTION, 0)                    \
	X(GC_START_WORLD_END, "gc-start-world-end", COLLECTION, GENERATION, OWN, COLLECTION, 0)                        \
	X(MONITOR, "monitor", CLASS, MONITOR_STATE, OWN, MONITOR, 1)                                                   \
	X(SAMPLE, "sample", METHOD, CALL_STACK, OWN, SAMPLE, 0)                                                        \
	X(STACK_SECTION, "stack-section", NONE, FRAMES, NONE, CALL_STACK, 0)                                           \
	X(HEAP_OBJECT, "heap-object", CLASS, SIZE, NONE, HEAP, 0)                                                      \
	X(HEAP_FREE, "heap-free", CLASS, SIZE, NONE, HEAP, 0)                                                          \
	X(HEAP_ROOT, "heap-root", ROOT, ROOT_KIND, NONE, HEAP, 0)                                                      \
	X(HEAP_MOVE, "heap-move", NONE, ADDRESS, NONE, HEAP, 0)                                                        \
	X(HEAP_REFERENCES, "heap-references", NONE, NONE, NONE, HEAP, 0)                                               \
	X(HANDLE_CREATED, "handle-created", CLASS, HANDLE, OWN, HANDLE, 0)                                             \
	X(HANDLE_DELETED, "handle-deleted", NONE, HANDLE, OWN, HANDLE, 0)                                              \
	X(FINALIZER_START, "finalizer-start", CLASS, NONE, OWN, FINALIZER, 0)                                          \
	X(FINALIZER_END, "finalizer-end", CLASS, NONE, OWN, FINALIZER, 0)                                              \
	X(FINALIZATION_START, "finalization-start", NONE, NONE, OWN, FINALIZER, 0)                                     \
	X(FINALIZATION_END, "finalization-end", NONE, NONE, OWN, FINALIZER, 0)                                         \
	X(RECORDING_RESUMED, "recording-resumed", NONE, DURATION, OWN, RECORDING, 0)                                   \
	X(MEMORY_ALLOCATED, "memory-allocated", NONE, ADDRESS, OWN, MEMORY, 0)                                         \
	X(MEMORY_FREED, "memory-freed", NONE, ADDRESS, OWN, MEMORY, 0)                                                 \
	X(MEMORY_RESIZED, "memory-resized", NONE, ADDRESS, OWN, MEMORY, 0)                                             \
	X(STACK_SWITCH, "stack-switch", NONE, STACK, OWN, STACK, 0)                                                    \
	X(STACK_END, "stack-end", NONE, STACK, OWN, STACK, 0)                                                          \
	X(EXCEPTION_CLAUSE, "exception-clause", CLASS, CLAUSE, OWN, EXCEPTION, 0)                                      \
	X(METHOD_CODE, "method-code", METHOD, CODE, OWN, METHOD, 0)                                                    \
	X(MONITOR_HOLDER, "monitor-holder", CLASS, THREAD, OWN, MONITOR, 0)                                            \
	X(TYPED, "typed", TYPE, NONE, OWN, TYPED, 0)                                                                   \
	X(OBJECT_FREED, "object-freed", CLASS, SIZE, OWN, OBJECT, 0)                                                   \
	X(OBJECT_RESIZED, "object-resized", CLASS, ADDRESS, OWN, OBJECT, 0)

/* clang-format on */

/** A row of the table. */
typedef struct event_kind_row {
	uint8_t id;          /**< An #mprof_event_id. */
	uint8_t value;       /**< An #mprof_event_value. */
	uint8_t time;        /**< An #mprof_event_time. */
	uint8_t category;    /**< An #mprof_event_category. */
	uint8_t has_section; /**< 1: in dialects with stack sections, one may precede the event. */
} event_kind_row;

/** The table, indexed by #mprof_event_kind. It has a row for any byte: unknown kinds equal #MPROF_EVENT_UNKNOWN. */
extern const event_kind_row event_kind_rows[256];

#define EVENT_KIND_BIT_IF(kind, name, id, value, time, category, has_section)                                          \
	| (uint64_t)(MPROF_EVENT_CATEGORY_##category == wanted) << MPROF_EVENT_##kind

/** The kinds of a category, one bit for each. A constant expression if \p wanted is one. */
static inline __attribute__((always_inline)) uint64_t event_kinds_in(uint32_t wanted)
{
	return UINT64_C(0) EVENT_KINDS(EVENT_KIND_BIT_IF);
}

static inline uint32_t event_category(const mprof_event *event)
{
	return event_kind_rows[event->kind].category;
}

/** Whether an event has a counter of its own, and not that of the previous event. */
static inline int event_has_time(const mprof_event *event)
{
	const uint32_t time = event_kind_rows[event->kind].time;

	return time == MPROF_EVENT_TIME_OWN || (time == MPROF_EVENT_TIME_UNNUMBERED && event->id == 0);
}

#endif
