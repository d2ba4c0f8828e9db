// Package smallfile reads small files whole, such as keys, addresses and lists of flags, and refuses files that are
// larger than allowed. It reads only regular files and pipes. For example, it refuses devices, because reading a device
// may never end.
package smallfile
