import { openForTest } from '../../../test/runtimes/process-runtime.ts';
import { podRuntimeSuite } from '../../../test/suites/pod-runtime.ts';

// Pods with networks of their own are in test/runtimes/network.test.ts; making sixty takes long.
podRuntimeSuite({ name: 'process', open: () => openForTest({ network: 'host' }) });
