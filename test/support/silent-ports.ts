/** Ports that do nothing. */
import type { DecisionLog } from '../../src/ports/observe/decision-log.ts';
import type { Log } from '../../src/ports/log.ts';
import type { ProbeResults } from '../../src/ports/pod/probe-results.ts';
import type { StatusObserver } from '../../src/ports/observe/status-observer.ts';

const nothing = (): void => {};

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
export const silentDecisions: DecisionLog = { record: nothing };
export const silentStatusObserver: StatusObserver = {
  statusWritten: nothing,
  containerTerminated: nothing,
  resizesChanged: nothing,
};
export const noProbes: ProbeResults = {
  of: () => ({
    startup: new Map(),
    readiness: new Map(),
    startupProbed: new Set(),
    readinessProbed: new Set(),
    since: '1970-01-01T00:00:00Z',
  }),
};
