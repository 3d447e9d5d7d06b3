module podsecurity

go 1.26.0

require (
	k8s.io/api v0.36.4
	k8s.io/pod-security-admission v0.36.4
	sigs.k8s.io/yaml v1.6.0
)
