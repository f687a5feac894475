/* SPDX-License-Identifier: MIT */
/**
 * \file encoded_log.h
 * \brief Stores the content of a log in another way: in columns, compressed block by block, and with an index.
 */
#ifndef LOGS_ENCODED_LOG_H
#define LOGS_ENCODED_LOG_H

#include "log_fixture.h"

/** Whether the library can write this #mprof_codec_number; it can always write #MPROF_CODEC_NONE. */
int log_has_codec(uint32_t codec);

/** Copies a complete log to mprof2 with columns, an index, and blocks compressed with the codec. */
log_bytes log_encode(const log_bytes *log, uint32_t codec);

#endif
