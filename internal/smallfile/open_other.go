//go:build !unix

package smallfile

// openAtOnce is no flag: pipes of other systems are no files.
const openAtOnce = 0
