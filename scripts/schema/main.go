// Command schema reads Go packages and prints, as JSON, the facts from which podkeep's schema table
// is made: types with their struct tags and markers (comment lines such as "+optional"), string
// constants, group versions, and which types are registered under which of them.
//
// It reports what the source says and decides nothing: what a marker or a tag means is decided by
// the TypeScript beside it. It needs nothing but the standard library and compiles with Go 1.19.
//
//	usage: schema import/path=directory ...
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	packages := []*Package{}
	for _, argument := range os.Args[1:] {
		path, directory, found := strings.Cut(argument, "=")
		if !found {
			fail(fmt.Errorf("%q is not of the form import/path=directory", argument))
		}
		read, err := readPackage(path, directory)
		if err != nil {
			fail(err)
		}
		packages = append(packages, read)
	}
	if err := json.NewEncoder(os.Stdout).Encode(packages); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// readPackage reads the sources that a build for this platform would compile, in the order of their
// names, so that the output does not depend on the file system.
func readPackage(path, directory string) (*Package, error) {
	names, err := sourceNames(directory)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	reader := &packageReader{
		files: files, declared: map[string]bool{}, objects: map[string][]string{},
	}
	reader.result = &Package{
		Path: path, Markers: []string{}, Types: []Type{}, Constants: []Constant{},
		GroupVersions: []GroupVersion{}, Registrations: []Registration{},
	}
	parsed := []*ast.File{}
	for _, name := range names {
		file, err := parser.ParseFile(files, filepath.Join(directory, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
		reader.declare(file)
	}
	// Lists of objects are declared in one place and registered in another, so they come first.
	for _, file := range parsed {
		reader.readVariables(file)
	}
	for _, file := range parsed {
		reader.readFile(file)
	}
	return reader.result, nil
}

// sourceNames leaves out tests and generated code: generated files are large and say nothing that
// the types do not say.
func sourceNames(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, entry := range entries {
		name := entry.Name()
		generated := strings.HasPrefix(name, "zz_generated") || strings.HasSuffix(name, ".pb.go") ||
			strings.HasSuffix(name, "_swagger_doc_generated.go")
		source := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if entry.IsDir() || generated || !source {
			continue
		}
		matches, err := build.Default.MatchFile(directory, name)
		if err != nil {
			return nil, err
		}
		if matches {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}
