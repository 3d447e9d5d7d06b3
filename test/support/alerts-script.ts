/**
 * Plays a script about alerts (test/scenarios/alerts/): each line sets something of the world, and below it
 * is what became of the alerts.
 */
import { formatTime } from '../../src/api/values/time.ts';
import { AlertsHarness } from './alerts-harness.ts';
import { playScript } from './script.ts';

type Play = (world: AlertsHarness, subject: string, ...words: string[]) => void | Promise<void>;

const COMMANDS: Readonly<Record<string, Play>> = {
  pod: (world, name, phase) => {
    world.put(name);
    world.setStatus(name, { phase: phase === 'Pending' ? 'Pending' : 'Running' });
  },
  waiting: (world, name, reason = '', restarts = '0') =>
    world.setContainer(name, {
      state: { waiting: { reason, message: 'as the kubelet says' } },
      restartCount: Number(restarts),
    }),
  running: (world, name) => world.setContainer(name, { state: { running: {} } }),
  ended: (world, name, reason = '', code = '1') =>
    world.setContainer(name, { state: world.ended(reason, Number(code)) }),
  ready: (world, name) => world.setContainer(name, { ready: true }),
  unready: (world, name) => world.setContainer(name, { ready: false }),
  flap: async (world, name, times = '1') => {
    for (let time = 0; time < Number(times); time += 1) {
      world.setContainer(name, { ready: time % 2 === 0 });
      await world.clock.pass(5000);
    }
  },
  delete: (world, name, graceSeconds = '30') => {
    const deletionTimestamp = formatTime(world.clock.now() + Number(graceSeconds) * 1000);
    world.put(name, { deletionTimestamp });
  },
  gone: (world, name) => world.remove(name),
  volume: (world, name, used = '0') => {
    const volume = {
      name: 'data',
      capacityBytes: 100,
      availableBytes: 1,
      inodes: 9,
      inodesFree: 9,
    };
    world.volumes.set(name, [{ ...volume, used: Number(used) }]);
  },
  condition: (world, type, status = 'True') => void (world.conditions = [{ type, status }]),
  unwritten: (world, name) => void world.unwritten.add(`uid-${name}`),
  written: (world, name) => void world.unwritten.delete(`uid-${name}`),
  api: (world, state) =>
    void (world.silentSince = state === 'silent' ? world.clock.monotonic() : null),
  certificate: (world, seconds) =>
    void (world.certificateEndsMs = world.clock.now() + Number(seconds) * 1000),
  skew: (world, seconds) => void (world.skewMs = Number(seconds) * 1000),
  wait: (world, seconds) => world.clock.pass(Number(seconds) * 1000),
};

export async function playAlertsScript(script: string): Promise<string> {
  const world = new AlertsHarness();
  const played = await playScript(script, async (command) => {
    const [name = '', subject = '', ...words] = command.split(' ');
    const play = COMMANDS[name];
    if (!play) throw new Error(`there is no command ${name}`);
    await play(world, subject, ...words);
    // Changes are collected for half a second.
    await world.clock.pass(500);
    const lines = world.takeLines();
    return lines.length === 0 ? ['nothing happens'] : lines;
  });
  world.alerts.close();
  return played;
}
