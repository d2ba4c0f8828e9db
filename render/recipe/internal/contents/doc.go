// Package contents identifies mesh files by what they hold, together with the files beside them that their reader
// opens.
//
// A picture that a later run may keep states the contents of the files that it shows. The times of the files would not
// suffice, because a copy or an archive may restore an old time.
package contents
