/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_heap.h
 * \brief Copies HEAP_DATA blocks.
 */
#ifndef CONVERT_COPY_HEAP_H
#define CONVERT_COPY_HEAP_H

#include <mprof/convert.h>

mprof_status copy_heap(mprof_converter *converter, const mprof_block *block);

#endif
