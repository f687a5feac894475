/* SPDX-License-Identifier: MIT */
/* Names the kinds that logs encode as numbers. */
#include "shared/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_FROM(names, value)                                                                                        \
	((value) < sizeof(names) / sizeof((names)[0]) && (names)[value] != NULL ? (names)[value] : "unknown")

int kind_is_event(uint32_t kind)
{
	return kind == MPROF_EVENT_UNKNOWN || strcmp(mprof_event_get_name(kind), "unknown") != 0;
}

const char *kind_of_element(uint32_t kind)
{
	return kind & MPROF_ELEMENT_ASSEMBLY ? "assembly"
	       : kind & MPROF_ELEMENT_MODULE ? "module"
	       : kind & MPROF_ELEMENT_DOMAIN ? "domain"
					     : "unknown";
}

const char *kind_of_monitor_state(uint64_t state)
{
	static const char *const names[] = {
		[MPROF_MONITOR_CONTENDED] = "contended",
		[MPROF_MONITOR_ACQUIRED] = "acquired",
		[MPROF_MONITOR_FAILED] = "failed",
	};

	return NAME_FROM(names, state);
}

const char *kind_of_clause(uint32_t kind)
{
	static const char *const names[] = {
		[MPROF_CLAUSE_CATCH] = "catch",
		[MPROF_CLAUSE_FILTER] = "filter",
		[MPROF_CLAUSE_FINALLY] = "finally",
		[MPROF_CLAUSE_FAULT] = "fault",
	};

	return NAME_FROM(names, kind);
}

const char *kind_of_code(uint32_t origin)
{
	static const char *const names[] = {
		[MPROF_CODE_JIT] = "jit",
		[MPROF_CODE_PRECOMPILED] = "precompiled",
		[MPROF_CODE_TRAMPOLINE] = "trampoline",
		[MPROF_CODE_INTERPRETED] = "interpreted",
	};

	return NAME_FROM(names, origin);
}

const char *kind_of_code_range(uint32_t kind)
{
	static const char *const names[] = {
		[MPROF_CODE_RANGE_OTHER] = "other",   [MPROF_CODE_RANGE_METHOD] = "method",
		[MPROF_CODE_RANGE_STUB] = "stub",     [MPROF_CODE_RANGE_INTERPRETER] = "interpreter",
		[MPROF_CODE_RANGE_KERNEL] = "kernel", [MPROF_CODE_RANGE_BPF] = "bpf",
	};

	return NAME_FROM(names, kind);
}

const char *kind_of_handle(uint32_t type)
{
	static const char *const names[] = {
		[MPROF_HANDLE_WEAK] = "weak",
		[MPROF_HANDLE_WEAK_TRACK] = "weak-track",
		[MPROF_HANDLE_NORMAL] = "normal",
		[MPROF_HANDLE_PINNED] = "pinned",
	};

	return NAME_FROM(names, type);
}

/* The name of a kind of roots that this version does not know: it has its number. */
static const char *unknown_root(uint64_t kind)
{
	static char names[UINT8_MAX + 1][16];

	if (kind > UINT8_MAX)
		return "other";
	snprintf(names[kind], sizeof(names[kind]), "other-%" PRIu64, kind);
	return names[kind];
}

const char *kind_of_root(uint64_t kind)
{
	static const char *const names[] = {
		[MPROF_ROOT_OTHER] = "other",
		[MPROF_ROOT_STATIC] = "static",
		[MPROF_ROOT_THREAD_STATIC] = "thread-static",
		[MPROF_ROOT_STACK] = "stack",
		[MPROF_ROOT_HANDLE] = "handle",
		[MPROF_ROOT_FINALIZER] = "finalizer",
		[MPROF_ROOT_RUNTIME] = "runtime",
		[MPROF_ROOT_NATIVE] = "native",
		[MPROF_ROOT_MONITOR] = "monitor",
		[MPROF_ROOT_THREAD] = "thread",
		[MPROF_ROOT_CLASS] = "class",
		[MPROF_ROOT_INTERNED] = "interned",
		[MPROF_ROOT_SYMBOL] = "symbol",
		[MPROF_ROOT_LOCAL] = "local",
		[MPROF_ROOT_GLOBAL] = "global",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : unknown_root(kind);
}

const char *kind_of_mode(uint64_t mode)
{
	static const char *const names[] = {
		[MPROF_MODE_UNKNOWN] = "unknown",
		[MPROF_MODE_USER] = "user",
		[MPROF_MODE_KERNEL] = "kernel",
	};

	return mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "other";
}

const char *kind_of_record(uint32_t kind)
{
	static const char *const names[] = {
		[MPROF_RECORD_STACK] = "stack",
		[MPROF_RECORD_MODULE] = "module",
		[MPROF_RECORD_FUNCTION] = "function",
		[MPROF_RECORD_LOCATION] = "location",
		[MPROF_RECORD_ROOT] = "root",
		[MPROF_RECORD_METRIC] = "metric",
		[MPROF_RECORD_METRIC_VALUE] = "metric-value",
		[MPROF_RECORD_SUMMARY] = "summary",
		[MPROF_RECORD_FIELD] = "field",
		[MPROF_RECORD_ARGUMENT] = "argument",
		[MPROF_RECORD_TYPE] = "type",
		[MPROF_RECORD_TEXT] = "text",
		[MPROF_RECORD_CLOCK] = "clock",
		[MPROF_RECORD_TIMELINE] = "timeline",
		[MPROF_RECORD_PROCESS] = "process",
		[MPROF_RECORD_CLOCK_PAIR] = "clock-pair",
		[MPROF_RECORD_POSITION] = "position",
		[MPROF_RECORD_LABEL] = "label",
		[MPROF_RECORD_OBJECT_FLAGS] = "object-flags",
		[MPROF_RECORD_REFERENCE_NAME] = "reference-name",
		[MPROF_RECORD_WEAK_REFERENCE] = "weak-reference",
		[MPROF_RECORD_CODE_RANGE] = "code-range",
		[MPROF_RECORD_CODE_LINE] = "code-line",
		[MPROF_RECORD_CODE_END] = "code-end",
		[MPROF_RECORD_MEMORY_SEARCH] = "memory-search",
		[MPROF_RECORD_MEMORY_BLOCK] = "memory-block",
	};

	return NAME_FROM(names, kind);
}

const char *kind_of_clock(uint32_t kind)
{
	static const char *const names[] = {
		[MPROF_CLOCK_OTHER] = "other",         [MPROF_CLOCK_MACHINE] = "machine",
		[MPROF_CLOCK_MONOTONIC] = "monotonic", [MPROF_CLOCK_BOOT] = "boot",
		[MPROF_CLOCK_WALL] = "wall",           [MPROF_CLOCK_DEVICE] = "device",
		[MPROF_CLOCK_PROCESSOR] = "processor",
	};

	return NAME_FROM(names, kind);
}

const char *kind_of_timeline(uint32_t kind)
{
	static const char *const names[] = {
		[MPROF_TIMELINE_THREAD] = "thread",   [MPROF_TIMELINE_COROUTINE] = "coroutine",
		[MPROF_TIMELINE_QUEUE] = "queue",     [MPROF_TIMELINE_PROCESSOR] = "processor",
		[MPROF_TIMELINE_PROCESS] = "process", [MPROF_TIMELINE_ASYNC] = "async",
		[MPROF_TIMELINE_NETWORK] = "network", [MPROF_TIMELINE_DISK] = "disk",
		[MPROF_TIMELINE_REMOTE] = "remote",
	};

	return NAME_FROM(names, kind);
}

const char *kind_of_form(uint32_t form)
{
	static const char *const names[] = {
		[MPROF_TYPE_INSTANT] = "instant",
		[MPROF_TYPE_BEGIN] = "begin",
		[MPROF_TYPE_END] = "end",
		[MPROF_TYPE_SPAN] = "span",
		[MPROF_TYPE_ASYNC_BEGIN] = "async-begin",
		[MPROF_TYPE_ASYNC_END] = "async-end",
		[MPROF_TYPE_SAMPLE] = "sample",
	};

	return NAME_FROM(names, form);
}

const char *kind_of_argument(uint32_t kind)
{
	static const char *const names[] = {
		[MPROF_ARGUMENT_NUMBER] = "number",     [MPROF_ARGUMENT_BOOLEAN] = "boolean",
		[MPROF_ARGUMENT_ADDRESS] = "address",   [MPROF_ARGUMENT_DURATION] = "duration",
		[MPROF_ARGUMENT_TEXT_ID] = "text-id",   [MPROF_ARGUMENT_TEXT] = "text",
		[MPROF_ARGUMENT_BYTES] = "bytes",       [MPROF_ARGUMENT_METHOD] = "method",
		[MPROF_ARGUMENT_CLASS] = "class",       [MPROF_ARGUMENT_OBJECT] = "object",
		[MPROF_ARGUMENT_STACK] = "stack",       [MPROF_ARGUMENT_THREAD] = "thread",
		[MPROF_ARGUMENT_LOCATION] = "location", [MPROF_ARGUMENT_DOUBLE] = "double",
	};

	return NAME_FROM(names, kind);
}

const char *kind_of_encoding(uint32_t encoding)
{
	static const char *const names[] = {
		[MPROF_ENCODING_UNSIGNED] = "unsigned",
		[MPROF_ENCODING_SIGNED] = "signed",
		[MPROF_ENCODING_FIXED] = "fixed",
		[MPROF_ENCODING_BYTES] = "bytes",
	};

	return NAME_FROM(names, encoding);
}

const char *kind_of_role(uint32_t role)
{
	static const char *const names[] = {
		[MPROF_ROLE_NONE] = "none",         [MPROF_ROLE_DURATION] = "duration",
		[MPROF_ROLE_SPAN] = "span",         [MPROF_ROLE_PARENT] = "parent",
		[MPROF_ROLE_CAUSE] = "cause",       [MPROF_ROLE_FLOW_OUT] = "flow-out",
		[MPROF_ROLE_FLOW_IN] = "flow-in",   [MPROF_ROLE_STACK] = "stack",
		[MPROF_ROLE_CPU] = "cpu",           [MPROF_ROLE_NAME] = "name",
		[MPROF_ROLE_SEVERITY] = "severity", [MPROF_ROLE_MESSAGE] = "message",
		[MPROF_ROLE_STATUS] = "status",
	};

	return NAME_FROM(names, role);
}

const char *kind_of_argument_unit(const mprof_argument_record *argument)
{
	static const char *const names[] = {
		[MPROF_ARGUMENT_UNIT_NONE] = "",          [MPROF_ARGUMENT_UNIT_BYTES] = "bytes",
		[MPROF_ARGUMENT_UNIT_NANOSECONDS] = "ns", [MPROF_ARGUMENT_UNIT_COUNT] = "count",
		[MPROF_ARGUMENT_UNIT_RATIO] = "ratio",
	};

	return argument->unit == MPROF_ARGUMENT_UNIT_NAMED ? argument->unit_name : NAME_FROM(names, argument->unit);
}

const char *kind_of_metric_unit(const mprof_metric_record *metric)
{
	return (metric->flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_NAMED
		       ? metric->unit
		       : mprof_metric_get_unit_name(metric->flags);
}

const char *kind_of_severity(uint32_t severity)
{
	static const char *const names[] = {"unknown", "trace", "debug", "info", "warning", "error", "fatal"};

	return NAME_FROM(names, severity);
}

double kind_double_value(uint64_t value)
{
	double number;

	memcpy(&number, &value, sizeof(number));
	return number;
}
