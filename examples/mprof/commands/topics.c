/* SPDX-License-Identifier: MIT */
/* Prints help pages about questions that a profile can answer: three commands each, and what to look at. */
#include "commands/commands.h"

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
	 "      Records a heap snapshot at each full collection. --heap=30s takes at most one in 30 s,\n"
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
	 "  mprof report --pauses stutter.mprof\n"
	 "      The longest pauses, each with its time, its thread and what stopped it, and how many there are of "
	 "each\n"
	 "      length. A pause of all threads is a collection; 'mprof report --sections=collections' has its "
	 "phases.\n\n"
	 "  mprof report --last=500ms --sections=collections,locks,samples stutter.mprof\n"
	 "      What ran and waited in half a second. End the recording after a pause, or give the time of one that "
	 "the\n"
	 "      list above has: --time=2s-3s.\n"},
	{"startup", "the program starts slowly",
	 "  mprof record --sample=1000 --jit -o startup.mprof -- mono app.exe\n"
	 "      Records call stacks 1000 times per second of processor time, and compilation. Threads that only wait, "
	 "such\n"
	 "      as that of finalizers, have no samples. If the start waits rather than computes, use "
	 "--sample-real=1000.\n\n"
	 "  mprof report --sections=totals,compilation,sample-tree startup.mprof\n"
	 "      The time until the end, how much of it was compilation and of which methods, and from where the rest "
	 "was\n"
	 "      called. Methods that take long to compile belong into precompiled code ('mono --aot').\n\n"
	 "  mprof report --time=0s-500ms --sections=samples,sample-tree startup.mprof\n"
	 "      The same for the first half second only; markers and other times do as well: --time=200ms-1s.\n"},
	{"locks", "threads wait for each other",
	 "  mprof record --monitor --sample-real -o locks.mprof -- mono app.exe\n"
	 "      Records each wait for a monitor with its call stack, and samples of threads that wait.\n\n"
	 "  mprof report --sections=locks,threads locks.mprof\n"
	 "      The time waited for the monitors of each class, the call sites that wait, and the threads that held "
	 "them.\n\n"
	 "  mprof report --sections=sample-waits,sample-tree locks.mprof\n"
	 "      Waits of all kinds, such as those for events and for the end of threads, and from where.\n"},
	{"async", "a program with async methods answers late",
	 "  mprof record --async --sample-real -o async.mprof -- mono app.exe\n"
	 "      Records how long each await takes, and samples whose stacks have the methods that await.\n\n"
	 "  mprof report --sections=waits,samples async.mprof\n"
	 "      The time that each async method waited, by number of the await in its source: Db.Query#1 is the "
	 "first.\n"
	 "      A method that awaits another one waits at least as long: the innermost one is what to look at.\n\n"
	 "  mprof report --sections=spans async.mprof\n"
	 "      The longest single waits, each with its start and its thread; --time=2s-3s has what else happened "
	 "then.\n"},
	{"native", "a program in C, C++ or another compiled language takes too long",
	 "  mprof record -o native.mprof -- ./app\n"
	 "      Records call stacks 1000 times per second of processor time; the program need not be rebuilt. Of one "
	 "that\n"
	 "      runs already, --pid=PID does so until Ctrl-C. For memory that is not freed, use --malloc.\n\n"
	 "  mprof report --sections=samples,sample-tree native.mprof\n"
	 "      The functions that run most, and from where, with lines if there is debug information (-g).\n\n"
	 "  mprof flame -o native.svg native.mprof\n"
	 "      The same as a picture for any browser: wide boxes take long, and a click enlarges one.\n"},
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
