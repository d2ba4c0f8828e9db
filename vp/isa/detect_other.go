//go:build !amd64 || purego

package isa

const buildNote = " (built without vector kernels)"

func detect() Level { return Generic }

func sha() bool { return false }
