/* SPDX-License-Identifier: MIT */
/*
 * mprof complete: what can follow on a command line. The help texts of the commands are what it reads, so that an
 * option is described once, for readers and for all shells.
 */
#include "commands/commands.h"

#include "common/arguments.h"
#include "diff/diff.h"
#include "export/value.h"
#include "shared/dialects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_HELP = 1 << 16, MAX_WORD = 128 };

typedef struct completion {
	const command *commands;
	size_t count;
	const char *current; /* What is there of the word so far. */
	int prefix_length;   /* Of what precedes a value: "--sections=", or "--sections=methods,". */
} completion;

/* Offers a word, if what is there of it can be its start. */
static void offer(const completion *requested, const char *word, const char *description)
{
	const char *rest = requested->current + requested->prefix_length;

	if (strncmp(word, rest, strlen(rest)) == 0)
		printf("%.*s%s\t%s\n", requested->prefix_length, requested->current, word, description);
}

/* What a command prints: it ends with its output, so it runs in a process of its own. The caller frees it; or NULL. */
static char *capture(int (*run)(int argc, char **argv), const char *name, const char *option)
{
	char *arguments[] = {(char *)name, (char *)option, NULL}, *text = calloc(1, MAX_HELP);
	size_t length = 0;
	ssize_t count;
	int ends[2];
	pid_t child;

	if (text == NULL || pipe(ends) != 0)
		return text;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		(void)run(2, arguments);
		fflush(stdout);
		_exit(0);
	}
	close(ends[1]);
	while (child > 0 && (count = read(ends[0], text + length, MAX_HELP - 1 - length)) > 0)
		length += (size_t)count;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return text;
}

static const command *find(const completion *requested, const char *name)
{
	for (size_t i = 0; i < requested->count; i++) {
		if (strcmp(requested->commands[i].name, name) == 0)
			return &requested->commands[i];
	}
	return NULL;
}

/*
 * A line of a help text that describes an option: "  --name=VALUE  text", "  -o, --output=FILE  text" or
 * "  --name[=VALUE]  text".
 */
typedef struct option_line {
	char name[MAX_WORD]; /* "--name" */
	char letter;         /* 0 if it has none. */
	enum { WITHOUT_VALUE, WITH_VALUE, MAYBE_VALUE } value;
	char text[MAX_WORD];
} option_line;

/* Returns the end of the option that a line describes, after which another one may follow; NULL if there is none. */
static const char *read_option(const char *name, option_line *option)
{
	const char *text;
	size_t length;

	option->letter = 0;
	if (name[1] != '-' && strncmp(name + 2, ", ", 2) == 0) {
		option->letter = name[1];
		name += 4;
	}
	length = strspn(name, "-abcdefghijklmnopqrstuvwxyz");
	if (strncmp(name, "--", 2) != 0 || length >= MAX_WORD)
		return NULL;
	snprintf(option->name, sizeof(option->name), "%.*s", (int)length, name);
	option->value = name[length] == '=' ? WITH_VALUE : name[length] == '[' ? MAYBE_VALUE : WITHOUT_VALUE;
	text = strstr(name, "  ");
	text = text != NULL ? text + strspn(text, " ") : "";
	snprintf(option->text, sizeof(option->text), "%s", text);
	return name + strcspn(name, " ");
}

/* Calls a function for each option of a command, until one returns 0. */
static void visit_options(const command *command, int (*visit)(const option_line *option, void *user), void *user)
{
	char *help = capture(command->run, command->name, "--help"), *rest = help, *line;
	option_line option;

	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL && strcmp(line, "Examples:") != 0) {
		const char *at = strncmp(line, "  -", 3) == 0 ? line + 2 : NULL;

		while (at != NULL && (at = read_option(at, &option)) != NULL) {
			if (!visit(&option, user)) {
				free(help);
				return;
			}
			/* "--min-age=N, --max-age=N" */
			at = at[-1] == ',' ? at + 1 : NULL;
		}
	}
	free(help);
}

static int offer_option(const option_line *option, void *user)
{
	char word[MAX_WORD + 2];

	if (option->value != WITH_VALUE)
		offer(user, option->name, option->text);
	snprintf(word, sizeof(word), "%s=", option->name);
	if (option->value != WITHOUT_VALUE)
		offer(user, word, option->text);
	return 1;
}

/* The last column of a line, which begins after two spaces. */
static const char *last_column(const char *text)
{
	const char *found = text;

	for (const char *at = strstr(text, "  "); at != NULL; at = strstr(at + 1, "  "))
		found = at + strspn(at, " ");
	return found;
}

/* Offers the first words of the lines of a list, which begins after a line with an end, or after the first line. */
static void offer_list(const completion *requested, int (*run)(int argc, char **argv), const char *name,
		       const char *option, const char *before)
{
	char *text = capture(run, name, option), *rest, *line;

	rest = text != NULL ? strstr(text, before) : NULL;
	if (rest != NULL)
		(void)strsep(&rest, "\n");
	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		const size_t indent = strspn(line, " ");
		const size_t length = strcspn(line + indent, " ");
		char *description = line + indent + length;

		/* What is indented further belongs to the line before. */
		if (length == 0 || indent > 2 ||
		    strspn(line + indent, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
			continue;
		description += strspn(description, " ");
		if (line[indent + length] == ' ')
			line[indent + length] = '\0';
		offer(requested, line + indent, last_column(description));
	}
	free(text);
}

static void offer_words(const completion *requested, const char *words)
{
	char *copy = strdup(words), *rest = copy, *word;

	while (rest != NULL && (word = strsep(&rest, ", ")) != NULL) {
		if (*word != '\0')
			offer(requested, word, "");
	}
	free(copy);
}

/* Values that are in no list of the program, but in the text of a help. */
static const struct {
	const char *command; /* NULL: of all commands that have the option. */
	const char *option, *words;
} known_values[] = {
	{NULL, "--color", "auto always never"},
	{"record", "--children", "each one"},
	{"record", "--alloc", "stack stack:512k caller objects"},
	{"record", "--exceptions", "stack clauses stack+clauses"},
	{"record", "--heap", "every-gc ondemand"},
	{"record", "--handles", "normal pinned weak weak-track"},
	{"record", "--sample-source", "perf timer runtime"},
	{"record", "--sample-stack", "auto fp copy"},
	{NULL, "--compress", "1 2 3 4 5 6 7 8 9 zstd deflate"},
	{NULL, "--gzip", "1 2 3 4 5 6 7 8 9"},
	{NULL, "--resolution", "full 100ns 1us"},
	{"heap", "--sort", "retained bytes objects name"},
	{"diff", "--sort", "self total count"},
	{"top", "--sort", "self total calls"},
	{"report", "--sort",
	 "self total calls samples compiling bytes objects freed freed-bytes alive created deleted time times failures "
	 "events running ready lost count average age backtraces"},
};

static void offer_values(const completion *requested, const command *command, const char *option)
{
	char dialects[DIALECTS_LIST_SIZE];

	if (strcmp(option, "--sections") == 0) {
		offer_list(requested, command->run, command->name, "--sections=help", "");
	} else if (strcmp(option, "--to") == 0) {
		offer_list(requested, command->run, command->name, "--to=help", "");
	} else if (strcmp(option, "--from") == 0) {
		offer_list(requested, command->run, command->name, "--from=help", "");
	} else if (strcmp(option, "--dialect") == 0 || strcmp(option, "--format") == 0) {
		offer_words(requested, dialects_list(dialects));
	} else if (strcmp(option, "--value") == 0) {
		for (int value = 0; value < EXPORT_VALUES; value++)
			offer(requested, export_value_name((export_value)value), "");
	} else if (strcmp(option, "--of") == 0) {
		for (size_t i = 0; diff_limit_name(i) != NULL; i++)
			offer(requested, diff_limit_name(i), "");
	} else {
		for (size_t i = 0; i < sizeof(known_values) / sizeof(known_values[0]); i++) {
			if (strcmp(known_values[i].option, option) != 0 ||
			    (known_values[i].command != NULL && strcmp(known_values[i].command, command->name) != 0))
				continue;
			offer_words(requested, known_values[i].words);
			return;
		}
		puts(":files");
	}
}

typedef struct wanted_option {
	const char *word;
	int has_value;
	char name[MAX_WORD];
} wanted_option;

static int match_option(const option_line *option, void *user)
{
	wanted_option *wanted = user;
	const char letter[] = {'-', option->letter, '\0'};

	if (strcmp(wanted->word, option->name) != 0 && (option->letter == 0 || strcmp(wanted->word, letter) != 0))
		return 1;
	wanted->has_value = option->value == WITH_VALUE;
	snprintf(wanted->name, sizeof(wanted->name), "%s", option->name);
	return 0;
}

/* Whether a word is an option whose value is the next word. */
static int takes_next(const command *command, const char *word, wanted_option *wanted)
{
	*wanted = (wanted_option){.word = word};
	if (word[0] == '-' && strchr(word, '=') == NULL)
		visit_options(command, match_option, wanted);
	return wanted->has_value;
}

/* Of a list of values, only the last one is completed. */
static void begin_values(completion *requested, size_t length)
{
	const char *comma = strrchr(requested->current + length, ',');

	requested->prefix_length = (int)(comma != NULL ? (size_t)(comma + 1 - requested->current) : length);
}

static void offer_commands(const completion *requested)
{
	for (size_t i = 0; i < requested->count; i++)
		offer(requested, requested->commands[i].name, requested->commands[i].summary);
}

static int print_topics(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("Topics:");
	topics_print_list();
	return STATUS_OK;
}

/* The index of the program to record; 0 if it was not given yet. */
static int find_program(const command *command, int count, char **words)
{
	wanted_option wanted;

	for (int i = 1; i < count - 1; i++) {
		if (strcmp(words[i], "--") == 0)
			return i + 1;
		if (words[i][0] != '-')
			return i;
		if (takes_next(command, words[i], &wanted))
			i++;
	}
	return 0;
}

/* What is no option: files, or what mprof control takes. */
static void offer_argument(const completion *requested, const command *command, int count, char **words)
{
	if (strcmp(command->name, "control") == 0) {
		if (count == 2)
			puts(":processes");
		else if (count == 3)
			offer_list(requested, command->run, command->name, "--help", "COMMAND is\n");
		else if (strcmp(words[count - 2], "alloc") == 0)
			offer_words(requested, "on off stack stack:512k stack:all");
		else
			offer_words(requested, "on off");
	} else if (strcmp(command->name, "record") == 0) {
		puts(":program 2");
	} else if (strcmp(command->name, "import") == 0) {
		puts(":files");
	} else if (strcmp(command->name, "doctor") != 0) {
		puts(":logs");
		if (strcmp(command->name, "top") == 0)
			puts(":processes");
	}
}

/* Words after the name of a command. */
static void complete_arguments(completion *requested, const command *command, int count, char **words)
{
	const char *equals = strchr(requested->current, '=');
	const int program = strcmp(command->name, "record") == 0 ? find_program(command, count, words) : 0;
	char name[MAX_WORD];
	wanted_option wanted;

	if (program > 0) {
		printf(":program %d\n", program + 1);
	} else if (count > 2 && takes_next(command, words[count - 2], &wanted)) {
		begin_values(requested, 0);
		offer_values(requested, command, wanted.name);
	} else if (requested->current[0] == '-' && equals != NULL) {
		begin_values(requested, (size_t)(equals + 1 - requested->current));
		snprintf(name, sizeof(name), "%.*s", (int)(equals - requested->current), requested->current);
		offer_values(requested, command, name);
	} else if (requested->current[0] == '-') {
		visit_options(command, offer_option, requested);
	} else {
		offer_argument(requested, command, count, words);
	}
}

int complete_command_line(const command *commands, size_t count, int argc, char **argv)
{
	completion requested = {.commands = commands, .count = count};
	const command *command;

	/* argv is complete, the words after the name of the program, the last one possibly empty. */
	if (argc < 2)
		return STATUS_OK;
	requested.current = argv[argc - 1];
	if (argc == 2) {
		offer_commands(&requested);
		offer(&requested, "help", "print the help of a command or a topic");
		offer(&requested, "--help", "");
		offer(&requested, "--version", "");
		return STATUS_OK;
	}
	command = find(&requested, argv[1]);
	if (strcmp(argv[1], "help") == 0 && argc == 3) {
		offer_list(&requested, print_topics, "help", "", "");
		offer_commands(&requested);
	} else if (command != NULL) {
		complete_arguments(&requested, command, argc - 1, argv + 1);
	}
	return STATUS_OK;
}
