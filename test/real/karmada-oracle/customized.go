package main

import (
	"context"
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	configv1alpha1 "github.com/karmada-io/karmada/pkg/apis/config/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	"github.com/karmada-io/karmada/pkg/resourceinterpreter/customized/declarative"
	"github.com/karmada-io/karmada/pkg/webhook/resourceinterpretercustomization"
)

// customized asks one question of the interpreter that customizations (Lua scripts) make. Each answer comes from a Lua state of its own.
func customized(line []byte) (any, error) {
	var input struct {
		Customizations []*configv1alpha1.ResourceInterpreterCustomization `json:"customizations"`
		Method         string                                             `json:"method"`
		Object         content                                            `json:"object"`
		Observed       content                                            `json:"observed"`
		Replicas       int64                                              `json:"replicas"`
		Items          []workv1alpha2.AggregatedStatusItem                `json:"items"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	rules := declarative.NewConfigurableInterpreter(nil)
	rules.LoadConfig(input.Customizations)
	object := &unstructured.Unstructured{Object: input.Object}
	answer := func(enabled bool, result any, err error) (any, error) {
		if err != nil || !enabled {
			return map[string]any{"enabled": enabled}, err
		}
		return map[string]any{"enabled": true, "result": result}, nil
	}
	switch input.Method {
	case "replicas":
		replicas, requirements, enabled, err := rules.GetReplicas(object)
		return answer(enabled, map[string]any{"replicas": replicas, "requirements": requirements}, err)
	case "components":
		components, enabled, err := rules.GetComponents(object)
		return answer(enabled, components, err)
	case "revise":
		revised, enabled, err := rules.ReviseReplica(object, input.Replicas)
		return answer(enabled, contentOf(revised), err)
	case "retain":
		retained, enabled, err := rules.Retain(object, &unstructured.Unstructured{Object: input.Observed})
		return answer(enabled, contentOf(retained), err)
	case "aggregate":
		aggregated, enabled, err := rules.AggregateStatus(object, input.Items)
		return answer(enabled, contentOf(aggregated), err)
	case "dependencies":
		dependencies, enabled, err := rules.GetDependencies(object)
		return answer(enabled, dependencies, err)
	case "status":
		status, enabled, err := rules.ReflectStatus(object)
		return answer(enabled, status, err)
	case "health":
		healthy, enabled, err := rules.InterpretHealth(object)
		return answer(enabled, healthy, err)
	default:
		return nil, fmt.Errorf("the interpreter has no method %q", input.Method)
	}
}

// customizationRefusal is what Karmada's webhook says of a customization, beside those that are there.
func customizationRefusal(line []byte) (any, error) {
	var input struct {
		Customization json.RawMessage                                   `json:"customization"`
		Present       []configv1alpha1.ResourceInterpreterCustomization `json:"present"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	builder := storeOf()
	for i := range input.Present {
		builder = builder.WithObjects(&input.Present[i])
	}
	webhook := resourceinterpretercustomization.ValidatingAdmission{
		Client:  builder.Build(),
		Decoder: admission.NewDecoder(scheme),
	}
	response := webhook.Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Object: runtime.RawExtension{Raw: input.Customization},
	}})
	return map[string]any{"allowed": response.Allowed, "message": response.Result.Message}, nil
}
