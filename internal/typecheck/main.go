// Command typecheck type-checks packages and their tests for another system, processor or build tag, from source.
//
//	typecheck [-platform GOOS/GOARCH] [-tags TAG,...] PATTERN...
//
// A build or go vet for another system also generates code for the standard library and every dependency. That takes
// several times as long and finds the same faults: names that exist on one system only, constants that do not fit an
// int of 32 bits, and functions without a body for which another processor has no assembly.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	platform := flag.String("platform", "", "check for `GOOS/GOARCH`")
	tags := flag.String("tags", "", "check with these build tags")
	flag.Parse()
	faults, err := check(*platform, *tags, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// check returns the faults of the packages that match the patterns. Each fault includes its position in a file.
func check(platform, tags string, patterns []string) ([]string, error) {
	config := &packages.Config{
		Mode:       packages.LoadAllSyntax,
		Tests:      true,
		Env:        os.Environ(),
		BuildFlags: []string{"-tags=" + tags},
	}
	if platform != "" {
		system, processor, ok := strings.Cut(platform, "/")
		if !ok {
			return nil, fmt.Errorf("-platform %q: expected GOOS/GOARCH, such as darwin/arm64", platform)
		}
		// With cgo, packages would need a C compiler for the other system.
		config.Env = append(config.Env, "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	}
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	if len(loaded) == 0 {
		return nil, fmt.Errorf("no package matches %q", patterns)
	}
	var faults []string
	seen := map[string]bool{} // the test variant of a package repeats the faults of its other files
	add := func(fault string) {
		if !seen[fault] {
			seen[fault] = true
			faults = append(faults, fault)
		}
	}
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		for _, e := range pkg.Errors {
			add(e.Error())
		}
	})
	for _, pkg := range loaded {
		for _, fault := range bodilessFunctions(pkg) {
			add(fault)
		}
	}
	return faults, nil
}

// bodilessFunctions returns the functions of a package that have no body although the package has no assembly. The type
// checker does not report them.
func bodilessFunctions(pkg *packages.Package) []string {
	for _, file := range pkg.OtherFiles {
		if filepath.Ext(file) == ".s" {
			return nil
		}
	}
	var faults []string
	for _, file := range pkg.Syntax {
		// Skip files that cgo has generated.
		if !slices.Contains(pkg.GoFiles, pkg.Fset.Position(file.Package).Filename) {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body == nil {
				faults = append(faults, fmt.Sprintf("%v: %s has no body", pkg.Fset.Position(f.Pos()), f.Name.Name))
			}
		}
	}
	return faults
}
