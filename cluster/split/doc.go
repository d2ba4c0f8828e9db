// Package split draws each frame of a film on several nodes together. Every node owns blocks of the mesh and rows of
// the picture. When a node draws its blocks, it computes keys: the depth and the triangle of each sample. It sends keys
// in rows of other nodes to the owners of these rows, and lights its own rows from the keys of all nodes. It may also
// encode its rows as slabs of the picture's file, see Encoder. One process, the root, decides which node owns which
// blocks and rows, starts frames, and assembles the parts. The pictures are the same, bit for bit, as the pictures of a
// single process. They do not depend on who owns which blocks and rows.
//
// All messages use package link. Keys are sent directly from node to node (direct send: one round of radix-k), not
// through the root.
//
// An assignment of blocks to nodes is called a plan. The time in which a plan is valid is called an epoch, and has a
// number. The root proposes a plan to all members of the plan. When all members have reported that they are ready and
// connected with each other, the root draws frames by the plan. Every message of a frame carries the number of the
// epoch. If a node is lost, the epoch ends. A new plan then gives the blocks of the node to other nodes, and incomplete
// frames are drawn again.
//
//	root -> node   plan{epoch, members, owner of each block}   draw{epoch, frame, rows of each}   end
//	node -> root   join{address}   ready{epoch}   part{epoch, frame, pixels or slabs, seconds of blocks}   heartbeat   lost   failed
//	node -> node   keys{epoch, frame, rows}   border{epoch, frame, pixels of a slab}
package split
