package live

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// TLS says how to know the brokers, and how they know us. Its files are PEM.
type TLS struct {
	CA        string // file with the authorities that vouch for the brokers; "": those of the system
	Cert, Key string // files of the certificate that the brokers ask for; "": none
	Insecure  bool   // takes any broker for the right one
}

// Option is TLS as the client wants it.
func (t TLS) Option() (kgo.Opt, error) {
	config := &tls.Config{InsecureSkipVerify: t.Insecure}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("the authorities cannot be read: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate in PEM", t.CA)
		}
	}
	if t.Cert != "" || t.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("certificate and key do not load: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return kgo.DialTLSConfig(config), nil
}

// SASL says who we are.
type SASL struct{ Mechanism, User, Password string }

// Mechanisms are the names that SASL takes.
func Mechanisms() []string { return []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} }

// Option is SASL as the client wants it; a mechanism that is none of Mechanisms is an error.
func (s SASL) Option() (kgo.Opt, error) {
	var m sasl.Mechanism
	switch s.Mechanism {
	case "PLAIN":
		m = plain.Auth{User: s.User, Pass: s.Password}.AsMechanism()
	case "SCRAM-SHA-256":
		m = scram.Auth{User: s.User, Pass: s.Password}.AsSha256Mechanism()
	case "SCRAM-SHA-512":
		m = scram.Auth{User: s.User, Pass: s.Password}.AsSha512Mechanism()
	default:
		return nil, fmt.Errorf("mechanism %q is none of %v", s.Mechanism, Mechanisms())
	}
	return kgo.SASL(m), nil
}
