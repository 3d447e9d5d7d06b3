/** Parses signal names as specs and images write them: `SIGTERM`, `TERM`, `15`, `SIGRTMIN+3`. */
import { constants } from 'node:os';

const REAL_TIME_MIN = 34;
const REAL_TIME_MAX = 64;

/** An unknown name is SIGTERM: a container must be stoppable. */
export function signalNumber(name: string): number {
  const plain = name.toUpperCase().replace(/^SIG/, '');
  if (/^\d+$/.test(plain)) return clamp(Number(plain));
  const realTime = /^RT(MIN|MAX)(?:([+-]\d+))?$/.exec(plain);
  if (realTime) {
    const base = realTime[1] === 'MIN' ? REAL_TIME_MIN : REAL_TIME_MAX;
    return clamp(base + Number(realTime[2] ?? 0));
  }
  const known = Object.entries(constants.signals).find(([each]) => each === `SIG${plain}`);
  return known?.[1] ?? constants.signals.SIGTERM;
}

function clamp(number: number): number {
  return number >= 1 && number <= REAL_TIME_MAX ? number : constants.signals.SIGTERM;
}
