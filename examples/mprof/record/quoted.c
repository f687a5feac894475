/* SPDX-License-Identifier: MIT */
/* Quotes names for a shell. */
#include "record/quoted.h"

#include <string.h>

void quoted_print(FILE *file, const char *name)
{
	const char *plain = "/.,:=+-_%@0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (name[0] == '-')
		fputs("./", file);
	if (strspn(name, plain) == strlen(name)) {
		fputs(name, file);
		return;
	}
	fputc('\'', file);
	for (const char *c = name; *c != '\0'; c++)
		fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, file);
	fputc('\'', file);
}
