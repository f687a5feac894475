// SPDX-License-Identifier: MIT
// Allocates objects in two classes that call each other, on two threads, and then uses processor time there: the
// argument is the number of milliseconds below a method of Wanted, and of those below one of Other. If it is negative,
// the program allocates and works once for each line of standard input instead, and prints "done".
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Filtered
{
	class Item { public object Next; }
	class Box
	{
		public Item Content;

		[MethodImpl(MethodImplOptions.NoInlining)]
		public Box() { Content = new Item(); }
	}

	static class Wanted
	{
		[MethodImpl(MethodImplOptions.NoInlining)]
		public static object Make() { return new Item(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static object Indirectly() { return Other.Make(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static object Deeply(int depth) { return depth > 0 ? Other.Deeply(depth - 1) : Other.Make(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static long Work(int milliseconds) { return Other.Spin(milliseconds); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static string Text(int number) { return number.ToString(); }
	}

	static class Other
	{
		[MethodImpl(MethodImplOptions.NoInlining)]
		public static object Make() { return new Item(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static object Deeply(int depth) { return depth > 0 ? Deeply(depth - 1) : Make(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static object Indirectly() { return Wanted.Make(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static object MakeBox() { return new Box(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static long Spin(int milliseconds)
		{
			Stopwatch watch = Stopwatch.StartNew();
			long sum = 0;
			while (watch.ElapsedMilliseconds < milliseconds)
				for (int i = 0; i < 10000; i++)
					sum += i;
			return sum;
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static long Idle(int milliseconds) { return Spin(milliseconds); }
	}

	class Program
	{
		public static object Kept;

		static void Allocate()
		{
			for (int i = 0; i < 100; i++) {
				Kept = Wanted.Make();
				Kept = Wanted.Indirectly();
				Kept = Wanted.Deeply(60);
				Kept = Wanted.Text(1000 + i);
				Kept = Other.Indirectly();
				Kept = Other.Make();
				Kept = Other.Make();
				Kept = Other.MakeBox();
			}
		}

		static void Main(string[] arguments)
		{
			int milliseconds = arguments.Length > 0 ? int.Parse(arguments[0]) : 0;
			if (milliseconds < 0) {
				Console.WriteLine("ready");
				while (Console.ReadLine() != null) {
					Allocate();
					Wanted.Work(-milliseconds);
					Other.Idle(-milliseconds);
					Console.WriteLine("done");
				}
				return;
			}
			Thread thread = new Thread(Allocate);
			thread.Start();
			thread.Join();
			Allocate();
			if (milliseconds == 0)
				return;
			Wanted.Work(milliseconds);
			Other.Idle(milliseconds);
		}
	}
}
