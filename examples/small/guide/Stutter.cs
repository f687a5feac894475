// SPDX-License-Identifier: MIT
// A game whose frames take too long now and then: a cache is thrown away and collected at once.
using System;
using System.Collections.Generic;

static class Stutter {
	static List<byte[]> cache = new List<byte[]>();

	static void DrawFrame()
	{
		double sum = 0;

		for (int i = 1; i < 20000; i++)
			sum += Math.Sqrt(i);
	}

	static void FillCache()
	{
		cache = new List<byte[]>();
		for (int i = 0; i < 40000; i++)
			cache.Add(new byte[200]);
		GC.Collect();
	}

	static void Main()
	{
		for (int frame = 0; frame < 400; frame++) {
			DrawFrame();
			if (frame % 100 == 99)
				FillCache();
		}
	}
}
