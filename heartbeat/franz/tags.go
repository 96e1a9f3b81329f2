package franz

import (
	"context"
	"net"

	"github.com/twmb/franz-go/pkg/sasl"
)

// franz-go returns the errors of dialers and of SASL mechanisms as they are, and they can be anything. These wrappers
// mark them where they arise, so that the end of a request need not be guessed from an error's text.

// dialError is a connection that did not come about.
type dialError struct{ error }

func (e *dialError) Unwrap() error { return e.error }

// taggingDialer also lets a connection whose other side is gone end.
func taggingDialer(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, host string) (net.Conn, error) {
		conn, err := dial(ctx, network, host)
		if err != nil {
			return nil, &dialError{err}
		}
		keepAlive(conn)
		return conn, nil
	}
}

// credentialsError is what a SASL mechanism says when it has no credentials, or does not trust the broker's.
type credentialsError struct{ error }

func (e *credentialsError) Unwrap() error { return e.error }

// taggingMechanism is also what keeps the end of a connection's client from closing the mechanism: it has no Close.
type taggingMechanism struct{ mechanism sasl.Mechanism }

func (m taggingMechanism) Name() string { return m.mechanism.Name() }

func (m taggingMechanism) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	session, first, err := m.mechanism.Authenticate(ctx, host)
	if err != nil {
		return nil, nil, &credentialsError{err}
	}
	return taggingSession{session}, first, nil
}

type taggingSession struct{ session sasl.Session }

func (s taggingSession) Challenge(challenge []byte) (bool, []byte, error) {
	done, answer, err := s.session.Challenge(challenge)
	if err != nil {
		err = &credentialsError{err}
	}
	return done, answer, err
}
