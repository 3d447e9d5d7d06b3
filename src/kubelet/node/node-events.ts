/** Records Kubernetes Events about this node. It never throws. */
export interface NodeEvents {
  recordNode(type: 'Normal' | 'Warning', reason: string, message: string): void;
}
