/* SPDX-License-Identifier: MIT */
/* Finds the modules that record programs, and the paths that let a program load them. */
#include "common/modules.h"

#include <mprof/base.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int was_refused;

/* Records that memory was exhausted if a text is NULL. */
static char *note_refused_memory(char *text)
{
	was_refused |= text == NULL && errno == ENOMEM;
	return text;
}

int modules_lacked_memory(void)
{
	return was_refused;
}

char *modules_join(const char *first, const char *second, const char *third)
{
	size_t lengths[3] = {strlen(first), strlen(second), strlen(third)};
	char *text = note_refused_memory(malloc(lengths[0] + lengths[1] + lengths[2] + 1));

	if (text == NULL)
		return NULL;
	memcpy(text, first, lengths[0]);
	memcpy(text + lengths[0], second, lengths[1]);
	memcpy(text + lengths[0] + lengths[1], third, lengths[2] + 1);
	return text;
}

/*
 * Mono's module is in the library directory, which the dynamic linker searches; the modules for native programs are in
 * a directory of their own.
 */
static const char *installed_directory(const char *file_name)
{
	return strcmp(file_name, MONO_MODULE) == 0 ? MPROF_LIBDIR : MPROF_PKGLIBDIR;
}

static void cut_last_part(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash != NULL)
		*slash = '\0';
}

/* The directory of a module built together with this program and not installed: libtool puts both in .libs. */
static char *built_directory(const char *file_name)
{
	const char *part = strcmp(file_name, MONO_MODULE) == 0 ? "/mono/" : "/native/";
	char *beside = note_refused_memory(realpath("/proc/self/exe", NULL));
	char *parent = NULL;
	char *library = NULL;
	char *directory = NULL;

	if (beside == NULL)
		return NULL;
	cut_last_part(beside);
	if (strlen(beside) > 6 && strcmp(beside + strlen(beside) - 6, "/.libs") == 0)
		cut_last_part(beside);
	cut_last_part(beside);
	parent = modules_join(beside, part, "");
	library = parent != NULL ? modules_join(parent, file_name, "") : NULL;
	/* libtool describes NAME.so in NAME.la. */
	if (library != NULL)
		strcpy(library + strlen(library) - strlen(".so"), ".la");
	if (library != NULL && access(library, R_OK) == 0)
		directory = modules_join(parent, ".libs", "");
	free(parent);
	free(library);
	free(beside);
	return directory;
}

char *modules_directories(const char *file_name)
{
	const char *inherited = getenv("MPROF_MODULE_DIR");
	char *built = built_directory(file_name);
	char *beside = built != NULL ? modules_join(built, ":", installed_directory(file_name))
				     : note_refused_memory(strdup(installed_directory(file_name)));
	char *all = beside;

	free(built);
	if (beside != NULL && inherited != NULL && inherited[0] != '\0') {
		all = modules_join(inherited, ":", beside);
		free(beside);
	}
	return all;
}

/* The absolute path of the directory if the file is in it. */
static char *directory_with(const char *directory, const char *file_name)
{
	char *path = modules_join(directory, "/", file_name);
	char *found = NULL;

	if (path != NULL && access(path, R_OK) == 0)
		found = note_refused_memory(realpath(directory, NULL));
	free(path);
	return found;
}

char *modules_find(const char *file_name)
{
	char *directories = modules_directories(file_name);
	char *rest = directories;
	char *found = NULL;

	while (found == NULL && rest != NULL) {
		const char *directory = strsep(&rest, ":");

		if (directory[0] != '\0')
			found = directory_with(directory, file_name);
	}
	free(directories);
	return found;
}

/* The directory that this program loaded the library from; NULL if it is linked statically. */
static char *own_library_directory(void)
{
	const char *(*function)(void) = mprof_version_get_string;
	const void *address;
	Dl_info info;
	char *path;
	char *slash;

	memcpy(&address, &function, sizeof(address));
	if (dladdr(address, &info) == 0 || info.dli_fname == NULL || strstr(info.dli_fname, "/libmprof.") == NULL)
		return NULL;
	path = note_refused_memory(realpath(info.dli_fname, NULL));
	slash = path != NULL ? strrchr(path, '/') : NULL;
	if (slash != NULL)
		*slash = '\0';
	return path;
}

char *modules_library_path(const char *directories)
{
	const char *inherited = getenv("LD_LIBRARY_PATH");
	char *beside = own_library_directory();
	char *ours = beside != NULL ? modules_join(directories, ":", beside) : note_refused_memory(strdup(directories));
	char *whole = ours;

	if (ours != NULL && inherited != NULL && inherited[0] != '\0') {
		whole = modules_join(ours, ":", inherited);
		free(ours);
	}
	free(beside);
	return whole;
}
