package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

const lastName = "churn-end"

// How long the last events may take to arrive after the last write: reaching it means that they never will.
const patience = 3 * time.Minute

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

type churnOptions struct {
	direct, through, namespace string
	duration                   time.Duration
	rate                       float64
	cut                        time.Duration
	expire                     int
}

// What one client saw.
type view struct {
	Name    string `json:"name"`
	Events  int    `json:"events"`
	Lists   int64  `json:"lists"`
	Watches int64  `json:"watches"`
	Cuts    int64  `json:"cuts"`
	Expired int64  `json:"expired"`
	// Updates to the same version, and deletions without their last version: what lists after the first told of.
	Confirmed int `json:"confirmed"`
	Presumed  int `json:"presumed"`
	// Empty when it saw what it must.
	Wrong string `json:"wrong,omitempty"`
}

type churnFinding struct {
	Seconds float64 `json:"seconds"`
	Writes  int64   `json:"writes"`
	// Writes that failed on the way, and may or may not have been executed.
	Unclear int64 `json:"unclear"`
	// Objects at the end.
	Objects int    `json:"objects"`
	Views   []view `json:"views"`
}

func (f churnFinding) good() bool {
	return f.Writes > 0 && !slices.ContainsFunc(f.Views, func(one view) bool { return one.Wrong != "" })
}

// One client: its wire, what it saw, and (of an informer) what it keeps.
type client struct {
	name  string
	wire  *wire
	seen  *seen
	store cache.Store
}

// Objects change for a while, written half directly and half through the proxy, while clients of every kind follow them: two
// watchers that never list again, one on each side, and informers of each kind of client that client-go has.
func churn(ctx context.Context, options churnOptions) (churnFinding, error) {
	started := time.Now()
	steady, err := newWire(options.direct, 0)
	if err != nil {
		return churnFinding{}, err
	}
	truth, err := kubernetes.NewForConfig(steady.config)
	if err != nil {
		return churnFinding{}, err
	}
	objects := truth.CoreV1().ConfigMaps(options.namespace)
	if err := objects.Delete(ctx, lastName, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return churnFinding{}, err
	}
	first, err := objects.List(ctx, metav1.ListOptions{})
	if err != nil {
		return churnFinding{}, err
	}
	initial := versions(pointers(first.Items))

	clients, err := startClients(ctx, options, first.ResourceVersion)
	if err != nil {
		return churnFinding{}, err
	}
	// Ctrl-C ends the writing early, and what happened until then is judged.
	interrupted, release := signal.NotifyContext(ctx, os.Interrupt)
	defer release()
	writing, stop := context.WithTimeout(interrupted, options.duration)
	defer stop()
	for _, one := range clients {
		go one.wire.cutEvery(writing, options.cut)
	}
	finding := churnFinding{}
	if err := write(writing, options, &finding); err != nil {
		return finding, err
	}
	_, err = objects.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: lastName}}, metav1.CreateOptions{})
	if err != nil {
		return finding, err
	}
	last, err := objects.List(ctx, metav1.ListOptions{})
	if err != nil {
		return finding, err
	}
	deadline := time.After(patience)
	for _, one := range clients {
		wrong := ""
		select {
		case <-one.seen.ended:
		case <-deadline:
			wrong = "never saw the end"
		}
		finding.Views = append(finding.Views, view{Name: one.name, Wrong: wrong})
	}
	happened := clients[0].seen.all()
	for index, one := range clients {
		judge(&finding.Views[index], one, happened, initial, versions(pointers(last.Items)))
	}
	finding.Objects = len(last.Items)
	finding.Seconds = time.Since(started).Seconds()
	return finding, nil
}

func judge(view *view, one client, happened []event, initial, final map[types.UID]string) {
	saw := one.seen.all()
	view.Events, view.Confirmed, view.Presumed = len(saw), one.seen.confirmed, one.seen.presumed
	view.Lists, view.Watches = one.wire.lists.Load(), one.wire.watches.Load()
	view.Cuts, view.Expired = one.wire.cuts.Load(), one.wire.expired.Load()
	if view.Wrong != "" {
		return
	}
	if one.store == nil {
		if !slices.Equal(saw, happened) {
			view.Wrong = "not the events that the other watcher saw, in their order"
		}
		return
	}
	kept := make([]runtime.Object, 0, len(final))
	for _, object := range one.store.List() {
		kept = append(kept, object.(runtime.Object))
	}
	if !maps.Equal(versions(kept), final) {
		view.Wrong = "keeps other objects than the server"
		return
	}
	// Client-go falls back to a list where it may not watch from the beginning: that counts as one beginning, too.
	view.Wrong = compare(happened, saw, initial, view.Lists <= 1)
}

func pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for index := range items {
		all[index] = &items[index]
	}
	return all
}

func startClients(ctx context.Context, options churnOptions, from string) ([]client, error) {
	clients := []client{}
	for _, side := range []struct{ name, kubeconfig string }{{"direct", options.direct}, {"through", options.through}} {
		one, err := startWatcher(ctx, side.name+" watcher", side.kubeconfig, options.namespace, from)
		if err != nil {
			return nil, err
		}
		clients = append(clients, one)
	}
	for _, kind := range informerKinds {
		for _, side := range []struct{ name, kubeconfig string }{{"direct", options.direct}, {"through", options.through}} {
			// The plain ones are never made to begin anew, so that of them every event can be asked for.
			expire := 0
			if kind.expires {
				expire = options.expire
			}
			one, err := startInformer(ctx, side.name+" "+kind.name, side.kubeconfig, options.namespace, expire, kind.of)
			if err != nil {
				return nil, err
			}
			clients = append(clients, one)
		}
	}
	return clients, nil
}

// A watcher that resumes where it broke and never lists: it sees every event or fails.
func startWatcher(ctx context.Context, name, kubeconfig, namespace, from string) (client, error) {
	wire, err := newWire(kubeconfig, 0)
	if err != nil {
		return client{}, err
	}
	api, err := kubernetes.NewForConfig(wire.config)
	if err != nil {
		return client{}, err
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, from, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return api.CoreV1().ConfigMaps(namespace).Watch(ctx, options)
		},
	})
	if err != nil {
		return client{}, err
	}
	seen := newSeen(lastName)
	go func() {
		for one := range watcher.ResultChan() {
			if one.Type == watch.Error {
				fmt.Printf("%s: %v\n", name, apierrors.FromObject(one.Object))
				continue
			}
			seen.add(string(one.Type), one.Object)
		}
	}()
	return client{name: name, wire: wire, seen: seen}, nil
}

type informerOf func(config *rest.Config, namespace string) (cache.SharedIndexInformer, error)

func typed(contentType string) informerOf {
	return func(config *rest.Config, namespace string) (cache.SharedIndexInformer, error) {
		config.ContentType, config.AcceptContentTypes = contentType, contentType+",application/json"
		api, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := informers.NewSharedInformerFactoryWithOptions(api, 0, informers.WithNamespace(namespace))
		return factory.Core().V1().ConfigMaps().Informer(), nil
	}
}

var informerKinds = []struct {
	name    string
	expires bool
	of      informerOf
}{
	{"informer", false, typed("application/json")},
	{"informer over protobuf", false, typed("application/vnd.kubernetes.protobuf")},
	{"informer that expires", true, typed("application/json")},
	{"informer of metadata that expires", true, func(config *rest.Config, namespace string) (cache.SharedIndexInformer, error) {
		api, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewFilteredMetadataInformer(api, configMaps, namespace, 0, nil, nil).Informer(), nil
	}},
	{"dynamic informer", false, func(config *rest.Config, namespace string) (cache.SharedIndexInformer, error) {
		api, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewFilteredDynamicInformer(api, configMaps, namespace, 0, nil, nil).Informer(), nil
	}},
}

func startInformer(ctx context.Context, name, kubeconfig, namespace string, expire int, of informerOf) (client, error) {
	wire, err := newWire(kubeconfig, expire)
	if err != nil {
		return client{}, err
	}
	informer, err := of(wire.config, namespace)
	if err != nil {
		return client{}, err
	}
	seen := newSeen(lastName)
	registration, err := informer.AddEventHandler(seen.handler())
	if err != nil {
		return client{}, err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		return client{}, fmt.Errorf("%s never synced", name)
	}
	return client{name: name, wire: wire, seen: seen, store: informer.GetStore()}, nil
}

// Creates, updates and deletes until its time is over. What fails on the way may have been executed; nothing here counts on
// the one or the other.
func write(ctx context.Context, options churnOptions, finding *churnFinding) error {
	var writes, unclear atomic.Int64
	var wait sync.WaitGroup
	for number, kubeconfig := range []string{options.direct, options.through} {
		wire, err := newWire(kubeconfig, 0)
		if err != nil {
			return err
		}
		api, err := kubernetes.NewForConfig(wire.config)
		if err != nil {
			return err
		}
		dice := rand.New(rand.NewSource(int64(number)))
		wait.Go(func() {
			ticker := time.NewTicker(time.Duration(2 * float64(time.Second) / options.rate))
			defer ticker.Stop()
			for count := 0; ; count++ {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				// What is under way when the time is over is waited for: cancelled, it might still be executed, after the last list.
				err := writeOne(context.WithoutCancel(ctx), api, options.namespace, dice, count)
				if err == nil {
					writes.Add(1)
				} else if !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
					unclear.Add(1)
				}
			}
		})
	}
	wait.Wait()
	finding.Writes, finding.Unclear = writes.Load(), unclear.Load()
	return nil
}

// Few names, so that deleting and creating again under one name is common.
const names = 100

func writeOne(ctx context.Context, api kubernetes.Interface, namespace string, dice *rand.Rand, count int) error {
	objects := api.CoreV1().ConfigMaps(namespace)
	name := fmt.Sprintf("churn-%03d", dice.Intn(names))
	switch roll := dice.Intn(10); {
	case roll < 2:
		return objects.Delete(ctx, name, metav1.DeleteOptions{})
	case roll < 7:
		patch := []byte(`{"data":{"count":"` + strconv.Itoa(count) + `"}}`)
		_, err := objects.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		if !apierrors.IsNotFound(err) {
			return err
		}
	}
	_, err := objects.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "churn"}},
		Data:       map[string]string{"count": strconv.Itoa(count)},
	}, metav1.CreateOptions{})
	return err
}
