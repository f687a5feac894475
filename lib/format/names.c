/* SPDX-License-Identifier: MIT */
#include <mprof/format.h>

#define NAME_FROM(names, value)                                                                                        \
	((size_t)(value) < sizeof(names) / sizeof((names)[0]) && (names)[value] != NULL ? (names)[value] : "unknown")

const char *mprof_dialect_get_name(mprof_dialect dialect)
{
	static const char *const names[] = {
		[MPROF_DIALECT_MAIL] = "mail",     [MPROF_DIALECT_DROP] = "drop",
		[MPROF_DIALECT_MONO] = "mono",     [MPROF_DIALECT_UNITY] = "unity",
		[MPROF_DIALECT_MPROF2] = "mprof2", [MPROF_DIALECT_UNITY_FIXED] = "unity-fixed",
	};

	return NAME_FROM(names, dialect);
}

const char *mprof_block_get_name(mprof_block_kind kind)
{
	static const char *const names[] = {
		[MPROF_BLOCK_INTRO] = "intro",
		[MPROF_BLOCK_END] = "end",
		[MPROF_BLOCK_MAPPING] = "mapping",
		[MPROF_BLOCK_LOADED] = "loaded",
		[MPROF_BLOCK_UNLOADED] = "unloaded",
		[MPROF_BLOCK_EVENTS] = "events",
		[MPROF_BLOCK_STATISTICAL] = "statistical",
		[MPROF_BLOCK_HEAP_DATA] = "heap-data",
		[MPROF_BLOCK_HEAP_SUMMARY] = "heap-summary",
		[MPROF_BLOCK_DIRECTIVES] = "directives",
		[MPROF_BLOCK_SESSION] = "session",
		[MPROF_BLOCK_THREAD] = "thread",
		[MPROF_BLOCK_LOST] = "lost",
		[MPROF_BLOCK_SAMPLES] = "samples",
		[MPROF_BLOCK_STACKS] = "stacks",
		[MPROF_BLOCK_CODE] = "code",
		[MPROF_BLOCK_METRICS] = "metrics",
		[MPROF_BLOCK_MARK] = "mark",
		[MPROF_BLOCK_ROOTS] = "roots",
		[MPROF_BLOCK_WATERMARK] = "watermark",
	};

	return NAME_FROM(names, kind);
}

const char *mprof_event_get_name(mprof_event_kind kind)
{
	static const char *const names[] = {
		[MPROF_EVENT_METHOD_ENTER] = "method-enter",
		[MPROF_EVENT_METHOD_LEAVE] = "method-leave",
		[MPROF_EVENT_METHOD_LEAVE_IMPLICIT] = "method-leave-implicit",
		[MPROF_EVENT_METHOD_LEAVE_EXCEPTION] = "method-leave-exception",
		[MPROF_EVENT_METHOD_LEAVE_TAIL] = "method-leave-tail",
		[MPROF_EVENT_METHOD_JIT_START] = "method-jit-start",
		[MPROF_EVENT_METHOD_JIT_END] = "method-jit-end",
		[MPROF_EVENT_METHOD_FREED] = "method-freed",
		[MPROF_EVENT_CLASS_LOAD_START] = "class-load-start",
		[MPROF_EVENT_CLASS_LOAD_END] = "class-load-end",
		[MPROF_EVENT_CLASS_UNLOAD_START] = "class-unload-start",
		[MPROF_EVENT_CLASS_UNLOAD_END] = "class-unload-end",
		[MPROF_EVENT_EXCEPTION] = "exception",
		[MPROF_EVENT_ALLOCATION] = "allocation",
		[MPROF_EVENT_ALLOCATION_AT_JIT] = "allocation-at-jit",
		[MPROF_EVENT_THREAD_START] = "thread-start",
		[MPROF_EVENT_THREAD_END] = "thread-end",
		[MPROF_EVENT_GC_START] = "gc-start",
		[MPROF_EVENT_GC_END] = "gc-end",
		[MPROF_EVENT_GC_MARK_START] = "gc-mark-start",
		[MPROF_EVENT_GC_MARK_END] = "gc-mark-end",
		[MPROF_EVENT_GC_SWEEP_START] = "gc-sweep-start",
		[MPROF_EVENT_GC_SWEEP_END] = "gc-sweep-end",
		[MPROF_EVENT_GC_RESIZE] = "gc-resize",
		[MPROF_EVENT_GC_STOP_WORLD_START] = "gc-stop-world-start",
		[MPROF_EVENT_GC_STOP_WORLD_END] = "gc-stop-world-end",
		[MPROF_EVENT_GC_START_WORLD_START] = "gc-start-world-start",
		[MPROF_EVENT_GC_START_WORLD_END] = "gc-start-world-end",
		[MPROF_EVENT_MONITOR] = "monitor",
		[MPROF_EVENT_SAMPLE] = "sample",
		[MPROF_EVENT_STACK_SECTION] = "stack-section",
		[MPROF_EVENT_HEAP_OBJECT] = "heap-object",
		[MPROF_EVENT_HEAP_FREE] = "heap-free",
		[MPROF_EVENT_HEAP_ROOT] = "heap-root",
		[MPROF_EVENT_HEAP_MOVE] = "heap-move",
		[MPROF_EVENT_HEAP_REFERENCES] = "heap-references",
		[MPROF_EVENT_HANDLE_CREATED] = "handle-created",
		[MPROF_EVENT_HANDLE_DELETED] = "handle-deleted",
		[MPROF_EVENT_FINALIZER_START] = "finalizer-start",
		[MPROF_EVENT_FINALIZER_END] = "finalizer-end",
		[MPROF_EVENT_FINALIZATION_START] = "finalization-start",
		[MPROF_EVENT_FINALIZATION_END] = "finalization-end",
		[MPROF_EVENT_RECORDING_RESUMED] = "recording-resumed",
		[MPROF_EVENT_MEMORY_ALLOCATED] = "memory-allocated",
		[MPROF_EVENT_MEMORY_FREED] = "memory-freed",
		[MPROF_EVENT_MEMORY_RESIZED] = "memory-resized",
		[MPROF_EVENT_STACK_SWITCH] = "stack-switch",
		[MPROF_EVENT_STACK_END] = "stack-end",
	};

	return NAME_FROM(names, kind);
}

const char *mprof_loss_get_name(mprof_loss_cause cause)
{
	static const char *const names[] = {
		[MPROF_LOSS_NO_BUFFER] = "no-buffer",
		[MPROF_LOSS_NO_MEMORY] = "no-memory",
		[MPROF_LOSS_WRITE_FAILED] = "write-failed",
		[MPROF_LOSS_NO_SAMPLE_ROOM] = "no-sample-room",
		[MPROF_LOSS_LIMIT] = "limit",
	};

	return NAME_FROM(names, cause);
}
