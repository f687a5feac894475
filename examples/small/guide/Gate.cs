// SPDX-License-Identifier: MIT
// Two versions of a program: with -define:CHANGED it allocates a text for each line that it counts.
using System;

static class Gate {
	static int Count(string text)
	{
		int lines = 0;

		for (int i = 0; i < text.Length; i++) {
#if CHANGED
			if (text.Substring(i, 1) == "\n")
#else
			if (text[i] == '\n')
#endif
				lines++;
		}
		return lines;
	}

	static void Main()
	{
		string text = new string('\n', 20000);

		for (int i = 0; i < 20; i++)
			Console.Out.Write(Count(text) > 0 ? "" : "?");
	}
}
