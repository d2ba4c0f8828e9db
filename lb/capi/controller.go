//go:build cgo

package main

// #define LOCKSTEP_LIBRARY
// #include "lockstep.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"unsafe"

	"lockstep/lb/criterion"
)

//export lockstep_new
func lockstep_new(spec *C.char, iterations C.int64_t, controller *C.lockstep_controller, message *C.char, size C.size_t) C.int {
	if controller == nil || iterations < 0 {
		return writeError(errors.New("lockstep_new: no place for the controller, or a negative number of iterations"), message, size)
	}
	name := "ours"
	if spec != nil {
		name = C.GoString(spec)
	}
	of, err := criterion.Named(name)
	if err != nil {
		return writeError(err, message, size)
	}
	*controller = C.lockstep_controller(cgo.NewHandle(&criterion.Controller{Criterion: of(int(iterations))}))
	return 0
}

//export lockstep_free
func lockstep_free(controller C.lockstep_controller) {
	if _, err := controllerOf(controller); err == nil {
		cgo.Handle(controller).Delete()
	}
}

// controllerOf returns the controller of a handle. It returns an error if the number is not a valid handle.
func controllerOf(controller C.lockstep_controller) (c *criterion.Controller, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("%d is no controller, or was freed", uint64(controller))
		}
	}()
	return cgo.Handle(controller).Value().(*criterion.Controller), nil
}

// withController calls do with the controller of a handle. It returns 0, or writes the error to message and returns 1.
func withController(controller C.lockstep_controller, message *C.char, size C.size_t, do func(c *criterion.Controller) error) C.int {
	c, err := controllerOf(controller)
	if err == nil {
		err = do(c)
	}
	return writeError(err, message, size)
}

//export lockstep_observe
func lockstep_observe(controller C.lockstep_controller, times *C.double, n C.size_t, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		t, err := numbersAt[float64](unsafe.Pointer(times), n)
		if err != nil {
			return fmt.Errorf("times: %w", err)
		}
		return c.Observe(t...)
	})
}

//export lockstep_decide
func lockstep_decide(controller C.lockstep_controller, decision *C.lockstep_decision, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		if decision == nil {
			return errors.New("lockstep_decide: no place for the decision")
		}
		d := c.Decide()
		*decision = C.lockstep_decision{balance: boolToC(d.Balance), value: C.double(d.Value), limit: C.double(d.Limit)}
		writeString(decision.what[:], d.What)
		return nil
	})
}

//export lockstep_balanced
func lockstep_balanced(controller C.lockstep_controller, cost C.double, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		c.Balanced(float64(cost))
		return nil
	})
}

//export lockstep_offer
func lockstep_offer(controller C.lockstep_controller, price, kept C.double, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		c.Offer(float64(price), float64(kept))
		return nil
	})
}

//export lockstep_announce
func lockstep_announce(controller C.lockstep_controller, until C.int64_t, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		c.Announce(int(until))
		return nil
	})
}

//export lockstep_speeds
func lockstep_speeds(controller C.lockstep_controller, speeds *C.double, n C.size_t, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		s, err := numbersAt[float64](unsafe.Pointer(speeds), n)
		if err != nil {
			return fmt.Errorf("speeds: %w", err)
		}
		c.Speeds(s...)
		return nil
	})
}

//export lockstep_state
func lockstep_state(controller C.lockstep_controller, state *C.char, length *C.size_t, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		if length == nil {
			return errors.New("lockstep_state: no place for the length")
		}
		data, err := c.State()
		if err != nil {
			return err
		}
		room := *length
		*length = C.size_t(len(data))
		if state == nil || int(room) < len(data) {
			return fmt.Errorf("the state takes %d bytes, there is room for %d", len(data), int(room))
		}
		copy(unsafe.Slice((*byte)(unsafe.Pointer(state)), len(data)), data)
		return nil
	})
}

//export lockstep_restore
func lockstep_restore(controller C.lockstep_controller, state *C.char, length C.size_t, message *C.char, size C.size_t) C.int {
	return withController(controller, message, size, func(c *criterion.Controller) error {
		data, err := numbersAt[byte](unsafe.Pointer(state), length)
		if err != nil {
			return fmt.Errorf("state: %w", err)
		}
		return c.Restore(data)
	})
}
