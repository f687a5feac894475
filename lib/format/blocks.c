/* SPDX-License-Identifier: MIT */
/* Sets of block kinds, bits of directives, and the initialization of mprof_block. */
#include <mprof/parser.h>

#include "base/options.h"

#define SET_BITS 64
#define SET_ROOM (sizeof(((mprof_block_set *)0)->bits) * 8)

void mprof_block_set_add(mprof_block_set *set, mprof_block_kind kind)
{
	if (set != NULL && (size_t)kind < SET_ROOM)
		set->bits[(size_t)kind / SET_BITS] |= UINT64_C(1) << (size_t)kind % SET_BITS;
}

int mprof_block_set_has(const mprof_block_set *set, mprof_block_kind kind)
{
	return set != NULL && (size_t)kind < SET_ROOM &&
	       (set->bits[(size_t)kind / SET_BITS] >> (size_t)kind % SET_BITS & 1) != 0;
}

uint64_t mprof_directive_get_bit(mprof_directive directive)
{
	return (uint32_t)directive < 64 ? MPROF_DIRECTIVE_BIT((uint32_t)directive) : 0;
}

void mprof_block_init(mprof_block *block, size_t struct_size)
{
	struct_init(block, struct_size);
}
