// Package tga decodes pictures in Truevision's TGA format, which textures of games and older programs use. Pictures may
// be grey, coloured or indexed, plain or run-length encoded, with 8, 15, 16, 24 or 32 bits for each pixel.
//
// The format has no signature, so the function Likely judges by the header. Memory is limited by the size of the file,
// whatever its header claims.
package tga
