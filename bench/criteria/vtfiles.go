package criteria

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/bench/report"
)

// A vtFile is a file of the vt runtime of the DARMA project, about the tasks of one rank. vt writes a file
// NAME.RANK.json for each rank.
type vtFile struct {
	Type     string `json:"type"`
	Metadata struct {
		Type string `json:"type"`
	} `json:"metadata"`
	Phases []vtPhase `json:"phases"`
}

type vtPhase struct {
	ID    *int     `json:"id"`
	Tasks []vtTask `json:"tasks"`
}

type vtTask struct {
	Time   *float64 `json:"time"` // seconds
	Entity struct {
		Collection int64   `json:"collection_id"`
		ID         int64   `json:"id"`
		Sequence   int64   `json:"seq_id"`
		Index      []int64 `json:"index"`
		Migratable bool    `json:"migratable"`
	} `json:"entity"`
}

// vtType is the value of "type" in these files.
const vtType = "LBDatafile"

// maxVTFile limits the size of a rank's file, in bytes.
const maxVTFile = 1 << 30

// readVT reads the files of all ranks. file is the name of any of them. The phases of vt are the iterations. The time
// of a rank in an iteration is the sum of the times of its tasks. If a migratable task is on another rank than in the
// previous iteration, the work counts as balanced in between.
func readVT(file string) (*timesTable, error) {
	stem, ok := vtStem(file)
	if !ok {
		return nil, &report.InputError{File: file, Err: errors.New("expected a name such as data.0.json, of which there is one for each rank")}
	}
	t := &timesTable{reading: "the tasks of vt's phases, one file for each rank, and balancings by the tasks that moved"}
	var where []map[string]int // by phase: the rank of each task
	for rank := 0; ; rank++ {
		name := fmt.Sprintf("%s.%d.json", stem, rank)
		phases, err := readVTFile(name)
		if errors.Is(err, os.ErrNotExist) && rank > 0 {
			break
		}
		if err == nil {
			where, err = t.addRank(phases, rank, where)
		}
		if err != nil {
			return nil, report.NewInputError(name, err)
		}
	}
	for i := 1; i < len(where); i++ {
		for task, rank := range where[i] {
			if before, ok := where[i-1][task]; ok && before != rank {
				t.balanced = append(t.balanced, i)
				break
			}
		}
	}
	return t, nil
}

// vtStem returns NAME of a file name NAME.RANK.json. It returns false for other names.
func vtStem(file string) (string, bool) {
	stem, ok := strings.CutSuffix(file, ".json")
	dot := strings.LastIndexByte(stem, '.')
	if !ok || dot <= strings.LastIndexByte(stem, filepath.Separator) || strings.Trim(stem[dot+1:], "0123456789") != "" || stem[dot+1:] == "" {
		return "", false
	}
	return stem[:dot], true
}

// readVTFile reads the phases of a rank.
func readVTFile(name string) ([]vtPhase, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := &io.LimitedReader{R: f, N: maxVTFile}
	var v vtFile
	if err := json.NewDecoder(in).Decode(&v); err != nil {
		if in.N <= 0 {
			return nil, fmt.Errorf("more than %d bytes", maxVTFile)
		}
		return nil, err
	}
	if v.Type != vtType && v.Metadata.Type != vtType {
		return nil, fmt.Errorf("JSON that is no %s of vt; of other programs' files only tables of times are read", vtType)
	}
	if len(v.Phases) == 0 {
		return nil, errors.New("no phases")
	}
	return v.Phases, nil
}

// addRank adds the times of a rank to the table. It notes which migratable tasks are on the rank in each phase, and
// returns the notes.
func (t *timesTable) addRank(phases []vtPhase, rank int, where []map[string]int) ([]map[string]int, error) {
	if rank == 0 {
		t.seconds, where = make([][]float64, len(phases)), make([]map[string]int, len(phases))
	}
	if len(phases) != len(t.seconds) {
		return nil, fmt.Errorf("%d phases; rank 0 has %d", len(phases), len(t.seconds))
	}
	if rank >= maxRanks || (rank+1)*len(phases) > maxTimes {
		return nil, fmt.Errorf("rank %d; at most %d ranks and %d times are possible", rank, maxRanks, maxTimes)
	}
	slices.SortStableFunc(phases, func(a, b vtPhase) int { return a.idOrZero() - b.idOrZero() })
	for i, p := range phases {
		if p.idOrZero() != phases[0].idOrZero()+i {
			return nil, fmt.Errorf("phase %d is followed by %d", phases[i-1].idOrZero(), p.idOrZero())
		}
		sum := 0.0
		for k, task := range p.Tasks {
			if task.Time == nil || !(*task.Time >= 0) || *task.Time > maxSeconds {
				return nil, fmt.Errorf("phase %d, task %d: expected a time of 0 to %v seconds", p.idOrZero(), k, float64(maxSeconds))
			}
			sum += *task.Time
			if e := &task.Entity; e.Migratable {
				if where[i] == nil {
					where[i] = map[string]int{}
				}
				where[i][fmt.Sprint(e.Collection, e.ID, e.Sequence, e.Index)] = rank
			}
		}
		t.seconds[i] = append(t.seconds[i], sum)
	}
	return where, nil
}

// idOrZero returns the number of the phase, or 0 if the file does not say it.
func (p *vtPhase) idOrZero() int {
	if p.ID == nil {
		return 0
	}
	return *p.ID
}
