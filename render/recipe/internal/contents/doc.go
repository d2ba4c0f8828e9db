// Package contents identifies mesh files by what they hold, together with the files beside them that their reader
// opens.
//
// A picture states the contents of the files that it shows, so that a later run can decide whether to draw it again.
// The times of the files would not suffice, because a copy or an archive may restore an old time.
package contents
