/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_native_modules.c
 * \brief Native code in the log: functions of this program, of the system, and of libraries that are loaded and
 * unloaded.
 */
#include "sampled_log.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#endif

/* What a child ends with whose expectations held. */
enum { RIGHT = 42 };

int native_modules_function_of_the_program(int number);

/* Functions of this program, one of them local to this file. */
__attribute__((noinline)) static int function_of_the_file(int number)
{
	static volatile int kept;

	kept = number;
	return kept * 3;
}

__attribute__((noinline)) int native_modules_function_of_the_program(int number)
{
	return function_of_the_file(number) + 1;
}

/* Addresses of functions as numbers. */
static uint64_t code_address(int (*function)(int))
{
	return (uint64_t)(uintptr_t)function;
}

static mprof_recorder *open_recorder(recorded_log *log, uint32_t without_symbols)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_interval_ms = 600000;
	options.without_symbols = without_symbols;
	return recorded_log_open(log, &options);
}

/* Records a sample of one native frame. */
static void sample_at(mprof_recorder *recorder, uint64_t address)
{
	mprof_frame frame = MPROF_FRAME_NATIVE | address;

	cr_assert(mprof_recorder_record_sample(recorder, 1, &frame, 1));
}

static void finish(mprof_recorder *recorder, recorded_log *log, sampled_log *sampled)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	sampled_log_read(sampled, log);
}

static void end(recorded_log *log, sampled_log *sampled)
{
	sampled_log_free(sampled);
	recorded_log_free(log);
}

static const char *function_name(const sampled_log *sampled, size_t number)
{
	mprof_record location = sampled_log_location(sampled, &sampled->samples[number]);

	return location.as.location.function != 0
		       ? sampled_log_record(sampled, MPROF_RECORD_FUNCTION, location.as.location.function)
				 .as.function.name
		       : "";
}

static mprof_record module_of(const sampled_log *sampled, size_t number)
{
	mprof_record location = sampled_log_location(sampled, &sampled->samples[number]);

	cr_assert_neq(location.as.location.module, 0);
	return sampled_log_record(sampled, MPROF_RECORD_MODULE, location.as.location.module);
}

Test(native_modules, functions_of_this_program)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log, 0);
	uint64_t shared = code_address(native_modules_function_of_the_program);
	uint64_t copy = code_address(function_of_the_file);
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	mprof_record module;
	mprof_record location;
	mprof_record function;

	cr_assert_eq(native_modules_function_of_the_program(4), 13);
	sample_at(recorder, shared);
	sample_at(recorder, copy);
	sample_at(recorder, copy + 2);
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, 3);
	cr_assert_str_eq(function_name(&sampled, 0), "native_modules_function_of_the_program");
	cr_assert_str_eq(function_name(&sampled, 1), "function_of_the_file");
	cr_assert_str_eq(function_name(&sampled, 2), "function_of_the_file");
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_MODULE), 1);
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_FUNCTION), 2);
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_LOCATION), 3);
	module = module_of(&sampled, 0);
	location = sampled_log_location(&sampled, &sampled.samples[2]);
	function = sampled_log_record(&sampled, MPROF_RECORD_FUNCTION, location.as.location.function);
	cr_assert_eq(module.as.module.address + location.as.location.offset, copy + 2);
	cr_assert_eq(module.as.module.address + function.as.function.offset, copy);
	cr_assert_gt(function.as.function.size, 2);
	cr_assert_lt(location.as.location.offset, module.as.module.size);
	if (length > 0) {
		path[length] = '\0';
		cr_assert_str_eq(module.as.module.file, path);
	}
	end(&log, &sampled);
}

Test(native_modules, functions_of_a_library)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log, 0);
	/*
	 * A function that sanitizers do not intercept. The address is looked up, since the name here may refer to a
	 * stub.
	 */
	void *address = dlsym(RTLD_DEFAULT, "lldiv");
	Dl_info info;

	cr_assert_not_null(address);
	cr_assert_neq(dladdr(address, &info), 0);
	sample_at(recorder, (uint64_t)(uintptr_t)address);
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, 1);
	cr_assert_str_eq(function_name(&sampled, 0), "lldiv");
	cr_assert_eq(module_of(&sampled, 0).as.module.address, (uint64_t)(uintptr_t)info.dli_fbase);
	end(&log, &sampled);
}

/* A call that does not return may be the last instruction: the address after it is that of the next function. */
Test(native_modules, addresses_to_return_to_belong_to_the_call)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log, 0);
	uint64_t begin = code_address(native_modules_function_of_the_program);
	mprof_frame chain[] = {MPROF_FRAME_NATIVE | begin, MPROF_FRAME_NATIVE | begin,
			       MPROF_FRAME_NATIVE | (begin + 1)};
	mprof_stack_frame frames[3];
	mprof_record locations[3];
	size_t count;

	cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 3));
	finish(recorder, &log, &sampled);
	cr_assert_eq(
		mprof_reader_lookup_stack(sampled.reader, sampled.samples[0].stack, frames, sizeof(*frames), 3, &count),
		MPROF_OK);
	cr_assert_eq(count, 3);
	for (size_t i = 0; i < 3; i++)
		locations[i] = sampled_log_record(&sampled, MPROF_RECORD_LOCATION, frames[i].id);
	cr_assert_str_eq(
		sampled_log_record(&sampled, MPROF_RECORD_FUNCTION, locations[0].as.location.function).as.function.name,
		"native_modules_function_of_the_program");
	cr_assert_neq(locations[1].as.location.function, locations[0].as.location.function);
	cr_assert_eq(locations[1].as.location.offset, locations[0].as.location.offset, "the address is unchanged");
	cr_assert_eq(locations[2].as.location.function, locations[0].as.location.function);
	end(&log, &sampled);
}

Test(native_modules, without_symbols)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log, 1);
	uint64_t copy = code_address(function_of_the_file);

	sample_at(recorder, copy);
	finish(recorder, &log, &sampled);
	cr_assert_str_eq(function_name(&sampled, 0), "");
	cr_assert_eq(module_of(&sampled, 0).as.module.address +
			     sampled_log_location(&sampled, &sampled.samples[0]).as.location.offset,
		     copy);
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_FUNCTION), 0);
	end(&log, &sampled);
}

#if defined(__linux__)
/* The vDSO has no file; its names come from memory. */
Test(native_modules, functions_of_the_vdso)
{
	recorded_log log = {0};
	sampled_log sampled;
	uint64_t image = getauxval(AT_SYSINFO_EHDR);
	mprof_recorder *recorder;
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(uintptr_t)image;
	int found = 0;

	if (image == 0)
		cr_skip_test("there is none");
	recorder = open_recorder(&log, 0);
	/* It has some function for the clock. */
	for (uint64_t offset = header->e_ehsize; offset < 8192; offset += 64)
		sample_at(recorder, image + offset);
	finish(recorder, &log, &sampled);
	cr_assert_neq(strstr(module_of(&sampled, 0).as.module.file, "vdso"), NULL);
	cr_assert_eq(module_of(&sampled, 0).as.module.address, image);
	for (uint32_t id = 1; id <= mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_FUNCTION); id++)
		found += strstr(sampled_log_record(&sampled, MPROF_RECORD_FUNCTION, id).as.function.name,
				"clock_gettime") != NULL;
	cr_assert_eq(found, 1);
	end(&log, &sampled);
}
#endif

/* Code without a name: in no file, and not in a library that was unloaded. */
Test(native_modules, code_in_no_module)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log, 0);
	char *memory = malloc(100);
	mprof_record location;

	sample_at(recorder, (uint64_t)(uintptr_t)memory);
	finish(recorder, &log, &sampled);
	location = sampled_log_location(&sampled, &sampled.samples[0]);
	cr_assert_eq(location.as.location.module, 0);
	cr_assert_eq(location.as.location.function, 0);
	cr_assert_eq(location.as.location.offset, (uint64_t)(uintptr_t)memory);
	free(memory);
	end(&log, &sampled);
}

/* Libraries that are built with the compiler of the build. Each has a function of its own, and a build ID or none. */
static const char *make_library(const char *directory, const char *name, const char *function, const char *build_id)
{
	static char path[512];
	char command[2048];
	const char *compiler = getenv("CC");

	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	snprintf(command, sizeof(command),
		 "printf 'static int hidden_%s(int n) { return n * 2; }\\n"
		 "int (*pointer_%s)(int) = hidden_%s;\\n"
		 "int %s(int n) { return pointer_%s(n) + 1; }\\n' | "
		 "%s -shared -fPIC -O0 -x c -o %s.new - -Wl,--build-id=%s 2>/dev/null && mv %s.new %s",
		 function, function, function, function, function, compiler != NULL ? compiler : "cc", path, build_id,
		 path, path);
	if (system(command) != 0) {
		rmdir(directory);
		cr_skip_test("no compiler: install gcc, or set CC");
	}
	return path;
}

typedef struct loaded {
	void *handle;
	uint64_t function;
	uint64_t hidden;
	uint64_t start;
} loaded;

static loaded load(const char *path, const char *function)
{
	char name[256];
	loaded library;
	Dl_info info;

	library.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	cr_assert_not_null(library.handle, "%s", dlerror());
	library.function = (uint64_t)(uintptr_t)dlsym(library.handle, function);
	snprintf(name, sizeof(name), "pointer_%s", function);
	library.hidden = *(uintptr_t *)dlsym(library.handle, name);
	cr_assert_neq(dladdr((void *)(uintptr_t)library.function, &info), 0);
	library.start = (uint64_t)(uintptr_t)info.dli_fbase;
	return library;
}

static char *make_directory(void)
{
	static char directory[] = "native-modules-XXXXXX";

	cr_assert_not_null(mkdtemp(directory));
	return directory;
}

static void remove_directory(const char *directory)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	cr_assert_eq(system(command), 0);
}

Test(native_modules, a_library_that_is_loaded_while_recording, .timeout = 60)
{
	recorded_log log = {0};
	sampled_log sampled;
	char *directory = make_directory();
	const char *path = make_library(directory, "one", "first_function", "0x0123456789abcdef");
	mprof_recorder *recorder = open_recorder(&log, 0);
	mprof_record module;
	loaded library;

	sample_at(recorder, code_address(function_of_the_file));
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	library = load(path, "first_function");
	sample_at(recorder, library.function);
	sample_at(recorder, library.hidden + 1);
	finish(recorder, &log, &sampled);
	cr_assert_str_eq(function_name(&sampled, 1), "first_function");
	cr_assert_str_eq(function_name(&sampled, 2), "hidden_first_function");
	module = module_of(&sampled, 1);
	cr_assert_eq(module.as.module.address, library.start);
	cr_assert_str_eq(module.as.module.build_id, "0123456789abcdef");
	cr_assert_eq(module.as.module.file[0], '/', "found from any directory: %s", module.as.module.file);
	cr_assert_neq(strstr(module.as.module.file, path), NULL);
	dlclose(library.handle);
	remove_directory(directory);
	end(&log, &sampled);
}

/*
 * A library is replaced by another one at the same address: with the same file name or not, with a build ID or without.
 */
static void replace_library(const char *second_name, const char *build_ids[2])
{
	recorded_log log = {0};
	sampled_log sampled;
	char *directory = make_directory();
	mprof_recorder *recorder = open_recorder(&log, 0);
	loaded first;
	loaded second;

	first = load(make_library(directory, "one", "first_function", build_ids[0]), "first_function");
	sample_at(recorder, first.function);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* Sampled before the library is unloaded, and drained after. */
	sample_at(recorder, first.hidden);
	dlclose(first.handle);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* The same address again, where nothing is mapped. */
	sample_at(recorder, first.hidden);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	second = load(make_library(directory, second_name, "other_function", build_ids[1]), "other_function");
	sample_at(recorder, second.hidden);
	sample_at(recorder, second.function);
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, 5);
	cr_assert_str_eq(function_name(&sampled, 0), "first_function");
	cr_assert_str_eq(function_name(&sampled, 1), "hidden_first_function");
	cr_assert_eq(module_of(&sampled, 0).id, module_of(&sampled, 1).id);
	cr_assert_eq(sampled_log_location(&sampled, &sampled.samples[2]).as.location.module, 0);
	cr_assert_str_eq(function_name(&sampled, 3), "hidden_other_function");
	cr_assert_str_eq(function_name(&sampled, 4), "other_function");
	cr_assert_neq(module_of(&sampled, 3).id, module_of(&sampled, 0).id);
	/* Loaders nearly always reuse the address; then one address had three meanings. */
	if (second.start == first.start)
		cr_assert_neq(sampled.samples[3].stack, sampled.samples[1].stack);
	dlclose(second.handle);
	remove_directory(directory);
	end(&log, &sampled);
}

Test(native_modules, a_library_in_the_place_of_another, .timeout = 60)
{
	replace_library("two", (const char *[2]){"0x01", "0x02"});
}

Test(native_modules, a_library_in_the_place_and_the_file_of_another, .timeout = 60)
{
	replace_library("one", (const char *[2]){"0x01", "0x02"});
}

Test(native_modules, a_library_without_build_id_in_the_place_and_the_file_of_another, .timeout = 60)
{
	replace_library("one", (const char *[2]){"none", "none"});
}

/* A library, and the one that takes its place and the name of its file. */
typedef struct replacement {
	char *directory;
	char first[512];
	char second[512];
} replacement;

static void make_replacement(replacement *created, const char *build_ids[2])
{
	created->directory = make_directory();
	snprintf(created->first, sizeof(created->first), "%s",
		 make_library(created->directory, "one", "first_function", build_ids[0]));
	snprintf(created->second, sizeof(created->second), "%s",
		 make_library(created->directory, "two", "other_function", build_ids[1]));
}

/*
 * The recorder did not read the list of modules while neither library was loaded. Returns whether the functions are
 * right, without assertions, since a child calls it, too.
 */
static int replace_unseen(const replacement *created)
{
	recorded_log log = {0};
	sampled_log sampled;
	mprof_recorder *recorder = open_recorder(&log, 0);
	loaded first = load(created->first, "first_function");
	loaded second;
	const char *expected = "other_function";
	int are_right;

	sample_at(recorder, first.function);
	if (mprof_recorder_drain(recorder) != MPROF_OK || dlclose(first.handle) != 0 ||
	    rename(created->second, created->first) != 0)
		return 0;
	second = load(created->first, "other_function");
	sample_at(recorder, second.function);
	finish(recorder, &log, &sampled);
	/* At the time of the sample, either may have been there. */
	if (second.start == first.start)
		expected = "";
	are_right = strcmp(function_name(&sampled, 0), "first_function") == 0 &&
		    strcmp(function_name(&sampled, 1), expected) == 0;
	if (second.start == first.start)
		are_right &= sampled_log_location(&sampled, &sampled.samples[1]).as.location.module == 0;
	dlclose(second.handle);
	end(&log, &sampled);
	return are_right;
}

static void make_and_replace_unseen(const char *build_ids[2])
{
	replacement created;

	make_replacement(&created, build_ids);
	cr_assert(replace_unseen(&created));
	remove_directory(created.directory);
}

Test(native_modules, a_library_that_was_replaced_unseen, .timeout = 60)
{
	make_and_replace_unseen((const char *[2]){"0x01", "0x02"});
}

Test(native_modules, a_library_without_build_id_that_was_replaced_unseen, .timeout = 60)
{
	make_and_replace_unseen((const char *[2]){"none", "none"});
}

/* A child that executes no program cannot ask the loader. */
static void replace_unseen_in_child(const char *build_ids[2])
{
	replacement created;
	int status = -1;
	pid_t child;

	make_replacement(&created, build_ids);
	child = fork();
	if (child == 0)
		_exit(replace_unseen(&created) ? RIGHT : 1);
	cr_assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	cr_assert_eq(WEXITSTATUS(status), RIGHT);
	remove_directory(created.directory);
}

Test(native_modules, a_library_that_was_replaced_unseen_in_a_child, .timeout = 60)
{
	replace_unseen_in_child((const char *[2]){"0x01", "0x02"});
}

Test(native_modules, a_library_without_build_id_that_was_replaced_unseen_in_a_child, .timeout = 60)
{
	replace_unseen_in_child((const char *[2]){"none", "none"});
}

/* The client announces what is closed, so nothing must be drained meanwhile. */
static void replace_announced(const char *second_name, const char *build_ids[2])
{
	enum { ROUNDS = 4 };
	static const char *const functions[] = {"first_function", "other_function"};
	recorded_log log = {0};
	sampled_log sampled;
	char *directory = make_directory();
	mprof_recorder *recorder = open_recorder(&log, 0);

	for (int i = 0; i < ROUNDS; i++) {
		const char *name = i % 2 == 0 ? "one" : second_name;
		loaded library =
			load(make_library(directory, name, functions[i % 2], build_ids[i % 2]), functions[i % 2]);

		sample_at(recorder, library.function);
		sample_at(recorder, library.hidden);
		cr_assert_eq(mprof_recorder_update_modules(recorder), MPROF_OK);
		dlclose(library.handle);
		cr_assert_eq(mprof_recorder_update_modules(recorder), MPROF_OK);
	}
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, 2 * ROUNDS);
	for (size_t i = 0; i < ROUNDS; i++) {
		const char *file = module_of(&sampled, 2 * i).as.module.file;
		const char *name = i % 2 == 0 ? "one" : second_name;

		cr_assert_neq(strstr(file, name), NULL, "%s", file);
		/* A file that was replaced meanwhile has no names. */
		if (strcmp(second_name, "one") == 0)
			continue;
		cr_assert_str_eq(function_name(&sampled, 2 * i), functions[i % 2]);
		cr_assert_neq(strstr(function_name(&sampled, 2 * i + 1), functions[i % 2]), NULL);
		/* A library that is loaded again is the same, at least if it has the same file. */
		if (i >= 2 && build_ids[0][0] == '0' &&
		    module_of(&sampled, 2 * i).as.module.address == module_of(&sampled, 2 * i - 4).as.module.address)
			cr_assert_eq(module_of(&sampled, 2 * i).id, module_of(&sampled, 2 * i - 4).id);
	}
	cr_assert_neq(module_of(&sampled, 0).id, module_of(&sampled, 2).id);
	remove_directory(directory);
	end(&log, &sampled);
}

Test(native_modules, an_announced_library_in_the_place_of_another, .timeout = 60)
{
	replace_announced("two", (const char *[2]){"0x01", "0x02"});
}

Test(native_modules, an_announced_library_in_the_place_and_the_file_of_another, .timeout = 60)
{
	replace_announced("one", (const char *[2]){"0x01", "0x02"});
}

Test(native_modules, a_library_cannot_be_announced_to_a_closed_recorder)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log, 0);

	cr_assert_eq(mprof_recorder_update_modules(NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_update_modules(recorder), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

/* A file that differs from the one that was loaded has wrong names. */
Test(native_modules, a_file_that_was_replaced_is_not_read, .timeout = 60)
{
	static const char *const build_ids[][2] = {{"0x01", "0x02"}, {"none", "none"}};

	for (int i = 0; i < 2; i++) {
		recorded_log log = {0};
		sampled_log sampled;
		char directory[] = "native-modules-XXXXXX";
		mprof_recorder *recorder = open_recorder(&log, 0);
		loaded library;

		cr_assert_not_null(mkdtemp(directory));
		library = load(make_library(directory, "one", "first_function", build_ids[i][0]), "first_function");
		/* The list of modules is read, but not the file of this module. */
		sample_at(recorder, code_address(function_of_the_file));
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		make_library(directory, "one", "other_function", build_ids[i][1]);
		sample_at(recorder, library.function);
		finish(recorder, &log, &sampled);
		cr_assert_str_eq(function_name(&sampled, 1), "");
		cr_assert_eq(module_of(&sampled, 1).as.module.address, library.start);
		dlclose(library.handle);
		remove_directory(directory);
		end(&log, &sampled);
	}
}

/* Libraries that stay loaded are the same modules, and their locations stay the same. */
Test(native_modules, others_are_not_defined_again, .timeout = 60)
{
	recorded_log log = {0};
	sampled_log sampled;
	char *directory = make_directory();
	const char *path = make_library(directory, "one", "first_function", "0x01");
	mprof_recorder *recorder = open_recorder(&log, 0);
	uint64_t copy = code_address(function_of_the_file);
	mprof_frame chain[] = {MPROF_FRAME_NATIVE | copy, MPROF_FRAME_NATIVE | copy};

	for (int round = 0; round < 10; round++) {
		loaded library;

		cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 2));
		library = load(path, "first_function");
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		cr_assert(mprof_recorder_record_sample(recorder, 1, chain, 2));
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		dlclose(library.handle);
	}
	finish(recorder, &log, &sampled);
	cr_assert_eq(sampled.count, 20);
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_MODULE), 1);
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_LOCATION), 2);
	cr_assert_eq(mprof_reader_get_record_count(sampled.reader, MPROF_RECORD_STACK), 2);
	remove_directory(directory);
	end(&log, &sampled);
}

/* Keys of methods that are addresses of functions. */
static mprof_recorder *open_for_functions(recorded_log *log, mprof_resolve_function resolve, mprof_thread **thread)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_interval_ms = 600000;
	options.keys_are_functions = 1;
	options.resolve_method = resolve;
	recorder = recorded_log_open(log, &options);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, thread), MPROF_OK);
	return recorder;
}

static void call(mprof_thread *thread, mprof_key function)
{
	cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_METHOD_ENTER, 0, function), MPROF_OK);
}

static void read_calls(mprof_recorder *recorder, mprof_thread *thread, recorded_log *log)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
}

Test(native_modules, methods_get_the_names_of_functions)
{
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_for_functions(&log, NULL, &thread);
	void *system = dlsym(RTLD_DEFAULT, "lldiv");
	char *memory = malloc(100);
	char unknown[64];
	const char *name;
	const char *module;

	define_method(recorder, 77, 0, "defined");
	call(thread, code_address(function_of_the_file));
	call(thread, code_address(native_modules_function_of_the_program));
	call(thread, (uint64_t)(uintptr_t)system);
	call(thread, 77);
	call(thread, (uint64_t)(uintptr_t)memory);
	cr_assert_eq(mprof_recorder_get_function_name(recorder, code_address(function_of_the_file), &name, &module),
		     MPROF_OK);
	cr_assert_str_eq(name, "function_of_the_file");
	cr_assert_not_null(strstr(module, "test_native_modules"));
	cr_assert_eq(mprof_recorder_get_function_name(recorder, (uint64_t)(uintptr_t)memory, &name, &module), MPROF_OK);
	cr_assert_null(name);
	cr_assert_null(module);
	read_calls(recorder, thread, &log);
	cr_assert_str_eq(log.events[0].name, "function_of_the_file");
	cr_assert_not_null(strstr(log.events[0].class_name, "test_native_modules"));
	cr_assert_str_eq(log.events[1].name, "native_modules_function_of_the_program");
	cr_assert_eq(log.events[1].event.id, log.events[0].event.id + 1);
	cr_assert_str_eq(log.events[2].name, "lldiv");
	cr_assert_eq(strncmp(log.events[2].class_name, "libc.", 5), 0);
	cr_assert_str_eq(log.events[3].name, "defined");
	snprintf(unknown, sizeof(unknown), "(unknown 0x%" PRIx64 ")", (uint64_t)(uintptr_t)memory);
	cr_assert_str_eq(log.events[4].name, unknown);
	free(memory);
	recorded_log_free(&log);
}

/* Replaces one name, and spoils the description of others, which then has no effect. */
static int rename_one(void *user, mprof_key key, mprof_description *description)
{
	(void)user;
	if (key == code_address(function_of_the_file)) {
		description->name = "renamed";
		description->name_length = 7;
		return 0;
	}
	memset(description, 0, sizeof(*description));
	return -1;
}

Test(native_modules, a_client_may_replace_the_names_of_functions)
{
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_for_functions(&log, rename_one, &thread);

	call(thread, code_address(function_of_the_file));
	call(thread, code_address(native_modules_function_of_the_program));
	read_calls(recorder, thread, &log);
	cr_assert_str_eq(log.events[0].name, "renamed");
	cr_assert_not_null(strstr(log.events[0].class_name, "test_native_modules"));
	cr_assert_str_eq(log.events[1].name, "native_modules_function_of_the_program");
	recorded_log_free(&log);
}

/* Two libraries take turns, at the same addresses or not; in the end, their files are gone. */
static void call_closed_libraries(const char *build_ids[2])
{
	enum { ROUNDS = 6 };
	static const char *const functions[] = {"first_function", "other_function"};
	recorded_log log = {0};
	char *directory = make_directory();
	char paths[2][512];
	mprof_thread *thread;
	mprof_recorder *recorder = open_for_functions(&log, NULL, &thread);
	mprof_key keys[ROUNDS];

	for (int i = 0; i < 2; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s",
			 make_library(directory, i == 0 ? "one" : "two", functions[i], build_ids[i]));
	for (int i = 0; i < ROUNDS; i++) {
		loaded library = load(paths[i % 2], functions[i % 2]);
		uint64_t first;
		uint64_t last;

		cr_assert_eq(mprof_recorder_get_function_key(recorder, library.function, &keys[i], &first, &last),
			     MPROF_OK);
		cr_assert_eq(first, library.start);
		cr_assert(last > library.function && last > library.hidden);
		call(thread, keys[i]);
		call(thread, keys[i] - library.function + library.hidden);
		cr_assert_eq(mprof_recorder_update_modules(recorder), MPROF_OK);
		dlclose(library.handle);
		cr_assert_eq(mprof_recorder_update_modules(recorder), MPROF_OK);
	}
	remove_directory(directory);
	read_calls(recorder, thread, &log);
	cr_assert_eq(log.event_count, (size_t)2 * ROUNDS);
	cr_assert_eq(log.method_count, 4);
	for (size_t i = 0; i < ROUNDS; i++) {
		char hidden[64];

		snprintf(hidden, sizeof(hidden), "hidden_%s", functions[i % 2]);
		cr_assert_eq(keys[i], keys[i % 2], "a library that is loaded again has the same keys");
		cr_assert_str_eq(log.events[2 * i].name, functions[i % 2]);
		cr_assert_str_eq(log.events[2 * i].class_name, i % 2 == 0 ? "one.so" : "two.so");
		cr_assert_str_eq(log.events[2 * i + 1].name, hidden);
	}
	cr_assert_neq(keys[0], keys[1]);
	recorded_log_free(&log);
}

Test(native_modules, functions_of_closed_libraries, .timeout = 60)
{
	call_closed_libraries((const char *[2]){"0x01", "0x02"});
}

Test(native_modules, functions_of_closed_libraries_without_build_id, .timeout = 60)
{
	call_closed_libraries((const char *[2]){"none", "none"});
}

Test(native_modules, functions_are_not_looked_up_in_a_recorder_without_them)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_recorder(&log, 0);
	const char *names[2];
	uint64_t numbers[3];

	cr_assert_eq(mprof_recorder_get_function_name(recorder, 1, &names[0], &names[1]), MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_get_function_key(recorder, 1, &numbers[0], &numbers[1], &numbers[2]),
		     MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}
