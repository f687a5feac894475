/* SPDX-License-Identifier: MIT */
/* Reads maps of compiled code: lines of START SIZE NAME, both numbers in hexadecimal digits. */
#include "shared/perf_map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of which a line is at most. The rest of a longer one is no line, since it has no numbers. */
#define TEXT_SIZE 4096

static int parse_line(const char *line, perf_map_entry *entry)
{
	char *end;

	entry->start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	line = end + 1;
	entry->size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || end[1] == '\0' || entry->size == 0)
		return 0;
	entry->name = end + 1;
	return 1;
}

/* Ends each line with a NUL. Returns how many bytes the complete ones are. */
static size_t read_lines(char *text, size_t length, perf_map_add add, void *user, size_t *count)
{
	size_t used = 0;
	char *end;

	while ((end = memchr(text + used, '\n', length - used)) != NULL) {
		perf_map_entry entry;

		*end = '\0';
		if (parse_line(text + used, &entry)) {
			add(user, &entry);
			++*count;
		}
		used = (size_t)(end - text) + 1;
	}
	return used;
}

static int is_usable(const perf_map *map, const struct stat *file)
{
	return S_ISREG(file->st_mode) && (file->st_uid == map->owner || file->st_uid == 0) &&
	       file->st_mtime >= map->since;
}

size_t perf_map_read(perf_map *map, perf_map_add add, void *user)
{
	char text[TEXT_SIZE];
	struct stat file;
	size_t count = 0;
	ssize_t length;
	int map_fd;

	/* Most programs have no map, and are spared the descriptor. */
	if (stat(map->path, &file) != 0 || !is_usable(map, &file))
		return 0;
	map_fd = open(map->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (map_fd < 0)
		return 0;
	if (fstat(map_fd, &file) == 0 && is_usable(map, &file)) {
		if (file.st_size < map->position)
			map->position = 0;
		while ((length = pread(map_fd, text, sizeof(text), map->position)) > 0) {
			size_t used = read_lines(text, (size_t)length, add, user, &count);

			/* A line that is not ended is read when it is. */
			if (used == 0 && (size_t)length < sizeof(text))
				break;
			map->position += used > 0 ? (off_t)used : (off_t)length;
		}
	}
	close(map_fd);
	return count;
}
