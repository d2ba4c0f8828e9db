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

// writePrivate writes a small file that only this user can read. Other programs see either the old file or the complete
// new file.
func writePrivate(name, text string) error {
	if err := os.WriteFile(name+".new", []byte(text+"\n"), 0o600); err != nil {
		return cli.Outputf("%w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return cli.Outputf("%w", err)
	}
	return nil
}

// loadOrCreateKey returns the public key for the secret key in a file. It creates the file if it is missing.
func loadOrCreateKey(name string) (public string, err error) {
	seed, err := smallfile.Read(name, smallfile.MaxText)
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

// loadOrCreateCertificate returns the certificate in a file. It creates the file if it is missing.
func loadOrCreateCertificate(name string) (*tls.Certificate, error) {
	text, err := smallfile.Read(name, smallfile.MaxText)
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

// readKey reads the secret key from the file that the flag or the environment names. It returns nil if neither is set.
func readKey(flag pictureflags.Path) ([]byte, error) {
	name := string(flag)
	if name == "" {
		name = os.Getenv(keyFileEnv)
	}
	if name == "" {
		return nil, nil
	}
	seed, err := smallfile.Read(name, smallfile.MaxText)
	if err != nil {
		return nil, cli.Usagef("%s: the secret cannot be read: %w", name, err)
	}
	return bytes.TrimSpace(seed), nil
}

// explainDialError returns an error of cluster.Dial with an exit code and a hint.
func explainDialError(err error) error {
	if errors.Is(err, cluster.ErrNoKey) || errors.Is(err, cluster.ErrKey) {
		return cli.Inputf("%w (--key FILE, or %s=FILE in the environment)", err, keyFileEnv)
	}
	return cli.Inputf("%w", err)
}

// keyFileEnv is the environment variable with the name of the secret key's file.
const keyFileEnv = "LOCKSTEP_KEY_FILE"

// certificateTime is how long a new certificate is valid. It is longer than any film takes.
const certificateTime = 365 * 24 * time.Hour
