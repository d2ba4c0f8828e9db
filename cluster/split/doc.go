// Package split draws each picture by several processes together. Every node owns blocks
// of the mesh and rows of the picture: it draws its blocks, sends the keys that they leave
// in a row to the row's owner, and lights its own rows from the keys of all. It may encode them, too,
// as bands of the picture's file, see Encoder. The root decides who owns what, starts frames, and puts
// the rows together. The pictures are those of one process, bit for bit, whoever owns what.
//
// Everything goes over package link. The root is in no row's way: keys go straight from
// each node to each other (direct send, one round of radix-k).
//
// What a plan says holds for an epoch, a number that grows. A plan is proposed to all its
// members; when all are ready, connected with each other, the root begins to draw frames by
// it. All messages of a frame carry the epoch that it is drawn in. A node that is lost ends
// the epoch: its blocks go to the others, and frames that were not complete are drawn again.
//
//	root -> node   plan{epoch, members, owner of each block}   draw{epoch, frame, rows of each}   end
//	node -> root   join{address}   ready{epoch}   strip{epoch, frame, pixels or bands, seconds of blocks}   beat   lost   failed
//	node -> node   keys{epoch, frame, rows}   border{epoch, frame, pixels of a band}
package split
