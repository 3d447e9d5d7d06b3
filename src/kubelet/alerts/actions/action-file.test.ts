import { describe, expect, test } from 'vitest';
import { readRules } from '../rule-file.ts';

const CONTAINER = 'container.recentRestarts > 5';
const NODE = 'now > now';

function rulesWith(actions: string, expr = CONTAINER): string {
  return `groups:\n  - name: apps\n    rules:\n      - alert: Some\n        expr: ${expr}\n        actions:\n          - ${actions}\n`;
}

function mistakeIn(actions: string, expr = CONTAINER, commands = true): string {
  try {
    readRules('apps.yaml', rulesWith(actions, expr), { commands });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'no mistake';
}

describe('actions of a rule', () => {
  test('have a safe limit unless the rule gives one, and are done unless it is a dry run', () => {
    const [rule] = readRules(
      'a.yaml',
      rulesWith(
        '{ type: restart }\n          - { type: evict, dryRun: true, rateLimit: { max: 3, per: 1h } }',
      ),
    );
    expect(rule?.actions).toEqual([
      { task: { type: 'restart' }, limit: { max: 1, perMs: 600_000 }, dryRun: false },
      { task: { type: 'evict' }, limit: { max: 3, perMs: 3_600_000 }, dryRun: true },
    ]);
  });

  test('run commands as an argument list', () => {
    const text = rulesWith('{ type: command, args: [/bin/echo, "$(id); a b"], timeout: 2s }', NODE);
    const [rule] = readRules('a.yaml', text, { commands: true });
    expect(rule?.actions[0]?.task).toEqual({
      type: 'command',
      args: ['/bin/echo', '$(id); a b'],
      timeoutMs: 2000,
    });
  });

  test.each([
    [
      '{ type: reboot }',
      'apps.yaml:7:21: type must be one of restart, evict, cordon, command, web',
    ],
    ['{ dryRun: true }', 'apps.yaml:7:13: type is missing'],
    ['{ type: evict, url: x }', 'apps.yaml:7:28: an item of actions has no field "url"'],
    ['{ type: evict }\n          - { type: evict }', 'apps.yaml:8:21: the rule has two actions'],
    ['{ type: evict, rateLimit: { max: 0, per: 1m } }', '7:46: max must be a whole number from 1'],
    ['{ type: evict, rateLimit: { max: 1, per: 1s } }', '7:54: per must be from 10s to 7d'],
    ['{ type: evict, rateLimit: { max: 1 } }', '7:39: per is missing'],
    ['{ type: evict, dryRun: perhaps }', '7:36: dryRun must be true or false'],
    ['{ type: webhook }', 'apps.yaml:7:13: url is missing'],
    ['{ type: webhook, url: "file:///etc/shadow" }', '7:35: url must be http or https'],
    ['{ type: command, args: [] }', 'args is empty'],
    ['{ type: command, args: "/bin/echo hi" }', 'args must be a list'],
    ['{ type: command, args: [echo] }', '7:37: the program must be an absolute path'],
    ['{ type: command, args: [/bin/echo], timeout: 1h }', 'timeout must be above 0 and at most 5m'],
    ['{ type: command, args: [/bin/echo, "a\\0b"] }', 'an argument cannot have a NUL'],
  ])('%s is refused', (actions, problem) => {
    expect(mistakeIn(actions)).toContain(problem);
  });

  test('that could never run are refused', () => {
    expect(mistakeIn('{ type: restart }', 'pod.metadata.name == "a"')).toContain(
      'apps.yaml:7:21: restart needs an expression that reads container',
    );
    expect(mistakeIn('{ type: evict }', NODE)).toContain('7:21: evict needs an expression');
    expect(mistakeIn('{ type: cordon }', NODE)).toBe('no mistake');
    expect(mistakeIn('{ type: command, args: [/bin/echo] }', NODE, false)).toContain(
      'apps.yaml:7:21: commands are not allowed on this node: podkeep runs without --alert-commands',
    );
  });
});
