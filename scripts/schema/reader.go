package main

import (
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

type packageReader struct {
	files  *token.FileSet
	result *Package
	// declared holds the names of the package's own types: string may be one of them.
	declared map[string]bool
	// objects holds, by variable, the types of package-level lists such as []runtime.Object{&A{}}.
	objects map[string][]string
	// imports of the file being read, by the name used in it.
	imports map[string]string
	// commentsByEnd of the file being read: the comment that ends on a line.
	commentsByEnd map[int]*ast.CommentGroup
}

func (r *packageReader) declare(file *ast.File) {
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, spec := range general.Specs {
			r.declared[spec.(*ast.TypeSpec).Name.Name] = true
		}
	}
}

// enter prepares for reading one file: what its import names stand for, and where comments end.
func (r *packageReader) enter(file *ast.File) {
	r.imports = map[string]string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		r.imports[name] = path
	}
	r.commentsByEnd = map[int]*ast.CommentGroup{}
	for _, group := range file.Comments {
		r.commentsByEnd[r.files.Position(group.End()).Line] = group
	}
}

func (r *packageReader) readVariables(file *ast.File) {
	r.enter(file)
	r.eachSpec(file, token.VAR, func(_ *ast.GenDecl, spec ast.Spec) {
		variable := spec.(*ast.ValueSpec)
		for i, name := range variable.Names {
			if i >= len(variable.Values) {
				continue
			}
			literal, ok := variable.Values[i].(*ast.CompositeLit)
			if !ok {
				continue
			}
			if types := r.objectTypes(literal.Elts); len(types) > 0 {
				r.objects[name.Name] = types
			}
			r.readGroupVersion(name.Name, literal)
		}
	})
}

func (r *packageReader) readFile(file *ast.File) {
	r.enter(file)
	r.result.Markers = append(r.result.Markers, packageMarkers(file)...)
	r.eachSpec(file, token.TYPE, func(declaration *ast.GenDecl, spec ast.Spec) {
		r.readType(declaration, spec.(*ast.TypeSpec))
	})
	r.eachSpec(file, token.CONST, func(_ *ast.GenDecl, spec ast.Spec) {
		r.readConstants(spec.(*ast.ValueSpec))
	})
	ast.Inspect(file, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			r.readRegistration(call)
		}
		return true
	})
}

func (r *packageReader) eachSpec(
	file *ast.File, tok token.Token, visit func(*ast.GenDecl, ast.Spec),
) {
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok || general.Tok != tok {
			continue
		}
		for _, spec := range general.Specs {
			visit(general, spec)
		}
	}
}

func (r *packageReader) readType(declaration *ast.GenDecl, spec *ast.TypeSpec) {
	doc, start := spec.Doc, spec.Pos()
	if !declaration.Lparen.IsValid() {
		doc, start = declaration.Doc, declaration.Pos()
	}
	if doc != nil {
		start = doc.Pos()
	}
	// One blank line parts the two comments; with none right above, the type itself counts.
	distant := r.commentsByEnd[r.files.Position(start).Line-2]
	r.result.Types = append(r.result.Types, Type{
		Name:           spec.Name.Name,
		Alias:          spec.Assign.IsValid(),
		Markers:        markersOf(doc),
		DistantMarkers: markersOf(distant),
		Is:             r.readExpr(spec.Type),
	})
}

func (r *packageReader) readExpr(node ast.Expr) *Expr {
	switch node := node.(type) {
	case *ast.ParenExpr:
		return r.readExpr(node.X)
	case *ast.Ident:
		if r.declared[node.Name] {
			return &Expr{Ref: r.result.Path + "." + node.Name}
		}
		return &Expr{Basic: node.Name}
	case *ast.SelectorExpr:
		return &Expr{Ref: r.qualify(node)}
	case *ast.StarExpr:
		return &Expr{Pointer: r.readExpr(node.X)}
	case *ast.ArrayType:
		return &Expr{List: r.readExpr(node.Elt)}
	case *ast.MapType:
		return &Expr{Map: &Pair{Key: r.readExpr(node.Key), Value: r.readExpr(node.Value)}}
	case *ast.StructType:
		return &Expr{Struct: r.readStruct(node)}
	case *ast.InterfaceType:
		return &Expr{Other: "interface"}
	default:
		return &Expr{Other: strings.TrimPrefix(reflect.TypeOf(node).String(), "*ast.")}
	}
}

func (r *packageReader) qualify(node *ast.SelectorExpr) string {
	if name, ok := node.X.(*ast.Ident); ok {
		if path, ok := r.imports[name.Name]; ok {
			return path + "." + node.Sel.Name
		}
	}
	return ""
}

func (r *packageReader) readStruct(node *ast.StructType) *Struct {
	fields := []Field{}
	for _, field := range node.Fields.List {
		read := Field{
			Tags: tagsOf(field.Tag), Markers: markersOf(field.Doc), Is: r.readExpr(field.Type),
		}
		if len(field.Names) == 0 {
			read.Name, read.Embedded = embeddedName(field.Type), true
			fields = append(fields, read)
		}
		for _, name := range field.Names {
			read.Name = name.Name
			fields = append(fields, read)
		}
	}
	return &Struct{Fields: fields}
}

func embeddedName(node ast.Expr) string {
	switch node := node.(type) {
	case *ast.StarExpr:
		return embeddedName(node.X)
	case *ast.SelectorExpr:
		return node.Sel.Name
	case *ast.Ident:
		return node.Name
	default:
		return ""
	}
}

// tagsOf keeps the tags that decide how a field travels and merges.
func tagsOf(literal *ast.BasicLit) map[string]string {
	tags := map[string]string{}
	if literal == nil {
		return tags
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return tags
	}
	for _, key := range []string{"json", "protobuf", "patchStrategy", "patchMergeKey"} {
		if value, ok := reflect.StructTag(text).Lookup(key); ok {
			tags[key] = value
		}
	}
	return tags
}
