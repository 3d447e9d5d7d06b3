/**
 * The scripts in alerts/: each default alert fires and resolves, on virtual time.
 *
 * When one of them fails, run it again with UPDATE=1 and read the difference. Keep the new answers only
 * if you can say why each line changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_RULES } from '../../src/kubelet/alerts/default-rules.ts';
import { readRules } from '../../src/kubelet/alerts/rule-file.ts';
import { playAlertsScript } from '../support/alerts-script.ts';

const FOLDER = path.join(import.meta.dirname, 'alerts');
const SCRIPTS = readdirSync(FOLDER);

test.each(SCRIPTS)('%s', async (name) => {
  const file = path.join(FOLDER, name);
  const played = await playAlertsScript(readFileSync(file, 'utf8'));
  if (process.env['UPDATE']) writeFileSync(file, played);
  expect(played).toBe(readFileSync(file, 'utf8'));
});

test('every default alert fires and resolves in a script', () => {
  const text = SCRIPTS.map((name) => readFileSync(path.join(FOLDER, name), 'utf8')).join('\n');
  const missing = readRules('', DEFAULT_RULES).filter(({ alert }) => {
    const fires = new RegExp(`^${alert} \\S+: (?:inactive|pending) -> firing$`, 'm');
    return !fires.test(text) || !new RegExp(`^${alert} \\S+: firing -> resolved$`, 'm').test(text);
  });
  expect(missing.map(({ alert }) => alert)).toEqual([]);
});
