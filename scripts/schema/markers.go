package main

import (
	"go/ast"
	"strings"
)

// markersOf returns the lines of a comment that begin with a plus sign.
func markersOf(comment *ast.CommentGroup) []string {
	markers := []string{}
	if comment == nil {
		return markers
	}
	for _, part := range comment.List {
		text := strings.TrimPrefix(part.Text, "//")
		if strings.HasPrefix(text, "/*") {
			text = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
		}
		for _, line := range strings.Split(text, "\n") {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "+") {
				markers = append(markers, line)
			}
		}
	}
	return markers
}

// packageMarkers reads every comment above the package clause: the markers often stand apart from
// the comment that Go takes as the package's own.
func packageMarkers(file *ast.File) []string {
	markers := []string{}
	for _, comment := range file.Comments {
		if comment.Pos() < file.Package {
			markers = append(markers, markersOf(comment)...)
		}
	}
	return markers
}
