// Package xyz reads clouds of points from texts: a point a line, three numbers and perhaps more, as scanners write them
// (.xyz, .pts, .txt).
//
// What follows the three coordinates is found out from the first lines: of three more, whole numbers up to 255 are a
// colour and others a normal; of one the field intensity; of four an intensity and a colour; of six a colour and a normal.
// Any other number of columns becomes fields, column4 and so on. A single number on the first line is that of the points,
// which is not believed. Lines that begin with # or // are comments. The up axis is +z: such files say nothing.
//
// Points are drawn as octahedra, see package indexed. A line that is damaged is left out with a warning.
package xyz
