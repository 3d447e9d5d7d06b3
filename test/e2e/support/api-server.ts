/** What the tests need of a server that speaks the Kubernetes API, whoever's it is. */
export interface RunningApiServer {
  /** How a report calls it. */
  readonly name: string;
  /** The file with which kubectl and controllers come in as an administrator. */
  readonly kubeconfig: string;
  /** Its address, as kubectl prints it. */
  readonly address: string;
  /** A folder for whatever belongs to this server and shall go with it. */
  readonly folder: string;
  /** Ends all its processes and removes its folder. */
  stop(): Promise<void>;
}
