// Package text scans text formats of meshes. It delivers lines, words with their line numbers, and decimal numbers.
package text
