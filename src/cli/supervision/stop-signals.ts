/**
 * Counts each stop signal once: with a supervisor, podkeep may receive the same signal twice.
 *
 *     Ctrl-C, systemctl stop    reach podkeep and its supervisor, which forwards its signal
 *     kill SUPERVISOR           reaches podkeep only through the supervisor
 *     kill PODKEEP              reaches podkeep alone
 *
 * A signal that podkeep received directly and the same one from the supervisor, at most two seconds apart,
 * count as one. So pressing Ctrl-C twice counts as two signals, however soon the second one comes.
 */
import type { Clock } from '../../ports/clock.ts';
import type { StopSignal } from '../io.ts';

type Way = 'own' | 'passed on';

interface Arrival {
  readonly signal: StopSignal;
  readonly way: Way;
  readonly atMs: number;
}

const PAIR_MS = 2000;

export class StopSignals {
  readonly #clock: Clock;
  readonly #listener: (signal: StopSignal) => void;
  /** Signals whose second copy may still arrive. */
  #unpaired: readonly Arrival[] = [];

  constructor(clock: Clock, listener: (signal: StopSignal) => void) {
    this.#clock = clock;
    this.#listener = listener;
  }

  arrived(signal: StopSignal, way: Way): void {
    const atMs = this.#clock.monotonic();
    const recent = this.#unpaired.filter((one) => atMs - one.atMs <= PAIR_MS);
    const other = recent.findIndex((one) => one.signal === signal && one.way !== way);
    this.#unpaired = other === -1 ? [...recent, { signal, way, atMs }] : recent.toSpliced(other, 1);
    if (other === -1) this.#listener(signal);
  }
}
