package main

import (
	"context"
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/karmada-io/karmada/pkg/resourceinterpreter/default/native/prune"
	"github.com/karmada-io/karmada/pkg/util"
	"github.com/karmada-io/karmada/pkg/util/objectwatcher"
	"github.com/karmada-io/karmada/pkg/webhook/clusterpropagationpolicy"
	"github.com/karmada-io/karmada/pkg/webhook/clusterresourcebinding"
	"github.com/karmada-io/karmada/pkg/webhook/overridepolicy"
	"github.com/karmada-io/karmada/pkg/webhook/propagationpolicy"
	"github.com/karmada-io/karmada/pkg/webhook/resourcebinding"
	"github.com/karmada-io/karmada/pkg/webhook/work"
)

// pruned is an object without what belongs to the API server that it came from, as Karmada writes it into a Work.
func pruned(line []byte) (any, error) {
	var input struct {
		Object content `json:"object"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: input.Object}
	err := prune.RemoveIrrelevantFields(object, prune.RemoveJobTTLSeconds)
	return object.Object, err
}

// inMember is what Karmada sends to a member whose object is there already; no object where it sends nothing.
func inMember(line []byte) (any, error) {
	var input struct {
		Manifest content `json:"manifest"`
		Observed content `json:"observed"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	manifest := &unstructured.Unstructured{Object: input.Manifest}
	observed := &unstructured.Unstructured{Object: input.Observed}
	var sent any
	member := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{})
	member.PrependReactor("update", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object := action.(clienttesting.UpdateAction).GetObject()
		sent = object.(*unstructured.Unstructured).Object
		return true, object, nil
	})
	connect := func(name string, _ client.Client, _ *util.ClientOption) (*util.DynamicClusterClient, error) {
		return &util.DynamicClusterClient{DynamicClientSet: member, ClusterName: name}, nil
	}
	watcher := objectwatcher.NewObjectWatcher(nil, mapperOf(manifest), connect, nil, nativeOnly{})
	if _, err := watcher.Update(context.Background(), "member", manifest, observed); err != nil {
		return nil, err
	}
	return map[string]any{"sent": sent}, nil
}

var decoder = admission.NewDecoder(scheme)

var mutating = map[string]admission.Handler{
	"PropagationPolicy":        propagationpolicy.NewMutatingHandler(decoder),
	"ClusterPropagationPolicy": clusterpropagationpolicy.NewMutatingHandler(decoder),
	"OverridePolicy":           &overridepolicy.MutatingAdmission{Decoder: decoder},
	"ResourceBinding":          &resourcebinding.MutatingAdmission{Decoder: decoder},
	"ClusterResourceBinding":   &clusterresourcebinding.MutatingAdmission{Decoder: decoder},
	"Work":                     &work.MutatingAdmission{Decoder: decoder},
}

// mutate answers with the JSON patch of a mutating webhook.
func mutate(line []byte) (any, error) {
	var input struct {
		Operation string  `json:"operation"`
		Object    content `json:"object"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: input.Object}
	raw, err := rawOf(input.Object)
	if err != nil {
		return nil, err
	}
	handler, known := mutating[object.GetKind()]
	if !known {
		return nil, fmt.Errorf("no webhook changes objects of kind %s", object.GetKind())
	}
	response := handler.Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: admissionv1.Operation(input.Operation), Namespace: object.GetNamespace(), Object: raw,
	}})
	if !response.Allowed {
		return nil, fmt.Errorf("refused: %s", response.Result.Message)
	}
	return map[string]any{"patches": response.Patches}, nil
}
