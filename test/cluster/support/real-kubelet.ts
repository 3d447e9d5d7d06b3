/**
 * Kubernetes' own kubelet, on the same containerd and under the same name as a podkeep node: to switch
 * from one to the other.
 *
 * Whatever its configuration, it keeps sockets in /var/lib/kubelet and links in /var/log/containers.
 * Where another kubelet runs, it must not be started; and what it leaves there is removed.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Daemon } from '../../e2e/support/daemon.ts';
import { findFreePort } from '../../e2e/support/free-port.ts';
import { findProgram } from '../../e2e/support/programs.ts';
import type { Containerd } from './containerd.ts';
import type { ControlPlane } from './control-plane.ts';

const SOCKETS = '/var/lib/kubelet';
/** Marks a folder that was created here and may be removed: by the next run, if this one is killed. */
const MARK = path.join(SOCKETS, 'made-by-a-test-of-podkeep');
const LINKS = '/var/log/containers';
const READY_MS = 60_000;

/** Why it must not be started here; null: it may. */
export function objectionToKubelet(): string | null {
  if (!existsSync(SOCKETS) || existsSync(MARK)) return null;
  return `${SOCKETS} is there: a kubelet of this machine may use it`;
}

export interface KubeletOptions {
  /** Of the node. */
  readonly name: string;
  readonly folder: string;
  readonly plane: ControlPlane;
  readonly containerd: Containerd;
  /** Fields of its KubeletConfiguration, beside the necessary ones. */
  readonly config: JsonObject;
}

export class RealKubelet {
  readonly #daemon: Daemon;
  /** Of the cluster: links into it are ours. */
  readonly #folder: string;

  private constructor(daemon: Daemon, folder: string) {
    this.#daemon = daemon;
    this.#folder = folder;
  }

  static async start(options: KubeletOptions): Promise<RealKubelet> {
    const { name, folder, plane } = options;
    for (const each of [folder, SOCKETS]) mkdirSync(each, { recursive: true });
    writeFileSync(MARK, '');
    const port = await findFreePort();
    const healthzPort = await findFreePort();
    const config = path.join(folder, 'kubelet.yaml');
    writeFileSync(config, JSON.stringify(kubeletConfig(options, port, healthzPort)));
    const kubeconfig = plane.admit(`kubelet-${name}`, {
      commonName: `system:node:${name}`,
      organization: 'system:nodes',
    });
    const daemon = new Daemon({
      name: 'kubelet',
      command: findProgram('kubelet'),
      folder,
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--config=${config}`,
        `--hostname-override=${name}`,
        `--root-dir=${path.join(folder, 'root')}`,
        `--cert-dir=${path.join(folder, 'pki')}`,
      ],
    });
    const kubelet = new RealKubelet(daemon, path.dirname(folder));
    try {
      const healthz = `http://127.0.0.1:${healthzPort}/healthz`;
      await daemon.waitUntilReady(READY_MS, async () => (await fetch(healthz)).ok);
      return kubelet;
    } catch (error) {
      await kubelet.stop();
      throw error;
    }
  }

  /** Its containers keep running. */
  async stop(): Promise<void> {
    await this.#daemon.stop();
    rmSync(SOCKETS, { recursive: true, force: true });
    removeLinks(this.#folder);
  }
}

/** Links into a folder; and with the last one the folder in which they were. */
function removeLinks(target: string): void {
  const links = existsSync(LINKS) ? readdirSync(LINKS).map((name) => path.join(LINKS, name)) : [];
  const ours = links.filter(
    (link) => lstatSync(link).isSymbolicLink() && readlinkSync(link).startsWith(target),
  );
  for (const link of ours) rmSync(link);
  if (ours.length > 0 && ours.length === links.length) rmdirSync(LINKS);
}

function kubeletConfig(options: KubeletOptions, port: number, healthzPort: number): JsonObject {
  const { plane, containerd, config } = options;
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: containerd.endpoint,
    port,
    healthzPort,
    authentication: { x509: { clientCAFile: plane.authority.pair.certificate } },
    cgroupDriver: 'cgroupfs',
    // This machine may have cgroup v1, and swap.
    failCgroupV1: false,
    failSwapOn: false,
    ...config,
  };
}
