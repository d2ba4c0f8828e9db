// Package rim finds the circles along which a surface bends or ends: the rims of holes, bosses and discs, by one point near
// them.
package rim
