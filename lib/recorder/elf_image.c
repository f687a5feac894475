/* SPDX-License-Identifier: MIT */
/* Reads headers and sections of ELF files, none of which are trusted. */
#include "recorder/elf_image.h"

#include "io/high_descriptor.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OWN_BYTE_ORDER ELFDATA2MSB
#else
#define OWN_BYTE_ORDER ELFDATA2LSB
#endif

/* More sections than any linker creates, and few enough to examine all of them. */
#define MAX_SECTIONS 65536

static int read_file(int fd, uint64_t offset, uint8_t *into, size_t length)
{
	while (length > 0) {
		ssize_t got = pread(fd, into, length, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		into += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return 1;
}

int elf_image_read(const elf_image *image, uint64_t offset, void *into, size_t length)
{
	if (offset > image->length || length > image->length - offset)
		return 0;
	if (image->bytes == NULL)
		return read_file(image->fd, offset, into, length);
	memcpy(into, image->bytes + offset, length);
	return 1;
}

static size_t section_header_size(const elf_image *image)
{
	return image->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* Reads the file's header. Returns 0 if it is not a supported ELF file. */
static int read_header(elf_image *image)
{
	unsigned char identity[EI_NIDENT];
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;
	elf_section first;
	uint32_t header_size;

	if (!elf_image_read(image, 0, identity, sizeof(identity)) || memcmp(identity, ELFMAG, SELFMAG) != 0 ||
	    identity[EI_DATA] != OWN_BYTE_ORDER ||
	    (identity[EI_CLASS] != ELFCLASS64 && identity[EI_CLASS] != ELFCLASS32))
		return 0;
	image->is_64 = identity[EI_CLASS] == ELFCLASS64;
	if (image->is_64 && elf_image_read(image, 0, &wide, sizeof(wide))) {
		image->machine = wide.e_machine;
		image->segments_at = wide.e_phoff;
		image->segment_count = wide.e_phentsize == sizeof(Elf64_Phdr) ? wide.e_phnum : 0;
		image->sections_at = wide.e_shoff;
		image->section_count = wide.e_shnum;
		header_size = wide.e_shentsize;
	} else if (!image->is_64 && elf_image_read(image, 0, &narrow, sizeof(narrow))) {
		image->machine = narrow.e_machine;
		image->segments_at = narrow.e_phoff;
		image->segment_count = narrow.e_phentsize == sizeof(Elf32_Phdr) ? narrow.e_phnum : 0;
		image->sections_at = narrow.e_shoff;
		image->section_count = narrow.e_shnum;
		header_size = narrow.e_shentsize;
	} else {
		return 0;
	}
	if (image->sections_at == 0 || header_size != section_header_size(image)) {
		image->section_count = 0;
	} else if (image->section_count == 0) {
		/* If the number is too large for the header, it is in the first section. */
		image->section_count = 1;
		if (!elf_image_section(image, 0, &first) || first.size > MAX_SECTIONS)
			first.size = 0;
		image->section_count = (uint32_t)first.size;
	}
	return 1;
}

int elf_image_open_file(elf_image *image, const char *path)
{
	struct stat about;

	memset(image, 0, sizeof(*image));
	/* O_NONBLOCK: if the path is that of a pipe by now, opening it must not wait. */
	image->fd = high_descriptor_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (image->fd < 0)
		return 0;
	if (fstat(image->fd, &about) == 0 && S_ISREG(about.st_mode)) {
		image->length = (uint64_t)about.st_size;
		if (read_header(image))
			return 1;
	}
	elf_image_close(image);
	return 0;
}

int elf_image_open_memory(elf_image *image, const void *bytes, size_t length)
{
	memset(image, 0, sizeof(*image));
	image->fd = -1;
	image->bytes = bytes;
	image->length = length;
	return read_header(image);
}

void elf_image_close(elf_image *image)
{
	if (image->fd >= 0)
		close(image->fd);
	image->fd = -1;
}

/* Finds the header of a section among those that were read last, or reads it with those after it. */
static const uint8_t *section_header(elf_image *image, uint32_t index)
{
	size_t size = section_header_size(image);
	uint64_t offset;
	uint64_t left;

	if (index >= image->section_count || __builtin_mul_overflow((uint64_t)index, size, &offset) ||
	    __builtin_add_overflow(image->sections_at, offset, &offset) || offset >= image->length)
		return NULL;
	left = image->length - offset;
	if (left < size)
		return NULL;
	if (offset < image->headers_at || offset - image->headers_at + size > image->headers_length) {
		image->headers_at = offset;
		image->headers_length = left < ELF_HEADERS_PIECE ? (size_t)left : ELF_HEADERS_PIECE;
		if (!elf_image_read(image, offset, image->headers, image->headers_length)) {
			image->headers_length = 0;
			return NULL;
		}
	}
	return image->headers + (offset - image->headers_at);
}

int elf_image_section(elf_image *image, uint32_t index, elf_section *section)
{
	const uint8_t *header = section_header(image, index);
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (header == NULL)
		return 0;
	if (image->is_64) {
		memcpy(&wide, header, sizeof(wide));
		*section = (elf_section){wide.sh_type, wide.sh_link,    wide.sh_addr,     wide.sh_offset,
					 wide.sh_size, wide.sh_entsize, wide.sh_addralign};
		return 1;
	}
	memcpy(&narrow, header, sizeof(narrow));
	*section = (elf_section){narrow.sh_type, narrow.sh_link,    narrow.sh_addr,     narrow.sh_offset,
				 narrow.sh_size, narrow.sh_entsize, narrow.sh_addralign};
	return 1;
}

int elf_image_segment(const elf_image *image, uint32_t index, elf_segment *segment)
{
	const size_t size = image->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint64_t offset;
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	/* A file has at most 65535. */
	if (index >= image->segment_count ||
	    __builtin_add_overflow(image->segments_at, (uint64_t)index * size, &offset) ||
	    !elf_image_read(image, offset, image->is_64 ? (void *)&wide : (void *)&narrow, size))
		return 0;
	if (image->is_64)
		*segment = (elf_segment){wide.p_type, wide.p_vaddr, wide.p_offset, wide.p_filesz};
	else
		*segment = (elf_segment){narrow.p_type, narrow.p_vaddr, narrow.p_offset, narrow.p_filesz};
	return 1;
}

int elf_image_has_content(const elf_image *image, const elf_section *section)
{
	return section->type != SHT_NOBITS && section->offset <= image->length &&
	       section->size <= image->length - section->offset;
}
