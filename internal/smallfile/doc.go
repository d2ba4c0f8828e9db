// Package smallfile reads small files whole, such as keys, addresses and lists of flags. It refuses files that are
// larger than allowed. It reads only regular files and pipes, because reading a device may never end.
package smallfile
