package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"

	"lockstep/cluster/film"
	"lockstep/cluster/page"
	"lockstep/internal/cli"
)

// Names of files with the secrets of a status page that other machines can read.
const (
	pageToken       = "page.token"
	pageCertificate = "page.pem"
)

// pagePrefix is the beginning of the line with the page's address.
const pagePrefix = "status page: "

// showPage starts a status page and prints its address. The secrets of the page are stored in dir, so that the address
// stays the same when the film is continued.
func showPage(listen, dir string, o page.Options, out io.Writer) (*page.Server, error) {
	host, port, err := net.SplitHostPort(listen)
	if n, e := strconv.Atoi(cmp.Or(port, "0")); err != nil || e != nil || n < 0 || n > 65535 {
		return nil, cli.Usagef("--status-page %s: expected host:port or :port", listen)
	}
	o.Listen = listen
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		if o.Token, err = film.RandomWord(filepath.Join(dir, pageToken)); err != nil {
			return nil, err
		}
		if o.TLS, err = loadOrCreateCertificate(filepath.Join(dir, pageCertificate)); err != nil {
			return nil, err
		}
	}
	shown, err := page.Start(o)
	if err != nil {
		return nil, cli.Outputf("%w", err)
	}
	fmt.Fprintf(out, "%s%s\n", pagePrefix, shown.URL())
	return shown, nil
}
