/* SPDX-License-Identifier: MIT */
/*
 * Finds the names of native functions by address.
 *
 * dladdr(3) would suffice for exported functions, but it waits while another thread runs the constructors of a library,
 * which in turn may wait for the thread that resolves names. So modules are found by dl_iterate_phdr(3), and symbols
 * are read from their files, which contain the names of all functions.
 */
#include "symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNCTION_TYPE(info) ((info)&0xf)

typedef struct function_symbol {
	ElfW(Addr) start; /**< Start address, as in the file. */
	ElfW(Xword) size;
	const char *name;
} function_symbol;

struct symbol_module {
	symbol_module *next;
	uintptr_t bias; /**< Difference of addresses in memory and in the file. */
	uintptr_t first;
	uintptr_t last; /**< Last address of its segments in memory, inclusive. */
	char *name;
	function_symbol *functions; /**< Sorted by address. */
	size_t count;
};

/* A mapped file. It stays mapped, since names point into it. */
typedef struct file_image {
	const unsigned char *bytes;
	size_t size;
} file_image;

/* Guarded by modules_lock. A module does not change any more once it is in the list. */
static symbol_module *modules;
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;

void symbols_forget(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	modules_lock = unlocked;
	modules = NULL;
}

/* A search with dl_iterate_phdr(). */
typedef struct module_search {
	uintptr_t address;
	uintptr_t bias;
	uintptr_t first;
	uintptr_t last;
	char path[4096]; /**< "" for the program itself. */
	int is_found;
} module_search;

static int search_module(struct dl_phdr_info *info, size_t size, void *user)
{
	module_search *search = user;
	uintptr_t first = UINTPTR_MAX;
	uintptr_t last = 0;

	(void)size;
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || segment->p_memsz == 0)
			continue;
		first = start < first ? start : first;
		last = start + segment->p_memsz - 1 > last ? start + segment->p_memsz - 1 : last;
	}
	if (search->address < first || search->address > last)
		return 0;
	search->bias = info->dlpi_addr;
	search->first = first;
	search->last = last;
	strncpy(search->path, info->dlpi_name, sizeof(search->path) - 1);
	search->is_found = 1;
	return 1;
}

/* A range of a file, NULL if it is not completely inside the file. */
static const void *part_of(const file_image *image, uint64_t offset, uint64_t size)
{
	if (offset > image->size || size > image->size - offset)
		return NULL;
	return image->bytes + offset;
}

static int compare_functions(const void *left, const void *right)
{
	const function_symbol *a = left;
	const function_symbol *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Reads the functions of a symbol table. */
static void read_symbols(symbol_module *module, const file_image *image, const ElfW(Shdr) * table,
			 const ElfW(Shdr) * names)
{
	const ElfW(Sym) *symbols = part_of(image, table->sh_offset, table->sh_size);
	const char *text = part_of(image, names->sh_offset, names->sh_size);
	size_t count = table->sh_size / sizeof(*symbols);

	/* The string table must end with NUL, so that every name is terminated. */
	if (symbols == NULL || text == NULL || names->sh_size == 0 || text[names->sh_size - 1] != '\0')
		return;
	module->functions = calloc(count > 0 ? count : 1, sizeof(*module->functions));
	for (size_t i = 0; module->functions != NULL && i < count; i++) {
		function_symbol *function = &module->functions[module->count];

		if (FUNCTION_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_shndx == SHN_UNDEF ||
		    symbols[i].st_name >= names->sh_size)
			continue;
		function->start = symbols[i].st_value;
		function->size = symbols[i].st_size;
		function->name = text + symbols[i].st_name;
		module->count++;
	}
	if (module->count > 0)
		qsort(module->functions, module->count, sizeof(*module->functions), compare_functions);
}

/* Reads the full symbol table if there is one, else that of exported symbols. */
static void read_image(symbol_module *module, const file_image *image)
{
	const ElfW(Ehdr) *header = part_of(image, 0, sizeof(*header));
	const ElfW(Shdr) * sections;
	const ElfW(Shdr) *chosen = NULL;

	if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_shentsize != sizeof(*sections) || header->e_shoff % sizeof(uint64_t) != 0)
		return;
	sections = part_of(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections));
	for (ElfW(Half) i = 0; sections != NULL && i < header->e_shnum; i++) {
		if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && chosen == NULL))
			chosen = &sections[i];
	}
	if (chosen != NULL && chosen->sh_link < header->e_shnum && chosen->sh_offset % sizeof(uint64_t) == 0)
		read_symbols(module, image, chosen, &sections[chosen->sh_link]);
}

static void read_file(symbol_module *module, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	file_image image = {NULL, 0};
	struct stat status;
	void *bytes = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return;
	image.bytes = bytes;
	image.size = (size_t)status.st_size;
	read_image(module, &image);
}

static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strdup(slash != NULL ? slash + 1 : path);
}

static symbol_module *add_module(const module_search *search)
{
	symbol_module *module = calloc(1, sizeof(*module));
	char program[4096];
	ssize_t length;

	if (module == NULL)
		return NULL;
	module->bias = search->bias;
	module->first = search->first;
	module->last = search->last;
	if (search->path[0] != '\0') {
		module->name = base_name(search->path);
		read_file(module, search->path);
	} else {
		length = readlink("/proc/self/exe", program, sizeof(program) - 1);
		program[length > 0 ? length : 0] = '\0';
		module->name = base_name(program);
		read_file(module, "/proc/self/exe");
	}
	module->next = modules;
	modules = module;
	return module;
}

static symbol_module *find_module(const module_search *search)
{
	symbol_module *module = modules;

	while (module != NULL &&
	       (module->bias != search->bias || module->first != search->first || module->last != search->last))
		module = module->next;
	return module;
}

symbol_module *symbols_module(uintptr_t address)
{
	module_search search = {.address = address};
	symbol_module *module;

	dl_iterate_phdr(search_module, &search);
	if (!search.is_found)
		return NULL;
	pthread_mutex_lock(&modules_lock);
	module = find_module(&search);
	if (module == NULL)
		module = add_module(&search);
	pthread_mutex_unlock(&modules_lock);
	return module;
}

uintptr_t symbols_module_start(const symbol_module *module)
{
	return module->first;
}

const char *symbols_module_name(const symbol_module *module)
{
	return module->name != NULL && module->name[0] != '\0' ? module->name : "program";
}

const char *symbols_function(const symbol_module *module, uintptr_t address)
{
	ElfW(Addr) wanted = address - module->bias;
	size_t low = 0;
	size_t high = module->count;

	/* Binary search for the last function that starts at or before the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module->functions[middle].start <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	low--;
	if (wanted != module->functions[low].start &&
	    wanted - module->functions[low].start >= module->functions[low].size)
		return NULL;
	return module->functions[low].name;
}

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* The address of __cxa_demangle(); NULL if it was not found. */
static _Atomic(void *) demangler;

void symbols_find_demangler(void)
{
	atomic_store_explicit(&demangler, dlsym(RTLD_DEFAULT, "__cxa_demangle"), memory_order_relaxed);
}

int symbols_has_demangler(void)
{
	return atomic_load_explicit(&demangler, memory_order_relaxed) != NULL;
}

char *symbols_demangle(const char *name)
{
	demangle_function *demangle;
	int status = -1;
	void *address;
	char *result;

	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	if (!symbols_has_demangler())
		symbols_find_demangler();
	address = atomic_load_explicit(&demangler, memory_order_relaxed);
	if (address == NULL)
		return NULL;
	memcpy(&demangle, &address, sizeof(demangle));
	result = demangle(name, NULL, NULL, &status);
	return status == 0 ? result : NULL;
}
