// SPDX-License-Identifier: MIT
// Allocates known numbers of objects at known places, keeps them in an array, drops some, and collects in between. The
// full collections are heap snapshots: 1000 Old and 300 Gone; then 1000 Old and 500 Young; then 200 more Young.
using System;
using System.Runtime.CompilerServices;

class Old { int number; }
class Young { int number; }
class Gone { int number; }

class Program
{
	static object[] keep = new object[2000];

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void MakeOld() { for (int i = 0; i < 1000; i++) keep[i] = new Old(); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void MakeGone() { for (int i = 1700; i < 2000; i++) keep[i] = new Gone(); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void MakeYoung() { for (int i = 1000; i < 1500; i++) keep[i] = new Young(); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void MakeMore() { for (int i = 1500; i < 1700; i++) keep[i] = new Young(); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Drop() { Array.Clear(keep, 1700, 300); }

	static void Main()
	{
		MakeOld();
		MakeGone();
		GC.Collect(0);
		GC.Collect();
		Drop();
		MakeYoung();
		GC.Collect();
		MakeMore();
		GC.Collect();
	}
}
