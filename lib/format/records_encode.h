/* SPDX-License-Identifier: MIT */
/**
 * \file format/records_encode.h
 * \brief Encodes the lists of STACKS, CODE, METRICS, ROOTS and HEAP_SUMMARY blocks (doc/format.md, 3.13 to 3.15, 3.18,
 * 3.19).
 */
#ifndef FORMAT_RECORDS_ENCODE_H
#define FORMAT_RECORDS_ENCODE_H

#include "base/id_map.h"
#include "format/encode_buffer.h"

/**
 * Appends all lists of a block. Records of different lists may be in any order; those of one list are in the order of
 * the block. The caller has checked them. \p first_stack is the ID of the first call stack in STACKS. \p double_metrics
 * contains the metrics whose values are doubles.
 */
void records_encode(encode_buffer *buffer, uint32_t block_kind, uint32_t first_stack, const id_map *double_metrics,
		    const mprof_record *records, size_t count);

#endif
