// Package contents identifies mesh files by what they hold, together with the files beside them that their reader
// opens.
//
// Pictures that a later run may keep state which contents of files they show. The times of files would not be enough,
// because a copy or an archive may restore an old time.
package contents
