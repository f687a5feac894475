// SPDX-License-Identifier: MIT
// Replaces the debugging information of a program, as mcs writes it (.mdb), by a portable .pdb: the arguments are the
// program and the path of its copy.
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.CompilerServices.SymbolWriter;

class PortableLines
{
	static void AddLines(MethodDefinition method, MethodEntry entry)
	{
		Document document = new Document(entry.CompileUnit.SourceFile.FileName);

		foreach (LineNumberEntry line in entry.GetLineNumberTable().LineNumbers) {
			Instruction instruction = method.Body.Instructions.FirstOrDefault(i => i.Offset == line.Offset);

			if (instruction == null)
				continue;
			method.DebugInformation.SequencePoints.Add(new SequencePoint(instruction, document) {
				StartLine = line.Row, EndLine = line.Row, StartColumn = 1, EndColumn = 2
			});
		}
	}

	static void Main(string[] arguments)
	{
		MonoSymbolFile symbols = MonoSymbolFile.ReadSymbolFile(arguments[0] + ".mdb");

		using (ModuleDefinition module = ModuleDefinition.ReadModule(arguments[0])) {
			foreach (MethodDefinition method in module.GetTypes().SelectMany(type => type.Methods)) {
				MethodEntry entry = symbols.GetMethodByToken(method.MetadataToken.ToInt32());

				if (entry != null && method.HasBody)
					AddLines(method, entry);
			}
			module.Write(arguments[1], new WriterParameters {
				WriteSymbols = true, SymbolWriterProvider = new PortablePdbWriterProvider()
			});
		}
	}
}
