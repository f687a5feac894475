/* SPDX-License-Identifier: MIT */
/* Prints help pages about questions that a profile can answer: three commands each, and what to look at. */
#include "commands/topics.h"

#include <stdio.h>
#include <string.h>

typedef struct topic {
	const char *name;
	const char *summary;
	const char *page;
} topic;

/* The section TOPICS of mprof(1) has the same pages. */
static const topic topics[] = {
	{"leak", "memory grows and is never released",
	 "  mprof record --heap -o leak.mprof -- mono app.exe\n"
	 "      Records a heap snapshot at each full collection. --heap=500ms takes one every half second,\n"
	 "      --heap=ondemand when 'mprof control heapshot' requests it.\n\n"
	 "  mprof heap --leaks leak.mprof\n"
	 "      Classes that grew in all snapshots, the most bytes first, each with the references from a root that\n"
	 "      keep its objects alive. The field to clear is usually the last one of your own classes.\n\n"
	 "  mprof diff --shots=1,3 leak.mprof\n"
	 "      What grew between two snapshots, here the first and the third. Compare two between which the program\n"
	 "      should have released everything.\n"},
	{"slow", "the program takes too long",
	 "  mprof record --sample -o slow.mprof -- mono app.exe\n"
	 "      Records call stacks 100 times per second of processor time. For a program that waits rather than\n"
	 "      computes, use --sample-real.\n\n"
	 "  mprof report --sections=samples,sample-tree slow.mprof\n"
	 "      The methods that run most, and from where. Look for the first branch that you did not expect.\n\n"
	 "  mprof report --inverted slow.mprof\n"
	 "      The methods with the most time of their own, and under each the callers that this time is spent "
	 "for.\n"},
	{"stutter", "the program stops for a short time again and again",
	 "  mprof record --sample-real --gc --jit --monitor -o stutter.mprof -- mono app.exe\n"
	 "      Records all that can stop a thread: collections, compilation, locks, and waits in samples.\n\n"
	 "  mprof report --sections=collections,locks,sample-waits,compilation stutter.mprof\n"
	 "      The longest pause of each generation, the longest waits for locks, and what else threads waited "
	 "for.\n\n"
	 "  mprof report --last=500ms --sections=collections,locks,samples stutter.mprof\n"
	 "      The same for half a second only. End the recording after a pause, or give the time of one: "
	 "--time=2s-3s.\n"},
	{"startup", "the program starts slowly",
	 "  mprof record --sample-real=1000 --jit -o startup.mprof -- mono app.exe\n"
	 "      Records call stacks 1000 times per second, and compilation.\n\n"
	 "  mprof report --time=0s-1s --sections=totals,sample-tree,sample-waits startup.mprof\n"
	 "      What the program did in its first second, and how much of it was waiting.\n\n"
	 "  mprof report --sections=compilation,elements --csv startup.mprof\n"
	 "      How long each method took to compile, and when each assembly was loaded, as a table for a "
	 "spreadsheet.\n"
	 "      Methods that take long belong into precompiled code ('mono --aot').\n"},
	{"locks", "threads wait for each other",
	 "  mprof record --monitor --sample-real -o locks.mprof -- mono app.exe\n"
	 "      Records each wait for a monitor with its call stack, and samples of threads that wait.\n\n"
	 "  mprof report --sections=locks,threads locks.mprof\n"
	 "      The time waited for the monitors of each class, the call sites that wait, and the threads that held "
	 "them.\n\n"
	 "  mprof report --sections=sample-waits,sample-tree locks.mprof\n"
	 "      Waits of all kinds, such as those for events and for the end of threads, and from where.\n"},
};

#define TOPIC_COUNT (sizeof(topics) / sizeof(topics[0]))

int topics_print(const char *name)
{
	for (size_t i = 0; i < TOPIC_COUNT; i++) {
		if (strcmp(topics[i].name, name) == 0) {
			printf("%s: %s\n\n%s", topics[i].name, topics[i].summary, topics[i].page);
			return 1;
		}
	}
	return 0;
}

void topics_print_list(void)
{
	for (size_t i = 0; i < TOPIC_COUNT; i++)
		printf("  %-8s %s\n", topics[i].name, topics[i].summary);
}

void topics_offer(nearest_name *nearest)
{
	for (size_t i = 0; i < TOPIC_COUNT; i++)
		nearest_offer_word(nearest, topics[i].name, topics[i].name);
}
