# SPDX-License-Identifier: MIT
# Makes a compilation database of the commands that "make -n V=1" prints. "directory" is where make runs.

function quote(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}

# Commands go on in the next line where a line ends with a backslash.
/\\$/ {
	whole = whole substr($0, 1, length($0) - 1) " "
	next
}

{
	line = whole $0
	whole = ""
	if (line !~ / -c -o /)
		next
	sub(/ *&& *mv -f .*/, "", line)
	# What comes before the compiler: libtool, or what the names of files are made of.
	if (!sub(/.*--mode=compile +/, "", line))
		sub(/^[ \t]*depbase=`[^`]*`; */, "", line)
	sub(/ -MT .* -MF [^ ]+/, "", line)
	# `test -f 'a.c' || echo '../'`a.c: the makefile finds the source by this in both kinds of builds.
	if (match(line, /`test -f '[^']*' \|\| echo '[^']*'`/)) {
		prefix = substr(line, RSTART, RLENGTH)
		sub(/.* echo '/, "", prefix)
		sub(/'`$/, "", prefix)
		line = substr(line, 1, RSTART - 1) prefix substr(line, RSTART + RLENGTH)
	}
	sub(/\.lo /, ".o ", line)
	# A warning of gcc that clang has no such option for, and takes for a mistake.
	gsub(/ -Wshadow=local/, "", line)
	file = line
	sub(/ +$/, "", file)
	sub(/.* /, "", file)
	if (file ~ /\.c$/ && !(line in seen)) {
		seen[line] = 1
		printf "%s{\"directory\": %s, \"command\": %s, \"file\": %s}", (count++ ? ",\n" : "[\n"), quote(directory),
			quote(line), quote(file)
	}
}

END {
	print count ? "\n]" : "[]"
}
