// Package ownership decides which node of a cluster owns which block of a mesh while a film is drawn. A criterion of
// package criterion decides when to change owners, and one of several methods decides how. The package applies the
// criteria, circuits and partitioners of lb to the loads of a renderer.
//
// It is pure: times of blocks go in, owners come out. The same code decides in a live cluster and when recorded films
// are replayed.
package ownership
