# SPDX-License-Identifier: MIT
# Prints the keys of one JSON document as doc/mprof.1 lists them: a line for each, preceded by its parent keys, as in
# "heap_shots.classes.bytes". -v document=NAME names the document. Keys are what is italic; the fields of a key stand in
# parentheses after it, or after "an array of", up to the next semicolon or the end of the parentheses.
function push(is_list)
{
	parents[++depth] = last
	lists[depth] = is_list
}

function pop()
{
	while (depth > 0 && lists[depth])
		depth--
	if (depth > 0)
		depth--
}

function key(name, i, path)
{
	for (i = 1; i <= depth; i++)
		path = path parents[i] "."
	print path name
	last = name
}

function text(words, i)
{
	if (words ~ /an array of$/)
		push(1)
	for (i = 1; i <= length(words); i++) {
		if (substr(words, i, 1) == "(")
			push(0)
		else if (substr(words, i, 1) == ")")
			pop()
		else if (substr(words, i, 1) == ";" && depth > 0 && lists[depth])
			depth--
	}
	if (depth == 0 && words ~ /\.$/)
		exit
}

/^\.SH JSON$/ { is_json = 1 }
is_json && /^\.SH EXIT/ { exit }
is_json && $0 == ".B " document { is_listed = 1; next }
!is_listed { next }
/^\.TP$/ { exit }
/^\.(I|IR|RI|B|BR|RB) / {
	fonts = substr($1, 2)
	rest = substr($0, length($1) + 2)
	for (argument = 0; match(rest, /"[^"]*"|[^ ]+/); argument++) {
		font = substr(fonts, 1 + argument % length(fonts), 1)
		word = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		gsub(/"/, "", word)
		if (font == "I")
			key(word)
		else if (font == "R")
			text(word)
	}
	next
}
{ text($0) }
