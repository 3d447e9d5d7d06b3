// Command operator keeps lighthouses. It uses what operators commonly use of controller-runtime: a
// cache with watches, leader election, a finalizer, owned objects, status patches and events.
package main

import (
	"flag"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2/textlogger"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	namespace := flag.String("namespace", "default", "where the lease is kept")
	identity := flag.String("identity", "", "written onto every lighthouse that this process tends")
	flag.Parse()

	ctrl.SetLogger(textlogger.NewLogger(textlogger.NewConfig()))
	if err := run(*namespace, *identity); err != nil {
		log.Fatal(err)
	}
}

func run(namespace, identity string) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addLighthouses(scheme)

	// Short, so that a test need not wait long for the next leader.
	lease, renew, retry := 4*time.Second, 3*time.Second, 500*time.Millisecond
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "lighthouse-keeper",
		LeaderElectionNamespace: namespace,
		LeaseDuration:           &lease,
		RenewDeadline:           &renew,
		RetryPeriod:             &retry,
	})
	if err != nil {
		return err
	}
	keeper := &keeper{
		Client:   manager.GetClient(),
		recorder: manager.GetEventRecorder("lighthouse-keeper"),
		identity: identity,
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Lighthouse{}).
		Owns(&corev1.ConfigMap{}).
		Complete(keeper)
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
