package base

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// clustersVariable names the URL at which Kairship's harness starts and ends clusters; see test/karmada-e2e/cluster-site.ts.
const clustersVariable = "KAIRSHIP_CLUSTERS"

// createCluster has a cluster started where Karmada's suite has kind start one in a container, and writes its kubeconfig.
func createCluster(clusterName, kubeConfigPath, _, _ string) error {
	kubeconfig, err := atHarness(http.MethodPut, clusterName)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(kubeConfigPath), 0o700); err != nil {
		return err
	}
	return os.WriteFile(kubeConfigPath, kubeconfig, 0o600)
}

// deleteCluster ends a cluster of createCluster.
func deleteCluster(clusterName, _ string) error {
	_, err := atHarness(http.MethodDelete, clusterName)
	return err
}

func atHarness(method, clusterName string) ([]byte, error) {
	url := os.Getenv(clustersVariable)
	if url == "" {
		return nil, fmt.Errorf("%s is not set: nothing starts clusters here", clustersVariable)
	}
	request, err := http.NewRequest(method, url+"/"+clusterName, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s of cluster %s: %s: %s", method, clusterName, response.Status, body)
	}
	return body, nil
}
