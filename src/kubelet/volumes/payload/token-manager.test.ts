import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { FakeTokens } from '../../../../test/support/volume-parts.ts';
import { TokenManager } from './token-manager.ts';

const HOUR_MS = 3_600_000;
const pod = { uid: 'u', name: 'web', namespace: 'shop' };

function makeHarness(chance = 0) {
  const clock = new VirtualClock();
  const source = new FakeTokens(clock);
  const manager = new TokenManager({
    source,
    clock,
    random: { next: () => chance },
    log: silentLog,
  });
  const get = async (expirationSeconds: number, audiences: readonly string[] = []) => {
    const request = { pod, account: 'clerk', spec: { audiences, expirationSeconds } };
    return (await manager.get(request)).token;
  };
  return { clock, source, manager, get };
}

describe('tokens of pods', () => {
  test('are kept until a fifth of their lifetime is left', async () => {
    const { clock, get } = makeHarness();
    expect(await get(3600)).toBe('token-1');
    await clock.pass(0.8 * HOUR_MS);
    expect(await get(3600)).toBe('token-1');
    await clock.pass(1);
    expect(await get(3600)).toBe('token-2');
  });

  test('are renewed after a day, however long they live', async () => {
    const { clock, get } = makeHarness();
    await get(30 * 24 * 3600);
    await clock.pass(24 * HOUR_MS);
    expect(await get(30 * 24 * 3600)).toBe('token-1');
    await clock.pass(1);
    expect(await get(30 * 24 * 3600)).toBe('token-2');
  });

  test('are requested up to ten seconds earlier, at random', async () => {
    const { clock, get } = makeHarness(0.5);
    await get(3600);
    await clock.pass(0.8 * HOUR_MS - 5000);
    expect(await get(3600)).toBe('token-1');
    await clock.pass(1);
    expect(await get(3600)).toBe('token-2');
  });

  test('are different for different audiences', async () => {
    const { get } = makeHarness();
    expect(await get(3600, ['a'])).toBe('token-1');
    expect(await get(3600, ['b'])).toBe('token-2');
    expect(await get(3600, ['a'])).toBe('token-1');
  });

  test('stay in use while they are valid if no new one can be had', async () => {
    const { clock, source, get } = makeHarness();
    await get(3600);
    source.failure = new Error('no API server');
    await clock.pass(HOUR_MS);
    expect(await get(3600)).toBe('token-1');
    await clock.pass(1);
    await expect(get(3600)).rejects.toThrow(
      'token "clerk"/"shop" expired and refresh failed: no API server',
    );
  });

  test('that never came fail with the message of a kubelet', async () => {
    const { source, get } = makeHarness();
    source.failure = new Error('forbidden');
    await expect(get(3600)).rejects.toThrow('failed to fetch token: forbidden');
  });

  test('are forgotten with their pod', async () => {
    const { manager, get } = makeHarness();
    await get(3600);
    manager.forget('other');
    expect(await get(3600)).toBe('token-1');
    manager.forget('u');
    expect(await get(3600)).toBe('token-2');
  });
});
