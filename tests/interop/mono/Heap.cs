// SPDX-License-Identifier: MIT
// A heap with a known content: a list, a tree, an array and what they hold, reached from static fields and a handle.
using System;
using System.Runtime.InteropServices;

namespace Heap
{
	class Link { public Link Next; public int Number; }
	class Branch { public Branch Left, Right; }
	class Leaf { }
	class Holder { public object[] Slots; }
	class Pinned { public object Self; }
	class Garbage { public object Other; }
	class Rounded { public long A, B, C, D, E, F, G; }

	struct Pair { public int Number; public Key Key; }
	class Key { }

	class Program
	{
		const int Links = 1000;
		const int Depth = 9; // 2^10 - 1 branches
		const int Slots = 20000;
		const int Dead = 3000;

		static Link list;
		static Branch tree;
		static Holder holder;
		static Rounded[] rounded;
		static GCHandle handle;
		static Pair pair;
		[ThreadStatic] static Key own;

		static class Cache<T>
		{
			public static object Kept;
		}

		static Branch Grow(int depth)
		{
			Branch branch = new Branch();
			if (depth > 0) {
				branch.Left = Grow(depth - 1);
				branch.Right = Grow(depth - 1);
			}
			return branch;
		}

		static void Litter(int count)
		{
			object last = null;
			for (int i = 0; i < count; i++)
				last = new Garbage { Other = last };
		}

		// The places that they are moved to are larger than they are.
		static void Round(int count)
		{
			rounded = new Rounded[count];
			for (int i = 0; i < count; i++)
				rounded[i] = new Rounded();
		}

		static void Build()
		{
			for (int i = 0; i < Links; i++)
				list = new Link { Next = list, Number = i };
			tree = Grow(Depth);
			holder = new Holder { Slots = new object[Slots] };
			for (int i = 0; i < Slots; i++)
				holder.Slots[i] = new Leaf();
			pair = new Pair { Key = new Key() };
			Cache<string>.Kept = new Key[1];
			Pinned pinned = new Pinned();
			pinned.Self = pinned;
			handle = GCHandle.Alloc(pinned);
		}

		static void Run(System.Threading.ThreadStart start)
		{
			System.Threading.Thread thread = new System.Threading.Thread(start);
			thread.Start();
			thread.Join();
		}

		static void Main()
		{
			own = new Key();
			Run(Build);
			Run(() => Litter(Dead));
			Run(() => Round(Dead));
			GC.Collect();
			rounded = null;
			GC.Collect();
			Console.WriteLine("objects\tHeap.Link\t" + Links + "\t" + Links * 32);
			Console.WriteLine("objects\tHeap.Branch\t1023\t" + 1023 * 32);
			Console.WriteLine("objects\tHeap.Leaf\t" + Slots + "\t" + Slots * 16);
			Console.WriteLine("objects\tHeap.Holder\t1\t24");
			Console.WriteLine("objects\tHeap.Pinned\t1\t24");
			Console.WriteLine("references\tHeap.Link\tHeap.Link\t" + (Links - 1));
			Console.WriteLine("references\tHeap.Branch\tHeap.Branch\t1022");
			Console.WriteLine("references\tHeap.Holder\tobject[]\t1");
			Console.WriteLine("references\tobject[]\tHeap.Leaf\t" + Slots);
			Console.WriteLine("references\tHeap.Pinned\tHeap.Pinned\t1");
			// What kind of area, whose fields it has, and what is in them
			Console.WriteLine("root\tstatic\tHeap.Program\tHeap.Link\t1");
			Console.WriteLine("root\tstatic\tHeap.Program\tHeap.Branch\t1");
			Console.WriteLine("root\tstatic\tHeap.Program\tHeap.Holder\t1");
			Console.WriteLine("static\tHeap.Program.list\tHeap.Link\t1");
			Console.WriteLine("static\tHeap.Program.tree\tHeap.Branch\t1");
			Console.WriteLine("static\tHeap.Program.holder\tHeap.Holder\t1");
			Console.WriteLine("static\tHeap.Program.pair.Key\tHeap.Key\t1");
			Console.WriteLine("static\tHeap.Program/Cache`1<string>.Kept\tHeap.Key[]\t1");
			Console.WriteLine("thread-static\tThreadStatic Fields\tHeap.Key\t1");
			Console.WriteLine("root\thandle\t\tHeap.Pinned\t1");
			Console.WriteLine("freed at least\tHeap.Garbage\t" + Dead * 9 / 10);
			Console.WriteLine("freed at least\tHeap.Rounded\t" + Dead * 9 / 10);
			GC.KeepAlive(list);
			GC.KeepAlive(tree);
			GC.KeepAlive(own);
			GC.KeepAlive(holder);
			if (!handle.IsAllocated)
				throw new Exception("the program is wrong");
		}
	}
}
