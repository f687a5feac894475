/* SPDX-License-Identifier: MIT */
/* Lists the directories with the sockets of recorded programs, and removes sockets whose program has ended. */
#include "control_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Minimum age for the removal of a socket whose process may exist: between bind() and listen(), it has no listener. */
#define MIN_AGE_SECONDS 60

void control_paths_list(char directories[CONTROL_DIRECTORY_COUNT][CONTROL_DIRECTORY_SIZE], uid_t user)
{
	const char *runtime_directory = secure_getenv("XDG_RUNTIME_DIR");

	directories[0][0] = '\0';
	if (runtime_directory != NULL && runtime_directory[0] == '/' && user == geteuid() &&
	    (size_t)snprintf(directories[0], CONTROL_DIRECTORY_SIZE, "%s/mprof", runtime_directory) >=
		    CONTROL_DIRECTORY_SIZE)
		directories[0][0] = '\0';
	snprintf(directories[1], CONTROL_DIRECTORY_SIZE, "/run/user/%ld/mprof", (long)user);
	snprintf(directories[2], CONTROL_DIRECTORY_SIZE, "/tmp/mprof-%ld", (long)user);
}

int control_paths_is_left_over(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat status;
	int fd;
	int refused;

	if (strlen(path) >= sizeof(address.sun_path) || lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode) ||
	    status.st_uid != geteuid())
		return 0;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	refused = connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 && errno == ECONNREFUSED;
	close(fd);
	return refused;
}

/* The process ID in the name of a file; 0 if the name is not that of a socket. */
static long process_of(const char *name)
{
	char *end;
	long process = strtol(name, &end, 10);

	return process > 0 && process <= INT_MAX && strcmp(end, ".sock") == 0 ? process : 0;
}

static int is_old(int directory, const char *name)
{
	struct stat status;

	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       time(NULL) - status.st_ctime > MIN_AGE_SECONDS;
}

/*
 * A process that is not found here may be alive in another PID namespace: its socket still has a listener. One that is
 * found may be another process with the same ID.
 */
static int is_removable(int directory, const char *name)
{
	char path[64];
	long process = process_of(name);

	if (process == 0)
		return 0;
	if ((kill((pid_t)process, 0) == 0 || errno != ESRCH) && !is_old(directory, name))
		return 0;
	/*
	 * A socket address has little room for a path. This path is short, and refers to the directory that was opened.
	 */
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%ld.sock", directory, process);
	return control_paths_is_left_over(path);
}

unsigned control_paths_clean(const char *directory)
{
	/* Another user may have put a link or a directory there: links are not followed, and the owner is checked. */
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct dirent *entry;
	struct stat status;
	unsigned count = 0;
	DIR *list = NULL;

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) == 0 && status.st_uid == geteuid())
		list = fdopendir(fd);
	while (list != NULL && (entry = readdir(list)) != NULL)
		count += is_removable(fd, entry->d_name) && unlinkat(fd, entry->d_name, 0) == 0;
	if (list != NULL)
		closedir(list);
	else
		close(fd);
	return count;
}

unsigned control_paths_clean_all(void)
{
	char directories[CONTROL_DIRECTORY_COUNT][CONTROL_DIRECTORY_SIZE];
	unsigned count = 0;

	control_paths_list(directories, geteuid());
	for (int i = 0; i < CONTROL_DIRECTORY_COUNT; i++)
		count += directories[i][0] != '\0' ? control_paths_clean(directories[i]) : 0;
	return count;
}

void control_paths_clean_after(const char *path)
{
	if (path != NULL && control_paths_is_left_over(path))
		(void)unlink(path);
	(void)control_paths_clean_all();
}
