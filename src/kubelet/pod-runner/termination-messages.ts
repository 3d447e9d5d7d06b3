/**
 * What containers have to say about their end (KL-45).
 *
 * A view of the runtime is completed with the last words of its containers: what stands in the
 * termination message file, or the end of the log for a container that failed without a word and
 * asks for that. They follow what the runtime itself says. A container ends once, so each is read
 * once.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimeContainer, RuntimePod } from '../../api/runtime-pod.ts';
import { mapShared } from '../../lib/share.ts';
import type { PodFiles } from '../../ports/pod-files.ts';
import type { PodLookup } from '../../ports/pod-lookup.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { findContainer, podReferenceOf, type RunContainer } from './run-spec.ts';

const FILE_BYTES_MAX = 4096;
const LOG_TAIL = { linesMax: 80, bytesMax: 2048 };

export interface TerminationRoom {
  readonly runtime: Pick<PodRuntime, 'inspect'>;
  readonly files: PodFiles;
  readonly pods: PodLookup;
}

export class TerminationMessages {
  readonly #room: TerminationRoom;
  /** By pod UID and container ID. */
  readonly #read = new Map<string, Map<string, string>>();

  constructor(room: TerminationRoom) {
    this.#room = room;
  }

  /** The runtime's view of the pod, with the last words of its containers. */
  async inspect(podUid: string): Promise<RuntimePod> {
    const view = await this.#room.runtime.inspect(podUid);
    const exited = view.containers.filter(({ state }) => state === 'exited');
    const known = this.#read.get(podUid);
    const words = new Map<string, string>();
    const pod = this.#room.pods.find(podUid)?.pod;
    // Of a pod that no source has told of yet, nobody knows where its containers wrote: after a
    // restart it is looked at again when it is known.
    if (pod) {
      for (const container of exited) {
        words.set(container.id, known?.get(container.id) ?? (await this.#readOne(pod, container)));
      }
    }
    if (words.size === 0) this.#read.delete(podUid);
    else this.#read.set(podUid, words);
    const containers = mapShared(view.containers, (container) => {
      const said = words.get(container.id);
      return said ? { ...container, message: join(container.message, said) } : container;
    });
    return containers === view.containers ? view : { ...view, containers };
  }

  async #readOne(pod: Pod, container: RuntimeContainer): Promise<string> {
    const { files } = this.#room;
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

/** One that could not even be started has no log. */
function fallsBackToLogs(
  spec: RunContainer | undefined,
  { exitCode, reason }: RuntimeContainer,
): boolean {
  if (spec?.terminationMessagePolicy !== 'FallbackToLogsOnError') return false;
  return exitCode !== 0 && reason !== 'ContainerCannotRun';
}

function join(message: string | undefined, words: string): string {
  return message ? `${message}: ${words}` : words;
}
