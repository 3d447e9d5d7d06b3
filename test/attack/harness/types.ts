/**
 * What an attack is, and how it can end.
 *
 *     held        the attacker ran, and got nothing
 *     breached    the attacker got something: `detail` says what
 *     unproven    the attacker did not prove that it ran: a failure, because nothing was tried
 *     late        podkeep has not done by a deadline what it must do: a failure
 *     skipped     this machine cannot try it: `detail` says why
 */
import type { Target } from './target.ts';

/** The user that podkeep runs processes as; `containerd`: root, and containerd runs the pods. */
export type Mode = 'root' | 'user' | 'containerd';

/** Where containers are processes of the machine. Which of these attacks fit containerd: on-containerd.ts. */
export const MODES: readonly Mode[] = ['root', 'user'];
export const ALL_MODES: readonly Mode[] = [...MODES, 'containerd'];

export interface Outcome {
  readonly kind: 'held' | 'breached' | 'unproven' | 'late' | 'skipped';
  readonly detail: string;
}

export interface Attack {
  /** Unique; begins with its class. */
  readonly id: string;
  readonly class: string;
  /** What it tries, in one sentence. */
  readonly tries: string;
  readonly modes: readonly Mode[];
  /** Loads the machine so much that no other attack may run beside it. */
  readonly isHeavy: boolean;
  readonly run: (target: Target) => Promise<Outcome>;
}

/** Thrown by a check whose deadline has passed. */
export class DeadlinePassed extends Error {}

export interface Result extends Outcome {
  readonly attack: Attack;
  readonly mode: Mode;
  readonly seconds: number;
}

export const held = (detail = ''): Outcome => ({ kind: 'held', detail });
export const breached = (detail: string): Outcome => ({ kind: 'breached', detail });
export const late = (detail: string): Outcome => ({ kind: 'late', detail });
export const unproven = (detail: string): Outcome => ({ kind: 'unproven', detail });
export const skipped = (detail: string): Outcome => ({ kind: 'skipped', detail });
