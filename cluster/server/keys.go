package server

import (
	"fmt"

	"github.com/nats-io/nkeys"
)

// NewKey makes a pair: the secret seed that a client keeps, and the public key that the
// server is told.
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

// PublicKey returns the public key of a seed.
func PublicKey(seed []byte) (string, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return "", fmt.Errorf("key: %w", err)
	}
	return pair.PublicKey()
}
