/** A hint names only flags that the command has. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openHttpListener } from '../../src/platform/http-listener.ts';
import { CliHarness } from '../support/cli-harness.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const SOURCE = path.join(import.meta.dirname, '..', '..', 'src');
const COMMANDS = [
  'up',
  'kubelet',
  'down',
  'get',
  'logs',
  'exec',
  'node add',
  'node remove',
] as const;

/** The commands that can end with an error whose text names a flag. A new one has to be listed here. */
const GIVEN_BY: Readonly<Record<string, readonly (typeof COMMANDS)[number][]>> = {
  ALERT_RULES_UNREADABLE: ['up', 'kubelet'],
  AUDIT_LOG_UNUSABLE: ['up'],
  AUDIT_POLICY_INVALID: ['up'],
  CERTIFICATE_FOLDER_UNUSABLE: ['kubelet'],
  CLUSTER_UNKNOWN: ['get', 'logs', 'exec'],
  ENCRYPTION_CONFIG_INVALID: ['up'],
  ENCRYPTION_CONFIG_MISSING: ['up'],
  HOME_UNKNOWN: ['up', 'kubelet', 'down'],
  IMAGE_NOT_MAPPED: ['up', 'kubelet'],
  MANIFESTS_UNUSABLE: ['up', 'kubelet'],
  MASQUERADE_UNAVAILABLE: ['up', 'kubelet'],
  NODES_NOT_SERVED: ['node add', 'node remove'],
  NODES_RECORDED: ['up'],
  NODES_SHARE_RUNTIME: ['up'],
  NODE_CIDRS_INVALID: ['up'],
  RUNTIME_SILENT: ['up', 'kubelet'],
  SUPERVISOR_MISSING: ['up', 'kubelet'],
};

/** Texts that are no definitions of errors, but become part of a hint. */
const PARTS: Readonly<Record<string, readonly (typeof COMMANDS)[number][]>> = {
  'usable-folder.ts': ['up', 'kubelet'],
  'cluster.ts': ['up'],
  'kubelet-listener.ts': ['up', 'kubelet'],
  'plain-listeners.ts': ['up', 'kubelet'],
};

async function flagsOf(command: string): Promise<ReadonlySet<string>> {
  const harness = new CliHarness();
  await harness.run(...command.split(' '), '--help');
  return new Set(harness.out.match(/--[a-z][a-z-]+/g));
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(path.join(SOURCE, file), 'utf8') }));

test('every error whose text names a flag is given only by commands that have it', async () => {
  const flags = new Map(
    await Promise.all(COMMANDS.map(async (one) => [one, await flagsOf(one)] as const)),
  );
  const found: string[] = [];
  for (const { text } of files) {
    for (const [definition] of text.matchAll(/defineError<[\s\S]*?\n\}\);/g)) {
      const code = /code: '([A-Z_]+)'/.exec(definition)?.[1] ?? '';
      for (const [flag] of definition.matchAll(/(?<=['`\s])--[a-z][a-z-]+/g)) {
        const commands = GIVEN_BY[code];
        expect(commands, `${code} names ${flag}`).toBeDefined();
        for (const command of commands ?? []) {
          expect([...(flags.get(command) ?? [])], `${code} of ${command}`).toContain(flag);
        }
        found.push(code);
      }
    }
  }
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(GIVEN_BY));
  for (const [name, commands] of Object.entries(PARTS)) {
    const { text } = files.find(({ file }) => path.basename(file) === name) ?? { text: '' };
    const named = text.match(/(?<=['`\s(])--[a-z][a-z-]+/g) ?? [];
    expect(named, name).not.toEqual([]);
    for (const command of commands) {
      for (const flag of named) expect([...(flags.get(command) ?? [])], name).toContain(flag);
    }
  }
});

test('the hint for a port in use names the setting of its listener, and no other flag', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const handler = {
    answer: () => Promise.reject(new Error('nothing asks')),
    connect: () => Promise.resolve(),
  };
  const portSetting = 'the field readOnlyPort of the KubeletConfiguration (--config)';
  await expect(
    openHttpListener({ handler, host: '127.0.0.1', port, portSetting }),
  ).rejects.toMatchObject({
    code: 'PORT_TAKEN',
    hint: `Stop that one, or choose another port with ${portSetting}.`,
  });
  const harness = new CliHarness();
  const data = path.join(makeTempFolder(), 'data');
  expect(await harness.run('up', '--data-dir', data, '--port', String(port), '--no-node')).toBe(1);
  expect(harness.err).toMatch(/error PORT_TAKEN: .*\n {2}hint {3}.* with --port \(0 chooses a/);
});
