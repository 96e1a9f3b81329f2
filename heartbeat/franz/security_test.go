package franz

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
	"go.uber.org/goleak"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Over real sockets: TLS is franz-go's own dialer's.
func TestCredentials(t *testing.T) {
	defer goleak.VerifyNone(t)
	authority, certificate := certificates(t)
	plainUser := []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "user", "right")}
	serverTLS := &tls.Config{Certificates: []tls.Certificate{certificate}}
	mutualTLS := &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority}
	password := func(p string) sasl.Mechanism { return plain.Auth{User: "user", Pass: p}.AsMechanism() }

	tests := map[string]struct {
		broker  []kfake.Opt
		answers map[kmsg.Key]kmsg.Response // where kfake only closes the connection, and Apache Kafka answers
		client  []kgo.Opt
		code    classic.Code
		text    string // of the error: who refused whom
	}{
		"the right password": {plainUser, nil, []kgo.Opt{kgo.SASL(password("right"))}, classic.CodeNone, ""},
		"a wrong password": {
			plainUser, map[kmsg.Key]kmsg.Response{kmsg.SASLAuthenticate: &kmsg.SASLAuthenticateResponse{Version: 2, ErrorCode: 58}},
			[]kgo.Opt{kgo.SASL(password("wrong"))},
			classic.CodeAuthenticationException, "the broker refused the client's credentials: SASL_AUTHENTICATION_FAILED",
		},
		"a mechanism that the broker does not have": {
			plainUser, map[kmsg.Key]kmsg.Response{kmsg.SASLHandshake: &kmsg.SASLHandshakeResponse{Version: 1, ErrorCode: 33}},
			[]kgo.Opt{kgo.SASL(scram.Auth{User: "user", Pass: "right"}.AsSha256Mechanism())},
			classic.CodeAuthenticationException, "the broker refused the client's credentials: UNSUPPORTED_SASL_MECHANISM",
		},
		"no password at hand": {
			plainUser, nil, []kgo.Opt{kgo.SASL(plain.Plain(func(context.Context) (plain.Auth, error) {
				return plain.Auth{}, errors.New("the vault is sealed")
			}))},
			classic.CodeAuthenticationException, "the client's SASL mechanism has no credentials, or refused the broker's: the vault is sealed",
		},
		"a broker that does not know the password either": {
			[]kfake.Opt{kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "user", "right")},
			map[kmsg.Key]kmsg.Response{kmsg.SASLAuthenticate: &kmsg.SASLAuthenticateResponse{Version: 2, SASLAuthBytes: []byte("r=x")}},
			[]kgo.Opt{kgo.SASL(scram.Auth{User: "user", Pass: "right"}.AsSha256Mechanism())},
			classic.CodeAuthenticationException, "the client's SASL mechanism has no credentials, or refused the broker's: ",
		},
		"no authentication where it is wanted": {plainUser, nil, nil, classic.CodeDisconnect, ""}, // a broker only hangs up
		"TLS": {
			[]kfake.Opt{kfake.TLS(serverTLS)}, nil, []kgo.Opt{kgo.DialTLSConfig(&tls.Config{RootCAs: authority})},
			classic.CodeNone, "",
		},
		"TLS and a password": {
			append(plainUser, kfake.TLS(serverTLS)), nil,
			[]kgo.Opt{kgo.DialTLSConfig(&tls.Config{RootCAs: authority}), kgo.SASL(password("right"))},
			classic.CodeNone, "",
		},
		"a broker that nobody vouches for": {
			[]kfake.Opt{kfake.TLS(serverTLS)}, nil, []kgo.Opt{kgo.DialTLSConfig(&tls.Config{RootCAs: x509.NewCertPool()})},
			classic.CodeAuthenticationException, "the client refused the broker's certificate: ",
		},
		"a broker of another name": {
			[]kfake.Opt{kfake.TLS(serverTLS)}, nil,
			[]kgo.Opt{kgo.DialTLSConfig(&tls.Config{RootCAs: authority, ServerName: "elsewhere"})},
			classic.CodeAuthenticationException, "the client refused the broker's certificate: ",
		},
		"a client without the certificate that is asked for": {
			[]kfake.Opt{kfake.TLS(mutualTLS)}, nil, []kgo.Opt{kgo.DialTLSConfig(&tls.Config{RootCAs: authority})},
			classic.CodeAuthenticationException, "the broker refused the client in the TLS handshake: ",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, err := kfake.NewCluster(append(test.broker, kfake.NumBrokers(1))...)
			require.NoError(t, err)
			t.Cleanup(cluster.Close)
			for key, answer := range test.answers {
				cluster.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
					cluster.KeepControl()
					return answer, nil, true
				})
			}
			cl, err := kgo.NewClient(append(test.client, kgo.SeedBrokers(cluster.ListenAddrs()...))...)
			require.NoError(t, err)
			t.Cleanup(cl.Close)

			transport := New(cl)
			found := find(t, transport)
			require.Equal(t, test.code, found.Code, "%s instead of %s: %v", found.Code, test.code, found.Err)
			if test.text != "" {
				require.ErrorContains(t, found.Err, test.text)
			}
			transport.learn(1, cluster.ListenAddrs()[0])
			beaten := transport.Send(t.Context(), beat(time.Minute))
			if test.code == classic.CodeNone {
				require.Positive(t, int(beaten.Code), "the broker must have answered that it has no such member: %v", beaten.Err)
			} else {
				require.Equal(t, test.code, beaten.Code, "%s instead of %s: %v", beaten.Code, test.code, beaten.Err)
				require.ErrorContains(t, beaten.Err, "Heartbeat to "+cluster.ListenAddrs()[0])
				require.ErrorContains(t, beaten.Err, test.text)
			}
		})
	}
}

func TestTLSToABrokerThatSpeaksPlaintext(t *testing.T) {
	defer goleak.VerifyNone(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("no TLS here"))
			conn.Close()
		}
	}()
	cl, err := kgo.NewClient(kgo.SeedBrokers(l.Addr().String()), kgo.DialTLS())
	require.NoError(t, err)
	defer cl.Close()
	found := find(t, New(cl))
	require.Equal(t, classic.CodeAuthenticationException, found.Code, "%v", found.Err)
	require.ErrorContains(t, found.Err, "the client wants TLS, and the broker's port does not speak it: ")
}

// certificates is an authority, and a certificate by it for 127.0.0.1.
func certificates(t *testing.T) (*x509.CertPool, tls.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	self := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, self, self, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return pool, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
