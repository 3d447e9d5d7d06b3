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

test('a node whose file is missing has no servers, and one that is to have none uses itself', async () => {
  const clock = new VirtualClock();
  const missing = path.join(makeTempFolder(), 'resolv.conf');
  const unreachable = hostDnsReader({ clock, file: missing, hostIPs: () => [] });
  expect(await unreachable()).toMatchObject({ servers: [] });
  const itself = hostDnsReader({ clock, file: '', hostIPs: () => ['10.0.0.9', 'fd00::9'] });
  expect(await itself()).toMatchObject({ servers: ['127.0.0.1', '::1'], searches: ['.'] });
});

test('where the machine uses its loopback interface, pods use the servers behind it', async () => {
  const clock = new VirtualClock();
  const folder = makeTempFolder();
  const [file, upstreamFile] = [path.join(folder, 'stub.conf'), path.join(folder, 'upstream.conf')];
  writeFileSync(file, 'nameserver 127.0.0.53\noptions edns0\n');
  writeFileSync(upstreamFile, 'nameserver 10.0.0.7\nsearch example.com\n');
  const read = hostDnsReader({ clock, file, hostIPs: () => [], upstreamFile });
  expect(await read()).toMatchObject({ servers: ['10.0.0.7'], searches: ['example.com'] });
  const sharing = hostDnsReader({ clock, file, hostIPs: () => [] });
  expect(await sharing()).toMatchObject({ servers: ['127.0.0.53'] });
  writeFileSync(upstreamFile, '');
  await clock.pass(1000);
  expect(await read()).toMatchObject({ servers: ['127.0.0.53'] });
});
