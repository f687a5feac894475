/* SPDX-License-Identifier: MIT */
#include "format/hits_tokens.h"

const hit_token_form *hit_token_form_get(hits_form form)
{
	static const hit_token_form forms[] = {
		[HITS_FORM_TWO_BITS] = {2, {0, HIT_TOKEN_METHOD, HIT_TOKEN_PLACE, HIT_TOKEN_MODULES}},
		[HITS_FORM_COUNTED] = {3,
				       {0, HIT_TOKEN_METHOD, HIT_TOKEN_COUNTED, HIT_TOKEN_PLACE, 0, 0, 0,
					HIT_TOKEN_MODULES}},
		[HITS_FORM_CHAINED] = {3,
				       {0, HIT_TOKEN_METHOD, HIT_TOKEN_FUNCTION, HIT_TOKEN_NEW_FUNCTION,
					HIT_TOKEN_PLACE, HIT_TOKEN_CHAIN, 0, HIT_TOKEN_MODULES}},
	};

	return &forms[form];
}
