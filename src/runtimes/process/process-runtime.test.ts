import { openForTest } from '../../../test/runtimes/process-runtime.ts';
import { podRuntimeSuite } from '../../../test/suites/pod-runtime.ts';

// Pods with their own networks are in test/runtimes/network.test.ts; creating sixty takes long.
podRuntimeSuite({ name: 'process', open: () => openForTest({ network: 'host' }) });
