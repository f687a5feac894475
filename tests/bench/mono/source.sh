#!/bin/bash
# SPDX-License-Identifier: MIT
# Prints a C# program of about 20 lines for each class asked for (250), the same text each time.
exec awk -v classes="${1:-250}" '
function class(c,	m) {
	print "public class C" c " {"
	print "\tint x;"
	print "\tstring s = \"c" c "\";"
	print "\tpublic int X { get { return x; } set { x = value; } }"
	for (m = 0; m < 4; m++) {
		print "\tpublic int M" m "(int a, string b) {"
		print "\t\tvar list = new List<int>();"
		print "\t\tfor (int i = 0; i < a; i++)"
		print "\t\t\tlist.Add(i * " m + 1 " - (b != null ? b.Length : " c "));"
		print "\t\treturn list.Where(v => v % 2 == " m % 2 ").Sum() + X;"
		print "\t}"
	}
	print "\tpublic override string ToString() {"
	print "\t\treturn new StringBuilder().Append(s).Append(x).Append(M" c % 4 "(3, s)).ToString();"
	print "\t}"
	print "}"
}
BEGIN {
	print "using System;\nusing System.Collections.Generic;\nusing System.Linq;\nusing System.Text;"
	print "namespace Generated {"
	for (c = 0; c < classes; c++)
		class(c)
	print "class Program {"
	print "\tstatic void Main() {"
	print "\t\tint sum = 0;"
	for (c = 0; c < classes; c++)
		print "\t\tsum += new C" c " { X = " c " }.M" c % 4 "(" c % 10 ", new C" c "().ToString());"
	print "\t\tConsole.WriteLine(sum);"
	print "\t}"
	print "}"
	print "}"
}'
