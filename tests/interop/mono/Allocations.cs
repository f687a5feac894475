// SPDX-License-Identifier: MIT
// Objects whose numbers and sizes are known beforehand (64 bits: a header takes 16 bytes, sizes are multiples of 8).
// Prints what is to be found: class, number, bytes.
using System;
using System.Collections.Generic;

namespace Allocations
{
	class Small { public int A; }
	class Node { public Node Next; public int Value; }
	class Wide { public long A, B, C, D, E; }
	struct Vector { public float X, Y, Z; }
	struct Pair { public long A, B; }
	class Bag<T> { public T Item; }
	delegate int Function(int x);
	enum Color { Red, Green }

	class Program
	{
		static object sink;

		static void Arrays()
		{
			for (int i = 0; i < 10; i++)
				sink = new Vector[7];
			for (int i = 0; i < 5; i++)
				sink = new Node[i];
			for (int i = 0; i < 3; i++)
				sink = new Pair[2, 3];
			for (int i = 0; i < 4; i++)
				sink = new Wide[2][];
			// Too large for a nursery.
			for (int i = 0; i < 2; i++)
				sink = new Color[1000000];
		}

		static void Boxes()
		{
			for (int i = 0; i < 50; i++)
				sink = new Pair();
			for (int i = 0; i < 20; i++)
				sink = (Color)(i % 2);
		}

		static void Generics()
		{
			for (int i = 0; i < 11; i++)
				sink = new Bag<int>();
			for (int i = 0; i < 13; i++)
				sink = new Bag<string>();
			for (int i = 0; i < 17; i++)
				sink = new Bag<Bag<Small>>();
			for (int i = 0; i < 6; i++)
				sink = new List<Pair>();
		}

		static void Cloned()
		{
			Node[] nodes = new Node[9];
			for (int i = 0; i < 8; i++)
				sink = nodes.Clone();
		}

		static int Add(int x) { return x + 1; }

		static void Expect(string type, int number, long bytes)
		{
			Console.WriteLine("allocations\t" + type + "\t" + number + "\t" + bytes);
		}

		static void Main()
		{
			Node list = null;
			for (int i = 0; i < 1000; i++)
				sink = new Small();
			for (int i = 0; i < 500; i++)
				list = new Node { Next = list, Value = i };
			for (int i = 0; i < 300; i++)
				sink = new Wide();
			Arrays();
			Boxes();
			Generics();
			Cloned();
			for (int i = 0; i < 14; i++)
				sink = new Function(Add);
			sink = Activator.CreateInstance(typeof(Small));
			GC.KeepAlive(list);

			Expect("Allocations.Small", 1001, 1001 * 24);
			Expect("Allocations.Node", 500, 500 * 32);
			Expect("Allocations.Wide", 300, 300 * 56);
			Expect("Allocations.Vector[]", 10, 10 * 120);
			// An array's header takes 32: lengths 0 to 4, and 9 copies of length 9
			Expect("Allocations.Node[]", 14, 5 * 32 + 10 * 8 + 9 * (32 + 72));
			// Bounds of two dimensions take 16 more
			Expect("Allocations.Pair[,]", 3, 3 * (32 + 6 * 16 + 16));
			Expect("Allocations.Wide[][]", 4, 4 * 48);
			Expect("Allocations.Color[]", 2, 2 * 4000032L);
			Expect("Allocations.Pair", 50, 50 * 32);
			Expect("Allocations.Color", 20, 20 * 24);
			Expect("Allocations.Bag`1<int>", 11, 11 * 24);
			Expect("Allocations.Bag`1<string>", 13, 13 * 24);
			Expect("Allocations.Bag`1<Allocations.Bag`1<Allocations.Small>>", 17, 17 * 24);
			Expect("System.Collections.Generic.List`1<Allocations.Pair>", 6, 6 * 40);
			Expect("Allocations.Function", 14, 14 * 128);
		}
	}
}
