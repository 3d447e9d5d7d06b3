/** Exports everything that `podkeep up` needs for its node, so that one import loads it. */
export { startLocalNode } from './local-node.ts';
export { runtimeChoice } from './runtime-choice.ts';
export { readUpConfig } from './up-config.ts';
