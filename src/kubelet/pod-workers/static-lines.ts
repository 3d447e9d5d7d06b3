/** The lines of all full names that static pods have or wait for; each is a small pure machine. */
import * as staticLine from '../../core/pod-worker/static-line.ts';

export class StaticLines {
  readonly #lines = new Map<string, staticLine.State>();

  send(fullName: string, event: staticLine.Event): readonly staticLine.Effect[] {
    const line = this.#lines.get(fullName) ?? staticLine.initial;
    const { state, effects } = staticLine.decide(line, event);
    if (state === staticLine.initial) this.#lines.delete(fullName);
    else this.#lines.set(fullName, state);
    return effects;
  }

  /** The UID of the pod that has the name. */
  holder(fullName: string): string | null {
    return this.#lines.get(fullName)?.holder ?? null;
  }
}
