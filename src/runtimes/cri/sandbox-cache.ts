/**
 * Caches the configuration of sandboxes, because CreateContainer requires it again for each container.
 *
 * After a restart podkeep recovers it from the runtime: the sandbox status has identity and namespaces, and
 * containerd's verbose status has the rest.
 */
import type { CriService } from './wire/cri-service.ts';
import { callError } from './errors.ts';
import { RUNTIME_CALLS } from './messages/calls.ts';
import type { Sent } from './messages/message.ts';
import type { PodSandboxStatus } from './messages/sandbox-messages.ts';
import type { SandboxMessage } from './requests/sandbox-request.ts';

/** The kubelet's default folder of pod logs. */
const LOG_FOLDER = '/var/log/pods';

export class SandboxCache {
  readonly #service: CriService;
  readonly #known = new Map<string, SandboxMessage>();

  constructor(service: CriService) {
    this.#service = service;
  }

  remember(id: string, sandbox: SandboxMessage): void {
    this.#known.set(id, sandbox);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Throws RUNTIME_NOT_FOUND. */
  async find(id: string): Promise<SandboxMessage> {
    const known = this.#known.get(id);
    if (known) return known;
    const { podSandboxStatus: call } = RUNTIME_CALLS;
    const { status, info } = await this.#service.ask(call, { podSandboxId: id, verbose: true });
    if (!status) {
      const description = `sandbox ${id} has no status`;
      throw callError({ call: call.name, status: 'NotFound', description });
    }
    const recovered = recover(status, info['info'] ?? '');
    this.#known.set(id, recovered);
    return recovered;
  }
}

function recover(status: Sent<typeof PodSandboxStatus>, info: string): SandboxMessage {
  const { metadata, labels, annotations } = status;
  const config = partOf(parsed(info), 'config');
  const linux = partOf(config, 'linux');
  const { namespace = '', name = '', uid = '' } = metadata ?? {};
  const { network, pid, ipc } = status.linux?.namespaces?.options ?? {};
  return {
    metadata: { name, namespace, uid, attempt: metadata?.attempt },
    labels,
    annotations,
    hostname: textIn(config, 'hostname'),
    logDirectory: textIn(config, 'log_directory') || `${LOG_FOLDER}/${namespace}_${name}_${uid}`,
    linux: {
      cgroupParent: textIn(linux, 'cgroup_parent'),
      securityContext: {
        privileged: partOf(linux, 'security_context')['privileged'] === true,
        namespaceOptions: {
          network: network === 'NODE' ? 'NODE' : 'POD',
          pid: pid === 'NODE' || pid === 'CONTAINER' ? pid : 'POD',
          ipc: ipc === 'NODE' ? 'NODE' : 'POD',
        },
      },
    },
  };
}

type Part = Readonly<Record<string, unknown>>;

/** Runtimes other than containerd may return another format, or nothing. */
function parsed(json: string): Part {
  try {
    return asPart(JSON.parse(json));
  } catch {
    return {};
  }
}

function asPart(value: unknown): Part {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function partOf(part: Part, name: string): Part {
  return asPart(part[name]);
}

function textIn(part: Part, name: string): string {
  const value = part[name];
  return typeof value === 'string' ? value : '';
}
