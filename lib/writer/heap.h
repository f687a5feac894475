/* SPDX-License-Identifier: MIT */
/**
 * \file writer/heap.h
 * \brief Writes heap blocks.
 */
#ifndef WRITER_HEAP_H
#define WRITER_HEAP_H

#include <mprof/writer.h>

/** The snapshot that is collected in dialects in which it is one block. */
void writer_heap_init(mprof_writer *writer);
void writer_heap_destroy(mprof_writer *writer);

#endif
