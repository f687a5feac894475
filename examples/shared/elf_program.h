/* SPDX-License-Identifier: MIT */
/**
 * \file shared/elf_program.h
 * \brief Reads the file of a program, and finds out whether a recorder can be loaded into it.
 *
 * All functions are async-signal-safe, use little stack, and may be called in a child of vfork().
 */
#ifndef SHARED_ELF_PROGRAM_H
#define SHARED_ELF_PROGRAM_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/** Size of the names of dynamic linkers and of what shows a sanitizer, which are cut. */
#define ELF_PROGRAM_NAME_SIZE 64

typedef struct elf_program {
	int fd; /**< Borrowed. */
	ElfW(Ehdr) header;
} elf_program;

/** Why a program cannot load a recorder. */
typedef enum elf_program_obstacle {
	ELF_PROGRAM_ACCEPTS,        /**< As far as the file shows. */
	ELF_PROGRAM_OTHER_MACHINE,  /**< Code for another processor or word size. */
	ELF_PROGRAM_OTHER_LIBRARY,  /**< Another C library: each has a dynamic linker with a name of its own. */
	ELF_PROGRAM_WITH_SANITIZER, /**< A sanitizer that does not run together with the recorder. */
} elf_program_obstacle;

/** Reads the header. Returns 0 if the file is no program in this format. */
int elf_program_read(elf_program *program, int fd);

/** Reads \p length bytes at an offset. Returns 0 if the file does not have them. */
int elf_program_read_at(const elf_program *program, void *bytes, size_t length, uint64_t offset);

/** Finds the first segment of a type. */
int elf_program_find_segment(const elf_program *program, uint32_t type, ElfW(Phdr) * segment);

/** The table of names that a program imports, exports or needs. */
typedef struct elf_program_names {
	uint64_t offset; /**< In the file. */
	uint64_t length;
} elf_program_names;

/** Finds that table. \p begins_early: whether functions run before those of all libraries. Returns 0 without one. */
int elf_program_find_names(const elf_program *program, elf_program_names *names, int *begins_early);

/** Reads the file name of the dynamic linker. Returns 0 if the program needs none. */
int elf_program_linker(const elf_program *program, char name[ELF_PROGRAM_NAME_SIZE]);

/**
 * Whether a program can load what has the format of \p own and the dynamic linker \p own_linker, empty if not known.
 * \p detail receives the name of the program's dynamic linker or of what shows the sanitizer, if that is the
 * obstacle.
 */
elf_program_obstacle elf_program_judge(const elf_program *program, const ElfW(Ehdr) * own, const char *own_linker,
				       char detail[ELF_PROGRAM_NAME_SIZE]);

#endif
