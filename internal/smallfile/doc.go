// Package smallfile reads small files whole, such as keys, addresses and lists of flags, and refuses files that are
// larger than allowed. It also refuses to read anything that is not a file or a pipe, such as a device that never ends.
package smallfile
