// Package atomicfile writes each file under a temporary name beside its target and renames it when it is complete. So a
// name always refers to a complete file: the new file, or the file that existed before.
//
// # Temporary files
//
// A file is written under a name of the form .render-*.tmp in the folder of its target. Its writer holds a lock on it
// (flock) until the file is renamed or removed. The system drops the lock when the process ends for any reason. So the
// process of a temporary file without a lock has ended. The next [Set] that writes into the folder removes the file.
// Process numbers in names would not suffice: the system gives the number of a dead process to a new process, and
// containers that share a folder have process numbers of their own.
//
// If the system or the file system has no such locks, the temporary files of a killed process are not removed.
package atomicfile
