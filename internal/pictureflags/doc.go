// Package pictureflags is the flags of the command line that fill a recipe, the same for every program that draws: flags,
// files of --config and --recipe, cameras and keyframes in files, and what may have been meant by a flag that there is
// not. Nothing behind it knows flags.
package pictureflags
