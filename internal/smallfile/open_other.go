//go:build !unix

package smallfile

// openAtOnce is no flag, because other systems have no pipes among their files.
const openAtOnce = 0
