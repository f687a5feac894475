// SPDX-License-Identifier: MIT
// Objects that are reached through fields of all kinds: of base classes, of structs, of arrays, and of properties. With
// an argument, the program waits to be killed once it has collected; a number also makes that many more objects.
using System;
using System.Collections.Generic;
using System.Threading;

class Payload { }
class Inherited { }
class Automatic { }
class Nested { }
class Element { }
class Listed { }
class Generic { }
class Shared { }
class Far { }

struct Inner { public int Number; public Nested owner; }
struct Outer { public long First; public Inner inner; }

class Cache
{
	struct Entry
	{
		public int hash;
		public string key;
		public Payload value;
	}

	Entry[] entries = new Entry[40];

	public Cache()
	{
		entries[3].value = new Payload();
		entries[3].key = new string('k', 3);
	}
}

class Basis
{
	Inherited own = new Inherited();
	protected static object unused;
}

class Derived : Basis
{
	public Automatic Property { get; set; }
	Outer state;
	Element[] elements = new Element[200];
	Element[,] table = new Element[2, 2];
	List<Listed> list = new List<Listed>();
	KeyValuePair<int, Generic> pair;

	public Derived()
	{
		Property = new Automatic();
		state.inner.owner = new Nested();
		for (int i = 0; i < elements.Length; i++)
			elements[i] = new Element();
		table[1, 1] = new Element();
		list.Add(new Listed());
		pair = new KeyValuePair<int, Generic>(1, new Generic());
	}
}

// More fields than one record of the recorder has slots for.
class Wide
{
	long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
	long c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9;
	object first = new Shared();
	Inner last;

	public Wide() { last.owner = new Nested(); }
}

class Many { public Many previous; public object payload; public int number; }

class OrderCache
{
	static Cache cache = new Cache();
	static Dictionary<string, Far> table = new Dictionary<string, Far>();
	static Derived derived = new Derived();
	static Wide wide = new Wide();
	static Many many;

	static void Main(string[] arguments)
	{
		table["a"] = new Far();
		for (int i = arguments.Length > 0 ? int.Parse(arguments[0]) : 0; i > 0; i--)
			many = new Many { previous = many, payload = wide, number = i };
		GC.Collect();
		GC.Collect();
		if (arguments.Length > 1) {
			Console.WriteLine("ready");
			Thread.Sleep(Timeout.Infinite);
		}
		GC.KeepAlive(cache);
		GC.KeepAlive(derived);
	}
}
