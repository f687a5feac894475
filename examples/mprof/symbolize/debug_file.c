/* SPDX-License-Identifier: MIT */
/* Opens the debug information of a module, if it is that of the recorded build. */
#include "symbolize/debug_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Length of a build ID in hexadecimal digits. */
#define MIN_BUILD_ID 4
#define MAX_BUILD_ID 128

/* A regular file alone: opening or reading anything else could block, or change the state of a device. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat about;

	if (fd >= 0 && (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int has_build_id(Dwfl_Module *module, const char *wanted)
{
	const unsigned char *bits;
	GElf_Addr address;
	int length = dwfl_module_build_id(module, &bits, &address);
	char digits[3];

	if (length <= 0 || strlen(wanted) != (size_t)length * 2)
		return 0;
	for (int i = 0; i < length; i++) {
		snprintf(digits, sizeof(digits), "%02x", bits[i]);
		if (memcmp(digits, wanted + (size_t)i * 2, 2) != 0)
			return 0;
	}
	return 1;
}

/* The lowest address of the segments, as the recorder defines the start of a module. Returns 0 if there is none. */
static int find_start(Elf *elf, Dwarf_Addr *start)
{
	size_t count;
	int is_found = 0;

	if (elf_getphdrnum(elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) == NULL || segment.p_type != PT_LOAD)
			continue;
		if (!is_found || segment.p_vaddr < *start)
			*start = segment.p_vaddr;
		is_found = 1;
	}
	return is_found;
}

static debug_state find_dwarf(debug_file *file, Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf_Addr dwarf_bias;
	Elf *elf = dwfl_module_getelf(module, &bias);

	if (elf == NULL || !find_start(elf, &file->start))
		return DEBUG_UNREADABLE;
	file->module = module;
	file->address = file->start + bias;
	file->dwarf = dwfl_module_getdwarf(module, &dwarf_bias);
	/* The two differ if the addresses of a separate debug file are not those of the module. */
	file->start += bias - dwarf_bias;
	return file->dwarf != NULL ? DEBUG_FOUND : DEBUG_NONE;
}

static debug_state open_candidate(debug_file *file, const char *build_id, const char *path)
{
	static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
						 .section_address = dwfl_offline_section_address};
	int fd = open_regular(path);
	Dwfl_Module *module;

	if (fd < 0)
		return DEBUG_NO_FILE;
	file->session = dwfl_begin(&callbacks);
	module = file->session != NULL ? dwfl_report_offline(file->session, "module", path, fd) : NULL;
	if (module == NULL) {
		close(fd);
		return DEBUG_UNREADABLE;
	}
	dwfl_report_end(file->session, NULL, NULL);
	return has_build_id(module, build_id) ? find_dwarf(file, module) : DEBUG_REBUILT;
}

debug_state debug_file_open(debug_file *file, const char *build_id, const char *path)
{
	const size_t length = strlen(build_id);
	char separate[sizeof("/usr/lib/debug/.build-id//.debug") + MAX_BUILD_ID];
	debug_state state = DEBUG_NO_FILE;

	memset(file, 0, sizeof(*file));
	if (length < MIN_BUILD_ID || length > MAX_BUILD_ID || strspn(build_id, "0123456789abcdef") != length)
		return DEBUG_NO_BUILD_ID;
	if (path[0] == '/')
		state = open_candidate(file, build_id, path);
	if (state == DEBUG_FOUND || state == DEBUG_NONE)
		return state;
	debug_file_close(file);
	snprintf(separate, sizeof(separate), "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	/* If this fails as well, the state of the module's own file is the reason. */
	return open_candidate(file, build_id, separate) == DEBUG_FOUND ? DEBUG_FOUND : state;
}

const char *debug_file_symbol(const debug_file *file, uint64_t offset)
{
	GElf_Off within = 0;
	GElf_Sym symbol;
	const char *name;

	if (file->module == NULL)
		return NULL;
	name = dwfl_module_addrinfo(file->module, file->address + offset, &within, &symbol, NULL, NULL, NULL);
	/* It may also be the closest symbol before the address. */
	return name != NULL && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && within < symbol.st_size ? name : NULL;
}

void debug_file_close(debug_file *file)
{
	if (file->session != NULL)
		dwfl_end(file->session);
	memset(file, 0, sizeof(*file));
}
