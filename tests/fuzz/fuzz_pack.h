/* SPDX-License-Identifier: MIT */
/**
 * \file fuzz_pack.h
 * \brief Numbers, checksums and compressed blocks of mprof2, written without the library.
 */
#ifndef FUZZ_FUZZ_PACK_H
#define FUZZ_FUZZ_PACK_H

#include <stddef.h>
#include <stdint.h>

/** Encodes a number in up to 10 bytes. Returns their number. */
size_t fuzz_encode_number(uint8_t *bytes, uint64_t value);

/** Decodes the number at \p *at, which is advanced, but not beyond \p length. */
uint64_t fuzz_decode_number(const uint8_t *bytes, size_t length, size_t *at);

/** Sets the length and, with \p has_checksum, the checksum of a block. */
void fuzz_seal_block(uint8_t *block, size_t length, size_t header_length, int has_checksum);

/**
 * Makes a compressed block of a block of mprof2 whose content has \p content_length bytes, or changes what is in a
 * compressed one and compresses it again; some fields may be wrong. Returns the length of the block that was made, with
 * room for its checksum; 0 if none was.
 */
size_t fuzz_repack(uint8_t *created, size_t room, const uint8_t *block, size_t content_length);

#endif
