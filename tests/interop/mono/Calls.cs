// SPDX-License-Identifier: MIT
// Calls whose numbers are known beforehand. Prints what a profiler has to find: calls, class, method, number.
using System;

namespace Calls
{
	interface IShape
	{
		int Area();
	}

	class Square : IShape
	{
		public int Area() { return 4; }
	}

	class Circle : IShape
	{
		public virtual int Area() { return 3; }
	}

	class Disc : Circle
	{
		public override int Area() { return base.Area() + 1; }
	}

	struct Point
	{
		public int X;
		public int Shifted(int by) { return X + by; }
	}

	class Counter
	{
		int value;
		public int Value { get { return value; } set { this.value = value; } }
		static Counter() { }
		public Counter(int start) { value = start; }
		~Counter() { }
	}

	class Outer
	{
		public class Inner
		{
			public class Innermost
			{
				public static int Depth(int left) { return left == 0 ? 0 : 1 + Depth(left - 1); }
			}
		}
	}

	class Größe
	{
		public static int Zähler(string größe) { return größe.Length; }
	}

	class Program
	{
		static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

		static bool Even(int n) { return n == 0 || Odd(n - 1); }
		static bool Odd(int n) { return n != 0 && Even(n - 1); }

		static int Leaf(int n) { return n + 1; }

		static int Loop(int count)
		{
			int sum = 0;
			for (int i = 0; i < count; i++)
				sum = Leaf(sum);
			return sum;
		}

		static void Swap(ref int a, out int b, int[] c, params object[] rest)
		{
			b = a;
			a = c.Length + rest.Length;
		}

		static int Shapes()
		{
			IShape[] shapes = { new Square(), new Circle(), new Disc() };
			int sum = 0;
			for (int i = 0; i < 30; i++)
				sum += shapes[i % 3].Area();
			return sum;
		}

		static int Delegates()
		{
			Func<int, int> call = Leaf;
			int sum = 0;
			for (int i = 0; i < 25; i++)
				sum = call(sum);
			return sum;
		}

		static int Fields()
		{
			int sum = 0;
			for (int i = 0; i < 12; i++) {
				Counter counter = new Counter(i);
				counter.Value = counter.Value + 1;
				sum += counter.Value;
			}
			Point point = new Point { X = 5 };
			for (int i = 0; i < 9; i++)
				sum += point.Shifted(i);
			return sum;
		}

		static void Expect(string type, string method, int calls)
		{
			Console.WriteLine("calls\t" + type + "\t" + method + "\t" + calls);
		}

		static void Main()
		{
			int a = 1, b;

			Fib(15);
			Even(10);
			Loop(100000);
			Swap(ref a, out b, new int[3], "x", 2);
			Shapes();
			Delegates();
			Fields();
			Outer.Inner.Innermost.Depth(30);
			for (int i = 0; i < 4; i++)
				Größe.Zähler("größe");

			Expect("Calls.Program", "Main ()", 1);
			Expect("Calls.Program", "Fib (int)", 1973);
			Expect("Calls.Program", "Even (int)", 6);
			Expect("Calls.Program", "Odd (int)", 5);
			Expect("Calls.Program", "Loop (int)", 1);
			Expect("Calls.Program", "Leaf (int)", 100025);
			Expect("Calls.Program", "Swap (int&,int&,int[],object[])", 1);
			Expect("Calls.Square", "Area ()", 10);
			Expect("Calls.Square", ".ctor ()", 1);
			Expect("Calls.Circle", "Area ()", 20);
			Expect("Calls.Disc", "Area ()", 10);
			Expect("Calls.Counter", ".cctor ()", 1);
			Expect("Calls.Counter", ".ctor (int)", 12);
			Expect("Calls.Counter", "get_Value ()", 24);
			Expect("Calls.Counter", "set_Value (int)", 12);
			Expect("Calls.Point", "Shifted (int)", 9);
			Expect("Calls.Outer/Inner/Innermost", "Depth (int)", 31);
			Expect("Calls.Größe", "Zähler (string)", 4);
		}
	}
}
