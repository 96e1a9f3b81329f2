package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// In a process that is called kbeat, the test's binary is the command.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"kbeat": main}) }

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Values[clusterKey{}] = new(scriptCluster)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"cluster": startCluster,
			"exits":   exits,
			"fails":   fails,
		},
	})
}

// exits runs a program, and wants it to exit with a code: exits CODE PROGRAM ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d instead of %s", code, args[0])
	}
}

// scriptCluster is the cluster of a script that has one.
type scriptCluster struct{ *kfake.Cluster }

type clusterKey struct{}

// startCluster runs a cluster with topic "orders" until the script ends, and puts its addresses into $BROKERS. It can
// speak TLS, want the password of user "user", refuse any password, or not let that user use groups:
// cluster [tls|sasl|refusal|acl]
func startCluster(ts *testscript.TestScript, neg bool, args []string) {
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(4, "orders"), kfake.GroupMinSessionTimeout(time.Second)}
	for _, with := range args {
		switch with {
		case "tls":
			opts = append(opts, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{certify(ts)}}))
		case "sasl":
			for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
				opts = append(opts, kfake.EnableSASL(), kfake.Superuser(mechanism, "user", "right"))
			}
		case "refusal":
			opts = append(opts, kfake.EnableSASL(), kfake.Superuser("PLAIN", "user", "right"))
		case "acl": // user "user" may see the topic and do nothing with groups
			opts = append(opts, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "root"),
				kfake.User("PLAIN", "user", "right", kfake.ACL{
					Resource: kmsg.ACLResourceTypeTopic, Name: "*", Pattern: kmsg.ACLResourcePatternTypeLiteral,
					Operation: kmsg.ACLOperationAll, Allow: true,
				}))
		}
	}
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Defer(cluster.Close)
	if slices.Contains(args, "refusal") { // kfake only closes the connection; a broker answers
		cluster.ControlKey(kmsg.SASLAuthenticate.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			return &kmsg.SASLAuthenticateResponse{Version: 2, ErrorCode: kerr.SaslAuthenticationFailed.Code}, nil, true
		})
	}
	ts.Setenv("BROKERS", strings.Join(cluster.ListenAddrs(), ","))
	ts.Value(clusterKey{}).(*scriptCluster).Cluster = cluster
}

// fails lets the cluster answer each JoinGroup with an error: fails CODE
func fails(ts *testscript.TestScript, neg bool, args []string) {
	for number := range int16(200) {
		if e := kerr.ErrorForCode(number); e != nil {
			var found *kerr.Error
			if errors.As(e, &found) && found.Message == args[0] {
				ts.Value(clusterKey{}).(*scriptCluster).Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: "g", Err: found, Count: -1})
				return
			}
		}
	}
	ts.Fatalf("no error is called %s", args[0])
}

// certify makes a certificate for this machine, and writes the authority that vouches for it, itself, to ca.pem.
func certify(ts *testscript.TestScript) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	self := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, self, self, &key.PublicKey, key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
