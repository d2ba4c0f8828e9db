// Package pictureflags defines the command-line flags that describe a picture, which all drawing programs share. It
// reads the files of --config, --recipe, --camera and --keyframes, and suggests flags for misspelt flags. The result is
// a recipe, which is all that the drawing packages know.
package pictureflags
