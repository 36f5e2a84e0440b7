package main

import (
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterapis "github.com/karmada-io/karmada/pkg/apis/cluster"
	"github.com/karmada-io/karmada/pkg/apis/cluster/mutation"
	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	"github.com/karmada-io/karmada/pkg/apis/cluster/validation"
)

// storedCluster is a new Cluster as Karmada's aggregated API server stores it, or the Status with which it refuses it.
func storedCluster(line []byte) (any, error) {
	var input struct {
		Object clusterv1alpha1.Cluster `json:"object"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	cluster := &clusterapis.Cluster{}
	if err := clusterv1alpha1.Convert_v1alpha1_Cluster_To_cluster_Cluster(&input.Object, cluster, nil); err != nil {
		return nil, err
	}
	cluster.Status = clusterapis.ClusterStatus{}
	if len(cluster.Spec.ResourceModels) == 0 {
		mutation.SetDefaultClusterResourceModels(cluster)
	} else {
		mutation.StandardizeClusterResourceModels(cluster.Spec.ResourceModels)
	}
	if errs := validation.ValidateCluster(cluster); len(errs) > 0 {
		status := apierrors.NewInvalid(clusterapis.Kind("Cluster"), cluster.Name, errs).Status()
		return map[string]any{"refused": metav1.Status{Message: status.Message, Details: status.Details}}, nil
	}
	mutation.MutateCluster(cluster)
	stored := &clusterv1alpha1.Cluster{}
	if err := clusterv1alpha1.Convert_cluster_Cluster_To_v1alpha1_Cluster(cluster, stored, nil); err != nil {
		return nil, err
	}
	return map[string]any{"stored": stored.Spec}, nil
}
