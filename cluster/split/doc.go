// Package split draws each frame of a film on several nodes together. The pictures are the same, bit for bit, as those
// of a single process, whoever owns which blocks and rows.
//
// Every node owns blocks of the mesh and rows of the picture. It works in these steps:
//   - It draws its blocks, which gives keys: the depth and the triangle of each sample.
//   - It sends keys in rows of other nodes to the owners of these rows.
//   - It lights its own rows from the keys of all nodes: it computes their colours.
//   - It may encode its rows as slabs of the picture's file, see Encoder.
//
// One process, the root, decides which node owns which blocks and rows, starts frames, and assembles the parts.
//
// All messages use package link. Nodes send keys directly to each other (direct send: one round of radix-k), not
// through the root.
//
// A plan says which node owns which block. An epoch is the time in which a plan is valid, and has a number. The root
// proposes a plan to all its members. When all have answered that they are ready and connected with each other, the
// root draws frames by the plan. Every message of a frame carries the number of the epoch. If a node is lost, the epoch
// ends. A new plan gives its blocks to other nodes, and incomplete frames are drawn again.
//
//	root -> node   plan{epoch, members, owner of each block}   draw{epoch, frame, rows of each}   end
//	node -> root   join{address}   ready{epoch}   part{epoch, frame, pixels or slabs, seconds of blocks}   heartbeat   lost   failed
//	node -> node   keys{epoch, frame, rows}   border{epoch, frame, pixels of a slab}
package split
