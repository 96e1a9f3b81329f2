package world

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// protocols are what a member offers. A cooperative one claims, as metadata, what it has been assigned in a generation.
func protocols(cooperative bool, claims share) []heartbeat.Protocol {
	if cooperative {
		return []heartbeat.Protocol{{Name: "cooperative", Metadata: claims.encode()}}
	}
	return []heartbeat.Protocol{{Name: "eager"}}
}

// share is the partitions that a member was assigned in a generation.
type share struct {
	generation int32
	partitions []int32
}

func (s share) encode() []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(s.generation))
	for _, p := range s.partitions {
		b = binary.BigEndian.AppendUint16(b, uint16(p))
	}
	return b
}

// decode reads what encode wrote; nothing is a share of nothing.
func decode(b []byte) (s share) {
	if len(b) < 4 {
		return s
	}
	s.generation = int32(binary.BigEndian.Uint32(b))
	for b = b[4:]; len(b) >= 2; b = b[2:] {
		s.partitions = append(s.partitions, int32(binary.BigEndian.Uint16(b)))
	}
	return s
}

// named are partitions as the judge knows them.
func (w *world) named(partitions []int32) []judge.Partition {
	var named []judge.Partition
	for _, p := range partitions {
		named = append(named, w.partition[p])
	}
	return named
}

// divide divides n partitions among members. Eager ones get others in each generation, so that a mistake shows. Cooperative
// ones keep what they claim up to their share; what goes to another is given to nobody as long as it is claimed. Of two that
// claim one, which happens where a generation was made without a static member, the later generation's has it.
func divide(in heartbeat.AssignmentInput, n int, cooperative bool) []heartbeat.Assignment {
	members := slices.Clone(in.Members)
	slices.SortFunc(members, func(a, b heartbeat.JoinMember) int { return cmp.Compare(a.ID, b.ID) })
	shares := make([][]int32, len(members))
	if !cooperative {
		for p := range n {
			i := (p + int(in.Generation)) % len(members)
			shares[i] = append(shares[i], int32(p))
		}
		return assignments(in.Generation, members, shares)
	}
	most := (n + len(members) - 1) / len(members)
	owner, claims := owners(members, n)
	for p := range int32(n) {
		if i := owner[p]; i >= 0 && len(shares[i]) < most {
			shares[i] = append(shares[i], p)
		}
	}
	for p := range int32(n) {
		if claims[p] == 0 {
			i := least(shares)
			shares[i] = append(shares[i], p)
		}
	}
	return assignments(in.Generation, members, shares)
}

// owners is, for each partition, the member with the latest claim to it, or -1, and how many claim it.
func owners(members []heartbeat.JoinMember, n int) (owner, claims []int) {
	owner, claims = make([]int, n), make([]int, n)
	latest := make([]int32, n)
	for p := range owner {
		owner[p] = -1
	}
	for i, m := range members {
		s := decode(m.Metadata)
		for _, p := range s.partitions {
			if claims[p]++; owner[p] < 0 || s.generation > latest[p] {
				owner[p], latest[p] = i, s.generation
			}
		}
	}
	return owner, claims
}

// least is the index of the smallest share.
func least(shares [][]int32) int {
	best := 0
	for i := range shares {
		if len(shares[i]) < len(shares[best]) {
			best = i
		}
	}
	return best
}

func assignments(generation int32, members []heartbeat.JoinMember, shares [][]int32) (plan []heartbeat.Assignment) {
	for i, m := range members {
		slices.Sort(shares[i])
		plan = append(plan, heartbeat.Assignment{Member: m.ID, Data: share{generation, shares[i]}.encode()})
	}
	return plan
}
