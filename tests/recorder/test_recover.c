/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_recover.c
 * \brief What recovery refuses: damaged salvage files, and files that are not the log of the recording. Nothing is
 * changed then. What it accepts is a log that can be read to its end.
 */
#include "recorder/recover_fixture.h"

enum { NOBODY = 65534 };

static void test_whole_files(log_form form)
{
	content log;
	content salvage;

	make_files(form, &log, &salvage);
	CHECK(recover_or_refuse(&log, &salvage) == MPROF_OK);
	CHECK(events_of(LOG) == 2 * (EVENTS + MORE_EVENTS));
	release(&log, &salvage);
}

/* One byte of the salvage file is wrong: everywhere in the header, and at many places of the rest. */
static void test_damaged_salvage(log_form form)
{
	unsigned refused = 0;
	content log;
	content salvage;

	make_files(form, &log, &salvage);
	for (size_t offset = 0; offset < salvage.length; offset += offset < 12000 ? 97 : 15013) {
		const unsigned char before = salvage.bytes[offset];

		salvage.bytes[offset] = (unsigned char)(before ^ 1 << offset % 8);
		write_content(SALVAGE, &salvage);
		unlink(LOG);
		if (log.bytes != NULL)
			write_content(LOG, &log);
		refused += recover_or_refuse(&log, &salvage) != MPROF_OK;
		salvage.bytes[offset] = before;
	}
	CHECK(refused > 40);
	release(&log, &salvage);
}

/* A name in the journal is wrong: a log with other names would be complete, and false. */
static void test_damaged_names(log_form form)
{
	static const char name[] = "method 7";
	unsigned found = 0;
	content log;
	content salvage;

	make_files(form, &log, &salvage);
	for (size_t i = 0; i + sizeof(name) < salvage.length; i++) {
		if (memcmp(salvage.bytes + i, name, sizeof(name)) != 0)
			continue;
		salvage.bytes[i] = 'M';
		found++;
	}
	CHECK(found > 0);
	write_content(SALVAGE, &salvage);
	CHECK(recover_or_refuse(&log, &salvage) == MPROF_ERR_MALFORMED);
	release(&log, &salvage);
}

static mprof_status recover_as(const char *path, mprof_error *error)
{
	mprof_recovery_options options;

	mprof_recovery_options_init(&options, sizeof(options));
	options.log_path = path;
	return mprof_recorder_recover(SALVAGE, &options, NULL, error);
}

/* The salvage file as it was. */
static mprof_status recover_to(const char *path, const content *salvage, mprof_error *error)
{
	content before = read_content(path);
	mprof_status status;

	write_content(SALVAGE, salvage);
	memset(error, 0, sizeof(*error));
	error->struct_size = sizeof(*error);
	status = recover_as(path, error);
	CHECK(status == MPROF_OK || is_unchanged(path, &before));
	CHECK(status == MPROF_OK || is_unchanged(SALVAGE, salvage));
	free(before.bytes);
	return status;
}

static void write_text(const char *path, size_t length)
{
	FILE *file = fopen(path, "w");

	CHECK(file != NULL);
	for (size_t i = 0; i < length; i++)
		fputc('a' + (int)(i % 26), file);
	CHECK(fclose(file) == 0);
}

static void test_other_files(log_form form)
{
	mprof_error error;
	content log;
	content salvage;
	content other_log;
	content other_salvage;

	make_files(form, &other_log, &other_salvage);
	make_files(form, &log, &salvage);
	write_text("text", log.length + 100000);
	CHECK(recover_to("text", &salvage, &error) == MPROF_ERR_NOT_MPROF);
	CHECK(mkdir("directory", 0700) == 0);
	CHECK(recover_as("directory", NULL) != MPROF_OK);
	CHECK(rmdir("directory") == 0);
	if (form != RING) {
		/* Another recording of the same program. */
		write_content("other.mprof", &other_log);
		CHECK(recover_to("other.mprof", &salvage, &error) != MPROF_OK);
		CHECK(error.status == MPROF_ERR_NOT_MPROF || error.status == MPROF_ERR_TRUNCATED);
	}
	if (form == PLAIN) {
		/* Of a compressed log, the middle may be after the last complete member, which is written again. */
		log.bytes[log.length / 2] ^= 4;
		write_content("damaged.mprof", &log);
		CHECK(recover_to("damaged.mprof", &salvage, &error) == MPROF_ERR_CHECKSUM);
		CHECK(error.offset > 0);
		log.bytes[log.length / 2] ^= 4;
	}
	/* A log that was moved. */
	if (form != RING)
		write_content("moved.mprof", &log);
	CHECK(recover_to("moved.mprof", &salvage, &error) == MPROF_OK);
	CHECK(events_of("moved.mprof") == 2 * (EVENTS + MORE_EVENTS));
	if (form == RING)
		CHECK(recover_to("moved.mprof", &salvage, &error) == MPROF_OK);
	unlink("text");
	unlink("other.mprof");
	unlink("damaged.mprof");
	unlink("moved.mprof");
	release(&log, &salvage);
	release(&other_log, &other_salvage);
}

/* Root is not led to the files of a user by the salvage file or the link of another one. */
static void test_other_users(log_form form)
{
	content log;
	content salvage;
	mprof_error error;

	if (geteuid() != 0)
		return;
	make_files(form, &log, &salvage);
	write_content(SALVAGE, &salvage);
	CHECK(chown(SALVAGE, NOBODY, NOBODY) == 0);
	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	CHECK(mprof_recorder_recover(SALVAGE, NULL, NULL, &error) == MPROF_ERR_IO && error.system_error == EPERM);
	CHECK(is_unchanged(LOG, &log));
	if (form != RING) {
		CHECK(chown(SALVAGE, 0, 0) == 0);
		CHECK(symlink(LOG, "link.mprof") == 0 && lchown("link.mprof", NOBODY, NOBODY) == 0);
		CHECK(recover_as("link.mprof", &error) == MPROF_ERR_IO);
		CHECK(is_unchanged(LOG, &log));
		CHECK(unlink("link.mprof") == 0);
		/* A program that gave up being root. */
		CHECK(chown(SALVAGE, NOBODY, NOBODY) == 0 && chown(LOG, NOBODY, NOBODY) == 0);
		CHECK(mprof_recorder_recover(SALVAGE, NULL, NULL, &error) == MPROF_OK);
	}
	release(&log, &salvage);
}

typedef struct stop {
	unsigned calls;
	unsigned at; /* The number of the call that stops. */
	uint64_t done;
	uint64_t total;
} stop;

static int count_call(void *user, uint64_t done, uint64_t total)
{
	stop *watch = user;

	CHECK(done <= total && done >= watch->done && (watch->calls > 0 || done == 0));
	watch->done = done;
	watch->total = total;
	return ++watch->calls == watch->at;
}

static mprof_status recover_watched(stop *watch, mprof_error *error)
{
	mprof_recovery_options options;

	mprof_recovery_options_init(&options, sizeof(options));
	options.progress = count_call;
	options.progress_user = watch;
	return mprof_recorder_recover(SALVAGE, &options, NULL, error);
}

/* Stopped at any call, it changes nothing, and can be repeated. */
static void test_stop(log_form form)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status = MPROF_ERR_INTERRUPTED;
	unsigned stops = 0;
	stop watch;
	content log;
	content salvage;

	make_files(form, &log, &salvage);
	while (status == MPROF_ERR_INTERRUPTED) {
		CHECK(is_unchanged(LOG, &log) && is_unchanged(SALVAGE, &salvage));
		watch = (stop){.at = stops + 1};
		status = recover_watched(&watch, &error);
		CHECK(status == MPROF_OK || (watch.calls == watch.at && error.status == MPROF_ERR_INTERRUPTED));
		stops += status != MPROF_OK;
	}
	CHECK(status == MPROF_OK && watch.calls == stops && watch.done == watch.total);
	CHECK(form == RING ? stops == 2 : stops > 2 && watch.total > 0);
	CHECK(events_of(LOG) == 2 * (EVENTS + MORE_EVENTS));
	release(&log, &salvage);
}

int main(void)
{
	char directory[] = "mprof-test-recover-XXXXXX";

	CHECK(mkdtemp(directory) != NULL && chdir(directory) == 0);
	for (int form = 0; form < FORMS; form++) {
		test_whole_files((log_form)form);
		test_damaged_salvage((log_form)form);
		test_damaged_names((log_form)form);
		test_other_files((log_form)form);
		test_other_users((log_form)form);
		test_stop((log_form)form);
	}
	unlink(LOG);
	unlink(SALVAGE);
	CHECK(chdir("..") == 0 && rmdir(directory) == 0);
	return 0;
}
