# SPDX-License-Identifier: MIT
# Prints the manual page of a public header, from its comments: awk -v version=0.1.0 -f page.awk include/mprof/reader.h
#
# It converts what the headers use: \file, \name, \brief, \p, \c, \par, \param, \return, \since, lists with "-", #NAME,
# `code`, **bold**, and comments before a declaration or, as /**< */, after a field. "Example: FILE." in the comment of
# the file or of a section names a program of the source tree that the page shows; srcdir is where that tree is.

# Text with the fonts of roff, and nothing that roff takes for a request. \001 and what follows becomes \f.
function wrap(text, pattern, skip_start, skip_end, font, result) {
	result = ""
	while (match(text, pattern)) {
		result = result substr(text, 1, RSTART - 1) "\001" font \
			substr(text, RSTART + skip_start, RLENGTH - skip_start - skip_end) "\001P"
		text = substr(text, RSTART + RLENGTH)
	}
	return result text
}

function inline(text) {
	text = wrap(text, "\\\\p [A-Za-z0-9_]+", 3, 0, "I")
	text = wrap(text, "\\\\c [A-Za-z0-9_]+", 3, 0, "B")
	gsub(/\\since/, "Since version", text)
	text = wrap(text, "`[^`]+`", 1, 1, "B")
	text = wrap(text, "\\*\\*[^*]+\\*\\*", 2, 2, "B")
	text = wrap(text, "#(mprof|MPROF)_[A-Za-z0-9_]+", 1, 0, "B")
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/\001/, "\\f", text)
	if (text ~ /^[.']/)
		text = "\\&" text
	return text
}

# Adds to the page, which is printed at its end.
function put(line) {
	page = page line "\n"
}

# A comment without its marks, as lines of text: \brief belongs to the text.
function put_text(lines, count, i, line, in_list, is_open) {
	in_list = 0
	is_open = 0
	for (i = 1; i <= count; i++) {
		line = lines[i]
		sub(/^\\brief /, "", line)
		sub(/^\\par /, "", line)
		if (line ~ /^\\file/)
			continue
		if (line ~ /^\\param /) {
			sub(/^\\param /, "", line)
			match(line, /^[^ ]+/)
			put(".TP")
			put(".I " substr(line, 1, RLENGTH))
			put(inline(substr(line, RLENGTH + 2)))
			is_open = 1
			continue
		}
		if (line ~ /^\\return/) {
			sub(/^\\return ?/, "", line)
			put(".PP")
			put("Returns" (line == "" ? ":" : " " inline(tolower(substr(line, 1, 1)) substr(line, 2))))
			is_open = 1
			continue
		}
		if (line ~ /^\\since/) {
			put(".PP")
			put(inline(line) ".")
			is_open = 1
			continue
		}
		if (line ~ /^ *- /) {
			sub(/^ *- /, "", line)
			put(".IP \\- 2")
			in_list = 1
		} else if (line == "") {
			if (is_open)
				put(".PP")
			in_list = 0
			continue
		}
		sub(/^ +/, "", line)
		put(inline(line))
		is_open = 1
	}
}

# A declaration as it is, without what only compilers read.
function put_code(text, count, i, lines) {
	gsub(/MPROF_API |MPROF_NODISCARD /, "", text)
	gsub(/\t/, "        ", text)
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/"/, "\\(dq", text)
	count = split(text, lines, "\n")
	put(".PP")
	put(".nf")
	for (i = 1; i <= count; i++)
		put(".B \"" lines[i] "\"")
	put(".fi")
}

# A prototype on one line, broken again where it is too long.
function flow(text, width, result, line, words, count, i) {
	gsub(/[ \t\n]+/, " ", text)
	gsub(/\( /, "(", text)
	width = 76
	count = split(text, words, " ")
	result = ""
	line = words[1]
	for (i = 2; i <= count; i++) {
		if (length(line " " words[i]) > width) {
			result = result line "\n"
			line = "        " words[i]
		} else {
			line = line " " words[i]
		}
	}
	return result line
}

# The fields of a struct or the values of an enum, each with its comment.
function put_members(body, lines, count, i, line, comment, member, where, more) {
	count = split(body, lines, "\n")
	comment = ""
	for (i = 2; i < count; i++) {
		line = lines[i]
		gsub(/^[ \t]+/, "", line)
		if (line ~ /^\/\*\*($|[^<])/) {
			comment = line
			while (comment !~ /\*\// && i < count) {
				more = lines[++i]
				if (more !~ /^[ \t]*\*\//)
					sub(/^[ \t]*\*? ?/, "", more)
				comment = comment " " more
			}
			sub(/^\/\*\* */, "", comment)
			sub(/ *\*\/$/, "", comment)
			sub(/^\\brief /, "", comment)
			continue
		}
		where = index(line, "/**<")
		member = where > 0 ? substr(line, 1, where - 1) : line
		if (where > 0) {
			comment = substr(line, where + 4)
			while (comment !~ /\*\// && i < count) {
				more = lines[++i]
				sub(/^[ \t]*/, "", more)
				comment = comment " " more
			}
			sub(/ *\*\/.*$/, "", comment)
			sub(/^ */, "", comment)
		}
		sub(/[ \t]+$/, "", member)
		sub(/,$/, "", member)
		if (member == "" && comment == "")
			continue
		put(".TP")
		gsub(/-/, "\\-", member)
		put(".B \"" member "\"")
		put(comment == "" ? "\\&" : inline(comment))
		comment = ""
	}
}

function heading(declaration, name) {
	if (declaration ~ /^#define/) {
		match(declaration, /MPROF_[A-Z0-9_]+/)
		return substr(declaration, RSTART, RLENGTH)
	}
	if (declaration ~ /^typedef (struct|enum)/ || declaration ~ /^struct /) {
		match(declaration, /mprof_[a-z0-9_]+/)
		return substr(declaration, RSTART, RLENGTH)
	}
	if (match(declaration, /\(\*mprof_[a-z0-9_]+\)/))
		return substr(declaration, RSTART + 2, RLENGTH - 3)
	if (match(declaration, /mprof_[a-z0-9_]+\(/))
		return substr(declaration, RSTART, RLENGTH) ")"
	match(declaration, /mprof_[a-z0-9_]+;/)
	return substr(declaration, RSTART, RLENGTH - 1)
}

# A declaration is complete: its part of the page.
function declare(declaration, is_function) {
	is_function = declaration ~ /^(MPROF_API|static inline)/
	page = ""
	put(".SS " heading(declaration))
	if (is_function) {
		sub(/^static inline /, "", declaration)
		sub(/;?[ \t\n]*$/, ";", declaration)
		gsub(/MPROF_API |MPROF_NODISCARD /, "", declaration)
		put_code(flow(declaration))
		prototypes = prototypes flow(declaration) "\n"
	} else if (declaration !~ /\n.*\n/) {
		put_code(declaration)
	}
	put(".PP")
	put_text(doc, doc_count)
	if (declaration ~ /\{/)
		put_members(declaration)
	if (is_function)
		functions = functions page
	else
		types = types page
	doc_count = 0
}

# Programs that the page shows.
function take_example(i) {
	if (doc[i] ~ /^Example: /) {
		gsub(/^Example: |\.$/, "", doc[i])
		examples[++example_count] = doc[i]
		doc[i] = ""
	}
}

# What holds for a section of the header is a section of the description.
function end_section_text(i, has_text) {
	page = ""
	put(".SS " inline(substr(doc[1], 7)))
	doc[1] = ""
	doc[2] = ""
	for (i = 3; i <= doc_count; i++) {
		take_example(i)
		has_text = has_text || doc[i] != ""
	}
	put_text(doc, doc_count)
	if (has_text)
		description = description page
	doc_count = 0
}

function end_comment() {
	if (doc_count > 0 && doc[1] ~ /^\\file/) {
		page = ""
		for (i = 1; i <= doc_count; i++) {
			if (doc[i] ~ /^\\brief /) {
				brief = substr(doc[i], 8)
				for (i++; i <= doc_count && doc[i] != ""; i++)
					brief = brief " " doc[i]
			} else {
				take_example(i)
			}
		}
		put_text(doc, doc_count)
		description = page
		doc_count = 0
	} else if (doc_count > 0 && doc[1] ~ /^\\name /) {
		end_section_text()
	} else if (doc[1] ~ /^\\}/) {
		doc_count = 0
	}
}

FNR == 1 {
	count = split(FILENAME, parts, "/")
	header = parts[count]
	title = "mprof_" header
	sub(/\.h$/, "", title)
}


# Within a comment.
in_comment {
	line = $0
	if (line ~ /\*\/$/) {
		in_comment = 0
		sub(/ *\*\/$/, "", line)
		if (line ~ /^ \* ?./ || line ~ /[^ *]/) {
			sub(/^ \* ?/, "", line)
			doc[++doc_count] = line
		}
		end_comment()
		next
	}
	sub(/^ \* ?/, "", line)
	doc[++doc_count] = line
	next
}

# Within a declaration.
pending != "" {
	pending = pending "\n" $0
	if (is_complete($0)) {
		declare(pending)
		pending = ""
	}
	next
}

function is_complete(line) {
	if (pending ~ /^#define/)
		return line !~ /\\$/
	if (pending ~ /^typedef (struct|enum)[^;]*\{/)
		return line ~ /^\}/
	if (pending ~ /^static inline/)
		return line ~ /\)$/
	return line ~ /;$/
}

/^\/\*\*/ {
	doc_count = 0
	if ($0 ~ /\*\/$/) {
		line = $0
		sub(/^\/\*\* */, "", line)
		sub(/ *\*\/$/, "", line)
		doc[++doc_count] = line
	} else {
		in_comment = 1
		line = $0
		sub(/^\/\*\* */, "", line)
		if (line != "")
			doc[++doc_count] = line
	}
	next
}

doc_count > 0 && /^(MPROF_API|typedef|struct|static inline|#define)/ {
	pending = $0
	if (is_complete($0)) {
		declare(pending)
		pending = ""
	}
}

# Constants of the version have their comments after them.
/^#define MPROF_[A-Z_]+ .*\/\*\*</ && doc_count == 0 {
	line = $0
	doc[1] = substr(line, index(line, "/**<") + 5)
	sub(/ *\*\/$/, "", doc[1])
	doc_count = 1
	declare(substr(line, 1, index(line, "/**<") - 2))
}

END {
	sub(/\.$/, "", brief)
	print ".\\\" SPDX-License-Identifier: MIT"
	printf ".TH %s 3 \"\" \"libmprof %s\" \"Library Functions\"\n", toupper(title), version
	print ".SH NAME"
	print title " \\- " inline(tolower(substr(brief, 1, 1)) substr(brief, 2))
	print ".SH SYNOPSIS"
	page = ""
	put_code("#include <mprof/" header ">")
	if (prototypes != "") {
		sub(/\n$/, "", prototypes)
		put_code(prototypes)
	}
	printf "%s", page
	print ".SH DESCRIPTION"
	printf "%s", description
	if (functions != "")
		printf ".SH FUNCTIONS\n%s", functions
	if (types != "")
		printf ".SH TYPES AND CONSTANTS\n%s", types
	for (shown = 1; shown <= example_count; shown++) {
		if (shown == 1)
			print ".SH EXAMPLES"
		print ".PP"
		print "\\fB" examples[shown] "\\fP of the source tree:"
		print ".PP\n.EX"
		while ((getline line < (srcdir "/" examples[shown])) > 0) {
			if (line ~ /SPDX-License/)
				continue
			gsub(/\\/, "\\e", line)
			gsub(/-/, "\\-", line)
			if (line ~ /^[.']/)
				line = "\\&" line
			print line
		}
		print ".EE"
	}
	print ".SH SEE ALSO"
	print ".BR mprof (3)"
}
