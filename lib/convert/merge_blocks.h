/* SPDX-License-Identifier: MIT */
/**
 * \file convert/merge_blocks.h
 * \brief Translates the numbers of blocks of a log that is merged with others, defines its classes and methods, and
 * copies the properties of its sessions.
 */
#ifndef CONVERT_MERGE_BLOCKS_H
#define CONVERT_MERGE_BLOCKS_H

#include "convert/converter_internal.h"

/** Copies a SESSION block. */
mprof_status merge_session_copy(mprof_converter *converter, const mprof_block *block);

/** States a property of the process. */
mprof_status merge_session_state(mprof_converter *converter, const char *key, const char *value);

/**
 * Translates the numbers of a block that is about to be copied, and writes what has to precede it: the descriptions of
 * its threads. Returns #MPROF_OK or the error that ends the copy.
 */
mprof_status merge_begin_block(mprof_converter *converter, mprof_block *block);

/** Defines a class or a method of the log, unless the merged log has it. */
mprof_status merge_define_class(mprof_converter *converter, const mprof_mapping *mapping);
mprof_status merge_define_method(mprof_converter *converter, const mprof_mapping *mapping);

/** The ID of a code unit in the merged log. Returns 0 if there is no memory. */
int merge_code_unit(mprof_converter *converter, const mprof_block *block, uint32_t *id);

#endif
