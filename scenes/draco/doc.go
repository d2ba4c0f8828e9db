// Package draco decodes meshes that Draco has compressed. These are meshes of KHR_draco_mesh_compression in glTF, and
// Draco's own files (.drc), see Format.
//
// It follows the sections of the specification of the bitstream 2.2 (Google, 2017):
//   - decode.go: the header and the metadata (Draco Decoder, Metadata Decoder)
//   - sequential.go: triangles as lists (Sequential Connectivity Decoder)
//   - edgebreaker.go, valence.go: triangles as the symbols of a walk over the surface (EdgeBreaker Decoder, Traversal
//     and Traversal Valence)
//   - seams.go: seams (Boundary Decoder)
//   - traverse.go: the order of values (EdgeBreaker Traversal, Prediction Degree)
//   - attributes.go, deliver.go: the attributes (Attributes Decoder, Sequential Attribute Decoders)
//   - rans.go: symbols (Rans Decoding)
//   - predict.go, texcoords.go, normal.go: predictions (Prediction Decoder and the sections below it)
//
// Clouds of points in kd-trees are not in the specification. kdcloud.go and kdtree.go read them as the reference
// decoder does. In all files that were compared, the decoded numbers are the same as those of the reference decoder,
// bit for bit. No file before 2.0 with a kd-tree was compared.
//
// The package also reads older bitstreams from version 1.1 on, which the reference encoder wrote until 2017. In older
// bitstreams, numbers are written differently and splits are in another place. One part of the format is not
// supported: the symbols and predictions that no encoder has written since 2.0. The error for a buffer with such
// symbols or predictions wraps ErrUnread and names them.
//
// A few bytes may promise any number of triangles, because a symbol with a probability of 1 takes no bits. Therefore
// the decoder calls the functions of Limits before it allocates memory or does work. If Limits.Work is nil, the decoder
// does at most FreeWork units of work, and WorkPerByte more for each byte of the buffer. If Limits.Hold is nil, memory
// is not limited. No function is recursive. The decoder holds 75 bytes per triangle, or up to 170 bytes if triangles
// share few vertices. It holds 30 more bytes per triangle for each group of attributes with its own seams. It also
// holds 12 bytes for each number of a vertex.
package draco
