package film

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"lockstep/cluster"
	"lockstep/internal/smallfile"
	"lockstep/render/atomicfile"
)

// Nodes that share no folder with the command get the files of a film by way of the server,
// when they ask for them, and hand their pictures in there.

// A place is where a file of a film is on the command's machine. A node that finds the
// same there, by size and time, takes it.
type fileLocation struct {
	Path string `json:"path"`
	Time int64  `json:"time"` // of the last change, in nanoseconds since 1970
}

// tokenName is the file, in a film's folder of its own, by which nodes find out that they
// share the folder with the command.
const tokenName = "shared"

// keptToken returns the random word in the folder of a film.
func folderToken(folder string) (string, error) {
	return RandomWord(filepath.Join(folder, Folder, tokenName))
}

// KeptRandom returns the random word in a file, which it makes if it is missing.
func RandomWord(name string) (string, error) {
	if text, err := smallfile.Read(name, smallfile.Words); err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", atomicfile.Failure(err)
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	word := hex.EncodeToString(random)
	return word, writePrivate(name, word)
}

// apart reports whether this machine does not have the command's folder of pictures.
func (s *spec) isRemote() bool {
	text, err := smallfile.Read(filepath.Join(s.Pictures, Folder, tokenName), smallfile.Words)
	return err != nil || strings.TrimSpace(string(text)) != s.Token
}

// hasFiles reports whether the films' files are here as they are on the command's machine.
func (s *spec) hasFiles(files []cluster.File) bool {
	for i, f := range s.Files {
		info, err := os.Stat(f.Path)
		if err != nil || info.ModTime().UnixNano() != f.Time || i < len(files) && info.Size() != files[i].Size {
			return false
		}
	}
	return true
}

// Folder is the folder, inside that of the pictures, in which what a film needs is kept until all pictures are there.
const Folder = ".film"

// keep writes a small file that only this user can read.
func writePrivate(name, text string) error {
	if err := os.WriteFile(name+".new", []byte(text+"\n"), 0o600); err != nil {
		return atomicfile.Failure(err)
	}
	return atomicfile.Failure(os.Rename(name+".new", name))
}
