/* SPDX-License-Identifier: MIT */
/* Runs the command that the first argument names. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/output.h"

#include <mprof/base.h>

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const command commands[] = {
	{"record", command_record, "run a program and record it to a log"},
	{"control", command_control, "control the recording of a running program"},
	{"recover", command_recover, "complete the log of a program that was killed"},
	{"report", command_report, "print the profile: methods, calls, allocations, collections"},
	{"diff", command_diff, "print what differs between two logs or heap snapshots"},
	{"heap", command_heap, "print a heap snapshot: what retains memory, and paths from roots"},
	{"flame", command_flame, "draw a flame graph of a log, or of the difference of two"},
	{"handles", command_handles, "print the GC handles alive, and what created them"},
	{"export", command_export, "write a log for other tools: pprof, speedscope, callgrind"},
	{"import", command_import, "make a log from the file of another profiler"},
	{"explore", command_explore, "write one HTML file that shows a log in any browser"},
	{"decode", command_decode, "print the text of Mono's first decoder"},
	{"info", command_info, "print a summary of a log"},
	{"dump", command_dump, "print every block and event, in file order"},
	{"top", command_top, "show what a program does now"},
	{"follow", command_follow, "print a log while the program writes it"},
	{"check", command_check, "validate every byte and list all damage"},
	{"merge", command_merge, "make one log of those of several processes"},
	{"convert", command_convert, "copy a log to another dialect, or compress it"},
	{"doctor", command_doctor, "check the installation for all that recording needs"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	printf("Usage: mprof COMMAND [OPTIONS] [ARGUMENTS]\n\n"
	       "Records, reads and reports profiles of Mono programs and native programs.\n\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].summary);
	puts("\nmprof help TOPIC prints three commands that find out why:");
	topics_print_list();
	printf("\n'mprof COMMAND --help' lists the options of a command; 'mprof --version' prints the version.\n\n"
	       "Start here:\n"
	       "  mprof record -- mono program.exe\n"
	       "  mprof report program.mprof\n\n"
	       "Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was printed),\n"
	       "2 wrong usage, 3 not a log or nothing could be read. 'mprof record' returns that of the program.\n");
}

static void print_version(void)
{
	printf("mprof %s\n", MPROF_VERSION_STRING);
	if (mprof_version_get_number() != MPROF_VERSION_NUMBER)
		printf("libmprof %s\n", mprof_version_get_string());
}

static const command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int is_any_of(const char *text, const char *first, const char *second)
{
	return strcmp(text, first) == 0 || strcmp(text, second) == 0;
}

/* What was probably meant by something that is not a command. Returns 0 if it is not known. */
static int suggest_command(const char *name)
{
	if (is_any_of(name, "-v", "version"))
		fprintf(stderr, "mprof: unknown command '%s'; 'mprof --version' prints the version\n", name);
	else if (access(name, X_OK) == 0 && strchr(name, '/') != NULL)
		fprintf(stderr, "mprof: '%s' is not a command; 'mprof record -- %s' runs and records a program\n", name,
			name);
	else if (access(name, F_OK) == 0)
		fprintf(stderr,
			"mprof: '%s' is not a command; 'mprof report %s' prints the profile of a log, 'mprof --help' "
			"lists the commands\n",
			name, name);
	else
		return 0;
	return 1;
}

static int refuse_command(const char *name, int is_help)
{
	nearest_name nearest;

	if (!is_help && suggest_command(name))
		return STATUS_USAGE;
	nearest_init(&nearest, name);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		nearest_offer_word(&nearest, commands[i].name, commands[i].name);
	if (is_help)
		topics_offer(&nearest);
	fprintf(stderr, "mprof: unknown command %s'%s'; ", is_help ? "or topic " : "", name);
	if (nearest.found != NULL)
		fprintf(stderr, "did you mean '%s'? ", nearest.found);
	fputs("'mprof --help' lists the commands\n", stderr);
	nearest_release(&nearest);
	return STATUS_USAGE;
}

static int run_command(int argc, char **argv)
{
	const command *chosen = find_command(argv[1]);

	if (chosen == NULL)
		return refuse_command(argv[1], 0);
	return chosen->run(argc - 1, argv + 1);
}

/* Prints the help text of a command, the page of a topic, or without an argument the list of both. */
static int run_help(int argc, char **argv)
{
	char help_option[] = "--help";
	char *help_argv[] = {argv[0], argc > 2 ? argv[2] : NULL, help_option, NULL};

	if (argc > 2 && topics_print(argv[2]))
		return STATUS_OK;
	if (argc > 2)
		return find_command(argv[2]) != NULL ? run_command(3, help_argv) : refuse_command(argv[2], 1);
	print_help();
	return STATUS_OK;
}

/*
 * A file must not get the descriptor of a closed standard stream: messages would be written to it. Reads and writes of
 * such a stream still fail.
 */
static void occupy_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	}
}

int main(int argc, char **argv)
{
	occupy_closed_streams();
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		fprintf(stderr, "mprof: no command; 'mprof --help' lists the commands\n");
		return STATUS_USAGE;
	}
	if (is_any_of(argv[1], "--help", "-h")) {
		print_help();
		return output_finish(STATUS_OK);
	}
	if (is_any_of(argv[1], "--version", "-V")) {
		print_version();
		return output_finish(STATUS_OK);
	}
	if (strcmp(argv[1], "help") == 0)
		return output_finish(run_help(argc, argv));
	if (strcmp(argv[1], "complete") == 0)
		return output_finish(complete_command_line(commands, COMMAND_COUNT, argc - 1, argv + 1));
	return output_finish(run_command(argc, argv));
}
