package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	finalizer = "coast.podkeep.dev/keeper"
	// The object that every lighthouse leaves its name in when it goes, to show that the finalizer ran.
	logbook = "logbook"
)

// keeper makes the world as its lighthouses want it.
type keeper struct {
	client.Client
	recorder events.EventRecorder
	identity string
}

func (k *keeper) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var lighthouse Lighthouse
	if err := k.Get(ctx, request.NamespacedName, &lighthouse); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !lighthouse.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, k.release(ctx, &lighthouse)
	}
	if controllerutil.AddFinalizer(&lighthouse, finalizer) {
		// The update comes back through the watch, and with it the next turn.
		return ctrl.Result{}, k.Update(ctx, &lighthouse)
	}
	if err := k.light(ctx, &lighthouse); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, k.report(ctx, &lighthouse)
}

// light keeps the lamp, an object of the lighthouse's own, in its colour.
func (k *keeper) light(ctx context.Context, lighthouse *Lighthouse) error {
	lamp := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:      lighthouse.Name + "-lamp",
		Namespace: lighthouse.Namespace,
	}}
	outcome, err := controllerutil.CreateOrUpdate(ctx, k.Client, lamp, func() error {
		lamp.Data = map[string]string{"colour": lighthouse.Spec.Colour}
		return controllerutil.SetControllerReference(lighthouse, lamp, k.Scheme())
	})
	if err == nil && outcome != controllerutil.OperationResultNone {
		k.recorder.Eventf(lighthouse, lamp, corev1.EventTypeNormal, "Lit", "Light", "lamp %s", outcome)
	}
	return err
}

// report writes the current state into the status, with a patch of what changed.
func (k *keeper) report(ctx context.Context, lighthouse *Lighthouse) error {
	before := lighthouse.DeepCopyObject().(*Lighthouse)
	lighthouse.Status.ObservedGeneration = lighthouse.Generation
	lighthouse.Status.Colour = lighthouse.Spec.Colour
	lighthouse.Status.Keeper = k.identity
	meta.SetStatusCondition(&lighthouse.Status.Conditions, metav1.Condition{
		Type:               "Lit",
		Status:             metav1.ConditionTrue,
		Reason:             "LampBurns",
		ObservedGeneration: lighthouse.Generation,
	})
	return k.Status().Patch(ctx, lighthouse, client.MergeFrom(before))
}

// release does the cleanup before a lighthouse may go, and then removes the finalizer.
func (k *keeper) release(ctx context.Context, lighthouse *Lighthouse) error {
	if !controllerutil.ContainsFinalizer(lighthouse, finalizer) {
		return nil
	}
	if err := k.note(ctx, lighthouse); err != nil {
		return err
	}
	before := lighthouse.DeepCopyObject().(*Lighthouse)
	controllerutil.RemoveFinalizer(lighthouse, finalizer)
	return client.IgnoreNotFound(k.Patch(ctx, lighthouse, client.MergeFrom(before)))
}

func (k *keeper) note(ctx context.Context, lighthouse *Lighthouse) error {
	book := &corev1.ConfigMap{}
	name := types.NamespacedName{Namespace: lighthouse.Namespace, Name: logbook}
	err := k.Get(ctx, name, book)
	if apierrors.IsNotFound(err) {
		book.Name, book.Namespace = logbook, lighthouse.Namespace
		book.Data = map[string]string{lighthouse.Name: k.identity}
		return k.Create(ctx, book)
	}
	if err != nil {
		return err
	}
	before := book.DeepCopy()
	if book.Data == nil {
		book.Data = map[string]string{}
	}
	book.Data[lighthouse.Name] = k.identity
	return k.Patch(ctx, book, client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{}))
}
