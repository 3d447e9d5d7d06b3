/** Everything that `podkeep up` needs for its nodes, loaded in one go. */
export { startLocalNodes } from './local-nodes/start-local-nodes.ts';
export { readUpConfig } from './up-config.ts';
