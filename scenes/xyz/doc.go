// Package xyz reads clouds of points from texts, as scanners write them (.xyz, .pts, .txt). Each line is a point: three
// coordinates and perhaps more numbers.
//
// The first lines decide what follows the coordinates. One number is the field intensity. Three numbers are a colour if
// they are integers up to 255, and otherwise a normal. Four are an intensity and a colour or normal. Six are a colour
// and a normal. Any other number of columns becomes fields, called column4 and so on. A single number on the first line
// is the number of points, which is not trusted. Lines that start with # or // are comments. The files do not define an
// up axis; it is taken to be +z.
//
// Points are drawn as octahedra, see package indexed. A damaged line is left out with a warning.
package xyz
