// Package link connects the processes that draw one picture together: messages of any
// size over TCP, each process with each. Both ends prove that they know the secret of the
// picture before anything else is read; between hosts TLS 1.3 keeps what follows private.
//
// A connection begins with a hello from both sides, 2 + 1 + 32 + 2 bytes and a name: the
// magic "lk", the version, a nonce, and the name with its length. Each side then sends the
// HMAC-SHA256, under the secret, of its role, both hellos and, in TLS, of the keying
// material that only these two ends have (RFC 5705): who sits between them cannot pass for
// one of them. Messages follow, each a head of 16 bytes and its bytes.
package link
