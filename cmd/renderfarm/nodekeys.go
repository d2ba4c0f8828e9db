package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"lockstep/cluster/server"
	"lockstep/internal/cli"
	"lockstep/internal/smallfile"
)

// sharedNode is the name of all nodes that use the shared key in work.key.
const sharedNode = "work"

const keySuffix = ".key"

// validNode matches valid names of nodes with a key. Such a name becomes part of a NATS subject and of a file name.
var validNode = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// nodeKeyFile returns the path of the file with a node's secret key.
func nodeKeyFile(dir, node string) string {
	if node == sharedNode {
		return filepath.Join(dir, workKey)
	}
	return filepath.Join(dir, nodesFolder, node+keySuffix)
}

// prepareKeys creates the key that nodes may share, if the folder is new. In an existing folder a missing key is not
// created, because the user may have removed it on purpose.
func prepareKeys(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, submitKey)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := loadOrCreateKey(filepath.Join(dir, workKey))
	return err
}

// nodeNames returns the names of the nodes that have a key in a server's folder.
func nodeNames(dir string) (names []string, err error) {
	if _, err := os.Stat(filepath.Join(dir, workKey)); err == nil {
		names = append(names, sharedNode)
	}
	files, err := os.ReadDir(filepath.Join(dir, nodesFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Outputf("%w", err)
	}
	for _, f := range files {
		name, isKey := strings.CutSuffix(f.Name(), keySuffix)
		if isKey && validNode.MatchString(name) && name != sharedNode {
			names = append(names, name)
		}
	}
	return names, nil
}

// readNodes returns the public keys of the nodes that have a key in a server's folder. The map's keys are names of
// nodes.
func readNodes(dir string) (map[string]string, error) {
	names, err := nodeNames(dir)
	if err != nil {
		return nil, err
	}
	nodes := map[string]string{}
	for _, name := range names {
		file := nodeKeyFile(dir, name)
		seed, err := smallfile.Read(file, smallfile.MaxText)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the file was removed meanwhile
		}
		if err != nil {
			return nil, cli.Outputf("%w", err)
		}
		if nodes[name], err = server.PublicKey([]byte(strings.TrimSpace(string(seed)))); err != nil {
			return nil, cli.Inputf("%s: %w", file, err)
		}
	}
	return nodes, nil
}

// changeNodes creates and removes keys of nodes.
func (c *serveCommand) changeNodes(out io.Writer) error {
	dir := string(c.Dir)
	for _, name := range append(c.Add, c.Remove...) {
		if !validNode.MatchString(name) {
			return cli.Usagef("node %q: expected a name of letters, digits, - and _", name)
		}
	}
	for _, name := range c.Add {
		if err := addNode(dir, name, out); err != nil {
			return err
		}
	}
	for _, name := range c.Remove {
		if err := os.Remove(nodeKeyFile(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return cli.Usagef("--remove-node %s: there is no such node in %s", name, dir)
		} else if err != nil {
			return cli.Outputf("%w", err)
		}
	}
	return rewriteAccounts(dir)
}

// addNode creates the key of a node and prints the name of its file.
func addNode(dir, name string, out io.Writer) error {
	file := nodeKeyFile(dir, name)
	if _, err := os.Stat(file); err == nil {
		return cli.Usagef("--add-node %s: it has a key already, %s", name, file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return cli.Outputf("%w", err)
	}
	seed, _, err := server.NewKey()
	if err != nil {
		return err
	}
	if err := writePrivate(file, string(seed)); err != nil { // atomic, because a running server may read the file
		return err
	}
	_, err = fmt.Fprintln(out, file)
	return err
}

// rewriteAccounts updates the file of accounts for servers of another program. It does nothing if --init has not
// created the file.
func rewriteAccounts(dir string) error {
	file := filepath.Join(dir, accountsFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	submit, err := loadOrCreateKey(filepath.Join(dir, submitKey))
	if err != nil {
		return err
	}
	nodes, err := readNodes(dir)
	if err != nil {
		return err
	}
	return writePrivate(file, server.Accounts(submit, nodes))
}
