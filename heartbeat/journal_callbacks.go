package heartbeat

//kbeat:pure

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// calls notes that the application is notified.
func (j *journal) calls(c Callback) {
	j.callback, j.called, j.described = c, j.now, nil
	switch c.Kind {
	case CallbackAssigned:
		j.owns, j.revoked = true, false
		attrs := append(j.description(c), eventAttr{"protocol", c.Protocol}, took(j.now-j.wanted))
		j.add(event{message: "assigned"}, j.assigned, attrs)
		j.assigned = identity{member: c.Member, generation: c.Generation}
		if j.after.Flags.Has(classic.RejoinNeeded) {
			j.wanted, j.why = j.now, j.after.Reason
		}
	case CallbackRevoked:
		if j.leaving { // nothing is kept
			c.Kind = CallbackLost
		}
		j.described = j.description(c)
	case CallbackLost:
		if attrs := j.description(c); j.leaving {
			j.described = attrs
		} else if j.owns && attrs != nil {
			j.warn("lost partitions", append(attrs, j.reason(c.Reason)...)...)
		}
		j.owns = false
	}
}

// ends notes that the application's callback has returned.
func (j *journal) ends(f Fired) {
	kind := j.callback.Kind
	switch f.Rule.Input {
	case classic.InputCallbackEnded, classic.InputReleased:
		if failed(f) { // "left group" has what lies behind it
			f.Err = nil
		}
		if j.described != nil {
			j.info("revoked", append(append(j.described, j.reason(j.callback.Reason)...), append(errOf(f), took(j.now-j.called))...)...)
		}
	case classic.InputCallbackFailed:
		j.warn("callback failed", append([]eventAttr{{"callback", kind.String()}}, append(errOf(f), took(j.now-j.called))...)...)
	default:
		return
	}
	j.callback, j.described = Callback{}, nil
	j.revoked = j.revoked || kind == CallbackRevoked
	if f.Rule.Input == classic.InputReleased {
		j.owns = false
	}
}

// loses notes that the generation was dropped while the application works in it. The callback that notifies the application
// comes with its next poll.
func (j *journal) loses(f Fired) {
	if !j.owns || f.Rule.Input == classic.InputReleased || !does(f, classic.EffectResetGeneration, classic.EffectResetIdentity) {
		return
	}
	attrs := j.description(Callback{Kind: CallbackLost, Member: j.before.Member, Generation: j.before.Generation, Protocol: j.before.Protocol})
	j.owns = false
	if attrs == nil {
		return
	}
	attrs = append(attrs, j.reason(j.after.Reason)...)
	if j.beaten {
		attrs = append(attrs, eventAttr{"last_answer", (j.now - j.beat).Round(time.Millisecond)})
	}
	j.warn("lost partitions", append(attrs, j.rule(f)...)...)
}

// description is what comes or goes by a callback, or by its equal; nil where nothing does. What was revoked is no more the
// application's to lose, unless the application says so.
func (j *journal) description(c Callback) []eventAttr {
	switch {
	case j.describe != nil:
		return j.describe(c)
	case c.Kind == CallbackAssigned:
		return []eventAttr{{"bytes", len(c.Assignment)}}
	case j.revoked:
		return nil
	}
	return []eventAttr{}
}
