package main

import (
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/karmada-io/karmada/pkg/util/gclient"
)

// The types of Karmada and Kubernetes, registered once: that takes longer than most decisions.
var scheme = gclient.NewSchema()

var storedForm = serializer.NewCodecFactory(scheme).UniversalDecoder()

// storeOf is a store in memory that holds objects. It keeps no managed fields, which no decision reads: for those it would
// map all types anew with each write, two thirds of the time of a decision.
func storeOf(objects ...client.Object) *fake.ClientBuilder {
	return fake.NewClientBuilder().WithScheme(scheme).
		WithObjectTracker(clienttesting.NewObjectTracker(scheme, storedForm)).WithObjects(objects...)
}
