/* SPDX-License-Identifier: MIT */
/*
 * Composes the name of a method from its own name and its signature.
 *
 * The runtime's function for full names also composes the name of the class, which is a definition of its own in the
 * log, and takes three times as long. Programs define thousands of methods while they start.
 */
#include "method_names.h"

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/row-indexes.h>

#include <stdlib.h>
#include <string.h>

/* The bit for type parameters in the first byte of a signature: ECMA-335, II.23.2.1. */
#define SIGNATURE_GENERIC 0x10

/* Whether a method is in the metadata of a file and has no type parameters of its own. */
static int is_plain(MonoMethod *method)
{
	MonoImage *image = mono_class_get_image(mono_method_get_class(method));
	uint32_t token = mono_method_get_token(method);
	uint32_t index = mono_metadata_token_index(token);
	const MonoTableInfo *methods;
	const char *signature;

	/* Wrappers and generated methods have no token, or one of an image that is still being generated. */
	if (image == NULL || mono_image_is_dynamic(image) || mono_metadata_token_table(token) != MONO_TABLE_METHOD)
		return 0;
	methods = mono_image_get_table_info(image, MONO_TABLE_METHOD);
	if (methods == NULL || index == 0 || index > (uint32_t)mono_table_info_get_rows(methods))
		return 0;
	signature = mono_metadata_blob_heap(
		image, mono_metadata_decode_row_col(methods, (int)index - 1, MONO_METHOD_SIGNATURE));
	return mono_metadata_decode_blob_size(signature, &signature) != 0 && (*signature & SIGNATURE_GENERIC) == 0;
}

char *method_names_compose(MonoMethod *method)
{
	MonoMethodSignature *signature = is_plain(method) ? mono_method_signature(method) : NULL;
	const char *name = mono_method_get_name(method);
	size_t name_length = strlen(name);
	size_t types_length;
	char *types;
	char *composed;

	if (signature == NULL)
		return NULL;
	types = mono_signature_get_desc(signature, 1);
	types_length = strlen(types);
	composed = malloc(name_length + types_length + sizeof(" ()"));
	if (composed != NULL) {
		memcpy(composed, name, name_length);
		memcpy(composed + name_length, " (", 2);
		memcpy(composed + name_length + 2, types, types_length);
		memcpy(composed + name_length + 2 + types_length, ")", 2);
	}
	mono_free(types);
	return composed;
}
