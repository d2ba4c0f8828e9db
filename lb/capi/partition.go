//go:build cgo

package main

// #define LOCKSTEP_LIBRARY
// #include "lockstep.h"
import "C"

import (
	"fmt"
	"unsafe"

	"lockstep/lb/partition"
)

//export lockstep_partition
func lockstep_partition(method *C.char, dims C.int64_t, n C.size_t, at, velocity, weight *C.double, parts C.int64_t, horizon C.double, owner *C.int32_t, message *C.char, size C.size_t) C.int {
	return writeError(divide(method, dims, n, at, velocity, weight, parts, horizon, owner), message, size)
}

func divide(method *C.char, dims C.int64_t, n C.size_t, at, velocity, weight *C.double, parts C.int64_t, horizon C.double, owner *C.int32_t) error {
	if method == nil || dims != 2 && dims != 3 || parts < 1 || parts > maxParts {
		return fmt.Errorf("lockstep_partition: expected a method, 2 or 3 dimensions and 1 to %d parts", maxParts)
	}
	name := C.GoString(method)
	var of partition.Method
	for _, m := range partition.Methods {
		if m.Name == name {
			of = m.Method
		}
	}
	if of == nil {
		return fmt.Errorf("no method %q", name)
	}
	p, err := points(int(dims), n, at, velocity, weight)
	if err != nil {
		return err
	}
	to, err := numbersAt[int32](unsafe.Pointer(owner), n)
	if err != nil {
		return fmt.Errorf("owners: %w", err)
	}
	division, err := of(p, int(parts), partition.Options{Horizon: float64(horizon)})
	if err != nil {
		return err
	}
	copy(to, division.Owner)
	return nil
}

// maxParts limits the number of parts, because part numbers are int32 in C.
const maxParts = 1<<31 - 1

// points returns the points whose columns are in the caller's memory.
func points(dims int, n C.size_t, at, velocity, weight *C.double) (p partition.Points, err error) {
	if p.At, err = columns(dims, n, at); err != nil {
		return p, fmt.Errorf("coordinates: %w", err)
	}
	if velocity != nil {
		if p.Velocity, err = columns(dims, n, velocity); err != nil {
			return p, fmt.Errorf("velocities: %w", err)
		}
	}
	if weight != nil {
		if p.Weight, err = numbersAt[float64](unsafe.Pointer(weight), n); err != nil {
			return p, fmt.Errorf("weights: %w", err)
		}
	}
	return p, nil
}

func columns(dims int, n C.size_t, at *C.double) (c [][]float64, err error) {
	if err := tooMany(n, maxNumbers/3); err != nil {
		return nil, err
	}
	all, err := numbersAt[float64](unsafe.Pointer(at), n*C.size_t(dims))
	if err != nil {
		return nil, err
	}
	for k := range dims {
		c = append(c, all[k*int(n):][:n:n])
	}
	return c, nil
}

//export lockstep_stay
func lockstep_stay(from, to *C.int32_t, weight *C.double, n C.size_t, parts C.int64_t, message *C.char, size C.size_t) C.int {
	return writeError(stay(from, to, weight, n, parts), message, size)
}

func stay(from, to *C.int32_t, weight *C.double, n C.size_t, parts C.int64_t) error {
	before, err := owners(from, n, parts)
	if err != nil {
		return fmt.Errorf("the division before: %w", err)
	}
	after, err := owners(to, n, parts)
	if err != nil {
		return fmt.Errorf("the division after: %w", err)
	}
	w, err := weights(weight, n)
	if err != nil {
		return err
	}
	number := partition.Stay(before, after, w, int(parts))
	for i, part := range after {
		after[i] = number[part]
	}
	return nil
}

//export lockstep_imbalance
func lockstep_imbalance(owner *C.int32_t, weight *C.double, n C.size_t, parts C.int64_t) C.double {
	o, err := owners(owner, n, parts)
	w, wrong := weights(weight, n)
	if err != nil || wrong != nil {
		return -1
	}
	return C.double(partition.Imbalance(o, w, int(parts)))
}

// owners returns the part of each of n points, from the caller's memory. It returns an error if a part is not in 0 to
// parts-1.
func owners(owner *C.int32_t, n C.size_t, parts C.int64_t) ([]int32, error) {
	if parts < 1 || parts > maxParts {
		return nil, fmt.Errorf("%d parts: expected 1 to %d", int64(parts), maxParts)
	}
	o, err := numbersAt[int32](unsafe.Pointer(owner), n)
	for i, part := range o {
		if part < 0 || int64(part) >= int64(parts) {
			return nil, fmt.Errorf("point %d is in part %d of %d", i, part, int64(parts))
		}
	}
	return o, err
}

func weights(weight *C.double, n C.size_t) ([]float64, error) {
	if weight == nil {
		return nil, nil
	}
	w, err := numbersAt[float64](unsafe.Pointer(weight), n)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	return w, nil
}
