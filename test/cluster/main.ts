/**
 * `npm run test:cluster`: the tests that need a real cluster with real containers.
 *
 *     npm run test:cluster -- [--if-possible] [what vitest takes, such as a part of a file's name]
 *
 * --if-possible prints why they cannot run on this machine and ends with 0.
 *
 * `npm run cluster:build` builds and downloads what they run.
 */
import { runSuite } from '../../scripts/run-suite.ts';
import { requireCluster } from './support/requirements.ts';

process.exitCode = runSuite('vitest.cluster.config.ts', requireCluster);
