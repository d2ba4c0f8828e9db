package cluster

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// An Address says where a server is, and how client and server authenticate each other.
type Address struct {
	URL string // nats://host:port
	// Pin is the SHA-256 of the server's certificate in hexadecimal digits. If it is empty, TLS is used only if the
	// server requires it, and a known authority must have signed the certificate.
	Pin string
	// Seed is the client's private key, the seed of an nkey. If it is nil, the client has no key.
	Seed []byte
	// Report receives errors that no call returns, such as lost connections and missing permissions. Other goroutines
	// may call it until Close. It may be nil.
	Report func(error)
	// Resolve is called before each attempt to connect. It returns the server's current host:port, or an empty string
	// to use URL. A restarted server has another port if its old one is taken. Resolve may be nil.
	Resolve func() string
}

// pinPrefix separates the server's address from the hash of its certificate, in a join line.
const pinPrefix = "#sha256:"

// ParseAddress parses a join line. A join line is the text that gives a node the address of a server: nats://host:port,
// or nats://host:port#sha256:HASH.
func ParseAddress(line string) (Address, error) {
	url, pin, pinned := strings.Cut(line, "#")
	if !strings.HasPrefix(url, "nats://") && !strings.HasPrefix(url, "tls://") {
		return Address{}, fmt.Errorf("%q: expected nats://host:port, or nats://host:port%sHASH", line, pinPrefix)
	}
	if pinned {
		pin, pinned = strings.CutPrefix("#"+pin, pinPrefix)
		if b, err := hex.DecodeString(pin); !pinned || err != nil || len(b) != sha256.Size {
			return Address{}, fmt.Errorf("%q: expected %s and the 64 hexadecimal digits of the certificate's hash after the address", line, pinPrefix)
		}
	}
	return Address{URL: url, Pin: strings.ToLower(pin)}, nil
}

// String returns the join line of the address. It contains no secret.
func (a Address) String() string {
	if a.Pin == "" {
		return a.URL
	}
	return a.URL + pinPrefix + a.Pin
}

// publicKey returns the public key that belongs to Seed. It returns "" if Seed is nil.
func (a *Address) publicKey() (string, error) {
	if a.Seed == nil {
		return "", nil
	}
	pair, err := nkeys.FromSeed(a.Seed)
	if err != nil {
		return "", fmt.Errorf("key: %w", err)
	}
	return pair.PublicKey()
}

// sign signs a text with Seed.
func (a *Address) sign(text []byte) ([]byte, error) {
	pair, err := nkeys.FromSeed(a.Seed)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	return pair.Sign(text)
}

// translateError turns errors of TLS and of authorization into ErrNoKey, ErrKey, ErrNoPin or a pinError. It returns
// other errors unchanged.
func (a *Address) translateError(err error) error {
	var unknown *tls.CertificateVerificationError
	var pin *pinError
	switch {
	case errors.Is(err, nats.ErrAuthorization) && a.Seed == nil:
		return ErrNoKey
	case errors.Is(err, nats.ErrAuthorization):
		return ErrKey
	case errors.As(err, &pin):
		return pin
	case errors.As(err, &unknown):
		return ErrNoPin
	}
	return err
}

// A pinError means that the server's certificate does not have the expected hash, or is not valid now.
type pinError struct{ why string }

func (e *pinError) Error() string { return "the server's certificate is " + e.why }

// pinnedConfig returns a TLS configuration that accepts only the certificate with this hash, and only while it is
// valid. It does not check who signed the certificate.
func pinnedConfig(pin string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection compares the hash instead of verifying a chain
		VerifyConnection: func(s tls.ConnectionState) error {
			cert := s.PeerCertificates[0]
			if got := Fingerprint(cert); got != pin {
				return &pinError{"not the expected one: its hash is " + got + ", as that of another server, or of someone in between"}
			}
			if now := time.Now(); now.Before(cert.NotBefore) || now.After(cert.NotAfter) {
				return &pinError{fmt.Sprintf("valid from %s to %s only, and by the clock of this machine it is %s",
					cert.NotBefore.UTC().Format(time.DateTime), cert.NotAfter.UTC().Format(time.DateTime), now.UTC().Format(time.DateTime))}
			}
			return nil
		},
	}
}

// Pin returns the part of a join line after the character #. That is "sha256:" and the hash of the certificate.
func Pin(cert *x509.Certificate) string { return pinPrefix[1:] + Fingerprint(cert) }

// Fingerprint returns the SHA-256 of a certificate in hexadecimal digits, as it appears in a join line.
func Fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return hex.EncodeToString(sum[:])
}
