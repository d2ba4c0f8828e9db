// Package atomicfile writes each file under a temporary name beside its target and renames it when it is complete. So
// a name always refers to a complete file: the new file, or the file that existed before.
//
// # Temporary files
//
// A file is written as .render-*.tmp in the folder of its target. The writer holds a lock on it (flock) until the file
// is renamed or removed. The system drops the lock when the process ends for any reason. A temporary file without a
// lock was therefore left by a process that has ended. The next [Set] that writes into the folder removes it.
//
// A process number in the name would not tell whether the writer has ended. The system reuses the numbers of ended
// processes, and containers that share a folder number their processes independently.
//
// If the system or the file system has no such locks, the temporary files of a killed process stay.
package atomicfile
