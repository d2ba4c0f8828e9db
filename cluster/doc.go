// Package cluster draws films on many machines. A NATS server keeps the frames of films as tasks in a queue on its
// disk. Nodes take tasks, draw the frames and record the hash of each picture.
//
// # What is guaranteed
//
// A frame is drawn at least once and recorded exactly once, even if processes are killed at any time.
//
//   - A node holds a lease on the frame that it draws. It renews the lease until it has saved the picture, recorded the
//     frame and acknowledged the task. If a node ends, hangs or loses its connection, the lease expires. The queue then
//     gives the frame to another node.
//   - A record is created once and never replaced. If two nodes draw the same frame, the first record counts. Pictures
//     are the same, bit for bit, on every machine. If the second hash differs, one of the two nodes computes wrongly,
//     and a Fault is reported. Settle records the right hash and blocks the other node.
//   - A frame may fail, or crash its nodes, more times than Job.Tries allows. It is then recorded as a failure with its
//     last error, and removed from the queue.
//
// Jobs, records and failures are values of a store on the same server. A submitter that is killed and started again
// finds them. Submitting a job twice changes nothing.
//
// # Subjects
//
// A Cluster is a connection (connect.go, address.go, call.go and store.go). Its methods belong to three types:
//
//   - Queue submits and follows films: job.go, queue.go, submit.go, follow.go, recover.go, held.go, sweep.go and
//     signature.go.
//   - Blobs transfers files and pictures through the server: blob.go and chunks.go.
//   - Participants are the nodes: drawer.go, participants.go, work.go, task.go, lease.go and commit.go.
//
// Package server starts a NATS server inside this process. Package cluster does not depend on it: any NATS server with
// JetStream is suitable.
package cluster
