// Package film draws animations on many nodes through package cluster.
//
// A film is a job whose frames are pictures of a recipe. One program, the submitter, opens a film with Open and submits
// it with Submission.Draw. Draw returns when all pictures are in the film's folder. Any number of nodes draw the
// frames, on the same machine or on others; see Node. The job contains everything that a node needs: the recipe, and
// the names, sizes and hashes of its files.
//
// In general each frame is drawn by one node. In a shared film, all nodes draw each frame together: every node draws
// the blocks of the mesh that it owns. Package lb/ownership decides when blocks change their owner.
//
// All nodes draw the same bytes. Two checks make sure of that:
//   - Before a node draws, its Fingerprint must be the same as the submitter's. This is a hash of a few small pictures.
//   - The submitter draws some frames of nodes on other machines again, and compares the hashes. For each key with
//     which nodes sign, it checks the first frame, and after that one frame in a hundred.
package film
