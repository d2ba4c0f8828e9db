//go:build !amd64 || purego

package uts

func kernels() map[string]kernel { return map[string]kernel{"go": visit} }
