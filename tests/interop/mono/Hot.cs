// SPDX-License-Identifier: MIT
// Spends nearly all of its time in one method, for the number of rounds in its argument.
using System;
using System.Runtime.CompilerServices;

namespace Hot
{
	static class Program
	{
		[MethodImpl(MethodImplOptions.NoInlining)]
		static double Spin(int steps)
		{
			double sum = 0;
			for (int i = 0; i < steps; i++)
				sum += Math.Sqrt(i * 1.5) + sum * 1e-9;
			return sum;
		}

		static void Main(string[] arguments)
		{
			double sum = 0;
			for (int round = int.Parse(arguments[0]); round > 0; round--)
				sum += Spin(100000);
			Console.WriteLine(sum > 0 ? "spun" : "nothing");
		}
	}
}
