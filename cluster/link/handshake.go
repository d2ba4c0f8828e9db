package link

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Errors of a connection that is refused.
var (
	// ErrSecret is the error of an end that does not know the secret.
	ErrSecret = errors.New("the other side does not know the secret of this picture")
	// ErrVersion is the error of an end that speaks another version, or nothing of this kind.
	ErrVersion = errors.New("the other side is no node of this version")
)

const (
	version       = 1
	nonceBytes    = 32
	maxName       = 128
	handshakeTime = 10 * time.Second
	minSecret     = 16 // bytes: 128 bits cannot be guessed
)

// hello is what a side says first.
type hello struct {
	nonce [nonceBytes]byte
	name  string
}

func (h *hello) append(b []byte) []byte {
	b = append(b, 'l', 'k', version)
	b = append(b, h.nonce[:]...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(h.name)))
	return append(b, h.name...)
}

// readHello reads the other side's hello.
func readHello(r io.Reader) (hello, error) {
	var h hello
	var head [3 + nonceBytes + 2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return h, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	if head[0] != 'l' || head[1] != 'k' || head[2] != version {
		return h, ErrVersion
	}
	copy(h.nonce[:], head[3:])
	n := binary.LittleEndian.Uint16(head[3+nonceBytes:])
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

// proof returns the bytes by which a side shows that it knows the secret.
func proof(secret []byte, role byte, dialler, listener *hello, binding []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte{role})
	mac.Write(dialler.append(nil))
	mac.Write(listener.append(nil))
	mac.Write(binding)
	return mac.Sum(nil)
}

// Roles in a proof, so that no side can send back the other's.
const (
	roleDialler  = 'd'
	roleListener = 'l'
)

// handshake makes sure that both sides know the secret, and returns the other one's name.
func handshake(c net.Conn, secret []byte, name string, dialled bool) (string, error) {
	if err := c.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return "", err
	}
	binding, err := channelBinding(c)
	if err != nil {
		return "", err
	}
	mine := hello{name: name}
	if _, err := rand.Read(mine.nonce[:]); err != nil {
		return "", err
	}
	if _, err := c.Write(mine.append(nil)); err != nil {
		return "", err
	}
	theirs, err := readHello(c)
	if err != nil {
		return "", err
	}
	dialler, listener, role, other := &theirs, &mine, byte(roleListener), byte(roleDialler)
	if dialled {
		dialler, listener, role, other = &mine, &theirs, roleDialler, roleListener
	}
	if _, err := c.Write(proof(secret, role, dialler, listener, binding)); err != nil {
		return "", err
	}
	var got [sha256.Size]byte
	if _, err := io.ReadFull(c, got[:]); err != nil {
		return "", fmt.Errorf("%w, or this side does not: %w", ErrSecret, err)
	}
	if !hmac.Equal(got[:], proof(secret, other, dialler, listener, binding)) {
		return "", ErrSecret
	}
	return theirs.name, c.SetDeadline(time.Time{})
}

// channelBinding returns bytes that only the two ends of a TLS connection share; none
// without TLS.
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
