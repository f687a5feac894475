/* SPDX-License-Identifier: MIT */
#include "io/system.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "mprof-test-log-XXXXXX";
static char path[64];
static char link_path[64];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/log", directory);
	snprintf(link_path, sizeof(link_path), "%s/link", directory);
	umask(022);
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

TestSuite(log_file, .init = set_up, .fini = tear_down, .timeout = 60);

static int open_log(const char *name, uint32_t mode)
{
	int is_locked;
	int fd;

	cr_assert_eq(log_file_open(name, mode, &fd, &is_locked), 0);
	cr_assert(is_locked);
	cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	return fd;
}

static int error_of(const char *name)
{
	int is_locked = 77;
	int fd;
	int error = log_file_open(name, 0600, &fd, &is_locked);

	cr_assert_neq(error, 0);
	cr_assert_eq(fd, -1);
	cr_assert_eq(is_locked, 0);
	return error;
}

/* What another process gets. */
static int error_elsewhere(const char *name)
{
	int status;
	pid_t child = fork();

	cr_assert_geq(child, 0);
	if (child == 0) {
		int is_locked;
		int fd;

		_exit(log_file_open(name, 0600, &fd, &is_locked));
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static off_t length_of(const char *name)
{
	struct stat status;

	cr_assert_eq(stat(name, &status), 0);
	return status.st_size;
}

Test(log_file, is_for_its_owner)
{
	struct stat status;
	int fd = open_log(path, 0666);

	cr_assert_eq(fstat(fd, &status), 0);
	cr_assert_eq(status.st_mode & 0777, 0644);
	close(fd);
	unlink(path);
	fd = open_log(path, LOG_FILE_MODE);
	cr_assert_eq(fstat(fd, &status), 0);
	cr_assert_eq(status.st_mode & 0777, 0600);
	close(fd);
}

Test(log_file, is_left_as_it_is_while_another_writer_has_it)
{
	int fd = open_log(path, 0600);

	cr_assert_eq(write(fd, "content", 7), 7);
	cr_assert_eq(error_of(path), EBUSY);
	cr_assert_eq(error_elsewhere(path), EBUSY);
	cr_assert_eq(length_of(path), 7);
	close(fd);
	cr_assert_eq(error_elsewhere(path), 0);
	cr_assert_eq(length_of(path), 0);
}

/* A child that lives on has the descriptor too. */
Test(log_file, is_free_once_it_is_unlocked_whoever_has_it_open)
{
	int fd = open_log(path, 0600);
	int copy = dup(fd);

	cr_assert_geq(copy, 0);
	log_file_unlock(fd);
	close(fd);
	cr_assert_eq(error_elsewhere(path), 0);
	close(copy);
}

Test(log_file, own_link_is_followed)
{
	int fd;

	cr_assert_eq(symlink("log", link_path), 0);
	fd = open_log(link_path, 0600);
	cr_assert_eq(write(fd, "content", 7), 7);
	cr_assert_eq(length_of(path), 7);
	cr_assert_eq(error_of(path), EBUSY);
	close(fd);
}

Test(log_file, link_of_another_user_is_not)
{
	int fd;

	if (geteuid() != 0)
		cr_skip("needs root");
	fd = open_log(path, 0600);
	cr_assert_eq(write(fd, "precious", 8), 8);
	close(fd);
	cr_assert_eq(symlink("log", link_path), 0);
	cr_assert_eq(lchown(link_path, 12345, 12345), 0);
	cr_assert_eq(error_of(link_path), ELOOP);
	cr_assert_eq(length_of(path), 8);
}

/* A file with content, which belongs to another user. */
static void plant(const char *name, mode_t mode)
{
	int fd = open_log(name, 0600);

	cr_assert_eq(write(fd, "planted", 7), 7);
	cr_assert_eq(fchmod(fd, mode), 0);
	cr_assert_eq(fchown(fd, 12345, 12345), 0);
	close(fd);
}

Test(log_file, file_of_another_user_is_refused)
{
	if (geteuid() != 0)
		cr_skip("needs root");
	plant(path, 0666);
	cr_assert_eq(error_of(path), EPERM);
	cr_assert_eq(length_of(path), 7);
	/* The same through a link of this user. */
	cr_assert_eq(symlink("log", link_path), 0);
	cr_assert_eq(error_of(link_path), EPERM);
	cr_assert_eq(length_of(path), 7);
}

Test(log_file, file_that_a_descriptor_refers_to_is_not_checked)
{
	char name[32];
	int descriptor;
	int fd;

	if (geteuid() != 0)
		cr_skip("needs root");
	plant(path, 0666);
	descriptor = open(path, O_WRONLY);
	cr_assert_geq(descriptor, 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", descriptor);
	fd = open_log(name, 0600);
	cr_assert_eq(length_of(path), 0);
	close(fd);
	close(descriptor);
}

Test(log_file, file_with_another_name_is_refused)
{
	int fd = open_log(path, 0600);

	cr_assert_eq(write(fd, "precious", 8), 8);
	close(fd);
	cr_assert_eq(link(path, link_path), 0);
	cr_assert_eq(error_of(link_path), EMLINK);
	cr_assert_eq(length_of(path), 8);
}

Test(log_file, existing_file_loses_the_permissions_of_others)
{
	struct stat status;
	int fd = open_log(path, 0600);

	cr_assert_eq(fchmod(fd, 0666), 0);
	close(fd);
	fd = open_log(path, 0640);
	cr_assert_eq(fstat(fd, &status), 0);
	cr_assert_eq(status.st_mode & 07777, 0640);
	close(fd);
}

Test(log_file, name_is_removed_only_if_it_is_that_of_the_file)
{
	struct stat filled;
	int fd = open_log(path, 0600);

	cr_assert_eq(fstat(fd, &filled), 0);
	cr_assert_eq(rename(path, link_path), 0);
	cr_assert_eq(log_file_remove(path, filled.st_dev, filled.st_ino), ENOENT);
	close(open_log(path, 0600));
	cr_assert_eq(log_file_remove(path, filled.st_dev, filled.st_ino), ESTALE);
	cr_assert_eq(access(path, F_OK), 0);
	cr_assert_eq(log_file_remove(link_path, filled.st_dev, filled.st_ino), 0);
	cr_assert_neq(access(link_path, F_OK), 0);
	close(fd);
}

Test(log_file, what_is_no_regular_file_is_not_locked)
{
	int is_locked;
	int fd;

	cr_assert_eq(log_file_open("/dev/null", 0600, &fd, &is_locked), 0);
	cr_assert_not(is_locked);
	close(fd);
	cr_assert_eq(error_of(directory), EISDIR);
	cr_assert_eq(error_of("/nonexistent/log"), ENOENT);
}

Test(log_file, new_ones_have_other_names_each_time)
{
	char first[128];
	char second[128];
	struct stat status;
	int fds[2];

	cr_assert_eq(log_file_create_beside(path, 0600, first, strlen(path) + LOG_FILE_SUFFIX_SIZE, &fds[0]), 0);
	cr_assert_eq(log_file_create_beside(path, 0600, second, strlen(path) + LOG_FILE_SUFFIX_SIZE, &fds[1]), 0);
	cr_assert_str_neq(first, second);
	cr_assert_eq(strncmp(first, path, strlen(path)), 0);
	/* Not cut off. */
	cr_assert_str_eq(first + strlen(first) - 5, ".part");
	cr_assert_eq(lstat(first, &status), 0);
	cr_assert(S_ISREG(status.st_mode));
	cr_assert_eq(status.st_mode & 0777, 0600);
	close(fds[0]);
	close(fds[1]);
	cr_assert_eq(log_file_create_beside("/nonexistent/log", 0600, first, sizeof(first), &fds[0]), ENOENT);
	cr_assert_eq(fds[0], -1);
}
