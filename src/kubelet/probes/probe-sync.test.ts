import { expect, test } from 'vitest';
import type { ProbeKind } from '../../core/probe-worker.ts';
import type { ProbeOutcome } from '../../ports/probe-results.ts';
import type { ProbeNews } from './probe-manager.ts';
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
  let tell: (news: ProbeNews) => void = () => undefined;
  followProbes({
    probes: {
      subscribe: (listener) => {
        tell = listener;
        return () => undefined;
      },
    },
    status: {
      setContainerReadiness: (_uid, _id, ready) => void heard.push(`ready ${ready}`),
      setContainerStartup: (_uid, _id, started) => void heard.push(`started ${started}`),
    },
    requestSync: (uid) => void heard.push(`sync ${uid}`),
  });
  tell({ podUid: 'p', containerID: 'sim://1', kind, outcome });
  expect(heard).toEqual(expected);
});
