/* SPDX-License-Identifier: MIT */
/* Collects the names of images that have ahead-of-time compiled code. */
#include "common/precompiled.h"

#include "shared/text.h"

#include <string.h>

#define EXTENSION ".so"

/* Whether the library is named after an image: "mscorlib.dll.so". */
static int ends_like_image(const char *name, size_t length)
{
	static const char *const endings[] = {".dll", ".exe"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t size = strlen(endings[i]);

		if (length > size && memcmp(name + length - size, endings[i], size) == 0)
			return 1;
	}
	return 0;
}

static int has_name(const precompiled_images *images, const char *name, size_t length)
{
	for (const char *kept = images->names; kept < images->names + images->length; kept += strlen(kept) + 1) {
		if (strlen(kept) == length && memcmp(kept, name, length) == 0)
			return 1;
	}
	return 0;
}

void precompiled_add(precompiled_images *images, const mprof_block *block)
{
	const char *path = block->as.element.name;
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	size_t length = strlen(name);

	if ((block->as.element.kind & MPROF_ELEMENT_MODULE) == 0 || length <= strlen(EXTENSION) ||
	    strcmp(name + length - strlen(EXTENSION), EXTENSION) != 0)
		return;
	length -= strlen(EXTENSION);
	if (!ends_like_image(name, length) || has_name(images, name, length))
		return;
	if (length >= PRECOMPILED_SIZE - images->length) {
		images->left_out++;
		return;
	}
	memcpy(images->names + images->length, name, length);
	images->names[images->length + length] = '\0';
	images->length += length + 1;
}

void precompiled_print(const precompiled_images *images, FILE *file)
{
	for (const char *name = images->names; name < images->names + images->length; name += strlen(name) + 1) {
		fputs(name > images->names ? ", " : "", file);
		text_name(file, name);
	}
	if (images->left_out > 0)
		fprintf(file, " and %zu others", images->left_out);
}

void precompiled_print_json(const precompiled_images *images, json_writer *json)
{
	json_begin_array(json, "precompiled");
	for (const char *name = images->names; name < images->names + images->length; name += strlen(name) + 1)
		json_string(json, NULL, name);
	json_end_array(json);
}
