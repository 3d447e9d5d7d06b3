/** What the tests need of a server of the Kubernetes API, ours or the real one. */
export interface RunningApiServer {
  /** Its name in a report. */
  readonly name: string;
  /** The kubeconfig of an administrator, for kubectl and controllers. */
  readonly kubeconfig: string;
  /** Its address, as kubectl prints it. */
  readonly address: string;
  /** A folder for the files of this server, removed with it. */
  readonly folder: string;
  /** Ends all its processes and removes its folder. */
  stop(): Promise<void>;
}
