/**
 * The image store of a simulated machine. A pull takes the time that the registry option sets, and no disk
 * space.
 */
import type { Credentials, Image, ImageStore } from '../../ports/runtime/image-store.ts';
import { simulatedImageNameInvalid, notFound } from './errors.ts';
import { withFault, type RuntimeFaults } from './faults.ts';
import type { SimulatedMachine } from './machine.ts';
import { wait } from './wait.ts';

const SIZE_BYTES = 4_000_000;
/** A simplified pattern of image names, with an optional tag and digest. */
const NAME = /^[\w.-]+(?::\d+(?=\/))?(?:\/[\w.-]+)*(?::[\w.-]+)?(?:@\w+:\w+)?$/;

export class SimulatedImages implements ImageStore {
  readonly #machine: SimulatedMachine;
  readonly #faults: RuntimeFaults;
  readonly #pulled = new Set<string>();
  readonly #removed = new Set<string>();

  constructor(machine: SimulatedMachine, faults: RuntimeFaults) {
    this.#machine = machine;
    this.#faults = faults;
  }

  find(image: string): Promise<Image | null> {
    return this.#perform('findImage', image, undefined, () => {
      if (!NAME.test(image)) throw simulatedImageNameInvalid({ image });
      return this.#isHere(image) ? imageOf(image) : null;
    });
  }

  pull(image: string, _credentials: Credentials | null, signal: AbortSignal): Promise<string> {
    const { clock, registry } = this.#machine.options;
    return this.#perform('pullImage', image, signal, async () => {
      const ms = registry ? registry.get(image) : 0;
      if (ms === undefined) throw notFound({ what: 'image', id: image });
      if (ms > 0) await wait(clock, ms, signal);
      this.#pulled.add(image);
      this.#removed.delete(image);
      return imageOf(image).ref;
    });
  }

  list(): Promise<readonly Image[]> {
    const { images = [] } = this.#machine.options;
    const names = new Set([...images, ...this.#pulled]);
    return Promise.resolve([...names].filter((name) => this.#isHere(name)).map(imageOf));
  }

  remove(ref: string): Promise<void> {
    const name = ref.split('@')[0] ?? ref;
    this.#pulled.delete(name);
    this.#removed.add(name);
    return Promise.resolve();
  }

  usage(): Promise<null> {
    return Promise.resolve(null);
  }

  #isHere(image: string): boolean {
    if (this.#removed.has(image)) return false;
    return this.#pulled.has(image) || (this.#machine.options.images?.includes(image) ?? true);
  }

  #perform<Answer>(
    operation: 'findImage' | 'pullImage',
    image: string,
    signal: AbortSignal | undefined,
    effect: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { clock } = this.#machine.options;
    return withFault({ faults: this.#faults, clock }, operation, image, signal, effect);
  }
}

function imageOf(name: string): Image {
  return { ref: `${name}@sha256:simulated`, names: [name], sizeBytes: SIZE_BYTES, isPinned: false };
}
