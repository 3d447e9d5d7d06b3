/**
 * Which attacks run where containerd runs the pods: those on what podkeep does itself. The others are
 * about containerd and runc, and each has a reason here that the run prints.
 */
import type { Attack } from '../harness/types.ts';

const RUNC = 'runc makes the root and enters it; podkeep runs no program there and opens nothing';
const KERNEL =
  'the default profile, devices and masks beyond those of the kubelet are containerd’s';

/** The first pattern that matches decides; null: it is tried. */
const RULES: readonly (readonly [pattern: RegExp, reason: string | null])[] = [
  [/^sub-path\/race-target$/, 'runc opens mount paths'],
  [/^volumes\/host-path/, 'flags of hostPath mounts are those that containerd sets'],
  [/^(?:sub-path|mount-targets|termination|rights|aftermath|api|volumes)\//, null],
  [/^neighbours\/(?:own-ids|unconfined)/, 'user namespaces and keyrings are those that runc makes'],
  [/^(?:neighbours|privileges|resources|terminals)\//, null],
  [/^planted\/(?:programs|script-variables)\//, null],
  [/^planted\/preload/, 'the image of attackers has a shell that loads no libraries'],
  [/^planted\/as-root/, RUNC],
  [/^kernel-files\/.*\/(?:proc-|core-pattern$)/, null],
  [/^kernel-files\//, KERNEL],
  [/^output\/(?:erased|forged|exec-flood|probe-flood)$/, null],
  [/^output\//, 'containerd writes logs; what podkeep rotates is tried by output/containerd-*'],
  [/^(?:devices|system-calls)\//, KERNEL],
  [/^layers\//, 'containerd unpacks images'],
  [/^inventory\//, 'the list is that of processes which podkeep starts'],
  [/^descriptors\//, 'podkeep starts no process of a container, so none has its descriptors'],
  [/^(?:leaving-root|working-dir|tracing)\//, RUNC],
  [/^at-rest\//, 'containerd writes down what it starts, in folders of root'],
  [/^machine-ports\//, 'pods on containerd have a network of their own'],
];

/** Undefined: it is tried there, too. */
export function whyNotOnContainerd({ id, modes }: Attack): string | undefined {
  if (modes.includes('containerd')) return undefined;
  const rule = RULES.find(([pattern]) => pattern.test(id));
  if (!rule) throw new Error(`${id}: on-containerd.ts does not say whether it is tried`);
  return rule[1] ?? undefined;
}

export function withContainerd(attack: Attack): Attack {
  const { modes } = attack;
  if (modes.includes('containerd') || !modes.includes('root')) return attack;
  return whyNotOnContainerd(attack) === undefined
    ? { ...attack, modes: [...modes, 'containerd'] }
    : attack;
}
