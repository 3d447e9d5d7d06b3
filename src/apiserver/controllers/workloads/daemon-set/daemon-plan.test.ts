import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { planDaemons, viewNodes, type DaemonPlan, type DaemonView } from './daemon-plan.ts';
import { planDaemonRollout } from './daemon-rollout.ts';
import { daemonStatus } from './daemon-status.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';

const NOW = Date.UTC(2030, 0, 1);
const FITS = { mayStart: true, mayStay: true };
const STAYS = { mayStart: false, mayStay: true };
const NEITHER = { mayStart: false, mayStay: false };
const replacing = (maxUnavailable: number | string): JsonObject => ({
  maxUnavailable,
  maxSurge: 0,
});
const surging = (maxSurge: number | string): JsonObject => ({ maxUnavailable: 0, maxSurge });

/** r ready, n not ready, f failed, s succeeded, t terminating; capital: old revision. */
function podOf(letter: string, node: string, index: number): JsonObject {
  const kind = letter.toLowerCase();
  const isReady = kind === 'r' || kind === 't';
  return {
    metadata: {
      name: `${node}${letter}${index}`,
      labels: { 'controller-revision-hash': letter === kind ? 'new' : 'old' },
      ...(kind === 't' && { deletionTimestamp: 'now' }),
    },
    spec: { nodeName: node },
    status: {
      phase: kind === 'f' ? 'Failed' : kind === 's' ? 'Succeeded' : 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    },
  };
}

/** Nodes `a`, `b` and so on, each with its pods: `rR,-,n`. A `!` before them: no new pod; `x`: none at all. */
function viewOf(text: string, rollingUpdate: JsonObject): DaemonView {
  const cells = text.split(',');
  const names = cells.map((_cell, index) => String.fromCodePoint(97 + index));
  const pods = cells.flatMap((cell, index) =>
    cell
      .replaceAll(/[-!x]/g, '')
      .split('')
      .map((letter, at) => podOf(letter, names[index] ?? '', at)),
  );
  const fits = new Map(
    cells.map((cell, index) => [
      names[index] ?? '',
      cell.startsWith('!') ? STAYS : cell.startsWith('x') ? NEITHER : FITS,
    ]),
  );
  const nodes = names.map((name) => ({ metadata: { name } }));
  const set = {
    metadata: { name: 'agent', generation: 3 },
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
  };
  const seen = viewNodes(nodes, pods, (node) => fits.get(nameOf(node)) ?? NEITHER);
  return { set, ...seen, hash: 'new', nowMs: NOW };
}

function printed({ create, remove }: DaemonPlan): string {
  return [...create.map((node) => `+${node}`), ...remove.map((pod) => `-${nameOf(pod)}`)].join(' ');
}

describe('every node that fits has one pod', () => {
  test.each([
    ['-,r,n', '+a'],
    ['!,x,!r,xr', '-dr0'],
    ['t,T', ''],
    ['f,F,s', '-af0 -bF0 -cs0'],
    ['rr,Rr', '-ar1 -br1'],
    ['xrt', '-ar0'],
  ])('%s', (text, expected) => {
    expect(printed(planDaemons(viewOf(text, replacing(1)), () => false))).toBe(expected);
  });

  test.each([
    ['Rn', ''],
    ['Rr', '-aR0'],
    ['Nn', '-aN0'],
    ['RRn', '-aR1'],
    ['t', '+a'],
    ['!t', ''],
    ['f', '+a -af0'],
  ])('with surge: %s', (text, expected) => {
    expect(printed(planDaemons(viewOf(text, surging(1)), () => false))).toBe(expected);
  });

  test('a failed pod stays during its back-off, a succeeded one does not', () => {
    expect(printed(planDaemons(viewOf('f,s', replacing(1)), () => true))).toBe('-bs0');
  });

  test('a pod that waits for a node that does not exist is deleted; a bound one is not', () => {
    const waiting = {
      metadata: { name: 'waiting' },
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] },
              ],
            },
          },
        },
      },
    };
    const view = viewOf('r', replacing(1));
    const strays = viewNodes([], [waiting, podOf('r', 'gone', 0)], () => FITS).strays;
    expect(strays).toHaveLength(2);
    expect(printed(planDaemons({ ...view, strays }, () => false))).toBe('-waiting');
  });
});

describe('a rollout', () => {
  test.each([
    ['R,R,R', replacing(1), '-aR0'],
    ['R,R,R', replacing(2), '-aR0 -bR0'],
    ['R,R,R', replacing('34%'), '-aR0 -bR0'],
    ['n,R,R', replacing(1), ''],
    ['t,R,R', replacing(1), ''],
    // Old pods that serve no one go at once.
    ['N,R,N', replacing(1), '-aN0 -cN0'],
    ['N,R,R', replacing(2), '-aN0 -bR0'],
    ['r,R,-', replacing(1), ''],
    ['r,r,r', replacing(1), ''],
    ['R,R,R', surging(1), '+a'],
    ['R,R,R', surging('50%'), '+a +b'],
    ['Rn,R', surging(1), ''],
    ['N,R', surging(1), '+a +b'],
    ['Rr,R', surging(1), '+b -aR0'],
    // Pods of nodes that do not fit any more wait until the others serve.
    ['r,!R', surging(1), '-bR0'],
    ['n,!R', surging(1), ''],
    ['n,!N', surging(1), '-bN0'],
    ['R', { maxUnavailable: 0, maxSurge: 0 }, '-aR0'],
  ])('%s with %o', (text, rollingUpdate, expected) => {
    expect(printed(planDaemonRollout(viewOf(text, rollingUpdate)))).toBe(expected);
  });

  test('with OnDelete does nothing', () => {
    const view = viewOf('R', replacing(1));
    const set = { ...view.set, spec: { updateStrategy: { type: 'OnDelete' } } };
    expect(printed(planDaemonRollout({ ...view, set }))).toBe('');
  });
});

test('the status counts nodes by their oldest pod', () => {
  expect(daemonStatus(viewOf('r,R,n,-,!r,Rr', replacing(1)), 2)).toEqual({
    observedGeneration: 3,
    desiredNumberScheduled: 5,
    currentNumberScheduled: 4,
    numberMisscheduled: 1,
    numberReady: 3,
    updatedNumberScheduled: 2,
    numberAvailable: 3,
    numberUnavailable: 2,
    collisionCount: 2,
  });
});

test('the back-off of failed pods doubles up to 15 minutes, and is forgotten after a while', () => {
  const backoff = new FailedPodBackoff();
  const waits: number[] = [];
  let nowMs = 0;
  for (let failure = 0; failure < 12; failure++) {
    backoff.note('a', nowMs);
    waits.push(backoff.remainingMs('a', nowMs) / 1000);
    nowMs += backoff.remainingMs('a', nowMs);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  expect(backoff.remainingMs('b', nowMs)).toBe(0);
  nowMs += 31 * 60 * 1000;
  backoff.note('a', nowMs);
  expect(backoff.remainingMs('a', nowMs)).toBe(1000);
});
