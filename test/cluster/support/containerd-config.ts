/** The configuration of a containerd of the tests, and the network of its pods. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { containersFolder } from '../../../scripts/cluster/cache-folder.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { PAUSE } from './images/test-images.ts';

/** Subnets are taken from here, one for each containerd: this range is rarely routed. */
const RANGE = '10.213';

/** In the second version of the format, which both containerds read. */
export function containerdConfig(folder: string): string {
  const programs = containersFolder(process.env);
  const inside = (name: string): string => JSON.stringify(path.join(folder, name));
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = ${inside('root')}
state = ${inside('state')}

[grpc]
address = ${inside('containerd.sock')}

[ttrpc]
address = ${inside('containerd.sock.ttrpc')}

[plugins."io.containerd.internal.v1.opt"]
path = ${inside('opt')}

# It listens at one place for the whole machine.
[plugins."io.containerd.nri.v1.nri"]
disable = true

[${cri}]
sandbox_image = "${PAUSE}"
# Without the right to lower it, as here, runc would fail.
restrict_oom_score_adj = true
# So that all that is mounted lies in the folder.
netns_mounts_under_state_dir = true

[${cri}.cni]
bin_dir = ${JSON.stringify(path.join(programs, 'cni'))}
conf_dir = ${inside('cni')}

[${cri}.registry]
config_path = ${inside('registries')}

[${cri}.containerd]
snapshotter = "overlayfs"
default_runtime_name = "runc"

[${cri}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[${cri}.containerd.runtimes.runc.options]
BinaryName = ${JSON.stringify(path.join(programs, 'bin/runc'))}
Root = ${inside('runc')}
SystemdCgroup = false
`;
}

/** A bridge, an address for each pod, and host ports that lead to pods. */
export function networkConfig(folder: string, key: string, subnet: string): JsonObject {
  return {
    cniVersion: '0.4.0',
    name: key,
    plugins: [
      {
        type: 'bridge',
        bridge: key,
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: path.join(folder, 'addresses'),
          ranges: [[{ subnet }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

/**
 * One that this machine has no route to yet. The route comes with the first pod, so concurrent runs begin
 * at different ones.
 */
export function findFreeSubnet(): string {
  const taken = new Set(
    readFileSync('/proc/net/route', 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => readAddress(line.split('\t')[1] ?? '')),
  );
  for (let step = 0; step < 256; step += 1) {
    const third = (process.pid + step) % 256;
    if (!taken.has(`${RANGE}.${third}.0`)) return `${RANGE}.${third}.0/24`;
  }
  throw new Error(`every subnet of ${RANGE}.0.0/16 is taken: are bridges left that nobody clears?`);
}

/** The kernel writes the bytes of an address in reverse. */
function readAddress(hex: string): string {
  return Buffer.from(hex, 'hex').toReversed().join('.');
}
