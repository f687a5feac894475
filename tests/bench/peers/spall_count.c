/* SPDX-License-Identifier: MIT */
/* Prints the number of events of a file that spall.c has written. Usage: spall_count FILE */
#include <stdio.h>

enum { EVENT_BEGIN = 3, EVENT_END = 4 };

#define HEADER_BYTES 32
#define BEGIN_BYTES 20
#define END_BYTES 17
#define NAME_LENGTH 18
#define ARGUMENTS_LENGTH 19

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	unsigned char event[BEGIN_BYTES];
	char text[255];
	unsigned long count = 0;
	int type;

	if (file == NULL || fseek(file, HEADER_BYTES, SEEK_SET) != 0)
		return 2;
	while ((type = getc(file)) != EOF) {
		size_t length = type == EVENT_BEGIN ? BEGIN_BYTES : END_BYTES;

		if ((type != EVENT_BEGIN && type != EVENT_END) || fread(event + 1, 1, length - 1, file) != length - 1)
			return 1;
		if (type == EVENT_BEGIN &&
		    (fread(text, 1, event[NAME_LENGTH], file) != event[NAME_LENGTH] || event[ARGUMENTS_LENGTH] != 0))
			return 1;
		count++;
	}
	printf("%lu\n", count);
	fclose(file);
	return 0;
}
