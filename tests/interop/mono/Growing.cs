// SPDX-License-Identifier: MIT
// Does the same work in each round, and then collects. What it keeps depends on its first argument; the second one is
// the number of rounds.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Growing
{
	class Line { public int amount; }

	class Order
	{
		public string customer;
		public Line[] lines = new Line[3];

		public Order(int number)
		{
			customer = "customer " + number;
			for (int i = 0; i < lines.Length; i++)
				lines[i] = new Line { amount = i };
		}
	}

	class Link { public Link next; public byte[] data = new byte[100]; }

	class Subject
	{
		public event EventHandler Changed;
		public void Change() { if (Changed != null) Changed(this, null); }
	}

	class Watcher
	{
		int[] seen = new int[20];
		public void OnChanged(object sender, EventArgs arguments) { seen[0]++; }
	}

	static class OrderCache
	{
		public static Dictionary<int, Order> cache = new Dictionary<int, Order>();
	}

	static class Program
	{
		static List<Order> orders = new List<Order>();
		static List<WeakReference> weak = new List<WeakReference>();
		static Link list;
		static Subject subject = new Subject();
		static int number;

		// Objects that die in the round.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static int Work()
		{
			var local = new List<Order>();
			for (int i = 0; i < 500; i++)
				local.Add(new Order(i));
			var text = new System.Text.StringBuilder();
			foreach (Order order in local)
				text.Append(order.customer).Append(order.lines.Length);
			return text.ToString().Split(' ').Length + string.Format("{0:x} {1}", local.Count, DateTime.UtcNow).Length;
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Keep(string what, int round, int rounds)
		{
			for (int i = 0; i < 200; i++, number++) {
				if (what == "cache")
					OrderCache.cache.Add(number, new Order(number));
				else if (what == "list")
					list = new Link { next = list };
				else if (what == "events")
					subject.Changed += new Watcher().OnChanged;
				else if (what == "fills" && round < rounds / 2)
					orders.Add(new Order(number));
				else if (what == "shrinks" && round < rounds - 1)
					orders.Add(new Order(number));
				else if (what == "weak") {
					if (weak.Count < 200)
						weak.Add(new WeakReference(null));
					weak[i].Target = new Order(number);
				}
			}
			if (what == "shrinks" && round == rounds - 1)
				orders.RemoveRange(0, orders.Count / 2);
		}

		// Clears what the collector would find on the stack.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static int Overwrite(int depth)
		{
			return depth == 0 ? 0 : Overwrite(depth - 1) + 1;
		}

		static void Main(string[] arguments)
		{
			int rounds = int.Parse(arguments[1]);

			for (int round = 0; round < rounds; round++) {
				Work();
				Keep(arguments[0], round, rounds);
				Overwrite(100);
				GC.Collect();
			}
		}
	}
}
