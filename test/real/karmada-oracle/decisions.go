package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/resourceinterpreter/default/native"
	"github.com/karmada-io/karmada/pkg/resourceinterpreter/default/thirdparty"
	"github.com/karmada-io/karmada/pkg/util/names"
	"github.com/karmada-io/karmada/pkg/util/overridemanager"
)

// content is an object of any kind; its whole numbers are int64, as the API machinery has them.
type content map[string]any

func (c *content) UnmarshalJSON(text []byte) error {
	return kubejson.Unmarshal(text, (*map[string]any)(c))
}

// overrides applies the override policies that match an object in one cluster.
func overrides(line []byte) (any, error) {
	var input struct {
		Object          content                                `json:"object"`
		Cluster         clusterv1alpha1.Cluster                `json:"cluster"`
		ClusterPolicies []policyv1alpha1.ClusterOverridePolicy `json:"clusterPolicies"`
		Policies        []policyv1alpha1.OverridePolicy        `json:"policies"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	objects := []client.Object{&input.Cluster}
	for i := range input.ClusterPolicies {
		objects = append(objects, &input.ClusterPolicies[i])
	}
	for i := range input.Policies {
		objects = append(objects, &input.Policies[i])
	}
	known := storeOf(objects...).Build()
	object := &unstructured.Unstructured{Object: input.Object}
	manager := overridemanager.New(known, record.NewFakeRecorder(1_000))
	clusterWide, namespaced, err := manager.ApplyOverridePolicies(object, input.Cluster.Name)
	if err != nil {
		return nil, err
	}
	return map[string]any{"object": object.Object, "clusterOverrides": clusterWide, "overrides": namespaced}, nil
}

var interpreter = native.NewDefaultInterpreter()

var thirdPartyInterpreter = thirdparty.NewConfigurableInterpreter()

// interpret asks one question of Karmada's interpreter of native kinds, or of that of third-party kinds for components.
func interpret(line []byte) (any, error) {
	var input struct {
		Method   string                              `json:"method"`
		Object   content                             `json:"object"`
		Observed content                             `json:"observed"`
		Replicas int64                               `json:"replicas"`
		Items    []workv1alpha2.AggregatedStatusItem `json:"items"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: input.Object}
	switch input.Method {
	case "replicas":
		replicas, requirements, err := interpreter.GetReplicas(object)
		return map[string]any{"replicas": replicas, "requirements": requirements}, err
	case "revise":
		revised, err := interpreter.ReviseReplica(object, input.Replicas)
		return contentOf(revised), err
	case "retain":
		retained, err := interpreter.Retain(object, &unstructured.Unstructured{Object: input.Observed})
		return contentOf(retained), err
	case "aggregate":
		aggregated, err := interpreter.AggregateStatus(object, input.Items)
		return contentOf(aggregated), err
	case "dependencies":
		return interpreter.GetDependencies(object)
	case "status":
		return interpreter.ReflectStatus(object)
	case "components":
		components, _, err := thirdPartyInterpreter.GetComponents(object)
		return components, err
	case "health":
		return interpreter.InterpretHealth(object)
	default:
		return nil, fmt.Errorf("the interpreter has no method %q", input.Method)
	}
}

func contentOf(object *unstructured.Unstructured) any {
	if object == nil {
		return nil
	}
	return object.Object
}

// objectNames are the names that Karmada gives to what it makes of a template.
func objectNames(line []byte) (any, error) {
	var input struct {
		Kind      string `json:"kind"`
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		GVK       string `json:"gvk"`
		Cluster   string `json:"cluster"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	return map[string]string{
		"binding":        names.GenerateBindingName(input.Kind, input.Name),
		"work":           names.GenerateWorkName(input.Kind, input.Name, input.Namespace),
		"policy":         names.GeneratePolicyName(input.Namespace, input.Name, input.GVK),
		"executionSpace": names.GenerateExecutionSpaceName(input.Cluster),
	}, nil
}
