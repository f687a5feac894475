/* SPDX-License-Identifier: MIT */
/* The process that reads debug information: sets limits and answers requests. */
#include "symbolize/helper.h"

#include "common/elements.h"
#include "common/process_limits.h"
#include "symbolize/protocol.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Opens the debug information of a module, if it is that of the recorded build, and finds source lines and inlined
 * functions in it.
 */

typedef struct debug_file {
	Dwfl *session;
	Dwfl_Module *module;
	Dwarf *dwarf;       /**< NULL: there is no debug information. */
	Dwarf_Addr start;   /**< Address in the debug information of the module's first byte. */
	Dwarf_Addr address; /**< The same for symbols. */
} debug_file;

/*
 * libdw searches units in .debug_aranges, which not all compilers write, and functions by visiting the whole unit.
 */

/* A range of addresses, and the index of what it belongs to. */
typedef struct address_range {
	Dwarf_Addr start;
	Dwarf_Addr end; /**< After the last address. */
	size_t index;
} address_range;

/* Ranges sorted by start. */
typedef struct address_ranges {
	address_range *ranges;
	size_t count;
	size_t capacity;
} address_ranges;

/* A function of a unit that has addresses. */
typedef struct debug_function {
	Dwarf_Die die;
} debug_function;

typedef struct debug_unit {
	Dwarf_Die lines;           /**< The unit that has the line table. */
	Dwarf_Die code;            /**< The unit that has the functions: another one with split DWARF. */
	int is_read;               /**< The fields below are filled in. */
	debug_function *functions; /**< In the order of the unit. */
	size_t function_count;
	size_t function_capacity;
	address_ranges ranges; /**< Of functions. */
} debug_unit;

typedef struct debug_units {
	debug_unit *units; /**< In the order of the file. */
	size_t count;
	size_t capacity;
	address_ranges ranges; /**< Of units. */
} debug_units;

/* A frame. The texts are "" if unknown, and truncated if they are longer. */
typedef struct debug_frame {
	uint32_t line;
	uint32_t defined_line;
	int is_inlined;
	char name[LINES_MAX_TEXT + 1]; /**< As the linker names the function, or else as the source does. */
	char file[LINES_MAX_TEXT + 1];
	char defined_file[LINES_MAX_TEXT + 1];
} debug_frame;

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

static void debug_file_close(debug_file *file)
{
	if (file->session != NULL)
		dwfl_end(file->session);
	memset(file, 0, sizeof(*file));
}

/*
 * Opens the file of a module, or its file below /usr/lib/debug, whichever has the build ID. The debug information may
 * be in a separate file, which is found by the build ID or the debug link. Call debug_file_close() in all cases.
 */
static debug_state debug_file_open(debug_file *file, const char *build_id, const char *path)
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
	snprintf(separate, sizeof(separate), "/usr/lib/debug/.build-id/%.2s/%.*s.debug", build_id, MAX_BUILD_ID - 2,
		 build_id + 2);
	/* If this fails as well, the state of the module's own file is the reason. */
	return open_candidate(file, build_id, separate) == DEBUG_FOUND ? DEBUG_FOUND : state;
}

/*
 * The name of the function at an offset in the module, by the symbols of its file, of the separate one, or of those
 * that are compressed in its section .gnu_debugdata. NULL if unknown, or if the state is not DEBUG_FOUND or
 * DEBUG_NONE. Valid until debug_file_close().
 */
static const char *debug_file_symbol(const debug_file *file, uint64_t offset)
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

/* Namespaces and types nested deeper than this are left out. */
#define MAX_NESTED 64

/* Ranges may overlap, which they do not in correct files: this number of ranges before an address is examined. */
#define MAX_OVERLAPS 8

static int add_range(address_ranges *ranges, address_range range)
{
	void *elements = ranges->ranges;

	if (range.start >= range.end)
		return 1;
	if (!elements_reserve(&elements, &ranges->capacity, ranges->count, sizeof(*ranges->ranges)))
		return 0;
	ranges->ranges = elements;
	ranges->ranges[ranges->count++] = range;
	return 1;
}

/* Adds the ranges of a unit or a function. */
static int add_ranges_of(address_ranges *ranges, Dwarf_Die *die, size_t index)
{
	ptrdiff_t position = 0;
	Dwarf_Addr base;
	address_range range = {.index = index};

	while ((position = dwarf_ranges(die, position, &base, &range.start, &range.end)) > 0) {
		if (!add_range(ranges, range))
			return 0;
	}
	return 1;
}

static int compare_ranges(const void *left, const void *right)
{
	const address_range *a = left;
	const address_range *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static void sort_ranges(address_ranges *ranges)
{
	if (ranges->count > 0)
		qsort(ranges->ranges, ranges->count, sizeof(*ranges->ranges), compare_ranges);
}

static const address_range *find_range(const address_ranges *ranges, Dwarf_Addr address)
{
	size_t low = 0;
	size_t high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < MAX_OVERLAPS && low > i; i++) {
		if (address < ranges->ranges[low - i - 1].end)
			return &ranges->ranges[low - i - 1];
	}
	return NULL;
}

static int add_unit(debug_units *units, Dwarf_Die *unit, Dwarf_Die *split)
{
	void *elements = units->units;
	debug_unit *added;

	if (!elements_reserve(&elements, &units->capacity, units->count, sizeof(*units->units)))
		return 0;
	units->units = elements;
	added = &units->units[units->count];
	memset(added, 0, sizeof(*added));
	added->lines = *unit;
	added->code = dwarf_tag(split) != DW_TAG_invalid ? *split : *unit;
	return add_ranges_of(&units->ranges, unit, units->count++);
}

/* Finds the units of a file, which stay until the helper ends. Returns 0 if out of memory. */
static int debug_units_read(debug_units *units, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;
	Dwarf_Die split;

	memset(units, 0, sizeof(*units));
	while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial)
			continue;
		if (!add_unit(units, &die, &split))
			return 0;
	}
	sort_ranges(&units->ranges);
	return 1;
}

/* The unit of an address, or NULL. */
static debug_unit *debug_units_find(debug_units *units, Dwarf_Addr address)
{
	const address_range *range = find_range(&units->ranges, address);

	return range != NULL ? &units->units[range->index] : NULL;
}

static int add_function(debug_unit *unit, Dwarf_Die *die)
{
	void *elements = unit->functions;
	size_t ranges = unit->ranges.count;

	if (!elements_reserve(&elements, &unit->function_capacity, unit->function_count, sizeof(*unit->functions)))
		return 0;
	unit->functions = elements;
	if (!add_ranges_of(&unit->ranges, die, unit->function_count)) {
		unit->ranges.count = ranges;
		return 0;
	}
	/* A declaration, or a function that was inlined everywhere. */
	if (ranges == unit->ranges.count)
		return 1;
	unit->functions[unit->function_count++] = (debug_function){.die = *die};
	return 1;
}

static int is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_module;
}

/* Adds the functions below an entry. What cannot be read, or has no memory, is left out. */
static void add_functions(debug_unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;
	int is_done = dwarf_child(parent, &child) != 0;

	while (!is_done) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			(void)add_function(unit, &child);
		else if (is_scope(tag) && depth < MAX_NESTED)
			add_functions(unit, &child, depth + 1);
		is_done = dwarf_siblingof(&child, &child) != 0;
	}
}

static void read_functions(debug_unit *unit)
{
	if (unit->is_read)
		return;
	unit->is_read = 1;
	add_functions(unit, &unit->code, 0);
	sort_ranges(&unit->ranges);
}

/* The function of an address, or NULL. The first call for a unit reads its functions. */
static debug_function *debug_unit_function(debug_unit *unit, Dwarf_Addr address)
{
	const address_range *range;

	read_functions(unit);
	range = find_range(&unit->ranges, address);
	return range != NULL ? &unit->functions[range->index] : NULL;
}

/* Blocks nested deeper than this inside of a function are not searched. */
#define MAX_BLOCKS 256

/* Directories of a path that ".." can remove. */
#define MAX_PARTS 64

/*
 * Removes "directory/.." and "." from a path, so that a header has one name whichever file includes it. Symbolic links
 * to directories are rare enough in builds to be ignored.
 */
static void normalize_path(char *path)
{
	char *parts[MAX_PARTS];
	const int is_relative = path[0] != '/';
	char *out = path;
	size_t count = 0;

	for (char *in = path; *in != '\0';) {
		const size_t separator = in[0] == '/';
		const size_t length = separator + strcspn(in + separator, "/");
		const char *part = in + separator;
		const size_t part_length = length - separator;

		if (part_length == 2 && strncmp(part, "..", 2) == 0 && count > 0) {
			out = parts[--count];
		} else if (part_length > 0 && !(part_length == 1 && part[0] == '.')) {
			if (count == MAX_PARTS || (part_length == 2 && strncmp(part, "..", 2) == 0))
				count = 0;
			else
				parts[count++] = out;
			memmove(out, in, length);
			out += length;
		}
		in += length;
	}
	*out = '\0';
	/* Its first directory was removed. */
	if (is_relative && path[0] == '/')
		memmove(path, path + 1, (size_t)(out - path));
}

/* Copies a path; a relative one is relative to the directory of the compilation. */
static void copy_path(char text[LINES_MAX_TEXT + 1], Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attribute;
	const char *directory = NULL;

	if (path == NULL)
		return;
	if (path[0] != '/')
		directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (directory != NULL)
		snprintf(text, LINES_MAX_TEXT + 1, "%s/%s", directory, path);
	else
		snprintf(text, LINES_MAX_TEXT + 1, "%s", path);
	normalize_path(text);
}

static uint32_t positive_line(int line)
{
	return line > 0 ? (uint32_t)line : 0;
}

static void copy_name(char text[LINES_MAX_TEXT + 1], Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	const char *name = dwarf_diename(die);

	if (linkage == NULL)
		linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
	if (linkage != NULL && (strlen(linkage) <= LINES_MAX_TEXT || name == NULL))
		snprintf(text, LINES_MAX_TEXT + 1, "%s", linkage);
	else if (name != NULL)
		snprintf(text, LINES_MAX_TEXT + 1, "%s", name);
}

static void clear_frame(debug_frame *frame)
{
	frame->line = 0;
	frame->defined_line = 0;
	frame->is_inlined = 0;
	frame->name[0] = '\0';
	frame->file[0] = '\0';
	frame->defined_file[0] = '\0';
}

/* A file by its number in a unit. Since version 5, files are counted from 0; before, 0 stands for none. */
static const char *file_of(Dwarf_CU *unit, Dwarf_Word number)
{
	Dwarf_Half version = 0;
	Dwarf_Files *files;
	Dwarf_Die entry;
	size_t count;

	if (dwarf_cu_die(unit, &entry, &version, NULL, NULL, NULL, NULL, NULL) == NULL ||
	    (number == 0 && version < 5) || dwarf_getsrcfiles(&entry, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, (size_t)number, NULL, NULL);
}

/* A file that an attribute of the entry, or of its origin, names. Not dwarf_decl_file(): it takes 0 for none always. */
static const char *named_file(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_attr_integrate(die, name, &attribute) == NULL || dwarf_formudata(&attribute, &number) != 0)
		return NULL;
	return file_of(attribute.cu, number);
}

/* Fills in what a function is; not the position in it. */
static void describe_function(debug_frame *frame, debug_unit *unit, Dwarf_Die *die)
{
	int line;

	frame->is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	copy_name(frame->name, die);
	copy_path(frame->defined_file, &unit->code, named_file(die, DW_AT_decl_file));
	if (dwarf_decl_line(die, &line) == 0)
		frame->defined_line = positive_line(line);
}

/* The place that an inlined function was called from, which is the position in the frame outside of it. */
static void describe_call(debug_frame *frame, debug_unit *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0 && number <= UINT32_MAX)
		frame->line = (uint32_t)number;
	copy_path(frame->file, &unit->code, named_file(inlined, DW_AT_call_file));
}

static void describe_position(debug_frame *frame, debug_unit *unit, Dwarf_Addr address)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, address);
	int number;

	if (line == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	frame->line = positive_line(number);
	copy_path(frame->file, &unit->lines, dwarf_linesrc(line, NULL, NULL));
}

/* Finds the child that contains an address and may be, or contain, an inlined function. */
static int find_block(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *found)
{
	int is_done = dwarf_child(parent, found) != 0;

	while (!is_done) {
		int tag = dwarf_tag(found);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		     tag == DW_TAG_catch_block) &&
		    dwarf_haspc(found, address) > 0)
			return 1;
		is_done = dwarf_siblingof(found, found) != 0;
	}
	return 0;
}

/* Stores a function and the functions inlined at an address, outermost first. Returns their number. */
static size_t find_inlined(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die found[LINES_MAX_FRAMES])
{
	Dwarf_Die block = *function;
	size_t count = 0;

	found[count++] = block;
	for (int depth = 0; depth < MAX_BLOCKS && count < LINES_MAX_FRAMES; depth++) {
		Dwarf_Die parent = block;

		if (!find_block(&parent, address, &block))
			break;
		if (dwarf_tag(&block) == DW_TAG_inlined_subroutine)
			found[count++] = block;
	}
	return count;
}

/*
 * Finds the frames of an address: the functions inlined there, innermost first, then the function itself. Without a
 * known function there is one frame with a line alone. Returns their number, at most LINES_MAX_FRAMES; 0 if the
 * address is in no unit.
 */
static size_t debug_frames_find(debug_units *units, Dwarf_Addr address, debug_frame frames[LINES_MAX_FRAMES])
{
	debug_unit *unit = debug_units_find(units, address);
	debug_function *function = unit != NULL ? debug_unit_function(unit, address) : NULL;
	Dwarf_Die found[LINES_MAX_FRAMES];
	size_t count = 1;

	if (unit == NULL)
		return 0;
	clear_frame(&frames[0]);
	if (function != NULL)
		count = find_inlined(&function->die, address, found);
	describe_position(&frames[0], unit, address);
	for (size_t i = 0; function != NULL && i < count; i++) {
		if (i > 0) {
			clear_frame(&frames[i]);
			describe_call(&frames[i], unit, &found[count - i]);
		}
		describe_function(&frames[i], unit, &found[count - 1 - i]);
	}
	return count;
}

/* Makes a frame of a name alone. Returns the number of frames, 0 if \p name is NULL. */
static size_t debug_frames_name(debug_frame *frame, const char *name)
{
	if (name == NULL)
		return 0;
	clear_frame(frame);
	snprintf(frame->name, sizeof(frame->name), "%s", name);
	return 1;
}

/*
 * The process.
 */

/* Processor time for all modules together: one with a million lines takes a second. */
#define HELPER_SECONDS 60

/* Memory in addition to what the process has at the start: the largest debug information is some gigabytes. */
#define HELPER_BYTES (UINT64_C(8) << 30)

typedef struct module_reader {
	debug_file file;
	debug_units units;
} module_reader;

static void set_limits(void)
{
	process_limit(RLIMIT_CPU, HELPER_SECONDS);
	process_limit_memory(HELPER_BYTES);
	process_limit(RLIMIT_CORE, 0);
	process_limit(RLIMIT_FSIZE, 0);
	/* A log must not make mprof download files. */
	(void)unsetenv("DEBUGINFOD_URLS");
}

static int send_answer(int socket_fd, debug_state state, size_t count)
{
	const lines_answer answer = {.state = (uint32_t)state, .count = (uint32_t)count};

	return protocol_send(socket_fd, &answer, sizeof(answer));
}

static int send_frame(int socket_fd, const debug_frame *frame)
{
	const lines_frame message = {
		.line = frame->line,
		.defined_line = frame->defined_line,
		.is_inlined = frame->is_inlined != 0,
		.name_length = (uint32_t)strlen(frame->name),
		.file_length = (uint32_t)strlen(frame->file),
		.defined_file_length = (uint32_t)strlen(frame->defined_file),
	};

	return protocol_send(socket_fd, &message, sizeof(message)) &&
	       protocol_send(socket_fd, frame->name, message.name_length) &&
	       protocol_send(socket_fd, frame->file, message.file_length) &&
	       protocol_send(socket_fd, frame->defined_file, message.defined_file_length);
}

static int answer_address(int socket_fd, module_reader *reader, const lines_request *request)
{
	static debug_frame frames[LINES_MAX_FRAMES];
	size_t count = 0;

	if (reader->file.dwarf != NULL)
		count = debug_frames_find(&reader->units, reader->file.start + request->offset, frames);
	if (count == 0 && request->wanted == LINES_FRAMES_OR_SYMBOL)
		count = debug_frames_name(&frames[0], debug_file_symbol(&reader->file, request->offset));
	if (!send_answer(socket_fd, DEBUG_FOUND, count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!send_frame(socket_fd, &frames[i]))
			return 0;
	}
	return 1;
}

static int answer_module(int socket_fd, module_reader *reader, const lines_request *request)
{
	char build_id[LINES_MAX_TEXT + 1];
	char path[LINES_MAX_TEXT + 1];
	debug_state state;

	if (request->build_id_length > LINES_MAX_TEXT || request->file_length > LINES_MAX_TEXT ||
	    !protocol_receive(socket_fd, build_id, request->build_id_length, -1) ||
	    !protocol_receive(socket_fd, path, request->file_length, -1))
		return 0;
	build_id[request->build_id_length] = '\0';
	path[request->file_length] = '\0';
	state = debug_file_open(&reader->file, build_id, path);
	if (state == DEBUG_FOUND && !debug_units_read(&reader->units, reader->file.dwarf))
		state = DEBUG_UNREADABLE;
	return send_answer(socket_fd, state, 0);
}

void helper_run(int socket_fd)
{
	static module_reader readers[LINES_MAX_MODULES];
	lines_request request;

	set_limits();
	while (protocol_receive(socket_fd, &request, sizeof(request), -1) && request.module < LINES_MAX_MODULES) {
		module_reader *reader = &readers[request.module];

		if (!(request.wanted == LINES_OPEN ? answer_module(socket_fd, reader, &request)
						   : answer_address(socket_fd, reader, &request)))
			break;
	}
	_exit(0);
}
