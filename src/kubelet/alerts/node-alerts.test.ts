import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AlertsHarness } from '../../../test/support/alerts-harness.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { readRules } from './rule-file.ts';

const NO_WATCH = () => () => {};

function rule(alert: string, expr: string): string {
  return `groups:\n  - name: apps\n    rules:\n      - { alert: ${alert}, expr: "${expr}" }\n`;
}

function harnessWith(files: Readonly<Record<string, string>>) {
  const rules = makeTempFolder();
  const write = (name: string, text: string): void => {
    writeFileSync(path.join(rules, name), text, { mode: 0o600 });
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const world = new AlertsHarness({
    options: { rules, defaults: false, commands: false },
    watch: NO_WATCH,
  });
  return { world, write, rules };
}

describe('rule files', () => {
  test('are read again when they change, and a mistake leaves the rules before in force', async () => {
    const { world, write, rules } = harnessWith({
      'a.yaml': rule('Runs', "pod.status.phase == 'Running'"),
    });
    world.put('web');
    world.setStatus('web', { phase: 'Running' });
    await world.clock.pass(500);
    expect(world.takeLines()).toContain('Runs web: inactive -> firing');
    write('a.yaml', rule('Runs', 'pod.status.fase'));
    await world.clock.pass(20_000);
    expect(world.takeLines()).toEqual([
      expect.stringMatching(
        /event of the node: Warning AlertRulesRefused: .*a\.yaml:4:41: undefined field/,
      ),
    ]);
    expect(world.alerts.all()).toMatchObject([{ alertname: 'Runs', state: 'firing' }]);
    await world.clock.pass(60_000);
    expect(world.takeLines()).toEqual([]);
    write('a.yaml', rule('Other', "pod.status.phase == 'Running'"));
    await world.clock.pass(20_500);
    expect(world.takeLines()).toContain('Runs web: firing -> resolved');
    expect(world.metricLines()).toEqual([
      'ALERTS{alertname="Other",alertstate="firing",container="",namespace="default",pod="web",severity="warning"} 1',
    ]);
    rmSync(path.join(rules, 'a.yaml'));
    await world.clock.pass(20_000);
    expect(world.metricLines()).toEqual([]);
  });

  test('that other users may write are refused', () => {
    const rules = makeTempFolder();
    const file = path.join(rules, 'a.yaml');
    writeFileSync(file, rule('Always', 'now == now'));
    chmodSync(file, 0o666);
    const world = new AlertsHarness({
      options: { rules, defaults: false, commands: false },
      watch: NO_WATCH,
    });
    expect(world.takeLines().join()).toContain('is not safe to use: every user may write to it');
    expect(world.alerts.all()).toEqual([]);
  });

  test('in examples/ load', () => {
    const file = path.join(import.meta.dirname, '../../../examples/alerts/apps.yaml');
    expect(readRules(file, readFileSync(file, 'utf8'))).toMatchObject([
      { subject: 'container' },
      { subject: 'pod' },
      { subject: 'node' },
    ]);
  });
});

describe('evaluation', () => {
  test('of 1,000 pods costs nothing at a tick without a change, and one pod at a change of one', async () => {
    const world = new AlertsHarness();
    for (let index = 0; index < 1000; index += 1) {
      world.put(`pod${index}`);
      world.setContainer(`pod${index}`, { state: { running: {} }, ready: true });
    }
    await world.clock.pass(60_000);
    const { engine } = world.alerts;
    const before = engine.evaluations;
    await world.clock.pass(15_000);
    // PodStuckTerminating reads the time; rules for the node read metrics, which did not change.
    expect(engine.evaluations - before).toBe(1000);
    const again = engine.evaluations;
    world.setContainer('pod7', { ready: false });
    await world.clock.pass(500);
    expect(engine.evaluations - again).toBe(6);
  });

  test('that fails, or costs too much, changes no alert and is counted', async () => {
    const costly =
      'pod.spec.containers.all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, a.name != string(b+c+d+e+f)))))))';
    const { world } = harnessWith({
      'a.yaml': rule('Costly', costly),
      'b.yaml': rule('Fails', "pod.status.podIP == 'x'"),
    });
    world.put('web');
    world.setStatus('web', { phase: 'Running' });
    await world.clock.pass(500);
    expect(world.alerts.all()).toEqual([]);
    const samples = [
      ...(world.registry
        .families()
        .find(({ name }) => name === 'podkeep_alert_rule_evaluation_failures_total')
        ?.members() ?? []),
    ];
    expect(samples.map(({ labelText }) => labelText)).toEqual([
      'alertname="Costly"',
      'alertname="Fails"',
    ]);
  });

  test('bounds texts that come from pods, and removes control characters', async () => {
    const text =
      "groups:\n  - name: apps\n    rules:\n      - alert: Waits\n        expr: container.waitingReason != ''\n        annotations: { summary: '{{ container.waitingMessage }}' }\n";
    const { world } = harnessWith({ 'a.yaml': text });
    world.put('web');
    const message = `a\r\nevil: header\u001b[31m${'x'.repeat(5000)}`;
    world.setContainer('web', { state: { waiting: { reason: 'Bad', message } } });
    await world.clock.pass(500);
    const [alert] = world.alerts.all() as { annotations: { summary: string } }[];
    expect(alert?.annotations.summary).toMatch(/^a evil: header \[31mx+…$/);
    expect(alert?.annotations.summary).toHaveLength(1024);
  });

  test('records at most one Event of a flapping alert in five minutes', async () => {
    const { world } = harnessWith({ 'a.yaml': rule('Unready', 'containers.exists(c, !c.ready)') });
    world.put('web');
    for (let index = 0; index < 40; index += 1) {
      world.setContainer('web', { ready: index % 2 === 1 });
      await world.clock.pass(1000);
    }
    const events = world.takeLines().filter((line) => line.includes('event of'));
    expect(events).toHaveLength(2);
  });
});
