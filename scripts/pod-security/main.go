// Evaluates pods with Kubernetes' own Pod Security checks: reads a JSON object with files of pods (YAML),
// levels and versions from its input, and prints what each level forbids about each pod.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

type question struct {
	Files    []string `json:"files"`
	Levels   []string `json:"levels"`
	Versions []string `json:"versions"`
}

type violation struct {
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

type answer struct {
	File       string      `json:"file"`
	Level      string      `json:"level"`
	Version    string      `json:"version"`
	Violations []violation `json:"violations"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	var asked question
	check(json.NewDecoder(os.Stdin).Decode(&asked))
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	check(err)
	out := json.NewEncoder(os.Stdout)
	for _, file := range asked.Files {
		text, err := os.ReadFile(file)
		check(err)
		var pod corev1.Pod
		check(yaml.Unmarshal(text, &pod))
		for _, level := range asked.Levels {
			for _, name := range asked.Versions {
				version, err := api.ParseVersion(name)
				check(err)
				lv := api.LevelVersion{Level: api.Level(level), Version: version}
				found := []violation{}
				for _, result := range evaluator.EvaluatePod(lv, &pod.ObjectMeta, &pod.Spec) {
					if !result.Allowed {
						found = append(found, violation{result.ForbiddenReason, result.ForbiddenDetail})
					}
				}
				check(out.Encode(answer{file, level, name, found}))
			}
		}
	}
}
