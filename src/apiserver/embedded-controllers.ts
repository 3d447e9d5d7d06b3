/**
 * Starts the controllers of an embedded server, one after the other.
 *
 * A controller lists all its objects when it starts, and no request is answered meanwhile. With ten thousand
 * pods all controllers together take as long as the rest of the start. So only the controllers without which
 * the first pod of a namespace would be refused start immediately; the others start while the server already
 * serves requests.
 */
import type { Cancel } from '../ports/clock.ts';
import type { Controller } from './controllers/controller.ts';
import {
  CONTROLLER_NAMES,
  startControllers,
  type ControllerName,
  type ControllerOptions,
} from './controllers/controllers.ts';
import { WORKLOAD_CONTROLLER_NAMES } from './controllers/workloads/workload-controllers.ts';
import type { ServerParts } from './registry/server-parts.ts';

/** A pod needs the service account of its namespace, and the objects that are mounted with it. */
const AT_ONCE: ReadonlySet<string> = new Set([
  'serviceaccount',
  'root-ca-certificate',
  'serviceaccount-token',
]);

/** These share a Lease, so they start together. */
const TOGETHER: ReadonlySet<string> = new Set(WORKLOAD_CONTROLLER_NAMES);

export class EmbeddedControllers {
  readonly #parts: ServerParts;
  readonly #options: ControllerOptions;
  readonly #running: Controller[] = [];
  #waiting: readonly (readonly ControllerName[])[];
  #cancel: Cancel = () => {};

  constructor(parts: ServerParts, options: ControllerOptions) {
    this.#parts = parts;
    this.#options = options;
    const wanted: ReadonlySet<string> = options.controllers ?? new Set(CONTROLLER_NAMES);
    const names = CONTROLLER_NAMES.filter(isControllerName).filter((name) => wanted.has(name));
    for (const name of names) if (AT_ONCE.has(name)) this.#start([name]);
    const isTogether = (name: ControllerName): boolean => TOGETHER.has(name);
    const together = names.filter(isTogether);
    this.#waiting = [
      ...names.filter((name) => !AT_ONCE.has(name) && !isTogether(name)).map((name) => [name]),
      ...(together.length > 0 ? [together] : []),
    ];
  }

  /** Starts the other controllers, each in its own turn of the event loop. */
  begin(): void {
    const [next, ...later] = this.#waiting;
    if (!next) return;
    this.#waiting = later;
    this.#cancel = this.#parts.clock.after(0, () => {
      this.#start(next);
      this.begin();
    });
  }

  async stop(): Promise<void> {
    this.#waiting = [];
    this.#cancel();
    await Promise.all(this.#running.map((controller) => controller.stop()));
  }

  #start(names: readonly ControllerName[]): void {
    const controllers = new Set(names);
    this.#running.push(startControllers(this.#parts, { ...this.#options, controllers }));
  }
}

function isControllerName(name: string): name is ControllerName {
  return CONTROLLER_NAMES.includes(name);
}
