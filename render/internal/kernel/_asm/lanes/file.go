// Package lanes describes a loop over vector lanes once, and emits it for AVX-512 (16 lanes of 32 bits, mask registers)
// and for AVX2 (8 lanes, masks in vectors).
//
// Operands are in mathematical order, Sub(a, b) = a - b, not in that of Go's assembler. Results go to new registers, or
// to the register given by Into. A value that must survive while many others are computed is kept with Keep: with
// AVX-512 it stays in a register, with AVX2 it is stored in memory. The same holds for a Variable.
//
// The comments of the generators say that a function emits the code of a Go function. The emitted code gives the same
// results as the Go function, for a vector of elements.
package lanes

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// A Field is the name and the Go type of a field of the struct of arguments.
type Field struct{ Name, Type string }

// A File is one assembly file and the Go file that declares its functions.
type File struct {
	*build.Context
	kernel *types.Package // the package of the loop, as read from its sources
	array  *types.Package // package array, as read from its sources
	args   *types.Named
	fields []Field
	offset map[string]int
	tables map[string]operand.Mem
	types  strings.Builder // type declarations of the Go file
}

// NewFile starts a file for the loops of package pkg. All functions of the file have one parameter, a pointer to a
// struct of arguments. args is the name of the struct, doc its comment, and fields are its fields.
func NewFile(pkg, args, doc string, fields []Field) *File {
	log.SetFlags(0)
	array := readPackage("../array", nil)
	f := &File{
		Context: build.NewContext(),
		kernel:  readPackage("../"+pkg, array),
		array:   array,
		fields:  fields,
		offset:  make(map[string]int),
		tables:  make(map[string]operand.Mem),
	}
	vars := make([]*types.Var, len(fields))
	for i, field := range fields {
		tv, err := types.Eval(token.NewFileSet(), f.kernel, token.NoPos, field.Type)
		if err != nil {
			log.Fatalf("argument %s: %v", field.Name, err)
		}
		vars[i] = types.NewField(token.NoPos, f.kernel, field.Name, tv.Type, false)
	}
	for i, offset := range gotypes.Sizes.Offsetsof(vars) {
		f.offset[fields[i].Name] = int(offset)
	}
	name := types.NewTypeName(token.NoPos, f.kernel, args, nil)
	f.args = types.NewNamed(name, types.NewStruct(vars, nil), nil)
	f.Declare(args, doc, f.argsType())
	f.ConstraintExpr("amd64,!purego")
	return f
}

// readPackage reads the constants of the Go package in a folder, so that functions and their specification share
// them. The generators cannot import the package, because it does not build without the generated code. For the same
// reason errors are ignored; the constants are complete nevertheless. Only the package's import of array is resolved.
func readPackage(dir string, array *types.Package) *types.Package {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, file)
	}
	config := types.Config{IgnoreFuncBodies: true, Error: func(error) {}, Importer: only{array}}
	pkg, _ := config.Check(files[0].Name.Name, set, files, nil)
	return pkg
}

// only is an importer that resolves a single package.
type only struct{ pkg *types.Package }

func (o only) Import(path string) (*types.Package, error) {
	if o.pkg != nil && filepath.Base(path) == o.pkg.Name() {
		return o.pkg, nil
	}
	return nil, fmt.Errorf("package %s is not read", path)
}

// goConstant returns a constant of the loop's package. If the package has no constant of that name, it returns the
// constant of package array.
func (f *File) goConstant(name string) constant.Value {
	c, ok := f.kernel.Scope().Lookup(name).(*types.Const)
	if !ok {
		c, ok = f.array.Scope().Lookup(name).(*types.Const)
	}
	if !ok || c.Val().Kind() == constant.Unknown {
		log.Fatalf("package %s has no constant %s", f.kernel.Name(), name)
	}
	return c.Val()
}

// Go returns the value of an integer constant of the Go packages.
func (f *File) Go(name string) int {
	n, exact := constant.Int64Val(constant.ToInt(f.goConstant(name)))
	if !exact {
		log.Fatalf("constant %s is no integer", name)
	}
	return int(n)
}

// GoFloat returns the value of a constant of the Go packages as a float32.
func (f *File) GoFloat(name string) float32 {
	x, _ := constant.Float32Val(f.goConstant(name))
	return x
}

// Declare adds a type and its comment to the Go file.
func (f *File) Declare(name, doc, typ string) {
	fmt.Fprintf(&f.types, "\n// %s %s\ntype %s %s\n", name, doc, name, typ)
}

// signature returns the signature of all functions of the file.
func (f *File) signature() *gotypes.Signature {
	args := types.NewParam(token.NoPos, f.kernel, "args", types.NewPointer(f.args))
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(args), nil, false)
	return gotypes.NewSignature(f.kernel, sig)
}

// Write writes the assembly to the file named by the flag -out, and the Go declarations to the file named by -stubs.
func (f *File) Write() {
	// The flag set is separate because avo has registered flags in the default one.
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	out := flags.String("out", "", "file for the assembly")
	stubs := flags.String("stubs", "", "file for the Go declarations")
	flags.Parse(os.Args[1:])
	if err := f.write(*out, *stubs); err != nil {
		log.Fatal(err)
	}
}

func (f *File) write(out, stubs string) error {
	file, err := f.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	for _, fn := range file.Functions() {
		if err := checkRegisters(fn); err != nil {
			return err
		}
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./" + filepath.Base(os.Args[0])}, Name: "avo", Pkg: f.kernel.Name()}
	text, err := printer.NewGoAsm(cfg).Print(file)
	if err != nil {
		return err
	}
	declarations, err := printer.NewStubs(cfg).Print(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, text, 0o666); err != nil {
		return err
	}
	return os.WriteFile(stubs, append(declarations, f.types.String()...), 0o666)
}

// argsType returns the declaration of the struct of arguments.
func (f *File) argsType() string {
	var b strings.Builder
	b.WriteString("struct {\n")
	width := 0
	for _, field := range f.fields {
		width = max(width, len(field.Name))
	}
	for _, field := range f.fields {
		fmt.Fprintf(&b, "\t%-*s %s\n", width, field.Name, field.Type)
	}
	b.WriteString("}")
	return b.String()
}

// checkRegisters returns an error if a function for AVX2 uses an instruction or a register of AVX-512. A register
// from 16 on would turn the encoding of an AVX2 instruction into an encoding of AVX-512.
func checkRegisters(fn *ir.Function) error {
	if !strings.HasSuffix(fn.Name, suffix[AVX2]) {
		return nil
	}
	for _, instruction := range fn.Instructions() {
		for _, r := range instruction.Registers() {
			p := reg.ToPhysical(r)
			if p == nil {
				continue
			}
			if p.Kind() == reg.KindOpmask || p.Kind() == reg.KindVector && p.PhysicalIndex() >= 16 {
				return fmt.Errorf("%s: %s uses %s", fn.Name, instruction.Opcode, p.Asm())
			}
		}
	}
	for _, extension := range fn.ISA {
		if strings.HasPrefix(extension, "AVX512") {
			return fmt.Errorf("%s requires %s", fn.Name, extension)
		}
	}
	return nil
}
