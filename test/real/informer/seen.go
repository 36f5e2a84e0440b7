package main

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// One event as a client was told of it.
type event struct {
	kind            string
	uid             types.UID
	resourceVersion string
}

// The events that one client saw, in their order.
type seen struct {
	mutex  sync.Mutex
	events []event
	// Updates to the same version: how client-go tells its handlers that a list confirmed what they know.
	confirmed int
	// Deletions that a list told of, whose last version is not known.
	presumed int
	// Name of the object that ends the churn, and a channel closed when it was seen.
	last  string
	ended chan struct{}
	once  sync.Once
}

func newSeen(last string) *seen { return &seen{last: last, ended: make(chan struct{})} }

func (s *seen) add(kind string, object any) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	s.mutex.Lock()
	s.events = append(s.events, event{kind, accessor.GetUID(), accessor.GetResourceVersion()})
	s.mutex.Unlock()
	if accessor.GetName() == s.last && kind == "ADDED" {
		s.once.Do(func() { close(s.ended) })
	}
}

// An informer's handler that writes down what it is told.
func (s *seen) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { s.add("ADDED", object) },
		UpdateFunc: func(before, after any) {
			if versionOf(before) == versionOf(after) {
				s.mutex.Lock()
				s.confirmed++
				s.mutex.Unlock()
				return
			}
			s.add("MODIFIED", after)
		},
		DeleteFunc: func(object any) {
			if unknown, isUnknown := object.(cache.DeletedFinalStateUnknown); isUnknown {
				s.mutex.Lock()
				s.presumed++
				s.mutex.Unlock()
				s.add("PRESUMED", unknown.Obj)
				return
			}
			s.add("DELETED", object)
		},
	}
}

func versionOf(object any) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return accessor.GetResourceVersion()
}

func (s *seen) all() []event {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]event(nil), s.events...)
}

// Compares what an informer saw, object by object, with everything that happened. An informer that was told to begin
// anew (a list after the first) may have missed what lay between: then each object's events must still be some of those that
// happened, in their order and none twice. Otherwise they must be all of them.
func compare(happened, saw []event, initial map[types.UID]string, whole bool) string {
	truth := map[types.UID][]event{}
	for _, one := range happened {
		truth[one.uid] = append(truth[one.uid], one)
	}
	perObject := map[types.UID][]event{}
	for _, one := range saw {
		perObject[one.uid] = append(perObject[one.uid], one)
	}
	for uid, events := range perObject {
		if version, wasThere := initial[uid]; wasThere && len(events) > 0 && events[0].kind == "ADDED" && events[0].resourceVersion == version {
			events = events[1:]
		}
		at := 0
		for _, one := range events {
			if one.kind == "PRESUMED" {
				continue
			}
			found := false
			for ; at < len(truth[uid]) && !found; at++ {
				found = truth[uid][at].resourceVersion == one.resourceVersion
			}
			if !found {
				return fmt.Sprintf("%v is out of order, twice, or never happened", one)
			}
			if kind := truth[uid][at-1].kind; whole && kind != one.kind {
				return fmt.Sprintf("%v was %s", one, kind)
			}
		}
		if whole && len(events) != len(truth[uid]) {
			return fmt.Sprintf("%d of %d events of %s", len(events), len(truth[uid]), uid)
		}
	}
	if whole {
		for uid := range truth {
			if _, known := perObject[uid]; !known {
				return fmt.Sprintf("%s was never heard of", uid)
			}
		}
	}
	return ""
}

// The versions by uid of objects in a list or store.
func versions[T runtime.Object](objects []T) map[types.UID]string {
	all := map[types.UID]string{}
	for _, object := range objects {
		accessor, err := meta.Accessor(object)
		if err != nil {
			panic(err)
		}
		all[accessor.GetUID()] = accessor.GetResourceVersion()
	}
	return all
}
