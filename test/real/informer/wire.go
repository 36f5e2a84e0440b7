package main

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/connrotation"
)

// A wire to an API server that can be cut, and that counts what is asked over it.
type wire struct {
	config *rest.Config
	dialer *connrotation.Dialer
	// Requests for a whole collection: lists, and watches that begin with one.
	lists atomic.Int64
	// Watches, however they began.
	watches atomic.Int64
	// Watches that were made to begin where the server has forgotten.
	expired atomic.Int64
	cuts    atomic.Int64
	// Every how many resumed watches; 0 for none.
	expire  int
	resumed atomic.Int64
}

func newWire(kubeconfig string, expire int) (*wire, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	// The limits of a client against its own haste would hide what the server does.
	config.QPS, config.Burst = -1, -1
	wire := &wire{config: config, expire: expire}
	wire.dialer = connrotation.NewDialer((&net.Dialer{Timeout: 30 * time.Second}).DialContext)
	config.Dial = wire.dialer.DialContext
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{wire, next} })
	return wire, nil
}

func (w *wire) cut() {
	w.cuts.Add(1)
	w.dialer.CloseAll()
}

// Cuts again and again until told to end.
func (w *wire) cutEvery(ctx context.Context, every time.Duration) {
	if every <= 0 {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.cut()
		}
	}
}

type counting struct {
	wire *wire
	next http.RoundTripper
}

func (c counting) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	isWatch := query.Get("watch") == "true" || query.Get("watch") == "1"
	if isWatch {
		c.wire.watches.Add(1)
	}
	begins := isWatch && query.Get("sendInitialEvents") == "true"
	if begins || (request.Method == http.MethodGet && !isWatch) {
		c.wire.lists.Add(1)
	}
	if isWatch && !begins && c.wire.expire > 0 && c.wire.resumed.Add(1)%int64(c.wire.expire) == 0 {
		// The server itself says that this is too old: what follows is its own answer and the client's own recovery.
		c.wire.expired.Add(1)
		request = request.Clone(request.Context())
		query.Set("resourceVersion", "1")
		request.URL.RawQuery = query.Encode()
	}
	return c.next.RoundTrip(request)
}
