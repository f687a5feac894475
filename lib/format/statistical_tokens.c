/* SPDX-License-Identifier: MIT */
/* Returns the tags of the tokens in STATISTICAL blocks. */
#include "format/statistical_tokens.h"

const statistical_tags *statistical_tags_get(statistical_layout layout)
{
	static const statistical_tags tags[] = {
		[STATISTICAL_LAYOUT_TWO_BITS] = {2,
						 {0, STATISTICAL_TOKEN_METHOD, STATISTICAL_TOKEN_LOCATION,
						  STATISTICAL_TOKEN_MODULES}},
		[STATISTICAL_LAYOUT_COUNTED] = {3,
						{0, STATISTICAL_TOKEN_METHOD, STATISTICAL_TOKEN_COUNTED,
						 STATISTICAL_TOKEN_LOCATION, 0, 0, 0, STATISTICAL_TOKEN_MODULES}},
		[STATISTICAL_LAYOUT_STACKS] = {3,
					       {0, STATISTICAL_TOKEN_METHOD, STATISTICAL_TOKEN_FUNCTION,
						STATISTICAL_TOKEN_NEW_FUNCTION, STATISTICAL_TOKEN_LOCATION,
						STATISTICAL_TOKEN_CALLERS, 0, STATISTICAL_TOKEN_MODULES}},
	};

	return &tags[layout];
}
