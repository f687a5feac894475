/* SPDX-License-Identifier: MIT */
/**
 * \file convert/clocks.h
 * \brief The clock that the writer of a copy reads: it delivers the clocks of the blocks that are copied.
 */
#ifndef CONVERT_CLOCKS_H
#define CONVERT_CLOCKS_H

#include <mprof/convert.h>

/** The #mprof_clock_function of the copy. \p user is the converter. After the last clock it repeats that one. */
void converter_read_clock(void *user, mprof_clock *clock);

/** Sets the clocks of the next block. */
void converter_set_clocks(mprof_converter *converter, const mprof_clock *start, const mprof_clock *end);

/** Sets the clocks of the next block to those of \p block, or to the last ones if \p block has none. */
void converter_set_clock(mprof_converter *converter, const mprof_block *block);

/** As converter_set_clock(), for a HEAP_DATA block, which may have four clocks. */
void converter_set_snapshot_clock(mprof_converter *converter, const mprof_block *block);

#endif
