package broker

// Option changes what Start starts.
type Option func(*options)

type options struct {
	brokers    int
	users      map[string]string // names to passwords; none: no authentication
	properties map[string]string
	front      func(id int32, listens string) (string, error) // nil: none
}

// Brokers is how many brokers the cluster has; 1 if not given. Each is a controller too, so 3 is the least that goes on
// after one has been killed. With 3 or more, topics have 3 replicas.
func Brokers(n int) Option { return func(o *options) { o.brokers = n } }

// Users makes the cluster ask for SASL/PLAIN with these names and passwords, and refuse what no ACL allows. The user
// "admin", whose password is Admin, is added: it may do all.
func Users(passwords map[string]string) Option { return func(o *options) { o.users = passwords } }

// Property sets a property of each broker, over what this package would write.
func Property(name, value string) Option { return func(o *options) { o.properties[name] = value } }

// Behind puts each listener of each broker, that of the controllers too, behind something: front returns the address that others
// are to know instead of the one where the broker listens, both as host and port.
func Behind(front func(id int32, listens string) (known string, err error)) Option {
	return func(o *options) { o.front = front }
}

// Admin is the password of the user "admin" of a cluster that has Users.
const Admin = "admin-secret"
