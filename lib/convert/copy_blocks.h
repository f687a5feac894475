/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_blocks.h
 * \brief Copies blocks without lists of events.
 */
#ifndef CONVERT_COPY_BLOCKS_H
#define CONVERT_COPY_BLOCKS_H

#include <mprof/convert.h>

mprof_status copy_mapping(mprof_converter *converter, const mprof_block *block);
mprof_status copy_loaded(mprof_converter *converter, const mprof_block *block);
mprof_status copy_session(mprof_converter *converter, const mprof_block *block);
mprof_status copy_thread(mprof_converter *converter, const mprof_block *block);
mprof_status copy_lost(mprof_converter *converter, const mprof_block *block);
mprof_status copy_mark(mprof_converter *converter, const mprof_block *block);

/**
 * Writes the property that states the unit of the copy before the first block that is not DIRECTIVES, unless the unit
 * is that of the log.
 */
mprof_status state_resolution(mprof_converter *converter, const mprof_block *block);

mprof_status copy_heap(mprof_converter *converter, const mprof_block *block);

mprof_status copy_samples(mprof_converter *converter, const mprof_block *block);

#endif
