// Package rim finds the rims of holes, bosses and discs: the circles along which a surface bends or ends. The caller
// gives a point near the rim.
package rim
