/** Converts container IDs between Kubernetes' form, `containerd://abc`, and the runtime's, `abc`. */

export function fullId(runtimeName: string, id: string): string {
  return `${runtimeName}://${id}`;
}

export function bareId(id: string): string {
  const scheme = id.indexOf('://');
  return scheme < 0 ? id : id.slice(scheme + 3);
}
