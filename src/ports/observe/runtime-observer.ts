/** Receives the metrics of calls to the container runtime. It never throws. */
export interface RuntimeObserver {
  /** `operation` is the kubelet's name of the call, such as `run_podsandbox`. */
  operationEnded(operation: string, seconds: number, isFailed: boolean): void;
  /** `handler` is that of the RuntimeClass; empty: the default. */
  sandboxRan(handler: string, seconds: number, isFailed: boolean): void;
}
