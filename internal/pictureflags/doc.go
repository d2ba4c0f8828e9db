// Package pictureflags defines the command-line flags that fill a recipe. All programs that draw share them. It reads
// the files of --config, --recipe, --camera and --keyframes, and suggests flags for misspelt flags. The packages that
// draw know only recipes.
package pictureflags
