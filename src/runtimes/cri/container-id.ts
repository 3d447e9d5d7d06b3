/** Container IDs: `containerd://abc` in Kubernetes, `abc` in the runtime. */

export function fullId(runtimeName: string, id: string): string {
  return `${runtimeName}://${id}`;
}

export function bareId(id: string): string {
  const scheme = id.indexOf('://');
  return scheme < 0 ? id : id.slice(scheme + 3);
}
