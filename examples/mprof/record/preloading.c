/* SPDX-License-Identifier: MIT */
/* Determines whether the system loads the recorder into a native program. */
#include "record/preloading.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Programs have about a dozen program headers. */
#define MAX_HEADERS 128

static int gives_privileges(const char *path)
{
	struct stat file;

	if (geteuid() == 0 || stat(path, &file) != 0)
		return 0;
	if ((file.st_mode & S_ISUID) != 0 && file.st_uid != geteuid())
		return 1;
	/* Without the permission to execute, the bit stands for mandatory locks. */
	if ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != getegid())
		return 1;
	return getxattr(path, "security.capability", NULL, 0) > 0;
}

static int names_linker(int fd, const ElfW(Ehdr) * header)
{
	for (size_t i = 0; i < header->e_phnum && i < MAX_HEADERS; i++) {
		off_t offset = (off_t)(header->e_phoff + i * sizeof(ElfW(Phdr)));
		ElfW(Phdr) segment;

		if (pread(fd, &segment, sizeof(segment), offset) != (ssize_t)sizeof(segment))
			return 1;
		if (segment.p_type == PT_INTERP)
			return 1;
	}
	return 0;
}

/* Programs for another word size have other headers: the recorder does not fit them, but they may be dynamic. */
static int is_static(const char *path)
{
	const unsigned char word_size = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) header;
	int is_dynamic = 1;

	if (fd < 0)
		return 0;
	if (pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == word_size &&
	    header.e_phentsize == sizeof(ElfW(Phdr)))
		is_dynamic = names_linker(fd, &header);
	close(fd);
	return !is_dynamic;
}

preloading preloading_of(const char *path)
{
	if (gives_privileges(path))
		return PRELOADING_IS_PRIVILEGED;
	return is_static(path) ? PRELOADING_IS_STATIC : PRELOADING_WORKS;
}
