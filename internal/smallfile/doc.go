// Package smallfile reads small files whole, such as keys, addresses and lists of flags, and refuses files that are
// larger than allowed. It also refuses anything but files and pipes, such as a device that never ends.
package smallfile
