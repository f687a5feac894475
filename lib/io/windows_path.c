/* SPDX-License-Identifier: MIT */
/* Converts paths from UTF-8 to UTF-16. */
#include "io/windows_path.h"

#include <errno.h>
#include <windows.h>

int windows_path_convert(windows_path *self, const char *path)
{
	if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, self->units, WINDOWS_PATH_UNITS) > 0)
		return 0;
	return GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
}

int windows_path_is_directory(const windows_path *self)
{
	DWORD attributes = GetFileAttributesW(self->units);

	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}
