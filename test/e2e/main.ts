/**
 * `npm run test:e2e`: the tests that need Kubernetes' own programs.
 *
 *     npm run test:e2e -- [--if-possible] [what vitest takes, such as a part of a file's name]
 *
 * --if-possible prints why they cannot run on this machine and ends with 0.
 *
 * With PODKEEP_E2E_USER=NAME root runs the tests of pods (`-- pods`) as that user.
 */
import { runSuite } from '../../scripts/run-suite.ts';
import { requirePrograms } from './support/programs.ts';

process.exitCode = runSuite('vitest.e2e.config.ts', requirePrograms);
