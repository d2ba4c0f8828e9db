// Package xyz reads clouds of points from texts, as scanners write them (.xyz, .pts, .txt). Each line is a point: three
// coordinates and perhaps more numbers.
//
// The first lines show what the numbers after the coordinates mean:
//
//   - one number: the field intensity
//   - three numbers: a colour if they are integers up to 255, and a normal otherwise
//   - four numbers: an intensity, and then a colour or a normal
//   - six numbers: a colour and a normal
//   - any other count: fields, called column4 and so on
//
// A single number on the first line is the number of points, which the reader does not trust. Lines that start with #
// or // are comments. The files do not define an up axis; it is taken to be +z.
//
// Points are drawn as octahedra, see package indexed. A damaged line is left out with a warning.
package xyz
