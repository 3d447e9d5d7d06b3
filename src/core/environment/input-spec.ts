/**
 * The fields of a pod's spec that decide the inputs of its containers: variables, command and mounts.
 *
 * The API objects have these fields already; this file only declares their types. A field that the API server
 * would default may be absent.
 */
import type { Container, Pod, PodSpec, VolumeMount } from '../../api/pod.ts';

export interface InputPodSpec extends PodSpec {
  readonly containers: readonly InputContainer[];
  readonly initContainers?: readonly InputContainer[];
  readonly ephemeralContainers?: readonly InputContainer[];
  readonly serviceAccountName?: string;
  readonly enableServiceLinks?: boolean;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly hostnameOverride?: string;
  readonly hostAliases?: readonly HostAlias[];
}

export interface HostAlias {
  readonly ip: string;
  readonly hostnames?: readonly string[];
}

export interface InputContainer extends Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly volumeMounts?: readonly InputVolumeMount[];
}

export interface InputVolumeMount extends VolumeMount {
  readonly subPath?: string;
  readonly subPathExpr?: string;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

export interface EnvVarSource {
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly configMapKeyRef?: KeyRef;
  readonly secretKeyRef?: KeyRef;
  readonly fileKeyRef?: FileKeyRef;
}

export interface FieldRef {
  readonly apiVersion?: string;
  readonly fieldPath: string;
}

export interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string | number;
}

export interface KeyRef {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface FileKeyRef {
  readonly volumeName: string;
  readonly path: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: ObjectRef;
  readonly secretRef?: ObjectRef;
}

export interface ObjectRef {
  readonly name?: string;
  readonly optional?: boolean;
}

export function inputSpecOf(pod: Pod): InputPodSpec {
  return pod.spec;
}
