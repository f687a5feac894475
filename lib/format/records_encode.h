/* SPDX-License-Identifier: MIT */
/**
 * \file format/records_encode.h
 * \brief What STACKS, CODE, METRICS, ROOTS and HEAP_SUMMARY blocks list (doc/format.md, 3.13 to 3.15, 3.18, 3.19) as
 * bytes.
 */
#ifndef FORMAT_RECORDS_ENCODE_H
#define FORMAT_RECORDS_ENCODE_H

#include "base/id_map.h"
#include "format/encode_buffer.h"

/**
 * Appends all lists of a block, each with its end. Records may stand in any order but for those of one list. The caller
 * has checked them. \p first_stack is the id of the first definition of STACKS. \p double_metrics has a number for each
 * metric whose values are doubles.
 */
void records_encode(encode_buffer *buffer, uint32_t block_kind, uint32_t first_stack, const id_map *double_metrics,
		    const mprof_record *records, size_t count);

#endif
