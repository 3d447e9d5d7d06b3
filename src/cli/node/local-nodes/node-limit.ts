/** How many nodes one podkeep runs: each has its informers, loops and listeners. */
export const NODES_MAX = 100;
