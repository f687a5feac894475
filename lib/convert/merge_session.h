/* SPDX-License-Identifier: MIT */
/**
 * \file convert/merge_session.h
 * \brief What the sessions of merged logs state: properties of each process, and those of the merged log.
 */
#ifndef CONVERT_MERGE_SESSION_H
#define CONVERT_MERGE_SESSION_H

#include "convert/converter_internal.h"

/** Copies a SESSION block. */
mprof_status merge_session_copy(mprof_converter *converter, const mprof_block *block);

/** States what applies to the samples or allocations of a block, if the last block of this kind had another value. */
mprof_status merge_session_before(mprof_converter *converter, const mprof_block *block);

/** States a property of the process. */
mprof_status merge_session_state(mprof_converter *converter, const char *key, const char *value);

#endif
