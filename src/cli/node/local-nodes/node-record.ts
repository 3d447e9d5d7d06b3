/**
 * The nodes of a data folder, in `DIR/nodes.json`:
 *
 *     {"version": 1, "nodes": [{"folder": "node"}, {"name": "web-2", "folder": "nodes/web-2"}]}
 *
 * The node in `DIR/node` has no name there: the command line names it, or the machine. Without the file it is
 * the only node, as in data folders of earlier versions.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { defineError } from '../../../lib/errors.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { writeFileAtomically } from '../../atomic-file.ts';
import type { DataFolder } from '../../data-folder.ts';
import { faultOfNodeName } from './node-name.ts';

export interface RecordedNode {
  /** Null: as the command line says, or the name of this machine. */
  readonly name: string | null;
  /** Below the data folder. */
  readonly folder: string;
}

export const FIRST_FOLDER = 'node';
export const FIRST_NODE: RecordedNode = { name: null, folder: FIRST_FOLDER };
const VERSION = 1;
/** No path that leads elsewhere: what is in such a folder is deleted with its node. */
const FOLDER = /^(?:node|nodes\/[a-z0-9][-a-z0-9.]*)$/;

const nodeRecordBroken = defineError<{ file: string; reason: string }>({
  code: 'NODE_RECORD_BROKEN',
  retry: 'never',
  message: ({ file, reason }) => `the list of nodes in ${file} cannot be used: ${reason}`,
  hint: () =>
    'Restore it from a backup. Each folder below nodes/ is a node: {"version":1,"nodes":' +
    '[{"folder":"node"},{"name":"NAME","folder":"nodes/NAME"}]}.',
});

/** Throws NODE_RECORD_BROKEN. */
export function readNodeRecord({
  nodeRecord: file,
}: Pick<DataFolder, 'nodeRecord'>): readonly RecordedNode[] {
  if (!existsSync(file)) return [FIRST_NODE];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw nodeRecordBroken({ file, reason }, error);
  }
  const fail = (reason: string): never => {
    throw nodeRecordBroken({ file, reason });
  };
  if (!isJsonObject(value) || !Array.isArray(value['nodes'])) return fail('it has no nodes');
  if (value['version'] !== VERSION) return fail(`its version is not ${VERSION}`);
  const nodes = value['nodes'].map((each: unknown) => nodeOf(each) ?? fail('a node is invalid'));
  const keys = nodes.flatMap(({ name, folder }) => [`folder ${folder}`, `name ${name}`]);
  if (nodes.length === 0 || new Set(keys).size < keys.length) {
    return fail('it lists no node, or one twice');
  }
  return nodes;
}

/** The file is written only where it says something. */
export function writeNodeRecord(
  { nodeRecord: file }: Pick<DataFolder, 'nodeRecord'>,
  nodes: readonly RecordedNode[],
): void {
  const [first] = nodes;
  if (nodes.length === 1 && first?.folder === FIRST_FOLDER) return rmSync(file, { force: true });
  const lines = nodes.map(({ name, folder }) => ({ ...(name !== null && { name }), folder }));
  writeFileAtomically(file, `${JSON.stringify({ version: VERSION, nodes: lines }, null, 2)}\n`);
}

/** Null: it is invalid. */
function nodeOf(value: unknown): RecordedNode | null {
  if (!isJsonObject(value)) return null;
  const { name = null, folder } = value;
  if (typeof folder !== 'string' || !FOLDER.test(folder)) return null;
  if (name === null) return folder === FIRST_FOLDER ? FIRST_NODE : null;
  if (typeof name !== 'string' || faultOfNodeName(name) !== null) return null;
  return folder === FIRST_FOLDER ? null : { name, folder };
}
