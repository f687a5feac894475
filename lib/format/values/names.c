/* SPDX-License-Identifier: MIT */
/* Names of kinds, for users, and blocks as they begin. */
#include <mprof/format.h>
#include <mprof/parser.h>

#include "base/caller_structs.h"

#define NAME_FROM(names, value)                                                                                        \
	((size_t)(value) < sizeof(names) / sizeof((names)[0]) && (names)[value] != NULL ? (names)[value] : "unknown")

const char *mprof_dialect_get_name(uint32_t dialect)
{
	static const char *const names[] = {
		[MPROF_DIALECT_MAIL] = "mail",     [MPROF_DIALECT_DROP] = "drop",
		[MPROF_DIALECT_MONO] = "mono",     [MPROF_DIALECT_UNITY] = "unity",
		[MPROF_DIALECT_MPROF2] = "mprof2", [MPROF_DIALECT_UNITY_FIXED] = "unity-fixed",
	};

	return NAME_FROM(names, dialect);
}

const char *mprof_block_get_name(uint32_t kind)
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
		[MPROF_BLOCK_FIELDS] = "fields",
		[MPROF_BLOCK_TYPES] = "types",
		[MPROF_BLOCK_TEXTS] = "texts",
		[MPROF_BLOCK_TIMELINES] = "timelines",
		[MPROF_BLOCK_PROCESSES] = "processes",
		[MPROF_BLOCK_CLOCKS] = "clocks",
		[MPROF_BLOCK_POSITIONS] = "positions",
		[MPROF_BLOCK_CODE_RANGES] = "code-ranges",
		[MPROF_BLOCK_TYPED] = "typed",
		[MPROF_BLOCK_APPLICATION] = "application",
		[MPROF_BLOCK_CLOCK_PAIRS] = "clock-pairs",
		[MPROF_BLOCK_OBJECT_LABELS] = "object-labels",
		[MPROF_BLOCK_REFERENCE_NAMES] = "reference-names",
		[MPROF_BLOCK_REACHABILITY] = "reachability",
		[MPROF_BLOCK_WATERMARK] = "watermark",
		[MPROF_BLOCK_INDEX] = "index",
	};

	return NAME_FROM(names, kind);
}

const char *mprof_loss_get_name(uint32_t cause)
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

const char *mprof_metric_get_unit_name(uint32_t flags)
{
#define UNIT(unit) [MPROF_METRIC_UNIT_##unit / MPROF_METRIC_UNIT_BYTES]
	static const char *const names[] = {
		UNIT(RAW) = "raw",         UNIT(BYTES) = "bytes", UNIT(TIME) = "ns",
		UNIT(COUNT) = "count",     UNIT(RATIO) = "ratio", UNIT(BITS) = "bits",
		UNIT(JOULES) = "J",        UNIT(HERTZ) = "Hz",    UNIT(KELVIN) = "K",
		UNIT(PERCENT) = "percent", UNIT(PAGES) = "pages", UNIT(INSTRUCTIONS) = "instructions",
		UNIT(CYCLES) = "cycles",   UNIT(WATTS) = "W",     UNIT(NAMED) = "named",
	};
#undef UNIT
	const uint32_t unit = (flags & MPROF_METRIC_UNIT_MASK) / MPROF_METRIC_UNIT_BYTES;

	return NAME_FROM(names, unit);
}

#define SET_BITS 64
#define SET_ROOM (sizeof(((mprof_number_set *)0)->bits) * 8)

mprof_status mprof_number_set_add(mprof_number_set *set, uint32_t number)
{
	if (set == NULL || (size_t)number >= SET_ROOM)
		return MPROF_ERR_ARGUMENT;
	set->bits[(size_t)number / SET_BITS] |= UINT64_C(1) << (size_t)number % SET_BITS;
	return MPROF_OK;
}

int mprof_number_set_has(const mprof_number_set *set, uint32_t number)
{
	return set != NULL && (size_t)number < SET_ROOM &&
	       (set->bits[(size_t)number / SET_BITS] >> (size_t)number % SET_BITS & 1) != 0;
}

void mprof_block_init(mprof_block *block, size_t struct_size)
{
	struct_init(block, struct_size);
}
