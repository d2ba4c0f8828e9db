// Package link connects the processes that draw a picture together. It transfers messages of any size over TCP, between
// each pair of processes. Both ends prove that they know a shared secret before they read anything else. Connections
// between hosts are encrypted by TLS 1.3.
//
// A connection begins with a hello from each side. A hello consists of the magic "lk" (2 bytes), the version (1), a
// nonce (32), a random number of the process (8), a count (8), the length of the sender's name (2), and the name. The
// random number and the count decide which of two connections between the same processes remains. Each side then sends
// the HMAC-SHA256, with the secret as key, of its role, both hellos and, with TLS, the keying material of the session
// (RFC 5705). Only the two ends of a session know this material, so nobody between them can relay the proof. Messages
// follow, each with a head of 16 bytes and a body.
package link
