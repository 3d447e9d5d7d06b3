/** `podkeep node remove`: drains a node, then asks the running podkeep to stop and delete it. */
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { Io } from '../../io.ts';
import { LOCAL_NODES_PATH } from '../../node/local-nodes/local-nodes-path.ts';
import { checkRemoval } from '../../node/local-nodes/node-changes.ts';
import { visibleText } from '../../terminal-text.ts';
import { openSession, type SessionOptions } from '../api-session.ts';
import { objectsIn, textOf } from '../kind-lookup.ts';
import { asServed } from './add-node.ts';
import { drainNode } from './drain-node.ts';

export interface RemoveNodeOptions extends SessionOptions {
  readonly force: boolean;
  readonly deleteEmptydirData: boolean;
  /** In seconds; absent: as each pod says. */
  readonly gracePeriod?: number;
  /** In milliseconds; absent: there is no limit. */
  readonly timeout?: number;
}

/** Pods of DaemonSets and static pods have their grace periods. */
const STOP_MS_MAX = 600_000;

export async function removeNode(
  name: string,
  options: RemoveNodeOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const session = await openSession(options, io);
  const print = (line: string): void => io.out(`${visibleText(line)}\n`);
  const warn = (line: string): void => io.err(`warning ${visibleText(line)}\n`);
  try {
    const list = await asServed(session.ask(LOCAL_NODES_PATH, signal));
    const names = objectsIn(list['items']).map((node) => textOf(node['name']));
    // Refused before anything is evicted.
    checkRemoval(name, new Map(names.map((each) => [each, each])));
    const { force, deleteEmptydirData, gracePeriod, timeout } = options;
    await drainNode(
      { session, clock, print, warn },
      name,
      {
        force,
        deleteEmptyDirData: deleteEmptydirData,
        graceSeconds: gracePeriod,
        timeoutMs: timeout,
      },
      signal,
    );
    const target = `${LOCAL_NODES_PATH}/${name}`;
    await session.change({ method: 'DELETE', target, limitMs: STOP_MS_MAX }, signal);
    print(`node/${name} removed`);
    return 0;
  } finally {
    await session.close();
  }
}
