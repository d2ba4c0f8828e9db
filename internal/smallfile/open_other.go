//go:build !unix

package smallfile

// openNonblock is no flag, because other systems have no pipes among their files.
const openNonblock = 0
