// Package tga decodes pictures of Truevision's TGA format, which textures of games and older programs
// are in: grey, in colours and by a table of colours, plain and run-length encoded, with 8, 15, 16, 24
// and 32 bits a pixel.
//
// The format has no mark: Likely judges the header. Memory is bounded by the bytes that are there, never
// by what a header claims.
package tga
