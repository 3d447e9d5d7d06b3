package main

import (
	"go/ast"
	"go/token"
	"strconv"
)

// readConstants keeps string constants. A constant without a value of its own repeats the one above
// it, which only numbers do.
func (r *packageReader) readConstants(spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			continue
		}
		constant := Constant{Name: name.Name}
		if spec.Type != nil {
			constant.Is = r.readExpr(spec.Type)
		}
		node := spec.Values[i]
		// Kind("x") is a value with its type.
		if call, ok := node.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if constant.Is == nil {
				constant.Is = r.readExpr(call.Fun)
			}
			node = call.Args[0]
		}
		value, ok := r.readValue(node)
		if !ok {
			continue
		}
		constant.Value = value
		r.result.Constants = append(r.result.Constants, constant)
	}
}

func (r *packageReader) readValue(node ast.Expr) (Value, bool) {
	switch node := node.(type) {
	case *ast.BasicLit:
		if node.Kind != token.STRING {
			return Value{}, false
		}
		text, err := strconv.Unquote(node.Value)
		return Value{Text: &text}, err == nil
	case *ast.Ident:
		return Value{Ref: r.result.Path + "." + node.Name}, true
	case *ast.SelectorExpr:
		name := r.qualify(node)
		return Value{Ref: name}, name != ""
	default:
		return Value{}, false
	}
}

// readGroupVersion keeps variables of the form schema.GroupVersion{Group: ..., Version: ...}.
func (r *packageReader) readGroupVersion(name string, literal *ast.CompositeLit) {
	selector, ok := literal.Type.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "GroupVersion" {
		return
	}
	read := GroupVersion{Name: name}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		value, ok := r.readValue(pair.Value)
		if !ok {
			return
		}
		switch key, _ := pair.Key.(*ast.Ident); key.Name {
		case "Group":
			read.Group = value
		case "Version":
			read.Version = value
		}
	}
	r.result.GroupVersions = append(r.result.GroupVersions, read)
}

var registeringCalls = map[string]bool{
	"AddKnownTypes": true, "AddKnownTypeWithName": true, "AddUnversionedTypes": true,
}

func (r *packageReader) readRegistration(call *ast.CallExpr) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !registeringCalls[method.Sel.Name] || len(call.Args) < 2 {
		return
	}
	types := r.objectTypes(call.Args[1:])
	if len(types) == 0 {
		return
	}
	r.result.Registrations = append(r.result.Registrations, Registration{
		Call: method.Sel.Name, Into: groupVersionName(call.Args[0]), Types: types,
	})
}

// groupVersionName sees through groupVersion.WithKind(...), which names the kind as well.
func groupVersionName(node ast.Expr) string {
	switch node := node.(type) {
	case *ast.Ident:
		return node.Name
	case *ast.CallExpr:
		if method, ok := node.Fun.(*ast.SelectorExpr); ok {
			return groupVersionName(method.X)
		}
	}
	return ""
}

// objectTypes returns the types of &A{}, &B{} and of what is in package-level lists of such.
func (r *packageReader) objectTypes(nodes []ast.Expr) []string {
	types := []string{}
	for _, node := range nodes {
		switch node := node.(type) {
		case *ast.Ident:
			types = append(types, r.objects[node.Name]...)
		case *ast.UnaryExpr:
			literal, ok := node.X.(*ast.CompositeLit)
			if !ok || node.Op != token.AND {
				continue
			}
			if read := r.readExpr(literal.Type); read.Ref != "" {
				types = append(types, read.Ref)
			}
		}
	}
	return types
}
