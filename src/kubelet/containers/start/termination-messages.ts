/**
 * Reads the termination messages of exited containers (KL-45).
 *
 * Each is added to the container in the runtime's state of the pod, after the runtime's own message. A
 * termination message is the content of the termination message file, or the end of the log if the container
 * failed without a message and has the policy FallbackToLogsOnError. A container exits once, so each message
 * is read once.
 */
import type { Pod } from '../../../api/pod.ts';
import type { RuntimeContainer, RuntimePod } from '../../../api/runtime-pod.ts';
import { mapShared } from '../../../lib/share.ts';
import type { PodFiles } from '../../../ports/pod/pod-files.ts';
import type { PodLookup } from '../../../ports/pod/pod-lookup.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import { findContainer, podReferenceOf, type RunContainer } from '../../../api/run-spec.ts';

const FILE_BYTES_MAX = 4096;
const LOG_TAIL = { linesMax: 80, bytesMax: 2048 };

export interface TerminationDeps {
  readonly runtime: Pick<PodRuntime, 'inspect'>;
  readonly files: PodFiles;
  readonly pods: PodLookup;
}

export class TerminationMessages {
  readonly #deps: TerminationDeps;
  /** By pod UID and container ID. */
  readonly #read = new Map<string, Map<string, string>>();

  constructor(deps: TerminationDeps) {
    this.#deps = deps;
  }

  /** The runtime's state of the pod, with the termination messages of its containers. */
  async inspect(podUid: string): Promise<RuntimePod> {
    const view = await this.#deps.runtime.inspect(podUid);
    const exited = view.containers.filter(({ state }) => state === 'exited');
    const known = this.#read.get(podUid);
    const terminationMessages = new Map<string, string>();
    const pod = this.#deps.pods.find(podUid)?.pod;
    // Without a spec, the termination message paths are not known: after a restart, the pod is inspected
    // again when a source has reported it.
    if (pod) {
      for (const container of exited) {
        terminationMessages.set(
          container.id,
          known?.get(container.id) ?? (await this.#readOne(pod, container)),
        );
      }
    }
    if (terminationMessages.size === 0) this.#read.delete(podUid);
    else this.#read.set(podUid, terminationMessages);
    const containers = mapShared(view.containers, (container) => {
      const given = terminationMessages.get(container.id);
      return given ? { ...container, message: join(container.message, given) } : container;
    });
    return containers === view.containers ? view : { ...view, containers };
  }

  async #readOne(pod: Pod, container: RuntimeContainer): Promise<string> {
    const { files } = this.#deps;
    const run = {
      pod: podReferenceOf(pod),
      container: container.name,
      attempt: container.restartCount,
    };
    const file = await files.readTerminationFile(run, FILE_BYTES_MAX, container.terminationFile);
    if (file) return file;
    const spec = findContainer(pod, container.name)?.container;
    return fallsBackToLogs(spec, container) ? files.readLogTail(run, LOG_TAIL) : '';
  }
}

/** A container that could not even be started has no log. */
function fallsBackToLogs(
  spec: RunContainer | undefined,
  { exitCode, reason }: RuntimeContainer,
): boolean {
  if (spec?.terminationMessagePolicy !== 'FallbackToLogsOnError') return false;
  return exitCode !== 0 && reason !== 'ContainerCannotRun';
}

function join(message: string | undefined, terminationMessages: string): string {
  return message ? `${message}: ${terminationMessages}` : terminationMessages;
}
