package heartbeat

//kbeat:pure

import (
	"context"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Transport carries requests to the brokers. It is safe for concurrent use.
type Transport interface {
	// Send performs r and returns how it ended: the answer, or one of the codes of the catalogue that stand for the lack of
	// one. It returns within r.Timeout, and soon after ctx has ended; a Member takes a request that has not returned a second
	// later for lost, and warns of it until it returns.
	//
	// It sends r once, with two exceptions. A request with r.Again that is not answered within that time is sent once more
	// on a second connection, and the first answer counts. A FindCoordinator may go to several brokers, and lookups of one
	// group at the same time may share one answer.
	//
	// A JoinGroup and a SyncGroup are held back by the broker until the whole group has joined, an OffsetCommit until it is
	// replicated: they must not delay other requests. An OffsetCommit whose ctx ends is forgotten, and the next one to the
	// same node takes the same connection as long as that lives, and waits for r.Turn before it is written: on one connection
	// the broker takes them in order, so an older commit cannot overwrite a newer one. The ctx of a JoinGroup or a SyncGroup closes its connection, if the request
	// has one of its own; neither takes back what the broker has received.
	Send(ctx context.Context, r Request) Response
}

// AnyBroker is the Node of a Request that any broker can answer.
const AnyBroker int32 = -1

// NoGeneration is the Generation of a member that has none.
const NoGeneration int32 = -1

// Request is what a Core wants to be sent, once. Which fields mean something depends on API.
type Request struct {
	ID         uint64        // 1, 2, … in the life of a Core
	API        classic.Input // one of the responses of the specification
	Node       int32         // the coordinator's, or AnyBroker
	Timeout    time.Duration // the answer must be there within it
	Again      time.Duration // not answered within it, the request is sent once more on a second connection; 0: never
	Group      string
	Member     string // "" before the coordinator has given one
	Instance   string // group.instance.id; "" for a dynamic member
	Generation int32  // on the wire in SyncGroup, Heartbeat and OffsetCommit

	ProtocolType     string        // JoinGroup, SyncGroup
	Protocols        []Protocol    // JoinGroup
	SessionTimeout   time.Duration // JoinGroup
	RebalanceTimeout time.Duration // JoinGroup
	Reason           string        // JoinGroup, LeaveGroup (KIP-800)
	Protocol         string        // SyncGroup
	Assignments      []Assignment  // SyncGroup of the leader
	Offsets          []Offset      // OffsetCommit
	Turn             *Turn         // OffsetCommit of a Member; nil otherwise, and in no trace
}

// Response is how the Request of the same ID ended. Which fields mean something depends on the request's API, and on
// Code: all but ID, Code and Err are of a success, except Member (which MEMBER_ID_REQUIRED gives) and Partitions.
type Response struct {
	ID   uint64
	Code classic.Code
	Err  error // what lies behind Code, for messages; may be nil. Where it has a method NotSent() bool, that counts (Error.Unknown)

	Node           int32        // FindCoordinator
	Generation     int32        // JoinGroup
	Member         string       // JoinGroup
	Leader         string       // JoinGroup
	Members        []JoinMember // JoinGroup of the leader
	SkipAssignment bool         // JoinGroup of a leader that is not to make an assignment (KIP-814)
	ProtocolType   *string      // JoinGroup, SyncGroup; nil from brokers that do not send it
	Protocol       *string      // JoinGroup, SyncGroup; nil from brokers that do not send it
	Assignment     []byte       // SyncGroup
	Partitions     []PartitionError
}

// Protocol is a way to divide the work that a member offers to take part in, such as "range".
type Protocol struct {
	Name     string
	Metadata []byte // for the leader; its meaning belongs to the protocol type
}

// JoinMember is a member of the group as its leader is told of it.
type JoinMember struct {
	ID       string
	Instance string
	Metadata []byte
}

// Assignment is what the leader gives to one member.
type Assignment struct {
	Member string
	Data   []byte
}

// Offset is a position to commit for one partition.
type Offset struct {
	Topic       string
	Partition   int32
	Offset      int64 // of the next record to read
	LeaderEpoch int32 // -1 if unknown
	Metadata    string
}

// PartitionError is what OffsetCommit's answer says of one partition. Response.Code is the first that is about the member,
// the group or its coordinator, else the first that is not NONE.
type PartitionError struct {
	Topic     string
	Partition int32
	Code      classic.Code
}
