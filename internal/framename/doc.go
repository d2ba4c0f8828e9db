// Package framename makes the names of the pictures of animations and films, which are numbered files in a folder.
package framename
