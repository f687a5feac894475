/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/system/elf_symbols.h
 * \brief The functions in the symbol tables of ELF files.
 *
 * Nothing in a file is trusted: a damaged, truncated or malicious file results in fewer or wrong names.
 */
#ifndef RECORDER_SYSTEM_ELF_SYMBOLS_H
#define RECORDER_SYSTEM_ELF_SYMBOLS_H

#include "base/allocator.h"

#include <stddef.h>
#include <stdint.h>

/** Size of a build ID of up to 32 bytes in hexadecimal, with its NUL. */
#define ELF_BUILD_ID_TEXT 65

/**
 * Looks through notes. \p alignment is that of their segment or section. Returns 1 and stores the ID as text. Returns 0
 * and leaves \p text unchanged if it is missing or too long.
 */
int elf_build_id_find(const uint8_t *notes, size_t length, uint64_t alignment, char text[ELF_BUILD_ID_TEXT]);

/** Bytes of section headers that are read at once, a multiple of both header sizes. */
#define ELF_HEADERS_PIECE 5120

/*
 * Files are read, not mapped: if one is truncated meanwhile, reading fails instead of raising SIGBUS.
 */

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

void elf_image_close(elf_image *image);

/** Finds a segment. Returns 0 if not found. Its content may be missing. */
int elf_image_segment(const elf_image *image, uint32_t index, elf_segment *segment);

/** A function. */
typedef struct elf_symbol {
	uint64_t start;     /**< Its address in the file's own address space. */
	uint64_t end;       /**< After its last byte, or its section's if its size is not known. */
	uint32_t name;      /**< Where its name begins in elf_symbols::names, if these have names. */
	uint32_t enclosing; /**< Index + 1 of the closest preceding function that contains this one's start, or 0. */
	uint32_t rank;      /**< Of several at one address, the lowest rank provides the name. */
	uint32_t has_size;  /**< 1: its size is known. */
} elf_symbol;

typedef struct elf_symbols {
	mprof_allocator allocator;
	elf_symbol *symbols; /**< Once sorted: ordered by start, at most one for each start. */
	size_t count;
	size_t capacity;
	char *names; /**< Each ends with NUL. */
	size_t names_length;
} elf_symbols;

void elf_symbols_init(elf_symbols *symbols, const mprof_allocator *allocator);
void elf_symbols_destroy(elf_symbols *symbols);

/**
 * Adds the functions that a file names. \p build_id: the module's, in hexadecimal; a file with another one is not the
 * module's and is ignored. "" is not compared. Returns 1 if the file has a full symbol table, 0 if it has only that of
 * the dynamic linker, or none.
 */
int elf_symbols_add_file(elf_symbols *symbols, const char *path, const char *build_id);

/** Adds the functions that a file in memory names. Returns 1 if it has a full symbol table, otherwise 0. */
int elf_symbols_add_memory(elf_symbols *symbols, const void *bytes, size_t length);

/** Sorts the functions. Call it once, after the last addition and before elf_symbols_find(). */
void elf_symbols_sort(elf_symbols *symbols);

/** The function that contains an address, or NULL. */
const elf_symbol *elf_symbols_find(const elf_symbols *symbols, uint64_t address);

static inline const char *elf_symbols_name(const elf_symbols *symbols, const elf_symbol *symbol)
{
	return symbols->names + symbol->name;
}

/**
 * Adds the functions of a file, without names, and sorts them. Call it once. \p build_id: as in
 * elf_symbols_add_file().
 */
void elf_bounds_read(elf_symbols *bounds, const char *path, const char *build_id);

#endif
