import { openForTest } from '../../../test/runtimes/process-runtime.ts';
import { podRuntimeSuite } from '../../../test/suites/pod-runtime.ts';

const WITHOUT_MOUNTS = 'without namespaces there are no mounts; links stand in for them';

podRuntimeSuite({
  name: 'process, without namespaces',
  open: () => openForTest({ isolation: 'none', cgroups: 'none' }),
  skip: {
    'a volume is where the spec mounts it, and what is written there stays': WITHOUT_MOUNTS,
    'a volume that is mounted read-only cannot be written': WITHOUT_MOUNTS,
    'a single file can be mounted, over one that is there and where there is none': WITHOUT_MOUNTS,
  },
});
