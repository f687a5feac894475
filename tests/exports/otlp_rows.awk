# SPDX-License-Identifier: MIT
# Reads the output of protoc --decode for profiles.proto; prints name, own value and total of each function in the
# profile whose type is the variable "type", with tabs between them.

# The text of a string of protoc, without quotes and escape sequences.
function unquote(text,    at, code, result) {
	text = substr(text, 2, length(text) - 2)
	result = ""
	for (at = 1; at <= length(text); at++) {
		if (substr(text, at, 1) != "\\") {
			result = result substr(text, at, 1)
		} else if (substr(text, at + 1, 3) ~ /^[0-7][0-7][0-7]$/) {
			code = substr(text, at + 1, 1) * 64 + substr(text, at + 2, 1) * 8 + substr(text, at + 3, 1)
			result = result sprintf("%c", code)
			at += 3
		} else {
			result = result substr(text, ++at, 1)
		}
	}
	return result
}

/^ *[0-9]+[: ]/ {
	print "unknown field " $1
}

/\{$/ {
	path[++depth] = $1
	if ($1 == "profiles") {
		profile++
	} else if ($1 == "samples") {
		sample_profile[++samples] = profile
	} else if ($1 == "stack_table") {
		stack = stacks++
	} else if ($1 == "location_table") {
		location = locations++
	} else if ($1 == "function_table") {
		function_index = functions++
	}
	next
}

/^ *\}$/ {
	depth--
	next
}

{
	value = substr($0, index($0, ": ") + 2)
	key = path[depth] "." $1
	if (key == "dictionary.string_table:") {
		texts[text_count++] = unquote(value)
	} else if (key == "sample_type.type_strindex:") {
		types[profile] = value
	} else if (key == "samples.stack_index:") {
		sample_stack[samples] = value
	} else if (key == "samples.values:") {
		sample_value[samples] = value
	} else if (key == "stack_table.location_indices:") {
		frames[stack, frame_count[stack]++] = value
	} else if (key == "lines.function_index:") {
		location_function[location] = value
	} else if (key == "function_table.name_strindex:") {
		names[function_index] = value
	}
}

END {
	for (i = 1; i <= samples; i++) {
		if (texts[types[sample_profile[i]]] != type) {
			continue
		}
		stack = sample_stack[i]
		for (j = 0; j < frame_count[stack]; j++) {
			name = texts[names[location_function[frames[stack, j]]]]
			if (!((i, name) in seen)) {
				print name "\t" (j == 0 ? sample_value[i] : 0) "\t" sample_value[i]
			}
			seen[i, name] = 1
		}
	}
}
