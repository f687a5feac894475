/* SPDX-License-Identifier: MIT */
/* Finds the number of a signal by name. */
#include "shared/signal_names.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

static int read_number(const char *text, int most)
{
	char *end;
	uintmax_t number;

	errno = 0;
	number = strtoumax(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && number <= (uintmax_t)most ? (int)number
													   : -1;
}

int signal_names_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {
		{"HUP", SIGHUP}, {"USR1", SIGUSR1},     {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
		{"URG", SIGURG}, {"VTALRM", SIGVTALRM}, {"IO", SIGIO},     {"POLL", SIGIO},
	};
	int number;

	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	if (strncasecmp(name, "RTMIN+", 6) == 0) {
		number = read_number(name + 6, SIGRTMAX - SIGRTMIN);
		return number >= 0 ? SIGRTMIN + number : 0;
	}
	number = read_number(name, SIGRTMAX);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (strcasecmp(name, signals[i].name) == 0 || number == signals[i].number)
			return signals[i].number;
	}
	return number >= SIGRTMIN ? number : 0;
}
