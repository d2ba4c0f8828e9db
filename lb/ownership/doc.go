// Package ownership decides which node of a cluster owns which block of a mesh while a film
// is drawn: when to change it, by a criterion of package criterion, and how, by one of
// several methods. It is where the criteria, circuits and partitioners of the packages beside
// it meet on the loads of a renderer.
//
// It is pure: times of blocks in, owners out. The same code decides for a live cluster and
// replays recorded films.
package ownership
