// SPDX-License-Identifier: MIT
// A program that needs long before it is ready: most of it for a table that few runs use.
using System;
using System.Collections.Generic;

static class Start {
	static readonly Dictionary<int, double> table = new Dictionary<int, double>();

	static void ReadSettings()
	{
		for (int i = 0; i < 1000; i++)
			int.Parse("12");
	}

	static void FillTable()
	{
		for (int i = 0; i < 200000; i++) {
			double sum = 0;

			for (int k = 1; k < 200; k++)
				sum += Math.Sqrt(i + k);
			table[i] = sum;
		}
	}

	static void Main()
	{
		ReadSettings();
		FillTable();
		Console.WriteLine("ready");
	}
}
