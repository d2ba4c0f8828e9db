// Package fields finds the fields of a recipe by their flags and by their paths in JSON, and reads and writes their
// values as the text of flags.
//
// The struct tags of the recipe determine all flags and paths:
//   - flag is the name of a field's flag.
//   - json is its name in JSON.
//   - split is the separator of list elements in one value of the flag. Without this tag, each value is one element.
package fields

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"lockstep/render/recipe/internal/numbers"
)

// A Field is a field of a recipe that has a flag.
type Field struct {
	Flag  string
	Value reflect.Value

	separator string // separator of the elements of a list in one value of the flag; may be empty
}

// Of returns all fields that have a flag, in the order of their declaration. They belong to the struct to which v
// points, and to the structs inside it.
func Of(v any) []Field { return fieldsOf(reflect.ValueOf(v).Elem()) }

func fieldsOf(v reflect.Value) (fields []Field) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if name := f.Tag.Get("flag"); name != "" {
			fields = append(fields, Field{name, v.Field(i), f.Tag.Get("split")})
		} else if f.Type.Kind() == reflect.Struct {
			fields = append(fields, fieldsOf(v.Field(i))...)
		}
	}
	return fields
}

// Args returns the flags of all fields that are not zero in the struct to which v points.
func Args(v any) (args []string) {
	for _, f := range Of(v) {
		switch {
		case f.Value.IsZero():
		case f.Value.Kind() == reflect.Bool:
			args = append(args, "--"+f.Flag)
		case f.IsChoice():
			no := ""
			if !f.Value.Elem().Bool() {
				no = "no-"
			}
			args = append(args, "--"+no+f.Flag)
		case f.Value.Kind() == reflect.Slice:
			for i := range f.Value.Len() {
				args = append(args, "--"+f.Flag+"="+flagText(f.Value.Index(i)))
			}
		default:
			args = append(args, "--"+f.Flag+"="+flagText(f.Value))
		}
	}
	return args
}

// flagText returns a value in the form of its flag.
func flagText(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, _ := m.MarshalText() // MarshalText of the types of recipes never fails
		return string(text)
	}
	switch v.Kind() {
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return numbers.Exact(v.Float())
	case reflect.Array:
		list := make([]float64, v.Len())
		for i := range list {
			list[i] = v.Index(i).Float()
		}
		return numbers.ExactList(list)
	}
	return v.String()
}

// IsBool reports whether the flag of a field has no value.
func (f Field) IsBool() bool { return f.Value.Kind() == reflect.Bool || f.IsChoice() }

// IsChoice reports whether a field can be yes, no, or missing. Missing means the default. Such a field has the flags
// --NAME and --no-NAME.
func (f Field) IsChoice() bool {
	return f.Value.IsValid() && f.Value.Type() == reflect.TypeFor[*bool]()
}

// Choose sets a field whose flag has no value.
func (f Field) Choose(yes bool) {
	if f.IsChoice() {
		f.Value.Set(reflect.ValueOf(&yes))
		return
	}
	f.Value.SetBool(yes)
}

// Set sets a field to the value of its flag. If the field is a list, Set adds elements.
func (f Field) Set(text string) error {
	if f.Value.Kind() != reflect.Slice {
		return setValue(f.Value, text)
	}
	parts := []string{text}
	if f.separator != "" {
		parts = strings.Split(text, f.separator)
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
	}
	for _, part := range parts {
		one := reflect.New(f.Value.Type().Elem()).Elem()
		if err := setValue(one, part); err != nil {
			return err
		}
		f.Value.Set(reflect.Append(f.Value, one))
	}
	return nil
}

func setValue(v reflect.Value, text string) error {
	if v.Kind() == reflect.Pointer {
		to := reflect.New(v.Type().Elem())
		if err := setValue(to.Elem(), text); err != nil {
			return err
		}
		v.Set(to)
		return nil
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	return setPlain(v, text)
}

var errNoNumber = errors.New("expected a number")

// setPlain sets a value whose type has no UnmarshalText.
func setPlain(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q: %w", text, errNoNumber)
		}
		v.SetInt(int64(n))
	case reflect.Float64:
		x, ok := numbers.Parse(text, 1)
		if !ok {
			return fmt.Errorf("%q: %w", text, errNoNumber)
		}
		v.SetFloat(x[0])
	case reflect.Array:
		list, ok := numbers.Parse(text, v.Len())
		if !ok {
			return fmt.Errorf("%q: expected %d numbers with commas between them", text, v.Len())
		}
		for i, x := range list {
			v.Index(i).SetFloat(x)
		}
	default:
		panic("recipe: no flag sets a " + v.Type().String())
	}
	return nil
}

// Paths maps the paths of the fields of a struct, such as camera.fov, to their flags.
func Paths(t reflect.Type) map[string]string { return pathsOf(t, "") }

// pathsOf is like Paths, but each path starts with the prefix `under`.
func pathsOf(t reflect.Type, under string) map[string]string {
	paths := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if flag := f.Tag.Get("flag"); flag != "" {
			paths[under+name] = flag
		} else if f.Type.Kind() == reflect.Struct {
			for path, flag := range pathsOf(f.Type, under+name+".") {
				paths[path] = flag
			}
		}
	}
	return paths
}

// PositiveZeros makes all zeros in the value to which v points positive. Otherwise equal recipes could have different
// texts.
func PositiveZeros(v any) { makePositive(reflect.ValueOf(v).Elem()) }

func makePositive(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			makePositive(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			makePositive(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			makePositive(v.Index(i))
		}
	case reflect.Float64:
		if v.Float() == 0 && math.Signbit(v.Float()) {
			v.SetFloat(0)
		}
	}
}
