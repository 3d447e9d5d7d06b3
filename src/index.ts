/**
 * The library: Kubernetes' API functions and the kubelet's rules, as plain functions on plain JSON.
 *
 * Nothing here reads a clock, touches a file or changes what it is given.
 */
export type * from './api/meta.ts';
export type * from './api/pod.ts';
export type * from './api/resources.ts';
export type * from './api/runtime-pod.ts';
export { PodkeepError } from './lib/errors.ts';
