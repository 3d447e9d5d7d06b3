/** `podkeep kubelet` as a process: a node of a real cluster. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { KeyPair } from '../../e2e/support/certificates.ts';
import { Daemon } from '../../e2e/support/daemon.ts';
import { findFreePort } from '../../e2e/support/free-port.ts';
import { podkeepProgram } from '../../e2e/support/podkeep-up.ts';
import type { ControlPlane } from './control-plane.ts';

export interface NodeOptions {
  readonly name: string;
  /** `process`, or `unix://` and the path of a socket. */
  readonly runtime: string;
  /** Fields of its KubeletConfiguration, beside the necessary ones. */
  readonly config?: JsonObject;
  /** Arguments of the command line, beside the usual ones. */
  readonly more?: readonly string[];
}

const START_MS = 60_000;
const STOP_MS = 60_000;

export class ClusterNode {
  readonly name: string;
  readonly folder: string;
  readonly data: string;
  /** Static pods. */
  readonly manifests: string;
  readonly kubeconfig: string;
  readonly #plane: ControlPlane;
  readonly #options: NodeOptions;
  #port = 0;
  #daemon: Daemon | undefined;

  constructor(plane: ControlPlane, folder: string, options: NodeOptions) {
    this.#plane = plane;
    this.#options = options;
    this.name = options.name;
    this.folder = folder;
    this.data = path.join(folder, 'data');
    this.manifests = path.join(folder, 'manifests');
    mkdirSync(this.manifests, { recursive: true });
    this.kubeconfig = plane.admit(`node-${this.name}`, {
      commonName: `system:node:${this.name}`,
      organization: 'system:nodes',
    });
  }

  get log(): string {
    return this.#daemon?.log ?? '';
  }

  get tail(): string {
    return this.#daemon?.tail ?? '';
  }

  /** Until it logs that it is a node; its status may come a moment later. */
  async start(): Promise<void> {
    const { name, folder, data, kubeconfig, manifests } = this;
    const { runtime, more = [] } = this.#options;
    const words = ['--name', name, '--runtime', runtime, '--data-dir', data, '--output', 'json'];
    const files = ['--kubeconfig', kubeconfig, '--manifests', manifests];
    const daemon = new Daemon({
      name: 'podkeep',
      command: process.execPath,
      args: [
        ...podkeepProgram(),
        'kubelet',
        ...words,
        ...files,
        '--config',
        await this.#writeConfig(),
        ...more,
      ],
      folder,
    });
    this.#daemon = daemon;
    const from = daemon.log.length;
    await daemon.waitUntilReady(START_MS, async () =>
      daemon.log.slice(from).includes('"event":"node"'),
    );
  }

  /** Its pods keep running. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#daemon?.stop(signal, STOP_MS);
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  /** Its listener has a certificate that the API server trusts, and requires one of the cluster's. */
  async #writeConfig(): Promise<string> {
    const { authority } = this.#plane;
    if (this.#port === 0) this.#port = await findFreePort();
    const serving = servingPairOf(this.#plane, this.name);
    const file = path.join(this.folder, 'config.yaml');
    const content = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      port: this.#port,
      healthzPort: 0,
      tlsCertFile: serving.certificate,
      tlsPrivateKeyFile: serving.key,
      authentication: { x509: { clientCAFile: authority.pair.certificate } },
      ...this.#options.config,
    };
    writeFileSync(file, JSON.stringify(content));
    return file;
  }
}

/** The API server trusts a kubelet only with a certificate of the cluster's authority. */
export function servingPairOf({ authority }: ControlPlane, name: string): KeyPair {
  return authority.issue(`serving-${name}`, {
    commonName: `system:node:${name}`,
    organization: 'system:nodes',
    addresses: machineAddresses().map((address) => `IP:${address}`),
  });
}

function machineAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address);
}
