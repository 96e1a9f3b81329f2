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
	broker string // its address, "" if none was asked
	sent   bool   // the request has left, though not by the exchange that this is the end of
	err    error
}

// RequestError is the Err of a Response to a request that has no answer, or none that is complete.
type RequestError struct {
	API    classic.Input
	Broker string // host and port; "" where no connection was tried. Of a lookup it is the last broker that was asked
	Sent   bool   // the request has left, so the broker may have acted on it
	Err    error  // franz-go's, or of what lies under it
}

func (e *RequestError) Error() string {
	to, how := "", "was not sent"
	var incomplete *incompleteError
	switch {
	case e.Broker != "":
		to = " to " + e.Broker
	case e.API == classic.InputFindCoordinator:
		to = " to any broker"
	}
	switch {
	case errors.As(e.Err, &incomplete):
		how = "was not answered in full"
	case e.Sent:
		how = "was not answered"
	}
	return fmt.Sprintf("%s%s %s: %v", e.API, to, how, e.Err)
}

// NotSent reports that the request has not left, so that no broker has acted on it.
func (e *RequestError) NotSent() bool { return !e.Sent }

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

// refused reports whether the two sides could not authenticate each other, by SASL or TLS.
func refused(err error) bool { return refusal(err) != "" }

// refusal is which side refused the other before a request could be sent; "" if none did.
func refusal(err error) string {
	var (
		credentials *credentialsError
		answer      *kerr.Error
		certificate *tls.CertificateVerificationError
		plaintext   tls.RecordHeaderError
		alert       *net.OpError
	)
	switch {
	case errors.As(err, &credentials):
		return "the client's SASL mechanism has no credentials, or refused the broker's"
	case errors.As(err, &certificate):
		return "the client refused the broker's certificate"
	case errors.As(err, &plaintext):
		return "the client wants TLS, and the broker's port does not speak it"
	case errors.As(err, &answer) && !answer.Retriable: // a connection is opened by ApiVersions, SaslHandshake and SaslAuthenticate
		return "the broker refused the client's credentials"
	case errors.As(err, &alert) && alert.Op == "remote error": // crypto/tls calls an alert of the other side so
		return "the broker refused the client in the TLS handshake"
	default:
		return ""
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

// spoken reports whether the broker has a version of out that we may send. franz-go checks that itself before it sends, and
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
