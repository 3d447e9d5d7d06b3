import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { hostDnsReader } from './host-dns.ts';

test('a burst of pods reads the file once, and a later one reads it again', async () => {
  const clock = new VirtualClock();
  const file = path.join(makeTempFolder(), 'resolv.conf');
  const read = hostDnsReader({ clock, file, hostIPs: () => [] });
  writeFileSync(file, 'nameserver 10.0.0.1\n');
  expect(await read()).toMatchObject({ servers: ['10.0.0.1'] });
  writeFileSync(file, 'nameserver 10.0.0.2\n');
  expect(await read()).toMatchObject({ servers: ['10.0.0.1'] });
  await clock.pass(1000);
  expect(await read()).toMatchObject({ servers: ['10.0.0.2'] });
});

test('a node that has no such file asks nobody, and one that is to have none asks itself', async () => {
  const clock = new VirtualClock();
  const missing = path.join(makeTempFolder(), 'resolv.conf');
  const nobody = hostDnsReader({ clock, file: missing, hostIPs: () => [] });
  expect(await nobody()).toMatchObject({ servers: [] });
  const itself = hostDnsReader({ clock, file: '', hostIPs: () => ['10.0.0.9', 'fd00::9'] });
  expect(await itself()).toMatchObject({ servers: ['127.0.0.1', '::1'], searches: ['.'] });
});
