/**
 * Resolves everything that a container gets from outside of its image (environment, command, mounts) when it
 * starts.
 */
import type {
  ContainerInputs,
  ContainerInputsRequest,
  ContainerInputsSource,
} from '../../ports/pod/container-inputs.ts';
import type { NodeFacts } from '../../ports/node-facts.ts';
import type { ObjectLookup } from '../../ports/api/object-lookup.ts';
import type { MadeVolume } from '../volumes/volume-maker.ts';
import { VolumeWalk } from '../volumes/volume-walk.ts';
import { containerMounts, type MountsDeps } from './container-mounts.ts';
import { makeEnvironment, type VolumeFile } from './environment.ts';
import { expand, valuesFrom } from '../../core/environment/expansion.ts';
import type { InputContainer } from '../../core/environment/input-spec.ts';

export interface ContainerInputsOptions extends MountsDeps {
  /** Containers are simulated: nothing is mounted. */
  readonly isSimulated?: boolean | undefined;
  readonly objects: ObjectLookup;
  readonly node: NodeFacts;
  readonly volumes: { mounted(podUid: string): ReadonlyMap<string, MadeVolume> };
}

const ENV_FILE_BYTES_MAX = 1_048_576;

export class VolumeContainerInputs implements ContainerInputsSource {
  readonly #options: ContainerInputsOptions;

  constructor(options: ContainerInputsOptions) {
    this.#options = options;
  }

  async resolve(request: ContainerInputsRequest, signal: AbortSignal): Promise<ContainerInputs> {
    const { objects, node } = this.#options;
    const { pod, podIPs, imageVolumes } = request;
    const container: InputContainer = request.container;
    const volumes = this.#options.volumes.mounted(pod.metadata.uid ?? '');
    const readVolumeFile = (volume: string, path: string) => readFileOf(volumes, volume, path);
    const env = await makeEnvironment(request, { objects, node, readVolumeFile }, signal);
    signal.throwIfAborted();
    const valueOf = valuesFrom(new Map(env.map(({ name, value }) => [name, value])));
    const { isSimulated = false } = this.#options;
    const mounts = isSimulated
      ? []
      : await containerMounts(this.#options, {
          pod,
          container,
          podIPs,
          env,
          volumes,
          imageVolumes,
        });
    return {
      command: (container.command ?? []).map((word) => expand(word, valueOf)),
      args: (container.args ?? []).map((word) => expand(word, valueOf)),
      env,
      mounts,
      devices: [],
      supplementalGroups: groupsOf(volumes),
    };
  }
}

async function readFileOf(
  volumes: ReadonlyMap<string, MadeVolume>,
  name: string,
  path: string,
): Promise<VolumeFile | null> {
  const volume = volumes.get(name);
  if (!volume) return null;
  const walk = await VolumeWalk.begin(volume.hostPath, false);
  try {
    await walk.go(path);
    return { path: walk.path, text: await walk.readText(ENV_FILE_BYTES_MAX) };
  } finally {
    await walk.close();
  }
}

function groupsOf(volumes: ReadonlyMap<string, MadeVolume>): readonly number[] {
  const groups = [...volumes.values()].flatMap(({ group }) => (group === undefined ? [] : [group]));
  return [...new Set(groups)];
}
