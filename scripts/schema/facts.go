package main

// The facts as they are printed. scripts/schema/facts.ts holds the same shapes in TypeScript.

type Package struct {
	Path string `json:"path"`
	// Markers of the package comments, such as +k8s:openapi-model-package=...
	Markers       []string       `json:"markers"`
	Types         []Type         `json:"types"`
	Constants     []Constant     `json:"constants"`
	GroupVersions []GroupVersion `json:"groupVersions"`
	Registrations []Registration `json:"registrations"`
}

type Type struct {
	Name  string `json:"name"`
	Alias bool   `json:"alias"`
	// Markers of the comment right above the type.
	Markers []string `json:"markers"`
	// DistantMarkers stand in a comment of their own above that one. Client generation reads both.
	DistantMarkers []string `json:"distantMarkers"`
	Is             *Expr    `json:"is"`
}

// Expr is a type expression. Exactly one of its members is set.
type Expr struct {
	// Basic is a predeclared type such as string or int32.
	Basic string `json:"basic,omitempty"`
	// Ref is a named type with its import path, such as k8s.io/api/core/v1.Pod.
	Ref     string  `json:"ref,omitempty"`
	Pointer *Expr   `json:"pointer,omitempty"`
	List    *Expr   `json:"list,omitempty"`
	Map     *Pair   `json:"map,omitempty"`
	Struct  *Struct `json:"struct,omitempty"`
	// Other is whatever API objects are not made of: interfaces, functions, channels.
	Other string `json:"other,omitempty"`
}

type Pair struct {
	Key   *Expr `json:"key"`
	Value *Expr `json:"value"`
}

type Struct struct {
	Fields []Field `json:"fields"`
}

type Field struct {
	Name     string            `json:"name"`
	Embedded bool              `json:"embedded"`
	Tags     map[string]string `json:"tags"`
	Markers  []string          `json:"markers"`
	Is       *Expr             `json:"is"`
}

// Value is a string: written out, or that of another constant.
type Value struct {
	Text *string `json:"text,omitempty"`
	Ref  string  `json:"ref,omitempty"`
}

type Constant struct {
	Name string `json:"name"`
	// Is is the type, where the declaration names one.
	Is    *Expr `json:"is,omitempty"`
	Value Value `json:"value"`
}

type GroupVersion struct {
	Name    string `json:"name"`
	Group   Value  `json:"group"`
	Version Value  `json:"version"`
}

type Registration struct {
	// Call is the name of the scheme's method.
	Call string `json:"call"`
	// Into is the variable or parameter that holds the group version; empty if it is neither.
	Into  string   `json:"into"`
	Types []string `json:"types"`
}
