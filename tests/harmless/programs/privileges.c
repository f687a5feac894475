/* SPDX-License-Identifier: MIT */
/*
 * Programs that give up privileges. Only the administrator has any: for other users, there is nothing to observe.
 *
 * cases: privileges keep | privileges drop
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

static void print_result(const char *what, int result)
{
	printf("%s: %s\n", what, result == 0 ? "done" : strerror(errno));
}

/* Makes all permitted capabilities but \p left_out effective; \p left_out is not permitted either from then on. */
static void set_capabilities(uint32_t left_out)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	print_result("capget", (int)syscall(SYS_capget, &header, data));
	data[0].permitted &= ~left_out;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].effective = data[i].permitted;
	print_result("capset", (int)syscall(SYS_capset, &header, data));
}

static void print_users(void)
{
	uid_t users[3];
	gid_t groups[3];

	getresuid(&users[0], &users[1], &users[2]);
	getresgid(&groups[0], &groups[1], &groups[2]);
	printf("users %u %u %u, groups %u %u %u and %d more\n", users[0], users[1], users[2], groups[0], groups[1],
	       groups[2], getgroups(0, NULL));
}

/* Another user with the capabilities of before, as in programs that change their groups last. */
static void keep(void)
{
	print_result("keep", prctl(PR_SET_KEEPCAPS, 1));
	print_result("setresuid", setresuid(NOBODY, NOBODY, NOBODY));
	set_capabilities(0);
	print_result("setresgid", setresgid(NOBODY, NOBODY, NOBODY));
	print_result("setgroups", setgroups(0, NULL));
	print_result("initgroups", initgroups("nobody", NOBODY));
}

/* What is not permitted any more is refused. */
static void drop(void)
{
	set_capabilities(1U << CAP_SETGID);
	print_result("setgid", setgid(NOBODY));
	print_result("setegid", setegid(NOBODY));
	print_result("setregid", setregid(NOBODY, NOBODY));
	print_result("seteuid", seteuid(NOBODY));
	print_result("seteuid", seteuid(0));
	print_result("setreuid", setreuid(NOBODY, NOBODY));
	print_result("setuid", setuid(0));
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2 || geteuid() != 0)
		return 0;
	compute_for_us(3000);
	free(malloc(1000));
	if (strcmp(argv[1], "keep") == 0)
		keep();
	else
		drop();
	print_users();
	compute_for_us(3000);
	return 3;
}
