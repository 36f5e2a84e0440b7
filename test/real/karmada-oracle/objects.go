package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	controllerruntime "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	configv1alpha1 "github.com/karmada-io/karmada/pkg/apis/config/v1alpha1"
	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	workv1alpha1 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/controllers/binding"
	"github.com/karmada-io/karmada/pkg/detector"
	"github.com/karmada-io/karmada/pkg/resourceinterpreter"
	"github.com/karmada-io/karmada/pkg/util/fedinformer/genericmanager"
	"github.com/karmada-io/karmada/pkg/util/fedinformer/keys"
	"github.com/karmada-io/karmada/pkg/util/indexregistry"
	"github.com/karmada-io/karmada/pkg/util/overridemanager"
)

// nativeOnly is Karmada's interpreter of native kinds where the interpreter of all kinds is asked for.
type nativeOnly struct {
	resourceinterpreter.ResourceInterpreter
}

func (nativeOnly) HookEnabled(kind schema.GroupVersionKind, operation configv1alpha1.InterpreterOperation) bool {
	return interpreter.HookEnabled(kind, operation)
}

func (nativeOnly) GetReplicas(object *unstructured.Unstructured) (int32, *workv1alpha2.ReplicaRequirements, error) {
	return interpreter.GetReplicas(object)
}

func (nativeOnly) ReviseReplica(object *unstructured.Unstructured, replicas int64) (*unstructured.Unstructured, error) {
	return interpreter.ReviseReplica(object, replicas)
}

func (nativeOnly) Retain(desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return interpreter.Retain(desired, observed)
}

// leavesTemplates is a client whose updates of templates do nothing: they would only change versions.
type leavesTemplates struct {
	client.Client
}

func (c leavesTemplates) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	if _, isTemplate := object.(*unstructured.Unstructured); isTemplate {
		return nil
	}
	return c.Client.Update(ctx, object, options...)
}

func knowing(objects ...client.Object) client.Client {
	builder := storeOf(objects...).
		WithIndex(&workv1alpha1.Work{}, indexregistry.WorkIndexByLabelResourceBindingID, indexregistry.GenLabelIndexerFunc(workv1alpha2.ResourceBindingPermanentIDLabel)).
		WithIndex(&workv1alpha1.Work{}, indexregistry.WorkIndexByLabelClusterResourceBindingID, indexregistry.GenLabelIndexerFunc(workv1alpha2.ClusterResourceBindingPermanentIDLabel))
	return leavesTemplates{builder.Build()}
}

// bind is the binding of a template that a policy claims, made anew or changed.
func bind(line []byte) (any, error) {
	var input struct {
		Object  content         `json:"object"`
		Policy  json.RawMessage `json:"policy"`
		Present json.RawMessage `json:"present"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: input.Object}
	known := []client.Object{}
	if len(input.Present) > 0 {
		present := bindingFor(object)
		if err := json.Unmarshal(input.Present, present); err != nil {
			return nil, err
		}
		known = append(known, present)
	}
	store := knowing(known...)
	judge := detector.ResourceDetector{
		Client: store, ResourceInterpreter: nativeOnly{}, EventRecorder: record.NewFakeRecorder(1_000),
	}
	key, err := keys.ClusterWideKeyFunc(object)
	if err != nil {
		return nil, err
	}
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(input.Policy, &kind); err != nil {
		return nil, err
	}
	if kind.Kind == "PropagationPolicy" {
		var policy policyv1alpha1.PropagationPolicy
		if err := json.Unmarshal(input.Policy, &policy); err != nil {
			return nil, err
		}
		err = judge.ApplyPolicy(object, key, false, &policy)
	} else {
		var policy policyv1alpha1.ClusterPropagationPolicy
		if err := json.Unmarshal(input.Policy, &policy); err != nil {
			return nil, err
		}
		err = judge.ApplyClusterPolicy(object, key, false, &policy)
	}
	if err != nil {
		return nil, err
	}
	if object.GetNamespace() == "" {
		var all workv1alpha2.ClusterResourceBindingList
		if err := store.List(context.Background(), &all); err != nil {
			return nil, err
		}
		return all.Items[0], nil
	}
	var all workv1alpha2.ResourceBindingList
	if err := store.List(context.Background(), &all); err != nil {
		return nil, err
	}
	return all.Items[0], nil
}

func bindingFor(object *unstructured.Unstructured) client.Object {
	if object.GetNamespace() == "" {
		return &workv1alpha2.ClusterResourceBinding{}
	}
	return &workv1alpha2.ResourceBinding{}
}

// templates is an informer that knows one template.
type templates struct {
	genericmanager.SingleClusterInformerManager
	object *unstructured.Unstructured
}

func (t templates) Lister(resource schema.GroupVersionResource) cache.GenericLister {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if err := indexer.Add(t.object); err != nil {
		panic(err)
	}
	return cache.NewGenericLister(indexer, resource.GroupResource())
}

func mapperOf(object *unstructured.Unstructured) meta.RESTMapper {
	kind := object.GroupVersionKind()
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{kind.GroupVersion()})
	scope := meta.RESTScopeNamespace
	if object.GetNamespace() == "" {
		scope = meta.RESTScopeRoot
	}
	mapper.Add(kind, scope)
	return mapper
}

// works are the Works that a binding's controller makes of a template, or changes.
func works(line []byte) (any, error) {
	var input struct {
		Object          content                                `json:"object"`
		Binding         json.RawMessage                        `json:"binding"`
		Clusters        []clusterv1alpha1.Cluster              `json:"clusters"`
		ClusterPolicies []policyv1alpha1.ClusterOverridePolicy `json:"clusterPolicies"`
		Policies        []policyv1alpha1.OverridePolicy        `json:"policies"`
		Present         []workv1alpha1.Work                    `json:"present"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: input.Object}
	made := bindingFor(object)
	if err := json.Unmarshal(input.Binding, made); err != nil {
		return nil, err
	}
	known := []client.Object{made}
	for i := range input.Clusters {
		known = append(known, &input.Clusters[i])
	}
	for i := range input.ClusterPolicies {
		known = append(known, &input.ClusterPolicies[i])
	}
	for i := range input.Policies {
		known = append(known, &input.Policies[i])
	}
	for i := range input.Present {
		known = append(known, &input.Present[i])
	}
	store := knowing(known...)
	recorder := record.NewFakeRecorder(1_000)
	request := controllerruntime.Request{NamespacedName: client.ObjectKeyFromObject(made)}
	var err error
	if object.GetNamespace() == "" {
		controller := binding.ClusterResourceBindingController{
			Client: store, InformerManager: templates{object: object}, EventRecorder: recorder, RESTMapper: mapperOf(object),
			OverrideManager: overridemanager.New(store, recorder), ResourceInterpreter: nativeOnly{},
		}
		_, err = controller.Reconcile(context.Background(), request)
	} else {
		controller := binding.ResourceBindingController{
			Client: store, InformerManager: templates{object: object}, EventRecorder: recorder, RESTMapper: mapperOf(object),
			OverrideManager: overridemanager.New(store, recorder), ResourceInterpreter: nativeOnly{},
		}
		_, err = controller.Reconcile(context.Background(), request)
	}
	var all workv1alpha1.WorkList
	if listed := store.List(context.Background(), &all); listed != nil {
		return nil, listed
	}
	failed := ""
	if err != nil {
		failed = err.Error()
	}
	return map[string]any{"works": all.Items, "failed": failed}, nil
}

var errNoObject = fmt.Errorf("the line has no object")

func rawOf(object content) (runtime.RawExtension, error) {
	if object == nil {
		return runtime.RawExtension{}, errNoObject
	}
	text, err := json.Marshal(object)
	return runtime.RawExtension{Raw: text}, err
}
