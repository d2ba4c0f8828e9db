// Package xyz reads clouds of points from texts, as scanners write them (.xyz, .pts, .txt). Each line is a point: three
// coordinates and perhaps more numbers.
//
// The reader looks at the first lines to tell what the numbers after the coordinates mean. A single number is the field
// intensity. Three numbers are a colour if they are integers up to 255, and a normal otherwise. Four numbers are an
// intensity and then a colour or a normal. Six numbers are a colour and a normal. If there is any other number of
// columns, they become fields, called column4 and so on. A single number on the first line is the number of points,
// which the reader does not trust. Lines that start with # or // are comments. The files do not define an up axis; it
// is taken to be +z.
//
// Points are drawn as octahedra, see package indexed. A damaged line is left out with a warning.
package xyz
