package gen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write makes dir hold files: all of them or, where anything fails, what it held before. Files that are as they should be
// are not touched; generated files that are no longer rendered are removed, others never. It makes dir where it is missing,
// but not what dir stands in. The error is that of the file system, or wraps ErrNotGenerated or ErrOtherPackage.
func Write(dir string, files []File) error {
	return replace(disk{(*os.File).Write, os.Rename, os.Remove}, dir, files)
}

// disk are the steps of a change that can fail when others have been made. Tests let them.
type disk struct {
	write  func(f *os.File, data []byte) (int, error)
	rename func(from, to string) error
	remove func(name string) error
}

func replace(d disk, dir string, files []File) (err error) {
	differences, err := Compare(dir, files)
	if err != nil || len(differences) == 0 {
		return err
	}
	if made := os.Mkdir(dir, 0o777); made == nil {
		defer func() {
			if err != nil {
				err = errors.Join(err, os.Remove(dir))
			}
		}()
	} else if !errors.Is(made, os.ErrExist) {
		return fmt.Errorf("write: %w", made)
	}
	c := &change{disk: d, dir: dir}
	defer func() { err = errors.Join(err, c.clean()) }()
	data := map[string][]byte{}
	for _, f := range files {
		data[f.Name] = f.Data
	}
	for _, d := range differences {
		if err := c.prepare(d, data[d.Name]); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	if err := c.commit(); err != nil {
		return errors.Join(fmt.Errorf("write: %w", err), c.undo())
	}
	return nil
}

// change is a set of replacements. The new files are written in full beside the old ones, which keep a second name until all
// is done: what can fail for want of space comes before the first step that is seen, and that can be taken back.
type change struct {
	disk
	dir   string
	steps []step
	done  int // steps that have been seen
}

// step puts the file at fresh into the place of name, or removes name where fresh is "". old is the second name of what was there.
type step struct{ name, fresh, old string }

func (c *change) prepare(d Difference, data []byte) error {
	c.steps = append(c.steps, step{name: filepath.Join(c.dir, d.Name)})
	s := &c.steps[len(c.steps)-1]
	if d.Kind != Missing {
		old := filepath.Join(c.dir, ".fsmgen-old-"+d.Name)
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := os.Link(s.name, old); err != nil {
			return err
		}
		s.old = old
	}
	if d.Kind == Superfluous {
		return nil
	}
	f, err := os.CreateTemp(c.dir, ".fsmgen-new-*")
	if err != nil {
		return err
	}
	s.fresh = f.Name()
	_, err = c.write(f, data)
	return errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
}

func (c *change) commit() error {
	for _, s := range c.steps {
		var err error
		if s.fresh == "" {
			err = c.remove(s.name)
		} else {
			err = c.rename(s.fresh, s.name)
		}
		if err != nil {
			return err
		}
		c.done++
	}
	return nil
}

// undo puts back what was there before the steps that have been seen.
func (c *change) undo() error {
	var errs []error
	for _, s := range c.steps[:c.done] {
		if s.old != "" {
			errs = append(errs, os.Rename(s.old, s.name))
		} else {
			errs = append(errs, os.Remove(s.name))
		}
	}
	return errors.Join(errs...)
}

// clean removes what only served the change.
func (c *change) clean() error {
	var errs []error
	for _, s := range c.steps {
		for _, name := range []string{s.fresh, s.old} {
			if name == "" {
				continue
			}
			if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
