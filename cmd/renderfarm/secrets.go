package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/link"
	"lockstep/cluster/server"
	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/internal/smallfile"
)

// keep writes a small file that only this user can read.
func keep(name, text string) error {
	if err := os.WriteFile(name+".new", []byte(text+"\n"), 0o600); err != nil {
		return cli.Outputf("%w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return cli.Outputf("%w", err)
	}
	return nil
}

// keptKey returns the public key of the secret in a file, which it makes if it is missing.
func keptKey(name string) (public string, err error) {
	seed, err := smallfile.Read(name, smallfile.Words)
	if errors.Is(err, fs.ErrNotExist) {
		seed, public, err = server.NewKey()
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(name, append(seed, '\n'), 0o600); err != nil {
			return "", cli.Outputf("%w", err)
		}
		return public, nil
	}
	if err != nil {
		return "", cli.Outputf("%w", err)
	}
	if public, err = server.PublicKey([]byte(strings.TrimSpace(string(seed)))); err != nil {
		return "", cli.Inputf("%s: %w", name, err)
	}
	return public, nil
}

// keptCertificate returns the certificate in a file, which it makes if it is missing.
func keptCertificate(name string) (*tls.Certificate, error) {
	text, err := smallfile.Read(name, smallfile.Words)
	if err == nil {
		cert, err := tls.X509KeyPair(text, text)
		if err != nil {
			return nil, cli.Inputf("%s: %w", name, err)
		}
		return &cert, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Outputf("%w", err)
	}
	cert, err := link.NewCertificate(time.Now(), certificateTime)
	if err != nil {
		return nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		return nil, err
	}
	text = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, cli.Outputf("%w", err)
	}
	return cert, nil
}

// readKey reads a secret from the file that a flag or the environment names; nil where
// there is none.
func readKey(flag pictureflags.Path) ([]byte, error) {
	name := string(flag)
	if name == "" {
		name = os.Getenv(keyFile)
	}
	if name == "" {
		return nil, nil
	}
	seed, err := smallfile.Read(name, smallfile.Words)
	if err != nil {
		return nil, cli.Usagef("%s: the secret cannot be read: %w", name, err)
	}
	return bytes.TrimSpace(seed), nil
}

// refusal is the error of a server that is none for us.
func refusal(err error) error {
	if errors.Is(err, cluster.ErrNoKey) || errors.Is(err, cluster.ErrKey) {
		return cli.Inputf("%w (--key FILE, or %s=FILE in the environment)", err, keyFile)
	}
	return cli.Inputf("%w", err)
}

// keyFile is the environment variable that names the file of the secret.
const keyFile = "LOCKSTEP_KEY_FILE"

// certificateTime is how long a certificate of our own is valid: longer than any film.
const certificateTime = 365 * 24 * time.Hour
