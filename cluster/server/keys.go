package server

import (
	"fmt"

	"github.com/nats-io/nkeys"
)

// NewKey makes a key pair. The client needs the secret seed, and the server the public key.
func NewKey() (seed []byte, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", fmt.Errorf("key: %w", err)
	}
	if seed, err = pair.Seed(); err != nil {
		return nil, "", fmt.Errorf("key: %w", err)
	}
	public, err = pair.PublicKey()
	return seed, public, err
}

// PublicKey returns the public key that belongs to a seed.
func PublicKey(seed []byte) (string, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return "", fmt.Errorf("key: %w", err)
	}
	return pair.PublicKey()
}
