import { openForTest } from '../../../test/runtimes/process-runtime.ts';
import { podRuntimeSuite } from '../../../test/suites/pod-runtime.ts';

podRuntimeSuite({
  name: 'process, by programs',
  open: () => openForTest({ network: 'host', hand: 'programs' }),
});
