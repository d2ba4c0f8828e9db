// Package film draws animations on many nodes through package cluster. A film is a job whose frames are pictures of a
// recipe. One program opens a film with Open and submits it with Submission.Draw, which returns when all pictures are
// in its folder. Any number of nodes, see Node, draw the frames, on the same machine or on others. The job contains all
// information that a node needs: the recipe, and the names, sizes and hashes of its files.
//
// Each frame is drawn by one node. But if the film is shared, all nodes draw each frame together: every node draws the
// blocks of the mesh that it owns. Package lb/ownership decides when blocks change their owner.
//
// All nodes draw the same bytes. Two checks make sure of that. Before a node draws, its Fingerprint, a hash of a few
// small pictures, must be the same as the submitter's. Later the submitter itself draws some frames of nodes on other
// machines again, and compares the hashes. It checks the first frame of each node and one in a hundred frames after
// that.
package film
