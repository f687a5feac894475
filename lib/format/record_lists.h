/* SPDX-License-Identifier: MIT */
/**
 * \file format/record_lists.h
 * \brief The lists of records in each kind of block (doc/format.md, 3.13 to 3.15, 3.18, 3.19).
 */
#ifndef FORMAT_RECORD_LISTS_H
#define FORMAT_RECORD_LISTS_H

#include <mprof/format.h>

/** Flag bits of a frame in STACKS. The bits between them are the ID of its method or location. */
#define STACK_FRAME_NATIVE UINT64_C(1)
#define STACK_FRAME_COMPILING (UINT64_C(1) << 33)

/** A native frame with location 0 stands for the outer frames that were not recorded. */
#define STACK_FRAME_TRUNCATED STACK_FRAME_NATIVE

/** The maximum number of lists in a block. */
#define RECORD_MAX_LISTS 3

/** The #mprof_record_kind of a list by its index; 0 if the block has no such list or no records at all. */
static inline uint32_t record_list_kind(uint32_t block_kind, uint32_t list)
{
	static const uint8_t code_lists[RECORD_MAX_LISTS] = {MPROF_RECORD_MODULE, MPROF_RECORD_FUNCTION,
							     MPROF_RECORD_LOCATION};
	static const uint8_t metrics_lists[RECORD_MAX_LISTS] = {MPROF_RECORD_METRIC, MPROF_RECORD_METRIC_VALUE, 0};

	if (list >= RECORD_MAX_LISTS)
		return 0;
	switch (block_kind) {
	case MPROF_BLOCK_STACKS:
		return list == 0 ? MPROF_RECORD_STACK : 0;
	case MPROF_BLOCK_CODE:
		return code_lists[list];
	case MPROF_BLOCK_METRICS:
		return metrics_lists[list];
	case MPROF_BLOCK_ROOTS:
		return list == 0 ? MPROF_RECORD_ROOT : 0;
	case MPROF_BLOCK_FIELDS:
		return list == 0 ? MPROF_RECORD_FIELD : 0;
	case MPROF_BLOCK_HEAP_SUMMARY:
		return list == 0 ? MPROF_RECORD_SUMMARY : 0;
	default:
		return 0;
	}
}

/** Whether a block of this kind consists of records. */
static inline int block_has_records(uint32_t block_kind)
{
	return record_list_kind(block_kind, 0) != 0;
}

/** Whether a record of this kind defines its ID; the IDs in a list of definitions are consecutive. */
static inline int record_is_definition(uint32_t record_kind)
{
	return record_kind >= MPROF_RECORD_STACK && record_kind <= MPROF_RECORD_METRIC;
}

#endif
