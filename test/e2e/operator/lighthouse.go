package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Lighthouse shines in one colour. Its spec says which; the operator reports it in the status.
type Lighthouse struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   LighthouseSpec   `json:"spec"`
	Status LighthouseStatus `json:"status,omitempty"`
}

type LighthouseSpec struct {
	Colour string `json:"colour"`
}

type LighthouseStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Colour             string             `json:"colour,omitempty"`
	Keeper             string             `json:"keeper,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type LighthouseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Lighthouse `json:"items"`
}

var groupVersion = schema.GroupVersion{Group: "coast.podkeep.dev", Version: "v1"}

func addLighthouses(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion, &Lighthouse{}, &LighthouseList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
}

// DeepCopyObject is what generators usually write.
func (l *Lighthouse) DeepCopyObject() runtime.Object {
	copied := *l
	copied.ObjectMeta = *l.ObjectMeta.DeepCopy()
	copied.Status.Conditions = append([]metav1.Condition(nil), l.Status.Conditions...)
	return &copied
}

// DeepCopyObject is what generators usually write.
func (l *LighthouseList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Lighthouse, 0, len(l.Items))
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopyObject().(*Lighthouse))
	}
	return &copied
}
