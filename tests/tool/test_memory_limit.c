/* SPDX-License-Identifier: MIT */
/* The limit of a control group is the lowest one of the groups that contain it, in both versions of the interface. */
#include "record/memory_limit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[32];

/* Writes a file in the root directory, with the directories that it is in. */
static void put(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void begin(const char *groups, const char *mounts)
{
	strcpy(root, "mprof-test-limit-XXXXXX");
	cr_assert_not_null(mkdtemp(root));
	put("proc/self/cgroup", groups);
	put("proc/self/mountinfo", mounts);
}

static void end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	cr_assert_eq(system(command), 0);
}

#define MIB(n) ((uint64_t)(n) << 20)

Test(memory_limit, version_2)
{
	begin("0::/user.slice/app.scope\n",
	      "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	      "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,memory_recursiveprot\n");
	cr_assert_eq(memory_limit_get(root), UINT64_MAX);
	put("sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n");
	cr_assert_eq(memory_limit_get(root), UINT64_MAX);
	put("sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
	cr_assert_eq(memory_limit_get(root), MIB(1024));
	/* A process above it is slowed down. */
	put("sys/fs/cgroup/user.slice/app.scope/memory.high", "536870912\n");
	cr_assert_eq(memory_limit_get(root), MIB(512));
	put("sys/fs/cgroup/user.slice/app.scope/memory.max", "268435456\n");
	cr_assert_eq(memory_limit_get(root), MIB(256));
	/* Of another group. */
	put("sys/fs/cgroup/user.slice/other.scope/memory.max", "1048576\n");
	cr_assert_eq(memory_limit_get(root), MIB(256));
	end();
}

Test(memory_limit, version_1)
{
	begin("9:name=systemd:/\n4:cpu,memory:/jobs/one\n1:cpu:/\n0::/\n",
	      "31 22 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	      "32 22 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("sys/fs/cgroup/cpu/jobs/one/memory.limit_in_bytes", "1\n");
	cr_assert_eq(memory_limit_get(root), UINT64_MAX);
	put("sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "67108864\n");
	cr_assert_eq(memory_limit_get(root), MIB(64));
	put("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "33554432\n");
	cr_assert_eq(memory_limit_get(root), MIB(32));
	end();
}

/* A container may see only its own group, or none of the names in /proc/self/cgroup. */
Test(memory_limit, containers)
{
	begin("4:memory:/docker/abc\n", "32 22 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
	put("sys/fs/cgroup/memory/memory.limit_in_bytes", "16777216\n");
	cr_assert_eq(memory_limit_get(root), MIB(16));
	begin("0::/../../other\n", "30 22 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
	put("sys/fs/cgroup/memory.max", "8388608\n");
	cr_assert_eq(memory_limit_get(root), MIB(8));
	end();
}

Test(memory_limit, unreadable)
{
	cr_assert_eq(memory_limit_get("missing"), UINT64_MAX);
	begin("nonsense", " - \n\n32 22 - cgroup2\n");
	cr_assert_eq(memory_limit_get(root), UINT64_MAX);
	end();
	/* Those of this system. */
	cr_assert(memory_limit_get("") > 0);
}

Test(memory_limit, ring)
{
	cr_assert_eq(memory_limit_of_ring(MIB(100)), MIB(130));
}
