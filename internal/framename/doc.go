// Package framename names the pictures of animations and films: files with numbers in a folder.
package framename
