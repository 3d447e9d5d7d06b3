/**
 * The controllers of an embedded server, begun one after the other.
 *
 * Each looks at every object when it begins, and nobody is answered meanwhile. With ten thousand pods
 * all of them together take as long as everything else in a start; so only those begin at once without
 * which the first pod of a namespace would be refused, and the others when the server serves already.
 */
import type { Cancel } from '../ports/clock.ts';
import type { Controller } from './controllers/controller.ts';
import {
  CONTROLLER_NAMES,
  startControllers,
  type ControllerName,
  type ControllerOptions,
} from './controllers/controllers.ts';
import type { ServerParts } from './server-parts.ts';

/** A pod needs the account of its namespace, and what is mounted with it. */
const AT_ONCE: ReadonlySet<string> = new Set([
  'serviceaccount',
  'root-ca-certificate',
  'serviceaccount-token',
]);

export class EmbeddedControllers {
  readonly #parts: ServerParts;
  readonly #options: ControllerOptions;
  readonly #running: Controller[] = [];
  #waiting: readonly ControllerName[];
  #cancel: Cancel = () => {};

  constructor(parts: ServerParts, options: ControllerOptions) {
    this.#parts = parts;
    this.#options = options;
    const wanted: ReadonlySet<string> = options.controllers ?? new Set(CONTROLLER_NAMES);
    const names = CONTROLLER_NAMES.filter(isControllerName).filter((name) => wanted.has(name));
    for (const name of names) if (AT_ONCE.has(name)) this.#start(name);
    this.#waiting = names.filter((name) => !AT_ONCE.has(name));
  }

  /** The others, each in a turn of its own. */
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

  #start(name: ControllerName): void {
    const controllers = new Set([name]);
    this.#running.push(startControllers(this.#parts, { ...this.#options, controllers }));
  }
}

function isControllerName(name: string): name is ControllerName {
  return CONTROLLER_NAMES.includes(name);
}
