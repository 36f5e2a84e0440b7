package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

const tracking = "app.kubernetes.io/instance"

type gitopsFinding struct {
	// Types that discovery names, and those of them that are Karmada's.
	Types        int `json:"types"`
	KarmadaTypes int `json:"karmadaTypes"`
	// What each step did, e.g. `ConfigMap/settings created`.
	Steps []string `json:"steps"`
	Wrong []string `json:"wrong"`
}

func (f gitopsFinding) good() bool { return len(f.Wrong) == 0 }

// Works as Argo CD's and Flux's engines do: whole discovery, a RESTMapper, a dry-run to see what differs, server-side apply
// under a field manager of its own, a watch for health, and pruning by label what the next revision no longer has.
func gitops(ctx context.Context, config *rest.Config, namespace string) (gitopsFinding, error) {
	finding := gitopsFinding{Steps: []string{}, Wrong: []string{}}
	names, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return finding, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return finding, err
	}
	lists, err := names.ServerPreferredResources()
	if err != nil {
		return finding, err
	}
	listable := []schema.GroupVersionResource{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return finding, err
		}
		for _, one := range list.APIResources {
			finding.Types++
			if strings.HasSuffix(version.Group, ".karmada.io") {
				finding.KarmadaTypes++
			}
			if one.Namespaced && slices.Contains(one.Verbs, "list") && slices.Contains(one.Verbs, "delete") {
				listable = append(listable, version.WithResource(one.Name))
			}
		}
	}
	engine := engine{
		mapper:    restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(names)),
		objects:   objects,
		namespace: namespace,
		finding:   &finding,
	}
	revisions := [][]string{{settings("one"), deployment, policy}, {settings("two"), deployment}, {}}
	for _, revision := range revisions {
		if err := engine.sync(ctx, revision, listable); err != nil {
			return finding, err
		}
	}
	return finding, nil
}

type engine struct {
	mapper    *restmapper.DeferredDiscoveryRESTMapper
	objects   dynamic.Interface
	namespace string
	finding   *gitopsFinding
}

func (e engine) sync(ctx context.Context, manifests []string, listable []schema.GroupVersionResource) error {
	kept := map[types.UID]bool{}
	for _, text := range manifests {
		uid, err := e.apply(ctx, text)
		if err != nil {
			return err
		}
		kept[uid] = true
	}
	for _, kind := range listable {
		found, err := e.objects.Resource(kind).Namespace(e.namespace).List(ctx, metav1.ListOptions{LabelSelector: tracking + "=shop"})
		if err != nil {
			e.finding.Wrong = append(e.finding.Wrong, fmt.Sprintf("list %s: %v", kind.Resource, err))
			continue
		}
		for _, one := range found.Items {
			// What is going already waits for its finalizers, and for the garbage collector.
			if kept[one.GetUID()] || len(one.GetOwnerReferences()) > 0 || one.GetDeletionTimestamp() != nil {
				continue
			}
			policy := metav1.DeletePropagationForeground
			uid := one.GetUID()
			err := e.objects.Resource(kind).Namespace(e.namespace).Delete(ctx, one.GetName(), metav1.DeleteOptions{
				PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid},
			})
			if err != nil {
				return err
			}
			kept[uid] = true
			e.step(one.GetKind(), one.GetName(), "pruned")
		}
	}
	return nil
}

func (e engine) apply(ctx context.Context, text string) (types.UID, error) {
	wanted := unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		return "", err
	}
	wanted.SetLabels(map[string]string{tracking: "shop"})
	kind := wanted.GroupVersionKind()
	mapping, err := e.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return "", err
	}
	resource := e.objects.Resource(mapping.Resource).Namespace(e.namespace)
	before, err := resource.Get(ctx, wanted.GetName(), metav1.GetOptions{})
	wasThere := err == nil
	options := metav1.ApplyOptions{FieldManager: "gitops", Force: true}
	dry := options
	dry.DryRun = []string{metav1.DryRunAll}
	predicted, err := resource.Apply(ctx, wanted.GetName(), &wanted, dry)
	if err != nil {
		return "", err
	}
	after, err := resource.Apply(ctx, wanted.GetName(), &wanted, options)
	if err != nil {
		return "", err
	}
	// Read your own write: what comes back now is what was just written, or newer.
	read, err := resource.Get(ctx, wanted.GetName(), metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if read.GetUID() != after.GetUID() {
		e.finding.Wrong = append(e.finding.Wrong, fmt.Sprintf("%s/%s read back is another object", wanted.GetKind(), wanted.GetName()))
	}
	if fmt.Sprint(predicted.Object["data"]) != fmt.Sprint(after.Object["data"]) {
		e.finding.Wrong = append(e.finding.Wrong, fmt.Sprintf("%s/%s is not what the dry run said", wanted.GetKind(), wanted.GetName()))
	}
	switch {
	case !wasThere:
		e.step(wanted.GetKind(), wanted.GetName(), "created")
	case before.GetResourceVersion() == after.GetResourceVersion():
		e.step(wanted.GetKind(), wanted.GetName(), "unchanged")
	default:
		e.step(wanted.GetKind(), wanted.GetName(), "configured")
	}
	return after.GetUID(), nil
}

func (e engine) step(kind, name, what string) {
	e.finding.Steps = append(e.finding.Steps, fmt.Sprintf("%s/%s %s", kind, name, what))
}

func settings(value string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop-settings"},"data":{"mode":"` + value + `"}}`
}

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"replicas":1,
  "selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}},
  "spec":{"containers":[{"name":"shop","image":"shop:1"}]}}}}`

const policy = `{"apiVersion":"policy.karmada.io/v1alpha1","kind":"PropagationPolicy","metadata":{"name":"shop"},
  "spec":{"resourceSelectors":[{"apiVersion":"v1","kind":"ConfigMap","name":"shop-settings"}],
  "placement":{"clusterAffinity":{"clusterNames":["member-1"]}}}}`
