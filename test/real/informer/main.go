// Command informer is a client-go program, unchanged in everything that speaks Kubernetes, that looks at one API server
// twice: directly, and through Kairship's proxy. It prints what it saw as one JSON document and exits 1 when the two
// differ.
//
//	informer churn  --direct KUBECONFIG --through KUBECONFIG [--seconds 30] [--rate 50] [--cut 5s] [--expire 3]
//	informer gitops --through KUBECONFIG
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	ok, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(args []string) (bool, error) {
	if len(args) == 0 {
		return false, fmt.Errorf("usage: informer churn|gitops [flags]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	klog.InitFlags(flags)
	direct := flags.String("direct", "", "kubeconfig of the API server itself")
	through := flags.String("through", "", "kubeconfig of the same API server through the proxy")
	seconds := flags.Float64("seconds", 30, "how long objects change")
	rate := flags.Float64("rate", 50, "writes per second that are aimed at; fewer on a slow machine")
	cut := flags.Duration("cut", 5*time.Second, "how often every connection is cut; 0 for never")
	expire := flags.Int("expire", 3, "every how many resumed watches of an informer begin at a resourceVersion long expired; 0 for none")
	namespace := flags.String("namespace", "default", "where objects change")
	if err := flags.Parse(args[1:]); err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch args[0] {
	case "churn":
		return report(churn(ctx, churnOptions{
			direct: *direct, through: *through, namespace: *namespace,
			duration: time.Duration(*seconds * float64(time.Second)), rate: *rate, cut: *cut, expire: *expire,
		}))
	case "gitops":
		config, err := clientcmd.BuildConfigFromFlags("", *through)
		if err != nil {
			return false, err
		}
		return report(gitops(ctx, config, *namespace))
	}
	return false, fmt.Errorf("%s is not a command", args[0])
}

// Prints a finding; what was found to be as it must be is a success.
func report[T interface{ good() bool }](finding T, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	text, err := json.MarshalIndent(finding, "", "  ")
	if err != nil {
		return false, err
	}
	fmt.Println(string(text))
	return finding.good(), nil
}
