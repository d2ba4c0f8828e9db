// Package link connects the processes that draw a picture together. Each pair of processes exchanges messages of any
// size over TCP. Both ends prove that they know a shared secret before they read anything else. Connections between
// hosts are encrypted by TLS 1.3.
//
// A connection begins with a hello from each side:
//
//	magic "lk"               2 bytes
//	version                  1
//	nonce                    32
//	random number of the process   8
//	count                    8
//	length of the name       2
//	name of the sender
//
// The random number and the count decide which of two connections between the same processes stays. Each side then
// sends a proof: the HMAC-SHA256, with the secret as key, of its role, both hellos and, with TLS, the keying material
// of the session (RFC 5705). Only the two ends of a session know this material, so a process between them cannot relay
// the proof. Messages follow, each with a head of 16 bytes and a body.
package link
