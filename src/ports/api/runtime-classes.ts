/** Resolves the RuntimeClass of a pod to a handler of the container runtime. */
export interface RuntimeClasses {
  /** The container runtime's name of the handler. Rejects if there is no such class. */
  handlerOf(runtimeClassName: string, signal: AbortSignal): Promise<string>;
}
