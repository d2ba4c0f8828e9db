// Package smallfile reads files that are small by right: keys, addresses, lists of flags, pictures of a film. What is
// not one, as a device without an end, is refused instead of read.
package smallfile
