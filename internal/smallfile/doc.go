// Package smallfile reads small files whole, such as keys, addresses and lists of flags, and refuses those that are
// larger than they may be. What is not one, as a device without an end, is refused instead of read.
package smallfile
