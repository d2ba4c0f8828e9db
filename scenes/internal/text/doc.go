// Package text scans text formats of meshes: words between white space with their line numbers, and decimal numbers.
package text
