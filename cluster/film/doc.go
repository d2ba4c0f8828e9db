// Package film draws animations by many nodes over package cluster: a film is a job whose frames are pictures of a
// recipe. One program submits a film, see Open, draws what nodes disagree on, and has the pictures in its folder; nodes,
// see Node, draw frames for it, on this machine or others, with the same bytes. No flag and no other program is needed
// for either: the job carries the recipe, and the names, sizes and contents of the files that it wants.
//
// A frame is drawn by one node, or, where the film is shared, by all of them together, each the blocks of the mesh that
// it owns (lb/ownership decides). What a node draws is compared by its hash: a node must draw the pictures that a
// fixed set of small recipes has, see Fingerprint, and the first frame of each machine and one in a hundred after it are
// drawn again.
package film
