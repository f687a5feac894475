/* SPDX-License-Identifier: MIT */
/**
 * \file base/checksum.h
 * \brief CRC-32C (Castagnoli): the checksum of mprof2 blocks.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/**
 * Continues a checksum over \p length more bytes. \p checksum is 0 at first, then the result for the preceding bytes.
 * Uses the processor's instruction if it has one. Thread-safe.
 */
uint32_t checksum_update(uint32_t checksum, const void *bytes, size_t length);

/** Like checksum_update(), with a table on any machine. Separate, so that a test can compare both. */
uint32_t checksum_update_portable(uint32_t checksum, const void *bytes, size_t length);

#endif
