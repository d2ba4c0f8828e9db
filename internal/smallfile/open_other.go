//go:build !unix

package smallfile

// openNonblock is 0, because on this system pipes are not opened as files.
const openNonblock = 0
