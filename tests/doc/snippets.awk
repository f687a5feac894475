# SPDX-License-Identifier: MIT
# Prints the fenced snippets of a Markdown file that are marked with LANGUAGE, each to a file of its own: PREFIX-N, where
# N is the line on which it begins. Prints the names.

/^```/ {
	if (inside) {
		inside = 0
		if (name != "")
			close(name)
		name = ""
	} else {
		inside = 1
		if ($0 == "```" language) {
			name = prefix "-" NR
			print name
			printf "" >name
		}
	}
	next
}

inside && name != "" {
	print >name
}
