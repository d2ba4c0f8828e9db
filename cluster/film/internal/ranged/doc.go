// Package ranged reads files of films of which a node fetches only the chunks that are read.
//
// A File keeps the chunks that it has fetched in a sparse file on disk, its copy. There is no list of the chunks that
// the copy holds: a chunk counts as held when its bytes have the right hash, which is compared before the chunk is first
// used. So a copy may be cut off at any point, damaged, or written by several processes at once, and wrong bytes are
// never read. Hashing a chunk takes a small part of the time of fetching it.
//
// The copy holds the file and, behind it, the hashes of the chunks. Those have a hash themselves, which is part of the
// description of the file (cluster.Part).
package ranged
