/* SPDX-License-Identifier: MIT */
/* Reports invalid options, and stores texts. */
#include "options_parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int options_complain(options_parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->message, OPTIONS_MESSAGE_SIZE, format, arguments);
	va_end(arguments);
	return 0;
}

int options_set_text(options_parser *parser, char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	return *text != NULL || options_complain(parser, "%s", strerror(ENOMEM));
}
