// Package text scans what text formats of meshes have in common: words
// between white space with the line that each stands in, and decimal numbers.
package text
