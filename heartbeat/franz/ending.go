package franz

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// ending is how a request ended that was not answered; err is nil for one that was.
type ending struct {
	code   classic.Code
	broker string // its address, "" if no certain one was asked
	err    error
}

// RequestError is the Err of a Response to a request that has no answer.
type RequestError struct {
	API    classic.Input
	Broker string // host and port; "" for a lookup, which any broker can answer, or where no connection was tried
	Sent   bool   // the request has left, so the broker may have acted on it
	Err    error  // franz-go's, or of what lies under it
}

func (e *RequestError) Error() string {
	to, how := "", "was not sent"
	switch {
	case e.Broker != "":
		to = " to " + e.Broker
	case e.API == classic.InputFindCoordinator:
		to = " to any broker"
	}
	if e.Sent {
		how = "was not answered"
	}
	return fmt.Sprintf("%s%s %s: %v", e.API, to, how, e.Err)
}

func (e *RequestError) Unwrap() error { return e.Err }

// endOf is the code of the catalogue for a request that ended with err. That a request could not leave in its time says
// nothing against the broker only where there was a connection to it: the request has waited for its turn, because the
// broker throttles the connection (KIP-219), say.
func endOf(ctx context.Context, b *kgo.Broker, s settings, out *outgoing, connected func() bool, err error) classic.Code {
	sent := out.sent.Load()
	switch {
	case !sent && refused(err):
		return classic.CodeAuthenticationException
	case !sent && ctx.Err() != nil && connected():
		return classic.CodeSendTimeout
	case ctx.Err() != nil, cut(err):
		return classic.CodeDisconnect
	case !sent && !s.spoken(ctx, b, out):
		return classic.CodeVersionMismatch
	default:
		return classic.CodeMalformed
	}
}

// refused says that the two sides did not come to trust each other: by SASL or TLS, the broker us or we the broker.
func refused(err error) bool {
	var (
		credentials *credentialsError
		answer      *kerr.Error
		certificate *tls.CertificateVerificationError
		plaintext   tls.RecordHeaderError
		alert       *net.OpError
	)
	switch {
	case errors.As(err, &credentials), errors.As(err, &certificate), errors.As(err, &plaintext):
		return true
	case errors.As(err, &answer): // a connection is opened by ApiVersions, SaslHandshake and SaslAuthenticate
		return !answer.Retriable
	case errors.As(err, &alert): // crypto/tls calls an alert of the other side so
		return alert.Op == "remote error"
	default:
		return false
	}
}

// cut says that there is no connection, or no longer.
func cut(err error) bool {
	var (
		dial    *dialError
		network net.Error
	)
	return errors.As(err, &dial) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, kgo.ErrClientClosed) ||
		kgo.IsRetryableBrokerErr(err) // a connection that somebody else's failure closed
}

// spoken says whether the broker has a version of out that we may send. franz-go checks that itself before it sends, and
// says so by errors that it keeps private; so this asks the broker, once a request has failed for no other reason.
func (s settings) spoken(ctx context.Context, b *kgo.Broker, out *outgoing) bool {
	answer, err := b.Request(ctx, kmsg.NewPtrApiVersionsRequest())
	versions, ok := answer.(*kmsg.ApiVersionsResponse)
	if err != nil || !ok {
		return true // it does not even say what it speaks: what it sends is no answer
	}
	least, most := int16(0), out.maxVersion
	if v, ok := s.min.LookupMaxKeyVersion(out.Key()); ok {
		least = v
	}
	if s.max != nil {
		v, _ := s.max.LookupMaxKeyVersion(out.Key()) // -1 where the client does without the request
		most = min(most, v)
	}
	for _, k := range versions.ApiKeys {
		if k.ApiKey == out.Key() {
			return max(least, k.MinVersion) <= min(most, k.MaxVersion)
		}
	}
	return false
}
