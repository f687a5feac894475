/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/elf_image.h
 * \brief Reads an ELF file, or one in memory, piece by piece. Nothing in it is trusted.
 *
 * Files are read, not mapped: if one is truncated meanwhile, reading fails instead of raising SIGBUS.
 */
#ifndef RECORDER_ELF_IMAGE_H
#define RECORDER_ELF_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/** Bytes of section headers that are read at once, a multiple of both header sizes. */
#define ELF_HEADERS_PIECE 5120

typedef struct elf_image {
	int fd;               /**< -1 for one in memory. */
	const uint8_t *bytes; /**< NULL for a file. */
	uint64_t length;
	int is_64; /**< 64-bit, else 32-bit. */
	uint32_t machine;
	uint64_t segments_at; /**< Its program headers. */
	uint32_t segment_count;
	uint64_t sections_at;
	uint32_t section_count;
	uint64_t headers_at;   /**< Offset of the section headers that were read last, ... */
	size_t headers_length; /**< ... and how many bytes they have; 0 before the first. */
	uint8_t headers[ELF_HEADERS_PIECE];
} elf_image;

/** A section as its header describes it. */
typedef struct elf_section {
	uint32_t type;
	uint32_t link;    /**< Another section that it needs. */
	uint64_t address; /**< In memory. */
	uint64_t offset;  /**< Where its content begins. */
	uint64_t size;
	uint64_t entry_size;
	uint64_t alignment;
} elf_section;

/** A segment as its program header describes it. */
typedef struct elf_segment {
	uint32_t type;
	uint64_t address; /**< In memory. */
	uint64_t offset;  /**< Where its content begins. */
	uint64_t size;    /**< Of its content. */
} elf_segment;

/**
 * Returns 0 if the file cannot be read or is not an ELF file of the machine's byte order. Otherwise the caller closes
 * it.
 */
int elf_image_open_file(elf_image *image, const char *path);

/** Opens a file in memory. Returns 0 if it is not an ELF file of the machine's byte order. */
int elf_image_open_memory(elf_image *image, const void *bytes, size_t length);

void elf_image_close(elf_image *image);

/** Reads exactly \p length bytes. Returns 0 if the file does not have them. */
int elf_image_read(const elf_image *image, uint64_t offset, void *into, size_t length);

/** Finds a section. Returns 0 if not found. Its content may be missing. */
int elf_image_section(elf_image *image, uint32_t index, elf_section *section);

/** Finds a segment. Returns 0 if not found. Its content may be missing. */
int elf_image_segment(const elf_image *image, uint32_t index, elf_segment *segment);

/** Whether the file contains all of a section. */
int elf_image_has_content(const elf_image *image, const elf_section *section);

#endif
