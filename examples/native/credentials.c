/* SPDX-License-Identifier: MIT */
/*
 * Interposes the functions that change users and groups. The C library makes each change in all threads, and ends the
 * process if it succeeds in some of them alone. Capabilities belong to single threads: those of a program with one
 * thread, which changes them first, differ from those of the recorder's threads.
 */
#include "shared/own_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))

/* Of a process, in Linux. */
#define MAX_GROUPS 65536

/* Returns 0 if the system does not know them. */
static int read_capabilities(pid_t thread, struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, thread};

	memset(data, 0, _LINUX_CAPABILITY_U32S_3 * sizeof(*data));
	return syscall(SYS_capget, &header, data) == 0;
}

/* Whether a change that the calling thread is allowed may be refused to a thread of the recorder, or the opposite. */
static int differs_from_recorder(void)
{
	struct __user_cap_data_struct own[_LINUX_CAPABILITY_U32S_3];
	struct __user_cap_data_struct others[_LINUX_CAPABILITY_U32S_3];
	const pid_t thread = own_thread_any();

	return thread != 0 && read_capabilities(0, own) && read_capabilities(thread, others) &&
	       memcmp(own, others, sizeof(own)) != 0;
}

/* Whether the calling thread changes alone: it is the program's only one, and not like those of the recorder. */
static int changes_alone(void)
{
	const int saved = errno;
	const int is_alone = differs_from_recorder() && own_thread_count_others() == 1;

	errno = saved;
	return is_alone;
}

/* Calls the function of the C library; -1 with ENOSYS if there is none. */
#define CALL_REAL(name, parameters, arguments)                                                                         \
	do {                                                                                                           \
		int(*real) parameters = NULL;                                                                          \
		void *address = dlsym(RTLD_NEXT, name);                                                                \
		memcpy(&real, &address, sizeof(address));                                                              \
		errno = real != NULL ? errno : ENOSYS;                                                                 \
		return real != NULL ? real arguments : -1;                                                             \
	} while (0)

OVERRIDES int setuid(uid_t user)
{
	if (changes_alone())
		return (int)syscall(SYS_setuid, user);
	CALL_REAL("setuid", (uid_t), (user));
}

OVERRIDES int setgid(gid_t group)
{
	if (changes_alone())
		return (int)syscall(SYS_setgid, group);
	CALL_REAL("setgid", (gid_t), (group));
}

OVERRIDES int seteuid(uid_t effective)
{
	if (changes_alone())
		return (int)syscall(SYS_setresuid, (uid_t)-1, effective, (uid_t)-1);
	CALL_REAL("seteuid", (uid_t), (effective));
}

OVERRIDES int setegid(gid_t effective)
{
	if (changes_alone())
		return (int)syscall(SYS_setresgid, (gid_t)-1, effective, (gid_t)-1);
	CALL_REAL("setegid", (gid_t), (effective));
}

OVERRIDES int setreuid(uid_t real_user, uid_t effective)
{
	if (changes_alone())
		return (int)syscall(SYS_setreuid, real_user, effective);
	CALL_REAL("setreuid", (uid_t, uid_t), (real_user, effective));
}

OVERRIDES int setregid(gid_t real_group, gid_t effective)
{
	if (changes_alone())
		return (int)syscall(SYS_setregid, real_group, effective);
	CALL_REAL("setregid", (gid_t, gid_t), (real_group, effective));
}

OVERRIDES int setresuid(uid_t real_user, uid_t effective, uid_t saved)
{
	if (changes_alone())
		return (int)syscall(SYS_setresuid, real_user, effective, saved);
	CALL_REAL("setresuid", (uid_t, uid_t, uid_t), (real_user, effective, saved));
}

OVERRIDES int setresgid(gid_t real_group, gid_t effective, gid_t saved)
{
	if (changes_alone())
		return (int)syscall(SYS_setresgid, real_group, effective, saved);
	CALL_REAL("setresgid", (gid_t, gid_t, gid_t), (real_group, effective, saved));
}

OVERRIDES int setgroups(size_t count, const gid_t *groups)
{
	if (changes_alone())
		return (int)syscall(SYS_setgroups, count, groups);
	CALL_REAL("setgroups", (size_t, const gid_t *), (count, groups));
}

/* The C library calls its own setgroups() here. Like that one, this ignores groups beyond the limit of the system. */
OVERRIDES int initgroups(const char *user, gid_t group)
{
	gid_t *groups = NULL;
	int capacity = 64;
	int count = capacity;
	int result;

	if (!changes_alone())
		CALL_REAL("initgroups", (const char *, gid_t), (user, group));
	do {
		gid_t *larger = realloc(groups, (size_t)capacity * sizeof(*groups));

		if (larger == NULL) {
			free(groups);
			return -1;
		}
		groups = larger;
		count = capacity;
		capacity *= 2;
	} while (getgrouplist(user, group, groups, &count) < 0 && capacity <= 2 * MAX_GROUPS);
	/* If there are more, it has stored how many. */
	count = count < capacity / 2 ? count : capacity / 2;
	while ((result = (int)syscall(SYS_setgroups, (size_t)count, groups)) != 0 && errno == EINVAL && count > 1)
		count--;
	free(groups);
	return result;
}
