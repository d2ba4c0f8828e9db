package link

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

const (
	version       = 2
	nonceBytes    = 32
	countBytes    = 8
	maxName       = 128
	maxCount      = 1 << 62 // no program makes more connections than this, and maxCount+1 does not overflow
	handshakeTime = 10 * time.Second
	minSecret     = 16 // in bytes: 128 bits cannot be guessed
)

// A hello is the first message that each side sends.
type hello struct {
	nonce [nonceBytes]byte
	// instance is a random number that identifies the sender's Links. It is the same in all hellos of that Links.
	instance uint64
	// count is larger than the counts of all hellos that the sender has sent or received before.
	count uint64
	name  string
}

func (h *hello) append(b []byte) []byte {
	b = append(b, 'l', 'k', version)
	b = append(b, h.nonce[:]...)
	b = binary.LittleEndian.AppendUint64(b, h.instance)
	b = binary.LittleEndian.AppendUint64(b, h.count)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(h.name)))
	return append(b, h.name...)
}

// readHello reads the hello of the other side.
func readHello(r io.Reader) (hello, error) {
	var h hello
	var head [3 + nonceBytes + 2*countBytes + 2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return h, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	if head[0] != 'l' || head[1] != 'k' || head[2] != version {
		return h, ErrVersion
	}
	copy(h.nonce[:], head[3:])
	rest := head[3+nonceBytes:]
	h.instance, h.count = binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[countBytes:])
	if h.count > maxCount {
		return h, fmt.Errorf("%w: a count of %d", ErrVersion, h.count)
	}
	n := binary.LittleEndian.Uint16(rest[2*countBytes:])
	if n == 0 || n > maxName {
		return h, fmt.Errorf("%w: a name of %d bytes", ErrVersion, n)
	}
	name := make([]byte, n)
	if _, err := io.ReadFull(r, name); err != nil {
		return h, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	h.name = string(name)
	return h, nil
}

// proof returns the HMAC that proves knowledge of the secret.
func proof(secret []byte, role byte, dialler, listener *hello, binding []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte{role})
	mac.Write(dialler.append(nil))
	mac.Write(listener.append(nil))
	mac.Write(binding)
	return mac.Sum(nil)
}

// The role of a side is part of its proof. So a side without the secret cannot send the other side's proof back to it.
const (
	roleDialler  = 'd'
	roleListener = 'l'
)

// handshake checks that the other side knows the secret, and returns its hello. It sets mine.nonce.
func handshake(c net.Conn, secret []byte, mine *hello, dialled bool) (*hello, error) {
	if err := c.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return nil, err
	}
	binding, err := channelBinding(c)
	if err != nil {
		return nil, err
	}
	if _, err := rand.Read(mine.nonce[:]); err != nil {
		return nil, err
	}
	if _, err := c.Write(mine.append(nil)); err != nil {
		return nil, err
	}
	theirs, err := readHello(c)
	if err != nil {
		return nil, err
	}
	dialler, listener, role, other := &theirs, mine, byte(roleListener), byte(roleDialler)
	if dialled {
		dialler, listener, role, other = mine, &theirs, roleDialler, roleListener
	}
	if _, err := c.Write(proof(secret, role, dialler, listener, binding)); err != nil {
		return nil, err
	}
	var got [sha256.Size]byte
	if _, err := io.ReadFull(c, got[:]); err != nil {
		return nil, fmt.Errorf("%w, or this side does not: %w", ErrSecret, err)
	}
	if !hmac.Equal(got[:], proof(secret, other, dialler, listener, binding)) {
		return nil, ErrSecret
	}
	return &theirs, c.SetDeadline(time.Time{})
}

// channelBinding returns bytes that only the two ends of a TLS connection know. Without TLS it returns nil.
func channelBinding(c net.Conn) ([]byte, error) {
	t, ok := c.(*tls.Conn)
	if !ok {
		return nil, nil
	}
	if err := t.Handshake(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	state := t.ConnectionState()
	return state.ExportKeyingMaterial("EXPORTER-lockstep-link", nil, 32)
}
