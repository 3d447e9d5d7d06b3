import { expect, test } from 'vitest';
import type { ProbeKind } from '../../core/probes/probe-worker.ts';
import type { ProbeOutcome } from '../../ports/pod/probe-results.ts';
import type { ProbeResultChange } from './probe-manager.ts';
import { followProbes } from './probe-sync.ts';

test.each<[ProbeKind, ProbeOutcome, string[]]>([
  ['readiness', 'success', ['ready true', 'sync p']],
  ['readiness', 'failure', ['ready false', 'sync p']],
  ['startup', 'success', ['started true', 'sync p']],
  ['startup', 'unknown', ['started false', 'sync p']],
  ['liveness', 'failure', ['sync p']],
  ['liveness', 'success', []],
  ['liveness', 'unknown', []],
])('%s %s (KL-58)', (kind, outcome, expected) => {
  const heard: string[] = [];
  let notify: (change: ProbeResultChange) => void = () => undefined;
  followProbes({
    probes: {
      subscribe: (listener) => {
        notify = listener;
        return () => undefined;
      },
    },
    status: {
      setContainerReadiness: (_uid, _id, ready) => void heard.push(`ready ${ready}`),
      setContainerStartup: (_uid, _id, started) => void heard.push(`started ${started}`),
    },
    requestSync: (uid) => void heard.push(`sync ${uid}`),
  });
  notify({ podUid: 'p', containerID: 'sim://1', kind, outcome });
  expect(heard).toEqual(expected);
});
