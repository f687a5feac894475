/* SPDX-License-Identifier: MIT */
/* Finds the control group of this process in the mounted hierarchies, and reads its limits. */
#include "record/memory_limit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hierarchy that limits memory. */
typedef struct hierarchy {
	int version;             /* 1 or 2. */
	char mounted[PATH_MAX];  /* The directory where it is mounted. */
	char exported[PATH_MAX]; /* The group that this directory shows. */
	char group[PATH_MAX];    /* The group of this process. */
} hierarchy;

/* Version 1 has no limit by default, which it prints as the highest multiple of the page size. */
#define MIN_UNLIMITED (UINT64_C(1) << 62)

/* Lowers *limit to the number in a file of a group. "max" and anything else is no limit. */
static void read_limit(const char *root, const char *directory, const char *name, uint64_t *limit)
{
	char path[3 * PATH_MAX];
	uint64_t value;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s%s/%s", root, directory, name) >= (int)sizeof(path))
		return;
	file = fopen(path, "re");
	if (file == NULL)
		return;
	if (fscanf(file, "%" SCNu64, &value) == 1 && value < MIN_UNLIMITED && value < *limit)
		*limit = value;
	fclose(file);
}

static void read_group(const char *root, int version, const char *directory, uint64_t *limit)
{
	if (version == 1) {
		read_limit(root, directory, "memory.limit_in_bytes", limit);
		return;
	}
	read_limit(root, directory, "memory.max", limit);
	read_limit(root, directory, "memory.high", limit);
}

/* Whether one of the options, which are separated by commas, is a word. */
static int has_option(const char *options, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(options, word); at != NULL; at = strstr(at + 1, word)) {
		if ((at == options || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
			return 1;
	}
	return 0;
}

/* A line of /proc/self/mountinfo. Returns whether it is of a hierarchy that limits memory. */
static int parse_mount(const char *line, hierarchy *found)
{
	char type[32];
	char options[PATH_MAX];
	const char *rest = strstr(line, " - ");

	_Static_assert(PATH_MAX == 4096, "the widths below are those of the arrays");
	if (rest == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s", found->exported, found->mounted) != 2 ||
	    sscanf(rest, " - %31s %*s %4095s", type, options) != 2)
		return 0;
	found->version = strcmp(type, "cgroup2") == 0 ? 2 : 1;
	return found->version == 2 || (strcmp(type, "cgroup") == 0 && has_option(options, "memory"));
}

/* A line of /proc/self/cgroup: number, controllers, group. Returns whether it is that of a hierarchy. */
static int parse_group(char *line, hierarchy *found)
{
	char *controllers = strchr(line, ':');
	char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

	if (group == NULL)
		return 0;
	*group++ = '\0';
	controllers++;
	if (found->version == 2 ? controllers[0] != '\0' : !has_option(controllers, "memory"))
		return 0;
	group[strcspn(group, "\n")] = '\0';
	return snprintf(found->group, sizeof(found->group), "%s", group) < (int)sizeof(found->group);
}

static int find_group(const char *root, hierarchy *found)
{
	char path[PATH_MAX];
	char line[2 * PATH_MAX];
	int is_found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	file = fopen(path, "re");
	while (file != NULL && !is_found && fgets(line, sizeof(line), file) != NULL)
		is_found = parse_group(line, found);
	if (file != NULL)
		fclose(file);
	return is_found;
}

/* The limits of the group and of those that contain it, up to the one that is mounted. */
static void read_groups(const char *root, const hierarchy *found, uint64_t *limit)
{
	char directory[2 * PATH_MAX];
	size_t mounted = strlen(found->mounted);
	size_t exported = strcmp(found->exported, "/") == 0 ? 0 : strlen(found->exported);
	const char *below = found->group;

	/* In a container, the mounted group may be that of the process itself, or one that it does not see. */
	if (strncmp(below, found->exported, exported) != 0 || (below[exported] != '/' && below[exported] != '\0'))
		below = "";
	else
		below += exported;
	snprintf(directory, sizeof(directory), "%s%s", found->mounted, below);
	for (;;) {
		char *slash = strrchr(directory, '/');

		read_group(root, found->version, directory, limit);
		if (slash == NULL || strlen(directory) <= mounted)
			return;
		*slash = '\0';
	}
}

uint64_t memory_limit_get(const char *root)
{
	char path[PATH_MAX];
	char line[4 * PATH_MAX];
	uint64_t limit = UINT64_MAX;
	hierarchy found;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root) >= (int)sizeof(path))
		return limit;
	file = fopen(path, "re");
	if (file == NULL)
		return limit;
	while (fgets(line, sizeof(line), file) != NULL) {
		if (parse_mount(line, &found) && find_group(root, &found))
			read_groups(root, &found, &limit);
	}
	fclose(file);
	return limit;
}
