/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/known_ids.h
 * \brief The highest IDs that the blocks read so far define.
 */
#ifndef FORMAT_VALUES_KNOWN_IDS_H
#define FORMAT_VALUES_KNOWN_IDS_H

#include <stdint.h>

/** Used to infer the layout of a block: a layout in which the block refers to higher IDs is less likely. */
typedef struct known_ids {
	uint32_t class_id;
	uint32_t method_id;
	uint32_t function_id;
	uint32_t module_id; /**< Native modules in STATISTICAL blocks. */
} known_ids;

static inline void known_id_add(uint32_t *highest, uint32_t id)
{
	if (id > *highest)
		*highest = id;
}

#endif
