/* SPDX-License-Identifier: MIT */
/**
 * \file convert/converter.h
 * \brief Copies a log block by block, for logs that are merged.
 */
#ifndef CONVERT_CONVERTER_H
#define CONVERT_CONVERTER_H

#include "convert/converter_internal.h"

/**
 * Lets the converter write to the writer of other logs as well, with the numbers of \p input. \p resolution converts
 * its counters.
 */
void converter_merge(mprof_converter *converter, struct merge_input *input, mprof_writer *writer,
		     const copy_resolution *resolution);

/** The block that converter_copy_next() copies, as it is in the log; NULL at the end of the log. */
const mprof_block *converter_peek(mprof_converter *converter);

/**
 * Copies the next block. At the end of the log it sets mprof_converter::is_over. Returns #MPROF_OK, #MPROF_AGAIN or
 * #MPROF_ERR_INTERRUPTED from the reader, or the error that ends the copy.
 */
mprof_status converter_copy_next(mprof_converter *converter);

#endif
