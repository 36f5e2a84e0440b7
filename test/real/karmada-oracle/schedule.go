package main

import (
	"context"
	"encoding/json"
	"errors"
	"sort"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"
	clusterlister "github.com/karmada-io/karmada/pkg/generated/listers/cluster/v1alpha1"
	schedulercache "github.com/karmada-io/karmada/pkg/scheduler/cache"
	"github.com/karmada-io/karmada/pkg/scheduler/core"
	"github.com/karmada-io/karmada/pkg/scheduler/framework"
	"github.com/karmada-io/karmada/pkg/scheduler/framework/plugins"
	"github.com/karmada-io/karmada/pkg/util/helper"
	"github.com/karmada-io/karmada/pkg/util/indexregistry"
)

type placed struct {
	Name     string `json:"name"`
	Replicas int32  `json:"replicas"`
}

type scheduled struct {
	Clusters []placed `json:"clusters"`
	// Empty, NoClusterFit, Unschedulable or SchedulerError: the reason of the Scheduled condition.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// The first filter's words for each cluster that was refused; of several filters, Karmada runs them in no order.
	Refused map[string][]string `json:"refused,omitempty"`
}

// schedule runs filters, scores, selection and assignment for one binding over some clusters, beside other bindings.
func schedule(line []byte) (any, error) {
	var input struct {
		Spec     workv1alpha2.ResourceBindingSpec   `json:"spec"`
		Status   workv1alpha2.ResourceBindingStatus `json:"status"`
		Clusters []clusterv1alpha1.Cluster          `json:"clusters"`
		Bindings []workv1alpha2.ResourceBinding     `json:"bindings"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	algorithm, err := schedulerOver(input.Clusters, input.Bindings)
	if err != nil {
		return nil, err
	}
	return decide(algorithm, &input.Spec, &input.Status), nil
}

// decided is what was decided for each binding, how long each decision took, and the CPU time of all of them: that of the whole
// process, with its garbage collection.
type decided struct {
	Decisions      []scheduled `json:"decisions"`
	Nanoseconds    []int64     `json:"nanoseconds"`
	CPUNanoseconds int64       `json:"cpuNanoseconds"`
}

// scheduleAll decides many bindings over the same clusters, one after the other.
func scheduleAll(line []byte) (any, error) {
	var input struct {
		Clusters []clusterv1alpha1.Cluster `json:"clusters"`
		Bindings []struct {
			Spec   workv1alpha2.ResourceBindingSpec   `json:"spec"`
			Status workv1alpha2.ResourceBindingStatus `json:"status"`
		} `json:"bindings"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	algorithm, err := schedulerOver(input.Clusters, nil)
	if err != nil {
		return nil, err
	}
	all := decided{Decisions: []scheduled{}, Nanoseconds: []int64{}}
	before, err := usedCPU()
	if err != nil {
		return nil, err
	}
	for i := range input.Bindings {
		began := time.Now()
		decision := decide(algorithm, &input.Bindings[i].Spec, &input.Bindings[i].Status)
		all.Nanoseconds = append(all.Nanoseconds, time.Since(began).Nanoseconds())
		all.Decisions = append(all.Decisions, decision)
	}
	after, err := usedCPU()
	if err != nil {
		return nil, err
	}
	all.CPUNanoseconds = after - before
	return all, nil
}

// usedCPU is the CPU time of this process so far, user and system, in nanoseconds.
func usedCPU() (int64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return usage.Utime.Nano() + usage.Stime.Nano(), nil
}

// schedulerOver is Karmada's scheduler with all of its plugins, which knows these clusters and bindings.
func schedulerOver(
	clusters []clusterv1alpha1.Cluster, bindings []workv1alpha2.ResourceBinding,
) (core.ScheduleAlgorithm, error) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for i := range clusters {
		if err := indexer.Add(&clusters[i]); err != nil {
			return nil, err
		}
	}
	grouped := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		indexregistry.ResourceBindingIndexByAffinityGroup: byGroup(
			func(groups *workv1alpha2.WorkloadAffinityGroups) string { return groups.AffinityGroup }),
		indexregistry.ResourceBindingIndexByAntiAffinityGroup: byGroup(
			func(groups *workv1alpha2.WorkloadAffinityGroups) string { return groups.AntiAffinityGroup }),
	})
	for i := range bindings {
		if err := grouped.Add(&bindings[i]); err != nil {
			return nil, err
		}
	}
	known := schedulercache.NewCache(clusterlister.NewClusterLister(indexer), grouped, time.Minute)
	return core.NewGenericScheduler(known, plugins.NewInTreeRegistry())
}

// byGroup indexes bindings by one of their groups; those without it are left out.
func byGroup(groupOf func(*workv1alpha2.WorkloadAffinityGroups) string) cache.IndexFunc {
	return func(object any) ([]string, error) {
		groups := object.(*workv1alpha2.ResourceBinding).Spec.WorkloadAffinityGroups
		if groups == nil || groupOf(groups) == "" {
			return nil, nil
		}
		return []string{groupOf(groups)}, nil
	}
}

func decide(
	algorithm core.ScheduleAlgorithm, spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus,
) scheduled {
	result, err := algorithm.Schedule(context.Background(), spec, status, &core.ScheduleAlgorithmOption{})
	if err != nil {
		return refusal(err)
	}
	return scheduled{Clusters: sorted(result.SuggestedClusters)}
}

func refusal(err error) scheduled {
	var unfit *framework.FitError
	var unschedulable *framework.UnschedulableError
	refused := scheduled{Clusters: []placed{}, Message: err.Error(), Reason: workv1alpha2.BindingReasonSchedulerError}
	if errors.As(err, &unschedulable) {
		refused.Reason = workv1alpha2.BindingReasonUnschedulable
	} else if errors.As(err, &unfit) {
		refused.Reason = workv1alpha2.BindingReasonNoClusterFit
		refused.Refused = map[string][]string{}
		for name, result := range unfit.Diagnosis.ClusterToResultMap {
			refused.Refused[name] = result.Reasons()
		}
	}
	return refused
}

func sorted(clusters []workv1alpha2.TargetCluster) []placed {
	all := make([]placed, 0, len(clusters))
	for _, cluster := range clusters {
		all = append(all, placed{cluster.Name, cluster.Replicas})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// seats divides replicas by weight, breaking ties as the uid of the template says.
func seats(line []byte) (any, error) {
	var input struct {
		Replicas int32            `json:"replicas"`
		Votes    map[string]int64 `json:"votes"`
		Initial  map[string]int32 `json:"initial"`
		UID      types.UID        `json:"uid"`
	}
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	initial := []workv1alpha2.TargetCluster{}
	for name, replicas := range input.Initial {
		initial = append(initial, workv1alpha2.TargetCluster{Name: name, Replicas: replicas})
	}
	weights := helper.ClusterWeightInfoList{}
	for name, votes := range input.Votes {
		weights = append(weights, helper.ClusterWeightInfo{ClusterName: name, Weight: votes})
	}
	dispenser := helper.NewDispenser(input.Replicas, initial, input.UID)
	dispenser.AllocateByWeight(weights)
	return scheduled{Clusters: sorted(dispenser.Result)}, nil
}
