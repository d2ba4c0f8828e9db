// Package prepared reads and writes meshes that are prepared for drawing: files of which a picture reads only what it may
// show, so that a mesh need not fit into memory. Their names end in .lkm.
//
// A file has its triangles twice. Leaves have them in an order in which neighbours lie close together (package leaves), so
// that whole chunks are outside a picture or hidden; each has its number in the mesh. Records have them in the order of
// the mesh, with their normals, by which pixels are lit. All else that formats hold is behind: colours, names of parts,
// materials, textures, fields.
//
// # The file
//
// All numbers are little-endian. A header of 64 bytes is followed by a description in JSON, then by the sections that it
// lists, one behind the other, then by sums and their CRC-32C.
//
//	byte  0  89 4c 4b 4d 0d 0a 1a 0a   mark
//	      8  version, 1                uint32
//	     12  bytes of the description  uint32
//	     16  its CRC-32C               uint32
//	     20  zeros
//	     24  number of sums            uint64
//	     32  zeros
//	     60  CRC-32C of bytes 0 to 59  uint32
//
// A section is cut into chunks of at most 64 KiB, at least 4 but for the last one, and the sums are the CRC-32C of all chunks, in order. They are compared
// when a chunk is first read. Sections that a reader does not know are stepped over; another version is refused.
//
//	leaves   chunks of 1024 triangles: nine columns of float32, x of the first corners, of the second, of the third,
//	         then y and z; the numbers of the triangles, uint32; their colours, 0x00RRGGBB, if the mesh has any
//	records  chunks of 1024 triangles: for each nine float32, x, y and z of the first corner, the second, the third;
//	         then, unless the mesh is to be shaded flat, three normals packed into 32 bits each: as places on an
//	         unfolded octahedron, 16 bits along each axis, 0 for none
//	bounds   six columns of float32, for each 64 triangles of leaves: the least x, y, z, the greatest x, y, z; infinite
//	         where a coordinate is not finite
//	colors   uint32 for each triangle, 0x00RRGGBB
//
// Other sections are arrays of numbers of 32 bits that the description names.
package prepared
