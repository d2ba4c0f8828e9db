// Package ranged reads a film's files chunk by chunk: a node fetches a chunk when it first reads from it.
//
// A File keeps the fetched chunks in a sparse file on disk, its copy. No list says which chunks the copy holds. Before
// a chunk is first used, its bytes in the copy are hashed. If the hash is right, the chunk counts as held. Otherwise it
// is fetched. So wrong bytes are never read, even if the copy was cut off, damaged, or written by several processes at
// once. Hashing a chunk takes a small part of the time of fetching it.
//
// After the bytes of the file, the copy holds the hashes of the chunks. The description of the file (cluster.Part)
// contains a hash with which these hashes are checked.
package ranged
