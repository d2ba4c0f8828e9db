// Package contents identifies mesh files by what they hold, together with the files beside them that their reader opens.
//
// Pictures that a later run may keep say which contents of files they show: times of files do not tell, since a copy or
// an archive may bring an old one.
package contents
