// Package cluster draws films on many machines. The frames of a film are tasks in a
// queue that a NATS server keeps on its disk; nodes take them, draw them and record
// the hash of each picture.
//
// # What is guaranteed
//
// A frame is drawn at least once and recorded exactly once, whatever is killed when.
//
//   - A task stays in the queue until its node acknowledges it, which it does after it
//     has kept the picture durably and recorded it. A node that ends, hangs or loses its
//     connection stops renewing its lease, and the task goes to another one.
//   - A record is created, never replaced: of two nodes that drew the same frame the
//     first one counts. Pictures are the same bit for bit on every machine, so the second
//     one's hash has to be equal. Where it is not, one of the two nodes computes wrongly:
//     both hashes are reported as a Fault, and Settle records the right one and shuts
//     the other's node out.
//   - A frame that fails, or ends its node, more often than Job.Tries allows is recorded
//     as a failure with its last error and leaves the queue.
//
// Records, jobs and failures are values of a store on the same server, so a submitter
// that is killed finds them again. Submitting a job twice adds nothing.
//
// # Rooms
//
// A Cluster is a connection, with its subjects: Queue, where films are handed in and followed; Blobs, files and pictures
// by way of the server; Participants, the nodes that draw. Package server
// starts a server inside this process; nothing here depends on it, and a server of
// one's own does as well.
package cluster
