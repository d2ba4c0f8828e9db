//go:build !unix

package smallfile

// openNonblock is 0: on this system, opening a file never opens a pipe.
const openNonblock = 0
