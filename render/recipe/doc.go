// Package recipe has pictures and animations as values: all that their pixels depend on, and nothing else.
//
// The command line, --config, the text in a PNG, the job of a film and a call of this library all make the same type,
// Picture. It is a plain struct whose zero values are the defaults. It has a JSON form, a command line (Args, Parse), a
// normal form, and a hash in which the contents of files replace their names. The same recipe gives the same pixels
// wherever it is drawn.
//
// Settings that do not change any pixel are not part of a recipe: names and formats of outputs (Output), numbers of
// workers, instruction sets, limits of memory, and whether damaged files are refused.
package recipe
