// SPDX-License-Identifier: MIT
// Methods made at run time: a dynamic method, one that calls in tail position, and a dynamic assembly.
using System;
using System.Reflection;
using System.Reflection.Emit;

namespace Dynamic
{
	public delegate int Function(int x);

	public class Program
	{
		public static int Twice(int x) { return 2 * x; }

		static Function MakeCaller(string name, bool inTail)
		{
			DynamicMethod method = new DynamicMethod(name, typeof(int), new[] {typeof(int)}, typeof(Program).Module);
			ILGenerator code = method.GetILGenerator();
			code.Emit(OpCodes.Ldarg_0);
			if (inTail)
				code.Emit(OpCodes.Tailcall);
			code.Emit(OpCodes.Call, typeof(Program).GetMethod("Twice"));
			code.Emit(OpCodes.Ret);
			return (Function)method.CreateDelegate(typeof(Function));
		}

		static Function MakeAssembly()
		{
			AssemblyName name = new AssemblyName("Dynamic.Made");
			AssemblyBuilder assembly = AppDomain.CurrentDomain.DefineDynamicAssembly(name, AssemblyBuilderAccess.Run);
			ModuleBuilder module = assembly.DefineDynamicModule("Dynamic.Made");
			TypeBuilder type = module.DefineType("Made.Type", TypeAttributes.Public);
			MethodBuilder method = type.DefineMethod("Thrice", MethodAttributes.Public | MethodAttributes.Static,
				typeof(int), new[] {typeof(int)});
			ILGenerator code = method.GetILGenerator();
			code.Emit(OpCodes.Ldarg_0);
			code.Emit(OpCodes.Ldc_I4_3);
			code.Emit(OpCodes.Mul);
			code.Emit(OpCodes.Ret);
			Type made = type.CreateType();
			return (Function)Delegate.CreateDelegate(typeof(Function), made.GetMethod("Thrice"));
		}

		static void Main()
		{
			Function plain = MakeCaller("Plain", false);
			Function tail = MakeCaller("Tail", true);
			Function thrice = MakeAssembly();
			int sum = 0;

			for (int i = 0; i < 21; i++)
				sum += plain(i);
			for (int i = 0; i < 22; i++)
				sum += tail(i);
			for (int i = 0; i < 23; i++)
				sum += thrice(i);
			// Many that are collected soon: their memory may be used again.
			for (int i = 0; i < 100; i++) {
				sum += MakeCaller("Short", false)(i);
				if (i % 20 == 0)
					GC.Collect();
			}

			Console.WriteLine("calls\tDynamic.Program\tTwice (int)\t" + (21 + 22 + 100));
			Console.WriteLine("calls\tobject\tPlain (int)\t21");
			Console.WriteLine("calls\tobject\tTail (int)\t22");
			Console.WriteLine("calls\tobject\tShort (int)\t100");
			Console.WriteLine("calls\tMade.Type\tThrice (int)\t23");
			Console.WriteLine("at least\tmethod-leave-tail\t22");
			// Those made here: all 100 and the two that have names of their own.
			Console.WriteLine("exactly\tmethod-freed\t102");
		}
	}
}
