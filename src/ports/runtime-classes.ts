/** Which of a node's runtimes runs a pod, by the RuntimeClass that its spec names. */
export interface RuntimeClasses {
  /** The name under which the container runtime knows it. Rejects if there is no such class. */
  handlerOf(runtimeClassName: string, signal: AbortSignal): Promise<string>;
}
