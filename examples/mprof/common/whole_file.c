/* SPDX-License-Identifier: MIT */
/* Writes a file that replaces an existing one only once it is complete. */
#include "common/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE_BITS 0777

/* The mode of a file whose log is read from a pipe, so that its permissions are not known. */
#define PRIVATE_MODE 0600

/* Number of links that lead from one to the next. */
#define MAX_LINKS 40

/* Size of "/proc/self/fd/" and a number. */
#define DESCRIPTOR_PATH_SIZE 40

/* Number of temporary names that are tried for a file that replaces another one. */
#define MAX_NAMES 100

/* Path that the signal handler removes; NULL if none. At most one file is written at a time. */
static const char *volatile unfinished;

static void remove_unfinished(int signal_number)
{
	if (unfinished != NULL)
		unlink(unfinished);
	/* The handler was installed with SA_RESETHAND: now the signal has its default effect. */
	raise(signal_number);
}

static void watch_signals(void)
{
	/* SIGPIPE is raised if messages go to a closed pipe, SIGXFSZ if the file exceeds the size limit. */
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
	struct sigaction action = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction before;

		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

static mode_t new_mode(unsigned int most)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & (mode_t)most & ~mask;
}

unsigned int whole_file_mode(const char *const *logs, size_t count)
{
	mode_t mode = 0666;

	for (size_t i = 0; i < count; i++) {
		struct stat status;
		const int result = strcmp(logs[i], "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(logs[i], &status);

		/* The owner of the copy can write it, even if the log is protected. */
		if (result == 0)
			mode &= S_ISREG(status.st_mode) ? (status.st_mode | PRIVATE_MODE) : PRIVATE_MODE;
	}
	return mode;
}

static const char *open_in_place(whole_file *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (file->is_followed ? O_NOFOLLOW : 0));
	return file->fd < 0 ? strerror(errno) : NULL;
}

/* Formats a path to an unnamed file, valid while it is open. */
static void descriptor_path(char path[DESCRIPTOR_PATH_SIZE], int fd)
{
	snprintf(path, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", fd);
}

/* The directory of a file. The caller frees it; NULL if out of memory. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/*
 * An unnamed file disappears by itself, however this program ends. Not all file systems support it. Returns 1 if this
 * one does, and the file can be given a name.
 */
static int open_unnamed(whole_file *file)
{
#ifdef O_TMPFILE
	char path[DESCRIPTOR_PATH_SIZE];
	char *folder = folder_of(file->path);

	if (folder != NULL)
		file->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
	free(folder);
	if (file->fd < 0)
		return 0;
	descriptor_path(path, file->fd);
	if (access(path, F_OK) == 0)
		return 1;
	close(file->fd);
	file->fd = -1;
#endif
	return 0;
}

static const char *open_named(whole_file *file)
{
	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
		file->temporary = NULL;
		return strerror(ENOMEM);
	}
	watch_signals();
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd < 0)
		return strerror(errno);
	unfinished = file->temporary;
	return NULL;
}

static const char *open_temporary(whole_file *file, mode_t mode)
{
	const char *problem;

	file->is_unnamed = open_unnamed(file);
	if (!file->is_unnamed) {
		problem = open_named(file);
		if (problem != NULL)
			return problem;
	}
	/* Some file systems do not support it; the file is written nevertheless. */
	(void)!fchmod(file->fd, mode);
	return NULL;
}

/* Whether a path refers to a descriptor of a process. The user of the process has opened that file. */
static int is_descriptor_path(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
	       strncmp(path, "/proc/", 6) == 0;
}

/* The target of a link, relative to its directory. The caller frees it; NULL with errno set on failure. */
static char *read_link(const char *path)
{
	char *target = malloc(PATH_MAX);
	ssize_t length = target != NULL ? readlink(path, target, PATH_MAX - 1) : -1;
	const char *slash = strrchr(path, '/');
	char *joined;

	if (length < 0) {
		free(target);
		return NULL;
	}
	target[length] = '\0';
	if (target[0] == '/' || slash == NULL)
		return target;
	if (asprintf(&joined, "%.*s/%s", (int)(slash - path), path, target) < 0)
		joined = NULL;
	free(target);
	return joined;
}

/*
 * Resolves the symbolic links that a path ends with. The file need not exist. In a directory that is writable by all,
 * such as /tmp, any user can create a link with the name of a future file: the links of other users are not followed.
 * Returns NULL, or a message.
 */
static const char *follow_links(const char *path, char **followed)
{
	*followed = strdup(path);
	for (int i = 0; *followed != NULL; i++) {
		struct stat status;
		char *target;

		if (lstat(*followed, &status) != 0 || !S_ISLNK(status.st_mode))
			return NULL;
		if (status.st_uid != geteuid() && status.st_uid != 0)
			return "a symbolic link of another user is not followed";
		if (i == MAX_LINKS)
			return strerror(ELOOP);
		target = read_link(*followed);
		free(*followed);
		*followed = target;
	}
	return strerror(errno);
}

int whole_file_is_foreign_link(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && status.st_uid != geteuid() && status.st_uid != 0;
}

static const char *open_regular(whole_file *file, const struct stat *status, unsigned int most)
{
	if (!file->is_followed || status->st_uid == geteuid())
		return open_temporary(file, status->st_mode & MODE_BITS);
	/* Another user may have created it to be able to read the log. */
	if (status->st_uid != 0)
		return "the file belongs to another user";
	return open_temporary(file, status->st_mode & MODE_BITS & new_mode(most));
}

const char *whole_file_open(whole_file *file, const char *path, unsigned int most)
{
	struct stat status;
	const char *problem;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	if (strcmp(path, "-") == 0) {
		file->fd = STDOUT_FILENO;
		return isatty(STDOUT_FILENO) ? "a log is not written to a terminal; give a file name" : NULL;
	}
	if (*path == '\0')
		return strerror(ENOENT);
	file->is_followed = !is_descriptor_path(path);
	if (file->is_followed) {
		problem = follow_links(path, &file->path);
		if (problem != NULL)
			return problem;
	} else {
		file->path = realpath(path, NULL);
		if (file->path == NULL)
			file->path = strdup(path);
		if (file->path == NULL)
			return strerror(ENOMEM);
	}
	if (stat(file->path, &status) != 0)
		return errno == ENOENT ? open_temporary(file, new_mode(most)) : strerror(errno);
	if (S_ISREG(status.st_mode))
		return open_regular(file, &status, most);
	if (S_ISFIFO(status.st_mode) && file->is_followed && status.st_uid != geteuid() && status.st_uid != 0)
		return "the pipe belongs to another user";
	return S_ISDIR(status.st_mode) ? strerror(EISDIR) : open_in_place(file);
}

int whole_file_is(const whole_file *file, int fd)
{
	struct stat replaced;
	struct stat other;
	int has_own = file->path != NULL ? stat(file->path, &replaced) == 0 : fstat(file->fd, &replaced) == 0;

	return has_own && fstat(fd, &other) == 0 && S_ISREG(replaced.st_mode) && replaced.st_dev == other.st_dev &&
	       replaced.st_ino == other.st_ino;
}

/* Syncs the data to disk. The file must not get its name before that succeeded. */
static int flush_to_disk(int fd)
{
	int result;

	do
		result = fsync(fd);
	while (result != 0 && errno == EINTR);
	/* Some file systems do not support fsync(). */
	return result != 0 && errno != EINVAL && errno != ENOTSUP ? -1 : 0;
}

/* Links the file to an unused temporary name, from which it can be renamed over an existing file. */
static int link_aside(whole_file *file, const char *descriptor)
{
	for (int i = 0; i < MAX_NAMES; i++) {
		if (asprintf(&file->temporary, "%s.%ld-%d", file->path, (long)getpid(), i) < 0) {
			file->temporary = NULL;
			errno = ENOMEM;
			return -1;
		}
		watch_signals();
		if (linkat(AT_FDCWD, descriptor, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0) {
			/* Not set earlier: before the link succeeded, the name may belong to another file. */
			unfinished = file->temporary;
			return 0;
		}
		free(file->temporary);
		file->temporary = NULL;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Renames the file from its temporary name if \p result, the status of the sync, is 0. */
static int move_to_place(const whole_file *file, int result)
{
	int error;

	if (result == 0 && rename(file->temporary, file->path) == 0)
		return 0;
	error = errno;
	unlink(file->temporary);
	errno = error;
	return -1;
}

/* Moves the file to its final name. Returns -1 with errno set on failure, and leaves no file. */
static int publish_file(whole_file *file)
{
	char descriptor[DESCRIPTOR_PATH_SIZE];

	if (!file->is_unnamed)
		return move_to_place(file, flush_to_disk(file->fd));
	if (flush_to_disk(file->fd) != 0)
		return -1;
	descriptor_path(descriptor, file->fd);
	if (linkat(AT_FDCWD, descriptor, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	return errno == EEXIST && link_aside(file, descriptor) == 0 ? move_to_place(file, 0) : -1;
}

static int is_temporary(const whole_file *file)
{
	return file->is_unnamed || unfinished != NULL;
}

const char *whole_file_close(whole_file *file, int is_whole)
{
	const char *problem = NULL;

	if (file->fd >= 0 && is_temporary(file)) {
		if (is_whole && publish_file(file) != 0)
			problem = strerror(errno);
		else if (!is_whole && !file->is_unnamed)
			unlink(file->temporary);
	}
	if (file->fd > STDERR_FILENO && close(file->fd) != 0 && is_whole && problem == NULL)
		problem = strerror(errno);
	unfinished = NULL;
	free(file->temporary);
	free(file->path);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
	return problem;
}
