// Package prepared reads and writes meshes that are prepared for drawing. For a picture, only the parts of the file
// that may be visible are read, so a mesh need not fit into memory. The names of such files end in .lkm.
//
// A file stores its triangles twice. Leaves store them in an order in which neighbours lie close together (package
// leaves). Therefore often all triangles of a chunk are outside a picture or hidden, and the chunk need not be read.
// With each triangle, the leaves store its number in the mesh. Records store the triangles in the order of the mesh,
// with the normals for lighting. All other data of a mesh comes after that: colours, names of parts, materials,
// textures and fields.
//
// # The file
//
// All numbers are little-endian. A header of 64 bytes is followed by a description in JSON. Then come the sections that
// the description lists, one after the other. At the end are the sums and the CRC-32C of the sums.
//
//	byte  0  89 4c 4b 4d 0d 0a 1a 0a   mark
//	      8  version, 4                uint32
//	     12  bytes of the description  uint32
//	     16  CRC-32C of description    uint32
//	     20  zeros
//	     24  number of sums            uint64
//	     32  zeros
//	     60  CRC-32C of bytes 0 to 59  uint32
//
// A section is divided into chunks of at most 64 KiB and, except the last, at least 4 KiB. The sums are the CRC-32C of
// all chunks, in order. A sum is compared when its chunk is first read. Readers skip sections that they do not know,
// and refuse versions that they do not know. This program also reads version 3.
//
//	leaves   groups of 64 triangles; the last group may have fewer. A group holds float32: x of its vertices, then y,
//	         then z. Then it holds 64 bytes for the first corners, 64 for the second and 64 for the third: the index of
//	         each corner's vertex in the group, or 0 for a triangle that the last group does not have. Equal vertices
//	         of a group are stored once. A chunk has 32 KiB. If the next group does not fit into a chunk, zeros fill
//	         the rest of the chunk. A chunk is damaged if a vertex does not exist.
//	records  chunks of 1024 triangles; each has nine float32, x, y and z of the first corner, the second, the third;
//	         then, unless the mesh is to be shaded flat, three normals packed into 32 bits each: as points on an
//	         unfolded octahedron, 16 bits along each axis, 0 for none
//	bounds   six columns of float32, one entry for each group: the least x, y, z, the greatest x, y, z; infinite if a
//	         coordinate is not finite
//	counts   a byte for each group: the number of its vertices. The places of groups follow from the counts, so groups
//	         cannot be read if counts are damaged.
//	numbers  uint32 for each triangle of leaves: its number in the mesh
//
// If triangles have colours, there are also:
//
//	leaf colors  uint32 for each triangle of leaves, 0x00RRGGBB
//	colors       the same, in the order of the mesh
//
// Other sections are arrays of 32-bit numbers to which the description refers.
package prepared
