/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/elf_build_id.h
 * \brief Finds the build ID among the notes of an ELF file or image.
 */
#ifndef RECORDER_ELF_BUILD_ID_H
#define RECORDER_ELF_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/** Size of a build ID of up to 32 bytes in hexadecimal, with its NUL. */
#define ELF_BUILD_ID_TEXT 65

/**
 * Looks through notes. \p alignment is that of their segment or section. Returns 1 and stores the ID as text. Returns 0
 * and leaves \p text unchanged if it is missing or too long.
 */
int elf_build_id_find(const uint8_t *notes, size_t length, uint64_t alignment, char text[ELF_BUILD_ID_TEXT]);

#endif
