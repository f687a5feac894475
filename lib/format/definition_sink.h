/* SPDX-License-Identifier: MIT */
/**
 * \file format/definition_sink.h
 * \brief Where definitions go while a block is decoded, so that storing them takes no second pass.
 */
#ifndef FORMAT_DEFINITION_SINK_H
#define FORMAT_DEFINITION_SINK_H

#include <mprof/parser.h>

/**
 * Receives the definitions of a block in their order, before the rest of the block is checked: whether the block
 * is valid is known only after its last definition. The texts of a definition point into the content of the block.
 */
typedef struct definition_sink {
	/** Receives a class or a method of a MAPPING block. */
	void (*mapping)(void *user, const mprof_mapping *mapping);
	/** Receives a record of a STACKS, CODE, METRICS, ROOTS, FIELDS or HEAP_SUMMARY block. */
	void (*record)(void *user, const mprof_record *record);
	void *user;
} definition_sink;

#endif
