//go:build !amd64 || purego

package kernel

// scanArgs has a use only where there are vector twins.
type scanArgs struct{}

// groupState too.
type groupState struct{}
