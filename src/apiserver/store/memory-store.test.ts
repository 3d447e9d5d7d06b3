import { objectStoreSuite } from '../../../test/suites/object-store.ts';
import { openMemoryStore } from './memory-store.ts';

objectStoreSuite({
  name: 'memory',
  histories: 300,
  open: (options) => Promise.resolve(openMemoryStore(options)),
});
