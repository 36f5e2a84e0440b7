// Brings a cluster to what folders of manifests say, one after the other, with the engine of Argo CD: a cache that lists and watches
// every type, a diff, a dry-run, apply and pruning. Prints what became of each object, as one line of JSON.
//
//	argocd-engine --kubeconfig FILE --namespace NAME [--server-side] FOLDER...
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/argoproj/gitops-engine/pkg/cache"
	"github.com/argoproj/gitops-engine/pkg/engine"
	"github.com/argoproj/gitops-engine/pkg/sync"
	"github.com/argoproj/gitops-engine/pkg/sync/common"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
)

// Marks what this program made: the rest of the cluster is none of its business.
const application = "kairship.io/argocd-engine"

// What became of a cluster.
type finding struct {
	// Types with at least one object, of all that the cache follows.
	Types int `json:"types"`
	// Of each folder what was done, e.g. `ConfigMap/settings Synced: configmap/settings created`.
	Revisions [][]string `json:"revisions"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "whose cluster is brought to what the folders say")
	namespace := flag.String("namespace", "", "of objects that name none")
	serverSide := flag.Bool("server-side", false, "apply on the server")
	patience := flag.Duration("patience", 3*time.Minute, "for everything")
	flag.Parse()
	ctx, done := context.WithTimeout(context.Background(), *patience)
	defer done()
	found, err := run(ctx, *kubeconfig, *namespace, *serverSide, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

func run(ctx context.Context, kubeconfig, namespace string, serverSide bool, folders []string) (*finding, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	// Argo CD's own defaults (ARGOCD_K8S_CLIENT_QPS): with client-go's, lists of every type take seconds.
	config.QPS, config.Burst = 50, 100
	live := cache.NewClusterCache(config, cache.SetLogr(logr.Discard()),
		cache.SetPopulateResourceInfoHandler(func(object *unstructured.Unstructured, _ bool) (any, bool) {
			ours := object.GetAnnotations()[application] == namespace
			return ours, ours
		}))
	brought := engine.NewEngine(config, live, engine.WithLogr(logr.Discard()))
	stop, err := brought.Run()
	if err != nil {
		return nil, err
	}
	defer stop()
	found := &finding{Types: types(live), Revisions: [][]string{}}
	for _, folder := range folders {
		wanted, err := manifests(folder, namespace)
		if err != nil {
			return nil, err
		}
		ours := func(resource *cache.Resource) bool { return resource.Info == true }
		results, err := brought.Sync(ctx, wanted, ours, filepath.Base(folder), namespace,
			sync.WithPrune(true), sync.WithLogr(logr.Discard()), sync.WithServerSideApply(serverSide),
			sync.WithServerSideApplyManager("argocd-controller"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		told := []string{}
		for _, result := range results {
			key := result.ResourceKey
			told = append(told, fmt.Sprintf("%s/%s %s: %s", key.Kind, key.Name, result.Status, result.Message))
		}
		slices.Sort(told)
		found.Revisions = append(found.Revisions, told)
		if err := followed(ctx, live, results); err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
	}
	return found, nil
}

// Returns when the watches have shown what was applied and no longer show what was pruned: the next revision is compared with that.
func followed(ctx context.Context, live cache.ClusterCache, results []common.ResourceSyncResult) error {
	for {
		known := live.FindResources("")
		missing := slices.IndexFunc(results, func(result common.ResourceSyncResult) bool {
			_, there := known[result.ResourceKey]
			return there == (result.Status == common.ResultCodePruned)
		})
		if missing < 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no watch told of %s: %w", results[missing].ResourceKey.String(), ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func types(live cache.ClusterCache) int {
	seen := map[string]bool{}
	live.FindResources("", func(resource *cache.Resource) bool {
		seen[resource.Ref.APIVersion+" "+resource.Ref.Kind] = true
		return false
	})
	return len(seen)
}

func manifests(folder, namespace string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	all := []*unstructured.Unstructured{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := kube.SplitYAML(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, object := range objects {
			annotations := object.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[application] = namespace
			object.SetAnnotations(annotations)
		}
		all = append(all, objects...)
	}
	return all, nil
}
