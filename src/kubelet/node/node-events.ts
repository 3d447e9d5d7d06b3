/** Tells the users of this node what happened to it, as Kubernetes events. It never throws. */
export interface NodeEvents {
  recordNode(type: 'Normal' | 'Warning', reason: string, message: string): void;
}
