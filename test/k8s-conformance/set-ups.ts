/** Starts the cluster that a set-up names. */
import { unreachable } from '../../src/lib/assert.ts';
import { KubeletCluster } from './kubelet-cluster.ts';
import type { RunningCluster } from './running-cluster.ts';
import type { SetUpName } from './set-up-names.ts';
import { UpCluster } from './up-cluster.ts';

export async function startCluster(on: SetUpName): Promise<RunningCluster> {
  switch (on) {
    case 'up':
      return UpCluster.start(false);
    case 'up-managed':
      return UpCluster.start(true);
    case 'kubelet':
      return KubeletCluster.start(false);
    case 'kubelet-real':
      return KubeletCluster.start(true);
    default:
      return unreachable(on);
  }
}
